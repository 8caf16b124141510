"""The fans of a hand's sets and pair, whoever holds it and however it was won ("揚州の麻雀", blog, 27 November 2015, 役). A hand is the
first kind of each chow, the kind of each triplet or kong, and the kind of the pair. ``scoring`` adds waits, self-draw, concealment and
kongs, and removes contained fans."""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from operator import eq

from twinwall.game.rules.divisions import RANKS
from twinwall.game.rules.fan_list import FanKind, fan_list
from twinwall.game.rules.yangzhou.options import YangzhouOptions
from twinwall.game.tiles import Seat, Tile

SEAT_WIND, ROUND_WIND = "seat-wind", "round-wind"
RED_DRAGON, GREEN_DRAGON, WHITE_DRAGON = "red-dragon", "green-dragon", "white-dragon"
SINGLE_WAIT, CLOSED_WAIT, EDGE_WAIT = "single-wait", "closed-wait", "edge-wait"
SELF_DRAWN, CONCEALED_HAND = "self-drawn", "concealed-hand"
ONE_VOIDED_SUIT, ALL_SIMPLES = "one-voided-suit", "all-simples"
TWO_TERMINAL_CHOWS, MIXED_DOUBLE_CHOW, SHORT_STRAIGHT = "two-terminal-chows", "mixed-double-chow", "short-straight"
ALL_CHOWS, TERMINAL_PAIR = "all-chows", "terminal-pair"
CONCEALED_TRIPLET, MELDED_KONG, CONCEALED_KONG = "concealed-triplet", "melded-kong", "concealed-kong"
PURE_DOUBLE_CHOW = "pure-double-chow"
HALF_FLUSH, PURE_STRAIGHT, MIXED_TRIPLE_CHOW, ALL_TRIPLETS = "half-flush", "pure-straight", "mixed-triple-chow", "all-triplets"
MIXED_TERMINAL_CHOWS, MIXED_SHORT_STRAIGHTS = "mixed-terminal-chows", "mixed-short-straights"
TWO_DOUBLE_CHOWS, MIXED_QUADRUPLE_CHOW = "two-double-chows", "mixed-quadruple-chow"
FULL_FLUSH, PURE_TRIPLE_CHOW = "full-flush", "pure-triple-chow"
MIXED_DOUBLE_CHOWS, DOUBLE_SHORT_STRAIGHT, DOUBLE_TERMINAL_CHOWS = ("mixed-double-chows", "double-short-straight", "double-terminal-chows")
ALL_HONORS, QUADRUPLE_CHOW = "all-honors", "quadruple-chow"

_LIST = fan_list("yangzhou")
FAN_KINDS = tuple(kind for kind in _LIST if not kind.bonus_for)
"""All fans, small ones first, as in the source; ``excludes`` has only what the source says, and ``scoring`` computes the rest."""
BONUSES = tuple(kind for kind in _LIST if kind.bonus_for)
"""The source's composite totals (複合役), as what each adds to the sum with the values of minimum 18. A bonus is not a fan: it excludes
nothing and nothing excludes it."""
BY_ID = {kind.id: kind for kind in FAN_KINDS}


def value_of(kind: FanKind, options: YangzhouOptions) -> int:
    """A fan's points, or those of its class."""
    return options.table.of[kind.of_class] if kind.of_class else kind.value


Found = tuple[tuple[str, int], ...]
"""Fans by id, each with its count."""

_SETS = 4
_SUITS = 3
_LAST_RANK = RANKS - 1
_HIGHEST_CHOW = RANKS - 3
_FIRST_HONOUR = Tile.EAST
_DRAGONS = {Tile.RED: RED_DRAGON, Tile.GREEN: GREEN_DRAGON, Tile.WHITE: WHITE_DRAGON}


def pattern_fans(chows: Sequence[int], triplets: Sequence[int], pair: int, seat: Seat, round_wind: Seat) -> Found:
    """The fans of four sets and a pair, with contained ones. 平胡 is also found with honours; the caller removes it if an option forbids
    that."""
    kinds = (*chows, *(chow + 2 for chow in chows), *triplets, pair)
    return (
        *_honour_fans(triplets, seat, round_wind),
        *tile_fans(kinds, pair),
        *chow_fans(tuple(sorted(chows))),
        *(((ALL_TRIPLETS, 1),) if len(triplets) == _SETS else ()),
    )


def _honour_fans(triplets: Sequence[int], seat: Seat, round_wind: Seat) -> Iterator[tuple[str, int]]:
    for kind in triplets:
        if kind == _FIRST_HONOUR + seat.index:
            yield SEAT_WIND, 1
        if kind == _FIRST_HONOUR + round_wind.index:
            yield ROUND_WIND, 1
        if kind >= Tile.RED:
            yield _DRAGONS[Tile(kind)], 1


