"""Settings of the simulated world's processes: the table with its feeder, the cameras, the players.

A real table needs none of them. Times are machine time and are divided by ``mechanics.speed``; heartbeats, leases and safety times are not
settings here, because they must not be scaled.
"""

from dataclasses import field
from pathlib import Path
from typing import Annotated

from config.reading import DEFAULT_RULES, LOOPBACK, RULES, RULES_SHAPE, Port, SettingKey
from simulator.mechanics.settings import FaultPlan, MechanicsSettings
from twinwall.values import frozen

Seed = Annotated[int, SettingKey("What everything random is drawn from; the same seed gives the same run.", 0, 2**63 - 1)]
TableName = Annotated[str, SettingKey("The table's name.", pattern=r"[^\s/+#]+", shape="a text without space, /, + or #")]
_WORLD = rf"[^\s/+#]+ {LOOPBACK}"
_WORLD_SHAPE = 'a list of texts such as "1 http://127.0.0.1:8101", a name and an address'
FIRMWARE = ("core", "host", "avr")


@frozen
class WorldSection:
    """The table itself."""

    table: TableName
    panel_file: Annotated[Path, SettingKey("File through which the simulated pins are shared with the controller.")]
    feeder_link: Annotated[Path, SettingKey("Where the link to the feeder's pseudo-terminal is put.")]
    seed: Seed = 1
    port: Port = 8101
    rules: Annotated[str, SettingKey("The rule set: it says of which tiles a set is, and how long the walls are.")] = DEFAULT_RULES
    hand: Annotated[int, SettingKey("The first hand of the session: it says who is East.", 1, 16)] = 1
    station: Annotated[
        str,
        SettingKey(
            "Where the station's screen is, when there is no feeder and simulated hands do what it says.",
            pattern=r"(http://127\.0\.0\.1:\d+)?",
            shape='"http://127.0.0.1:PORT", or nothing',
        ),
    ] = ""
    staff: Annotated[bool, SettingKey("Whether somebody looks after the table when its fault lamp is lit.")] = False
    disturb: Annotated[float, SettingKey("How much people disturb: what multiplies the usual rates; 0 for not at all.", 0.0, 5.0)] = 0.0
    disturb_once: Annotated[bool, SettingKey("Whether people disturb in each way once, whatever the usual rates.")] = False
    firmware: Annotated[
        str,
        SettingKey("What drives the feeder: its firmware as a library, as a program or on an emulated board.", choices=FIRMWARE),
    ] = "core"


@frozen
class WorldSettings:
    """Settings of a simulated table: twinwall table simulate world --settings FILE"""

    world: WorldSection
    mechanics: MechanicsSettings = field(default_factory=MechanicsSettings)
    faults: FaultPlan = field(default_factory=FaultPlan)


@frozen
class CamerasSection:
    """The gate cameras and overhead cameras of simulated tables."""

    worlds: Annotated[
        tuple[str, ...],
        SettingKey(
            "Each table's name, under which its cameras answer (/NAME/gate.jpg, /NAME/table.jpg), and where its world answers.",
            pattern=_WORLD,
            shape=_WORLD_SHAPE,
        ),
    ]
    seed: Seed = 1
    port: Port = 8102
    gates: Annotated[int, SettingKey("Gates of each table; further ones answer at /NAME/gate-1.jpg and so on.", 1, 4)] = 1

    def __post_init__(self) -> None:
        _refuse_doubles(self.worlds)


@frozen
class CamerasSettings:
    """Settings of the cameras of simulated tables: twinwall table simulate cameras --settings FILE"""

    cameras: CamerasSection


@frozen
class PlayersSection:
    """Four players at each table."""

    worlds: Annotated[
        tuple[str, ...],
        SettingKey(
            "Each table's name, by which its players differ from others, and where its world answers.", pattern=_WORLD, shape=_WORLD_SHAPE
        ),
    ]
    rules: Annotated[str, SettingKey("The rule set that they play by.", pattern=RULES, shape=RULES_SHAPE)] = DEFAULT_RULES
    seed: Seed = 1
    speed: Annotated[float, SettingKey("Divides their pauses.", 0.1, 1000.0)] = 1.0

    def __post_init__(self) -> None:
        _refuse_doubles(self.worlds)


def _refuse_doubles(worlds: tuple[str, ...]) -> None:
    names = [line.split(" ", 1)[0] for line in worlds]
    doubled = [name for name in names if names.count(name) > 1]
    if doubled:
        raise ValueError(f"worlds names table {doubled[0]} more than once")


@frozen
class PlayersSettings:
    """Settings of the simulated players: twinwall table simulate players --settings FILE"""

    players: PlayersSection
