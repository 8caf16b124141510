"""Sizes and times of the reference table, and the faults of a run."""

from __future__ import annotations

from dataclasses import dataclass

FASTEST = 1000.0
"""Upper limit of the machine's speed: beyond it, times are shorter than what a clock tells apart."""
MOST_CELLS = 16
"""Bypass cells of all gates together."""


@dataclass(frozen=True, slots=True)
class MechanicsSettings:
    """Sizes and times of the machine; the defaults are the reference table's.

    ``speed`` divides the machine's times and nothing else: at 24 the gate's period of 0.60 s
    lasts 25 ms.
    """

    speed: float = 1.0
    tray_places: int = 37
    wall_places: int = 34
    wall_tiles: int | None = None
    """Tiles of a seat's wall by the rules that are played; None where they fill its places."""
    rear_tiles: bool = False
    """Whether shared tiles lie in the places behind the rear gates, so that all places of a wall are filled."""
    hand_places: int = 13
    bypass_cells: int = 4
    shuttle_queue: int = 2
    row_places: int = 3
    """Tiles that wait in a row between the drum and the gate."""
    two_high: bool = True
    gates: int = 1
    """From one to four, each with a row before it, a diverter, bypass cells and a reject cell."""
    exchangers: int = 0
    pocket_places: int = 0
    """Tiles that wait for an exchanger at each gate."""
    shuttles: int = 1
    """Of a seat: one that begins at the tray's end, or two that begin in its middle."""

    gate_period_s: float = 0.60
    """From tile to tile at the gate, at least."""
    gate_slide_s: float = 0.15
    """From the gate being clear to the next tile lying still in it, at least."""
    gate_clear_s: float = 0.10
    """From the diverter's start until the window is empty."""
    divert_s: float = 0.25
    """From the diverter's start until the tile is in a chute, a cell or the reject cell."""
    recirculate_s: float = 0.50
    catches_per_tile_s: float = 1.0
    """A drum with n tiles catches the next one n times as fast as this, at random."""
    pick_s: float = 0.30
    drop_s: float = 0.30
    cell_release_s: float = 0.30
    loosen_s: float = 2.0
    """A stuck part is moved to and fro once."""
    dump_s: float = 1.5
    raise_s: float = 3.0
    door_s: float = 0.5
    exchange_s: float = 0.55
    """An exchanger takes a tile from a gate's pocket to a chute of another gate's seat and comes back."""
    home_s: float = 1.0

    tile_width_mm: float = 26.0
    width_noise_mm: float = 0.1
    turned_share: float = 0.5
    offset_limit_mm: float = 0.6
    angle_limit_deg: float = 1.5

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


@dataclass(frozen=True, slots=True)
class FaultPlan:
    """What goes wrong in a run: a chance per showing of a tile, tiles that the sets lack or have too many, and one that
    falls under the table. ``missing``, ``extra`` and ``foreign`` concern the set that is in the drum to begin with."""

    unread: float = 0.01
    """Chance that a tile cannot be read while it lies in the gate; a new chance at each showing."""
    jam: float = 0.0
    """Chance that a tile sticks on its way through the diverter."""
    jam_needs_hand: float = 0.1
    """Share of those that no reversing frees."""
    double_feed: float = 0.0
    """Chance that a second tile slides into the window with one from the drum."""
    face_down: float = 0.0
    """Chance that a tile from the drum comes to lie with its back to the camera."""
    shuttle: float = 0.0
    """Chance that a shuttle stalls on its way with a tile."""
    missing: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    foreign: int = 0
    box_missing: tuple[str, ...] = ()
    """Tiles that the set in the box lacks."""
    swapped: tuple[str, ...] = ()
    """Tiles of which each set has one of the other's."""
    lost_in_hand: int = 0
    """The hand after which a tile falls under the table when the tiles are pushed in; 0 for none."""
    lost_is_found: bool = True
    """Whether a player who looks for that tile finds it."""

    def __post_init__(self) -> None:
        for name in ("unread", "jam", "jam_needs_hand", "double_feed", "face_down", "shuttle"):
            chance = getattr(self, name)
            if not 0 <= chance <= 1:
                raise ValueError(f"{name} is a chance from 0 to 1, not {chance}")
        if self.foreign < 0:
            raise ValueError(f"foreign is a number of tiles, not {self.foreign}")


REFERENCE_FAULTS = FaultPlan(unread=0.01, jam=1 / 2000, double_feed=1 / 500, face_down=1 / 300, shuttle=1 / 3000)
"""The reference table's faults per tile."""
