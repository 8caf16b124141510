"""Kongs of duplicate MCR: when they are legal, their effect, who may rob them, and what is known of a concealed one."""

from dataclasses import replace

import pytest

from tests.support.game.scripted import FACE_DOWN, NOTHING, ScriptedHand, begun_deal, record_of
from tests.support.game.tables import meld_of
from twinwall.game.held import concealed
from twinwall.game.play import Phase
from twinwall.game.play_events import (
    Claim,
    EndReason,
    HandEnded,
    HandShown,
    KongDeclared,
    MeldType,
    TileDiscarded,
    TileDrawn,
    WinDeclared,
    WinRefused,
)
from twinwall.game.play_json import from_json, to_json
from twinwall.game.replay import replay
from twinwall.game.rule_set import RuleSet
from twinwall.game.rules import rule_set
from twinwall.game.tiles import SEATS, Seat, Tile, parse_tiles
from twinwall.game.walls import SeatWall

E, S, W, N = SEATS
LAP = rule_set("mcr-duplicate")
NEXT_EMPTY = rule_set("mcr-duplicate", {"end": "next-empty"})
NOT_BEFORE_EMPTY = rule_set("mcr-duplicate", {"kong_when_next_empty": False})
FROM_END = rule_set("mcr-duplicate", {"kong_replacement": "end"})
WIN = {Claim.WIN}
WITH_PUNG = "E 5m, S pung, S P, W W, N N, E E, S draws"
"""South has drawn and holds a pung of East's 5m."""
DOWN = KongDeclared(E, FACE_DOWN)


def test_a_kong_from_a_discard_is_replaced_from_the_own_wall_before_the_discard() -> None:
    hand = ScriptedHand(LAP).after("E 5m, W kong")
    assert (hand.state.phase, hand.state.turn, hand.state.drew, hand.state.after_kong) == (Phase.DRAW, W, False, True)
    assert hand.allowed.draw is W
    assert (hand.after("W draws").state.seat(W).draws_left, hand.allowed.discard) == (20, W)
    assert (hand.after("W 1m, passed").allowed.draw, hand.state.after_kong) == (N, False)


def test_a_concealed_kong_lies_face_down_and_is_replaced_at_once() -> None:
    hand = ScriptedHand(LAP).after("E conceals")
    assert (hand.state.seat(E).melds, hand.allowed.draw) == ((FACE_DOWN,), E)
    assert hand.after("E draws").allowed.kong is E


def test_an_added_kong_may_be_robbed_and_nothing_else_before_it_is_replaced() -> None:
    hand = ScriptedHand(LAP).after(WITH_PUNG, "S adds 5m")
    assert hand.state.seat(S).melds == (meld_of(MeldType.ADDED_KONG, "5m" * 4, E),)
    assert (hand.state.phase, hand.state.last_discard, hand.state.robbing) == (Phase.CLAIMS, Tile.M5, True)
    assert hand.claims == {E: WIN, W: WIN, N: WIN}
    assert hand.reason("W pung") == "not-allowed"
    assert (hand.after("passed").allowed.draw, hand.state.robbing) == (S, False)


def test_a_robbed_kong_is_won_on_the_added_tile_and_a_false_robber_lets_play_go_on() -> None:
    robbed, refused = (ScriptedHand(LAP).after(WITH_PUNG, "S adds 5m, N wins") for _ in range(2))
    assert robbed.reason("N shows 6m") == "wrong-tiles"
    assert robbed.after("N shows", HandEnded(EndReason.WON, NOTHING)).state.phase is Phase.ENDED
    assert refused.after("N shows", WinRefused(N, "not-a-win")).claims == {E: WIN, W: WIN, N: set()}
    assert refused.after("passed").allowed.draw is S


def flags(hand: ScriptedHand, winning: str) -> set[str]:
    """The flags of a hand that wins, whose face-down kongs are turned up as of red dragons: "E 1s"."""
    seat, tile = Seat(winning[0]), parse_tiles(winning[2:])[0]
    is_down = any(meld.face_down for meld in hand.state.seat(seat).melds)
    shown = HandShown(seat, (), tile, (Tile.RED,) if is_down else ())
    judged = hand.rules.winning_hand(hand.after(f"{seat.value} wins", shown).state, shown, W)
    assert not is_down or judged.melds == (meld_of(MeldType.CONCEALED_KONG, "CCCC", None),)
    return set(judged.flags)


