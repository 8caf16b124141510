"""The questions of a recorded hand as its page asks them: what is recorded, what came before it, where it lies, and what was answered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from dashboard.i18n.words import Words
from dashboard.pages.hall.recorded_moves import RecordedMove, anchor_of, move_text, tiles_of
from dashboard.pages.table.presentation import broken_rule
from dashboard.readiness.table_readiness import RecordedDocument, UnsettledEvent
from twinwall.art.mat import Area, Mat, Spot
from twinwall.game.play_json import from_json
from twinwall.game.record import HandRecord
from twinwall.game.session import place_of
from twinwall.game.tiles import SEATS, Seat, Tile, parse_tile

BEFORE = 3
"""This many moves before the one in doubt are shown."""
_IN_WORDS = ("yes", "no", "unknown")


@dataclass(frozen=True, slots=True)
class RecordedQuestion:
    """A question: ``held`` is what the record has there now, ``instead`` what another reading has; ``rule`` is the one that a violation
    would break, empty where none is asked about. ``said`` is a tile or a word, ``said_tile`` the tile."""

    asked: UnsettledEvent
    kinds: tuple[Tile, ...]
    before: tuple[RecordedMove, ...]
    held: RecordedMove | None
    instead: RecordedMove | None
    rule: str
    said_tile: Tile | None
    answered: bool

    @property
    def anchor(self) -> str:
        """Its place on the page."""
        return anchor_of(self.asked.seq, self.asked.about)

    @property
    def spot(self) -> tuple[float, float] | None:
        """Where the tile lies, in mm from the middle of the mat; None where no tile is asked about."""
        return (self.asked.x_mm, self.asked.y_mm) if (self.asked.x_mm, self.asked.y_mm) != (0.0, 0.0) else None


@dataclass(frozen=True, slots=True)
class DrawnMat:
    """The mat as it is drawn beside a question: the places of rivers, the rows of hands and melds, and where each seat sits."""

    half_mm: float
    tile_mm: tuple[float, float]
    slots: tuple[Spot, ...]
    seats: Mapping[int, Seat]


def drawn_mat(hand: int) -> DrawnMat:
    """The mat in the hand of this number of a session."""
    mat = Mat()
    slots = (mat.spot(slot) for place in range(len(SEATS)) for area in (Area.RIVER, Area.MELD) for slot in mat.slots(place, area))
    seats = {place_of(seat, hand): seat for seat in SEATS}
    return DrawnMat(mat.half_side_mm, (mat.tile_width_mm, mat.tile_height_mm), tuple(slots), seats)


def recorded_questions(
    found: RecordedDocument, record: HandRecord, moves: Sequence[RecordedMove], words: Words
) -> Iterator[RecordedQuestion]:
    """The open questions, and then the answered ones, each in the order of the hand."""
    for answered, asked in [*((False, each) for each in found.questions), *((True, each) for each in found.answered)]:
        here = record.events[asked.seq - 1] if 0 < asked.seq <= len(record.events) and asked.violation is None else None
        before = tuple(move for move in moves if move.number < asked.seq or (asked.violation is not None and move.number == asked.seq))
        yield RecordedQuestion(
            asked=asked,
            kinds=tuple(map(parse_tile, asked.kinds)),
            before=before[-BEFORE:],
            held=None if here is None else RecordedMove(asked.seq, move_text(here, words), tiles_of(here)),
            instead=_instead(asked, words),
            rule="" if asked.violation is None else broken_rule(asked.violation.kind, asked.violation.rule, words),
            said_tile=None if asked.said in ("", *_IN_WORDS) else parse_tile(asked.said),
            answered=answered,
        )


def _instead(asked: UnsettledEvent, words: Words) -> RecordedMove | None:
    """What another reading has, where it differs in more than a tile."""
    rival = None if asked.kinds or asked.paths[1] is None else from_json(asked.paths[1])
    return None if rival is None else RecordedMove(asked.seq, move_text(rival, words), tiles_of(rival))
