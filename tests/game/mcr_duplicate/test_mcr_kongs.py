"""Kongs of duplicate MCR: when they are legal, their effect, who may rob them, and what is known of a concealed one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.game.mcr_duplicate.test_mcr_turns import LAP, NEXT_EMPTY, after, claims_of, pung, reason, shown_flags, turn_of, with_draws
from tests.support.game.tables import meld_of
from twinwall.game.held import concealed
from twinwall.game.play import Phase, PlayState
from twinwall.game.play_events import (
    Claim,
    Claimed,
    ClaimsPassed,
    EndReason,
    HandEnded,
    HandShown,
    KongDeclared,
    Meld,
    MeldType,
    PlayEvent,
    TileDiscarded,
    TileDrawn,
    WinDeclared,
    WinRefused,
)
from twinwall.game.play_json import from_json, to_json
from twinwall.game.record import HandRecord
from twinwall.game.replay import replay
from twinwall.game.rule_set import RuleSet
from twinwall.game.rules import rule_set
from twinwall.game.tiles import SEATS, Seat, Tile, parse_tile, parse_tiles
from twinwall.game.walls import SeatWall

E, S, W, N = SEATS
NOT_BEFORE_EMPTY = rule_set("mcr-duplicate", {"kong_when_next_empty": False})
FACE_DOWN = Meld(MeldType.CONCEALED_KONG, (), None)


def kong(seat: Seat, tile: str, source: Seat) -> Claimed:
    return Claimed(seat, meld_of(MeldType.KONG, tile * 4, source))


def added(seat: Seat, tile: str) -> KongDeclared:
    return KongDeclared(seat, meld_of(MeldType.ADDED_KONG, tile * 4, None))


def with_pung(rules: RuleSet, *left: int) -> PlayState:
    """South has drawn and holds a pung of East's 5m."""
    state = after(rules, with_draws(rules, *(left or (21,) * 4)), *turn_of(E, "5m"), pung(S, "5m", E), TileDiscarded(S, Tile.WHITE))
    passing = (ClaimsPassed(), *turn_of(W, "W"), ClaimsPassed(), *turn_of(N, "N"), ClaimsPassed(), *turn_of(E, "E"), ClaimsPassed())
    return after(rules, state, *passing, TileDrawn(S))


def test_a_kong_from_a_discard_is_replaced_from_the_own_wall_before_the_discard() -> None:
    state = after(LAP, LAP.start(), *turn_of(E, "5m"), kong(W, "5m", E))
    assert (state.phase, state.turn, state.drew, state.after_kong) == (Phase.DRAW, W, False, True)
    assert LAP.permissions(state).draw is W
    state = after(LAP, state, TileDrawn(W))
    assert state.seat(W).draws_left == 20
    assert LAP.permissions(state).discard is W
    state = after(LAP, state, TileDiscarded(W, Tile.M1), ClaimsPassed())
    assert (LAP.permissions(state).draw, state.after_kong) == (N, False)


def test_a_concealed_kong_lies_face_down_and_is_replaced_at_once() -> None:
    state = after(LAP, LAP.start(), TileDrawn(E), KongDeclared(E, FACE_DOWN))
    assert state.seat(E).melds == (FACE_DOWN,)
    assert LAP.permissions(state).draw is E
    assert LAP.permissions(after(LAP, state, TileDrawn(E))).kong is E


def test_an_added_kong_may_be_robbed_and_nothing_else_before_it_is_replaced() -> None:
    state = after(LAP, with_pung(LAP), added(S, "5m"))
    assert state.seat(S).melds == (meld_of(MeldType.ADDED_KONG, "5m" * 4, E),)
    assert (state.phase, state.last_discard, state.robbing) == (Phase.CLAIMS, Tile.M5, True)
    assert claims_of(LAP, state) == {E: {Claim.WIN}, W: {Claim.WIN}, N: {Claim.WIN}}
    assert reason(LAP, state, pung(W, "5m", S)) == "not-allowed"
    passed = after(LAP, state, ClaimsPassed())
    assert (LAP.permissions(passed).draw, passed.robbing) == (S, False)


