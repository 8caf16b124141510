"""Figures of the recorder: ``python -m benchmarks.recorder --json [--hands N] [--scale X] [--kind NAME=FACTOR]`` and more.

People play hands at simulated tables, with disturbances. Their acts become noisy observations, without pictures
(``tests.support.simulator.mat_observations``), or with ``--rendered`` frames that are swept. A decoder with the deal records them.
Questions are answered with the truth afterwards. ``--rendered --every-frame`` also sweeps unchanged frames, to measure the share of a core
that the reading of a table takes at ``--frames-per-s``. ``--record`` keeps each hand in a file as soon as it is counted; the same command
continues from there.
"""

import argparse
import gc
import json
import math
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks import recorder_curve, recorder_violations
from benchmarks.support.parts import Run, RunRecord, Series, sources_digest
from controller.recorder.decoder import HandDecoder
from controller.recorder.signals import Decoded
from simulator.disturbances.kinds import Disturbance, Disturbances
from tests.support.recorder.played_hands import FRAME_MS, PlayedHand, decoder_of, followed, messages_of, played
from tests.support.simulator.mat_observations import WITHOUT_EFFECT
from tests.support.simulator.swept_tables import good_table, rendered
from twinwall.game.play_events import HandEnded, PlayEvent, TileDiscarded
from twinwall.game.rules import rule_set_names
from twinwall.values import frozen

ALL = "all"
KindFactor = tuple[str, float]


def kind_factor(text: str) -> KindFactor:
    """Parse ``NAME=FACTOR``; NAME is a kind, or ``all``. Raises ArgumentTypeError, which names the kinds."""
    name, _, number = text.partition("=")
    if name != ALL and name not in set(Disturbance):
        raise argparse.ArgumentTypeError(f"there is no kind {name!r}: give {ALL} or one of {', '.join(Disturbance)}")
    try:
        factor = float(number)
    except ValueError:
        factor = math.nan
    if not 0 <= factor < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} has no factor: give NAME=FACTOR with a number of 0, which switches off, or more")
    return name, factor


def scales_of(chosen: Iterable[KindFactor]) -> dict[Disturbance, float]:
    """Return the factors of the rates of single kinds."""
    scales: dict[Disturbance, float] = {}
    for name, factor in chosen:
        scales |= dict.fromkeys(Disturbance, factor) if name == ALL else {Disturbance(name): factor}
    return {kind: scales[kind] for kind in Disturbance if scales.get(kind, 1.0) != 1.0}


FRAMES_PER_S = 1000 // FRAME_MS
OWN_SOURCES = (
    "benchmarks/recorder.py",
    "benchmarks/recorder_violations.py",
    "benchmarks/support",
)
"""What a stored hand depends on besides the program."""


@frozen
class RecordedHand:
    """The results of one hand, as stored in a file."""

    name: str
    """Rule set and number, to play it again."""
    exact: bool
    questions: int
    open: bool
    """Whether the record leaves something open that no camera shows (``Decoded.left_open``)."""
    exact_but_for_open: bool
    """Whether the record is right, except perhaps for what it leaves open."""
    right_after_answers: bool
    slips: int
    """Acts that are violations themselves (``recorder_violations.SLIPS``)."""
    violations: list[str]
    """The reported violations, by kind."""
    published_wrong: int
    disturbances: dict[str, int]
    observations_ms: list[float]
    """Processor time of the decoder for each observation."""
    swept_ms: list[float]
    """Processor time of the sweep for each rendered frame."""
    events_after_ms: list[int]
    """For each event, from the first frame that showed it to its publication, by the frames' times, without computing time."""
    discards_after_ms: list[int]


