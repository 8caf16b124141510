"""Whole tables among people who disturb: ``python -m benchmarks.disturbed_tables --json [--hands N] [--first M] [--scale X]``.

Each hand is played at a table whose frames are rendered; slot reader, decoder and the table's decisions are those of the program
(``tests.support.controller.filmed_table``). Nobody violates a rule, so whatever the table accuses somebody of is invented. With
``--record`` each hand is kept in a file as soon as it is over, where the same command goes on after it was stopped.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import cv2

from benchmarks.support.disturbance_kinds import kind_factor, scales_of
from benchmarks.support.parts import Run, RunRecord, Series, sources_digest
from simulator.disturbances.draws import Disturbances
from tests.support.controller.filmed_table import FilmedTable
from tests.support.recorder.played_hands import played
from tests.support.simulator.swept_tables import good_table
from twinwall.game.rules import rule_set_names


@dataclass(frozen=True, slots=True)
class TriedHand:
    """What became of a hand, as it is kept in a file; ``name`` is rule set and number, to play it again."""

    name: str
    invented: list[str]
    stopped: str
    questions: int
    answers: int
    exact: bool
    disturbances: dict[str, int]
    frames: int


def tried(names: Sequence[str], options: argparse.Namespace, number: int) -> TriedHand:
    """Play one hand."""
    cv2.setNumThreads(1)
    rules = names[number % len(names)]
    people = Disturbances(options.seed, options.scale, scales_of(options.kind))
    with tempfile.TemporaryDirectory(prefix="twinwall-disturbed-") as folder:
        hand = FilmedTable(Path(folder), played(rules, number), people, good_table(number)).play()
    return TriedHand(name=f"{rules} {number}", **asdict(hand))


def document(hands: Sequence[TriedHand], of: int) -> dict[str, object]:
    """The figures as they are printed."""
    return {
        "hands": len(hands),
        "of": of,
        "by_rules": dict(Counter(hand.name.split()[0] for hand in hands)),
        "invented": {hand.name: hand.invented for hand in hands if hand.invented},
        "stopped": {hand.name: hand.stopped for hand in hands if hand.stopped},
        "recorded_otherwise": [hand.name for hand in hands if not (hand.exact or hand.stopped)],
        "questions": sum(hand.questions for hand in hands),
        "answers": sum(hand.answers for hand in hands),
        "disturbances": dict(sum((Counter(hand.disturbances) for hand in hands), Counter[str]())),
        "frames": sum(hand.frames for hand in hands),
    }


def main() -> int:
    """Play and print; exit 1 where something was invented, or play stopped."""
    parser = argparse.ArgumentParser(description="Whole tables among people who disturb, as JSON.")
    parser.add_argument("--json", action="store_true", help="as every benchmark prints it; there is no other form")
    parser.add_argument("--rules", choices=rule_set_names(), help="one rule set instead of all four in turn")
    parser.add_argument("--hands", type=int, default=4)
    parser.add_argument("--first", type=int, default=0, help="number of the first hand")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scale", type=float, default=1.0, help="multiplies the rate of every disturbance")
    parser.add_argument("--kind", type=kind_factor, action="append", default=[], metavar="NAME=FACTOR", help="as of benchmarks.recorder")
    parser.add_argument("--processes", type=int, default=2, help="processes to share the hands (2)")
    parser.add_argument("--minutes", type=float, default=math.inf, help="begin no further hand after so long")
    parser.add_argument("--record", type=Path, metavar="FILE", help="keep each hand here, and go on with those of the same command")
    options = parser.parse_args()
    names = [options.rules] if options.rules else list(rule_set_names())
    asked = {"rules": names, "seed": options.seed, "scale": options.scale, "kinds": scales_of(options.kind)}
    sources = sources_digest(Path(__file__).parents[1], "benchmarks/disturbed_tables.py", "benchmarks/support") if options.record else ""
    numbers = range(options.first, options.first + options.hands)
    run = Run(options.processes, time.monotonic() + 60 * options.minutes, RunRecord(options.record, sources))
    measured = run.measured(Series(json.dumps(asked), partial(tried, names, options), TriedHand, numbers, 1))
    found = document(measured.results, measured.of)
    json.dump(asked | found | {"processor_s": round(measured.processor_s)}, sys.stdout, indent=2)
    print()
    return 1 if found["invented"] or found["stopped"] else 0


if __name__ == "__main__":
    sys.exit(main())
