"""Sizes and times of the reference table, and the faults of a run, with what a settings file may say of them."""

from typing import Annotated

from config.reading import SettingKey
from firmware_bridge.electrics.wired_machine import MachineSizes
from twinwall.values import frozen

FASTEST = 1000.0
"""Upper limit of the machine's speed: beyond it, times are shorter than what a clock tells apart."""
MOST_CELLS = 16
"""Bypass cells of all gates together."""


def _tiles(says: str) -> SettingKey:
    return SettingKey(says, pattern=r"[1-9][mps]|[ESWNCFP]", shape='a list of tiles such as ["1m", "E"]')


@frozen
class MechanicsSettings(MachineSizes):
    """The feeder's machine; the defaults are the reference table's."""

    speed: Annotated[float, SettingKey("Divides the machine's times and nothing else.", 0.1, 1000.0)] = 1.0
    tray_places: Annotated[int, SettingKey("Places of a seat's tray, spares included.", 27, 40)] = 37
    wall_places: Annotated[int, SettingKey("Places of a seat's wall.", 27, 40)] = 34
    wall_tiles: int | None = None
    """Tiles of a seat's wall by the rules that are played; None where they fill its places."""
    rear_tiles: bool = False
    """Whether shared tiles lie in the places behind the rear gates, so that all places of a wall are filled."""
    hand_places: Annotated[int, SettingKey("Places open to the player.", 1, 40)] = 13
    bypass_cells: Annotated[int, SettingKey("Cells for tiles that fit nowhere yet.", 0, 16)] = 4
    shuttle_queue: Annotated[int, SettingKey("Tiles that may wait before a shuttle.", 1, 8)] = 2
    row_places: Annotated[int, SettingKey("Tiles that wait in a row between the drum and the gate.", 1, 16)] = 3
    two_high: Annotated[bool, SettingKey("Whether walls are stacked in two rows.")] = True
    gates: Annotated[int, SettingKey("Gates at which tiles come up.", 1, 4)] = 1
    exchangers: Annotated[int, SettingKey("Exchangers that carry tiles between gates; 0 with one gate.", 0, 4)] = 0
    pocket_places: Annotated[int, SettingKey("Tiles that wait for an exchanger at each gate; 0 with one gate.", 0, 8)] = 0
    shuttles: Annotated[int, SettingKey("Shuttles of a seat.", 1, 2)] = 1
    gate_period_s: Annotated[float, SettingKey("From tile to tile at the gate, at least.", 0.05, 10.0)] = 0.60
    gate_slide_s: Annotated[float, SettingKey("From the gate being clear to the next tile lying still in it, at least.", 0.0, 10.0)] = 0.15
    gate_clear_s: Annotated[float, SettingKey("From the diverter's start until the window is empty.", 0.0, 10.0)] = 0.10
    divert_s: Annotated[float, SettingKey("From the diverter's start until the tile has left it.", 0.0, 10.0)] = 0.25
    recirculate_s: Annotated[float, SettingKey("From the diverter's start until the tile is back in the drum.", 0.0, 10.0)] = 0.50
    catches_per_tile_s: Annotated[
        float, SettingKey("A drum with n tiles catches the next n times as fast as this, per second.", 0.01, 100.0)
    ] = 1.0
    catches_per_s: Annotated[float, SettingKey("Most tiles that the drum gives a second.", 0.1, 1000.0)] = 1000.0
    pick_s: Annotated[float, SettingKey("A shuttle takes a tile up.", 0.0, 10.0)] = 0.30
    drop_s: Annotated[float, SettingKey("A shuttle sets a tile down.", 0.0, 10.0)] = 0.30
    return_s: Annotated[float, SettingKey("The belts bring a returned tile from its mouth to the gate.", 1.0, 4.0)] = 2.5
    cell_release_s: Annotated[float, SettingKey("A bypass cell lets its tile go.", 0.0, 10.0)] = 0.30
    loosen_s: Annotated[float, SettingKey("A stuck part is moved to and fro once.", 0.0, 60.0)] = 2.0
    dump_s: Annotated[float, SettingKey("A tray is emptied into the drum.", 0.0, 60.0)] = 1.5
    raise_s: Annotated[float, SettingKey("Trays rise into the magazines.", 0.0, 60.0)] = 3.0
    door_s: Annotated[float, SettingKey("The well's door opens or closes.", 0.0, 60.0)] = 0.5
    exchange_s: Annotated[float, SettingKey("An exchanger takes a tile to another gate's seat and comes back.", 0.01, 60.0)] = 0.55
    home_s: Annotated[float, SettingKey("All shuttles find their ends.", 0.0, 60.0)] = 1.0
    tile_width_mm: Annotated[float, SettingKey("Width of a tile.", 15.0, 45.0)] = 26.0
    width_noise_mm: Annotated[float, SettingKey("Spread of the width that the gate measures.", 0.0, 5.0)] = 0.1
    turned_share: Annotated[float, SettingKey("Share of tiles that come upside down.", 0.0, 1.0)] = 0.5
    offset_limit_mm: Annotated[float, SettingKey("How far from the middle of the window a tile may lie.", 0.0, 10.0)] = 0.6
    angle_limit_deg: Annotated[float, SettingKey("How far a tile may be turned in the window.", 0.0, 45.0)] = 1.5

    def __post_init__(self) -> None:
        if not 0 < self.speed <= FASTEST:
            raise ValueError(f"speed is {self.speed}, but must be above 0 and at most {FASTEST}")
        if self.wall_tiles is not None and not self.hand_places < self.wall_tiles <= self.wall_places:
            raise ValueError(f"a wall of {self.wall_tiles} tiles must be longer than the hand and find room in wall_places")
        if not self.hand_places <= self.wall_places <= self.tray_places <= 40:
            raise ValueError("places must rise from hand_places over wall_places to tray_places, 40 at most")
        if not 1 <= self.gates <= 4 or self.shuttles not in (1, 2):
            raise ValueError(f"a table has from one to four gates and a seat one or two shuttles, not {self.gates} and {self.shuttles}")
        if (self.gates > 1) is not (self.exchangers > 0 and self.pocket_places > 0):
            raise ValueError("several gates need exchangers and pocket_places, and one gate has no use for them")
        if self.gates > 1 and self.gates * self.bypass_cells > MOST_CELLS:
            raise ValueError(f"{self.gates} gates with {self.bypass_cells} bypass cells each: the line tells of {MOST_CELLS} at most")


