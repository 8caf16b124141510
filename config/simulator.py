"""Settings of the simulated world's processes: the table with its feeder, the cameras, the players.

No real table needs them. Times are the machine's own and are divided by ``mechanics.speed``; heartbeats, leases and
safety times are no settings here, because they must not be scaled.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from config.keys import SettingKey
from config.kinds import DEFAULT_RULES, LOOPBACK, RULES, RULES_SHAPE, Port

Seed = Annotated[int, SettingKey("What everything random is drawn from; the same seed gives the same run.", least=0, most=2**63 - 1)]
TableName = Annotated[str, SettingKey("The table's name.", pattern=r"[^\s/+#]+", shape="a text without space, /, + or #")]
_WORLD = rf"[^\s/+#]+ {LOOPBACK}"
_WORLD_SHAPE = 'a list of texts such as "1 http://127.0.0.1:8101", a name and an address'
FIRMWARE = ("core", "host", "avr")
_TILES = SettingKey("", pattern=r"[1-9][mps]|[ESWNCFP]", shape='a list of tiles such as ["1m", "E"]')


@dataclass(frozen=True, slots=True)
class WorldSection:
    """The table itself."""

    table: TableName
    panel_file: Annotated[Path, SettingKey("File through which the simulated pins are shared with the controller.")]
    feeder_link: Annotated[Path, SettingKey("Where the link to the feeder's pseudo-terminal is put.")]
    seed: Seed = 1
    port: Port = 8101
    rules: Annotated[str, SettingKey("The rule set: it says of which tiles a set is, and how long the walls are.")] = DEFAULT_RULES
    hand: Annotated[int, SettingKey("The first hand of the session: it says who is East.", least=1, most=16)] = 1
    station: Annotated[
        str,
        SettingKey(
            "Where the station's screen is, when there is no feeder and simulated hands do what it says.",
            pattern=r"(http://127\.0\.0\.1:\d+)?",
            shape='"http://127.0.0.1:PORT", or nothing',
        ),
    ] = ""
    staff: Annotated[bool, SettingKey("Whether somebody looks after the table when its fault lamp is lit.")] = False
    disturb: Annotated[
        float, SettingKey("How much people disturb: what multiplies the usual rates; 0 for not at all.", least=0.0, most=5.0)
    ] = 0.0
    disturb_once: Annotated[bool, SettingKey("Whether people disturb in each way once, whatever the usual rates.")] = False
    firmware: Annotated[
        str,
        SettingKey("What drives the feeder: its firmware as a library, as a program or on an emulated board.", choices=FIRMWARE),
    ] = "core"


@dataclass(frozen=True, slots=True)
class MechanicsSection:
    """The feeder's machine; the defaults are the reference table's."""

    speed: Annotated[float, SettingKey("Divides the machine's times and nothing else.", least=0.1, most=1000.0)] = 1.0
    tray_places: Annotated[int, SettingKey("Places of a seat's tray, spares included.", least=27, most=40)] = 37
    wall_places: Annotated[int, SettingKey("Places of a seat's wall.", least=27, most=40)] = 34
    hand_places: Annotated[int, SettingKey("Places open to the player.", least=1, most=40)] = 13
    bypass_cells: Annotated[int, SettingKey("Cells for tiles that fit nowhere yet.", least=0, most=16)] = 4
    shuttle_queue: Annotated[int, SettingKey("Tiles that may wait before a shuttle.", least=1, most=8)] = 2
    row_places: Annotated[int, SettingKey("Tiles that wait in a row between the drum and the gate.", least=1, most=16)] = 3
    two_high: Annotated[bool, SettingKey("Whether walls are stacked in two rows.")] = True
    gates: Annotated[int, SettingKey("Gates at which tiles come up.", least=1, most=4)] = 1
    exchangers: Annotated[int, SettingKey("Exchangers that carry tiles between gates; 0 with one gate.", least=0, most=4)] = 0
    pocket_places: Annotated[int, SettingKey("Tiles that wait for an exchanger at each gate; 0 with one gate.", least=0, most=8)] = 0
    shuttles: Annotated[int, SettingKey("Shuttles of a seat.", least=1, most=2)] = 1
    gate_period_s: Annotated[float, SettingKey("From tile to tile at the gate, at least.", least=0.05, most=10.0)] = 0.60
    gate_slide_s: Annotated[
        float, SettingKey("From the gate being clear to the next tile lying still in it, at least.", least=0.0, most=10.0)
    ] = 0.15
    gate_clear_s: Annotated[float, SettingKey("From the diverter's start until the window is empty.", least=0.0, most=10.0)] = 0.10
    divert_s: Annotated[float, SettingKey("From the diverter's start until the tile has left it.", least=0.0, most=10.0)] = 0.25
    recirculate_s: Annotated[float, SettingKey("From the diverter's start until the tile is back in the drum.", least=0.0, most=10.0)] = (
        0.50
    )
    catches_per_tile_s: Annotated[
        float, SettingKey("A drum with n tiles catches the next n times as fast as this, per second.", least=0.01, most=100.0)
    ] = 1.0
    pick_s: Annotated[float, SettingKey("A shuttle takes a tile up.", least=0.0, most=10.0)] = 0.30
    drop_s: Annotated[float, SettingKey("A shuttle sets a tile down.", least=0.0, most=10.0)] = 0.30
    cell_release_s: Annotated[float, SettingKey("A bypass cell lets its tile go.", least=0.0, most=10.0)] = 0.30
    loosen_s: Annotated[float, SettingKey("A stuck part is moved to and fro once.", least=0.0, most=60.0)] = 2.0
    dump_s: Annotated[float, SettingKey("A tray is emptied into the drum.", least=0.0, most=60.0)] = 1.5
    raise_s: Annotated[float, SettingKey("Trays rise into the magazines.", least=0.0, most=60.0)] = 3.0
    door_s: Annotated[float, SettingKey("The well's door opens or closes.", least=0.0, most=60.0)] = 0.5
    exchange_s: Annotated[float, SettingKey("An exchanger takes a tile to another gate's seat and comes back.", least=0.01, most=60.0)] = (
        0.55
    )
    home_s: Annotated[float, SettingKey("All shuttles find their ends.", least=0.0, most=60.0)] = 1.0
    tile_width_mm: Annotated[float, SettingKey("Width of a tile.", least=15.0, most=45.0)] = 26.0
    width_noise_mm: Annotated[float, SettingKey("Spread of the width that the gate measures.", least=0.0, most=5.0)] = 0.1
    turned_share: Annotated[float, SettingKey("Share of tiles that come upside down.", least=0.0, most=1.0)] = 0.5
    offset_limit_mm: Annotated[float, SettingKey("How far from the middle of the window a tile may lie.", least=0.0, most=10.0)] = 0.6
    angle_limit_deg: Annotated[float, SettingKey("How far a tile may be turned in the window.", least=0.0, most=45.0)] = 1.5


@dataclass(frozen=True, slots=True)
class FaultsSection:
    """What goes wrong in this run."""

    unread: Annotated[float, SettingKey("Chance that a showing cannot be read.", least=0.0, most=1.0)] = 0.01
    jam: Annotated[float, SettingKey("Chance that a tile sticks on its way through the diverter.", least=0.0, most=1.0)] = 0.0
    jam_needs_hand: Annotated[float, SettingKey("Share of those that no reversing frees.", least=0.0, most=1.0)] = 0.1
    double_feed: Annotated[float, SettingKey("Chance that a second tile slides into the gate with one.", least=0.0, most=1.0)] = 0.0
    face_down: Annotated[float, SettingKey("Chance that a tile comes to lie with its back to the camera.", least=0.0, most=1.0)] = 0.0
    shuttle: Annotated[float, SettingKey("Chance that a shuttle stalls on its way with a tile.", least=0.0, most=1.0)] = 0.0
    missing: Annotated[
        tuple[str, ...], SettingKey("Tiles that the set in the drum lacks.", pattern=_TILES.pattern, shape=_TILES.shape)
    ] = ()
    extra: Annotated[tuple[str, ...], SettingKey("Tiles that it has too many.", pattern=_TILES.pattern, shape=_TILES.shape)] = ()
    foreign: Annotated[int, SettingKey("Tiles of no kind among it, such as flowers.", least=0, most=8)] = 0
    box_missing: Annotated[
        tuple[str, ...], SettingKey("Tiles that the set in the box lacks.", pattern=_TILES.pattern, shape=_TILES.shape)
    ] = ()
    swapped: Annotated[
        tuple[str, ...], SettingKey("Tiles of which each set has one of the other's.", pattern=_TILES.pattern, shape=_TILES.shape)
    ] = ()
    lost_in_hand: Annotated[
        int, SettingKey("The hand after which a tile falls under the table when the tiles are pushed in; 0 for none.", least=0, most=16)
    ] = 0
    lost_is_found: Annotated[bool, SettingKey("Whether a player who looks for that tile finds it.")] = True


@dataclass(frozen=True, slots=True)
class WorldSettings:
    """Settings of a simulated table: twinwall simulate world --settings FILE"""

    world: WorldSection
    mechanics: MechanicsSection = MechanicsSection()
    faults: FaultsSection = FaultsSection()


@dataclass(frozen=True, slots=True)
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
    gates: Annotated[int, SettingKey("Gates of each table; further ones answer at /NAME/gate-1.jpg and so on.", least=1, most=4)] = 1

    def __post_init__(self) -> None:
        _refuse_doubles(self.worlds)


@dataclass(frozen=True, slots=True)
class CamerasSettings:
    """Settings of the cameras of simulated tables: twinwall simulate cameras --settings FILE"""

    cameras: CamerasSection


@dataclass(frozen=True, slots=True)
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
    speed: Annotated[float, SettingKey("Divides their pauses.", least=0.1, most=1000.0)] = 1.0

    def __post_init__(self) -> None:
        _refuse_doubles(self.worlds)


def _refuse_doubles(worlds: tuple[str, ...]) -> None:
    """Raise ValueError when two worlds have the same table's name."""
    names = [line.split(" ", 1)[0] for line in worlds]
    doubled = [name for name in names if names.count(name) > 1]
    if doubled:
        raise ValueError(f"worlds names table {doubled[0]} more than once")


@dataclass(frozen=True, slots=True)
class PlayersSettings:
    """Settings of the simulated players: twinwall simulate players --settings FILE"""

    players: PlayersSection
