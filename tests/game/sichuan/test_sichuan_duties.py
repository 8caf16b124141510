"""Duties of Sichuan that only the walls show, found by a replay (四川ルール 血戦到底, blog, revised 29 September 2018)."""

from __future__ import annotations

import pytest

from tests.support.game import scripted
from tests.support.game.scripted import ScriptedHand
from twinwall.game.play_events import HandShown
from twinwall.game.rules import rule_set
from twinwall.game.tiles import SEATS, Tile

E, S, W, N = SEATS
RULES = rule_set("sichuan")
WAITING = "1m 2m 3m 4m 5m 6m 7p 8p 9p 2p 2p 5p 6p"
"""Waits for 4p and 7p."""
PASSING = {
    "E": "4p 4p 7p 1s 1s 1s 9s 9s 9s 5s 5s 6s 6s | 1m 3s",
    "S": "7p 4p 1m 1m 2m 2m 3m 3m 8s 8s 7s 7s 2s | 9m",
    "W": "7p 8m 8m 8m 9m 9m 9m 3s 3s 4s 4s 2s 2s | 7m",
    "N": f"{WAITING} | 8m 1p",
}
"""N waits for 4p and 7p; E, S and W hold some."""
ROUND = "S 9m, W 7m, N 8m, E 1m, S 7p, N wins"
PUNG_PAST_N = {
    "E": "9m 9m 7p 1s 1s 1s 5s 5s 6s 6s 7s 8s 9s | 1m",
    "S": "7p 4p 1m 1m 2m 2m 3m 3m 8s 8s 7s 7s 2s | 9p",
    "W": "7p 8m 8m 8m 7m 7m 3s 3s 4s 4s 2s 2s 1p | 9m",
    "N": f"{WAITING} | 8m",
}
HOLDS_FOUR = {"E": "1m 1m 1m 1m 2m 3m 7p 8p 9p 2p 2p 5p 6p | 7p"}
TO_ADD = {"E": "5m 1m | 9s 9s", "W": "9p 8p | 7s", "N": "8p 1p | 6s"}
ADDING = "E 5m, S pung, S 9p, W 9p, N 8p, E 1m, S draws"


def objections(script: str, begun: dict[str, str], **options: object) -> list[tuple[int, str]]:
    return scripted.objections(ScriptedHand(RULES).after(script), scripted.begun_deal(RULES, **begun)[0], options)


@pytest.mark.parametrize(
    ("script", "begun", "options", "found"),
    [
        ("E 7p, S 7p, N wins", PASSING, {}, [(6, "passed-win")]),
        ("E 7p, S 4p, N wins", PASSING, {}, []),
        ("E 7p, S 4p, N wins", PASSING, {"passed_win": "any"}, [(6, "passed-win")]),
        (f"E 7p, {ROUND}", PASSING, {"passed_win": "any"}, []),
        ("E 7p, S 9p, W 9m, E pung, E 5s, S 7p, N wins", PUNG_PAST_N, {"passed_win": "any"}, []),
    ],
    ids=["the same tile", "another tile", "any tile by option", "after the own turn", "a turn that a pung passes over"],
)
def test_a_tile_that_was_let_pass_may_not_be_won_on_before_the_own_turn(
    script: str, begun: dict[str, str], options: dict[str, object], found: list[tuple[int, str]]
) -> None:
    """一度見逃した牌は,自分の順番が来る前には上がれません · ポン・カンで順番が飛ばされたときは,
    順番が来たものとみなします: E pungs W's 9m, past N."""
    assert objections(script, begun, **options) == found


@pytest.mark.parametrize(
    ("script", "begun", "last", "found"),
    [
        ("E 7p, passed", PASSING, 56, [(3, "must-win")]),
        ("E 7p, passed", PASSING, 55, []),
        ("E 7p, passed", PASSING, 0, []),
        ("E 7p, S pung", {"E": "7p 1s | 1m", "S": "7p 7p | 9m", "N": WAITING}, 60, [(3, "must-win")]),
        ("E 7p", HOLDS_FOUR, 56, [(2, "must-win")]),
        ("E conceals 1m", HOLDS_FOUR, 56, [(2, "must-win")]),
        ("E draws, E wins 7p", HOLDS_FOUR, 56, []),
        ("E 7p, N wins, passed", PASSING, 60, []),
    ],
    ids=["last", "not yet", "never", "a claim does not excuse", "nor a discard", "nor a kong", "won", "won on a discard"],
)
def test_a_seat_that_can_win_on_one_of_the_last_tiles_must_win(
    script: str, begun: dict[str, str], last: int, found: list[tuple[int, str]]
) -> None:
    """最後の4枚の自摸及び捨て牌で上がれるときは,上がらなければなりません: 56 tiles are left when the first is drawn."""
    assert objections(script, begun, must_win_last=last) == found


@pytest.mark.parametrize(
    ("south", "step", "reasons"),
    [
        ("5m 5m 5m 9p | 5s", "S late 5m", []),
        ("5m 5m 5m 9p | 5s", "S adds 5m", ["wrong-late"]),
        ("5m 5m 9p | 5m", "S late 5m", ["wrong-late"]),
    ],
    ids=["late", "late and not said", "drawn at this turn"],
)
def test_a_tile_added_to_a_pung_is_late_if_it_was_not_drawn_at_this_turn(south: str, step: str, reasons: list[str]) -> None:
    """すでに自分がポンしている牌と同じ牌を山から引いたとき."""
    assert [reason for _, reason in objections(f"{ADDING}, {step}", {**TO_ADD, "S": south})] == reasons


def test_a_tile_or_a_hand_that_was_not_held_is_found() -> None:
    assert objections("E draws, E wins 9p", {"E": f"{WAITING} | 7p"}) == [(2, "not-held")]
    hand = ScriptedHand(RULES).after("E 7p, S wins, W wins, N wins")
    hand.after(HandShown(S, tuple([Tile.M1] * 4 + [Tile.M2] * 4 + [Tile.M3] * 4 + [Tile.M4]), Tile.P7))
    assert scripted.objections(hand, scripted.begun_deal(RULES, **PASSING)[0], {}) == [(6, "not-held")]
