"""Questions about events that are not certain enough after the hand, and their subjects.

A subject says what is asked, in words that no other question of the event has; with the event's number it names the question in an answer,
a line of the hand's file. Wherever possible it follows from the question alone, since an answer about a kind adds or removes other
questions.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from controller.recorder import costs
from controller.recorder.hypothesis import Hypothesis, TableContext
from controller.recorder.moves.candidates import fewest_open
from controller.recorder.signals import Decoded, Question
from twinwall.game.play_events import HandShown, TileDiscarded, WinRefused
from twinwall.game.tiles import Tile
from vision.mat import Area


def questions(table: TableContext, best: Hypothesis, doubted: Sequence[Decoded]) -> Iterator[Question]:
    """Yield one question for each tile of doubtful kind, and one for each run of events that another path lacks. Two discards that another
    path has the other way round are one question; so are the kind of a shown tile and the refusal of its hand."""
    last: Decoded | None = None
    for number, event in enumerate(doubted):
        known = any(_one_doubt(earlier, event) for earlier in doubted[:number])
        if not known and (event.kind_in_doubt or last is None or event.number > last.number + costs.TWO_TURNS):
            yield _question(table, best, event)
        if known or not event.kind_in_doubt:
            last = event


def _one_doubt(one: Decoded, other: Decoded) -> bool:
    """Whether the answer about one event also answers a later one."""
    match one.event, one.rival, other.event, other.rival:
        case TileDiscarded(seat, tile), TileDiscarded(_, rival), TileDiscarded(other_seat, other_tile), TileDiscarded(_, other_rival):
            in_doubt = one.kind_in_doubt or other.kind_in_doubt
            return not in_doubt and seat is other_seat and (tile, rival) == (other_rival, other_tile)
        case HandShown(seat), _, _, WinRefused(refused):
            return seat is refused
        case _:
            return False


def _question(table: TableContext, best: Hypothesis, event: Decoded) -> Question:
    track = min(map(table.track, event.grounds.tracks), key=lambda track: track.evidence.margin, default=None)
    disputed = event.event
    kinds: tuple[Tile, ...] = ()
    if track is not None and event.kind_in_doubt:
        kinds = tuple(kind for kind in track.evidence.by_camera() if kind in set(table.rules.tiles))
    elif event.grounds.never_seen:
        kinds = tuple(fewest_open(table, best))
    x_mm, y_mm = (track.x_mm, track.y_mm) if track is not None else _due_spot(table, best, event)
    return Question(
        number=event.number,
        x_mm=x_mm,
        y_mm=y_mm,
        before_ms=event.grounds.at_ms - costs.MOMENT_MS,
        after_ms=table.now_ms,
        kinds=kinds,
        track=track.id if kinds and track is not None else None,
        paths=(disputed, event.rival),
        margin=event.margin,
    )


def _due_spot(table: TableContext, best: Hypothesis, event: Decoded) -> tuple[float, float]:
    """Return where a discard without a visible tile was due; the middle of the mat for other events."""
    if isinstance(event.event, TileDiscarded):
        return table.places.spot(event.event.seat, Area.RIVER, best.discards_before(event.number - 1, event.event.seat))
    return 0.0, 0.0


KIND, COURSE = "kind", "course"
"""Subjects: the kind of an event's tile, or whether the events from this one on happened."""


def with_subjects(questions: Iterable[Question]) -> Iterator[Question]:
    """Yield the questions of a hand with their subjects; equal subjects of an event get a running number."""
    met = Counter[tuple[int, str]]()
    for question in questions:
        about = _about(question)
        met[question.number, about] += 1
        count = met[question.number, about]
        yield replace(question, about=about if count == 1 else f"{about} {count}")


def _about(question: Question) -> str:
    """Return the subject. An event has one question at most; violations and unexplained tiles add their time."""
    if question.violation is not None:
        return f"{question.violation.kind.value} {question.violation.seat.value} {question.before_ms}"
    if question.kinds:
        return KIND
    return COURSE if question.paths[0] is not None else f"{COURSE} {question.before_ms}"
