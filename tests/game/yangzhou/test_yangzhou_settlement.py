"""Who pays a win of Yangzhou, against "揚州の麻雀" (blog, 27 November 2015) and the rule page."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from msgspec.structs import replace

from tests.support.game.judging import Judge
from tests.support.game.tables import meld_of
from twinwall.game.payments import Payment, PaymentReason, totals
from twinwall.game.play import PlayState
from twinwall.game.play_events import Meld, MeldType
from twinwall.game.rule_set import Win, WinningHand
from twinwall.game.rules import rule_set
from twinwall.game.rulings import Offence, PenaltyRuled
from twinwall.game.tiles import SEATS, Seat, parse_tile, parse_tiles

E, S, W, N = SEATS
CHOW, PUNG, KONG, ADDED, CONCEALED = MeldType


ANY = {"minimum": 0, "values": 13}
CHEAP = "23m 456p 789s NN WWW"
"""East's; 門清 and 子格 with 1m, and 自摸."""


JUDGE = Judge("yangzhou", ANY)


def won(tiles: str, winning: str, *melds: Meld, seat: Seat = E, source: Seat | None = None) -> Win:
    return JUDGE.won(WinningHand(seat, S, parse_tiles(tiles), melds, parse_tile(winning), source))


def table(turn: Seat, melds: Mapping[Seat, tuple[Meld, ...]] | None = None) -> PlayState:
    """A hand at its end: whose turn it was, and what everybody has laid."""
    state = rule_set("yangzhou").start()
    for seat, laid in (melds or {}).items():
        state = state.with_seat(seat, replace(state.seat(seat), melds=laid))
    return replace(state, turn=turn)


def paid(state: PlayState, wins: Mapping[Seat, Win], **options: object) -> tuple[Payment, ...]:
    return rule_set("yangzhou", options or ANY).payments(state, wins)


def test_a_discarder_pays_twice_a_self_draw_is_paid_once_by_each_and_several_winners_are_each_paid_in_full() -> None:
    """振り込んだ人は,手の点の2倍を払い,他の2人は何も払いません. 自摸のときは,他の3人全員が,それぞれ,手の点を払います.
    2人以上同時に上がれます."""
    discarded, drawn = won(CHEAP, "1m", source=N), won(CHEAP, "1m")
    assert (discarded.total, drawn.total) == (2, 3)
    assert paid(table(N), {E: discarded}) == (Payment(PaymentReason.WIN, N, E, 4),)
    assert totals(paid(table(E), {E: drawn})) == drawn.payments == {E: 9, S: -3, W: -3, N: -3}
    south = won("123m 456p 678p 99s NN", "9s", seat=S, source=N)
    assert totals(paid(table(N), {E: discarded, S: south})) == {E: 4, S: 2 * south.total, W: 0, N: -4 - 2 * south.total}


def flush(*melds: Meld, source: Seat | None = None) -> tuple[Win, tuple[Meld, ...]]:
    """East's full flush with the given melds (three tiles each)."""
    rest = {2: "111m 99m 77m", 3: "99m 77m", 4: "9m"}[len(melds)]
    return won(rest, "9m" if len(melds) == 4 else "7m", *melds, source=source), melds


def chow(tiles: str) -> Meld:
    return meld_of(CHOW, tiles, N)


TWO = (chow("234m"), chow("345m"))
THREE = (*TWO, chow("456m"))


@pytest.mark.parametrize(
    ("source", "reason", "times"),
    [(None, PaymentReason.LIABILITY, 3), (W, PaymentReason.LIABILITY, 2), (N, PaymentReason.WIN, 2)],
    ids=["a self-draw alone", "for the discard of another too", "his own discard as any other"],
)
def test_who_feeds_the_third_chow_of_a_full_flush_pays(source: Seat | None, reason: PaymentReason, times: int) -> None:
    """清一色狙いの下家に3つめの副露をチーされた人は包で,この清一色を1人で責任払いします: 3S."""
    win, melds = flush(*THREE, source=source)
    assert win.payments == {E: times * win.total, S: 0, W: 0, N: -times * win.total}
    assert paid(table(source or E, {E: melds}), {E: win}) == (Payment(reason, N, E, times * win.total),)


PUNG_MELD, HIDDEN = meld_of(PUNG, "222m", S), meld_of(CONCEALED, "2222m", None)


@pytest.mark.parametrize(
    ("melds", "is_liable"),
    [
        (TWO, False),
        ((*TWO, PUNG_MELD), False),
        ((PUNG_MELD, chow("345m"), chow("456m")), True),
        ((meld_of(ADDED, "2222m", S), chow("345m"), chow("456m")), True),
        ((HIDDEN, chow("345m"), chow("456m")), False),
        ((HIDDEN, chow("345m"), chow("456m"), chow("456m")), True),
        ((chow("345m"), PUNG_MELD, meld_of(PUNG, "666m", W), chow("345m")), False),
    ],
    ids=["two", "third is a pung", "pung first", "added kong in its pung's place", "concealed kong", "third exposed", "fourth"],
)
def test_the_third_exposed_meld_must_be_a_chow(melds: tuple[Meld, ...], is_liable: bool) -> None:
    """Melds in the order made, an added kong in its pung's place, without concealed kongs; a fourth set is no 包 (rule page)."""
    win, _ = flush(*melds)
    assert (win.payments[S] == 0) is is_liable


def test_nobody_is_liable_for_another_hand_than_a_full_flush() -> None:
    win = won("NN 77m", "7m", chow("234m"), chow("345s"), chow("456m"))
    assert win.payments == {E: 3 * win.total, S: -win.total, W: -win.total, N: -win.total}


def test_with_a_stake_nobody_pays_more_than_he_has() -> None:
    """円子: the remainder, or nothing (rule page)."""
    win = won(CHEAP, "1m", source=N)
    assert paid(table(N), {E: win}, **ANY, stake=3) == (Payment(PaymentReason.WIN, N, E, 3),)
    drawn = won(CHEAP, "1m")
    assert totals(paid(table(E), {E: drawn}, **ANY, stake=2)) == {E: 6, S: -2, W: -2, N: -2}
    win, melds = flush(*THREE)
    assert totals(paid(table(E, {E: melds}), {E: win}, **ANY, stake=100)) == {E: 100, S: 0, W: 0, N: -100}


def test_the_nearest_winner_is_paid_first_where_the_stake_does_not_reach_for_all() -> None:
    """同時上がりで破産する場合,近い人が優先的に点をもらえます: East is nearest to North."""
    south = won("123m 456p 678p 99s NN", "9s", seat=S, source=N)
    east = won(CHEAP, "1m", source=N)
    assert totals(paid(table(N), {S: south, E: east}, **ANY, stake=5)) == {E: 4, S: 1, W: 0, N: -5}
    assert paid(table(N), {S: south, E: east}, **ANY, stake=4) == (Payment(PaymentReason.WIN, N, E, 4),)


def test_nobody_pays_in_a_drawn_hand_but_penalties() -> None:
    """誰も上がらなかった手は,流局です."""
    assert paid(table(N), {}) == ()
    ruled = replace(table(N), penalties=(PenaltyRuled(S, Offence.FALSE_WIN, 0, 5),))
    assert totals(paid(ruled, {}, **ANY, stake=1)) == {E: 5, S: -15, W: 5, N: 5}
