"""What every application of the dashboard has, with an event or without: cookies, languages, the login and ``/alive``."""

import time
from collections.abc import Callable, Mapping
from datetime import datetime
from urllib.parse import urlsplit

from flask import Flask, Response, current_app, request, session

from dashboard.access.login import API, LoginRules, add_login, choose_language, form_token, reader_words, viewer
from dashboard.access.login_attempts import LoginAttempts
from dashboard.access.page_table import ASSETS, NAVIGATION, PAGES
from dashboard.access.staff_file import StaffFile
from dashboard.i18n.words import NATIVE_NAMES
from dashboard.web_app import LOOPBACK_NAMES, site_address, web_app
from dashboard.web_settings import WebSettings
from twinwall.event.store.store_writer import StoreWriter
from twinwall.game.documents import write_time
from twinwall.wire.messages.table_kind import TableKind

NOT_ON_EVERY_PAGE: Mapping[str, object] = {"fragments": {}, "wanted": "", "here": "", "failed_parts": ()}
"""What some pages are made with, as the others are made: a template may name no field that its page lacks."""
COOKIE_S = 365 * 24 * 3600
"""A browser keeps its cookie so long after its last change: the language, and which accounts it has entered. How long a session lasts is
the staff file's."""
TLS_ALONE_S = 30 * 24 * 3600
"""So long a browser that was here over TLS asks in no other way."""


def plain_app(
    settings: WebSettings,
    staff: StaffFile,
    desk: StoreWriter | None,
    *,
    now: Callable[[], datetime],
    monotonic_s: Callable[[], float] = time.monotonic,
    listening: Callable[[], bool] = lambda: True,
) -> tuple[Flask, LoginRules]:
    """What every application has: cookies, languages, login and ``/alive``; ``desk`` is that of the event that is open."""
    app = web_app(
        _answered_names(settings),
        SECRET_KEY=settings.secret,
        SESSION_COOKIE_NAME="twinwall",
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Strict",
        SESSION_COOKIE_SECURE=settings.over_tls,
        PERMANENT_SESSION_LIFETIME=COOKIE_S,
        # Sent when it changes alone: an answer to the page before, late, would take back what the browser just received.
        SESSION_REFRESH_EACH_REQUEST=False,
        MAX_CONTENT_LENGTH=16 * 1024,
        LANGUAGE=settings.language,
        ADDRESS=settings.address,
    )
    if settings.over_tls:
        app.after_request(_hold_to_tls)
    _add_words(app, settings, desk, now)

    @app.get("/alive")
    def alive() -> Response:
        said = "alive" if listening() else "the listener has stopped: start the dashboard again"
        return Response(f"{said}\n", 200 if said == "alive" else 503, mimetype="text/plain")

    rules = LoginRules(staff, LoginAttempts(monotonic_s, settings.secret), now, settings.spectators)
    add_login(app, rules)
    return app, rules


def _answered_names(settings: WebSettings) -> tuple[str, ...]:
    """The names that are answered to, against pages elsewhere that point a name of theirs at our loopback; empty for any."""
    loopback = settings.host in ("localhost", "::1") or settings.host.startswith("127.")
    name = urlsplit(settings.address or "").hostname
    return (name, *LOOPBACK_NAMES) if name else (LOOPBACK_NAMES if loopback else ())


def _hold_to_tls(response: Response) -> Response:
    response.headers["Strict-Transport-Security"] = f"max-age={TLS_ALONE_S}"
    return response


def _add_words(app: Flask, settings: WebSettings, desk: StoreWriter | None, now: Callable[[], datetime]) -> None:
    @app.before_request
    def keep_language() -> None:
        if request.endpoint in ASSETS or request.blueprint == API:
            return
        if not session.permanent:
            session.permanent = True
        choose_language()

    @app.context_processor
    def common() -> dict[str, object]:
        custody = None if desk is None else desk.hall.programme.custody
        simulated = settings.simulated or (desk is not None and TableKind.SIMULATED in desk.event.kinds.values())
        return {
            "words": reader_words(),
            "languages": NATIVE_NAMES,
            "form_token": form_token,
            "viewer": viewer(),
            "offers": offers,
            "navigation": [row for row in NAVIGATION if offers(row[0])],
            "entered": settings.event and (viewer().staff or settings.spectators),
            "event_name": settings.event,
            "start": "" if custody is None else custody.start.words,
            "lost": len(desk.lost) if desk is not None and viewer().staff else 0,
            "clear_text": settings.clear_text,
            "rehearsal": settings.rehearsal and simulated,
            "event_mode": not settings.rehearsal,
            "reached": urlsplit(site_address()).hostname not in LOOPBACK_NAMES,
            "server_time": write_time(now()),
            "seconds": 0,
            **NOT_ON_EVERY_PAGE,
        }


def offers(endpoint: str) -> bool:
    """Whether this application has a page, and its reader may open it."""
    roles = PAGES[endpoint].audience.roles
    return endpoint in current_app.view_functions and (roles is None or not roles.isdisjoint(viewer().roles))
