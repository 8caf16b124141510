"""What is paid at the end of a hand of Sichuan, against 四川ルール 血戦到底 (blog, revised 29 September 2018)."""

from collections.abc import Mapping

import pytest
from msgspec.structs import replace

from tests.support.game.tables import meld_of
from twinwall.game.play import Phase, RiverTile
from twinwall.game.play_events import Meld, MeldType, Payment, PaymentReason, totals
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


def paid(state: SichuanState, reason: PaymentReason, wins: Mapping[Seat, Win] | None = None, /, **options: object) -> dict[Seat, int]:
    """What each seat gets for one reason."""
    payments = rule_set("sichuan", options).payments(state, wins or {})
    return totals(payment for payment in payments if payment.reason is reason)


ALL_READY = {E: READY, S: TRIPLETS, W: READY, N: TRIPLETS}
DEALT_IN = {**ALL_READY, E: UNREADY}
RICH = {**ALL_READY, W: "1s 1s 1s 1s 3s 3s 3s 3s 5s 5s 9s 9s 7s", N: UNREADY}
TWO_VALUES = {**ALL_READY, W: "1m 1m 1m 2m 3m 5m 6m 7m 7p 8p 9p 2p 2p", N: UNREADY}
"""West waits for 1m and 4m, and 1m makes four of a kind."""
DEAD_WAIT = {E: READY, S: UNREADY, W: READY, N: READY}
SIX_OPEN = "4p 4p 4p 4p 7p 7p"
ALL_OPEN = f"{SIX_OPEN} 7p"
"""The fourth 7p is in each hand."""
TO_PIG = (8, 8, -24, 8)


def three_wins(hands: Mapping[Seat, str]) -> SichuanState:
    return ended(hands, kongs=(made(E),), wins=((S, None), (W, None), (N, None)))


@pytest.mark.parametrize(
    ("state", "options", "gains"),
    [
        (ended(ALL_READY, kongs=(made(E),)), {}, (6, -2, -2, -2)),
        (ended(ALL_READY, kongs=(made(E, finished=(S,)),), wins=((S, None),)), {}, (4, 0, -2, -2)),
        (ended(ALL_READY, kongs=(made(E, ADDED),)), {}, (3, -1, -1, -1)),
        (ended(ALL_READY, kongs=(made(E, ADDED, finished=(S, N)),), wins=((S, None), (N, None))), {}, (1, 0, -1, 0)),
        (ended(ALL_READY, kongs=(made(E, KONG, W),)), {}, (2, 0, -2, 0)),
        (ended(ALL_READY, kongs=(made(E, KONG, W, finished=(S,)),), wins=((S, None),)), {}, (2, 0, -2, 0)),
        (ended(ALL_READY, kongs=(made(E),)), {"cap": 1, "rate": 5}, (30, -10, -10, -10)),
        (ended(DEALT_IN, kongs=(made(E),)), {}, (0, 0, 0, 0)),
        (ended({**ALL_READY, E: PIG}, kongs=(made(E),)), {}, (0, 0, 0, 0)),
        (ended(DEALT_IN, kongs=(made(E),), wins=((E, S),)), {}, (6, -2, -2, -2)),
        (three_wins(ALL_READY), {}, (6, -2, -2, -2)),
        (three_wins(DEALT_IN), {}, (0, 0, 0, 0)),
        (ended(ALL_READY, kongs=(made(E, ADDED, late=True),)), {}, (0, 0, 0, 0)),
        (ended(ALL_READY, kongs=(made(E, ADDED, late=True),)), {"late_added_kong": True}, (3, -1, -1, -1)),
        (ended(ALL_READY, kongs=(replace(made(E), handed_to=(S,)),), wins=((S, E),)), {}, (0, 4, -2, -2)),
        (ended(DEALT_IN, kongs=(replace(made(E), handed_to=(S,)),), wins=((S, E),)), {}, (0, 4, -2, -2)),
        (ended(DEALT_IN, kongs=(replace(made(E), handed_to=(S, W, N)),), wins=((S, E), (W, E), (N, E))), {}, (6 - 18, 4, 4, 4)),
        (ended(DEALT_IN, kongs=(replace(made(E, KONG, N), handed_to=(S, W)),), wins=((S, E), (W, E))), {}, (-2, 2, 2, -2)),
        (ended(DEAD_WAIT, river=ALL_OPEN, kongs=(made(E),)), {}, (0, 0, 0, 0)),
        (ended(DEAD_WAIT, river=ALL_OPEN, kongs=(made(E),)), {"dead_wait_ready": True}, (6, -2, -2, -2)),
        (ended(DEAD_WAIT, river=ALL_OPEN, kongs=(made(E),)), {"dead_wait_kongs": True}, (6, -2, -2, -2)),
        (ended(DEAD_WAIT, river=ALL_OPEN, kongs=(made(E),)), {"dead_wait_ready": True, "dead_wait_kongs": False}, (0, 0, 0, 0)),
    ],
    ids=[
        "concealed",
        "concealed after a win",
        "added",
        "added after two wins",
        "claimed",
        "claimed after a win",
        "outside the cap, times the rate",
        "not of who is not ready",
        "not of who has three suits",
        "of a winner",
        "of the loser of three wins who is ready",
        "not of the loser of three wins",
        "not with a tile drawn earlier",
        "with a tile drawn earlier, by agreement",
        "handed to who wins on the discard after it",
        "handed over by who is not ready",
        "as much again to the second and the third",
        "as much again of a claimed one",
        "not of a dead wait",
        "of a dead wait that is ready by agreement",
        "of a dead wait by agreement",
        "agreed apart",
    ],
)
def test_a_kong_is_paid(state: SichuanState, options: dict[str, object], gains: tuple[int, ...]) -> None:
    """下雨 … 2番(x2)ずつ; 刮風 … 1番(x1)ずつ, 大明槓は,喰われた人から … 2番(x2). 役の満点とは無関係に授受します. この点は上がるか下叫で
    なければ,もらえません. 槓の捨て牌で振ったら,その槓でもらう下雨,刮風の点を振り込んだ人に渡します … 2人目以降にも,同じ点数を渡します."""
    wins = {win.seat: won(win.seat, win.source) for win in state.wins}
    assert tuple(paid(state, PaymentReason.KONG, wins, **options).values()) == gains


