"""A person who enrols a tile set: lays tile after tile before the phone over the gate, and looks at the page whether each was counted.

What the phone then sees is rendered by the gate camera of the simulator, hung as it is for the people of the same table.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from playwright.sync_api import Page

from simulator.cameras.server import CameraServer, TableScenes
from simulator.cameras.source import WorldSilentError
from simulator.scene import GateScene, TableScene, WindowTile
from tests.support.phones.people import PeopleAtTable
from tests.support.phones.seen_cameras import seen_cameras
from twinwall.game.tiles import Tile

_AWAY_LOOKS = 4
"""So many pictures show the gate without a tile before the next one is laid: the table's program looks at some of them."""
_AGAIN_LOOKS = 30
"""After so many pictures in which a tile was not counted it is taken away and laid anew, as the page says."""


class TileAtGate:
    """What a person lays before the gate's camera, a little off and askew."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._lies: WindowTile | None = None
        self.looks = 0
        """Pictures since something was laid or taken away."""

    def gate(self) -> GateScene:
        """What lies there now."""
        self.looks += 1
        return GateScene(self._lies)

    def table(self) -> TableScene:
        """Nobody looks at the mat here."""
        raise WorldSilentError("only the gate is shown here")

    def lay(self, tile: Tile) -> None:
        """Lay a tile, either way up."""
        pose = self._random
        turned, off_mm, angle_deg = pose.random() < 0.5, (pose.uniform(-1, 1), pose.uniform(-1, 1)), pose.uniform(-3, 3)
        self._lies = WindowTile(tile.text, turned, off_mm, angle_deg, obscured=False, light_seed=pose.randrange(2**31))
        self.looks = 0

    def take_away(self) -> None:
        """Take the tile away."""
        self._lies, self.looks = None, 0


@contextmanager
def shown_at_gate(phone: Page, people: PeopleAtTable) -> Iterator[TileAtGate]:
    """Have the phone over a table's gate see what a person lays there, and in the end what it saw before."""
    tile, before = TileAtGate(people.seed), phone.evaluate("window.seenCamera")
    scenes = {people.table: TableScenes(tile, tile)}
    look_at = "(address) => { window.seenCamera = address; }"
    with CameraServer(scenes, seed=people.seed) as cameras, seen_cameras(cameras.url) as address:
        phone.evaluate(look_at, f"{address}/{people.table}/gate.jpg")
        yield tile
        phone.evaluate(look_at, before)


def show(tile: Tile, gate: TileAtGate, counted: Callable[[], int], wait: Callable[[float], None]) -> None:
    """Lay a tile until the page has counted one more, and take it away."""
    before = counted()
    while counted() == before:
        gate.lay(tile)
        while counted() == before and gate.looks < _AGAIN_LOOKS:
            wait(0.1)
        gate.take_away()
        while gate.looks < _AWAY_LOOKS:
            wait(0.1)
