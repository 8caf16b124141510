"""Login: an account's name and password, a session that the server can end, and a token on every form.

The browser's cookie holds the session's token, the form token and the language, never a password; what it opens is looked
up in the staff file at every request, so that a session that was ended is over for a copy of the cookie too.
Who has not logged in is a spectator. Who may ask for which page is the page table's decision, how wrong passwords slow down that of
``passwords``, and what a role may see that of the access policy.

How long somebody must wait after wrong passwords, so that guessing is slow and no account is locked out by others.

Wrong passwords are counted for a typed name together with where they come from, so that they lock neither another account
at that address nor this account elsewhere. All sources of one name together are counted too, against guessing from many
addresses; a browser that has entered this account before counts by itself and does not wait for the others.
Each wrong password beyond the free ones doubles the wait, and what was counted is forgotten after a while.

Whether an account has the name is not asked here, so that the waits do not tell it. The counts are in a fixed number of buckets,
found by a hash under the server's secret: no count gives way to others, and which names share a bucket cannot be computed.
Who fills every bucket must try tens of thousands of passwords within the hour, and delays by it only browsers that are new to an account.
"""

import hmac
import logging
import math
import secrets
import threading
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from urllib.parse import unquote

from flask import Flask, Response, abort, g, redirect, render_template, request, session, url_for
from flask.typing import ResponseReturnValue
from werkzeug.wrappers import Response as AnyResponse

from dashboard.access.access_policy import SPECTATOR, Viewer
from dashboard.access.page_table import PAGES, Audience, page_at
from dashboard.access.passwords import PasswordError
from dashboard.access.staff_file import StaffAccount, StaffFile
from dashboard.web_app import see_other
from twinwall.values import frozen
from twinwall.web.visitor_limits import network_of
from twinwall.wire.names import name_key

FREE_TRIES = 5
"""Wrong passwords for a name from one source that cost no wait."""
FREE_TRIES_EVERYWHERE = 30
"""The same from all sources together that are not known to the account."""
FIRST_WAIT_S = 30.0
LONGEST_WAIT_S = 900.0
FORGOTTEN_S = 3600.0
BUCKETS = 4096
"""For each of the three kinds of counts: by address, by known browser, and from everywhere."""


@frozen
class _Count:
    wrong: int = 0
    last_s: float = 0.0
    before_s: float = 0.0
    """When the try before the last one came."""

    def wait_s(self, free: int, now_s: float) -> float:
        """What is left of the wait that the wrong tries have earned."""
        if self.wrong < free:
            return 0.0
        earned = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0 ** min(self.wrong - free, 16))
        return max(0.0, self.last_s + earned - now_s)


class LoginAttempts:
    """Wrong passwords of late; may be asked from any thread."""

    def __init__(self, monotonic_s: Callable[[], float], secret: bytes) -> None:
        self._monotonic_s, self._secret = monotonic_s, secret
        self._counts = dict[tuple[str, int], _Count]()
        self._mutex = threading.Lock()

    def begin(self, name: str, address: str, mark: str | None) -> float:
        """How long somebody must wait before the next password for this name, in the one spelling that accounts are found by.

        ``mark`` is that of a browser which has entered the account before; any other counts by its address. 0 when it need not: the try
        counts as wrong from then on, so that tries at the same moment are counted too, until ``right`` takes it back.
        """
        with self._mutex:
            now_s = self._monotonic_s()
            counts = {bucket: (self._count(bucket, now_s), free) for bucket, free in self._buckets(name, address, mark)}
            wait_s = max(count.wait_s(free, now_s) for count, free in counts.values())
            if not wait_s:
                self._counts |= {bucket: _Count(count.wrong + 1, now_s, count.last_s) for bucket, (count, _) in counts.items()}
            return wait_s

    def right(self, name: str, address: str, mark: str | None) -> None:
        """It was the right password: the try is taken back, and the counts of others stay, since what they see would tell the account."""
        with self._mutex:
            for bucket, _ in self._buckets(name, address, mark):
                count = self._counts[bucket]
                self._counts[bucket] = _Count(count.wrong - 1, count.before_s, count.before_s)

    def _buckets(self, name: str, address: str, mark: str | None) -> Iterator[tuple[tuple[str, int], int]]:
        """Where this try is counted, and how many wrong ones are free there."""
        everywhere = {f"address {network_of(address)}": FREE_TRIES, "everywhere": FREE_TRIES_EVERYWHERE}
        for source, free in ({f"browser {mark}": FREE_TRIES} if mark else everywhere).items():
            digest = hmac.digest(self._secret, f"login {source} {name}".encode(), "sha256")
            yield (source.split()[0], int.from_bytes(digest) % BUCKETS), free

    def _count(self, bucket: tuple[str, int], now_s: float) -> _Count:
        count = self._counts.get(bucket, _Count())
        return _Count() if now_s - count.last_s > FORGOTTEN_S else count


