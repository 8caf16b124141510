"""The moves of a recorded hand in words: what lay open, in its order, and of which moves the camera alone is not sure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from dashboard.i18n.words import Words
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
from twinwall.game.record import HandRecord
from twinwall.game.tiles import Seat, Tile, parse_tile


@dataclass(frozen=True, slots=True)
class RecordedMove:
    """One move, by the number of its event; ``doubted``: the camera alone does not settle it, and its tile may be one of ``perhaps``."""

    number: int
    text: str
    tiles: tuple[Tile, ...] = ()
    doubted: bool = False
    perhaps: tuple[Tile, ...] = ()


_KINDS_SHOWN = 3


def recorded_moves(record: HandRecord, doubted: Mapping[int, Sequence[str]], words: Words) -> Iterator[RecordedMove]:
    """The moves of a record. ``doubted`` has for the number of an event, from 1, the kinds that its tile may have. A draw is no move of
    its own, since nobody saw what was drawn."""
    for number, event in enumerate(record.events, 1):
        if number in doubted or not isinstance(event, TileDrawn | ClaimsPassed):
            perhaps = tuple(parse_tile(kind) for kind in doubted.get(number, ())[:_KINDS_SHOWN])
            yield RecordedMove(number, move_text(event, words), tiles_of(event), number in doubted, perhaps)


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


def tiles_of(event: PlayEvent) -> tuple[Tile, ...]:
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