def tile_fans(kinds: Sequence[int], pair: int) -> Found:
    """The fans of the kinds in a hand; ``kinds`` has at least the ends of every set, and the pair."""
    suits = {kind // RANKS for kind in kinds}
    honours = _SUITS in suits
    found = []
    if not honours:
        if all(0 < kind % RANKS < _LAST_RANK for kind in kinds):
            found.append((ALL_SIMPLES, 1))
        if pair % RANKS in (0, _LAST_RANK):
            found.append((TERMINAL_PAIR, 1))
        if len(suits) == 1:
            found.append((FULL_FLUSH, 1))
        elif len(suits) == 2:
            found.append((ONE_VOIDED_SUIT, 1))
    elif len(suits) == 1:
        found.append((ALL_HONORS, 1))
    elif len(suits) == 2:
        found.append((HALF_FLUSH, 1))
    return tuple(found)


@lru_cache(maxsize=1 << 14)
def chow_fans(chows: tuple[int, ...]) -> Found:
    """The fans of chows alone, given by their first kinds in order."""
    pairs = {fan_id: _disjoint_pairs(chows, fits) for fan_id, fits in _PAIRS.items()}
    found = [(fan_id, count) for fan_id, count in pairs.items() if count]
    found += [(fan_id, 1) for fan_id, holds in _FORMS.items() if holds(chows)]
    return tuple(found)


def _disjoint_pairs(chows: tuple[int, ...], fits: Callable[[int, int], bool]) -> int:
    """The largest number of fitting pairs, with each chow in one pair at most."""
    if len(chows) < 2:
        return 0
    first, rest = chows[0], chows[1:]
    with_first = [1 + _disjoint_pairs((*rest[:at], *rest[at + 1 :]), fits) for at, other in enumerate(rest) if fits(first, other)]
    return max([_disjoint_pairs(rest, fits), *with_first])


def _same_suit(one: int, other: int) -> bool:
    return one // RANKS == other // RANKS


def _same_numbers(one: int, other: int) -> bool:
    return one % RANKS == other % RANKS and not _same_suit(one, other)


def _six_in_a_row(one: int, other: int) -> bool:
    return _same_suit(one, other) and abs(one - other) == 3


def _both_ends(one: int, other: int) -> bool:
    return _same_suit(one, other) and {one % RANKS, other % RANKS} == {0, _HIGHEST_CHOW}


_PAIRS: dict[str, Callable[[int, int], bool]] = {
    TWO_TERMINAL_CHOWS: _both_ends,
    MIXED_DOUBLE_CHOW: _same_numbers,
    SHORT_STRAIGHT: _six_in_a_row,
    PURE_DOUBLE_CHOW: eq,
}
"""Fans of two chows."""


def _is_straight(chows: tuple[int, ...]) -> bool:
    return any({suit, suit + 3, suit + 6} <= set(chows) for suit in range(0, _SUITS * RANKS, RANKS))


def _in_three_suits(chows: tuple[int, ...]) -> bool:
    return any({rank, rank + RANKS, rank + 2 * RANKS} <= set(chows) for rank in range(_HIGHEST_CHOW + 1))


def _two_times_two(fits: Callable[[int, int], bool]) -> Callable[[tuple[int, ...]], bool]:
    """Four different chows: the two of one suit fit, and another suit has the same two numbers."""

    def holds(chows: tuple[int, ...]) -> bool:
        if len(set(chows)) != _SETS:
            return False
        low, high, other_low, other_high = chows
        return fits(low, high) and _same_numbers(low, other_low) and _same_numbers(high, other_high) and _same_suit(other_low, other_high)

    return holds


def _two_doubles(fits: Callable[[int, int], bool]) -> Callable[[tuple[int, ...]], bool]:
    """Two pairs of equal chows that fit each other."""

    def holds(chows: tuple[int, ...]) -> bool:
        return len(chows) == _SETS and chows[0] == chows[1] and chows[2] == chows[3] and fits(chows[1], chows[2])

    return holds


_FORMS: dict[str, Callable[[tuple[int, ...]], bool]] = {
    ALL_CHOWS: lambda chows: len(chows) == _SETS,
    PURE_STRAIGHT: _is_straight,
    MIXED_TRIPLE_CHOW: _in_three_suits,
    MIXED_TERMINAL_CHOWS: _two_times_two(_both_ends),
    MIXED_SHORT_STRAIGHTS: _two_times_two(_six_in_a_row),
    TWO_DOUBLE_CHOWS: lambda chows: _disjoint_pairs(chows, eq) == 2,
    MIXED_QUADRUPLE_CHOW: lambda chows: len(chows) == _SETS and len({chow % RANKS for chow in chows}) == 1 and _in_three_suits(chows),
    PURE_TRIPLE_CHOW: lambda chows: any(chows.count(chow) >= 3 for chow in chows),
    MIXED_DOUBLE_CHOWS: _two_doubles(_same_numbers),
    DOUBLE_SHORT_STRAIGHT: _two_doubles(_six_in_a_row),
    DOUBLE_TERMINAL_CHOWS: _two_doubles(_both_ends),
    QUADRUPLE_CHOW: lambda chows: len(chows) == _SETS and len(set(chows)) == 1,
}
"""Fans of more than two chows, given in order."""
