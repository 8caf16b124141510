"""A hand as other programs' forms have it: starting hands, then moves with their tiles.

A form reads its text into a ``HandSheet`` or writes one. ``following`` finds the moves' events by the rules.
"""

from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from enum import Enum, auto

from twinwall.game.deals import Deal, walls_digest
from twinwall.game.deals.encoding import Sha256
from twinwall.game.deals.uncommitted import IMPORTED, NOT_COMMITTED
from twinwall.game.documents import DocumentError
from twinwall.game.held import HeldTiles, face_down_kind
from twinwall.game.play_events import Claimed, KongDeclared, MeldType, TileDiscarded, TileDrawn, WinDeclared
from twinwall.game.record import HandRecord
from twinwall.game.replay import Replay, replay
from twinwall.game.tiles import SEATS, Seat, Tile, TileRow
from twinwall.values import frozen

UNKNOWN = "?"
"""Stands for a text that a form lacks."""


class FormTextError(DocumentError):
    """A text that breaks its form's rules; the message names the hand, the place and what is allowed."""


def tile_codes(letters: str) -> tuple[str, ...]:
    """The codes of all kinds in canonical order; ``letters`` are those of the three suits, the winds and the dragons."""
    return tuple(f"{letter}{rank}" for letter, ranks in zip(letters, (9, 9, 9, 4, 3), strict=True) for rank in range(1, ranks + 1))


class MoveType(Enum):
    DRAW = auto()
    DISCARD = auto()
    CHOW = auto()
    PUNG = auto()
    KONG = auto()
    ADDED_KONG = auto()
    CONCEALED_KONG = auto()
    WIN = auto()


@frozen
class HandMove:
    """An action of a seat; ``tile`` was drawn, discarded, claimed, made a kong or won with."""

    type: MoveType
    seat: Seat
    tile: Tile
    run: TileRow = ()
    """The three tiles of a chow, the lowest first."""
    source: Seat | None = None
    """Whose discard was claimed or won on; None also if the form does not say."""
    drawn: bool = False
    """Whether a discard was the tile drawn in the same turn."""
    riichi: bool = False


def named_move(move: HandMove, before: HandMove | None, place: str, code: str) -> HandMove:
    """A move of which a form has named the tile, of a chow the middle one, after the move ``before``. Raises FormTextError, which names
    ``place`` and ``code``."""
    tile = move.tile
    if move.type is not MoveType.CHOW:
        drawn = before is not None and before.type is MoveType.DRAW and before.tile is tile
        return replace(move, drawn=drawn and move.type is MoveType.DISCARD)
    if tile.is_honour or tile.rank in (1, 9):
        raise FormTextError(f"{place} is a chow around {code}: the middle tile has a number from 2 to 8")
    run = Tile(tile - 1), tile, Tile(tile + 1)
    return replace(move, tile=before.tile if before is not None and before.tile in run else tile, run=run)


@frozen
class HandSheet:
    """One hand as a form describes it; a default stands for what the form does not say."""

    hands: Mapping[Seat, TileRow]
    """Starting hands; their order counts only if ``walls`` are known."""
    moves: tuple[HandMove, ...]
    scores: Mapping[Seat, int] | None = None
    players: Mapping[Seat, str] = field(default_factory=lambda: dict.fromkeys(SEATS, UNKNOWN))
    event: str = UNKNOWN
    session: int = 1
    hand: int = 1
    """Of the session, from 1."""
    n: int = 1
    table: str = "1"
    rules: str | None = None
    options: Mapping[str, object] = field(default_factory=dict)
    check: bytes | None = None
    walls: Mapping[Seat, TileRow] | None = None
    """Whole walls in order, if the form has the undrawn tiles."""
    rest: TileRow = ()
    broken_off: str = ""
    """Where and why the text cannot be read further; empty if it can be read to its end."""
    tags: Mapping[str, str] = field(default_factory=dict)
    """The form's other values by its own names, in order, for writing them back."""


