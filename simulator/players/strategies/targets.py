"""The distance of a hand from the targets worth aiming at, and what each of its tiles is good for.

A target is a complete hand (four sets and a pair, seven pairs, knitted honours, thirteen orphans) that is worth the minimum.
Its cost is −log of the chance that every missing tile turns up in the draws and discards still to come, in whole units of
1/32: integers throughout, so that every machine comes to the same decision.
"""

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from simulator.players.player_view import PlayerView
from simulator.players.strategies.fan_patterns import (
    ALL_PUNGS,
    CHOW_SETS,
    FLUSHES,
    OUTSIDE_KINDS,
    PAIR_IS_SIMPLE,
    PAIR_IS_SUITED,
    SET_COUNTS,
    SET_IS_CHOW,
    SET_IS_SIMPLE,
    SETS,
    Aim,
    Book,
    Counts,
    Family,
    knitted_kinds,
    rows_with,
    set_of_meld,
)
from twinwall.game.rules.divisions import counts_of
from twinwall.game.tiles import COPIES, Tile
from twinwall.values import frozen

Costs = NDArray[np.int64]

UNIT = 32
OUT_OF_REACH = 1 << 14
_KINDS = len(Tile)
_PATTERN_ROWS = 96
_BEAM = 20
_KEPT = 224
_CLOSED_ONLY = 8
"""Cost of having to stay closed (the concealed hand's fan are needed)."""
_SHARPNESS = 2
"""Chances count by this power: likely targets weigh more than many unlikely ones that share their tiles."""
_WEIGHTS = np.array([round(2**40 * math.exp(-_SHARPNESS * cost / UNIT)) for cost in range(20 * UNIT)] + [0], dtype=np.int64)
_INDEX = np.arange(_KINDS)
_INDEX_ROWS = np.eye(_KINDS, dtype=np.int16)
_EVERY_SET = np.arange(SETS)[None, :]
_ANY_PAIR = np.ones(_KINDS, dtype=bool)


@frozen
class Targets:
    """Targets by rising cost: ``need`` (n, 34) concealed tiles, ``cost`` (n,) in 1/32."""

    need: Counts
    cost: Costs

    def value(self) -> int:
        """What the hand is worth: the sum of the targets' weights."""
        return int(weights(self.cost).sum())


def weights(cost: Costs) -> NDArray[np.int64]:
    """How much targets of these costs count: 2⁴⁰ for one that is complete."""
    weighed: NDArray[np.int64] = _WEIGHTS[np.minimum(cost, len(_WEIGHTS) - 1)]
    return weighed


