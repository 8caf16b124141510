"""Violations before the decoder: ``python -m benchmarks.recorder --violations --json [--hands N] [--each K]``.

People at simulated tables commit ``--each`` violations in each hand, with disturbances at every default rate. Counted are violations that
the decoder did not report (missed), reported ones that were not committed (invented), and its questions.
"""

import argparse
import json
import math
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise

from benchmarks.played_tables.hand_on_table import HandOnTable
from benchmarks.played_tables.violations import CommittedViolation, ViolationAct, violated_hand
from benchmarks.support.parts import Run, Series
from controller.recorder import costs
from controller.recorder.decoder import HandDecoder
from controller.recorder.signals import Question
from controller.recorder.tracks import SILENT_MS
from controller.recorder.violations import FoundViolation, PathViolation
from simulator.disturbances.kinds import Disturbance, Disturbances
from tests.support.recorder.played_hands import Message, PlayedHand, decoder_of, followed, messages_of, played
from tests.support.simulator.mat_observations import MEASURED_NOISE, ObservationNoise, lying_tiles
from twinwall.art.mat import Mat, Spot
from twinwall.game.play_events import HandEnded, PlayEvent, WinDeclared
from twinwall.values import frozen
from vision.mat_observation import MatObservation

_LATE_MS = 4000
"""At most this long after an act a tile is seen, or an edge is joined, unless an arm covers the place where the act laid a tile."""
_EARLY_MS = 500
_BEFORE_MS = 1000
"""A question names the frame this long before its subject."""
_STAYS_MS = costs.STAYS_FOR_GOOD_MS
"""A wrongly laid tile must be in sight this long to be reported; each stays for at least 6 s."""
_SEEN_MM = 5.0
"""A tile in a frame is the laid one if it is at most this far from where that was laid."""
_TOLD_MM = 15.0
"""The same for the tile of a reported violation, which may have been moved a little since."""
_LAID_MS = 2000
"""The first tile is laid at most this long after an act has begun."""
_OF_A_MELD = 2
"""This many tiles of a false claim must be in sight."""
_AT_GATES = (ViolationAct.DREW_EARLY, ViolationAct.DREW_OUT_OF_TURN, ViolationAct.DREW_TWICE, ViolationAct.PUT_BACK)
SLIPS = (Disturbance.DRAW_PUT_BACK, Disturbance.TWO_DRAWN, Disturbance.DRAW_FROM_OTHER_WALL)
"""Disturbances that are violations themselves: switched off here, so that only counted ones happen."""


@frozen
class ViolatedHand:
    """The violations committed and reported in one hand, as stored in a file."""

    name: str
    """Rule set and number, to play it again."""
    exact: bool
    committed: list[str]
    """By kind, like all that follow."""
    missed: list[str]
    unwatched: list[str]
    """Neither reported nor asked about, while the camera was silent, or with tiles that no frames showed for ``_STAYS_MS``."""
    invented: list[str]
    asked: int
    """Questions about violations."""
    asked_of_committed: int
    """Questions about violations that were committed."""
    questions: int
    told_after_ms: list[int]
    notes: list[str]