_CLAIMS = {MeldType.CHOW: MoveType.CHOW, MeldType.PUNG: MoveType.PUNG, MeldType.KONG: MoveType.KONG}


class NoDealError(ValueError):
    """A hand recorded without its deal, so its concealed draws are unknown."""


@frozen
class ReleasedHand:
    """The record of a released deal, its sheet and its replay."""

    record: HandRecord
    sheet: HandSheet
    played: Replay


def released_hand(record: HandRecord) -> ReleasedHand:
    """A record ready to be written; raises as ``sheet_of``."""
    return ReleasedHand(record, sheet_of(record), replay(record))


def sheet_of(record: HandRecord) -> HandSheet:
    """The sheet of a record; raises ValueError if it has no walls, because the deal is not released, and NoDealError."""
    if record.without_deal:
        raise NoDealError(f"the hand of table {record.table} was recorded without its deal: concealed draws are not known")
    if record.walls is None:
        raise ValueError(
            f"deal {record.n} at table {record.table} is not released (the record has no walls yet): it is its table's secret until then"
        )
    return HandSheet(
        hands={seat: record.walls[seat].hand for seat in SEATS},
        moves=tuple(_moves(record)),
        scores=record.scores,
        players=record.players,
        event=record.event,
        session=record.session,
        hand=record.hand,
        n=record.n,
        table=record.table,
        rules=record.rules,
        options=record.options,
        check=record.check,
        walls={seat: record.walls[seat].tiles for seat in SEATS},
        rest=record.rest or (),
    )


def deal_of(record: HandRecord) -> Deal:
    """The deal of a record with walls, for rehearsals. It has no commitment and a zero root, so it can belong to no event's start.

    Raises ValueError for a record without walls.
    """
    if record.walls is None:
        raise ValueError(f"the record of deal {record.n} at table {record.table} has no walls")
    rest = record.rest or ()
    return Deal(
        n=record.n,
        event=record.event,
        session=record.session,
        hand=record.hand,
        rules=record.rules,
        walls=record.walls,
        rest=rest,
        digest=walls_digest(record.walls, rest),
        check=Sha256(record.check),
        root=NOT_COMMITTED,
        public=IMPORTED,
    )


def _moves(record: HandRecord) -> Iterator[HandMove]:
    assert record.walls is not None
    held = HeldTiles(record.walls)
    last: dict[Seat, Tile] = {}
    laid: dict[Seat, list[Tile]] = {seat: [] for seat in SEATS}
    drew: Seat | None = None
    for event in record.events:
        before = dict(held.of)
        held.happen(event)
        match event:
            case TileDrawn(seat):
                yield HandMove(MoveType.DRAW, seat, held.of[seat][-1])
            case TileDiscarded(seat, tile, riichi):
                yield HandMove(MoveType.DISCARD, seat, tile, drawn=drew is seat and before[seat][-1] is tile, riichi=riichi)
                last[seat] = tile
            case Claimed(seat, meld):
                assert meld.source is not None
                run = tuple(sorted(meld.tiles)) if meld.type is MeldType.CHOW else ()
                yield HandMove(_CLAIMS[meld.type], seat, last[meld.source], run, meld.source)
            case KongDeclared(seat, meld) if meld.type is MeldType.ADDED_KONG:
                yield HandMove(MoveType.ADDED_KONG, seat, meld.tiles[0])
                last[seat] = meld.tiles[0]
            case KongDeclared(seat, meld):
                kind = face_down_kind(seat, before[seat], laid[seat], record.events) if meld.face_down else meld.tiles[0]
                if meld.face_down:
                    laid[seat].append(kind)
                yield HandMove(MoveType.CONCEALED_KONG, seat, kind)
            case WinDeclared(seat, source, tile):
                yield HandMove(MoveType.WIN, seat, held.of[seat][-1] if tile is None else tile, source=source)
            case _:
                continue
        drew = event.seat if isinstance(event, TileDrawn) else None