@pytest.mark.parametrize("rules", [LAP, NEXT_EMPTY], ids=["lap", "next-empty"])
@pytest.mark.parametrize(
    ("script", "winning", "found"),
    [
        ("E conceals, E draws", "E 1s", {"kong_replacement"}),
        ("E conceals, E 1s", "W 1s", {"after_kong_discard"}),
        (f"{WITH_PUNG}, S adds 5m", "W 5m", {"robbing_kong", "last_of_kind"}),
        ("E conceals, E 1m, S draws", "S 1s", set()),
    ],
)
def test_flags_say_replacement_robbery_and_the_discard_after_a_kong(rules: RuleSet, script: str, winning: str, found: set[str]) -> None:
    assert flags(ScriptedHand(rules).after(script), winning) == found


def test_the_last_tile_of_the_lap_can_be_a_replacement_and_one_that_empties_a_wall_begins_the_lap() -> None:
    last = ScriptedHand(LAP, 1, 5, 5, 5).after("E 1m, S 1m, W 1m, N conceals, N draws")
    assert flags(last, "N 9s") == {"last_draw", "kong_replacement"}
    hand = ScriptedHand(LAP, 2, 5, 5, 5).after("E conceals")
    assert (hand.state.final_lap_from, hand.after("E draws").state.final_lap_from) == (None, E)


def test_by_option_the_replacement_is_the_last_tile_of_the_own_wall_and_other_draws_are_the_next() -> None:
    hand = ScriptedHand(FROM_END).after("E conceals")
    assert hand.allowed.from_end
    assert hand.reason(TileDrawn(E)) == "not-allowed"
    assert not hand.after(TileDrawn(E, from_end=True), "E 1s, passed").allowed.from_end
    assert hand.reason(TileDrawn(S, from_end=True)) == "not-allowed"
    assert ScriptedHand(LAP).reason(TileDrawn(E, from_end=True)) == "not-allowed"
    assert flags(ScriptedHand(FROM_END).after("E conceals, E draws"), "E 1s") == {"kong_replacement"}


def test_a_tile_from_the_end_is_what_a_replay_knows_to_be_held() -> None:
    wall = SeatWall(parse_tiles("1m 1m 1m 1m 2m 3m 4m 5p 6p 7p E E S"), parse_tiles("9s 1p 2p 3p"))
    events = (TileDrawn(E), KongDeclared(E, meld_of(MeldType.CONCEALED_KONG, "1m1m1m1m", None)), TileDrawn(E, from_end=True), TileDrawn(E))
    assert concealed({E: wall}, events, E)[-3:] == parse_tiles("9s 3p 1p")
    assert from_json(to_json(events[2])) == events[2]
    assert to_json(events[3]) == {"type": "tile-drawn", "seat": "E"}


def test_no_kong_is_made_without_a_replacement_nor_by_option_before_an_empty_wall() -> None:
    drawn = ScriptedHand(LAP, 1, 5, 5, 5).after("E draws")
    assert (drawn.allowed.kong, drawn.reason(DOWN)) == (None, "not-allowed")
    hand = ScriptedHand(NEXT_EMPTY, 5, 5, 0, 5).after("E 5m")
    assert hand.claims[W] == {Claim.PUNG, Claim.WIN}
    assert (hand.reason("W kong"), hand.reason("N kong")) == ("not-allowed", None)
    assert [ScriptedHand(rules, 5, 0, 5, 5).after("E draws").allowed.kong for rules in (LAP, NOT_BEFORE_EMPTY)] == [E, None]


@pytest.mark.parametrize(
    ("script", "declared", "expected"),
    [
        ("", DOWN, "not-now"),
        ("E draws", KongDeclared(S, FACE_DOWN), "not-your-turn"),
        ("E 5m, S pung", KongDeclared(S, FACE_DOWN), "not-allowed"),
        (WITH_PUNG, "S adds 5m", None),
        (WITH_PUNG, "S adds 6m", "wrong-tiles"),
        (WITH_PUNG, KongDeclared(S, meld_of(MeldType.ADDED_KONG, "5m5m5m6m", None)), "wrong-tiles"),
        (WITH_PUNG, "S conceals 6m", None),
        (WITH_PUNG, KongDeclared(S, meld_of(MeldType.CONCEALED_KONG, "6m6m6m", None)), "wrong-tiles"),
        (WITH_PUNG, "S conceals E", "wrong-tiles"),
        (WITH_PUNG, KongDeclared(S, meld_of(MeldType.KONG, "6m6m6m6m", None)), "not-allowed"),
    ],
)
def test_a_kong_is_declared_with_a_drawn_tile_and_what_is_laid_is_one(
    script: str, declared: str | KongDeclared, expected: str | None
) -> None:
    assert ScriptedHand(LAP).after(*filter(None, [script])).reason(declared) == expected


