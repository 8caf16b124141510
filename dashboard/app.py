"""The dashboard's Flask application: login, pages and rulings over a hall's views. ``create_app`` opens no connection and starts no thread,
so a test can give it views and send requests. ``dashboard.pages.page_routes`` has the pages; ``dashboard.serving`` runs it for real. Every
application has cookies, languages, the login and ``/alive``, with or without an event."""

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from flask import Flask, Response, current_app, request, session

from dashboard.access.access_policy import AccessPolicy
from dashboard.access.api_tokens import token_sent
from dashboard.access.login import API, LoginRules, add_login, choose_language, form_token, reader_words, viewer
from dashboard.access.login_attempts import LoginAttempts
from dashboard.access.page_table import ASSETS, NAVIGATION, PAGES
from dashboard.access.seat_codes import seat_code
from dashboard.access.staff_file import StaffFile
from dashboard.actions.rulings import Send
from dashboard.api.api_routes import add_api, add_no_event
from dashboard.api.operations import ApiHall
from dashboard.api.webhooks import Webhooks
from dashboard.assignments import HallTable, HallTables
from dashboard.custody.deal_making import DealMaking
from dashboard.custody.key_slips import KeySlips
from dashboard.custody.tile_draw import TileDraw
from dashboard.hall_requests import RehearsalFile
from dashboard.i18n.words import NATIVE_NAMES, Values
from dashboard.metrics import HallCollector, add_metrics
from dashboard.pages.deals.decisions import add_decisions
from dashboard.pages.events.deal_routes import add_deals
from dashboard.pages.events.event_choice import EventChoice, add_event_choice
from dashboard.pages.events.session_routes import HallOfTables, add_sessions, add_table_choice, table_rows
from dashboard.pages.hall.ready_routes import ReadyOffice, add_readiness
from dashboard.pages.hall.recording_routes import add_recording
from dashboard.pages.page_routes import Pages, add_errors, add_pages
from dashboard.pages.people.key_slip_routes import add_key_slips
from dashboard.pages.people.phone_routes import add_phones
from dashboard.pages.people.seat_routes import SeatPages, add_seats
from dashboard.pages.people.staff_routes import add_staff
from dashboard.pages.people.table_orders import add_table_orders
from dashboard.pages.players.player_pages import add_players
from dashboard.pages.prints.print_routes import PrintOffice, add_prints
from dashboard.pages.rendering import Now
from dashboard.pages.replay.replay_page import add_overlays, add_replays
from dashboard.pages.rulings.history_routes import add_history
from dashboard.pages.rulings.ruling_routes import add_rulings
from dashboard.pages.setup.setup_frame import SetupPages
from dashboard.pages.setup.setup_routes import add_setup
from dashboard.pages.trust.trust_routes import add_trust
from dashboard.prints.press import PrintPress, run_writer
from dashboard.projections.hall_views import HallViews
from dashboard.readiness.local_servers import TablePhones, TableReadiness
from dashboard.session_control import SessionControl
from dashboard.web_app import LOOPBACK_NAMES, site_address, web_app
from dashboard.web_settings import WebSettings
from twinwall.event.deal_state import tile_readings
from twinwall.event.drawn_tiles import TilesRead
from twinwall.event.player_names import PlayerNames
from twinwall.event.store.store_writer import StoreWriter
from twinwall.game.documents import write_time
from twinwall.values import frozen
from twinwall.wire.messages.assignment import TableKind

NOT_ON_EVERY_PAGE: Mapping[str, object] = {"fragments": {}, "wanted": "", "here": "", "failed_parts": ()}
"""Defaults of values that only some pages have: a template may use no field that its page lacks."""
COOKIE_S = 365 * 24 * 3600
"""A browser keeps its cookie (language, and accounts that it has entered) for this time after the last change. The staff file ends
sessions."""
TLS_ALONE_S = 30 * 24 * 3600
"""For this time a browser that used TLS here uses nothing else."""


