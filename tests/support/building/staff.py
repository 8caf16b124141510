"""Staff in a test: does what the fault asks for, and presses CONFIRM."""

from dataclasses import dataclass, field

from controller.state.faults import STAFF_FAULTS, forbids_motion
from simulator.physical_tiles import FLOWER, PhysicalTile
from tests.support.building.bench import BuildBench
from tests.support.building.deals import BACK
from twinwall.wire.shapes.panel import Key


@dataclass
class Staff:
    """``calls`` are the faults that it has come for; ``in_hand`` are tiles found about the table, which are put in when one is missing."""

    comes_after_s: float = 5.0
    in_hand: list[PhysicalTile] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    _called_s: float | None = None

    def attend(self, bench: BuildBench) -> None:
        """Called again and again while a fault stands."""
        codes = [fault.code for fault in bench.state.faults if fault.code in STAFF_FAULTS or forbids_motion(fault.code)]
        if self._called_s is None or not codes:
            self._called_s = bench.now_s if codes else None
            return
        if bench.now_s - self._called_s < self.comes_after_s:
            return
        self._called_s = None
        self.calls += codes
        for stuck in bench.mechanics.hands.stuck():
            bench.mechanics.hands.free(stuck, bench.now_s)
        self.in_hand += bench.mechanics.hands.empty_reject_cell(bench.now_s)
        belonging = [tile for tile in self.in_hand if tile.face != FLOWER and tile.back == BACK]
        if belonging and not ("extra-tile" in codes and "missing-tiles" not in codes):
            self._put_in(bench, belonging)
        bench.press(Key.CONFIRM)

    def _put_in(self, bench: BuildBench, tiles: list[PhysicalTile]) -> None:
        self.in_hand = [tile for tile in self.in_hand if tile not in tiles]
        if bench.mechanics.view().well_open:
            bench.mechanics.hands.drop_into_well(tiles, bench.now_s)
            return
        bench.mechanics.hands.set_lid(True, bench.now_s)
        bench.mechanics.hands.add_to_drum(tiles, bench.now_s)
        bench.mechanics.hands.set_lid(False, bench.now_s)
