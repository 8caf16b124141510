"""Serves the dashboard: one process, with the listener beside the web server. One process, because only one may write to the event's store.
When directors choose another event, the application is made again behind the same port, and browsers wait."""

import gc
import queue
import resource
import secrets
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path

from flask import Flask
from jinja2 import Environment

from dashboard.access.access_policy import SPECTATOR, AccessPolicy
from dashboard.access.staff_file import StaffFile
from dashboard.api.webhook_sender import WebhookSender
from dashboard.api.webhooks import Webhooks, news_of
from dashboard.app import HallLinks, create_app, create_start_app
from dashboard.assignments import HallTables
from dashboard.centre_link import CentreLink, venue_statement
from dashboard.custody.deal_making import DealMaking
from dashboard.custody.key_slips import KeySlips
from dashboard.events_folder import EventsFolder
from dashboard.hall_intake import ListenerClock
from dashboard.hall_requests import DemoRequest
from dashboard.listening import HallListener
from dashboard.pages.events.event_choice import EventChoice
from dashboard.projections.hall_views import HallViews
from dashboard.request_sorting import PageSorter
from dashboard.web_settings import WebSettings
from twinwall.event.player_names import NamesShown
from twinwall.event.store.databases.port import StoreAddress
from twinwall.event.store.programme import Programme
from twinwall.event.store.store_rows import lines_again
from twinwall.event.store.store_writer import StoreWriter
from twinwall.values import frozen
from twinwall.web.web_server import BACKLOG, WebServer
from twinwall.wire.certificates import CertificateError, server_tls
from twinwall.wire.line_traces import open_traces
from twinwall.wire.messages.boot_keys import AnnouncedKeys
from twinwall.wire.messages.commands import CommandWriter
from twinwall.wire.messages.signing import Counter, Signer

MOST_FILES = 8192
STOP_S = 4
"""How long open streams may take to end; they check every second."""
COMPILE_AFTER_S = 20.0
"""Delay before unused templates are compiled, so that a new server's first pages need not wait for them."""


class ListenError(RuntimeError):
    """The pages' address cannot be used; the message says why and what to do."""


@frozen
class StoredEvent:
    """The event's programme, and the address of its store."""

    address: StoreAddress
    programme: Programme
    records: Path | None = None
    """The file outside the store that shows missing records."""

    def open(self, signer: Signer | None = None) -> StoreWriter:
        """Open the store for writing; ``signer`` signs what staff do. Raises StoreError, DocumentError and DamagedStoreError."""
        return StoreWriter(self.address, self.programme, _now(), signer, self.records, patience_s=STOP_S)


@contextmanager
def _serving(settings: WebSettings, event: StoredEvent | EventsFolder, server: WebServer, again: Callable[[], None]) -> Iterator[None]:
    """Serve one event or, without an open one, the pages on which a director begins one. ``event`` is the served one, or the folder with
    the open one; ``again`` is called when another one was chosen. Raises the same as ``serve``, except ListenError."""
    with ExitStack() as opened:  # it closes the store: before that, a part of it is in a second file, which a copy would miss
        staff = opened.enter_context(closing(StaffFile(settings.staff)))
        asked, stored = _opened(settings, event)
        choice = None
        if isinstance(event, EventsFolder):
            choice = EventChoice(event, _now, settings.signer, again, demo=DemoRequest(event.path))
        if stored is not None:
            app = _event_app(asked, stored, staff, choice, server, opened=opened)
        else:
            assert choice is not None
            app = create_start_app(asked, staff, choice)
        collect_seldom()
        server.start(app, PageSorter(app, lambda token: staff.session(token, _now_s(), used=False) is not None))
        try:
            yield
        finally:
            server.stop(STOP_S)


def _event_app(
    asked: WebSettings, stored: StoredEvent, staff: StaffFile, choice: EventChoice | None, server: WebServer, *, opened: ExitStack
) -> Flask:
    desk = opened.enter_context(closing(stored.open(asked.signer)))
    deals, hall_tables = _deal_making(asked, desk), _hall_tables(asked)
    key_slips = None if asked.keys is None else KeySlips(asked.event)
    views = HallViews(secrets.token_hex(8), asked.tables)
    views.restore(desk.found, desk.hall.released_deals())
    listener = HallListener(
        views,
        desk,
        asked.broker,
        asked.credentials,
        ListenerClock(_now, time.monotonic),
        commands=CommandWriter(asked.event, asked.signer, _counter(asked.counter), lambda: secrets.token_hex(8)),
        keys=asked.keys,
        hall_tables=hall_tables,
        deals=deals,
        key_slips=key_slips,
        centre=_centre_link(asked, stored, desk, views),
        traces=open_traces("twinwall-dashboard", asked.event),
    )
    links = HallLinks(
        alive=lambda: server.is_serving,
        listening=lambda: listener.is_alive,
        send=listener.send,
        key_slips=key_slips,
        events=choice,
        hall_tables=hall_tables,
        deals=deals,
        store_file=stored.address if isinstance(stored.address, Path) else None,
    )
    app = create_app(asked, views, desk, staff, links)
    everybody = AccessPolicy(views, desk, _now, NamesShown.NUMBER, None).results(SPECTATOR)  # receivers of news see no names
    webhooks = Webhooks(staff, asked.event, _now_s)
    for part in (listener, WebhookSender(webhooks, everybody, lambda: news_of(everybody, desk.steps), _now_s)):
        part.start()
        opened.enter_context(closing(part))
    compiling = threading.Timer(COMPILE_AFTER_S, _compile_pieces, [app.jinja_env])
    compiling.daemon = True
    compiling.start()
    opened.callback(compiling.cancel)
    return app