def test_no_kong_follows_a_false_win() -> None:
    assert ScriptedHand(LAP).after("E wins, E shows", WinRefused(E, "not-a-win")).reason(DOWN) == "not-allowed"


def test_a_shown_hand_turns_up_exactly_its_face_down_kongs() -> None:
    hand = ScriptedHand(LAP).after("E conceals, E wins")
    assert [hand.reason(HandShown(E, (), Tile.M1, kongs)) for kongs in ((), (Tile.RED,))] == ["wrong-tiles", None]


def test_where_several_may_win_the_others_follow_and_a_false_one_leaves_the_winner() -> None:
    hand = ScriptedHand(rule_set("mcr-duplicate", {"several_winners": "each-full"})).after("E 5m, S wins")
    assert hand.reason("N wins") == "not-allowed"
    assert hand.after("S shows").claims == {W: WIN, N: WIN}
    assert hand.reason("W pung") == "not-now"
    assert hand.after("N wins, N shows").state.winner is N
    hand.after(WinRefused(N, "below-minimum"))
    assert (hand.state.phase, hand.state.winner, hand.claims) == (Phase.SHOW, S, {W: WIN})
    assert hand.reason(HandEnded(EndReason.WON, NOTHING)) is None


# What a record knows of a kong that lies face down ------------------------------------------------------------

WALLS = begun_deal(
    LAP,
    E="1m1m1m1m 2m3m4m 5p6p7p 8s8s C | C 8s",
    S="9m9m9m 1p1p1p 1s1s1s 2p2p2p E",
    W="3p3p3p3p 4p4p4p4p 5s5s5s5s S",
    N="6s6s6s6s 7s7s7s7s",
)[0]
"""East holds four 1m and draws red and then an 8s."""
SHOWN = HandShown(E, parse_tiles("2m 3m 4m 5p 6p 7p 8s 8s C C"), Tile.S8, (Tile.M1,))
WINNING = (TileDrawn(E), DOWN, TileDrawn(E), WinDeclared(E, None, None), SHOWN)


def test_the_tiles_of_a_kong_that_lies_face_down_are_still_concealed() -> None:
    assert concealed(WALLS, WINNING[:3], E).count(Tile.M1) == 4
    known = KongDeclared(E, meld_of(MeldType.CONCEALED_KONG, "1m1m1m1m", None))
    assert Tile.M1 not in concealed(WALLS, (TileDrawn(E), known), E)


def test_a_win_with_a_concealed_kong_replays_with_the_fans_of_kong_and_replacement() -> None:
    again = replay(record_of("mcr-duplicate", WINNING, WALLS))
    assert again.legal, again.verdicts
    assert again.outcome is not None
    assert {"concealed-kong", "out-with-replacement-tile"} <= {fan.id for fan in again.outcome.fans}


def test_a_kong_of_tiles_that_were_not_held_is_found_with_the_walls() -> None:
    declared = record_of("mcr-duplicate", ScriptedHand(LAP).after("E C, S conceals").events, WALLS)
    for record in (declared, record_of("mcr-duplicate", (*WINNING[:3], TileDiscarded(E, Tile.M1)), WALLS)):
        assert (verdict := replay(record).verdicts[-1]) is not None
        assert verdict.reason == "not-held"
    assert replay(replace(declared, walls=None)).legal


def test_a_kong_that_lies_face_down_is_written_without_its_tiles() -> None:
    assert to_json(DOWN) == {"type": "kong-declared", "seat": "E", "meld": "concealed_kong", "tiles": None}
    assert from_json(to_json(DOWN)) == DOWN
    assert "kongs" not in to_json(HandShown(E, (), Tile.M1))
    assert to_json(SHOWN)["kongs"] == "1m"
