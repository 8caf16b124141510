"""Login: an account's name and password, a session that the server can end, and a token on every form. The cookie has the session's token,
the form token and the language, never a password. Every request looks the session up in the staff file, so an ended session is also over
for a copy of the cookie. Without a login the viewer is a spectator. The page table decides who may open which page, ``login_attempts`` how
wrong passwords slow the login down, and the access policy what a role may see."""

import hmac
import logging
import math
import secrets
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from urllib.parse import unquote

from flask import Flask, Response, abort, current_app, g, redirect, render_template, request, session, url_for
from flask.typing import ResponseReturnValue
from werkzeug.wrappers import Response as AnyResponse

from dashboard.access.access_policy import SPECTATOR, Viewer
from dashboard.access.login_attempts import LoginAttempts
from dashboard.access.page_table import PAGES, Audience, page_at
from dashboard.access.passwords import PasswordError
from dashboard.access.staff_file import OrderRefusedError, StaffAccount, StaffFile
from dashboard.i18n.words import DEFAULT_LANGUAGE, Words, accepted_language, known_language
from dashboard.web_app import see_other
from twinwall.values import frozen
from twinwall.wire.names import name_key

_LOG = logging.getLogger(__name__)
API = "api"
"""The blueprint of the API, which identifies viewers by token and uses no cookie."""
SECRET_BYTES = 32
MOST_FORM_BYTES = 128 * 1024
"""Enough for a list of 256 entrants, or an event's file, which are longer than other forms."""
SESSION, DEVICES, LANGUAGE = "session", "devices", "language"
"""Contents of the cookie besides the form token; ``DEVICES`` are the marks of accounts that this browser has entered."""


@frozen
class LoginRules:
    """What the login needs: the staff file, recent tries, the time, and whether spectators are admitted."""

    staff: StaffFile
    attempts: LoginAttempts
    now: Callable[[], datetime]
    spectators: bool

    def now_s(self) -> int:
        """The time as the staff file counts it."""
        return int(self.now().timestamp())

    def is_open(self, token: str) -> bool:
        """Whether a session is still open; requests of pages that update themselves do not prolong it."""
        return self.staff.session(token, self.now_s(), used=False) is not None


def load_secret(path: Path) -> bytes:
    """The key that signs sessions, made at the first start and readable only by its owner; sessions survive a restart because of it."""
    if not path.exists():
        path.touch(mode=0o600)
        path.write_bytes(secrets.token_bytes(SECRET_BYTES))
    secret = path.read_bytes()
    if len(secret) < SECRET_BYTES:
        raise ValueError(f"{path} holds {len(secret)} bytes where {SECRET_BYTES} or more are needed: delete it and it is made again")
    return secret


def viewer() -> Viewer:
    found: Viewer = g.get("viewer", SPECTATOR)
    return found


def reader_words() -> Words:
    """The words for this request: as chosen before, or the browser's language, or the setting."""
    chosen = known_language(session.get(LANGUAGE))
    if chosen is None and request.headers.get("Accept-Language"):
        chosen = accepted_language(request.headers["Accept-Language"])
    return Words(chosen or known_language(current_app.config.get("LANGUAGE")) or DEFAULT_LANGUAGE)


def missing(key: str, code: int = 404, **values: object) -> tuple[str, int]:
    """The page that says, in the reader's language, why something does not exist."""
    return render_template("missing.html", sentence=reader_words()(key, **values)), code


def choose_language() -> None:
    """Remember the language that the address asks for."""
    asked = known_language(request.args.get("lang"))
    if asked is not None:
        session[LANGUAGE] = asked


def session_token() -> str | None:
    """The token of this request's session; None for a spectator."""
    return session.get(SESSION) if viewer().staff else None


def _find_viewer(staff: StaffFile, now_s: int) -> Viewer:
    token = session.get(SESSION)
    account = staff.session(token, now_s) if isinstance(token, str) else None
    if account is None:
        session.pop(SESSION, None)
        return SPECTATOR
    return Viewer(account.roles, account.name)


