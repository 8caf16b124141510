"""Set-up of a demo (``set_up_demo``): ports, passwords, and one settings file for each process. The simulated tables of a hall that one
command serves: some with machine, cameras and players, the others without physics."""

import secrets
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

import config
from cli.demo.choices import HOST, Choices
from cli.demo.custody import EVENT, DemoCustody
from cli.demo.people import DemoGroup, Places, names_of
from cli.demo.supervisor import Process, Supervisor, answers, process_with
from cli.hall.hall_folder import HallFolder
from cli.usage import PRIVATE, write_file
from config.services import BrokerSection, DashboardSection, EventSection
from controller.device_settings import CameraSection, FeederSection, GateCameraSection, TableCameraSection, VisionSection
from controller.settings import (
    BuildSection,
    ClockSection,
    HandsSection,
    LedgerSection,
    RecorderSection,
    RulesSection,
    SeatsSection,
    TableSection,
    TableSettings,
)
from simulator.mechanics import MechanicsSettings
from simulator.panel import fake
from simulator.settings import CamerasSection, CamerasSettings, PlayersSection, PlayersSettings, WorldSection, WorldSettings
from tableside.station.settings import StationCameraSection, StationSection, StationSettings
from twinwall.free_ports import free_ports
from twinwall.values import frozen
from twinwall.wire.mqtt.access import SALT_BYTES, SERVER_USER, AccessFiles, table_user, write_access_files

PI_REVISION = "d04170"
"""The board that the simulated pins pretend to be (a Pi 5)."""
STORE = "event.sqlite"
"""The event's store, in the demo's folder."""
_FeederSizes = TypeVar("_FeederSizes", MechanicsSettings, FeederSection)

Starting = tuple[tuple[Process, Callable[[], bool]], ...]
"""Processes that start side by side, each with what says that it is ready."""


def with_gates(section: _FeederSizes, gates: int) -> _FeederSizes:
    """The settings of machine and controller for a number of gates: from three on two exchangers and two shuttles a seat keep up with
    them."""
    if gates == 1:
        return section
    many = 2 if gates > 2 else 1
    return replace(section, gates=gates, exchangers=many, pocket_places=2, shuttles=many)


def set_up_demo(
    folder: Path, choices: Choices, custody: DemoCustody, groups: tuple[DemoGroup, ...], staff: Path
) -> "tuple[tuple[Starting, ...], tuple[DemoTableSite, ...]]":
    """Write all settings files below ``folder``; return what is to be started one after the other, and the tables. ``staff`` is the file
    of those who may enter."""
    seated = {name: players for group in groups for name, players in group.tables.items()}
    broker_port, cameras_port, *table_ports = free_ports(2 + 2 * len(seated))
    passwords = {name: secrets.token_urlsafe(24) for name in (SERVER_USER, *custody.vaults, *seated)}
    access = write_access_files(folder, EVENT, passwords, {name: secrets.token_bytes(SALT_BYTES) for name in passwords}, custody.vaults)
    site = DemoSite(folder, choices, custody, f"mqtt://{HOST}:{broker_port}", f"http://{HOST}:{cameras_port}", passwords)
    ports = zip(table_ports[::2], table_ports[1::2], strict=True)
    tables = tuple(DemoTableSite(site, *table, *own) for table, own in zip(seated.items(), ports, strict=True))
    for table in tables:
        table.write()
    vaults = tuple((custody.vault(vault, site.mqtt(vault)), partial(custody.is_open, vault)) for vault in custody.vaults)
    phases: tuple[Starting, ...] = (
        ((site.broker(broker_port, access), answers(broker_port)), *vaults),
        (
            (_dashboard(site, custody, groups, staff), answers(choices.port)),
            (site.cameras(tables, cameras_port), answers(cameras_port)),
            (site.worlds(tables), lambda: all(answers(table.world_port)() for table in tables)),
        ),
        tuple((table.station, table.feeder_link.exists) for table in tables if choices.by_hand),
        ((site.players(tables), lambda: True), *((table.controller, (table.ledger / "events.jsonl").exists) for table in tables)),
    )
    return phases, tables