def test_a_robbed_kong_is_won_on_the_added_tile_and_a_false_robber_lets_play_go_on() -> None:
    state = after(LAP, with_pung(LAP), added(S, "5m"), WinDeclared(N, S, Tile.M5))
    assert reason(LAP, state, HandShown(N, (), Tile.M6)) == "wrong-tiles"
    shown = after(LAP, state, HandShown(N, (), Tile.M5))
    assert after(LAP, shown, HandEnded(EndReason.WON, dict.fromkeys(SEATS, 0))).phase is Phase.ENDED
    refused = after(LAP, shown, WinRefused(N, "not-a-win"))
    assert claims_of(LAP, refused) == {E: {Claim.WIN}, W: {Claim.WIN}, N: set()}
    assert LAP.permissions(after(LAP, refused, ClaimsPassed())).draw is S


@pytest.mark.parametrize("rules", [LAP, NEXT_EMPTY], ids=["lap", "next-empty"])
def test_flags_tell_replacement_robbery_and_the_discard_after_a_kong(rules: RuleSet) -> None:
    replaced = after(rules, rules.start(), TileDrawn(E), KongDeclared(E, FACE_DOWN), TileDrawn(E))
    assert flags(rules, replaced, E, "1s") == {"kong_replacement"}
    assert flags(rules, after(rules, replaced, TileDiscarded(E, Tile.S1)), W, "1s") == {"after_kong_discard"}
    robbed = after(rules, with_pung(rules), added(S, "5m"))
    assert flags(rules, robbed, W, "5m") == {"robbing_kong", "last_of_kind"}
    later = after(rules, replaced, TileDiscarded(E, Tile.M1), ClaimsPassed(), TileDrawn(S))
    assert flags(rules, later, S, "1s") == set()


FROM_END = rule_set("mcr-duplicate", {"kong_replacement": "end"})


def test_by_option_the_replacement_is_the_last_tile_of_the_own_wall_and_other_draws_are_the_next() -> None:
    state = after(FROM_END, FROM_END.start(), TileDrawn(E), KongDeclared(E, FACE_DOWN))
    assert FROM_END.permissions(state).from_end
    assert reason(FROM_END, state, TileDrawn(E)) == "not-allowed"
    replaced = after(FROM_END, state, TileDrawn(E, from_end=True))
    assert flags(FROM_END, replaced, E, "1s") == {"kong_replacement"}
    following = after(FROM_END, replaced, TileDiscarded(E, Tile.S1), ClaimsPassed())
    assert not FROM_END.permissions(following).from_end
    assert reason(FROM_END, following, TileDrawn(S, from_end=True)) == "not-allowed"
    assert reason(LAP, LAP.start(), TileDrawn(E, from_end=True)) == "not-allowed"


def test_a_tile_from_the_end_is_what_a_replay_knows_to_be_held() -> None:
    wall = SeatWall(parse_tiles("1m 1m 1m 1m 2m 3m 4m 5p 6p 7p E E S"), parse_tiles("9s 1p 2p 3p"))
    events = (TileDrawn(E), KongDeclared(E, meld_of(MeldType.CONCEALED_KONG, "1m1m1m1m", None)), TileDrawn(E, from_end=True), TileDrawn(E))
    assert concealed({E: wall}, events, E)[-3:] == parse_tiles("9s 3p 1p")
    assert from_json(to_json(events[2])) == events[2]
    assert to_json(events[3]) == {"type": "tile-drawn", "seat": "E"}


def flags(rules: RuleSet, state: PlayState, seat: Seat, winning: str) -> set[str]:
    """The flags of a shown hand, whose face-down kongs are turned up as of red dragons."""
    if not any(meld.face_down for meld in state.seat(seat).melds):
        return shown_flags(rules, state, seat, parse_tile(winning))
    state = after(rules, state, WinDeclared(seat, None, None))
    shown = HandShown(seat, (), parse_tile(winning), (Tile.RED,))
    hand = rules.winning_hand(after(rules, state, shown), shown, W)
    assert hand.melds == (meld_of(MeldType.CONCEALED_KONG, "CCCC", None),)
    return set(hand.flags)


def test_the_last_tile_of_the_lap_can_be_a_replacement() -> None:
    last_lap = [event for seat in (E, S, W) for event in (*turn_of(seat, "1m"), ClaimsPassed())]
    state = after(LAP, with_draws(LAP, 1, 5, 5, 5), *last_lap, TileDrawn(N), KongDeclared(N, FACE_DOWN), TileDrawn(N))
    assert flags(LAP, state, N, "9s") == {"last_draw", "kong_replacement"}


def test_a_replacement_that_empties_a_wall_begins_the_last_lap() -> None:
    state = after(LAP, with_draws(LAP, 2, 5, 5, 5), TileDrawn(E), KongDeclared(E, FACE_DOWN))
    assert state.final_lap_from is None
    assert after(LAP, state, TileDrawn(E)).final_lap_from is E


