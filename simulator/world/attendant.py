"""Attendant of a simulated table: comes when the fault lamp stays lit, repairs what can be seen, and presses CONFIRM.

The attendant sees a fault at the machine itself: a stuck part, tiles in the reject cell, a set that is short, which
is counted and made up from spares, a lid that was open or an emergency stop that was pressed. The controller's state is
unknown here. CONFIRM is pressed only then, and again while the lamp stays lit, because play may have used the key.
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterable

from simulator.by_hand.hand_table import HandTable
from simulator.feeder_simulator import FeederSimulator
from simulator.physical_tiles import FLOWER, NotPossibleError, PhysicalTile
from twinwall.game.tiles import COPIES, Tile

_SPARES_FROM = 200_000
"""Ids of spare tiles."""
_LOOK_S = 0.2
"""Wall time between two looks at the lamp."""
_COMES_AFTER_S = 5.0
"""From the lit lamp until somebody stands at the table, in seconds of play time."""


class Attendant:
    """One table's attendant; ``run`` in a thread, or ``look`` from a test."""

    def __init__(
        self,
        feeder: FeederSimulator | HandTable,
        lamp: Callable[[], bool],
        confirm: Callable[[], None],
        kinds: Iterable[Tile],
        speed: float = 1.0,
    ) -> None:
        """``lamp`` tells whether the fault lamp is lit, ``confirm`` presses CONFIRM, ``kinds`` are a set's, play time passes
        ``speed`` times as fast as the wall clock."""
        self._feeder, self._lamp, self._confirm = feeder, lamp, confirm
        self._kinds, self._comes_after_s = kinds, _COMES_AFTER_S / speed
        self._lit_s: float | None = None
        self._confirming = False
        self._kept: list[PhysicalTile] = []
        self._spares = 0
        self._let_go = 0
        self.visits = 0

    def run(self, stopped: threading.Event, clock: Callable[[], float]) -> None:
        """Look after the table until ``stopped``."""
        while not stopped.wait(_LOOK_S):
            self.look(clock())

    def look(self, now_s: float) -> None:
        """Look at the lamp; go there once it has been lit for long enough."""
        if not self._lamp():
            self._lit_s, self._confirming = None, False
            return
        if self._lit_s is None:
            self._lit_s = now_s
        if now_s - self._lit_s < self._comes_after_s:
            return
        self._lit_s = now_s
        done = self._put_right()
        self.visits += done
        self._confirming = self._confirming or done
        if self._confirming:
            self._confirm()

    def _put_right(self) -> bool:
        """Do what can be seen to need a hand; whether there was anything."""
        let_go, self._let_go = self._feeder.let_go - self._let_go, self._feeder.let_go
        stuck = self._feeder.stuck()
        for each in stuck:
            self._feeder.free(each)
        rejected = self._feeder.empty_reject_cell()
        good = [tile for tile in rejected if self._belongs(tile)]
        self._kept += [tile for tile in rejected if tile not in good]
        missing = [] if stuck or rejected else self._lacking()
        self._put_in([*good, *missing])
        return bool(stuck or rejected or missing or let_go)

    def _belongs(self, tile: PhysicalTile) -> bool:
        """Whether a tile out of the reject cell is one of the set in the making, and not a copy too many."""
        if tile.face == FLOWER or tile.back != self._in_the_making():
            return False
        return self._copies(tile.back)[tile.face] <= COPIES

    def _lacking(self) -> list[PhysicalTile]:
        """Spares for what the set in the making is short of."""
        back = self._in_the_making()
        if back is None:
            return []
        short = Counter(tile.text for tile in self._kinds)
        short.subtract(self._copies(back))
        return [self._spare(face, back) for face, count in short.items() for _ in range(count)]

    def _spare(self, face: str, back: int) -> PhysicalTile:
        kept = next((tile for tile in self._kept if (tile.face, tile.back) == (face, back)), None)
        if kept is not None:
            self._kept.remove(kept)
            return kept
        self._spares += 1
        return PhysicalTile(_SPARES_FROM + self._spares, face, back)

    def _in_the_making(self) -> int | None:
        """The back of the set that the trays are filled from."""
        backs = Counter(tile.back for tile in self._feeder.census()["trays"])
        return backs.most_common(1)[0][0] if backs else None

    def _copies(self, back: int) -> Counter[str]:
        """How many tiles of each face a set has, wherever they are but in the attendant's pocket."""
        kept = {tile.id for tile in self._kept}
        there = (tile for tiles in self._feeder.census().values() for tile in tiles)
        return Counter(tile.face for tile in there if tile.back == back and tile.id not in kept)

    def _put_in(self, tiles: list[PhysicalTile]) -> None:
        """Into the well where it stands open for staff, else through the lid."""
        if not tiles:
            return
        view = self._feeder.view()
        if view.well_open and not view.clearing:
            try:
                self._feeder.drop_into_well(tiles)
            except NotPossibleError:
                self._kept += tiles  # it has just been shut; they are put in at the next visit
            return
        self._feeder.set_lid(True)
        self._feeder.add_to_drum(tiles)
        self._feeder.set_lid(False)
