"""Turns, claims, the end of a hand, and wins that were let pass in Yangzhou ("揚州の麻雀", blog, 27 November 2015)."""

from collections.abc import Mapping

import pytest
from msgspec.structs import replace

from tests.support.game import scripted
from tests.support.game.scripted import NOTHING, ScriptedHand, begun_deal
from tests.support.game.tables import meld_of
from tests.support.game.worked_example import Judge
from twinwall.game.play import Phase, PlayState
from twinwall.game.play_events import (
    Claim,
    EndReason,
    HandEnded,
    HandShown,
    Meld,
    MeldType,
    Offence,
    Payment,
    PaymentReason,
    PenaltyRuled,
    TileDrawn,
    WinRefused,
    totals,
)
from twinwall.game.rule_set import Win, WinningHand
from twinwall.game.rules import rule_set
from twinwall.game.tiles import SEATS, Seat, Tile, parse_tile, parse_tiles

E, S, W, N = SEATS
ANY = {"minimum": 0, "values": 13}
RULES = rule_set("yangzhou", ANY)
WIN = {Claim.WIN}


def test_a_seat_has_34_tiles_and_the_dealers_fourteenth_is_its_first_draw() -> None:
    """手牌は13枚です.親は配牌で14枚の牌を取ります; own walls of 13 + 21 (rule page)."""
    start = RULES.start()
    assert (len(RULES.tiles), start.rules, RULES.permissions(start).draw) == (136, "yangzhou", E)
    assert {start.seat(seat).draws_left for seat in SEATS} == {21}


def test_chows_come_from_the_left_and_everything_else_from_anybody() -> None:
    """チー・ポン・カンできます; a win goes before a pung or kong, these before a chow (rule page)."""
    hand, others = ScriptedHand(RULES).after("E 5m"), {Claim.WIN, Claim.PUNG, Claim.KONG}
    assert hand.claims == {S: others | {Claim.CHOW}, W: others, N: others}
    assert RULES.priority(hand.state, {S: Claim.CHOW, W: Claim.PUNG, N: Claim.WIN}) == (N, W, S)


def test_a_kong_is_replaced_from_the_own_wall() -> None:
    assert ScriptedHand(RULES).after("E 5m, W kong").allowed.draw is W
    assert ScriptedHand(RULES, 5, 5, 0, 5).after("E 5m").claims[W] == {Claim.WIN, Claim.PUNG}


def test_the_hand_is_drawn_when_the_seat_to_draw_has_no_tile_left() -> None:
    """山を1枚も残さずに使い切ったら手は終わります: with own walls, the wall of the seat to draw (rule page)."""
    hand = ScriptedHand(RULES, 1, 0, 5, 5).after("E 5m")
    assert hand.claims == {S: WIN, W: WIN, N: WIN}
    assert hand.after("passed").allowed.ended is EndReason.DRAWN
    assert hand.reason(TileDrawn(S)) is not None
    assert hand.after(HandEnded(EndReason.DRAWN, NOTHING)).state.phase is Phase.ENDED


def test_two_and_three_may_win_on_one_tile() -> None:
    """2人以上同時に上がれます."""
    hand = ScriptedHand(RULES).after("E 1m, S wins", HandShown(S, (Tile.M1,), Tile.M1), "W wins, W shows, N wins, N shows")
    assert [hand.state.seat(seat).shown is not None for seat in SEATS] == [False, True, True, True]
    assert hand.after(HandEnded(EndReason.WON, NOTHING)).allowed.ended is EndReason.WON


def test_a_robbed_kong_is_won_as_a_discard_of_its_seat() -> None:
    """搶槓(チャンカン)は放銃扱いです."""
    hand = ScriptedHand(RULES).after("E 5m, W pung, W E, N 1s, E 1s, S 9s, W adds 5m")
    assert hand.claims == {E: WIN, S: WIN, N: WIN}
    hand.after("S wins, S shows")
    assert RULES.winning_hand(hand.state, HandShown(S, (), Tile.M5), E).source is W


# Wins that were let pass: what only a replay with the walls sees.

