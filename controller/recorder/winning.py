"""Winning: whether a seat's hand would win, its score, and whether a seat has called a win that the deal proves."""

import math
from collections import Counter
from collections.abc import Sequence
from functools import reduce

from controller.recorder.hypothesis import Hypothesis, TableContext
from twinwall.game.documents import DocumentError
from twinwall.game.play import PlayState
from twinwall.game.play_events import Claim, HandLaidOpen, HandShown, PlayEvent, TileDiscarded, WinDeclared
from twinwall.game.rule_set import NoWin, Win
from twinwall.game.tiles import COPIES, Seat, Tile
from twinwall.wire.shapes.panel import Key


def calls_a_win(table: TableContext, path: Hypothesis, before_ms: float = math.inf) -> bool:
    """Whether a seat has pressed its key, before ``before_ms``, for a win on the last tile with which its hand wins by the deal."""
    if path.held is None or path.play.last_discard is None:
        return False
    pressed = {table.places.seats[key.place] for key in path.keys if key.key is Key.WIN and key.at_ms < before_ms}
    for seat in pressed & {seat for seat, may in (path.permissions(table).claims or {}).items() if Claim.WIN in may}:
        event = WinDeclared(seat, path.play.turn, path.play.last_discard)
        after = path.happened(table, event)
        if after is not None and after.held is not None and would_win(table, after, event, after.held.of[seat]):
            return True
    return False


def would_win(table: TableContext, path: Hypothesis, event: WinDeclared, held: tuple[Tile, ...]) -> bool:
    """Whether a hand that the seat may hold wins as declared."""
    kongs = kongs_held(path, event.seat, held)
    if kongs is None:
        return False
    concealed = Counter(held) - Counter(dict.fromkeys(kongs, COPIES))
    winning = event.tile if event.tile is not None else held[-1]
    if event.source is None:
        concealed -= Counter([winning])
    return isinstance(score(table, path.play, HandShown(event.seat, tuple(sorted(concealed.elements())), winning, kongs)), Win)


def may_have_won(table: TableContext, events: Sequence[PlayEvent], laid: HandLaidOpen) -> bool:
    """Whether a hand laid open after these events wins on the last discard: without gates it is unknown whether a win was called."""
    for index in reversed(range(len(events))):
        if isinstance(discard := events[index], TileDiscarded):
            play = reduce(table.rules.apply, events[: index + 1], table.rules.start())
            win, shown = WinDeclared(laid.seat, discard.seat, discard.tile), HandShown(laid.seat, laid.concealed, discard.tile)
            return table.rules.illegal(play, win) is None and isinstance(score(table, table.rules.apply(play, win), shown), Win)
    return False


def score(table: TableContext, play: PlayState, shown: HandShown) -> Win | NoWin:
    """Return the worth of a hand shown in this state of play; tiles that are no hand do not win."""
    try:
        hand = table.rules.winning_hand(play, shown, table.round)
        if hand not in table.scores:
            table.scores[hand] = table.rules.score(hand)
        return table.scores[hand]
    except DocumentError:
        return NoWin("not-a-hand")


def kongs_held(path: Hypothesis, seat: Seat, held: tuple[Tile, ...]) -> tuple[Tile, ...] | None:
    """Return the kinds of the seat's face-down kongs, in the order made; None if its tiles do not contain them."""
    count = sum(meld.face_down for meld in path.play.seat(seat).melds)
    fours = [kind for kind in dict.fromkeys(held) if held.count(kind) == COPIES]
    return tuple(fours[:count]) if len(fours) >= count else None