@frozen
class DemoSite:
    """What all processes of the hall share."""

    folder: Path
    choices: Choices
    custody: DemoCustody | HallFolder
    broker_url: str
    cameras_url: str
    passwords: dict[str, str]

    def mqtt(self, name: str) -> config.MqttSettings:
        """A process's way to the broker, its password in a file of its own."""
        user = name if name in (SERVER_USER, *self.custody.vaults) else table_user(name)
        file = self.folder / f"{user}.password"
        file.touch(mode=0o600)
        file.write_text(self.passwords[name] + "\n")
        return config.MqttSettings(self.broker_url, user, file)

    def broker(self, port: int, access: AccessFiles) -> Process:
        settings = config.BrokerSettings(BrokerSection(access.passwords, access.rights, HOST, port))
        return process_with(self.folder, "broker", ("hall", "broker"), settings)

    def cameras(self, tables: "Sequence[DemoTableSite]", port: int) -> Process:
        settings = CamerasSettings(CamerasSection(_worlds(tables), self.choices.seed, port, self.choices.gates))
        return process_with(self.folder, "cameras", ("table", "simulate", "cameras"), settings)

    def worlds(self, tables: "Sequence[DemoTableSite]") -> Process:
        files = (str(table.folder / "world.toml") for table in tables)
        return Process("worlds", ("table", "simulate", "world", "--settings", *files), restartable=False)

    def players(self, tables: "Sequence[DemoTableSite]") -> Process:
        choices = self.choices
        settings = PlayersSettings(PlayersSection(_worlds(tables), choices.rules, choices.seed, choices.speed))
        return process_with(self.folder, "players", ("table", "simulate", "players"), settings)


def _dashboard(site: DemoSite, custody: DemoCustody, groups: tuple[DemoGroup, ...], staff_file: Path) -> Process:
    """The dashboard; tables that make no group of teams are compared player by player."""
    page = DashboardSection(staff_file, site.folder / "dashboard.secret", HOST, site.choices.port, signing_key=custody.server_key_file)
    players, of_teams = site.folder / "players.json", all(group.teams for group in groups)
    write_file(players, names_of(groups).document, PRIVATE, force=True)
    event = EventSection(
        EVENT,
        tuple(name for group in groups for name in group.tables),
        site.folder / STORE,
        plan=None if custody.imported else custody.plan_file,
        start=None if custody.imported else custody.start_file,
        vault_key=custody.vault_key,
        players=players,
        names="full",
        kind="team" if of_teams else "individual",
        teams=tuple(team for group in groups for team in group.teams) if of_teams else (),
    )
    return process_with(site.folder, "dashboard", ("hall", "dashboard"), config.DashboardSettings(page, site.mqtt(SERVER_USER), event))


def _worlds(tables: "Sequence[DemoTableSite]") -> tuple[str, ...]:
    """Each table's name and where its world answers, as the settings of cameras and players have it."""
    return tuple(f"{table.name} {table.world_url}" for table in tables)


