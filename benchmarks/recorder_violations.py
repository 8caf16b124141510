"""Violations before the decoder: ``python -m benchmarks.recorder --violations --json [--hands N] [--each K]``.

People at simulated tables commit so many violations in each hand, and disturb besides at every default rate. Counted are those
that the decoder did not tell of (missed), those that it told of and nobody committed (invented), and its questions.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from dataclasses import dataclass, field, replace

from controller.recorder.violations import PathViolation
from tests.support.recorder.played_hands import decoder_of, followed, played, told
from tests.support.simulator.mat_observations import ObservationNoise
from twinwall.game.play_events import HandEnded
from twinwall.simulator.disturbances.draws import Disturbances
from twinwall.simulator.disturbances.kinds import Disturbance
from twinwall.simulator.disturbances.violations import CommittedViolation, violated_hand

_LATE_MS = 2500
"""A tile is seen, or an edge is joined, so long after the act at most."""
_EARLY_MS = 500
SLIPS = (Disturbance.DRAW_PUT_BACK, Disturbance.TWO_DRAWN, Disturbance.DRAW_FROM_OTHER_WALL)
"""Disturbances that are violations themselves: switched off here, so that only counted ones happen."""


@dataclass
class ViolationFigures:
    """What is counted over all hands."""

    hands: int = 0
    exact: int = 0
    committed: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)
    invented: Counter[str] = field(default_factory=Counter)
    asked: int = 0
    """Questions about violations."""
    asked_of_committed: int = 0
    """Those about violations that were really committed."""
    questions: int = 0
    wrong_records: int = 0
    """Hands whose events are wrong without a question."""
    told_after_ms: list[int] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def document(self) -> dict[str, object]:
        """The figures as they are printed."""
        after = sorted(self.told_after_ms)
        return {
            "hands": self.hands,
            "committed": sum(self.committed.values()),
            "missed": sum(self.missed.values()),
            "invented": sum(self.invented.values()),
            "questions_about_violations": self.asked,
            "of_these_committed": self.asked_of_committed,
            "questions": self.questions,
            "hands_recorded_exactly": self.exact,
            "hands_wrong_without_question": self.wrong_records,
            "told_after_ms_p50": after[len(after) // 2] if after else 0,
            "by_kind": {
                kind: {"committed": self.committed[kind], "missed": self.missed[kind], "invented": self.invented[kind]}
                for kind in sorted(self.committed | self.invented)
            },
            "notes": self.notes,
        }


def noise(options: argparse.Namespace) -> ObservationNoise:
    """The usual noise of observations, with so many times as many tiles that are hard to see."""
    return replace(ObservationNoise().worse(options.blur), seed=options.seed)


def violations_of_hand(figures: ViolationFigures, rules: str, number: int, options: argparse.Namespace) -> None:
    """Play one hand with its violations before the camera, and judge what was told."""
    hand = played(rules, number)
    people = Disturbances(options.seed, options.scale, dict.fromkeys(SLIPS, 0.0))
    at_table, committed = violated_hand(hand.to_play, people, options.each)
    decoder = decoder_of(hand)
    followed(decoder, told(at_table, noise(options), backs=True))
    events = [decoded.event for decoded in decoder.finish()]
    found = [each for _, each in sorted(decoder.told_violations.items(), key=lambda item: item[1].violation.at_ms)]
    missed, invented = _compared(committed, [each.violation for each in found])
    doubted = [question.violation for question in decoder.questions if question.violation is not None]
    unasked, _ = _compared(tuple(missed), doubted)
    whens = [question.before_ms + 1000 for question in decoder.questions if question.paths == (None, None) and not question.violation]
    unasked = [each for each in unasked if not any(-_EARLY_MS <= at_ms - each.at_ms <= _LATE_MS for at_ms in whens)]
    figures.hands += 1
    figures.committed += Counter(each.act.value for each in committed)
    figures.missed += Counter(each.act.value for each in unasked)
    figures.asked_of_committed += len(missed) - len(unasked)
    figures.invented += Counter(each.kind.value for each in invented)
    figures.asked += len(doubted)
    figures.questions += len(decoder.questions)
    figures.told_after_ms += [each.published_ms - each.violation.at_ms for each in found if each.violation not in invented]
    truth = [event for _, event in at_table.events]
    exact = [event for event in events if not isinstance(event, HandEnded)] == truth
    figures.exact += exact
    figures.wrong_records += not exact and not decoder.questions
    figures.notes += [f"{rules} {number} is wrong without a question"] if not exact and not decoder.questions else []
    figures.notes += [f"{rules} {number} missed {each.act} of {each.seat} at {each.at_ms} ms" for each in unasked]
    figures.notes += [f"{rules} {number} invented {each.kind} of {each.seat} at {each.at_ms} ms" for each in invented]


def _compared(
    committed: tuple[CommittedViolation, ...], found: list[PathViolation]
) -> tuple[list[CommittedViolation], list[PathViolation]]:
    """What was committed and not found, and what was found and not committed."""
    left, missed = list(found), []
    for each in committed:
        fits = (
            other
            for other in left
            if (other.kind.value, other.seat) == (each.act.value, each.seat) and -_EARLY_MS <= other.at_ms - each.at_ms <= _LATE_MS
        )
        match = next(fits, None)
        if match is None:
            missed.append(each)
        else:
            left.remove(match)
    return missed, left


def run(names: list[str], options: argparse.Namespace) -> int:
    """Play the hands, and print the figures."""
    figures = ViolationFigures()
    begun = time.process_time()
    for number in range(options.first, options.first + options.hands):
        violations_of_hand(figures, names[number % len(names)], number, options)
    document = {"rules": names, "seed": options.seed, "scale": options.scale, "blur": options.blur, "violations_a_hand": options.each}
    spent = {"processor_s_a_hand": round((time.process_time() - begun) / max(1, options.hands), 1)}
    json.dump(document | figures.document() | spent, sys.stdout, indent=2)
    print()
    return 0
