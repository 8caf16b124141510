"""Serves the dashboard with gunicorn: one process with many threads, the reverse proxy before and the listener beside it.

One process, because one writes to the event's store. Many threads, because each open page holds one for
its stream. Store and listener are opened in the serving process after gunicorn has forked it.
"""

from __future__ import annotations

import ctypes
import os
import resource
import secrets
import shutil
import signal
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Protocol
from wsgiref.types import WSGIApplication

from flask import Flask
from gunicorn.app.base import BaseApplication
from gunicorn.errors import AppImportError
from jinja2 import Environment
from werkzeug.middleware.proxy_fix import ProxyFix

from dashboard.access.access_policy import SPECTATOR, AccessPolicy
from dashboard.access.staff_file import StaffFile
from dashboard.access.staff_schema import StaffFileError
from dashboard.api.news import news_of
from dashboard.api.webhook_sender import WebhookSender
from dashboard.api.webhooks import Webhooks
from dashboard.app import HallLinks, WebSettings, create_app, create_start_app, current_words
from dashboard.assignments import HallTables
from dashboard.centre_link import CentreLink, VenueServer
from dashboard.custody.deal_making import DealMaking
from dashboard.custody.key_slips import KeySlips
from dashboard.cycle_collector import collect_seldom
from dashboard.demo_request import DemoRequest
from dashboard.events_folder import EventsFolder
from dashboard.hall_intake import ListenerClock
from dashboard.listening import HallListener
from dashboard.pages.events.event_choice import EventChoice
from dashboard.projections.store import Store
from dashboard.reverse_proxy.proxy_server import BACKLOG, ProxySettings, ReverseProxy
from dashboard.reverse_proxy.request_sorting import RequestSorter
from twinwall.event.player_names import NamesShown
from twinwall.event.store.databases.addresses import StoreAddress
from twinwall.event.store.databases.port import StoreError
from twinwall.event.store.lines_again import lines_again
from twinwall.event.store.programme import Programme, ProgrammeError
from twinwall.event.store.store_loading import DamagedStoreError, check_digests
from twinwall.event.store.store_rows import StoreRows
from twinwall.event.store.store_writer import StoreWriter
from twinwall.wire.certificates import CertificateError, server_tls
from twinwall.wire.line_traces import open_traces
from twinwall.wire.messages.announced_keys import AnnouncedKeys
from twinwall.wire.messages.commands import CommandWriter
from twinwall.wire.messages.signing import Counter, KeyFileError, Signer

MOST_FILES = 8192
STOP_S = 4
"""How long open streams may take to end; they ask every second."""
COMPILE_AFTER_S = 20.0
"""The first pages of a server that begins are not to wait for templates that are not needed yet."""
_PR_SET_PDEATHSIG = 1


class ListenError(RuntimeError):
    """The address of the pages cannot be listened on; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """Where the event is stored, and what it is."""

    address: StoreAddress
    programme: Programme
    records: Path | None = None
    """The file outside the store by which missing records are known."""

    def open(self, signer: Signer | None = None) -> StoreWriter:
        """Open the store for writing; ``signer`` signs what staff do. Raises StoreError, ProgrammeError and DamagedStoreError."""
        return StoreWriter(self.address, self.programme, datetime.now(UTC), signer, self.records)

    def check(self, signer: Signer | None = None) -> None:
        """Find out whether it could be opened, as far as that is done at once; raises what ``open`` does."""
        rows = StoreRows(self.address, self.programme, datetime.now(UTC), patience_s=STOP_S, signer=signer)
        try:
            check_digests(rows.contents())
        finally:
            rows.close()


class _WebWorker(Protocol):
    """What is asked of gunicorn's worker: whether it still serves, and which process made it."""

    alive: bool
    ppid: int


