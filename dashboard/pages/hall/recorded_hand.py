"""A recorded hand as its page shows it: its moves in words, and its questions with what came before, where it is, and what was answered.

A move is what lay open, in its order; the camera alone is not sure of some.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from dashboard.i18n.words import Words
from dashboard.pages.table.log_rows import broken_rule
from dashboard.readiness.local_servers import RecordedDocument, UnsettledEvent
from twinwall.art.mat import Area, Mat
from twinwall.game.play_events import (
    Claimed,
    ClaimsPassed,
    HandEnded,
    HandLaidOpen,
    HandShown,
    KongDeclared,
    PlayEvent,
    SharedTileTurned,
    TileDiscarded,
    TileDrawn,
    WinDeclared,
    WinRefused,
)
from twinwall.game.play_json import from_json
from twinwall.game.record import HandRecord
from twinwall.game.session import place_of
from twinwall.game.tiles import SEATS, Seat, Tile, TileRow, parse_tile
from twinwall.values import frozen


@frozen
class RecordedMove:
    """One move, by the number of its event; ``doubted``: where on the page is asked about it, empty where nothing is. Its tile, that of a
    shown hand on which it won, may be one of ``perhaps``."""

    number: int
    text: str
    tiles: TileRow = ()
    doubted: str = ""
    perhaps: TileRow = ()


_KINDS_SHOWN = 3


def anchor_of(number: int, about: str) -> str:
    """Where on its page a question stands: ``about`` may have spaces, and the place may not."""
    return "-".join(("question", str(number), *about.split()))


def recorded_moves(found: RecordedDocument, record: HandRecord, words: Words) -> Iterator[RecordedMove]:
    """The moves of a record. A draw is no move of its own, since its tile was not seen."""
    doubted = _doubted((*found.questions, *found.answered))
    left_open = {each.seq: [from_json(event) for event in each.events] for each in found.open}
    for number, event in enumerate(record.events, 1):
        asked = doubted.get(number)
        if asked is not None:
            perhaps = tuple(map(parse_tile, asked.kinds[:_KINDS_SHOWN]))
            yield RecordedMove(number, move_text(event, words), tiles_of(event), anchor_of(number, asked.about), perhaps)
        elif not isinstance(event, TileDrawn | ClaimsPassed):
            won = tuple(other.winning for other in left_open.get(number, ()) if isinstance(other, HandShown))
            yield RecordedMove(number, move_text(event, words), tiles_of(event), perhaps=won)


def _doubted(questions: Iterable[UnsettledEvent]) -> Mapping[int, UnsettledEvent]:
    """By the number of an event the question that leaves it in doubt: the one about its tile before any other."""
    doubted = dict[int, UnsettledEvent]()
    for asked in sorted(questions, key=lambda each: not each.kinds):
        if asked.leaves_move_in_doubt:
            doubted.setdefault(asked.seq, asked)
    return doubted


def move_text(event: PlayEvent, words: Words) -> str:
    """A move in words; none for a ruling, which no camera sees."""
    match event:
        case TileDrawn(seat):
            return words("recording.draws", seat=words.seat(seat))
        case ClaimsPassed():
            return words("recording.passed")
        case TileDiscarded(seat, tile, riichi):
            return _did("riichi" if riichi else "discard", seat, tile, words)
        case Claimed(seat, meld) | KongDeclared(seat, meld):
            kind = meld.type.value.replace("_", "-")
            return words("recording.kong-face-down", seat=words.seat(seat)) if not meld.tiles else _did(kind, seat, meld.tiles[-1], words)
        case WinDeclared(seat, source, tile) if source is not None and tile is not None:
            return words("replay.do.win", seat=words.seat(seat), tile=words.tile(tile), source=words.seat(source))
        case WinDeclared(seat):
            return words("recording.self-draw", seat=words.seat(seat))
        case HandShown(seat) | HandLaidOpen(seat):
            return words("replay.do.show", seat=words.seat(seat))
        case WinRefused(seat, reason):
            return words("replay.note.win-refused", seat=words.seat(seat), text=reason)
        case SharedTileTurned(_, tile):
            return words("replay.note.shared-tile-turned", tile=words.tile(tile))
        case HandEnded(reason):
            return words(f"replay.end.{reason.value}")
        case _:
            return ""


def _did(what: str, seat: Seat, tile: Tile, words: Words) -> str:
    return words(f"replay.do.{what}", seat=words.seat(seat), tile=words.tile(tile))


def tiles_of(event: PlayEvent) -> TileRow:
    """What lies open by a move."""
    match event:
        case TileDiscarded(_, tile) | SharedTileTurned(_, tile):
            return (tile,)
        case Claimed(_, meld) | KongDeclared(_, meld):
            return meld.tiles
        case HandShown(_, concealed, winning):
            return (*concealed, winning)
        case HandLaidOpen(_, concealed):
            return concealed
        case _:
            return ()


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
    found: RecordedDocument,
    record: HandRecord,
    moves: Sequence[RecordedMove],
    words: Words,
    pictures: Callable[[UnsettledEvent], Sequence[tuple[str, str]]] = lambda _: (),
) -> Iterator[dict[str, object]]:
    """The open questions, and then the answered ones, each in the order of the hand.

    ``held`` is what the record has there now, ``instead`` what another reading has; ``rule`` is the one that a violation would break,
    ``spot`` where the tile lies that is asked about, in mm from the middle of the mat. ``pictures``: "before" or "after" and the address of
    each; where there are some the spot is not drawn.
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
            "pictures": pictures(asked),
        }


def _instead(asked: UnsettledEvent, words: Words) -> RecordedMove | None:
    """What another reading has, where it differs in more than a tile."""
    rival = None if asked.kinds or asked.paths[1] is None else from_json(asked.paths[1])
    return None if rival is None else RecordedMove(asked.seq, move_text(rival, words), tiles_of(rival))
