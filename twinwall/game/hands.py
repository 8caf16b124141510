"""Checks of a hand that is to be scored which are the same in every rule set: the form of its melds, its flags, its tiles.

A hand that is written wrongly (a meld that fits no type, flags that contradict each other) is the caller's error. That
a hand does not win is an answer, and left to the rule set.
"""

from collections import Counter
from collections.abc import Iterable

from twinwall.game.documents import DocumentError
from twinwall.game.melds import form_error
from twinwall.game.play_events import MeldType
from twinwall.game.rule_set import WinningHand
from twinwall.game.tiles import Tile
from twinwall.game.walls import HAND_SIZE

LAST_DRAW = "last_draw"
LAST_DISCARD = "last_discard"
KONG_REPLACEMENT = "kong_replacement"
ROBBING_KONG = "robbing_kong"
LAST_OF_KIND = "last_of_kind"
AFTER_KONG_DISCARD = "after_kong_discard"

FLAGS = frozenset({LAST_DRAW, LAST_DISCARD, KONG_REPLACEMENT, ROBBING_KONG, LAST_OF_KIND, AFTER_KONG_DISCARD})
"""Flags that every rule set knows (contracts, "Scoring"); what they are worth is on its page."""

_DRAW_FLAGS = frozenset({LAST_DRAW, KONG_REPLACEMENT})
_DISCARD_FLAGS = frozenset({LAST_DISCARD, ROBBING_KONG, AFTER_KONG_DISCARD})

IMPOSSIBLE_TILES, NOT_ALLOWED, NOT_A_WIN, BELOW_MINIMUM = "impossible-tiles", "not-allowed", "not-a-win", "below-minimum"
"""Why a hand does not win (contracts, "Scoring"), in the order in which they are asked."""


def check_hand(hand: WinningHand, known_flags: frozenset[str] = FLAGS) -> None:
    """Refuse a hand that is written wrongly; raises DocumentError."""
    if hand.source is hand.seat:
        raise DocumentError(f"{hand.seat.value} cannot win on its own discard")
    for meld in hand.melds:
        problem = form_error(meld)
        if problem is not None:
            raise DocumentError(f"a meld is not written right: {problem}")
        if (meld.type is MeldType.CONCEALED_KONG) != (meld.source is None):
            raise DocumentError("a concealed kong has no source, any other meld has one")
        if meld.source is hand.seat:
            raise DocumentError(f"{hand.seat.value} cannot claim its own discard")
    if hand.flags:
        _check_flags(hand, known_flags)


def misfit(hand: WinningHand, tiles: Iterable[Tile]) -> str | None:
    """Which tile of a hand cannot be there, or which count is wrong, where the set is ``tiles``; None where all may be."""
    whole = Counter(tiles)
    for tile, count in sorted(Counter(hand.known_tiles()).items()):
        if count > whole[tile]:
            return f"{tile.text} is there {count} times, the set has {whole[tile] or 'none'}"
    wanted = HAND_SIZE - 3 * len(hand.melds)
    if len(hand.concealed) == wanted:
        return None
    melds = f"{len(hand.melds)} meld{'' if len(hand.melds) == 1 else 's'}"
    return f"there are {len(hand.concealed)} concealed tiles beside {melds}, there must be {wanted} without the winning one"


def _check_flags(hand: WinningHand, known_flags: frozenset[str]) -> None:
    unknown = sorted(hand.flags - known_flags)
    if unknown:
        raise DocumentError(f"the flag {unknown[0]!r} is not known; known are {', '.join(sorted(known_flags))}")
    contradicting = sorted(hand.flags & (_DISCARD_FLAGS if hand.source is None else _DRAW_FLAGS))
    if contradicting:
        raise DocumentError(
            f"the flag {contradicting[0]!r} does not go with {'a self-draw' if hand.source is None else 'a win on a discard'}"
        )
    if KONG_REPLACEMENT in hand.flags and not any(len(meld.tiles) == 4 for meld in hand.melds):
        raise DocumentError("the flag 'kong_replacement' needs a kong among the melds")
