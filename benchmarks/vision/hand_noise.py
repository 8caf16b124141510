"""How the sweep sees whole hands: ``python -m benchmarks.vision.hand_noise --json [--hands N] [--fault NAME]``.

People play hands at simulated tables, with disturbances; every frame is rendered and swept, and each look at a tile that nothing hides is
compared with the truth. Looks at one tile in one pose depend on one another, so shares are given of looks and of poses (by the majority of
a pose's looks), with the probability that an outcome repeats in the pose's next look. A tile that is not found gets some further looks;
otherwise it stays unfound. With ``--enrolled`` the tables have the simulator's own set, judged by its profile; without it sets differ from
table to table and the model alone reads them.
"""

import argparse
import json
import math
import sys
from collections.abc import Sequence

import cv2
import numpy as np

from benchmarks.rendered.folder import FREE_OF_ARMS
from benchmarks.vision.looks_at_tiles import LookTally, Outcome
from benchmarks.vision.table_reader import on_one_thread
from simulator.cameras.cover_layers import cover_layer
from simulator.cameras.table import TILE_THICKNESS_MM
from simulator.disturbances.poses import overlap
from simulator.scene import Between
from simulator.tabletop import Tabletop
from tests.support.simulator.disturbed_hands import disturbed_hand
from tests.support.simulator.mat_observations import NO_NOISE, LyingTile, footprint, lying_tiles, observation
from tests.support.simulator.swept_tables import SweptTable, TileReaders, readers
from tests.support.simulator.table_trials import Fault, hidden_shares
from twinwall.art.mat import Mat, Spot
from twinwall.game.rules import rule_set_names
from vision.mat_observation import COVER_MM, MatObservation, ObservedTile

FAULTS = (Fault.NONE, Fault.LENS, Fault.UNEVEN, Fault.SHADOW, Fault.GLARE, Fault.BLUR, Fault.ALL)
"""Faults of light and camera; arms are the people's own."""
_NEAR_MM = 8.0
"""A tile found further away is another one."""
AGAIN, AGAIN_MS = 3, 1250
"""How often, and how long after the previous frame, a tile that was not found is looked at again."""


class SweptHand:
    """The frames of one hand before one camera with a fault."""

    def __init__(self, fault: Fault, number: int, reads: TileReaders, tally: LookTally) -> None:
        self._swept = SweptTable(fault, number, reads)
        self.tally = tally
        """Counts the looks; may be exchanged between two frames."""

    def frame(self, at_ms: int, table: Tabletop, between: Between) -> bool:
        """Render one frame, sweep it, and compare it with the truth; return whether a tile that nothing hides was missed."""
        seen = self._swept.observe(at_ms, table, between)
        self.tally.counts["frames"] += 1
        if seen is None:
            self.tally.counts["frames_without_mat"] += 1
            return False
        lying, left, missed = list(lying_tiles(table, self._swept.mat)), list(seen.tiles), False
        hidden = self._hidden(lying, between)
        for number in np.argsort(hidden, kind="stable").tolist():
            tile, one = lying[number], _nearest(left, lying[number].pose)
            if one is not None:
                left.remove(one)
            self.tally.look(tile, outcome_of(tile, one, seen, self._swept.mat), one, hidden[number])
            missed = missed or (one is None and hidden[number] <= FREE_OF_ARMS)
        covered = observation(at_ms, table, between, NO_NOISE, self._swept.mat).covered
        self.tally.counts["squares_covered_for_nothing"] += len(seen.covered - _widened(covered))
        self.tally.phantoms(at_ms, left)
        return missed

    def _hidden(self, lying: Sequence[LyingTile], between: Between) -> list[float]:
        """Return the hidden share of each tile's face, 0 to 1; a tile below another one counts as half hidden."""
        view = self._swept.view
        outlines = {}
        for number, tile in enumerate(lying):
            points = footprint(self._swept.mat, tile.pose)
            corners = np.array([points[corner] for corner in (0, 6, 8, 2)])
            outlines[number] = view.project(corners, TILE_THICKNESS_MM * (1 + tile.level))
        shares = hidden_shares([cover_layer(cover, view, self._swept.look.gains) for cover in between.covers], outlines)
        upper = [tile.pose for tile in lying if tile.level]
        below = [not tile.level and any(overlap(self._swept.mat, tile.pose, other) for other in upper) for tile in lying]
        return [max(shares[number], 0.5 * below[number]) for number in range(len(lying))]


