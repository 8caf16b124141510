"""What is paid at the end of a hand of Sichuan, against 四川ルール 血戦到底 (blog, revised 29 September 2018)."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from msgspec.structs import replace

from tests.support.game.tables import meld_of
from twinwall.game.payments import Payment, PaymentReason, totals
from twinwall.game.play import Phase, RiverTile
from twinwall.game.play_events import Meld, MeldType
from twinwall.game.rule_set import Win
from twinwall.game.rules import rule_set
from twinwall.game.rules.sichuan.state import DeclaredWin, KongMade, SichuanState, of_sichuan
from twinwall.game.tiles import SEATS, Seat, Tile, parse_tiles

E, S, W, N = SEATS
KONG, ADDED, CONCEALED = MeldType.KONG, MeldType.ADDED_KONG, MeldType.CONCEALED_KONG

READY = "1m 2m 3m 4m 5m 6m 7p 8p 9p 2p 2p 5p 6p"
"""Waits for 4p and 7p, ×1."""
UNREADY = "1m 1m 4m 4m 7m 9m 2m 3p 3p 6p 8p 9p 5p"
PIG = "1m 2m 3m 4m 5m 6m 7p 8p 9p 2s 2s 5s 6s"
TRIPLETS = "1s 1s 1s 9s 9s 9s 4s 4s 4s 3p 3p 6p 6p"
"""Waits for 3p and 6p, ×2."""
SHORT_READY = "4m 5m 6m 7p 8p 9p 2p 2p 5p 6p"
"""The same beside one meld."""


def ended(
    hands: Mapping[Seat, str],
    *,
    wins: tuple[tuple[Seat, Seat | None], ...] = (),
    kongs: tuple[KongMade, ...] = (),
    melds: Mapping[Seat, tuple[Meld, ...]] | None = None,
    river: str = "",
) -> SichuanState:
    """A hand whose play is over: what each seat shows, who won on whose 7p, and which kongs were made."""
    state = of_sichuan(rule_set("sichuan").start())
    for seat in SEATS:
        laid = (melds or {}).get(seat, ())
        state = state.with_seat(seat, replace(state.seat(seat), shown=parse_tiles(hands[seat]), melds=laid))
    state = state.with_seat(E, replace(state.seat(E), river=tuple(RiverTile(tile) for tile in parse_tiles(river))))
    declared: list[DeclaredWin] = []
    for seat, source in wins:
        finished = frozenset(win.seat for win in declared)
        declared.append(DeclaredWin(seat, source, Tile.P7, state.seat(seat).melds, frozenset(), finished, has_tile=True))
    return replace(state, phase=Phase.SHOW, wins=tuple(declared), kongs=kongs)


def made(
    seat: Seat, kind: MeldType = CONCEALED, source: Seat | None = None, *, finished: tuple[Seat, ...] = (), late: bool = False
) -> KongMade:
    return KongMade(seat, kind, source, frozenset(finished), late)


def won(seat: Seat, source: Seat | None, finished: tuple[Seat, ...] = (), total: int = 1) -> Win:
    payers = [source] if source is not None else [other for other in SEATS if other is not seat and other not in finished]
    gains = dict.fromkeys(SEATS, 0)
    for payer in payers:
        gains[payer] = -total
    gains[seat] = total * len(payers)
    return Win((), total, gains)


def paid(state: SichuanState, reason: PaymentReason, wins: Mapping[Seat, Win] | None = None, **options: object) -> dict[Seat, int]:
    """What each seat gets for one reason."""
    payments = rule_set("sichuan", options).payments(state, wins or {})
    return totals(payment for payment in payments if payment.reason is reason)


ALL_READY = {E: READY, S: TRIPLETS, W: READY, N: TRIPLETS}


@pytest.mark.parametrize(
    ("kong", "gains"),
    [
        (made(E), {E: 6, S: -2, W: -2, N: -2}),
        (made(E, finished=(S,)), {E: 4, S: 0, W: -2, N: -2}),
        (made(E, ADDED), {E: 3, S: -1, W: -1, N: -1}),
        (made(E, ADDED, finished=(S, N)), {E: 1, S: 0, W: -1, N: 0}),
        (made(E, KONG, W), {E: 2, S: 0, W: -2, N: 0}),
        (made(E, KONG, W, finished=(S,)), {E: 2, S: 0, W: -2, N: 0}),
    ],
)
def test_a_kong_is_paid_by_those_who_had_not_won_when_it_was_made(kong: KongMade, gains: dict[Seat, int]) -> None:
    """下雨 … 2番(x2)ずつ; 刮風 … 1番(x1)ずつ, 大明槓は,喰われた人から … 2番(x2)."""
    wins = tuple((seat, None) for seat in sorted(kong.finished, key=SEATS.index))
    state = ended(ALL_READY, kongs=(kong,), wins=wins)
    assert paid(state, PaymentReason.KONG, {seat: won(seat, None) for seat, _ in wins}) == gains


def test_a_kong_is_outside_the_cap_and_multiplied_by_the_rate() -> None:
    """役の満点とは無関係に授受します."""
    assert paid(ended(ALL_READY, kongs=(made(E),)), PaymentReason.KONG, cap=1, rate=5) == {E: 30, S: -10, W: -10, N: -10}


def test_a_kong_of_who_is_neither_ready_nor_a_winner_is_not_paid() -> None:
    """この点は上がるか下叫でなければ,もらえません."""
    assert not any(paid(ended({**ALL_READY, E: UNREADY}, kongs=(made(E),)), PaymentReason.KONG).values())
    assert not any(paid(ended({**ALL_READY, E: PIG}, kongs=(made(E),)), PaymentReason.KONG).values())
    winner = ended({**ALL_READY, E: UNREADY}, kongs=(made(E),), wins=((E, S),))
    assert paid(winner, PaymentReason.KONG, {E: won(E, S)})[E] == 6


def test_the_loser_of_three_wins_is_paid_for_its_kong_only_if_it_is_ready() -> None:
    wins = {seat: won(seat, None) for seat in (S, W, N)}
    declared = ((S, None), (W, None), (N, None))
    assert paid(ended(ALL_READY, kongs=(made(E),), wins=declared), PaymentReason.KONG, wins)[E] == 6
    assert paid(ended({**ALL_READY, E: UNREADY}, kongs=(made(E),), wins=declared), PaymentReason.KONG, wins)[E] == 0


def test_a_kong_made_with_a_tile_drawn_earlier_earns_nothing_unless_agreed() -> None:
    late = ended(ALL_READY, kongs=(made(E, ADDED, late=True),))
    assert not any(paid(late, PaymentReason.KONG).values())
    assert paid(late, PaymentReason.KONG, late_added_kong=True)[E] == 3


DEALT_IN = {**ALL_READY, E: UNREADY}


def test_a_kong_s_bonus_is_handed_to_who_wins_on_the_discard_after_it() -> None:
    """槓の捨て牌で振ったら,その槓でもらう下雨,刮風の点を振り込んだ人に渡します: the winner was one of the payers."""
    kong = replace(made(E), handed_to=(S,))
    for hands in (ALL_READY, DEALT_IN):
        state = ended(hands, kongs=(kong,), wins=((S, E),))
        assert paid(state, PaymentReason.KONG, {S: won(S, E)}) == {E: 0, S: 4, W: -2, N: -2}


def test_the_second_and_third_winner_get_as_much_again_from_the_konger() -> None:
    """2人以上に同時に振り込んだ場合,振り込んだ人が,2人目以降にも,同じ点数を渡します."""
    kong = replace(made(E), handed_to=(S, W, N))
    wins = {seat: won(seat, E) for seat in (S, W, N)}
    state = ended(DEALT_IN, kongs=(kong,), wins=((S, E), (W, E), (N, E)))
    assert paid(state, PaymentReason.KONG, wins) == {E: 6 - 18, S: 4, W: 4, N: 4}
    fed = replace(made(E, KONG, N), handed_to=(S, W))
    two = ended(DEALT_IN, kongs=(fed,), wins=((S, E), (W, E)))
    assert paid(two, PaymentReason.KONG, {S: wins[S], W: wins[W]}) == {E: -2, S: 2, W: 2, N: -2}


def test_three_suits_pay_the_cap_to_each_other_player_winners_included() -> None:
    """査花猪 … 上がった人も含む他の3人に,それぞれ満格/封頂(!)分の点数を払います."""
    state = ended({**ALL_READY, W: PIG}, wins=((S, None),))
    assert paid(state, PaymentReason.PIG, {S: won(S, None)}) == {E: 8, S: 8, W: -24, N: 8}
    assert paid(state, PaymentReason.PIG, {S: won(S, None)}, cap=16, rate=2)[W] == -3 * 32


def test_without_a_cap_three_suits_pay_what_was_agreed() -> None:
    """青天井なら,10点など事前に別途決めた点数を払います."""
    state = ended({**ALL_READY, W: PIG})
    assert paid(state, PaymentReason.PIG, cap="none") == {E: 10, S: 10, W: -30, N: 10}
    assert paid(state, PaymentReason.PIG, cap="none", pig_without_cap=25)[W] == -75


def test_two_holders_of_three_suits_pay_each_other_and_so_nothing() -> None:
    assert paid(ended({**ALL_READY, W: PIG, N: PIG}), PaymentReason.PIG) == {E: 16, S: 16, W: -16, N: -16}


def test_the_third_suit_may_lie_in_a_meld() -> None:
    """さらした牌も含めた手に3種類の牌がある人."""
    state = ended({**ALL_READY, W: SHORT_READY}, melds={W: (meld_of(MeldType.PUNG, "7s 7s 7s", N),)})
    assert paid(state, PaymentReason.PIG)[W] == -24


def test_who_is_not_ready_pays_the_value_of_each_ready_hand_that_has_not_won() -> None:
    """査叫 … 聴牌している(が上がっていない)人に,その手で上がったときの最小または最大の点数を払います."""
    state = ended({E: UNREADY, S: TRIPLETS, W: READY, N: READY}, wins=((N, None),))
    assert paid(state, PaymentReason.NOT_READY, {N: won(N, None)}) == {E: -3, S: 2, W: 1, N: 0}
    assert paid(state, PaymentReason.NOT_READY, {N: won(N, None)}, rate=3)[E] == -9


def test_the_highest_or_the_lowest_value_is_paid_by_agreement() -> None:
    """Waits for 1m and 4m, and 1m makes four of a kind."""
    state = ended({**ALL_READY, W: "1m 1m 1m 2m 3m 5m 6m 7m 7p 8p 9p 2p 2p", N: UNREADY})
    assert paid(state, PaymentReason.NOT_READY)[W] == 2
    assert paid(state, PaymentReason.NOT_READY, not_ready_pays="min")[W] == 1


def test_an_estimate_is_capped_and_counts_four_alike_and_agreed_fans_but_no_bonus_of_a_self_draw() -> None:
    rich = "1s 1s 1s 1s 3s 3s 3s 3s 5s 5s 9s 9s 7s"
    state = ended({**ALL_READY, W: rich, N: UNREADY})
    assert paid(state, PaymentReason.NOT_READY, self_draw_bonus=True)[W] == 8
    assert paid(state, PaymentReason.NOT_READY, cap="none", self_draw_bonus=True)[W] == 64


def test_a_holder_of_three_suits_pays_no_more_for_not_being_ready_unless_agreed() -> None:
    state = ended({E: PIG, S: TRIPLETS, W: READY, N: READY})
    assert not any(paid(state, PaymentReason.NOT_READY).values())
    assert paid(state, PaymentReason.NOT_READY, pig_pays_not_ready=True) == {E: -4, S: 2, W: 1, N: 1}


def test_nothing_is_checked_when_three_have_won() -> None:
    """3人が上がらずに手が終わった時には,査花猪,査叫を行います."""
    wins = {seat: won(seat, None) for seat in (S, W, N)}
    state = ended({**ALL_READY, E: PIG}, wins=((S, None), (W, None), (N, None)))
    assert {payment.reason for payment in rule_set("sichuan").payments(state, wins)} == {PaymentReason.WIN}


DEAD_WAIT = {E: READY, S: UNREADY, W: READY, N: READY}


def test_a_hand_whose_every_wait_lies_open_is_ready_only_if_agreed() -> None:
    """死叫(待ち牌が全部捨てられたか食われている場合)を下叫と認めるかどうかも,事前に決めてください."""
    river = "4p 4p 4p 4p 7p 7p 7p"
    state = ended(DEAD_WAIT, river=river, kongs=(made(E),))
    assert not any(paid(state, PaymentReason.NOT_READY).values()), "the fourth 7p is in each hand"
    assert not any(paid(state, PaymentReason.KONG).values())
    assert paid(state, PaymentReason.NOT_READY, dead_wait_ready=True) == {E: 1, S: -3, W: 1, N: 1}
    assert paid(state, PaymentReason.KONG, dead_wait_ready=True)[E] == 6


def test_a_kong_bonus_for_a_hand_whose_every_wait_lies_open_is_agreed_apart() -> None:
    """この点は上がるか下叫でなければ,もらえません.死叫で認める人と認めない人がいるので,事前に決めてください."""
    state = ended(DEAD_WAIT, river="4p 4p 4p 4p 7p 7p 7p", kongs=(made(E),))
    assert paid(state, PaymentReason.KONG, dead_wait_kongs=True)[E] == 6
    assert not any(paid(state, PaymentReason.NOT_READY, dead_wait_kongs=True).values())
    assert not any(paid(state, PaymentReason.KONG, dead_wait_ready=True, dead_wait_kongs=False).values())
    assert paid(state, PaymentReason.NOT_READY, dead_wait_ready=True, dead_wait_kongs=False)[S] == -3


def test_one_wait_that_does_not_lie_open_makes_a_hand_ready() -> None:
    state = ended(DEAD_WAIT, river="4p 4p 4p 4p 7p 7p")
    assert paid(state, PaymentReason.NOT_READY)[S] == -3


def test_the_estimate_leaves_out_waits_that_lie_open() -> None:
    """The dearer wait, 1m, lies in the river."""
    state = ended({**ALL_READY, W: "1m 1m 1m 2m 3m 5m 6m 7m 7p 8p 9p 2p 2p", N: UNREADY}, river="1m")
    assert paid(state, PaymentReason.NOT_READY)[W] == 1


def test_waiting_for_a_fifth_tile_is_not_ready() -> None:
    state = ended({**ALL_READY, W: "1p 1p 1p 1p 4m 5m 6m 7m 8m 9m 3m 3m 3m"})
    assert paid(state, PaymentReason.NOT_READY)[W] < 0
    assert paid(state, PaymentReason.NOT_READY, dead_wait_ready=True)[W] < 0


def test_a_win_that_does_not_stand_is_none_for_anybody() -> None:
    """E's false self-draw came first: who wins later is paid by E too, E's kong is not paid, and E is not ready."""
    state = ended({**ALL_READY, E: UNREADY}, wins=((E, None), (S, None)), kongs=(made(E), made(W, finished=(E,))))
    state = replace(state, wins=(replace(state.wins[0], stands=False), state.wins[1]))
    payments = rule_set("sichuan").payments(state, {S: won(S, None)})
    assert Payment(PaymentReason.WIN, E, S, 1) in payments
    assert totals(payment for payment in payments if payment.reason is PaymentReason.KONG) == {E: -2, S: -2, W: 6, N: -2}
    assert Payment(PaymentReason.NOT_READY, E, W, 1) in payments


def test_a_hand_that_was_ruled_dead_is_not_ready() -> None:
    state = ended(ALL_READY)
    dead = state.with_seat(W, replace(state.seat(W), dead=True))
    assert paid(dead, PaymentReason.NOT_READY) == {E: 1, S: 2, W: -5, N: 2}


def test_wins_are_paid_as_scored_in_the_order_of_declaration() -> None:
    state = ended(ALL_READY, wins=((N, None), (S, W)))
    payments = rule_set("sichuan").payments(state, {S: won(S, W, total=4), N: won(N, None, total=2)})
    assert [payment for payment in payments if payment.reason is PaymentReason.WIN] == [
        Payment(PaymentReason.WIN, E, N, 2),
        Payment(PaymentReason.WIN, S, N, 2),
        Payment(PaymentReason.WIN, W, N, 2),
        Payment(PaymentReason.WIN, W, S, 4),
    ]
