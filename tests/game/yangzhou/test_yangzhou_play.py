"""Turns, claims, the end of a hand, and wins that were let pass in Yangzhou ("揚州の麻雀", blog, 27 November 2015)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests.support.game import scripted
from tests.support.game.scripted import NOTHING, ScriptedHand, begun_deal
from twinwall.game.play import Phase
from twinwall.game.play_events import Claim, EndReason, HandEnded, HandShown, TileDrawn, WinRefused
from twinwall.game.rules import rule_set
from twinwall.game.tiles import SEATS, Seat, Tile, parse_tiles

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
        ("E 7p, S 4p, N wins", PASSING, 6),
        ("E E, S 4p, N wins", PASSING, None),
        ("E 7p, S W, W 7m, N F, E 1m, S 4p, N wins", PASSING, None),
        ("E 7p, S W, W 9m, E pung, E E, S 4p, N wins", PUNG_PAST_NORTH, 14),
        ("E 7p, S 2p, N pung, N 8p, E E, S S, W 4p, N wins", OWN_PUNG, None),
        ("E E, S S, W 7m, N 4p, E 7p, N wins", THROWN_AWAY, 15),
        (
            "E 1s, N pung, N 2m, E 9s, N pung, N 4m, E 5s, N pung, N 6m, E E, N pung, N 8m, E 1p, S C, W 2s, N 7p, E 7p, N wins",
            FOUR_MELDS,
            None,
        ),
        ("E E, S S, W 7m, N conceals, N 1m, E 7p, S 4p, N wins", FACE_DOWN, 20),
    ],
    ids=[
        "any tile before the own turn",
        "nothing was let pass",
        "not after the own turn",
        "a turn that a claim passes over has not come",
        "a claim of the own is a turn",
        "a self-drawn win that is thrown away is let pass too",
        "with four melds the thrown tile may still be won on",
        "kongs that lie face down do not hide it",
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
