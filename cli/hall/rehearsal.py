"""Simulates tables of the hall beside real ones, as directors choose on the page of the tables; for rehearsals alone.

A simulated table is a controller without machine and people: its ledgers are real, its hands are played in memory.
"""

import logging
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import config
from cli.demo.supervisor import Process, ProcessDiedError, Supervisor
from cli.hall.guided_tables import without_machine
from cli.hall.hall_folder import HallFolder
from dashboard.hall_requests import RehearsalFile, RehearsedTables
from twinwall.event.store.databases.port import StoreError
from twinwall.wire.messages.table_kind import TableKind

_LOG = logging.getLogger(__name__)


@dataclass(slots=True)
class Rehearsal:
    """The simulated tables of a hall; ``tables`` are those that no program of this computer runs. Use as a context manager."""

    hall: HallFolder
    tables: tuple[str, ...]
    logs: Path
    speed: float = 1.0
    """How many times as fast as people the programs play."""
    _running: dict[str, Supervisor] = field(default_factory=dict)

    def __enter__(self) -> "Rehearsal":
        kept = self._file.tables().wanted
        self._file.write(RehearsedTables(self.tables, tuple(name for name in kept if name in self.tables)))
        return self

    def __exit__(self, *_: object) -> None:
        for supervisor in self._running.values():
            supervisor.stop()
        self._file.write(RehearsedTables(wanted=self._file.tables().wanted))

    def look(self) -> None:
        """Start what is wanted, end what is wanted no more, and look after the others."""
        wanted = {name for name in self._file.tables().wanted if name in self.tables}
        for name in self._running.keys() - wanted:
            self._running.pop(name).stop()
        for name in wanted - self._running.keys():
            supervisor = self._running[name] = Supervisor(self.logs)
            supervisor.start((self._process(name), lambda: True))
        for name, supervisor in list(self._running.items()):
            try:
                supervisor.look_after()
            except ProcessDiedError as died:
                _LOG.error("%s", died)
                self._give_up(name)

    def _give_up(self, name: str) -> None:
        self._running.pop(name).stop()
        try:
            self._file.write(self._file.tables().with_table(name, simulated=False))
        except StoreError as error:
            _LOG.error("%s", error)

    @property
    def _file(self) -> RehearsalFile:
        return RehearsalFile(self.hall.events)

    def _process(self, name: str) -> Process:
        hall = self.hall
        hall.issue_tables((name,), datetime.now(UTC))
        file = hall.folder / f"rehearsed-table-{name}.toml"
        config.write(file, without_machine(hall, name, TableKind.SIMULATED, hall.memory / f"rehearsal-{name}"))
        return Process(f"rehearsed-table-{name}", ("table", "simulate", "tables", str(file), "--speed", str(self.speed)))
