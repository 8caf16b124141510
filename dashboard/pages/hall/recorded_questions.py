"""The questions of a recorded hand as its page asks them: what is recorded, what came before it, where it lies, and what was answered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dashboard.i18n.words import Words
from dashboard.pages.hall.recorded_moves import RecordedMove, anchor_of, move_text, tiles_of
from dashboard.pages.table.presentation import broken_rule
from dashboard.readiness.table_readiness import RecordedDocument, UnsettledEvent
from twinwall.art.mat import Area, Mat
from twinwall.game.play_json import from_json
from twinwall.game.record import HandRecord
from twinwall.game.session import place_of
from twinwall.game.tiles import SEATS, parse_tile

BEFORE = 3
"""This many moves before the one in doubt are shown."""
_IN_WORDS = ("yes", "no", "unknown")


def drawn_mat(hand: int) -> dict[str, object]:
    """The mat as it is drawn beside a question, in the hand of this number of a session: the places of rivers, the rows of hands and melds,
    and where each seat sits."""
    mat = Mat()
    slots = (mat.spot(slot) for place in range(len(SEATS)) for area in (Area.RIVER, Area.MELD) for slot in mat.slots(place, area))
    seats = {place_of(seat, hand): seat for seat in SEATS}
    return {"half_mm": mat.half_side_mm, "tile_mm": (mat.tile_width_mm, mat.tile_height_mm), "slots": list(slots), "seats": seats}


def recorded_questions(
    found: RecordedDocument, record: HandRecord, moves: Sequence[RecordedMove], words: Words
) -> Iterator[dict[str, object]]:
    """The open questions, and then the answered ones, each in the order of the hand.

    ``held`` is what the record has there now, ``instead`` what another reading has; ``rule`` is the one that a violation would break,
    ``spot`` where the tile lies that is asked about, in mm from the middle of the mat.
    """
    for answered, asked in [*((False, each) for each in found.questions), *((True, each) for each in found.answered)]:
        here = record.events[asked.seq - 1] if 0 < asked.seq <= len(record.events) and asked.violation is None else None
        before = tuple(move for move in moves if move.number < asked.seq or (asked.violation is not None and move.number == asked.seq))
        yield {
            "asked": asked,
            "anchor": anchor_of(asked.seq, asked.about),
            "spot": (asked.x_mm, asked.y_mm) if (asked.x_mm, asked.y_mm) != (0.0, 0.0) else None,
            "kinds": tuple(map(parse_tile, asked.kinds)),
            "before": before[-BEFORE:],
            "held": None if here is None else RecordedMove(asked.seq, move_text(here, words), tiles_of(here)),
            "instead": _instead(asked, words),
            "rule": "" if asked.violation is None else broken_rule(asked.violation.kind, asked.violation.rule, words),
            "said_tile": None if asked.said in ("", *_IN_WORDS) else parse_tile(asked.said),
            "answered": answered,
        }


def _instead(asked: UnsettledEvent, words: Words) -> RecordedMove | None:
    """What another reading has, where it differs in more than a tile."""
    rival = None if asked.kinds or asked.paths[1] is None else from_json(asked.paths[1])
    return None if rival is None else RecordedMove(asked.seq, move_text(rival, words), tiles_of(rival))