def document(hands: Sequence[ViolatedHand]) -> dict[str, object]:
    """Return the printed figures."""
    after = sorted(ms for hand in hands for ms in hand.told_after_ms)
    kinds = {
        name: Counter(kind for hand in hands for kind in getattr(hand, name)) for name in ("committed", "missed", "unwatched", "invented")
    }
    wrong = [hand.name for hand in hands if not (hand.exact or hand.questions)]
    return {
        "hands": len(hands),
        **{name: sum(counts.values()) for name, counts in kinds.items()},
        "questions_about_violations": sum(hand.asked for hand in hands),
        "of_these_committed": sum(hand.asked_of_committed for hand in hands),
        "questions": sum(hand.questions for hand in hands),
        "hands_recorded_exactly": sum(hand.exact for hand in hands),
        "hands_wrong_without_question": len(wrong),
        "told_after_ms_p50": after[len(after) // 2] if after else 0,
        "by_kind": {
            kind: {name: counts[kind] for name, counts in kinds.items()} for kind in sorted(kinds["committed"] | kinds["invented"])
        },
        "notes": [*(f"{name} is wrong without a question" for name in wrong), *(note for hand in hands for note in hand.notes)],
    }


def noise(options: argparse.Namespace) -> ObservationNoise:
    """Return the measured noise of observations, with ``--blur`` times as many tiles that are hard to see."""
    return replace(MEASURED_NOISE.worse(options.blur), seed=options.seed)


@frozen
class WronglyLaidTile:
    """Where a violation has laid a tile, and until when that stays there."""

    x_mm: float
    y_mm: float
    until_ms: float

    def is_at(self, x_mm: float, y_mm: float, most_mm: float) -> bool:
        """Whether a place is at most ``most_mm`` away."""
        return math.hypot(self.x_mm - x_mm, self.y_mm - y_mm) <= most_mm


@frozen
class Committed:
    """The violations of a hand, the places of their tiles on the mat, and the events that were played."""

    acts: tuple[CommittedViolation, ...]
    laid: dict[CommittedViolation, list[WronglyLaidTile]]
    events: tuple[PlayEvent, ...]


@frozen
class Judged:
    """A decoder's findings about the violations of a hand."""

    found: tuple[FoundViolation, ...]
    missed: list[CommittedViolation]
    """Neither reported nor asked about, though the camera showed them."""
    unwatched: list[CommittedViolation]
    invented: list[PathViolation]
    asked: int
    """How many it has asked about."""


def committed_in(hand: PlayedHand, people: Disturbances, each: int) -> tuple[HandOnTable, Committed]:
    """Play the hand with ``each`` violations."""
    at_table, acts = violated_hand(hand.to_play, people, each)
    lying = list(lying_since(at_table))
    laid = {act: laid_tiles(lying, act.at_ms) for act in acts if act.act not in _AT_GATES}
    return at_table, Committed(tuple(acts), laid, tuple(event for _, event in at_table.events))


def judged(decoder: HandDecoder, committed: Committed, frames: Sequence[MatObservation]) -> Judged:
    """Compare the findings of a finished decoder with a hand's violations."""
    laid = committed.laid

    def lies_there(told_of: PathViolation, each: CommittedViolation) -> bool:
        tracks = [decoder.tracks[track] for track in told_of.tracks]
        during = (tile for tile in laid.get(each, ()) if each.at_ms - _EARLY_MS <= told_of.at_ms < tile.until_ms)
        return any(tile.is_at(track.x_mm, track.y_mm, _TOLD_MM) for tile in during for track in tracks)

    found = tuple(each for _, each in sorted(decoder.reported_violations.items(), key=lambda item: item[1].violation.at_ms))
    missed, invented = _compared(committed.acts, [each.violation for each in found], lies_there)
    doubted = [question.violation for question in decoder.questions if question.violation is not None]
    unasked, _ = _compared(tuple(missed), doubted, lies_there)
    asked = [question for question in decoder.questions if not question.violation]
    unasked = [each for each in unasked if not any(_asks(question, each) for question in asked)]
    unwatched = [each for each in unasked if each in laid and not _watched(each, laid[each], frames)]
    return Judged(found, [each for each in unasked if each not in unwatched], unwatched, invented, len(missed) - len(unasked))


def violations_of_hand(names: Sequence[str], options: argparse.Namespace, number: int) -> ViolatedHand:
    """Play one hand with its violations before the camera, and judge what was reported."""
    rules = names[number % len(names)]
    hand, name = played(rules, number), f"{rules} {number}"
    at_table, committed = committed_in(hand, Disturbances(options.seed, options.scale, dict.fromkeys(SLIPS, 0.0)), options.each)
    decoder, frames = decoder_of(hand), list[MatObservation]()
    followed(decoder, (_noted(message, frames) for message in messages_of(at_table, noise(options), backs=True)))
    events = [decoded.event for decoded in decoder.finish()]
    result = judged(decoder, committed, frames)
    return ViolatedHand(
        name=name,
        exact=tuple(event for event in events if not isinstance(event, HandEnded)) == committed.events,
        committed=[each.act.value for each in committed.acts],
        missed=[each.act.value for each in result.missed],
        unwatched=[each.act.value for each in result.unwatched],
        invented=[each.kind.value for each in result.invented],
        asked=sum(question.violation is not None for question in decoder.questions),
        asked_of_committed=result.asked,
        questions=len(decoder.questions),
        told_after_ms=[each.published_ms - each.violation.at_ms for each in result.found if each.violation not in result.invented],
        notes=[
            *(f"{name} missed {each.act} of {each.seat} at {each.at_ms} ms" for each in result.missed),
            *(f"{name} unwatched {each.act} of {each.seat} at {each.at_ms} ms" for each in result.unwatched),
            *(f"{name} invented {each.kind} of {each.seat} at {each.at_ms} ms" for each in result.invented),
        ],
    )


def _asks(question: Question, committed: CommittedViolation) -> bool:
    """Whether a question about events is about a violation: its time fits, and it is undecided, or the violation is a false win, which is
    among the events. A question that offers the win may show the table from the event before it."""
    false_win = committed.act is ViolationAct.FALSE_WIN
    early_ms = _LATE_MS if any(isinstance(path, WinDeclared) and path.seat is committed.seat for path in question.paths) else _EARLY_MS
    about = false_win or question.paths == (None, None)
    return about and -early_ms <= question.before_ms + _BEFORE_MS - committed.at_ms <= _LATE_MS


def _noted(message: Message, frames: list[MatObservation]) -> Message:
    if isinstance(message, MatObservation):
        frames.append(message)
    return message


_Lying = tuple[int, frozenset[tuple[int, Spot]]]
"""A time, and the tiles (by id) that are on the mat from then on."""


def lying_since(at_table: HandOnTable) -> Iterator[_Lying]:
    """Yield the tiles on the mat, at the beginning and at each change."""
    mat = Mat()
    for at_ms, table in at_table.tabletops():
        yield at_ms, frozenset((lies.tile.id, lies.pose) for lies in lying_tiles(table, mat))


def laid_tiles(lying: Sequence[_Lying], at_ms: int) -> list[WronglyLaidTile]:
    """Return the tiles that an act, begun at a time, has laid on the mat: all that arrived since, until one of them was picked up. Raises
    ValueError if none arrived soon."""
    laid = dict[tuple[int, Spot], int]()
    for (_, before), (changed_ms, lie) in pairwise(lying):
        if changed_ms < at_ms:
            continue
        if laid.keys() - lie or (not laid and changed_ms > at_ms + _LAID_MS):
            break
        laid |= dict.fromkeys(lie - before, changed_ms)
    if not laid:
        raise ValueError(f"nothing came to lie on the mat soon after {at_ms} ms")
    return [
        WronglyLaidTile(
            pose.x_mm, pose.y_mm, next((gone_ms for gone_ms, lie in lying if gone_ms > since_ms and (tile, pose) not in lie), math.inf)
        )
        for (tile, pose), since_ms in laid.items()
    ]


def _watched(committed: CommittedViolation, laid: Sequence[WronglyLaidTile], frames: Sequence[MatObservation]) -> bool:
    """Whether the camera was not silent while wrongly laid tiles had to be in sight, and saw enough of them for long enough."""
    at_ms = committed.at_ms
    gaps = ((before.at_ms, after.at_ms) for before, after in pairwise(frames) if after.at_ms - before.at_ms > SILENT_MS)
    if any(before < at_ms + _STAYS_MS and after > at_ms for before, after in gaps):
        return False
    needed = _OF_A_MELD if committed.act is ViolationAct.FALSE_CLAIM else 1
    return sum(_in_sight_ms(at_ms, tile, frames) >= _STAYS_MS for tile in laid) >= needed


def _in_sight_ms(at_ms: int, laid: WronglyLaidTile, frames: Sequence[MatObservation]) -> int:
    """Return the time from the first to the last frame that shows the tile there."""
    during = (frame for frame in frames if at_ms <= frame.at_ms < laid.until_ms)
    seen = [frame.at_ms for frame in during if any(laid.is_at(tile.x_mm, tile.y_mm, _SEEN_MM) for tile in frame.tiles)]
    return seen[-1] - seen[0] if seen else 0


def _compared(
    committed: tuple[CommittedViolation, ...],
    found: list[PathViolation],
    lies_there: Callable[[PathViolation, CommittedViolation], bool],
) -> tuple[list[CommittedViolation], list[PathViolation]]:
    """Return what was committed and not found, and what was found and not committed."""
    left, missed = list(found), []
    for each in committed:
        same = [other for other in left if (other.kind.value, other.seat) == (each.act.value, each.seat)]
        in_time = (other for other in same if -_EARLY_MS <= other.at_ms - each.at_ms <= _LATE_MS)
        match = next(in_time, None) or next((other for other in same if lies_there(other, each)), None)
        if match is None:
            missed.append(each)
        else:
            left.remove(match)
    return missed, left


def run(names: Sequence[str], options: argparse.Namespace, parts: Run) -> int:
    tried = {
        "rules": list(names),
        "seed": options.seed,
        "scale": options.scale,
        "blur": options.blur,
        "violations_a_hand": options.each,
    }
    numbers = range(options.first, options.first + options.hands)
    measured = parts.measured(Series(json.dumps(tried), partial(violations_of_hand, names, options), ViolatedHand, numbers, 1))
    spent = {"processor_s_a_hand": round(measured.processor_s / max(1, options.hands), 1)}
    json.dump(tried | document(measured.results) | spent, sys.stdout, indent=2)
    print()
    return 0
