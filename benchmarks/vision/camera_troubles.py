"""Effect of a bumped camera or another light on the sweep: ``python -m benchmarks.vision.camera_troubles --json``.

At each of several simulated tables frames of a hand in play are rendered and swept, before and after one such trouble, drawn as people
cause it. Printed are the frames after it without an observation, and the looks at tiles before and after. Whether a bumped camera still
shows the four markers is compared with the assumption of observations without pictures.
"""

import argparse
import json
import sys

import cv2

from benchmarks.played_tables.people_at_table import hand_on_table
from benchmarks.rendered.folder import FREE_OF_ARMS
from benchmarks.vision.hand_noise import FAULTS, SweptHand
from benchmarks.vision.looks_at_tiles import LookTally
from benchmarks.vision.table_reader import on_one_thread
from simulator.disturbances.camera_troubles import between_at, markers_shown, troubles_of_turn
from simulator.disturbances.kinds import NONE, Disturbance, only
from simulator.scene import CLEAR, Between
from simulator.tabletop import Tabletop
from tests.support.simulator.disturbed_hands import hand_to_play
from tests.support.simulator.swept_tables import TileReaders, readers
from twinwall.art.mat import Area, Mat, Slot
from twinwall.game.rules import rule_set_names

KINDS = (Disturbance.CAMERA_BUMPED, Disturbance.LIGHT_STEP, Disturbance.LIGHT_RAMP)
_PERIOD_MS, _FRAMES = 250, 6
_RAMP_ENDED_MS = 120_000
"""After this time every slow change of light has ended."""
_TILES = 40
"""The rendered moment has this many tiles on the mat, or all of the hand's."""
_EXAMPLES = 2
"""Gate frames of each kind from which the tables' set is enrolled."""


def moment(rules: str, number: int) -> Tabletop:
    """Return a table in play."""
    tables = [table for _, table in hand_on_table(hand_to_play(rules, number + 1), NONE).tabletops()]
    return next((table for table in tables if len(table.lying) >= _TILES), tables[-1])


def trouble(kind: Disturbance, number: int) -> Between:
    """Return what one trouble puts between camera and tiles; for a change of light, after it has ended."""
    at_ms = _RAMP_ENDED_MS if kind is Disturbance.LIGHT_RAMP else 0
    return between_at(troubles_of_turn(only(number, (kind,)), "1", Mat(), Slot(0, Area.RIVER, 0), 0), at_ms)


def measured(kind: Disturbance, options: argparse.Namespace, reads: TileReaders) -> dict[str, object]:
    """Measure one trouble at each table."""
    before, after = LookTally(FREE_OF_ARMS, 1), LookTally(FREE_OF_ARMS, 1)
    frames = without = never = 0
    otherwise: list[str] = []
    for number in range(options.first, options.first + options.tables):
        rules = rule_set_names()[number % len(rule_set_names())]
        fault, between, table = FAULTS[number % options.faults], trouble(kind, number), moment(rules, number)
        for tally in (before, after):
            tally.hand(f"{fault} {rules} {number}")
        hand = SweptHand(fault, number, reads, before)
        for frame in range(_FRAMES):
            hand.frame(_PERIOD_MS * frame, table, CLEAR)
        hand.tally, lost = after, after.counts["frames_without_mat"]
        for frame in range(_FRAMES, 2 * _FRAMES):
            hand.frame(_PERIOD_MS * frame, table, between)
        lost = after.counts["frames_without_mat"] - lost
        frames, without, never = frames + _FRAMES, without + lost, never + (lost == _FRAMES)
        if lost not in (0, _FRAMES) or (lost == 0) != markers_shown(Mat(), between):
            otherwise.append(f"{fault} {rules} {number}: {lost} of {_FRAMES} frames without the mat")
    totals = {"tables": options.tables, "frames_after": frames, "frames_without_mat": without, "never_placed_again": never}
    return {**totals, "otherwise_than_assumed": otherwise, "before": before.to_json(), "after": after.to_json()}


def main() -> int:
    on_one_thread("benchmarks.vision.camera_troubles")
    parser = argparse.ArgumentParser(description="What bumps of the camera and changes of light do to the sweep, as JSON.")
    parser.add_argument("--tables", type=int, default=12)
    parser.add_argument("--first", type=int, default=0, help="number of the first table")
    parser.add_argument("--faults", type=int, default=1, help="number of faults of light and camera used in turn (1: none)")
    parser.add_argument("--json", action="store_true", help="print one JSON document; always so")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    json.dump({kind.value: measured(kind, options, readers(_EXAMPLES)) for kind in KINDS}, sys.stdout, ensure_ascii=False, indent=1)
    print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