@lru_cache(maxsize=512)
def missing_costs(percent: int) -> NDArray[np.int64]:
    """(5, 7): the cost of lacking d (second index) tiles of a kind of which u copies (first index) are unseen."""
    chance = percent / 100
    table = np.full((COPIES + 1, 7), OUT_OF_REACH, dtype=np.int64)
    for unseen in range(COPIES + 1):
        for lacking in range(unseen + 1):
            tail = sum(math.comb(unseen, n) * chance**n * (1 - chance) ** (unseen - n) for n in range(lacking, unseen + 1))
            table[unseen, lacking] = round(-UNIT * math.log(tail)) + (UNIT // 4 if lacking else 0)
    return table


def _percent(view: PlayerView, unseen: int) -> int:
    """Chance in percent that a given unseen copy gets into the player's hands; a fifth of what the others draw can be claimed."""
    return min(95, max(1, round(100 * (view.draws_left + 0.2 * view.others_draws_left) / max(1, unseen))))


class Measure:
    """Costs of target families by what a player sees."""

    def __init__(self, view: PlayerView, reserve: tuple[int, ...], book: Book) -> None:
        """``reserve`` is what each ``Aim`` costs this player beyond its tiles, in 1/32."""
        self._reserve = reserve
        self._book = book
        self._numbers = tuple(sorted(set_of_meld(meld) for meld in view.melds))
        self._concealed = np.array(counts_of(view.concealed), dtype=np.int64)
        self._lain = SET_COUNTS[list(self._numbers)].sum(axis=0).astype(np.int64)
        self._held = self._concealed + self._lain
        unseen = view.unseen()
        self._table = missing_costs(_percent(view, sum(unseen)))[np.array(unseen)]
        wanted = np.arange(7)
        lacking = np.clip(wanted[None, :] - self._held[:, None], 0, 6)
        # cost[k, c]: to have c tiles of kind k in all, melds included.
        self._cost = np.take_along_axis(self._table, lacking, axis=1)
        self._cost[:, 5:] = OUT_OF_REACH
        self._fans = book.set_fans(view.seat, view.round)

    def targets(self) -> Targets:
        families = [self._patterns(), *self._beams()]
        if not self._numbers and self._book.special_hands:
            families.append(self._specials())
        need = np.concatenate([found.need for found in families])
        cost = np.concatenate([found.cost for found in families])
        best = _cheapest(cost, _KEPT)
        return Targets(need[best], cost[best])

    def loss_of(self, targets: Targets, kinds: Sequence[int]) -> list[int]:
        """The value left when one tile of each of ``kinds`` is given up, in the same order."""
        values = []
        for kind in kinds:
            own = self._concealed[kind]
            lacking = np.maximum(targets.need[:, kind] - own, 0)
            without = np.maximum(targets.need[:, kind] - own + 1, 0)
            row = self._table[kind]
            values.append(int(weights(targets.cost + row[without] - row[lacking]).sum()))
        return values

    def _patterns(self) -> Targets:
        """Pattern, fourth set and pair, measured over all of them."""
        book, patterns = self._book, self._book.patterns
        counts = patterns.counts
        now, with_set = self._with_each_set(counts)
        cost = (now + np.array(self._reserve)[patterns.aim])[:, None] + with_set
        cost[~rows_with(patterns, self._numbers)] = OUT_OF_REACH
        pattern, last = np.divmod(_cheapest(cost.ravel(), _PATTERN_ROWS), SETS)
        return self._paired(
            counts[pattern] + SET_COUNTS[last],
            cost[pattern, last],
            _ANY_PAIR,
            fan=patterns.fan[pattern] + self._fans[last],
            suited_pair_fan=book.all_chows * (patterns.chows[pattern] & SET_IS_CHOW[last]),
            simple_pair_fan=book.all_simples * (patterns.simple[pattern] & SET_IS_SIMPLE[last]),
        )

    def _with_each_set(self, counts: Counts) -> tuple[Costs, Costs]:
        """(n,) cost of rows of tiles (n, 34), and (n, 55) what each further set adds to it."""
        now = self._cost[_INDEX, counts]
        one_more = self._cost[_INDEX, np.minimum(counts + 1, 6)] - now
        three_more = self._cost[_INDEX, np.minimum(counts + 3, 6)] - now
        rows = len(counts)
        by_suit = one_more[:, : Tile.EAST].reshape(rows, 3, 9)
        chows = (by_suit[:, :, :7] + by_suit[:, :, 1:8] + by_suit[:, :, 2:]).reshape(rows, CHOW_SETS)
        return now.sum(axis=1), np.concatenate([chows, three_more], axis=1)

    def _beams(self) -> list[Targets]:
        """All pungs when there are pairs enough, and each suit with honours that is long enough to be a flush."""
        found = []
        if np.count_nonzero(self._held >= 2) >= 4:
            found.append(self._beam(ALL_PUNGS))
        honours = self._held[Tile.EAST :].sum()
        for suit in range(3):
            if self._held[suit * 9 : suit * 9 + 9].sum() + honours >= 9:
                found.append(self._beam(FLUSHES[suit]))
        return found

    def _beam(self, family: Family) -> Targets:
        """Four sets of a family by beam search, melds first; nothing when a meld is outside the family."""
        laid = list(self._numbers)
        if not family.sets[laid].all():
            return Targets(np.zeros((0, _KINDS), dtype=np.int16), np.zeros(0, dtype=np.int64))
        counts = self._lain.astype(np.int16)[None, :]
        taken = np.bincount(laid, minlength=SETS)[None, :]
        lowest = np.array([0])
        cost = np.zeros(1, dtype=np.int64)
        for _ in range(4 - len(laid)):
            now, with_set = self._with_each_set(counts)
            total = now[:, None] + with_set
            total[:, ~family.sets] = OUT_OF_REACH
            total[lowest[:, None] > _EVERY_SET] = OUT_OF_REACH
            parent, number = np.divmod(_cheapest(total.ravel(), _BEAM), SETS)
            counts, cost, lowest = counts[parent] + SET_COUNTS[number], total[parent, number], number
            taken = taken[parent]
            taken[np.arange(len(number)), number] += 1
        book, flush = self._book, family.aim is Aim.FLUSH
        pure = flush & (counts[:, Tile.EAST :].sum(axis=1) == 0)
        flush_of_pungs = flush & (taken @ SET_IS_CHOW == 0)
        return self._paired(
            counts,
            cost + self._reserve[family.aim],
            family.pairs,
            fan=(book.half_flush if flush else book.all_pungs) + taken @ self._fans + np.where(flush_of_pungs, book.all_pungs, 0),
            suited_pair_fan=book.all_chows * (taken @ ~SET_IS_CHOW == 0) + np.where(pure, book.full_flush - book.half_flush, 0),
            simple_pair_fan=book.all_simples * (taken @ ~SET_IS_SIMPLE == 0),
        )

    def _paired(
        self,
        counts: Counts,
        cost: Costs,
        pairs: NDArray[np.bool_],
        *,
        fan: NDArray[np.int64],
        suited_pair_fan: NDArray[np.int64],
        simple_pair_fan: NDArray[np.int64],
    ) -> Targets:
        """Rows of four sets (tiles n × 34, cost and fan n each, and the fan that a pair in a suit, and one without ends and honours, adds)
        with every pair, kept when worth the minimum (with the concealed hand's fan: at a cost)."""
        total = cost[:, None] + self._cost[_INDEX, np.minimum(counts + 2, 6)] - self._cost[_INDEX, counts]
        worth = fan[:, None] + suited_pair_fan[:, None] * PAIR_IS_SUITED + simple_pair_fan[:, None] * PAIR_IS_SIMPLE
        least = self._book.minimum
        total[worth < least] += _CLOSED_ONLY
        total[worth < (least if self._numbers else least - self._book.closed)] = OUT_OF_REACH
        total[:, ~pairs] = OUT_OF_REACH
        row, pair = np.divmod(_cheapest(total.ravel(), _KEPT), _KINDS)
        need = counts[row] - self._lain.astype(np.int16)
        need[np.arange(len(row)), pair] += 2
        return Targets(need, total[row, pair])

    def _specials(self) -> Targets:
        """Seven pairs, knitted honours and thirteen orphans: closed hands."""
        pairs = self._cheapest_of(_INDEX, 7, 2)
        orphans = [OUTSIDE_KINDS + _INDEX_ROWS[kind] for kind in np.flatnonzero(OUTSIDE_KINDS)]  # one of each, and any of them twice
        knitted = [
            need for straight in knitted_kinds() for need in self._cheapest_of(np.array([*straight, *range(Tile.EAST, _KINDS)]), 14, 1)
        ]
        need = np.array([*pairs, *orphans, *knitted], dtype=np.int16)
        reserve = self._reserve
        reserves = [reserve[Aim.PAIRS]] * len(pairs) + [0] * len(orphans) + [reserve[Aim.KNITTED]] * len(knitted)
        return Targets(need, self._cost[_INDEX, need].sum(axis=1) + np.array(reserves, dtype=np.int64))

    def _cheapest_of(self, kinds: NDArray[np.int64], wanted: int, copies: int) -> list[Counts]:
        """``copies`` each of the ``wanted`` kinds that cost least, and the same with the dearest one exchanged for each of the others."""
        order = kinds[np.argsort(self._cost[kinds, copies], kind="stable")]
        needs = []
        for last in order[wanted - 1 :]:
            need = np.zeros(_KINDS, dtype=np.int16)
            need[order[: wanted - 1]] = copies
            need[last] = copies
            needs.append(need)
        return needs


def _cheapest(cost: Costs, wanted: int) -> NDArray[np.int64]:
    """Indices of the ``wanted`` lowest costs that are within reach, lowest first; ties by index."""
    keys = cost * len(cost) + np.arange(len(cost))
    keys = keys[cost < OUT_OF_REACH]
    if len(keys) > wanted:
        keys = np.partition(keys, wanted - 1)[:wanted]
    keys.sort()
    indices: NDArray[np.int64] = keys % max(1, len(cost))
    return indices