@frozen
class FaultPlan:
    """What goes wrong in this run.

    ``missing``, ``extra`` and ``foreign`` concern the set that is in the drum to begin with.
    """

    unread: Annotated[float, SettingKey("Chance that a showing cannot be read.", 0.0, 1.0)] = 0.01
    jam: Annotated[float, SettingKey("Chance that a tile sticks on its way through the diverter.", 0.0, 1.0)] = 0.0
    jam_needs_hand: Annotated[float, SettingKey("Share of those that no reversing frees.", 0.0, 1.0)] = 0.1
    double_feed: Annotated[float, SettingKey("Chance that a second tile slides into the gate with one.", 0.0, 1.0)] = 0.0
    face_down: Annotated[float, SettingKey("Chance that a tile comes to lie with its back to the camera.", 0.0, 1.0)] = 0.0
    shuttle: Annotated[float, SettingKey("Chance that a shuttle stalls on its way with a tile.", 0.0, 1.0)] = 0.0
    missing: Annotated[tuple[str, ...], _tiles("Tiles that the set in the drum lacks.")] = ()
    extra: Annotated[tuple[str, ...], _tiles("Tiles that it has too many.")] = ()
    foreign: Annotated[int, SettingKey("Tiles of no kind among it, such as flowers.", 0, 8)] = 0
    box_missing: Annotated[tuple[str, ...], _tiles("Tiles that the set in the box lacks.")] = ()
    swapped: Annotated[tuple[str, ...], _tiles("Tiles of which each set has one of the other's.")] = ()
    lost_in_hand: Annotated[
        int, SettingKey("The hand after which a tile falls under the table when the tiles are pushed in; 0 for none.", 0, 16)
    ] = 0
    lost_is_found: Annotated[bool, SettingKey("Whether a player who looks for that tile finds it.")] = True

    def __post_init__(self) -> None:
        for name in ("unread", "jam", "jam_needs_hand", "double_feed", "face_down", "shuttle"):
            chance = getattr(self, name)
            if not 0 <= chance <= 1:
                raise ValueError(f"{name} is a chance from 0 to 1, not {chance}")
        if self.foreign < 0:
            raise ValueError(f"foreign is a number of tiles, not {self.foreign}")


REFERENCE_FAULTS = FaultPlan(unread=0.01, jam=1 / 2000, double_feed=1 / 500, face_down=1 / 300, shuttle=1 / 3000)
"""The reference table's faults per tile. A jam is as frequent as in the physics model's chute, a shuttle's no rarer than there in mouth
and take (``hardware/README.md``, "What came out"); the others are assumed."""