def outcome_of(tile: LyingTile, one: ObservedTile | None, seen: MatObservation, mat: Mat) -> Outcome:
    """Return what an observation says of a tile that is there."""
    if one is None:
        under = {(round(x_mm / COVER_MM), round(y_mm / COVER_MM)) for x_mm, y_mm in footprint(mat, tile.pose)}
        return Outcome.BARE if under.isdisjoint(seen.covered) else Outcome.COVERED
    if tile.face_down or not one.face_up:
        return (Outcome.BACK_SEEN_AS_FACE if one.face_up else Outcome.BACK) if tile.face_down else Outcome.FACE_SEEN_AS_BACK
    if not one.shares:
        return Outcome.WASHED_OUT
    right = max(one.shares, key=lambda kind: one.shares[kind]).text == tile.tile.face
    return (Outcome.RIGHT if right else Outcome.WRONG) if one.sure else Outcome.UNSURE if right else Outcome.CONFUSED


def _nearest(left: Sequence[ObservedTile], pose: Spot) -> ObservedTile | None:
    def far(one: ObservedTile) -> float:
        return math.hypot(one.x_mm - pose.x_mm, one.y_mm - pose.y_mm)

    nearest = min(left, key=far, default=None)
    return nearest if nearest is not None and far(nearest) < _NEAR_MM else None


def _widened(squares: frozenset[tuple[int, int]]) -> frozenset[tuple[int, int]]:
    """Return the squares and those up to two further: an arm is seen above the mat, and has a shadow."""
    steps = range(-2, 3)
    return frozenset((column + right, row + down) for column, row in squares for right in steps for down in steps)


def swept(fault: Fault, numbers: range, options: argparse.Namespace, reads: TileReaders, tally: LookTally) -> None:
    """Sweep hands of the four rule sets in turn."""
    names = rule_set_names()
    for number in numbers:
        rules = names[number % len(names)]
        tally.hand(f"{fault} {rules} {number}")
        hand, due = SweptHand(fault, number, reads, tally), _DueFrames(options.period_ms)
        for at_ms, table, between in disturbed_hand(rules, number + 1, options.scale).frames(math.gcd(options.period_ms, AGAIN_MS)):
            if options.seconds and at_ms > 1000 * options.seconds:
                break
            if not between.silent and due.at(at_ms):
                due.seen(at_ms, missed=hand.frame(at_ms, table, between))


class _DueFrames:
    """The frames to render: one each ``period_ms``, and ``AGAIN`` more after one in which a tile was missed."""

    def __init__(self, period_ms: int) -> None:
        self._period_ms, self._left, self._again_ms = period_ms, 0, -1

    def at(self, at_ms: int) -> bool:
        """Whether the frame at a time is rendered."""
        return at_ms % self._period_ms == 0 or (self._left > 0 and at_ms >= self._again_ms)

    def seen(self, at_ms: int, *, missed: bool) -> None:
        """Note a rendered frame."""
        self._left = AGAIN if at_ms % self._period_ms == 0 else self._left - 1
        if not missed:
            self._left = 0
        self._again_ms = at_ms + AGAIN_MS


def main() -> int:
    on_one_thread("benchmarks.vision.hand_noise")
    parser = argparse.ArgumentParser(description="How the sweep sees the tiles of whole hands, as JSON.")
    parser.add_argument("--hands", type=int, default=4, help="number of hands with each fault")
    parser.add_argument("--first", type=int, default=0, help="number of the first hand")
    parser.add_argument("--fault", action="append", choices=[str(fault) for fault in FAULTS], help="only this fault (may be repeated)")
    parser.add_argument("--enrolled", type=int, default=0, metavar="N", help="by a profile made from N gate frames of each kind")
    parser.add_argument("--scale", type=float, default=1.0, help="multiplies the rate of every disturbance")
    parser.add_argument("--period-ms", type=int, default=250, help="time from frame to frame")
    parser.add_argument("--looks", type=int, default=4, metavar="N", help="count poses with at least N looks")
    parser.add_argument("--seconds", type=int, help="only this much of each hand, from its beginning")
    parser.add_argument("--json", action="store_true", help="print one JSON document; always so")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    reads, outcome = readers(options.enrolled), {}
    for fault in [Fault(name) for name in options.fault or FAULTS]:
        tally = LookTally(FREE_OF_ARMS, options.looks)
        swept(fault, range(options.first, options.first + options.hands), options, reads, tally)
        outcome[str(fault)] = tally.to_json()
    tried = {"hands": options.hands, "first": options.first, "period_ms": options.period_ms, "enrolled": options.enrolled}
    print(json.dumps({**tried, **outcome}, ensure_ascii=False, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