def plain_app(
    settings: WebSettings,
    staff: StaffFile,
    desk: StoreWriter | None,
    *,
    now: Now,
    monotonic_s: Callable[[], float] = time.monotonic,
    listening: Callable[[], bool] = lambda: True,
) -> tuple[Flask, LoginRules]:
    """Every application's cookies, languages, login and ``/alive``; ``desk`` is that of the open event."""
    app = web_app(
        _answered_names(settings),
        SECRET_KEY=settings.secret,
        SESSION_COOKIE_NAME="twinwall",
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Strict",
        SESSION_COOKIE_SECURE=settings.over_tls,
        PERMANENT_SESSION_LIFETIME=COOKIE_S,
        # Sent only when it changes: a late answer to the page before would undo what the browser just received.
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
        health = "alive" if listening() else "the listener has stopped: start the dashboard again"
        return Response(f"{health}\n", 200 if health == "alive" else 503, mimetype="text/plain")

    rules = LoginRules(staff, LoginAttempts(monotonic_s, settings.secret), now, settings.spectators)
    add_login(app, rules)
    return app, rules


def _answered_names(settings: WebSettings) -> tuple[str, ...]:
    """The accepted host names, against foreign pages that point their own name at our loopback; empty for any."""
    loopback = settings.host in ("localhost", "::1") or settings.host.startswith("127.")
    name = urlsplit(settings.address or "").hostname
    return (name, *LOOPBACK_NAMES) if name else (LOOPBACK_NAMES if loopback else ())


def _hold_to_tls(response: Response) -> Response:
    response.headers["Strict-Transport-Security"] = f"max-age={TLS_ALONE_S}"
    return response


def _add_words(app: Flask, settings: WebSettings, desk: StoreWriter | None, now: Now) -> None:
    @app.before_request
    def keep_language() -> None:
        if request.endpoint in ASSETS or request.blueprint == API:
            return
        if not session.permanent:
            session.permanent = True
        choose_language()

    @app.context_processor
    def common() -> Values:
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
    """Whether this application has a page that its reader may open."""
    roles = PAGES[endpoint].audience.roles
    return endpoint in current_app.view_functions and (roles is None or not roles.isdisjoint(viewer().roles))


@frozen
class HallLinks:
    """What the server gives the application besides views and desk.

    Attributes:
        alive: whether streams should continue; asked every second.
        listening: whether the views are still being filled; ``/alive`` answers 503 if not.
        send: sends rulings to the tables.
        key_slips: sends requests for journals' keys to the vaults.
        events: lets directors open another event of the hall; None if the settings name the one event.
        hall_tables: the tables that have joined the hall and play their assignments.
        deals: the vaults that make the event's deals by order; None if the settings name plan and start, or without vaults.
        store_file: the store's file, to measure its size; None if it is in a database server.
        write_pdf: makes a PDF file from a page; by default in a process of its own.
    """

    alive: Callable[[], bool] = lambda: True
    listening: Callable[[], bool] = lambda: True
    send: Send = lambda _table, _command: False
    key_slips: KeySlips | None = None
    events: EventChoice | None = None
    hall_tables: HallTables | None = None
    deals: DealMaking | None = None
    store_file: Path | None = None
    write_pdf: Callable[[str], bytes] = run_writer

    def joined(self) -> tuple[HallTable, ...]:
        return () if self.hall_tables is None else self.hall_tables.all_tables()

    def kinds(self) -> Mapping[str, TableKind] | None:
        """The kinds that the tables report; None if the settings say which tables play."""
        return None if self.hall_tables is None else {table.name: table.heartbeat.kind for table in self.joined()}

    def tile_readings(self) -> tuple[TilesRead, ...]:
        """The readings of tiles drawn for the public value."""
        return () if self.deals is None else tile_readings(self.deals.state)


ALONE = HallLinks()
"""An application without tables and vaults."""


def create_app(
    settings: WebSettings,
    views: HallViews,
    desk: StoreWriter,
    staff: StaffFile,
    links: HallLinks = ALONE,
    *,
    now: Now = lambda: datetime.now(UTC),
    monotonic_s: Callable[[], float] = time.monotonic,
) -> Flask:
    """The application over a hall's views, the event's desk and its staff."""
    app, rules = plain_app(settings, staff, desk, now=now, monotonic_s=monotonic_s, listening=links.listening)
    event = settings.event
    policy = AccessPolicy(views, desk, now, settings.public_names, settings.names)
    control = _control(settings, desk, policy, links)
    ready = _ready_office(settings, desk, links)
    draw = _tile_draw(settings, desk, links, ready)
    code = partial(seat_code, settings.secret, event)
    webhooks = Webhooks(staff, event, rules.now_s)
    hall = ApiHall(policy, desk, links.send, webhooks, settings.rehearsal, control, links.deals, links.joined, draw)
    # Metrics time every request to what is added after them.
    add_metrics(app, HallCollector(hall, now, links.store_file), lambda: token_sent(staff, event, rules.now_s()), monotonic_s)
    add_api(app, hall, staff, event, rules.now_s, secret=settings.secret, boot=views.boot)
    pages = Pages(policy, now, links.alive, rules.is_open)
    add_pages(app, pages)
    add_rulings(app, pages, links.send)
    add_staff(app, policy, rules, event)
    add_seats(app, SeatPages(pages, links.send, event, code, monotonic_s))
    if links.key_slips is not None:
        add_key_slips(app, policy, links.key_slips)
    if settings.signer is not None:
        add_table_orders(app, policy, staff, settings.signer, event)
    if ready is not None:
        add_readiness(app, ready)
        add_recording(app, ready)
    if settings.phones is not None:
        add_phones(app, TablePhones(settings.phones))
    for add in (add_players, add_replays, add_decisions, add_history):
        add(app, policy)
    add_overlays(app, policy, now)
    add_prints(app, PrintOffice(policy, code, PrintPress(links.write_pdf), links.kinds))
    add_trust(app, policy, links.tile_readings, settings.vault_keys, signed=settings.keys is not None)
    setup = SetupPages(policy, links.kinds, control)
    add_setup(app, setup)
    add_sessions(app, setup)
    rehearsal = RehearsalFile(links.events.folder.path) if links.events is not None and settings.rehearsal else None
    add_table_choice(app, setup, HallOfTables(settings.tables, links.joined, rehearsal))
    add_deals(app, setup, links.deals, draw)
    if links.events is not None:
        choice = replace(links.events, managed=lambda: desk.event, names=partial(_director_names, policy))
        add_event_choice(app, choice, at_home=False)
    return app


def _control(settings: WebSettings, desk: StoreWriter, policy: AccessPolicy, links: HallLinks) -> SessionControl | None:
    """Informs tables and vaults of a director's change; None if tables have their sessions in their own settings."""
    tables, hall = links.hall_tables, desk.hall
    if tables is None:
        return None
    control = SessionControl(tables, lambda: hall.programme.custody, settings.vault_keys, links.deals, links.send, hall.is_paused)
    policy.carry_out, policy.problem = control.carry_out, control.problem
    tables.heard = lambda table: control.table_heard(desk.event, table)
    return control


def _ready_office(settings: WebSettings, desk: StoreWriter, links: HallLinks) -> ReadyOffice | None:
    """The tables of this computer, for directors to get ready."""
    if settings.readiness is None:
        return None
    phones = None if settings.phones is None else TablePhones(settings.phones)
    return ReadyOffice(TableReadiness(settings.readiness), phones, links.joined, lambda: desk.event)


def _tile_draw(settings: WebSettings, desk: StoreWriter, links: HallLinks, ready: ReadyOffice | None) -> TileDraw:

    def tables() -> tuple[str, ...]:
        return tuple(row.name for row in table_rows(settings.tables, links.joined(), desk.event) if row.chosen)

    hall = links.hall_tables
    return TileDraw(tables, joined=hall) if ready is None else TileDraw(tables, ready.readiness, ready.may_show_hands, hall)


def _director_names(policy: AccessPolicy) -> PlayerNames:
    desk = policy.director_desk(viewer())
    return PlayerNames() if desk is None else desk.names


def create_start_app(settings: WebSettings, staff: StaffFile, events: EventChoice) -> Flask:
    """The application of a hall without an open event: login, and the page on which a director begins or opens one."""
    app, _rules = plain_app(settings, staff, None, now=events.now)
    add_event_choice(app, events, at_home=True)
    add_no_event(app)
    add_errors(app, "events.none")
    return app