def _opened(settings: WebSettings, event: StoredEvent | EventsFolder) -> tuple[WebSettings, StoredEvent | None]:
    """The event to serve, with the settings of its pages; None if no event is open."""
    if isinstance(event, StoredEvent):
        return settings, event
    opened = event.opened()
    if opened is None:
        return settings, None
    stored, vault_key = StoredEvent(opened.store, event.programme(opened), opened.records), next(iter(settings.vault_keys.values()), None)
    keys = settings.keys if vault_key is None else AnnouncedKeys(opened.name, bytes.fromhex(vault_key))
    return replace(settings, event=opened.name, tables=event.tables, names=opened.names, counter=opened.counter, keys=keys), stored


def _compile_pieces(templates: Environment) -> None:
    """Compile the templates of the live pages before results are requested: those of a released deal take a third of a second."""
    for name in templates.list_templates(filter_func=lambda name: name.startswith("pieces/")):
        templates.get_template(name)


def _hall_tables(settings: WebSettings) -> HallTables | None:
    """The tables that have joined the hall, if the server signs assignments."""
    if settings.signer is None or settings.assignments is None:
        return None
    settings.assignments.mkdir(parents=True, exist_ok=True)
    counter = _counter(settings.assignments / "counter")
    return HallTables(settings.signer, counter, settings.assignments, _now, time.monotonic, rehearsal=settings.rehearsal)


def _deal_making(settings: WebSettings, desk: StoreWriter) -> DealMaking | None:
    """The vaults that take the server's orders, if there are any."""
    if settings.signer is None or not settings.vault_keys:
        return None
    keys = {holder: bytes.fromhex(key) for holder, key in settings.vault_keys.items()}
    return DealMaking(desk, keys, settings.signer, _counter(settings.vault_counter), now=_now, monotonic_s=time.monotonic)


def _centre_link(settings: WebSettings, stored: StoredEvent, desk: StoreWriter, views: HallViews) -> CentreLink | None:
    """This hall's end of the link to a centre of many venues, if the settings name the venue."""
    if settings.venue is None:
        return None
    vault_key = settings.keys.vault_key if isinstance(settings.keys, AnnouncedKeys) else None
    return CentreLink(
        partial(venue_statement, settings.venue, settings.signer, vault_key, version("twinwall")),
        lambda: desk.programme,
        partial(lines_again, stored.address),
        time.monotonic,
        tell=lambda sentence: views.tell_staff(sentence, _now()),
        keys=settings.keys,
    )


def _counter(file: Path | None) -> Counter:
    """Numbers for signed messages, by the clock and above the last number in ``file``."""
    return Counter(lambda: time.time_ns() // 1_000_000, file)


def _now() -> datetime:
    return datetime.now(UTC)


def _now_s() -> int:
    return int(time.time())


def _allow_many_files() -> None:
    """Raise this process's limit of connections as far as allowed."""
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard if hard != resource.RLIM_INFINITY and hard < MOST_FILES else MOST_FILES, hard))


def _listen(host: str, port: int) -> socket.socket:
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET, backlog=BACKLOG)
    except OSError as problem:
        reason = problem.strerror or str(problem)
        raise ListenError(
            f"port {port} of {host} cannot be listened on ({reason}): end what holds it, or set another host or port"
        ) from problem


def serve(settings: WebSettings, event: StoredEvent | EventsFolder) -> None:
    """Serve until SIGTERM or SIGINT; the process then exits. ``event`` is the one event, or the folder of those that directors make. Raises
    ListenError when the port cannot be served; StoreError when the event's store cannot be opened; DocumentError when the store is another
    event's; DamagedStoreError when its contents were changed; StaffFileError, DocumentError when the staff file or a counter's file cannot
    be used."""
    try:
        tls = None if settings.certificate is None else server_tls(*settings.certificate)
    except CertificateError as problem:
        raise ListenError(str(problem)) from problem
    orders: queue.SimpleQueue[bool] = queue.SimpleQueue()
    """Whether the server continues, with the event that is then open."""
    with _listen(settings.host, settings.port) as listening:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda _number, _frame: orders.put(False))
        _allow_many_files()
        server = WebServer(listening, settings.limits, tls=tls, over_tls=settings.over_tls, trusted=settings.proxies)
        goes_on = True
        while goes_on:
            with _serving(settings, event, server, partial(orders.put, True)):
                goes_on = orders.get()


NEW_OBJECTS = 50_000
"""New objects before the collector runs; with Python's default, 700, it takes half of the time of a large comparison."""


def collect_seldom() -> None:
    """Exclude present objects from collection, and collect new ones seldom: results are millions of objects without cycles."""
    gc.unfreeze()  # another event may have been open before
    gc.collect()
    gc.freeze()
    gc.set_threshold(NEW_OBJECTS, 20, 100)