@pytest.mark.parametrize(
    ("hands", "options", "gains"),
    [
        ({**ALL_READY, W: PIG}, {}, TO_PIG),
        ({**ALL_READY, W: PIG}, {"cap": 16, "rate": 2}, (32, 32, -96, 32)),
        ({**ALL_READY, W: PIG}, {"cap": "none"}, (10, 10, -30, 10)),
        ({**ALL_READY, W: PIG}, {"cap": "none", "pig_without_cap": 25}, (25, 25, -75, 25)),
        ({**ALL_READY, W: PIG, N: PIG}, {}, (16, 16, -16, -16)),
    ],
    ids=["the cap", "times the rate", "10 without a cap", "what was agreed", "two pay each other nothing"],
)
def test_three_suits_pay_to_each_other_player_winners_included(
    hands: dict[Seat, str], options: dict[str, object], gains: tuple[int, ...]
) -> None:
    """査花猪 … 上がった人も含む他の3人に,それぞれ満格/封頂(!)分の点数を払います. 青天井なら,10点など事前に別途決めた点数を払います."""
    for state, wins in ((ended(hands), {}), (ended(hands, wins=((S, None),)), {S: won(S, None)})):
        assert tuple(paid(state, PaymentReason.PIG, wins, **options).values()) == gains


def test_the_third_suit_may_lie_in_a_meld() -> None:
    """さらした牌も含めた手に3種類の牌がある人."""
    state = ended({**ALL_READY, W: SHORT_READY}, melds={W: (meld_of(MeldType.PUNG, "7s 7s 7s", N),)})
    assert tuple(paid(state, PaymentReason.PIG).values()) == TO_PIG


