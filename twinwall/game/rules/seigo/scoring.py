"""Scores a Seigo win (``score``): whether a hand wins, and what each seat pays (the payments of riichi). ``values`` finds yaku and fu; this
module checks tiles, melds, shape, furiten and yaku. ``settlement`` pays sticks and hands that are not ready."""

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Annotated

from msgspec import Meta

from twinwall.game.documents import DocumentError
from twinwall.game.play_events import MeldType
from twinwall.game.rule_set import (
    BELOW_MINIMUM,
    FLAGS,
    IMPOSSIBLE_TILES,
    NOT_A_WIN,
    NOT_ALLOWED,
    ROBBING_KONG,
    NoWin,
    Win,
    WinningHand,
    check_hand,
)
from twinwall.game.rules.divisions import counts_of
from twinwall.game.rules.seigo.options import SeigoOptions
from twinwall.game.rules.seigo.shapes import is_complete
from twinwall.game.rules.seigo.values import YAKUMAN, Circumstances, Value, value_of
from twinwall.game.tiles import COPIES, SEATS, Seat, Tile, TileRow, format_tiles, parse_tiles
from twinwall.game.typed_json import WrittenAs
from twinwall.values import frozen

IPPATSU, DOUBLE_RIICHI, HEAVENLY_HAND, EARTHLY_HAND = "ippatsu", "double_riichi", "heavenly_hand", "earthly_hand"
KNOWN_FLAGS = FLAGS | {IPPATSU, DOUBLE_RIICHI, HEAVENLY_HAND, EARTHLY_HAND}
"""The flags of every rule set, and those of Seigo."""

TURNS = 18
"""Turns of every seat in a hand (rule 7)."""
Turn = Annotated[int, Meta(ge=1, le=TURNS)]
MOST_KONGS = 4
"""Kongs in a hand, of all seats together; riichi has no fifth."""
INDICATORS: int = 1 + MOST_KONGS
"""Dora indicators at most: the first, and one for each kong (rule 6)."""

_MANGAN, _YAKUMAN_BASE = 2000, 8000
_LIMITS = ((11, 6000), (8, 4000), (6, 3000), (5, _MANGAN))
_MOST_HAN = 6 * YAKUMAN
_FIVES = frozenset({Tile.M5, Tile.P5, Tile.S5})


def _red_fives(text: str) -> frozenset[Tile]:
    tiles = parse_tiles(text)
    if len(set(tiles)) != len(tiles) or not _FIVES.issuperset(tiles):
        raise ValueError("must name each suit's five once at most")
    return frozenset(tiles)


@frozen
class SeigoHand(WinningHand):
    """A hand to score; ``turn`` is that of the winner or discarder, None if unknown."""

    turn: Turn | None = None
    riichi_turn: Turn | None = None
    """The turn of the riichi declaration, or None."""
    dora: TileRow = ()
    """The indicators turned up."""
    ura: TileRow = ()
    """Those below them, which count in riichi."""
    red: Annotated[frozenset[Tile], WrittenAs(_red_fives, format_tiles)] = frozenset()
    """The fives that the hand holds in red."""
    furiten: bool = False
    """Whether a wait was discarded or let pass, so that the hand wins self-drawn only."""

    def known_tiles(self) -> TileRow:
        """Also the indicators."""
        return (*WinningHand.known_tiles(self), *self.dora, *self.ura)


def score(hand: WinningHand, options: SeigoOptions) -> Win | NoWin:
    """Judge a hand and compute its payments; gives the first reason that applies. Raises DocumentError when it is written wrongly."""
    check_hand(hand, KNOWN_FLAGS)
    seigo = (
        hand
        if isinstance(hand, SeigoHand)
        else SeigoHand(hand.seat, hand.round, hand.concealed, hand.melds, hand.winning, hand.source, hand.flags)
    )
    _check_turns(seigo)
    counts = counts_of((*seigo.concealed, seigo.winning))
    if max(counts_of(seigo.known_tiles())) > COPIES:
        return NoWin(IMPOSSIBLE_TILES)
    left = SEATS[hand.seat.index - 1]
    if any(meld.type is MeldType.CHOW and meld.source is not left for meld in hand.melds):
        return NoWin(NOT_ALLOWED)
    if not is_complete(counts, len(hand.melds)):
        return NoWin(NOT_A_WIN)
    if hand.source is not None and (seigo.furiten or (ROBBING_KONG in hand.flags and not options.rob_kong)):
        return NoWin(NOT_ALLOWED)
    value = value_of(
        seigo.concealed,
        seigo.winning,
        seigo.melds,
        _circumstances(seigo),
        options,
        dora=seigo.dora,
        ura=seigo.ura,
        red=_red(seigo, counts, options),
    )
    if not value.fans:
        return NoWin(BELOW_MINIMUM)
    return Win(value.fans, value.han, payments(hand.seat, hand.source, base_points(value, options)), value.fu)


def _red(hand: SeigoHand, counts: list[int], options: SeigoOptions) -> frozenset[Tile]:
    if hand.red and not options.red_fives:
        raise DocumentError("the hand has red fives, which need the option 'red_fives'")
    for tile in hand.red:
        if not counts[tile] and not any(tile in meld.tiles for meld in hand.melds):
            raise DocumentError(f"the hand has no {tile.text} that could be red")
    return hand.red


