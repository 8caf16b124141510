"""Tables without a machine that have joined a hall: each takes assignments from the server, as any other table does. Some play by
themselves, without physics; at those without cameras people enter the scores. One process runs them all; every table has two connections to
the broker and a thread of its own."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version

from cli.ledger_tables.ledger_table import LedgerPlay, LedgerTable, NoAdapters, serve_alone
from cli.table.joined_table import assigned_settings, kept_assignments
from cli.table.mqtt_connection import table_link
from cli.table.table import UNUSABLE, assembled
from config import SettingsError
from controller.adapters.hall_member import HallMember
from controller.adapters.journal_keys import JournalKeyRequest
from controller.ledger.publisher import Publisher
from controller.settings import TableSettings
from controller.state.table_state import Setup
from twinwall.wire.messages.assignment import TableKind
from twinwall.wire.messages.signing import read_signer

Play = Callable[[LedgerTable, Setup, Publisher], None]
"""Serves a table until it has to stop, or to leave and no hand is in play."""


def played_by_itself(seed: int, speed: float) -> Play:
    """Its hands are played in memory."""
    return lambda table, setup, publisher: LedgerPlay(table, setup, seed, speed).run(publisher)


def played_on_paper(table: LedgerTable, _setup: Setup, publisher: Publisher) -> None:
    """People play it, and enter the scores on their phones."""
    serve_alone(table, publisher)


class JoinedLedgerTable:
    """One table, from ``start`` to ``stop``; it plays one assignment after the other."""

    def __init__(self, settings: TableSettings, play: Play) -> None:
        """``play`` serves the table. Raises DocumentError for files of the table that cannot be used."""
        custody = settings.custody
        if custody.identity is None or custody.server_key is None or not settings.table.is_assigned:
            raise SettingsError(
                f"table {settings.table.name}: its settings name an event: only tables that join a hall run without a machine"
            )
        self._settings, self._play = settings, play
        self._member = HallMember(
            read_signer(settings.table.name, custody.identity),
            bytes.fromhex(custody.server_key),
            version("twinwall"),
            lambda: (),
            kept_assignments(settings),
            now=partial(datetime.now, UTC),
            kind=TableKind(settings.table.kind),
        )
        self._stopping = threading.Event()
        self._playing: LedgerTable | None = None
        self._asking: JournalKeyRequest | None = None
        self._thread = threading.Thread(target=self._run, name=f"table {settings.table.name}", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Leave it; returns when the journal is closed."""
        self._stopping.set()
        self._member.stop()
        for each in (self._playing, self._asking):
            if each is not None:
                each.stop()
        self._thread.join()

    def _run(self) -> None:
        with closing(table_link(self._settings, self._member, self._member.subscriptions)) as link:
            link.start()
            self._member.start(link)
            while (assignment := self._member.next()) is not None:
                try:
                    self._serve(assigned_settings(self._settings, assignment))
                except UNUSABLE as error:
                    self._member.cannot_play(f"session {assignment.session} of {assignment.event!r} cannot be played here: {error}")

    @contextmanager
    def _waiting(self, request: JournalKeyRequest) -> Iterator[None]:
        self._asking = request
        try:
            with self._member.asking_key(request.stop):
                yield
        finally:
            self._asking = None

    def _serve(self, settings: TableSettings) -> None:
        """Play an assignment until another one is due."""
        with assembled(settings, NoAdapters(), LedgerTable, self._waiting) as whole:
            if whole is None:
                return
            self._playing = whole.table
            self._member.plays(whole.table)
            if self._stopping.is_set():  # stopped while the table was put together
                whole.table.stop()
            with closing(table_link(settings, whole.publisher, whole.publisher.subscriptions)) as link:
                link.start()
                whole.publisher.link = link
                self._play(whole.table, whole.setup, whole.publisher)
            self._playing = None


def play_until(tables: Sequence[JoinedLedgerTable], stop: threading.Event) -> None:
    """Run tables until ``stop`` is set."""
    for table in tables:
        table.start()
    stop.wait()
    for table in tables:
        table.stop()