WAITING = "1m 2m 3m 4m 5m 6m 7p 8p 9p 2p 2p 5p 6p"
"""Waits for 4p and 7p: 平胡 (欠一 and 門清 besides)."""
PASSING = {
    "E": "7p 1s 1s 1s 9s 9s 9s 5s 5s 6s 6s E E | E 1m",
    "S": "7p 4p 9m 1m 2m 3m 3m 8s 8s 7s 7s 2s W | 9m S",
    "W": "4p 8m 8m 8m 9m 9m 7m 7m 4s 4s 3s 3s 2s | 7m",
    "N": f"{WAITING} | F 4p",
}
PUNG_PAST_NORTH = {
    "E": "7p 9m 9m 1s 1s 1s 9s 9s 9s 5s 5s 6s E | E",
    "S": "7p 4p 1m 2m 3m 3m 8s 8s 7s 7s 2s W W | S 4p",
    "W": "9m 8m 8m 8m 7m 7m 4s 4s 3s 3s 2s 2s S | 7m",
    "N": f"{WAITING} | F",
}
OWN_PUNG = {
    "E": "7p 1s 1s 1s 9s 9s 9s 5s 5s 6s 6s E E | E",
    "S": "2p 1m 2m 3m 3m 8s 8s 7s 7s 2s W W F | S",
    "W": "4p 8m 8m 8m 9m 9m 7m 7m 4s 4s 3s 3s 2s | 7m",
    "N": "1m 2m 3m 4m 5m 6m 8p 9p 2p 2p 5p 6p 7p | F",
}
THROWN_AWAY = {
    "E": "7p 1s 1s 1s 9s 9s 9s 5s 5s 6s 6s E E | E 1m",
    "S": "9m 1m 2m 3m 3m 8s 8s 7s 7s 2s W W S | S",
    "W": "8m 8m 8m 9m 9m 7m 7m 4s 4s 3s 3s 2s 2s | 7m",
    "N": f"{WAITING} | 4p",
}
FOUR_MELDS = {
    "E": "1s 9s 5s E 7p 1p 2p 3p 4p 5p 6p 8p 9p | N S 4s 1m 2m 3m",
    "N": "1s 1s 9s 9s 5s 5s E E 7p 2m 4m 6m 8m | 7p",
    "S": "C F P W 2m 3m 4m 5m 6m 7m 8m 1m 9m | C F P W W W",
    "W": "| 2s",
}
FACE_DOWN = {
    "E": "7p 1s 1s 1s 9s 9s 9s 5s 5s 6s 6s E 3m | E F",
    "S": "4p 9m 8s 8s 7s 7s 2s W W S 3p 3p 3p | S F",
    "W": "8m 8m 8m 9m 9m 7m 7m 4s 4s 3s 3s 2s 2s | 7m",
    "N": "N N N N 4m 5m 6m 7p 8p 9p 2p 2p 5p | 1m 6p 1m",
}


@pytest.mark.parametrize(
    ("script", "begun", "number"),
    [
        pytest.param("E 7p, S 4p, N wins", PASSING, 6, id="any tile before the own turn"),
        pytest.param("E E, S 4p, N wins", PASSING, None, id="nothing was let pass"),
        pytest.param("E 7p, S W, W 7m, N F, E 1m, S 4p, N wins", PASSING, None, id="not after the own turn"),
        pytest.param("E 7p, S W, W 9m, E pung, E E, S 4p, N wins", PUNG_PAST_NORTH, 14, id="a turn that a claim passes over has not come"),
        pytest.param("E 7p, S 2p, N pung, N 8p, E E, S S, W 4p, N wins", OWN_PUNG, None, id="a claim of the own is a turn"),
        pytest.param("E E, S S, W 7m, N 4p, E 7p, N wins", THROWN_AWAY, 15, id="a self-drawn win that is thrown away is let pass too"),
        pytest.param(
            "E 1s, N pung, N 2m, E 9s, N pung, N 4m, E 5s, N pung, N 6m, E E, N pung, N 8m, E 1p, S C, W 2s, N 7p, E 7p, N wins",
            FOUR_MELDS,
            None,
            id="with four melds the thrown tile may still be won on",
        ),
        pytest.param("E E, S S, W 7m, N conceals, N 1m, E 7p, S 4p, N wins", FACE_DOWN, 20, id="kongs that lie face down do not hide it"),
    ],
)
def test_a_win_that_was_let_pass_bars_others(script: str, begun: dict[str, str], number: int | None) -> None:
    """上がりを見逃したら,自分の番が来るまで,上がれません. ただし,裸単騎で,自分で上がれる牌を捨てた同巡に上がることは認められます."""
    found = scripted.objections(ScriptedHand(RULES).after(script), begun_deal(RULES, **begun)[0], ANY)
    assert found == ([] if number is None else [(number, "passed-win")])


def test_what_is_below_the_minimum_is_no_win_that_could_pass_and_one_behind_a_false_win_is() -> None:
    walls = begun_deal(RULES, **PASSING)[0]
    assert scripted.objections(ScriptedHand(RULES).after("E 7p, S 4p, N wins"), walls, {"minimum": 13}) == []
    behind = ScriptedHand(RULES).after("E 7p, W wins", HandShown(W, walls[W].hand, Tile.P7), WinRefused(W, "not-a-win"), "S 4p, N wins")
    assert scripted.objections(behind, walls, ANY) == [(9, "passed-win")]


@pytest.mark.parametrize("seat", SEATS)
def test_the_score_of_a_hand_knows_the_round(seat: Seat) -> None:
    """圏風 is worth a point for everybody, whatever the seat."""
    shown = HandShown(seat, parse_tiles("23m 456p 789s NN EEE"), Tile.M1)
    assert RULES.winning_hand(replace(RULES.start(), turn=seat, phase=Phase.SHOW, winner=seat), shown, E).round is E


CHOW, PUNG, KONG, ADDED, CONCEALED = MeldType


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