@frozen
class RecorderFigures:
    """The figures over all hands."""

    hands: Sequence[RecordedHand]
    frames_per_s: int = FRAMES_PER_S
    every_frame: bool = False
    """Whether each frame was swept, and not only those that differ from the one before."""

    def document(self) -> dict[str, object]:
        """Return the printed figures."""
        hands, exact, _, wrong = self.outcomes()
        left_open = sum(hand.exact_but_for_open and not (hand.exact or hand.questions) for hand in self.hands)
        questions = sum(hand.questions for hand in self.hands)
        frames_ms = [ms for hand in self.hands for ms in hand.observations_ms]
        discards_ms = [ms for hand in self.hands for ms in hand.discards_after_ms]
        disturbances = dict(_summed(hand.disturbances for hand in self.hands))
        return {
            "hands": hands,
            "exact": exact,
            "exact_without_question": round(exact / hands, 4),
            "open": left_open,
            "questions": questions,
            "questions_in_50_hands": round(50 * questions / hands, 2),
            "wrong_without_question": wrong,
            "wrong_after_answers": sum(not hand.right_after_answers for hand in self.hands),
            "published_wrong_events": sum(hand.published_wrong for hand in self.hands),
            "where_nobody_violated": self._invented(),
            "observation_ms": {"mean": round(float(np.mean(frames_ms)), 2), **_percentiles(frames_ms, 99, 100)},
            "processor_ms_a_second": self._a_second(),
            "sweep": self._sweep(),
            **({"percent_of_a_core": self._load()} if self.every_frame else {}),
            "published_after_ms": _percentiles([ms for hand in self.hands for ms in hand.events_after_ms], 50, 90, 95),
            "discard_published_after_ms": {"discards": len(discards_ms), **_percentiles(discards_ms, 50, 90, 95)},
            "disturbances": {kind: count for kind, count in disturbances.items() if kind not in WITHOUT_EFFECT},
            "disturbances_that_change_no_observation": {kind: disturbances[kind] for kind in disturbances if kind in WITHOUT_EFFECT},
            "asked_in": [hand.name for hand in self.hands if hand.questions],
            "left_open_in": [hand.name for hand in self.hands if hand.open],
            "wrong": [hand.name for hand in self.hands if not (hand.exact_but_for_open or hand.questions)],
        }

    def _a_second(self) -> dict[str, float]:
        """Return the decoder's processor time for a second of a hand: the mean, that of the most expensive hand, and of single seconds."""
        by_hand = [self.frames_per_s * float(np.mean(hand.observations_ms)) for hand in self.hands]
        whole = [
            np.array(hand.observations_ms[: len(hand.observations_ms) // self.frames_per_s * self.frames_per_s]) for hand in self.hands
        ]
        seconds = np.concatenate([each.reshape(-1, self.frames_per_s).sum(axis=1) for each in whole])
        every = [ms for hand in self.hands for ms in hand.observations_ms]
        mean_ms = round(self.frames_per_s * float(np.mean(every)), 1)
        return {"mean": mean_ms, "dearest_hand": round(max(by_hand), 1), **_percentiles(seconds.tolist(), 99, 100)}

    def _load(self) -> dict[str, float]:
        """Return the processor time of reading one table at ``frames_per_s``, with each frame swept, as a share of a core."""
        spent_s = [(sum(hand.swept_ms) / 1000, sum(hand.observations_ms) / 1000) for hand in self.hands]
        lasted_s = [len(hand.observations_ms) / self.frames_per_s for hand in self.hands]
        sweep, decoder = (100 * sum(part) / sum(lasted_s) for part in zip(*spent_s, strict=True))
        dearest = max(100 * sum(parts) / seconds for parts, seconds in zip(spent_s, lasted_s, strict=True))
        shares = {"sweep": sweep, "decoder": decoder, "both": sweep + decoder, "both_in_the_dearest_hand": dearest}
        return {name: round(share, 1) for name, share in shares.items()}

    def _sweep(self) -> dict[str, float]:
        """Return the share of rendered frames among all, and the processor time of their sweep."""
        swept_ms = [ms for hand in self.hands for ms in hand.swept_ms]
        told = sum(len(hand.observations_ms) for hand in self.hands)
        mean_ms = {"mean_ms": round(float(np.mean(swept_ms)), 1)} if swept_ms else {}
        return {"frames": len(swept_ms), "share_of_frames": round(len(swept_ms) / told, 3), **mean_ms, **_percentiles(swept_ms, 50, 90, 99)}

    def _invented(self) -> dict[str, object]:
        lawful = [hand for hand in self.hands if not hand.slips]
        return {"hands": len(lawful), "told": [f"{hand.name} {kind}" for hand in lawful for kind in hand.violations]}

    def outcomes(self) -> tuple[int, int, int, int]:
        """Count all hands, those exact without a question, those with a question or exact but for open parts, and those wrong without
        one."""
        exact = sum(hand.exact and not hand.questions for hand in self.hands)
        wrong = sum(not (hand.exact_but_for_open or hand.questions) for hand in self.hands)
        return len(self.hands), exact, len(self.hands) - exact - wrong, wrong


def _summed(counts: Iterable[dict[str, int]]) -> list[tuple[str, int]]:
    return sorted(sum(map(Counter, counts), Counter[str]()).items())


def _percentiles(values: Sequence[float], *percents: int) -> dict[str, float]:
    return {f"p{percent}": round(float(np.percentile(values, percent)), 2) if values else 0.0 for percent in percents}


def recorded(names: Sequence[str], options: argparse.Namespace, number: int) -> RecordedHand:
    """Play one hand before the camera and judge what the decoder recorded."""
    gc.collect()
    gc.freeze()  # what earlier hands left is not searched for garbage in this one's time
    rules, known = names[number % len(names)], not options.record_only
    hand, spent_ms = played(rules, number), list[float]()
    at_table = hand.at_table(Disturbances(options.seed, options.scale, scales_of(options.kind)))
    decoder = decoder_of(hand, deal=known, gates=known)
    frame_ms = round(1000 / options.frames_per_s)
    table = good_table(number) if options.rendered else None
    seen = rendered(at_table, table, frame_ms, every_frame=options.every_frame) if table else None
    told_of = messages_of(at_table, recorder_violations.noise(options), seen, backs=True, frame_ms=frame_ms)
    stream = list(told_of)  # what the simulated table costs is not counted
    clock = [time.process_time()]

    def spent() -> None:
        now = time.process_time()
        spent_ms.append(round(1000 * (now - clock[0]), 2))
        clock[0] = now

    published = followed(decoder, stream, gates=known, after=spent)
    found = decoder.finish()
    exact, asked = _same(found, hand), len(decoder.questions)
    return RecordedHand(
        name=f"{rules} {number}",
        exact=exact,
        open=any(event.left_open for event in found),
        exact_but_for_open=exact or _same_but_for_open(found, hand),
        questions=asked,
        right_after_answers=_answered(decoder, hand) if asked else exact,
        slips=sum(at_table.counts[kind] for kind in recorder_violations.SLIPS),
        violations=[each.violation.kind.value for each in decoder.reported_violations.values()],
        published_wrong=sum(event.number > len(hand.events) or event.event != hand.events[event.number - 1] for event in published),
        disturbances={kind.value: count for kind, count in at_table.counts.items()},
        observations_ms=spent_ms,
        swept_ms=table.swept_ms if table else [],
        events_after_ms=[_after_ms(event) for event in published],
        discards_after_ms=[_after_ms(event) for event in published if isinstance(event.event, TileDiscarded)],
    )


def _after_ms(event: Decoded) -> int:
    return event.published_ms - event.grounds.at_ms


def _answered(decoder: HandDecoder, hand: PlayedHand) -> bool:
    """Whether the hand is right once its questions about kinds are answered with the truth; others stay open."""
    for question in decoder.questions:
        truth = hand.events[question.number - 1] if question.number <= len(hand.events) else None
        if isinstance(truth, TileDiscarded) and question.kinds:
            decoder.answered(question, truth.tile)
    return _same(decoder.finish(), hand)


def counted(names: Sequence[str], options: argparse.Namespace, run: Run) -> RecorderFigures:
    """Record all hands that the options ask for, of these rule sets in turn."""
    numbers = range(options.first, options.first + options.hands)
    series = Series(json.dumps(tried(names, options)), partial(recorded, names, options), RecordedHand, numbers, 1)
    return RecorderFigures(run.measured(series).results, options.frames_per_s, options.every_frame)


def tried(names: Sequence[str], options: argparse.Namespace) -> dict[str, object]:
    own = {name: getattr(options, name) for name in ("seed", "scale", "blur", "record_only", "frames_per_s", "rendered", "every_frame")}
    return {"rules": list(names), **own, "kinds": scales_of(options.kind)}


def _same(found: tuple[Decoded, ...], hand: PlayedHand) -> bool:
    events: tuple[PlayEvent, ...] = tuple(event.event for event in found)
    return events == hand.events


def _same_but_for_open(found: tuple[Decoded, ...], hand: PlayedHand) -> bool:
    """Whether the record is right, except for the parts it leaves open and the scores, which may follow from them."""
    if len(found) != len(hand.events) or not any(event.left_open for event in found):
        return False
    *played_on, last = zip(found, hand.events, strict=True)
    ended = isinstance(last[0].event, HandEnded) and isinstance(last[1], HandEnded) and last[0].event.reason is last[1].reason
    return ended and all(truth in (event.event, *event.left_open) for event, truth in played_on)


def main() -> int:
    parser = argparse.ArgumentParser(description="Figures of the recorder, as JSON.")
    parser.add_argument("--json", action="store_true", help="print one JSON document; always so")
    parser.add_argument("--rules", choices=rule_set_names(), help="one rule set instead of all four in turn")
    parser.add_argument("--hands", type=int, default=8)
    parser.add_argument("--first", type=int, default=0, help="number of the first hand")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scale", type=float, default=1.0, help="multiplies the rate of every disturbance")
    parser.add_argument(
        "--kind",
        type=kind_factor,
        action="append",
        default=[],
        metavar="NAME=FACTOR",
        help="multiplies the rate of one kind of disturbance, or of all, once more; repeatable, later ones override earlier ones",
    )
    parser.add_argument("--blur", type=float, default=1.0, help="multiplies the share of tiles that are hard to read")
    parser.add_argument("--rendered", action="store_true", help="render and sweep frames in place of observations with noise")
    parser.add_argument("--every-frame", action="store_true", help="with --rendered: sweep unchanged frames as well")
    parser.add_argument("--frames-per-s", type=int, default=FRAMES_PER_S, help=f"observations of each second of a hand ({FRAMES_PER_S})")
    parser.add_argument("--record-only", action="store_true", help="without deal and draw gates")
    parser.add_argument(
        "--violations", action="store_true", help="let people violate the rules: violations missed, invented and asked about"
    )
    parser.add_argument("--each", type=int, default=5, help="with --violations: their number in each hand")
    parser.add_argument("--curve", action="store_true", help="measure several disturbances and camera qualities, --hands hands each")
    parser.add_argument("--svg", metavar="FILE", help="with --curve: draw it there")
    parser.add_argument("--processes", type=int, default=2, help="processes to share the hands (2)")
    parser.add_argument("--record", type=Path, metavar="FILE", help="keep each hand in a file, from which the same command continues")
    options = parser.parse_args()
    if options.every_frame and not options.rendered:
        parser.error("--every-frame goes with --rendered")
    for name in ("hands", "frames_per_s", "processes"):
        if getattr(options, name) < 1:
            parser.error(f"--{name.replace('_', '-')} {getattr(options, name)}: one or more")
    given = {"--kind": options.kind, "--rendered": options.rendered, "--record-only": options.record_only}
    without = [name for name, value in (given | {"--frames-per-s": options.frames_per_s != FRAMES_PER_S}).items() if value]
    if options.violations and without:
        parser.error(f"--violations takes no {', '.join(without)}")
    names = [options.rules] if options.rules else list(rule_set_names())
    sources = sources_digest(Path(__file__).parents[1], *OWN_SOURCES) if options.record else ""
    run = Run(options.processes, math.inf, RunRecord(options.record, sources))
    if options.violations:
        return recorder_violations.run(names, options, run)
    if options.curve:
        return recorder_curve.run(options, lambda chosen: counted(names, chosen, run))
    json.dump(tried(names, options) | counted(names, options, run).document(), sys.stdout, indent=2)
    print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