def _circumstances(hand: SeigoHand) -> Circumstances:
    flags = hand.flags
    return Circumstances(
        seat=hand.seat,
        round=hand.round,
        self_drawn=hand.source is None,
        riichi=hand.riichi_turn is not None,
        double_riichi=hand.riichi_turn == 1,
        ippatsu=IPPATSU in flags,
        last_turn=hand.turn == TURNS,
        robbing=ROBBING_KONG in flags,
        heavenly=HEAVENLY_HAND in flags,
        earthly=EARTHLY_HAND in flags,
    )


def _check_turns(hand: SeigoHand) -> None:
    """Raise DocumentError for turns, flags and indicators that contradict each other."""
    if hand.turn is not None and not 1 <= hand.turn <= TURNS:
        raise DocumentError(f"there are turns 1 to {TURNS}, not {hand.turn}")
    if max(len(hand.dora), len(hand.ura)) > INDICATORS:
        raise DocumentError(f"there are {INDICATORS} indicators at most")
    if hand.riichi_turn is not None:
        _check_riichi(hand, hand.riichi_turn)
    elif hand.flags & {IPPATSU, DOUBLE_RIICHI}:
        raise DocumentError("the flags 'ippatsu' and 'double_riichi' need riichi, and so the key 'riichi_turn'")
    if hand.flags & {HEAVENLY_HAND, EARTHLY_HAND}:
        _check_first_turn(hand)


def _check_riichi(hand: SeigoHand, riichi_turn: int) -> None:
    if not 1 <= riichi_turn <= TURNS:
        raise DocumentError(f"there are turns 1 to {TURNS}, no riichi at turn {riichi_turn}")
    if any(meld.type is not MeldType.CONCEALED_KONG for meld in hand.melds):
        raise DocumentError("a hand in riichi has no melds but concealed kongs")
    if DOUBLE_RIICHI in hand.flags and riichi_turn != 1:
        raise DocumentError(f"double riichi is declared at turn 1, not at turn {riichi_turn}")
    if hand.turn is None:
        return
    passed = turns_since(hand.seat, riichi_turn, hand.source or hand.seat, hand.turn)
    if passed <= 0:
        raise DocumentError(
            f"a hand in riichi since turn {riichi_turn} cannot have won at turn {hand.turn} of {(hand.source or hand.seat).value}"
        )
    if IPPATSU in hand.flags and passed > len(SEATS):
        raise DocumentError(f"after riichi at turn {riichi_turn} the flag 'ippatsu' goes no farther than to the next draw")


def turns_since(seat: Seat, riichi_turn: int, other: Seat, turn: int) -> int:
    """Turns of all seats between a seat's riichi and another's turn; ippatsu reaches to 4, the seat's next draw (rule 4)."""
    return len(SEATS) * (turn - riichi_turn) + other.index - seat.index


def _check_first_turn(hand: SeigoHand) -> None:
    heavenly = HEAVENLY_HAND in hand.flags
    if heavenly and EARTHLY_HAND in hand.flags:
        raise DocumentError("the flags 'heavenly_hand' and 'earthly_hand' contradict each other")
    name = HEAVENLY_HAND if heavenly else EARTHLY_HAND
    if hand.source is not None or hand.melds or hand.riichi_turn is not None or hand.turn not in (None, 1):
        raise DocumentError(f"the flag {name!r} goes only with a self-draw at turn 1, without melds and riichi")
    if heavenly is not (hand.seat is Seat.EAST):
        raise DocumentError(f"the flag {name!r} is {'for' if heavenly else 'not for'} the dealer, {Seat.EAST.value}")


def base_points(value: Value, options: SeigoOptions) -> int:
    """The base of the payments: fu × 2^(2+han), at most a mangan, then the limits."""
    if value.is_yakuman:
        return _YAKUMAN_BASE * (min(value.han, _MOST_HAN) // YAKUMAN)
    if value.han >= YAKUMAN and options.counted_yakuman:
        return _YAKUMAN_BASE
    for han, points in _LIMITS:
        if value.han >= han:
            return points
    if options.kiriage and (value.han, value.fu) in ((4, 30), (3, 60)):
        return _MANGAN
    return min(_MANGAN, value.fu << (2 + value.han))


@lru_cache(maxsize=4096)
def payments(winner: Seat, source: Seat | None, points: int) -> Mapping[Seat, int]:
    """What each seat gets for a win with these base points: the discarder pays 4 (to the dealer 6); self-drawn, each pays 1 and the dealer
    2 (to the dealer all 2); each rounded up to hundreds."""
    gains = dict.fromkeys(SEATS, 0)
    is_dealer = winner is Seat.EAST
    if source is not None:
        gains[source] = -_hundreds(points * (6 if is_dealer else 4))
    else:
        for seat in SEATS:
            if seat is not winner:
                gains[seat] = -_hundreds(points * (2 if is_dealer or seat is Seat.EAST else 1))
    gains[winner] = -sum(gains.values())
    return MappingProxyType(gains)


def _hundreds(points: int) -> int:
    return -(-points // 100) * 100
