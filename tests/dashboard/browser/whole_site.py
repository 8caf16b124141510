"""A hall with everything that a director's evening needs: no event at first, tables that have joined, and vaults."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from flask import Flask

from dashboard.app import HallLinks, create_app, create_start_app
from dashboard.assignments import HallTables
from dashboard.custody.key_slips import KeySlips
from dashboard.events_folder import EventsFolder
from dashboard.hall_requests import DemoRequest
from dashboard.pages.events.event_choice import EventChoice
from dashboard.prints.pdf_writer import write_pdf
from dashboard.web_settings import WebSettings
from tests.dashboard.browser.conftest import Site
from tests.support.dashboard.custody.vaults import CommittingVaults
from tests.support.dashboard.desks import MemoryDesk
from tests.support.dashboard.hall import OPEN
from tests.support.wire.assignments import HALL_SERVER
from twinwall.event.field import EventField
from twinwall.event.results import EntrantKind
from twinwall.event.store.programme import Programme
from twinwall.game.deals import StartedPlan
from twinwall.wire.messages.assignment import HallStage, JoinedTable, write_joined_table
from twinwall.wire.messages.signing import Counter, Signer
from twinwall.wire.mqtt.topics import HallChannel, HallTopic

TABLES = ("1", "2", "3", "4")


def _now() -> datetime:
    return datetime.now(UTC)


class WholeSite(Site):
    """A site that begins with no event; begun in the browser, an event is served at once, in place of the start page."""

    def __init__(
        self, folder: Path, desk: MemoryDesk | None = None, readiness: str | None = None, phones: str = "http://127.0.0.1:1"
    ) -> None:
        """``readiness`` and ``phones`` are the addresses of these servers; nobody answers at that of the phones unless it is said."""
        self.folder, self.readiness, self.phones = folder, readiness, phones
        self.events = EventsFolder(folder / "events", TABLES, lambda name: Programme(name, EventField(EntrantKind.INDIVIDUAL, ())))
        self.demo = DemoRequest(folder / "events")
        self.tables = HallTables(HALL_SERVER, Counter(lambda: 1), folder / "assignments", _now, lambda: 0.0)
        self.vaults = CommittingVaults(self._started)
        self._served, self._going = OPEN, lambda: True
        super().__init__(desk=desk or MemoryDesk())
        self.join()

    def begin(self, name: str) -> None:
        self.events.begin(name, _now(), None)
        self._restart()

    def join(self, *tables: str) -> None:
        """These tables say that they are there; without a name, every table of the hall."""
        for name in tables or TABLES:
            identity = Signer(name, name.encode() * 32)
            beat = JoinedTable(name, _now(), "0.1.0", identity.public.hex(), HallStage.WAITING)
            self.tables.hear(str(HallTopic(name, HallChannel.WAITING)), write_joined_table(identity, beat))

    def new_app(self, settings: WebSettings, alive: Callable[[], bool]) -> Flask:
        names, keys = self.folder / "names.json", {"server": "ab" * 32}
        settings = replace(OPEN, signer=HALL_SERVER, names=names, vault_keys=keys, phones=self.phones, readiness=self.readiness)
        self._served, self._going = settings, alive
        opened = self.events.opened()
        choice = EventChoice(self.events, _now, None, self._restart, demo=self.demo)
        if opened is None:
            return create_start_app(replace(settings, event=""), self.staff, choice)
        self.settings = replace(settings, event=opened.name)
        return create_app(
            self.settings,
            self.views,
            self.desk,
            self.staff,
            HallLinks(
                alive=alive,
                send=self._send,
                key_slips=KeySlips(opened.name),
                events=choice,
                hall_tables=self.tables,
                deals=self.vaults,
                write_pdf=write_pdf,
            ),
        )

    def _restart(self) -> None:
        self.app = self.new_app(self._served, self._going)

    def _started(self, started: StartedPlan) -> None:
        self.desk.hall.set_programme(replace(self.desk.hall.programme, custody=started))
