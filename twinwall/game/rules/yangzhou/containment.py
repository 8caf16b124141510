"""Containment of fans in Yangzhou: a fan that is always in another is not counted beside it.

The source's rule is general ("番数がより高い役に必ず含まれる役の番数は付けられません", "揚州の麻雀", blog, 27 November 2015, 点数)
and its lists after single fans are examples, so containment is computed: one fan is in another if every hand with the other
has it. Circumstances (waits, the self-draw, what is concealed, kongs) can always be otherwise and are in nothing.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import combinations_with_replacement

from twinwall.game.rules.divisions import KINDS, RANKS
from twinwall.game.rules.yangzhou.fan_table import FAN_KINDS
from twinwall.game.rules.yangzhou.options import NECESSARY
from twinwall.game.rules.yangzhou.patterns import pattern_fans
from twinwall.game.tiles import COPIES, Seat, TileRow, parse_tiles

_CHOWS = tuple(suit + rank for suit in range(0, 3 * RANKS, RANKS) for rank in (0, 1, 3, 4, 6))
"""Enough chows for all that fans can be made of: equal numbers, six in a row, both ends, and neither end."""
_TRIPLETS = tuple(parse_tiles(text) for text in ("ESWN", "NCFP", "SPFC", "2468m", "1m9p5sC"))
_PAIRS = parse_tiles("W 5m 5s 9m C")


def taken_away(containment: str) -> Mapping[str, frozenset[str]]:
    """For each fan by id, the fans that are not counted beside it; ``containment`` is the option."""
    return _necessary() if containment == NECESSARY else _listed()


@cache
def _listed() -> Mapping[str, frozenset[str]]:
    return {kind.id: frozenset(kind.excludes) for kind in FAN_KINDS}


@cache
def _necessary() -> Mapping[str, frozenset[str]]:
    """Every hand refutes that its fans contain those it has not; what no hand refutes is contained."""
    always: dict[str, frozenset[str]] = {}
    for found in set(_hands()):
        for fan_id in found:
            always[fan_id] = always.get(fan_id, found) & found
    return {kind.id: always.get(kind.id, frozenset()) - {kind.id} for kind in FAN_KINDS}


def _hands() -> Iterator[frozenset[str]]:
    """The fans of hands with any chows (one for each way to name the suits), filled up with triplets and pairs of many sorts."""
    for number in range(5):
        for chows in combinations_with_replacement(_CHOWS, number):
            if not _suits_in_order(chows):
                continue
            for triplets in {filling[: 4 - number] for filling in _TRIPLETS}:
                for pair in _PAIRS:
                    if _possible(chows, triplets, pair):
                        yield frozenset([fan_id for fan_id, _ in pattern_fans(chows, triplets, pair, Seat.EAST, Seat.SOUTH)])


def _suits_in_order(chows: tuple[int, ...]) -> bool:
    suits = [[chow % RANKS for chow in chows if chow // RANKS == suit] for suit in range(3)]
    return suits[0] >= suits[1] >= suits[2]


def _possible(chows: tuple[int, ...], triplets: TileRow, pair: int) -> bool:
    counts = [0] * KINDS
    for chow in chows:
        for step in range(3):
            counts[chow + step] += 1
    for kind in triplets:
        counts[kind] += 3
    counts[pair] += 2
    return max(counts) <= COPIES