class WebServer(BaseApplication):
    """gunicorn around one dashboard."""

    def __init__(self, settings: WebSettings, event: StoredEvent | EventsFolder, front: ProxySettings) -> None:
        """``event`` is the one that is served, or the folder whose open event is; ``front`` is the reverse proxy through which all
        requests come, which begins with the serving process."""
        self._settings = settings
        self._behind = front.behind
        self._proxy = ReverseProxy(front)
        self._event = event
        self._worker: _WebWorker | None = None
        self._sorter: RequestSorter | None = None
        self._let_go: Callable[[], None] = _nothing_to_let_go
        super().__init__()

    def load_config(self) -> None:
        """gunicorn's settings; everything else stays as gunicorn has it."""
        for name, value in {
            "bind": f"unix:{self._behind}",
            "worker_class": "gthread",
            "workers": 1,
            "threads": self._settings.limits.threads,
            "worker_connections": 2 * self._settings.limits.threads,
            "forwarder_headers": "",
            "graceful_timeout": STOP_S,
            "loglevel": "warning",
            "proc_name": "twinwall-dashboard",
            "control_socket_disable": True,
            "post_worker_init": self._serving,
            "worker_exit": self._ended,
        }.items():
            self.cfg.set(name, value)

    def load(self) -> WSGIApplication:
        """The application, with its listener started; called once, in the serving process."""
        try:
            staff = StaffFile(self._settings.staff)
            asked, stored = _opened(self._settings, self._event)
            choice = self._choice()
            if stored is None:
                assert choice is not None
                self._let_go = staff.close
                return self._fronted(create_start_app(asked, staff, choice), staff)
            return self._event_app(asked, stored, staff, choice)
        except (KeyFileError, StaffFileError, StoreError, ProgrammeError, DamagedStoreError) as error:
            raise AppImportError(f"twinwall: {error}") from error

    def _event_app(self, asked: WebSettings, stored: StoredEvent, staff: StaffFile, choice: EventChoice | None) -> WSGIApplication:
        """The application of an event, with its listener started. Raises what ``StoredEvent.open`` does, and KeyFileError."""
        counter = Counter(lambda: time.time_ns() // 1_000_000, asked.counter)
        desk = stored.open(asked.signer)
        deals, hall_tables = _deal_making(asked, desk), _hall_tables(asked)
        key_slips = None if asked.keys is None else KeySlips(asked.event)
        store = Store(secrets.token_hex(8), asked.tables)
        store.restore(desk.found, desk.hall.released_deals())
        listener = HallListener(
            store,
            desk,
            asked.broker,
            asked.credentials,
            ListenerClock(lambda: datetime.now(UTC), time.monotonic),
            commands=CommandWriter(asked.event, asked.signer, counter, lambda: secrets.token_hex(8)),
            keys=asked.keys,
            hall_tables=hall_tables,
            deals=deals,
            key_slips=key_slips,
            centre=_centre_link(asked, stored, desk, store),
            traces=open_traces("twinwall-dashboard", asked.event),
        )
        links = HallLinks(
            alive=lambda: self._worker is None or self._worker.alive,
            listening=lambda: listener.is_alive,
            send=listener.send,
            key_slips=key_slips,
            events=choice,
            hall_tables=hall_tables,
            deals=deals,
            store_file=stored.address if isinstance(stored.address, Path) else None,
        )
        self._listen(listener, _webhook_sender(asked, store, desk, staff), desk, staff)
        app = create_app(asked, store, desk, staff, links)
        compiling = threading.Timer(COMPILE_AFTER_S, _compile_pieces, [app.jinja_env])
        compiling.daemon = True
        compiling.start()
        return self._fronted(app, staff)

    def _fronted(self, app: Flask, staff: StaffFile) -> WSGIApplication:
        """The application as the proxy hands requests to it; the proxy knows them by its routes and sessions."""
        words = partial(current_words, self._settings.language)
        self._sorter = RequestSorter(app, words, lambda token: staff.session(token, _now_s(), used=False) is not None)
        return ProxyFix(app, x_for=1, x_proto=1, x_host=0)

    def _listen(self, listener: HallListener, sender: WebhookSender, desk: StoreWriter, staff: StaffFile) -> None:
        """Begin to hear the tables and to send news; all of it ends with the serving process."""
        listener.start()
        sender.start()

        def let_go() -> None:
            sender.close()
            listener.close()
            desk.close()
            staff.close()

        self._let_go = let_go

    def _choice(self) -> EventChoice | None:
        """How another event is opened; None where the settings name the one event."""
        if isinstance(self._event, StoredEvent):
            return None
        return EventChoice(
            self._event, lambda: datetime.now(UTC), self._settings.signer, _end_this_process, demo=DemoRequest(self._event.path)
        )

    def _serving(self, worker: _WebWorker) -> None:
        self._worker = worker
        _end_with_parent(worker.ppid)
        _allow_many_files()
        collect_seldom()
        assert self._sorter is not None
        self._proxy.start(self._sorter)

    def _ended(self, _server: object, _worker: _WebWorker) -> None:
        """Close the store: until then a part of it lies in a second file, which a copy of the store would leave behind."""
        self._proxy.close()
        self._let_go()


def _opened(settings: WebSettings, event: StoredEvent | EventsFolder) -> tuple[WebSettings, StoredEvent | None]:
    """The event that is served now, with the settings of its pages; None for it where none is open."""
    if isinstance(event, StoredEvent):
        return settings, event
    opened = event.opened()
    if opened is None:
        return settings, None
    stored, vault_key = StoredEvent(opened.store, event.programme(opened), opened.records), next(iter(settings.vault_keys.values()), None)
    keys = settings.keys if vault_key is None else AnnouncedKeys(opened.name, bytes.fromhex(vault_key))
    return replace(settings, event=opened.name, tables=event.tables, names=opened.names, counter=opened.counter, keys=keys), stored


def _compile_pieces(templates: Environment) -> None:
    """Compile the templates of the live pages before a result is waited for: those of a released deal take a third of a second."""
    for name in templates.list_templates(filter_func=lambda name: name.startswith("pieces/")):
        templates.get_template(name)


def _end_this_process() -> None:
    """End the serving process; gunicorn's own starts another, which serves the event that is open then."""
    os.kill(os.getpid(), signal.SIGTERM)


def _hall_tables(settings: WebSettings) -> HallTables | None:
    """The tables that have joined the hall, where the server signs assignments."""
    if settings.signer is None or settings.assignments is None:
        return None
    settings.assignments.mkdir(parents=True, exist_ok=True)
    counter = Counter(lambda: time.time_ns() // 1_000_000, settings.assignments / "counter")
    folder, now = settings.assignments, partial(datetime.now, UTC)
    return HallTables(settings.signer, counter, folder, now, time.monotonic, rehearsal=settings.rehearsal)


def _deal_making(settings: WebSettings, desk: StoreWriter) -> DealMaking | None:
    """The vaults that take the server's orders, where there are any."""
    if settings.signer is None or not settings.vault_keys:
        return None
    counter = Counter(lambda: time.time_ns() // 1_000_000, settings.vault_counter)
    keys = {holder: bytes.fromhex(key) for holder, key in settings.vault_keys.items()}
    return DealMaking(desk, keys, settings.signer, counter, now=lambda: datetime.now(UTC), monotonic_s=time.monotonic)


def _centre_link(settings: WebSettings, stored: StoredEvent, desk: StoreWriter, store: Store) -> CentreLink | None:
    """The end of this hall towards a centre of many venues, where the settings name the venue."""
    if settings.venue is None:
        return None
    vault_key = settings.keys.vault_key if isinstance(settings.keys, AnnouncedKeys) else None
    server = VenueServer(settings.venue, settings.signer, vault_key, version("twinwall"))

    def tell(sentence: str) -> None:
        store.tell_staff(sentence, datetime.now(UTC))

    return CentreLink(server, lambda: desk.programme, partial(lines_again, stored.address), time.monotonic, tell=tell, keys=settings.keys)


def _now_s() -> int:
    return int(time.time())


def _webhook_sender(settings: WebSettings, store: Store, desk: StoreWriter, staff: StaffFile) -> WebhookSender:
    """What sends news to the event's webhooks: as everybody may see the hall, without names."""
    scope = AccessPolicy(store, desk, lambda: datetime.now(UTC), NamesShown.NUMBER, None).results(SPECTATOR)
    return WebhookSender(Webhooks(staff, settings.event, _now_s), scope, lambda: news_of(scope, desk.steps), _now_s)


def _nothing_to_let_go() -> None:
    """Before the application is loaded there is no store to close."""


def _end_with_parent(parent: int) -> None:
    """End the serving process with gunicorn's own, even when that is killed outright: it would keep the port (Linux)."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)


def _allow_many_files() -> None:
    """Let this process have as many connections as the proxy's limits allow: each takes up to three descriptors."""
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard if hard != resource.RLIM_INFINITY and hard < MOST_FILES else MOST_FILES, hard))


def _listen(host: str, port: int) -> socket.socket:
    """Listen at the address of the pages; the serving process inherits the socket."""
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET, backlog=BACKLOG)
    except OSError as problem:
        reason = problem.strerror or str(problem)
        raise ListenError(
            f"port {port} of {host} cannot be listened on ({reason}): end what holds it, or set another host or port"
        ) from problem


def serve(settings: WebSettings, event: StoredEvent | EventsFolder) -> None:
    """Serve until SIGTERM or SIGINT; the process then exits. ``event`` is the one event, or the folder of those that directors make.

    Raises:
        ListenError: when the port cannot be served.
        StoreError: when the event's store cannot be opened.
        ProgrammeError: when the store is another event's.
        DamagedStoreError: when what it holds was changed.
    """
    try:
        tls = None if settings.certificate is None else server_tls(*settings.certificate)
    except CertificateError as problem:
        raise ListenError(str(problem)) from problem
    with _listen(settings.host, settings.port) as listening:
        _asked, stored = _opened(settings, event)
        if stored is not None:
            stored.check(settings.signer)
        folder, parent = Path(tempfile.mkdtemp(prefix="twinwall-pages-")), os.getpid()
        front = ProxySettings(listening, str(folder / "gunicorn.sock"), settings.limits, settings.proxies, tls, settings.over_tls)
        try:
            WebServer(settings, event, front).run()
        finally:
            if os.getpid() == parent:  # the serving process comes by here too when it ends
                shutil.rmtree(folder, ignore_errors=True)