_LOG = logging.getLogger(__name__)
API = "api"
"""The blueprint of the API, which knows who asks by a token and takes no cookie."""
SECRET_BYTES = 32
SESSION, DEVICES, LANGUAGE = "session", "devices", "language"
"""What the cookie holds beside the form token: the session's token, the marks of accounts that this browser has entered."""


@frozen
class LoginRules:
    """Who is admitted, and what the login needs: the staff file, the tries of late, and the time."""

    staff: StaffFile
    attempts: LoginAttempts
    now: Callable[[], datetime]
    spectators: bool

    def now_s(self) -> int:
        """The time as the staff file counts it."""
        return int(self.now().timestamp())

    def is_open(self, token: str) -> bool:
        """Whether a session is still open; that a page which keeps itself up to date asks does not keep it so."""
        return self.staff.session(token, self.now_s(), used=False) is not None


def load_secret(path: Path) -> bytes:
    """The key that signs sessions, made at the first start and readable by its owner alone; sessions outlive a restart by it."""
    if not path.exists():
        path.touch(mode=0o600)
        path.write_bytes(secrets.token_bytes(SECRET_BYTES))
    secret = path.read_bytes()
    if len(secret) < SECRET_BYTES:
        raise ValueError(f"{path} holds {len(secret)} bytes where {SECRET_BYTES} or more are needed: delete it and it is made again")
    return secret


def viewer() -> Viewer:
    """Who asks."""
    found: Viewer = g.get("viewer", SPECTATOR)
    return found


def session_token() -> str | None:
    """The token of the session in which is asked; None for a spectator."""
    return session.get(SESSION) if viewer().staff else None


def _find_viewer(staff: StaffFile, now_s: int) -> Viewer:
    token = session.get(SESSION)
    account = staff.session(token, now_s) if isinstance(token, str) else None
    if account is None:
        session.pop(SESSION, None)
        return SPECTATOR
    return Viewer(account.roles, account.name)


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
    """Where to go after the login: a page of the hall, written again from what the (decoded) path names; None for anything else.

    What was asked for is never repeated as it came, so that it cannot lead out of this site.
    """
    found = page_at(app.url_map, path) if path.startswith("/") else None
    return None if found is None or not found[0].is_returned_to else found[1]


def add_login(app: Flask, rules: LoginRules) -> None:
    """Ask who it is before every route of the app, and add the routes by which one enters and leaves."""
    _add_question(app, rules)
    _add_entrances(app, rules)


def _add_question(app: Flask, rules: LoginRules) -> None:
    """Before every route: who asks, and whether the page table lets them. An address without a route is asked for as the hall is."""

    @app.before_request
    def ask_who() -> AnyResponse | None:
        page = PAGES["hall"] if request.endpoint is None else PAGES.get(request.endpoint)
        if page is None and request.blueprint == API:
            return None
        if page is None:
            _LOG.error("the route %s is refused to everybody: dashboard/access/page_table.py does not name it", request.endpoint)
            abort(404)
        if page.audience is Audience.PROGRAMS:
            return None
        g.viewer = _find_viewer(rules.staff, rules.now_s())
        roles, who = page.audience.roles, viewer()
        if (who.staff or rules.spectators or page.audience is not Audience.SPECTATORS) if roles is None else roles & who.roles:
            return None
        if who.staff:
            abort(404)
        if request.method not in ("GET", "HEAD") or page.live:
            abort(401)
        return redirect(url_for("login", next=wanted_page(app, request.path)))


