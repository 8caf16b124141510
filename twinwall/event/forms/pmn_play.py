"""The play of a PMN text: tiles as a letter and a number, moves as an action, a seat and a tile."""

from __future__ import annotations

import re
from collections.abc import Iterator

from twinwall.event.forms.sheet import FormTextError, HandMove, MoveType
from twinwall.game.tiles import SEATS, Seat, Tile

LETTERS = "cdbwr"
CODES = tuple(f"{letter}{rank}" for letter, ranks in zip(LETTERS, (9, 9, 9, 4, 3), strict=True) for rank in range(1, ranks + 1))
TILES = {code: Tile(index) for index, code in enumerate(CODES)}
FLOWERS = "f"
_DRAWN = "z1"
"""In place of the tile: what was drawn in the same turn."""
_ACTIONS = {
    MoveType.DRAW: "T",
    MoveType.DISCARD: "D",
    MoveType.CHOW: "C",
    MoveType.PUNG: "P",
    MoveType.CONCEALED_KONG: "A",
    MoveType.ADDED_KONG: "B",
    MoveType.KONG: "Z",
    MoveType.WIN: "H",
}
_MOVES = {action: move for move, action in _ACTIONS.items()} | {"M": MoveType.WIN}
"""``M`` stands for a win in the README's own example."""
_MOVE = re.compile(r"([HM])([0-3])|([TDCPABZ])([0-3])([cdbwrz][1-9])")


def move_text(move: HandMove) -> str:
    """A move as the play has it."""
    begins = f"{_ACTIONS[move.type]}{move.seat.index}"
    match move.type:
        case MoveType.WIN:
            return begins
        case MoveType.DISCARD if move.drawn:
            return begins + _DRAWN
        case MoveType.CHOW:
            return begins + CODES[move.run[1]]
        case _:
            return begins + CODES[move.tile]


def moves_in(text: str) -> Iterator[HandMove]:
    """The moves of a play; raises FormTextError by the number of the move."""
    position, number = 0, 0
    drawn: Tile | None = None
    last: Tile | None = None
    while position < len(text):
        number += 1
        found = _MOVE.match(text, position)
        if found is None:
            raise FormTextError(_no_move(text[position : position + 4], number))
        position = found.end()
        if found[1]:
            yield HandMove(MoveType.WIN, SEATS[int(found[2])], last if last is not None else Tile.EAST)
            continue
        try:
            move = _move(_MOVES[found[3]], SEATS[int(found[4])], found[5], drawn, last)
        except FormTextError as error:
            raise FormTextError(f"move {number} {error}") from None
        yield move
        drawn = move.tile if move.type is MoveType.DRAW else None
        last = move.tile
    if number == 0:
        raise FormTextError("the tag Play is empty: there is no move in it")


def _no_move(text: str, number: int) -> str:
    if text.startswith("R"):
        return f"move {number} replaces a flower: no rule set here has flowers"
    if len(text) < 4:
        return f"move {number} is cut short ({text!r}): get the file again"
    return f"move {number} is {text!r}: write an action (T D C P A B Z H), a seat 0 to 3 and a tile such as c5"


def _move(move: MoveType, seat: Seat, code: str, drawn: Tile | None, last: Tile | None) -> HandMove:
    if code == _DRAWN and move is MoveType.DISCARD and drawn is not None:
        return HandMove(move, seat, drawn, drawn=True)
    tile = TILES.get(code)
    if tile is None:
        raise FormTextError(f"has {code}, which is no tile" + (" here" if code == _DRAWN else ""))
    if move is MoveType.CHOW:
        if tile.is_honour or tile.rank in (1, 9):
            raise FormTextError(f"is a chow around {code}: the middle tile has a number from 2 to 8")
        run = (Tile(tile - 1), tile, Tile(tile + 1))
        return HandMove(move, seat, last if last in run else tile, run)
    return HandMove(move, seat, tile, drawn=move is MoveType.DISCARD and tile is drawn)