@pytest.mark.parametrize(
    ("hands", "river", "options", "gains"),
    [
        pytest.param(*case, id=why)
        for *case, why in (
            ({E: UNREADY, S: TRIPLETS, W: READY, N: READY}, "", {}, (-4, 2, 1, 1), "the value of each ready hand"),
            ({E: UNREADY, S: TRIPLETS, W: READY, N: READY}, "", {"rate": 3}, (-12, 6, 3, 3), "times the rate"),
            (TWO_VALUES, "", {}, (1, 2, 2, -5), "the highest value"),
            (TWO_VALUES, "", {"not_ready_pays": "min"}, (1, 2, 1, -4), "the lowest by agreement"),
            (TWO_VALUES, "1m", {}, (1, 2, 1, -4), "not of a wait that lies open"),
            (RICH, "", {"self_draw_bonus": True}, (1, 2, 8, -11), "capped, and no bonus of a self-draw"),
            (RICH, "", {"cap": "none", "self_draw_bonus": True}, (1, 2, 64, -67), "four alike without a cap"),
            ({E: PIG, S: TRIPLETS, W: READY, N: READY}, "", {}, (0, 0, 0, 0), "not by three suits"),
            ({E: PIG, S: TRIPLETS, W: READY, N: READY}, "", {"pig_pays_not_ready": True}, (-4, 2, 1, 1), "by three suits too by agreement"),
            (DEAD_WAIT, ALL_OPEN, {}, (0, 0, 0, 0), "a hand whose every wait lies open is not ready"),
            (DEAD_WAIT, ALL_OPEN, {"dead_wait_ready": True}, (1, -3, 1, 1), "it is by agreement"),
            (DEAD_WAIT, ALL_OPEN, {"dead_wait_kongs": True}, (0, 0, 0, 0), "its kongs are agreed apart"),
            (DEAD_WAIT, ALL_OPEN, {"dead_wait_ready": True, "dead_wait_kongs": False}, (1, -3, 1, 1), "it alone by agreement"),
            (DEAD_WAIT, SIX_OPEN, {}, (1, -3, 1, 1), "one wait does not lie open"),
            ({**ALL_READY, W: "1p 1p 1p 1p 4m 5m 6m 7m 8m 9m 3m 3m 3m"}, "", {}, (1, 2, -5, 2), "a wait for a fifth tile is none"),
            ({**ALL_READY, W: "1p 1p 1p 1p 4m 5m 6m 7m 8m 9m 3m 3m 3m"}, "", {"dead_wait_ready": True}, (1, 2, -5, 2), "nor by agreement"),
        )
    ],
)
def test_who_is_not_ready_pays(hands: dict[Seat, str], river: str, options: dict[str, object], gains: tuple[int, ...]) -> None:
    """査叫 … 聴牌している(が上がっていない)人に,その手で上がったときの最小または最大の点数を払います; 死叫 … 事前に決めてください."""
    assert tuple(paid(ended(hands, river=river), PaymentReason.NOT_READY, **options).values()) == gains


def test_a_winner_is_paid_nothing_for_being_ready_and_nothing_is_checked_when_three_have_won() -> None:
    """3人が上がらずに手が終わった時には,査花猪,査叫を行います."""
    one = ended({E: UNREADY, S: TRIPLETS, W: READY, N: READY}, wins=((N, None),))
    assert paid(one, PaymentReason.NOT_READY, {N: won(N, None)}) == {E: -3, S: 2, W: 1, N: 0}
    three = replace(three_wins({**ALL_READY, E: PIG}), kongs=())
    payments = rule_set("sichuan").payments(three, {seat: won(seat, None) for seat in (S, W, N)})
    assert {payment.reason for payment in payments} == {PaymentReason.WIN}


def test_a_win_that_does_not_stand_is_none_for_anybody() -> None:
    """E's false self-draw came first: who wins later is paid by E too, E's kong is not paid, and E is not ready."""
    state = ended(DEALT_IN, wins=((E, None), (S, None)), kongs=(made(E), made(W, finished=(E,))))
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
    paid_wins = [(payment.source, payment.to, payment.amount) for payment in payments if payment.reason is PaymentReason.WIN]
    assert paid_wins == [(E, N, 2), (S, N, 2), (W, N, 2), (W, S, 4)]
