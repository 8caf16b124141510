"""A random path-traced table: the tiles at its slots, its look, and the arms in each frame. The same number gives the same table. Tiles lie
as on the simulator's trial tables late in a hand, but come from one set's wall."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
from msgspec.structs import replace
from numpy.random import Generator

from benchmarks.rendered.arms import Colour, TracedArm, drawn_arm
from benchmarks.rendered.camera import OverheadCamera
from benchmarks.rendered.looks import Kind, TracedLook, drawn_look
from simulator.cameras.optics import FOREIGN
from simulator.scene import BACK, LaidTile
from tests.support.simulator.table_trials import lay_tiles
from twinwall.art.mat import Mat, Slot
from twinwall.game.tiles import ALL_TILES
from twinwall.values import frozen

FRAMES = 4
_COPIES, _FLOWERS = 4, 8
_OFF_MM, _ASKEW_DEG = 3.0, 6.0
_LEAST_RIVER, _LEAST_MELDS = 14, 2
"""It is late in the hand, since a frame costs the same with few tiles."""


@frozen
class TracedMoment:
    """One exposure: the camera, the arms over the table, and the seed of its noise."""

    camera: OverheadCamera
    arms: tuple[TracedArm, ...]
    seed: int


@frozen
class TracedTable:
    """The table of a number."""

    number: int
    look: TracedLook
    laid: Mapping[Slot, LaidTile]
    moments: tuple[TracedMoment, ...]

    @property
    def name(self) -> str:
        """The name of its folder."""
        return f"{self.number:02d}-{self.look.kind}-{self.design}"

    def generator(self) -> Generator:
        """Return the generator for the faces of its set, then its cloth."""
        return np.random.default_rng((self.number, 29))

    @property
    def design(self) -> str:
        """The set's name: tiles drawn or photographed."""
        return "photographed" if self.look.finish.photographed else "drawn"


def traced_table(number: int, mat: Mat, *, frames: int = FRAMES) -> TracedTable:
    """Return the table of a number: kinds alternate, and so do drawn and photographed faces."""
    kinds = tuple(Kind)
    kind = kinds[number % len(kinds)]
    photographed = (number + number // len(kinds)) % 2 == 1
    rng = np.random.default_rng((number, 23))
    look = drawn_look(kind, rng, photographed=photographed)
    has_flowers = not photographed and rng.random() < 0.6
    tiles = lay_tiles(mat, rng, _OFF_MM, _ASKEW_DEG, least_river=_LEAST_RIVER, least_melds=_LEAST_MELDS)
    laid = from_a_wall(tiles, rng, flowers=has_flowers)
    return TracedTable(number, look, laid, tuple(_moments(look, rng, frames)))


def table_of(folder: Path, mat: Mat, *, frames: int = FRAMES) -> TracedTable | None:
    """Return the table of our own in this folder; None for another."""
    number = folder.name.split("-")[0]
    table = traced_table(int(number), mat, frames=frames) if number.isascii() and number.isdigit() else None
    return table if table is not None and table.name == folder.name else None


def from_a_wall(laid: Mapping[Slot, LaidTile], rng: Generator, *, flowers: bool) -> dict[Slot, LaidTile]:
    """Give the tiles faces of one set: four of each kind, and flowers if the rule has them; backs stay. Tiles for which the set has none
    left are dropped."""
    wall = [tile.text for tile in ALL_TILES for _ in range(_COPIES)] + [FOREIGN] * (_FLOWERS if flowers else 0)
    faces = iter(rng.permutation(wall).tolist())
    dealt = ((slot, tile, next(faces, None)) for slot, tile in laid.items())
    return {slot: tile if tile.face == BACK else replace(tile, face=face) for slot, tile, face in dealt if face is not None}


def _moments(look: TracedLook, rng: Generator, count: int) -> Iterable[TracedMoment]:
    """Yield the frames: the camera moves a little in each, and one or two people reach to other places."""
    people: list[int] = []
    if look.kind in (Kind.ARMS, Kind.SLEEVE):
        people = rng.permutation(4)[: int(rng.integers(1, 3))].tolist()
    sleeve: Colour | None = look.weave.ground if look.kind is Kind.SLEEVE else None
    for _ in range(count):
        arms = tuple(drawn_arm(rng, place, sleeve) for place in people)
        yield TracedMoment(look.camera.moved(rng), arms, int(rng.integers(2**31)))