def form_token() -> str:
    """The token for every form of this session."""
    if "token" not in session:
        session["token"] = secrets.token_urlsafe(24)
    return str(session["token"])


def token_is_right() -> bool:
    """Whether the sent form has its session's token."""
    return hmac.compare_digest(str(session.get("token", "")).encode(), request.form.get("token", "").encode()) and "token" in session


def require_token() -> None:
    """Answer 400 to a form without its session's token."""
    if not token_is_right():
        abort(400)


def wanted_page(app: Flask, path: str) -> str | None:
    """The address to go to after the login: a page of the hall, rebuilt from the decoded path; None for anything else. It is rebuilt, and
    not copied from the request, so that it cannot lead to another site."""
    found = page_at(app.url_map, path) if path.startswith("/") else None
    return None if found is None or not found[0].is_returned_to else found[1]


def add_login(app: Flask, rules: LoginRules) -> None:
    """Check the viewer before every route, and add the routes of login and logout."""
    _add_question(app, rules)
    _add_entrances(app, rules)


def _add_question(app: Flask, rules: LoginRules) -> None:
    """Before every route, find the viewer and check the page table and the form's token. Login and invitations report a stale token
    themselves. An address without a route has the hall's audience."""

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
            if page.long_form:
                request.max_content_length = MOST_FORM_BYTES
            if request.method == "POST" and request.endpoint is not None and page.audience is not Audience.ANYBODY:
                require_token()
            return None
        if who.staff:
            abort(404)
        if request.method not in ("GET", "HEAD") or page.live:
            abort(401)
        return redirect(url_for("login", next=wanted_page(app, request.path)))


def _add_entrances(app: Flask, rules: LoginRules) -> None:

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
        token = session_token()
        _forget()  # also where the staff file cannot be written
        if token is not None:
            rules.staff.end_session(token)
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
    name, password = request.form.get("name", ""), request.form.get("password", "")
    account = rules.staff.account(name)
    counted = name_key(name), request.remote_addr or "", _mark(account)
    page = partial(render_template, "people/login.html", wanted=wanted, name=name)
    if not token_is_right():
        return page(problem="login.stale"), 400
    wait_s = math.ceil(rules.attempts.begin(*counted))
    if wait_s:
        answer = Response(page(problem="login.slow", seconds=wait_s), 429)
        answer.headers["Retry-After"] = str(wait_s)
        return answer
    fitted = rules.staff.password_fits(account, password)
    if fitted and account is not None:
        with suppress(OrderRefusedError):
            _begin_session(rules, account, fitted)
            rules.attempts.right(*counted)
            return redirect(wanted or url_for("hall"), 303)
    return page(problem="login.wrong"), 401


def _mark(account: StaffAccount | None) -> str | None:
    """The mark of a browser that has entered this account before."""
    marks = session.get(DEVICES)
    return marks.get(str(account.identity)) if account is not None and isinstance(marks, dict) else None


def _accept(rules: LoginRules, token: str, invited: StaffAccount) -> ResponseReturnValue:
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


def _begin_session(rules: LoginRules, account: StaffAccount, fitted: str | None = None) -> None:
    """Begin a session with a new token in place of the browser's, and mark the browser as known to this account."""
    ended, begun = session.get(SESSION), rules.staff.begin_session(account, rules.now_s(), fitted)
    if isinstance(ended, str):
        rules.staff.end_session(ended)
    _forget()
    session[SESSION] = begun
    session[DEVICES] = {**session.get(DEVICES, {}), str(account.identity): secrets.token_urlsafe(12)}


def _forget() -> None:
    """Empty the cookie except for the language and the accounts that this browser has entered."""
    kept = {key: session[key] for key in (LANGUAGE, DEVICES) if key in session}
    session.clear()
    session.update(kept)
