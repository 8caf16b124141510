"""Scores a win of duplicate MCR (``score``): whether a shown hand wins under the options, and who pays. All three others pay a flat 8
points for every win (Aono, "Duplicate-format mahjong"; the rules page has examples)."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Annotated, Literal

from twinwall.game.play_events import MeldType, Payment, PaymentReason
from twinwall.game.rule_set import BELOW_MINIMUM, IMPOSSIBLE_TILES, NOT_A_WIN, NOT_ALLOWED, Illegal, NoWin, Win, WinningHand, check_hand
from twinwall.game.rules.mcr_duplicate.fans import by_wmo, fans_of, has_five_of_a_kind
from twinwall.game.rules.option_form import Choice
from twinwall.game.tiles import SEATS, Seat
from twinwall.values import frozen

NAME = "mcr-duplicate"
WMO = "wmo"
NEAREST, EACH_MINUS_OTHERS, EACH_FULL = "nearest", "each-minus-others", "each-full"
"""Who is paid when several win on one tile: the nearest only; all, each also paying for the others; or all in full, with the flat points
paid once per loser."""
REFEREE, TABLE, FLAT_IMP = "referee", "table", {"imp-4": 4, "imp-8": 8}
"""What a false win costs: what the referee decides, points at the table, or a flat number of IMP."""

MOST_FAN = 400
"""More than any hand has (three fans of 88 and all that they allow beside them); a bound against typing errors."""
BASE = 8
"""What each other seat pays beside the fans."""


@frozen
class McrOptions:
    minimum: Annotated[int, Choice("the fewest fan that win")] = 8
    end: Annotated[
        Literal["lap", "next-empty"], Choice("when a wall is empty: each seat has one more turn, or the next seat's draw ends it")
    ] = "lap"
    kong_when_next_empty: Annotated[bool, Choice("a kong may be made while the next seat's wall is empty")] = True
    kong_replacement: Annotated[
        Literal["next", "end"], Choice("a kong is replaced by the next tile of the own wall, or by the last, which no table gives out")
    ] = "next"
    several_winners: Annotated[
        Literal["nearest", "each-minus-others", "each-full"],
        Choice("several win on one tile: the nearest alone, all but each pays for the others, or all in full"),
    ] = "nearest"
    self_draw: Annotated[Literal["sum", "rounded"], Choice("a self-draw of F: each pays 8 + F, or 8 + F/3 rounded up")] = "sum"
    book: Annotated[
        Literal["1998", "wmo"],
        Choice("whose fan values hold where they differ: the rules of 1998, or the book of the World Mahjong Organization"),
    ] = "1998"
    mixed_kongs: Annotated[bool, Choice("a melded and a concealed kong together are a fan of 5, by WMO's book of 6 (明暗杠)")] = True
    false_win: Annotated[
        Literal["referee", "imp-4", "imp-8", "table"],
        Choice("what a false win costs: what the referee finds right, 4 or 8 IMP, or points at the table"),
    ] = "referee"

    @property
    def false_win_imp(self) -> int:
        """The IMP of a false win, or 0 without a flat number."""
        return FLAT_IMP.get(self.false_win, 0)


def score(hand: WinningHand, options: McrOptions) -> Win | NoWin:
    """Judge a hand; gives the first reason that applies. Raises DocumentError when it is written wrongly."""
    check_hand(hand)
    if has_five_of_a_kind(hand):
        return NoWin(IMPOSSIBLE_TILES)
    for meld in hand.melds:
        if meld.type is MeldType.CHOW and meld.source is not SEATS[hand.seat.index - 1]:
            return NoWin(NOT_ALLOWED)
    fans = fans_of(hand, options.mixed_kongs)
    if fans is not None and options.book == WMO:
        fans = by_wmo(fans, hand)
    if fans is None:
        return NoWin(NOT_A_WIN)
    total = sum([fan.value * fan.count for fan in fans])
    if total < options.minimum:
        return NoWin(BELOW_MINIMUM, total, fans)
    return Win(fans, total, payments(hand.seat, hand.source, total, options.self_draw))


@lru_cache(maxsize=4096)
def payments(winner: Seat, source: Seat | None, total: int, self_draw: str) -> Mapping[Seat, int]:
    """What each seat gets for a win of ``total`` fan (F), on the discard of ``source`` or self-drawn (None). ``self_draw``: with ``sum``,
    each other seat pays 8 + F. With ``rounded``, the winner gets F + 24 and each other seat pays 8 + F/3, rounded up, so the sum need not
    be zero."""
    if source is not None:
        gains = dict.fromkeys(SEATS, -BASE)
        gains[source] = -(BASE + total)
        gains[winner] = 3 * BASE + total
        return MappingProxyType(gains)
    share = BASE + (total if self_draw == "sum" else -(-total // 3))
    gains = dict.fromkeys(SEATS, -share)
    gains[winner] = 3 * share if self_draw == "sum" else 3 * BASE + total
    return MappingProxyType(gains)


def entered(winner: Seat, source: Seat | None, total: int, options: McrOptions) -> Mapping[Seat, int] | Illegal:
    """The payments of a win of ``total`` fan without known tiles, or why it is impossible."""
    if winner is source:
        return Illegal(NOT_ALLOWED, f"{winner.value} cannot win on its own discard")
    if total < options.minimum:
        return Illegal(BELOW_MINIMUM, f"a win has {options.minimum} fan or more, not {total}")
    if total > MOST_FAN:
        return Illegal(IMPOSSIBLE_TILES, f"no hand has {total} fan: the most is {MOST_FAN}")
    return payments(winner, source, total, options.self_draw)


def win_payments(wins: Mapping[Seat, Win], source: Seat | None, options: McrOptions) -> tuple[Payment, ...]:
    """Who pays whom for one win, or for several on a tile of ``source`` by the option. ``each-minus-others`` adds the settlements
    (mahjongsoft's page: F + 24, less 8 for each other winner). In ``each-full`` winners get F + 24, the discarder pays 8 and all fans, the
    others 8 (as in its records of 2022); this is not zero-sum."""
    if len(wins) > 1 and options.several_winners == EACH_FULL:
        flat = [Payment(PaymentReason.WIN, seat, None, BASE) for seat in SEATS if seat not in wins]
        fans = [Payment(PaymentReason.WIN, source, winner, win.total) for winner, win in wins.items()]
        return (*flat, *(Payment(PaymentReason.WIN, None, winner, 3 * BASE) for winner in wins), *fans)
    return tuple(payment for winner, win in wins.items() for payment in _single(winner, win))


def _single(winner: Seat, win: Win) -> Iterator[Payment]:
    """The payments of one win; what rounding collects too much is paid to no seat."""
    for seat in SEATS:
        if seat is not winner:
            yield Payment(PaymentReason.WIN, seat, winner, -win.payments[seat])
    if rounded := -sum(win.payments.values()):
        yield Payment(PaymentReason.WIN, winner, None, rounded)