def _add_entrances(app: Flask, rules: LoginRules) -> None:
    """The login, the logout, and the invitations."""

    @app.route("/login", methods=["GET", "POST"])
    def login() -> ResponseReturnValue:
        wanted = wanted_page(app, unquote(request.values.get("next", "")))
        if request.method == "POST":
            return _log_in(rules, wanted)
        if viewer().staff:
            return redirect(wanted or url_for("hall"))
        return Response(render_template("people/login.html", problem=None, wanted=wanted, name=""))

    @app.post("/logout")
    def logout() -> AnyResponse:
        require_token()
        token = session_token()
        if token is not None:
            rules.staff.end_session(token)
        _forget()
        return see_other("login")

    @app.route("/invitation/<token>", methods=["GET", "POST"])
    def invitation(token: str) -> ResponseReturnValue:
        invited = rules.staff.invited(token, rules.now_s())
        if invited is None:
            return render_template("people/invitation.html", invited=None), 404
        if request.method == "POST":
            return _accept(rules, token, invited)
        return Response(render_template("people/invitation.html", invited=invited, problem=None))


def _log_in(rules: LoginRules, wanted: str | None) -> ResponseReturnValue:
    """Answer a name and a password: the page that was wanted, or the form again with what is wrong."""
    name, password = request.form.get("name", ""), request.form.get("password", "")
    account = rules.staff.account(name)
    counted = name_key(name), request.remote_addr or "", _mark(account)
    if not token_is_right():
        return render_template("people/login.html", problem="login.stale", wanted=wanted, name=name), 400
    wait_s = math.ceil(rules.attempts.begin(*counted))
    if wait_s:
        page = Response(render_template("people/login.html", problem="login.slow", seconds=wait_s, wanted=wanted, name=name), 429)
        page.headers["Retry-After"] = str(wait_s)
        return page
    if not rules.staff.password_fits(account, password) or account is None:
        return render_template("people/login.html", problem="login.wrong", wanted=wanted, name=name), 401
    rules.attempts.right(*counted)
    _begin_session(rules, account)
    return redirect(wanted or url_for("hall"), 303)


def _mark(account: StaffAccount | None) -> str | None:
    """The mark of a browser that has entered this account before."""
    marks = session.get(DEVICES)
    return marks.get(str(account.identity)) if account is not None and isinstance(marks, dict) else None


def _accept(rules: LoginRules, token: str, invited: StaffAccount) -> ResponseReturnValue:
    """Answer somebody who was invited and has chosen a password."""
    password, problem = request.form.get("password", ""), None
    if not token_is_right():
        problem = "login.stale"
    elif password != request.form.get("again", ""):
        problem = "invitation.differ"
    else:
        try:
            account = rules.staff.accept(token, password, rules.now_s())
        except PasswordError:
            problem = "invitation.short"
        else:
            if account is None:
                return render_template("people/invitation.html", invited=None), 404
            _begin_session(rules, account)
            return see_other("hall")
    return render_template("people/invitation.html", invited=invited, problem=problem), 400


def _begin_session(rules: LoginRules, account: StaffAccount) -> None:
    """Begin a session under a new token; the browser is known to this account from now on."""
    ended = session.get(SESSION)
    if isinstance(ended, str):
        rules.staff.end_session(ended)
    _forget()
    session[SESSION] = rules.staff.begin_session(account, rules.now_s())
    session[DEVICES] = {**session.get(DEVICES, {}), str(account.identity): secrets.token_urlsafe(12)}


def _forget() -> None:
    """Empty the cookie of all but what opens nothing: the language, and which accounts this browser has entered."""
    kept = {key: session[key] for key in (LANGUAGE, DEVICES) if key in session}
    session.clear()
    session.update(kept)