def test_a_kong_claimed_beyond_the_last_seat_of_the_lap_is_replaced_before_the_last_discard() -> None:
    two_turns = (*turn_of(E, "1m"), ClaimsPassed(), *turn_of(S, "2m"), ClaimsPassed(), *turn_of(W, "3m"))
    state = after(LAP, with_draws(LAP, 1, 5, 5, 5), *two_turns, kong(S, "3m", W), TileDrawn(S), TileDiscarded(S, Tile.M9))
    assert claims_of(LAP, state)[N] == {Claim.WIN}
    assert LAP.permissions(after(LAP, state, ClaimsPassed())).ended is EndReason.DRAWN


def test_no_kong_is_made_without_a_replacement() -> None:
    drawn = after(LAP, with_draws(LAP, 1, 5, 5, 5), TileDrawn(E))
    assert LAP.permissions(drawn).kong is None
    assert reason(LAP, drawn, KongDeclared(E, FACE_DOWN)) == "not-allowed"
    state = after(NEXT_EMPTY, with_draws(NEXT_EMPTY, 5, 5, 0, 5), *turn_of(E, "5m"))
    assert claims_of(NEXT_EMPTY, state)[W] == {Claim.PUNG, Claim.WIN}
    assert reason(NEXT_EMPTY, state, kong(W, "5m", E)) == "not-allowed"
    assert reason(NEXT_EMPTY, state, kong(N, "5m", E)) is None


def test_by_option_no_kong_is_made_before_an_empty_wall() -> None:
    left = (5, 0, 5, 5)
    assert LAP.permissions(after(LAP, with_draws(LAP, *left), TileDrawn(E))).kong is E
    assert NOT_BEFORE_EMPTY.permissions(after(NOT_BEFORE_EMPTY, with_draws(LAP, *left), TileDrawn(E))).kong is None


def test_a_kong_is_declared_only_with_a_drawn_tile() -> None:
    start = LAP.start()
    assert reason(LAP, start, KongDeclared(E, FACE_DOWN)) == "not-now"
    assert reason(LAP, after(LAP, start, TileDrawn(E)), KongDeclared(S, FACE_DOWN)) == "not-your-turn"
    claimed = after(LAP, start, *turn_of(E, "5m"), pung(S, "5m", E))
    assert reason(LAP, claimed, KongDeclared(S, FACE_DOWN)) == "not-allowed"
    false_win = (TileDrawn(E), WinDeclared(E, None, None), HandShown(E, (), Tile.M5), WinRefused(E, "not-a-win"))
    assert reason(LAP, after(LAP, start, *false_win), KongDeclared(E, FACE_DOWN)) == "not-allowed"


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        (added(S, "5m"), None),
        (added(S, "6m"), "wrong-tiles"),
        (KongDeclared(S, meld_of(MeldType.ADDED_KONG, "5m5m5m6m", None)), "wrong-tiles"),
        (KongDeclared(S, meld_of(MeldType.CONCEALED_KONG, "6m6m6m6m", None)), None),
        (KongDeclared(S, meld_of(MeldType.CONCEALED_KONG, "6m6m6m", None)), "wrong-tiles"),
        (KongDeclared(S, meld_of(MeldType.CONCEALED_KONG, "EEEE", None)), "wrong-tiles"),
        (KongDeclared(S, meld_of(MeldType.KONG, "6m6m6m6m", None)), "not-allowed"),
    ],
)
def test_what_is_laid_must_be_a_kong(declared: KongDeclared, expected: str | None) -> None:
    assert reason(LAP, with_pung(LAP), declared) == expected


def test_a_shown_hand_turns_up_exactly_its_face_down_kongs() -> None:
    state = after(LAP, LAP.start(), TileDrawn(E), KongDeclared(E, FACE_DOWN), TileDrawn(E), WinDeclared(E, None, None))
    assert reason(LAP, state, HandShown(E, (), Tile.M1)) == "wrong-tiles"
    assert reason(LAP, state, HandShown(E, (), Tile.M1, (Tile.RED,))) is None


