"""Dice, dealer and deal of Sichuan at a table with a common wall (四川ルール 血戦到底, revised 29 September 2018, 席決め・親決め・配牌).

A duplicate hand needs none of it: the deal fixes every wall, and East is the dealer. It is here because the source rules
it, and for a club that plays the rest of these rules by hand.
"""

from __future__ import annotations

from collections.abc import Sequence

from twinwall.game.rules.sichuan.state import SichuanState
from twinwall.game.tiles import SEATS, Seat, Tile

_ROUNDS, _BLOCK = 3, 4
_TAKEN = _ROUNDS * _BLOCK * len(SEATS)


def counted_from(roller: Seat, total: int) -> Seat:
    """The seat that the dice's total names: counted counter-clockwise, whoever rolls is 1."""
    return SEATS[(roller.index + total - 1) % len(SEATS)]


def first_dealer(roller: Seat, dice: tuple[int, int]) -> Seat:
    """Who deals first, when the eldest (or somebody like that) rolls."""
    return counted_from(roller, sum(dice))


def wall_break(dealer: Seat, dice: tuple[int, int]) -> tuple[Seat, int]:
    """Whose wall is broken when the dealer rolls, and after how many stacks from its right end: the smaller die."""
    return counted_from(dealer, sum(dice)), min(dice)


def dealt(dealer: Seat, tiles: Sequence[Tile]) -> tuple[dict[Seat, tuple[Tile, ...]], tuple[Tile, ...]]:
    """The hands and the wall that is left, from the tiles clockwise from the break, the upper of each stack first.

    Three times four tiles each; then the dealer takes the upper tiles of the first and the third stack, the others what
    lies between them, one each. The first draw is what is left of the third stack.
    """
    order = [SEATS[(dealer.index + step) % len(SEATS)] for step in range(len(SEATS))]
    hands: dict[Seat, list[Tile]] = {seat: [] for seat in order}
    for block in range(_ROUNDS * len(SEATS)):
        hands[order[block % len(SEATS)]] += tiles[_BLOCK * block : _BLOCK * block + _BLOCK]
    first, *between, third = tiles[_TAKEN : _TAKEN + 5]
    hands[dealer] += [first, third]
    for seat, tile in zip(order[1:], between, strict=True):
        hands[seat].append(tile)
    return {seat: tuple(hand) for seat, hand in hands.items()}, tuple(tiles[_TAKEN + 5 :])


def next_dealer(dealer: Seat, ended: SichuanState) -> Seat:
    """Who deals after a hand: its first winner; who dealt in, if the first win was of several at once; the same without a win.

    Seats are those of the hand that ended.
    """
    if not ended.standing:
        return dealer
    first = ended.standing[0]
    at_once = [win for win in ended.standing if win.source is first.source and win.finished == first.finished]
    return first.source if first.source is not None and len(at_once) > 1 else first.seat
