"""Figures of the recorder: ``python -m benchmarks.recorder --json [--hands N] [--scale X] [--rules NAME] [--record-only]`` and more.

People play hands at simulated tables and disturb; what they do becomes observations with noise, without pictures
(``tests.support.simulator.mat_observations``). A decoder with the deal records them. Questions are answered with the truth afterwards.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from benchmarks import recorder_curve, recorder_violations
from controller.recorder.signals import Decoded
from tests.support.recorder.played_hands import PlayedHand, decoder_of, followed, played, told
from twinwall.game.play_events import Claimed, HandShown, PlayEvent, TileDiscarded
from twinwall.game.rules import rule_set_names
from twinwall.simulator.disturbances.draws import Disturbances


@dataclass
class RecorderFigures:
    """What is counted over all hands."""

    hands: Counter[str] = field(default_factory=Counter)
    """By what became of them."""
    questions: int = 0
    published_wrong: int = 0
    disturbances: Counter[str] = field(default_factory=Counter)
    observation_ms: list[float] = field(default_factory=list)
    published_after_ms: list[int] = field(default_factory=list)
    discard_published_after_ms: list[int] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    """The hands that are wrong without a question: rule set and number, to play them again."""

    def document(self) -> dict[str, object]:
        """The figures as they are printed."""
        hands = self.hands["all"]
        return {
            "hands": hands,
            "exact_without_question": round(self.hands["exact"] / hands, 4),
            "questions_in_50_hands": round(50 * self.questions / hands, 2),
            "wrong_without_question": self.hands["wrong without a question"],
            "wrong_after_answers": self.hands["wrong after answers"],
            "published_wrong_events": self.published_wrong,
            "share_of_hands_with": {name: round(self.hands[name] / hands, 4) for name in _PARTS},
            "observation_ms": {"mean": round(float(np.mean(self.observation_ms)), 2), "p99": self._percentile(self.observation_ms, 99)},
            "published_after_ms": self._spread(self.published_after_ms),
            "discard_published_after_ms": self._spread(self.discard_published_after_ms),
            "disturbances": dict(sorted(self.disturbances.items())),
            "wrong": self.wrong,
        }

    def outcomes(self) -> tuple[int, int, int, int]:
        """How many hands, and of them exact without a question, with a question, wrong without one."""
        exact, wrong = self.hands["exact"], self.hands["wrong without a question"]
        return self.hands["all"], exact, self.hands["all"] - exact - wrong, wrong

    @classmethod
    def _spread(cls, values: list[int]) -> dict[str, float]:
        return {f"p{percent}": cls._percentile(values, percent) for percent in (50, 90, 95)}

    @staticmethod
    def _percentile(values: list[float] | list[int], percent: int) -> float:
        return round(float(np.percentile(values, percent)), 2) if values else 0.0


_PARTS = {"all discards right": TileDiscarded, "all calls right": Claimed, "winners' hands right": HandShown}


def record(figures: RecorderFigures, rules: str, number: int, options: argparse.Namespace) -> None:
    """Play one hand before the camera and judge what the decoder recorded."""
    known, hand = not options.record_only, played(rules, number)
    at_table = hand.at_table(Disturbances(options.seed, options.scale))
    figures.disturbances += Counter({kind.value: count for kind, count in at_table.counts.items()})
    decoder = decoder_of(hand, deal=known, gates=known)
    clock = [time.process_time()]

    def spent() -> None:
        now = time.process_time()
        figures.observation_ms.append(1000 * (now - clock[0]))
        clock[0] = now

    published = followed(decoder, told(at_table, recorder_violations.noise(options)), gates=known, after=spent)
    figures.published_after_ms.extend(event.published_ms - event.grounds.at_ms for event in published)
    discards = (event for event in published if isinstance(event.event, TileDiscarded))
    figures.discard_published_after_ms.extend(event.published_ms - event.grounds.at_ms for event in discards)
    found = decoder.finish()
    exact = _same(found, hand)
    asked = len(decoder.questions)
    figures.hands["all"] += 1
    figures.hands["exact"] += exact and not asked
    figures.questions += asked
    figures.published_wrong += sum(event.number > len(hand.events) or event.event != hand.events[event.number - 1] for event in published)
    for name, kind in _PARTS.items():
        figures.hands[name] += [e.event for e in found if isinstance(e.event, kind)] == [e for e in hand.events if isinstance(e, kind)]
    if not exact and not asked:
        figures.hands["wrong without a question"] += 1
        figures.wrong.append(f"{rules} {number}")
    elif asked:
        for question in decoder.questions:
            truth = hand.events[question.number - 1] if question.number <= len(hand.events) else None
            if isinstance(truth, TileDiscarded) and question.kinds:
                decoder.answered(question, truth.tile)
        figures.hands["wrong after answers"] += not _same(decoder.finish(), hand)


def counted(names: Sequence[str], options: argparse.Namespace) -> RecorderFigures:
    """All hands that the options ask for, of these rule sets in turn."""
    figures = RecorderFigures()
    for number in range(options.first, options.first + options.hands):
        record(figures, names[number % len(names)], number, options)
    return figures


def _same(found: tuple[Decoded, ...], hand: PlayedHand) -> bool:
    events: tuple[PlayEvent, ...] = tuple(event.event for event in found)
    return events == hand.events


def main() -> int:
    """Record and print."""
    parser = argparse.ArgumentParser(description="Figures of the recorder, as JSON.")
    parser.add_argument("--json", action="store_true", help="as every benchmark prints it; there is no other form")
    parser.add_argument("--rules", choices=rule_set_names(), help="one rule set instead of all four in turn")
    parser.add_argument("--hands", type=int, default=8)
    parser.add_argument("--first", type=int, default=0, help="number of the first hand")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scale", type=float, default=1.0, help="multiplies the rate of every disturbance")
    parser.add_argument("--blur", type=float, default=1.0, help="multiplies how many tiles are hard to read")
    parser.add_argument("--record-only", action="store_true", help="without deal and draw gates")
    parser.add_argument("--violations", action="store_true", help="people violate the rules: what was missed, invented and asked")
    parser.add_argument("--each", type=int, default=5, help="with --violations: how many in each hand")
    parser.add_argument("--curve", action="store_true", help="so many hands for each of several disturbances and camera qualities")
    parser.add_argument("--svg", metavar="FILE", help="with --curve: draw it there")
    options = parser.parse_args()
    names = [options.rules] if options.rules else list(rule_set_names())
    if options.violations:
        return recorder_violations.run(names, options)
    if options.curve:
        return recorder_curve.run(options, lambda chosen: counted(names, chosen))
    figures = counted(names, options)
    document = {
        "rules": names,
        "seed": options.seed,
        "scale": options.scale,
        "blur": options.blur,
        "record_only": options.record_only,
    }
    json.dump(document | figures.document(), sys.stdout, indent=2)
    print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