@frozen
class DemoTableSite:
    """One table: its processes, and where its things lie."""

    site: DemoSite
    name: str
    players: Places
    world_port: int
    station_port: int

    @property
    def folder(self) -> Path:
        return self.site.folder / f"table-{self.name}"

    @property
    def world_url(self) -> str:
        """Where the simulated world answers."""
        return f"http://{HOST}:{self.world_port}"

    @property
    def station_url(self) -> str:
        """Where the station's screen is, if walls are built by hand."""
        return f"http://{HOST}:{self.station_port}" if self.site.choices.by_hand else ""

    @property
    def feeder_link(self) -> Path:
        return self.folder / "feeder"

    @property
    def ledger(self) -> Path:
        """Folder of journal, public events and records."""
        return self.folder / "ledger"

    def record(self, session: int, hand: int) -> Path:
        """Where the controller leaves the record of a hand."""
        return self.ledger / "records" / f"session-{session:02d}-hand-{hand:02d}.json"

    @property
    def controller(self) -> Process:
        """The controller, which finds the simulated panel as its GPIO pins."""
        pins = {"PYTHONPATH": str(Path(fake.__file__).parent), "RPI_LGPIO_REVISION": PI_REVISION, "TWINWALL_PANEL": str(self._panel_file)}
        return self._process("table", "table", "run", environment=pins)

    @property
    def station(self) -> Process:
        return self._process("station", "table", "station")

    def write(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        choices = self.site.choices
        world = WorldSection(
            self.name,
            self._panel_file,
            self.feeder_link,
            choices.seed,
            self.world_port,
            choices.rules,
            choices.first_hand,
            firmware=choices.firmware,
            staff=choices.staff,
            disturb=choices.disturb,
            disturb_once=choices.disturb_once,
            station=self.station_url,
        )
        machine = replace(with_gates(MechanicsSettings(), choices.gates), speed=choices.speed)
        config.write(self.folder / "world.toml", WorldSettings(world, machine, choices.faults))
        config.write(self.folder / "table.toml", self.settings())
        if choices.by_hand:
            station = StationSection(self.feeder_link, self.folder / "station.json", self.station_port, ledger=self.ledger)
            camera = StationCameraSection(f"{self._camera_url}/gate.jpg", look_interval_s=0.01 if choices.fast else 0.04)
            config.write(self.folder / "station.toml", StationSettings(station, camera))

    def _process(self, part: str, *words: str, environment: dict[str, str] | None = None) -> Process:
        return Process(f"table-{self.name}-{part}", (*words, "--settings", str(self.folder / f"{part}.toml")), environment or {})

    @property
    def _panel_file(self) -> Path:
        return self.folder / "panel"

    @property
    def _camera_url(self) -> str:
        return f"{self.site.cameras_url}/{self.name}"

    def settings(self) -> TableSettings:
        choices, custody = self.site.choices, self.site.custody
        return TableSettings(
            table=TableSection(self.name, self.site.custody.event, kind="guided" if choices.by_hand else "feeder"),
            feeder=with_gates(FeederSection(str(self.feeder_link)), choices.gates),
            camera=CameraSection(
                GateCameraSection(f"{self.station_url or self._camera_url}/gate.jpg"),
                TableCameraSection(f"{self._camera_url}/table.jpg", 0.02 if choices.fast else 0.1),
                other_gates=tuple(f"{self._camera_url}/gate-{gate}.jpg" for gate in range(1, choices.gates)),
            ),
            mqtt=self.site.mqtt(self.name),
            deals=custody.table_deals,
            custody=custody.table_custody(self.name),
            ledger=LedgerSection(self.ledger),
            seats=SeatsSection(self.players),
            hands=HandsSection(1, 1, choices.hands),
            rules=RulesSection(choices.rules),
            vision=VisionSection(gate_frames=1 if choices.fast else 2),
            build=BuildSection(drum_empty_s=1.0 if choices.fast else 8.0),
            clock=ClockSection(self.world_url),
            recorder=RecorderSection(choices.recorder),
        )


FAST_LEDGERS = 8.0
"""How many times as fast as people tables without physics play with ``--fast``: they keep step with those that have machines, and the
broker with sixteen of them."""
_PLACEHOLDERS = ("1", "2", "3", "4")
"""Who sits there is assigned by the hall."""


def start_tables(
    supervisor: Supervisor, hall: HallFolder, choices: Choices, machines: int, *, speed: float | None = None, real: Collection[str] = ()
) -> None:
    """Start tables that join the hall: the first ``machines`` of them with feeder, cameras and players, the others without physics.
    ``speed`` is how many times as fast as people these others play; None for what the choices and the machines call for. ``real`` are
    tables at which people play."""
    cameras_port, *worlds = free_ports(1 + machines)
    site = DemoSite(hall.folder, choices, hall, f"mqtt://{HOST}:{hall.broker_port}", f"http://{HOST}:{cameras_port}", hall.passwords())
    others = [name for name in hall.tables[machines:] if name not in real]
    if others:
        speed = speed or (FAST_LEDGERS if choices.fast else 1.0)
        supervisor.start((_ledger_tables(site, hall, others, speed), lambda: True))
    if not machines:
        return
    tables = tuple(DemoTableSite(site, name, _PLACEHOLDERS, world, 0) for name, world in zip(hall.tables, worlds, strict=False))
    for table in tables:
        table.write()
    supervisor.start(
        (site.cameras(tables, cameras_port), answers(cameras_port)),
        (site.worlds(tables), lambda: all(answers(table.world_port)() for table in tables)),
    )
    supervisor.start((site.players(tables), lambda: True), *((table.controller, lambda: True) for table in tables))


def _ledger_tables(site: DemoSite, hall: HallFolder, names: Sequence[str], speed: float) -> Process:
    """The process of the tables without physics; their journals lie in memory, and are gone with the demo."""
    files = []
    for name in names:
        settings = DemoTableSite(site, name, _PLACEHOLDERS, 0, 0).settings()
        settings = replace(settings, ledger=LedgerSection(hall.memory / f"ledger-{name}"), clock=ClockSection())
        files.append(hall.folder / f"ledger-table-{name}.toml")
        config.write(files[-1], settings)
    words = ("table", "simulate", "tables", *map(str, files), "--seed", str(site.choices.seed), "--speed", str(speed))
    return Process("ledger-tables", words)
