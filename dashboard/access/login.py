"""Login: a password for each role, a session cookie, a token on every form, and a limit on wrong tries.

Only hashes of the passwords are known here. Who has not logged in is a spectator. Where spectators are
not admitted, they get the login page and static files alone. What a role may see is the access policy's decision.
"""

from __future__ import annotations

import hmac
import math
import secrets
import threading
from collections import deque
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from flask import Flask, Response, abort, redirect, render_template, request, session, url_for
from werkzeug.exceptions import HTTPException
from werkzeug.security import check_password_hash, generate_password_hash
from werkzeug.wrappers import Response as AnyResponse

from dashboard.access.access_policy import SPECTATOR, Role, Viewer

MOST_TRIES = 5
WITHIN_S = 60.0
OPEN_ENDPOINTS = frozenset({"login", "static", "tiles", "alive"})
STAFF_ENDPOINTS = frozenset({"calls", "take_call"})
PAGES_TO_RETURN_TO = frozenset({"table", "deal", "standings", "calls"})
SECRET_BYTES = 32
MOST_NAME = 40
"""The longest name that is kept of who logs in."""


@dataclass(frozen=True, slots=True)
class AuthSettings:
    """The hash of each role's password, and whether spectators need none.

    An event without a password for its referee has one person as both.
    """

    director_hash: str
    referee_hash: str | None = None
    spectators: bool = True

    def roles(self, password: str) -> frozenset[Role]:
        """The roles that the password gives; none for a wrong one."""
        if check_password_hash(self.director_hash, password):
            return frozenset({Role.DIRECTOR} if self.referee_hash else {Role.DIRECTOR, Role.REFEREE})
        if self.referee_hash is not None and check_password_hash(self.referee_hash, password):
            return frozenset({Role.REFEREE})
        return frozenset()


def hash_password(password: str) -> str:
    """The hash that settings hold instead of the password (scrypt)."""
    return generate_password_hash(password, method="scrypt")


def load_secret(path: Path) -> bytes:
    """The key that signs sessions, made at the first start and readable by its owner alone; sessions outlive a restart by it."""
    if not path.exists():
        path.touch(mode=0o600)
        path.write_bytes(secrets.token_bytes(SECRET_BYTES))
    secret = path.read_bytes()
    if len(secret) < SECRET_BYTES:
        raise ValueError(f"{path} holds {len(secret)} bytes where {SECRET_BYTES} or more are needed: delete it and it is made again")
    return secret


class Tries:
    """Recent wrong passwords by address: after ``MOST_TRIES`` within ``WITHIN_S`` it has to wait."""

    def __init__(self, monotonic_s: Callable[[], float]) -> None:
        self._monotonic_s = monotonic_s
        self._wrong: dict[str, deque[float]] = {}
        self._lock = threading.Lock()

    def wait_s(self, address: str) -> float:
        """How long the address must wait before it may try again; 0 when it need not."""
        with self._lock:
            now = self._monotonic_s()
            for known in [known for known, times in self._wrong.items() if now - times[-1] > WITHIN_S]:
                del self._wrong[known]
            times = self._wrong.get(address)
            if times is None or len(times) < MOST_TRIES:
                return 0.0
            return max(0.0, times[0] + WITHIN_S - now)

    def wrong(self, address: str) -> None:
        """Remember a wrong password."""
        with self._lock:
            self._wrong.setdefault(address, deque(maxlen=MOST_TRIES)).append(self._monotonic_s())


def viewer() -> Viewer:
    """Who asks, by the session."""
    kept = session.get("roles")
    if not isinstance(kept, list):
        return SPECTATOR
    return Viewer(frozenset(role for role in Role if role.value in kept), str(session.get("name", "")))


def form_token() -> str:
    """The token that every form of this session carries."""
    if "token" not in session:
        session["token"] = secrets.token_urlsafe(24)
    return str(session["token"])


def token_is_right() -> bool:
    """Whether the form just sent carries its session's token."""
    return hmac.compare_digest(str(session.get("token", "")).encode(), request.form.get("token", "").encode()) and "token" in session


def require_token() -> None:
    """Answer 400 to a form that does not carry its session's token."""
    if not token_is_right():
        abort(400)


def wanted_page(app: Flask, path: str) -> str | None:
    """Where to go after the login: a page of the hall, written anew from what the (decoded) path names; None for anything else.

    What was asked for is never repeated as it came, so that it cannot lead out of this site.
    """
    if not path.startswith("/"):
        return None
    try:
        endpoint, values = app.url_map.bind("localhost").match(path, method="GET")
    except HTTPException:
        return None
    return url_for(endpoint, **values) if endpoint in PAGES_TO_RETURN_TO else None


def add_login(app: Flask, auth: AuthSettings, tries: Tries) -> None:
    """Ask for a login before every route of the app."""

    def may_pass() -> bool:
        if request.endpoint in OPEN_ENDPOINTS or viewer().staff:
            return True
        return auth.spectators and request.method in ("GET", "HEAD") and request.endpoint not in STAFF_ENDPOINTS

    @app.before_request
    def ask_who() -> AnyResponse | None:
        if may_pass():
            return None
        if request.method not in ("GET", "HEAD") or request.endpoint == "events":
            abort(401)
        return redirect(url_for("login", next=wanted_page(app, request.path)))

    @app.route("/login", methods=["GET", "POST"])
    def login() -> AnyResponse | tuple[str, int]:
        wanted = wanted_page(app, unquote(request.values.get("next", "")))
        if request.method == "POST":
            return _log_in(auth, tries, wanted)
        if viewer().staff:
            return redirect(wanted or url_for("hall"))
        return Response(render_template("login.html", problem=None, wanted=wanted))

    @app.post("/logout")
    def logout() -> AnyResponse:
        require_token()
        session.clear()
        return redirect(url_for("login"), 303)


def _log_in(auth: AuthSettings, tries: Tries, wanted: str | None) -> AnyResponse | tuple[str, int]:
    """Answer a password: the page that was wanted, or the form again with what is wrong."""
    address = request.remote_addr or ""
    wait_s = math.ceil(tries.wait_s(address))
    if wait_s:
        page = Response(render_template("login.html", problem="login.slow", seconds=wait_s, wanted=wanted), 429)
        page.headers["Retry-After"] = str(wait_s)
        return page
    if not token_is_right():
        return render_template("login.html", problem="login.stale", wanted=wanted), 400
    roles = auth.roles(request.form.get("password", ""))
    if not roles:
        tries.wrong(address)
        return render_template("login.html", problem="login.wrong", wanted=wanted), 401
    _begin_session(roles)
    return redirect(wanted or url_for("hall"), 303)


def _begin_session(roles: Collection[Role]) -> None:
    """Begin a session with these roles; the language that was chosen before the login stays."""
    language = session.get("language")
    session.clear()
    session["roles"] = sorted(role.value for role in roles)
    session["name"] = request.form.get("name", "").strip()[:MOST_NAME]
    if language:
        session["language"] = language
