"""The fans of Yangzhou mahjong, from ``fans.toml``; ``patterns`` defines them. ``excludes`` has only what the source says; ``scoring``
computes the rest."""

from twinwall.game.rules.fan_list import FanKind, fan_list
from twinwall.game.rules.yangzhou.options import YangzhouOptions

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
"""All fans, small ones first, as in the source."""
BONUSES = tuple(kind for kind in _LIST if kind.bonus_for)
"""The source's composite totals (複合役), as what each adds to the sum with the values of minimum 18. A bonus is not a fan: it excludes
nothing and nothing excludes it."""
BY_ID = {kind.id: kind for kind in FAN_KINDS}


def value_of(kind: FanKind, options: YangzhouOptions) -> int:
    """A fan's points, or those of its class."""
    return options.table.of[kind.of_class] if kind.of_class else kind.value