def test_where_several_may_win_the_others_follow_and_a_false_one_leaves_the_winner() -> None:
    rules = rule_set("mcr-duplicate", {"several_winners": "each-full"})
    state = after(rules, rules.start(), *turn_of(E, "5m"), WinDeclared(S, E, Tile.M5))
    assert reason(rules, state, WinDeclared(N, E, Tile.M5)) == "not-allowed"
    state = after(rules, state, HandShown(S, (Tile.M5,), Tile.M5))
    assert claims_of(rules, state) == {W: {Claim.WIN}, N: {Claim.WIN}}
    assert reason(rules, state, pung(W, "5m", E)) == "not-now"
    state = after(rules, state, WinDeclared(N, E, Tile.M5), HandShown(N, (), Tile.M5))
    assert state.winner is N
    state = after(rules, state, WinRefused(N, "below-minimum"))
    assert (state.phase, state.winner) == (Phase.SHOW, S)
    assert claims_of(rules, state) == {W: {Claim.WIN}}
    assert reason(rules, state, HandEnded(EndReason.WON, dict.fromkeys(SEATS, 0))) is None


# What a record knows of a kong that lies face down ------------------------------------------------------------

HANDS = {E: "1m1m1m1m 2m3m4m 5p6p7p 8s8s C", S: "9m9m9m 1p1p1p 1s1s1s 2p2p2p E", W: "3p3p3p3p 4p4p4p4p 5s5s5s5s S", N: "6s6s6s6s 7s7s7s7s"}
WINNING: tuple[PlayEvent, ...] = (
    TileDrawn(E),
    KongDeclared(E, FACE_DOWN),
    TileDrawn(E),
    WinDeclared(E, None, None),
    HandShown(E, parse_tiles("2m 3m 4m 5p 6p 7p 8s 8s C C"), Tile.S8, (Tile.M1,)),
)


def walls() -> dict[Seat, SeatWall]:
    """East holds four 1m and draws red and then an 8s; the rest lies as it comes."""
    taken = {seat: list(parse_tiles(HANDS[seat])) for seat in SEATS}
    left = list(LAP.tiles)
    for tile in [*(tile for tiles in taken.values() for tile in tiles), Tile.RED, Tile.S8]:
        left.remove(tile)
    found = {}
    for seat in SEATS:
        draws = [Tile.RED, Tile.S8] if seat is E else []
        wanted = 34 - len(taken[seat]) - len(draws)
        tiles = (*taken[seat], *draws, *left[:wanted])
        del left[:wanted]
        found[seat] = SeatWall(tiles[:13], tiles[13:])
    return found


def record(*events: PlayEvent) -> HandRecord:
    players = {seat: seat.name for seat in SEATS}
    scores = dict.fromkeys(SEATS, 0)
    return HandRecord("test", 1, 1, 1, "1", "mcr-duplicate", {}, players, bytes(32), events, scores, walls=walls())


def test_the_tiles_of_a_kong_that_lies_face_down_are_still_concealed() -> None:
    assert concealed(walls(), WINNING[:3], E).count(Tile.M1) == 4
    known = KongDeclared(E, meld_of(MeldType.CONCEALED_KONG, "1m1m1m1m", None))
    assert Tile.M1 not in concealed(walls(), (TileDrawn(E), known), E)


def test_a_win_with_a_concealed_kong_replays_with_the_fans_of_kong_and_replacement() -> None:
    again = replay(record(*WINNING))
    assert again.legal, again.verdicts
    assert again.outcome is not None
    assert {"concealed-kong", "out-with-replacement-tile"} <= {fan.id for fan in again.outcome.fans}


def test_a_kong_of_tiles_that_were_not_held_is_found_with_the_walls() -> None:
    turn = (TileDrawn(E), TileDiscarded(E, Tile.RED), ClaimsPassed(), TileDrawn(S))
    verdicts = replay(record(*turn, KongDeclared(S, FACE_DOWN))).verdicts
    assert verdicts[-1] is not None
    assert verdicts[-1].reason == "not-held"
    assert replay(replace(record(*turn, KongDeclared(S, FACE_DOWN)), walls=None)).legal
    thrown = replay(record(*WINNING[:3], TileDiscarded(E, Tile.M1))).verdicts
    assert thrown[-1] is not None
    assert thrown[-1].reason == "not-held"


def test_a_kong_that_lies_face_down_is_written_without_its_tiles() -> None:
    declared = KongDeclared(E, FACE_DOWN)
    assert to_json(declared) == {"type": "kong-declared", "seat": "E", "meld": "concealed_kong", "tiles": None}
    assert from_json(to_json(declared)) == declared
    assert "kongs" not in to_json(HandShown(E, (), Tile.M1))
    assert to_json(HandShown(E, (), Tile.M1, (Tile.RED,)))["kongs"] == "C"
