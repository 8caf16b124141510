"""Tables without a computer or feeder of their own. At guided ones phones are their cameras and keys, people build the walls as a station
says. Controller and station of each run on the hall's computer, and one server of phones for all of them. Of paper tables, which have no
cameras, one process on the hall's computer keeps the scores; people build the walls from sheets. In rehearsals tables are simulated beside
real ones, as directors choose on the page of the tables. A simulated table is a controller without machine and people: its ledgers are
real, its hands are played in memory."""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeAlias

import config
from cli.demo.choices import HOST
from cli.demo.supervisor import Process, ProcessDiedError, Supervisor, answers, process_with
from cli.hall.hall_folder import HallFolder
from cli.hall.set_profiles import SETS, profile_file, with_profiles
from config.phones import PhonesSection
from controller.device_settings import CameraSection, FeederSection, GateCameraSection, PanelSection, TableCameraSection
from controller.settings import AuditSection, LedgerSection, TableSection, TableSettings
from dashboard.hall_requests import RehearsalFile, RehearsedTables
from tableside.station.settings import StationCameraSection, StationSection, StationSettings
from twinwall.event.store.databases.port import StoreError
from twinwall.wire.messages.assignment import TableKind

_NOTHING = "/dev/null"
"""Where a form asks for a feeder and cameras that such a table does not have."""


def paper_process(hall: HallFolder, names: Sequence[str], now: datetime) -> Process:
    """The process that keeps the scores of a hall's tables on paper; certificates that are lacking are made."""
    hall.issue_tables(names, now)
    files = {name: hall.folder / f"paper-table-{name}.toml" for name in names}
    for name, file in files.items():
        config.write(file, without_machine(hall, name, TableKind.PAPER, hall.folder / f"table-{name}" / "ledger"))
    return Process("paper-tables", ("hall", "paper", *map(str, files.values())))


def without_machine(hall: HallFolder, name: str, kind: TableKind, ledger: Path) -> TableSettings:
    """Settings of a table of the hall that has neither feeder nor cameras; ``ledger`` is the folder of its journal."""
    return TableSettings(
        table=TableSection(name, hall.event, hall.mode, kind=kind.value),
        feeder=FeederSection(_NOTHING),
        camera=CameraSection(GateCameraSection(f"files:{_NOTHING}/gate"), TableCameraSection(f"files:{_NOTHING}/table")),
        mqtt=hall.mqtt(name),
        deals=hall.table_deals,
        custody=hall.table_custody(name),
        ledger=LedgerSection(ledger),
    )


Profiles: TypeAlias = tuple[tuple[Path, int], ...]
"""The profiles of a table that are there, each with the time of its last change."""


@dataclass(slots=True)
class GuidedTables:
    """The guided tables of a hall; ``phones_port`` is where phones come, ``station_ports`` where the stations' screens are."""

    hall: HallFolder
    names: tuple[str, ...]
    phones_port: int
    station_ports: Sequence[int]
    _profiles: dict[str, Profiles] = field(default_factory=dict)
    """Those that each controller was started with."""

    @property
    def local_port(self) -> int:
        """Where this computer's programs find the phones."""
        return _port(self.hall.phones)

    def screens(self) -> dict[str, str]:
        """Each table's screen for its builder."""
        return {name: f"http://{HOST}:{port}/" for name, port in zip(self.names, self.station_ports, strict=True)}

    def start(self, supervisor: Supervisor, now: datetime) -> None:
        """Start all processes; certificates that are lacking are made."""
        for process, ready in self.processes(now):
            supervisor.start((process, ready))
        self._profiles = {name: self._found_profiles(name) for name in self.names}

    def processes(self, now: datetime) -> Iterator[tuple[Process, Callable[[], bool]]]:
        """The phones' server, then each table's station and controller, and the readiness, each with what tells that it has started;
        their settings are written, and certificates made that are lacking."""
        self.hall.issue_tables(self.names, now)
        yield self._phones(), answers(self.local_port)
        for name, port in zip(self.names, self.station_ports, strict=True):
            yield self._station(name, port), answers(port)
            yield self._controller(name), lambda: True
        readiness = _port(self.hall.readiness)
        settings = [str(self.hall.folder / f"table-{name}.toml") for name in self.names]
        words = ("hall", "readiness", *settings, "--port", str(readiness))
        yield Process("readiness", words), answers(readiness)

    def look(self, supervisor: Supervisor) -> None:
        """Start a controller again when a set of its table was enrolled; that is done between events alone."""
        for name in self.names:
            found = self._found_profiles(name)
            if found != self._profiles[name]:
                self._profiles[name] = found
                self._controller(name)
                supervisor.restart(f"table-{name}")

    def _phones(self) -> Process:
        hall = self.hall
        certificate, key = hall.browsers_certificate or (None, None)
        section = PhonesSection(
            self.names,
            hall.folder / "phones.json",
            stations=tuple(self.station_ports),
            host=hall.host,
            port=self.phones_port,
            local_port=self.local_port,
            certificate=certificate,
            certificate_key=key,
            mode=hall.mode,
        )
        return process_with(self.hall.folder, "phones", ("table", "phones", "serve"), config.PhonesSettings(section))

    def _station(self, name: str, port: int) -> Process:
        folder = self._folder(name)
        phones, memory = self._phones_of(name), folder / "station.json"
        section = StationSection(folder / "feeder", memory, port, ledger=folder / "ledger", phones=phones, mode=self.hall.mode)
        settings = StationSettings(section, StationCameraSection(f"{phones}/gate.jpg"))
        return process_with(self.hall.folder, f"table-{name}-station", ("table", "station"), settings)

    def _controller(self, name: str) -> Process:
        return process_with(self.hall.folder, f"table-{name}", ("table", "run"), with_profiles(self._table(name)))

    def _table(self, name: str) -> TableSettings:
        """The settings of a table's controller, but for its profiles."""
        folder, phones = self._folder(name), self._phones_of(name)
        station_port = self.station_ports[self.names.index(name)]
        return replace(
            without_machine(self.hall, name, TableKind.GUIDED, folder / "ledger"),
            feeder=FeederSection(str(folder / "feeder")),
            camera=CameraSection(GateCameraSection(f"http://{HOST}:{station_port}/gate.jpg"), TableCameraSection(f"{phones}/table.jpg")),
            audit=AuditSection(share=0.0),
            panel=PanelSection(enabled=False, phones=phones),
        )

    def _phones_of(self, name: str) -> str:
        return f"{self.hall.phones}/{name}"

    def _found_profiles(self, name: str) -> Profiles:
        settings = self._table(name)
        files = [profile_file(settings, which) for which in SETS]
        return tuple((file, file.stat().st_mtime_ns) for file in files if file.exists())

    def _folder(self, name: str) -> Path:
        folder = self.hall.folder / f"table-{name}"
        folder.mkdir(parents=True, exist_ok=True)
        return folder


def _port(address: str | None) -> int:
    """The port of an address of this hall's own servers."""
    return int((address or "").rpartition(":")[2])


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
