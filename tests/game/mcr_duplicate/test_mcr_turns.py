"""Turns, claims, false wins and the two end rules, from public events alone."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests.support.game.tables import meld_of
from twinwall.game.play import Phase, PlayState, RiverTile, SeatState
from twinwall.game.play_events import (
    Claim,
    Claimed,
    ClaimsPassed,
    EndReason,
    HandEnded,
    HandShown,
    MeldType,
    PlayEvent,
    TileDiscarded,
    TileDrawn,
    WinDeclared,
    WinRefused,
)
from twinwall.game.rule_set import RuleSet
from twinwall.game.rules import rule_set
from twinwall.game.tiles import SEATS, Seat, Tile, parse_tile, parse_tiles

E, S, W, N = SEATS
LAP = rule_set("mcr-duplicate")
NEXT_EMPTY = rule_set("mcr-duplicate", {"end": "next-empty"})
NOTHING = dict.fromkeys(SEATS, 0)


def after(rules: RuleSet, state: PlayState, *events: PlayEvent) -> PlayState:
    for event in events:
        problem = rules.illegal(state, event)
        assert problem is None, (event, problem)
        state = rules.apply(state, event)
    return state


def turn_of(seat: Seat, tile: str) -> tuple[PlayEvent, PlayEvent]:
    return TileDrawn(seat), TileDiscarded(seat, parse_tile(tile))


def with_draws(rules: RuleSet, *left: int) -> PlayState:
    """The start of play with this many draws left for E, S, W, N."""
    east, south, west, north = (SeatState(draws_left=draws) for draws in left)
    return replace(rules.start(), seats=(east, south, west, north))


def claims_of(rules: RuleSet, state: PlayState) -> dict[Seat, set[Claim]]:
    return {seat: set(claims) for seat, claims in (rules.permissions(state).claims or {}).items()}


def reason(rules: RuleSet, state: PlayState, event: PlayEvent) -> str | None:
    problem = rules.illegal(state, event)
    return None if problem is None else problem.reason


def chow(tiles: str, source: Seat) -> Claimed:
    return Claimed(source.next, meld_of(MeldType.CHOW, tiles, source))


def pung(seat: Seat, tile: str, source: Seat) -> Claimed:
    return Claimed(seat, meld_of(MeldType.PUNG, tile * 3, source))


def test_east_starts_by_drawing_from_21() -> None:
    state = LAP.start()
    assert LAP.permissions(state).draw is E
    assert [state.seat(seat).draws_left for seat in SEATS] == [21] * 4
    assert after(LAP, state, TileDrawn(E)).seat(E).draws_left == 20


def test_only_the_left_neighbours_discard_may_be_chowed_and_everybody_elses_punged_or_won_on() -> None:
    state = after(LAP, LAP.start(), *turn_of(E, "5m"))
    assert claims_of(LAP, state) == {
        S: {Claim.CHOW, Claim.PUNG, Claim.KONG, Claim.WIN},
        W: {Claim.PUNG, Claim.KONG, Claim.WIN},
        N: {Claim.PUNG, Claim.KONG, Claim.WIN},
    }


def test_an_honour_is_never_chowed() -> None:
    state = after(LAP, LAP.start(), *turn_of(E, "C"))
    assert claims_of(LAP, state)[S] == {Claim.PUNG, Claim.KONG, Claim.WIN}


def test_a_fifth_meld_is_never_claimed() -> None:
    melds = tuple(meld_of(MeldType.PUNG, tile * 3, W) for tile in ("1s", "2s", "3s", "4s"))
    start = with_draws(LAP, 21, 21, 21, 21)
    state = replace(start, seats=(start.seats[0], replace(start.seats[1], melds=melds), start.seats[2], start.seats[3]))
    assert claims_of(LAP, after(LAP, state, *turn_of(E, "5m")))[S] == {Claim.WIN}


def test_win_goes_before_pung_before_chow_and_the_nearest_winner_first() -> None:
    state = after(LAP, LAP.start(), *turn_of(E, "5m"))
    assert LAP.priority(state, {S: Claim.CHOW, W: Claim.PUNG, N: Claim.WIN}) == (N, W, S)
    assert LAP.priority(state, {N: Claim.WIN, W: Claim.WIN, S: Claim.WIN}) == (S, W, N)
    assert LAP.priority(state, {}) == ()


def test_a_press_that_was_not_offered_is_not_heard() -> None:
    state = after(LAP, LAP.start(), *turn_of(E, "5m"))
    assert LAP.priority(state, {W: Claim.CHOW, S: Claim.PUNG, E: Claim.WIN}) == (S,)


def test_a_claim_moves_the_turn_but_not_the_wall() -> None:
    state = after(LAP, LAP.start(), *turn_of(E, "5m"), pung(N, "5m", E))
    assert (state.turn, state.phase, state.drew) == (N, Phase.DISCARD, False)
    assert state.seat(N).draws_left == 21
    assert state.seat(E).river == (RiverTile(Tile.M5, claimed_by=N),)
    assert LAP.permissions(state).win is None
    assert LAP.permissions(after(LAP, state, TileDiscarded(N, Tile.EAST), ClaimsPassed())).draw is E


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        (chow("3m4m5m", E), None),
        (chow("5m4m6m", E), None),
        (chow("6m7m8m", E), "wrong-tiles"),
        (chow("4m5m7m", E), "wrong-tiles"),
        (Claimed(S, meld_of(MeldType.CHOW, "3m4m5m", W)), "wrong-source"),
        (Claimed(W, meld_of(MeldType.CHOW, "3m4m5m", E)), "not-allowed"),
        (Claimed(E, meld_of(MeldType.PUNG, "5m5m5m", E)), "not-allowed"),
        (pung(W, "5m", E), None),
        (pung(W, "6m", E), "wrong-tiles"),
        (Claimed(W, meld_of(MeldType.PUNG, "5m5m", E)), "wrong-tiles"),
        (Claimed(W, meld_of(MeldType.KONG, "5m5m5m5m", E)), None),
        (Claimed(W, meld_of(MeldType.KONG, "5m5m5m", E)), "wrong-tiles"),
        (Claimed(W, meld_of(MeldType.CONCEALED_KONG, "5m5m5m5m", None)), "not-allowed"),
    ],
)
def test_exposed_tiles_must_be_a_meld_with_the_discard(claim: Claimed, expected: str | None) -> None:
    assert reason(LAP, after(LAP, LAP.start(), *turn_of(E, "5m")), claim) == expected


def test_a_fifth_tile_of_a_kind_in_sight_is_refused() -> None:
    state = after(LAP, LAP.start(), *turn_of(E, "5m"), pung(S, "5m", E), TileDiscarded(S, Tile.M5), ClaimsPassed(), TileDrawn(W))
    assert reason(LAP, state, TileDiscarded(W, Tile.M5)) == "wrong-tiles"
    state = after(LAP, state, TileDiscarded(W, Tile.M4))
    assert reason(LAP, state, chow("3m4m5m", W)) == "wrong-tiles"


def test_nobody_acts_out_of_turn() -> None:
    start = LAP.start()
    assert reason(LAP, start, TileDrawn(S)) == "not-your-turn"
    assert reason(LAP, start, TileDiscarded(E, Tile.M1)) == "not-now"
    assert reason(LAP, start, ClaimsPassed()) == "not-now"
    drawn = after(LAP, start, TileDrawn(E))
    assert reason(LAP, drawn, TileDrawn(E)) == "not-now"
    assert reason(LAP, drawn, TileDiscarded(S, Tile.M1)) == "not-your-turn"


def test_a_win_off_a_discard_is_declared_shown_and_ended() -> None:
    state = after(LAP, LAP.start(), *turn_of(E, "5m"))
    assert reason(LAP, state, WinDeclared(W, E, Tile.M6)) == "wrong-source"
    state = after(LAP, state, WinDeclared(W, E, Tile.M5))
    assert LAP.permissions(state).show is W
    assert reason(LAP, state, HandEnded(EndReason.WON, NOTHING)) == "not-now"
    assert reason(LAP, state, HandShown(S, (), Tile.M5)) == "not-now"
    assert reason(LAP, state, HandShown(W, (), Tile.M6)) == "wrong-tiles"
    state = after(LAP, state, HandShown(W, parse_tiles("1m 2m 3m"), Tile.M5))
    assert state.seat(W).shown == parse_tiles("1m 2m 3m")
    assert LAP.permissions(state).show is None
    assert reason(LAP, state, HandEnded(EndReason.WON, {E: 0})) == "wrong-scores"
    state = after(LAP, state, HandEnded(EndReason.WON, {E: -16, S: -8, W: 32, N: -8}))
    assert LAP.permissions(state).ended is EndReason.WON


def test_after_a_false_win_on_a_discard_the_other_claims_follow_but_not_that_seats() -> None:
    state = after(LAP, LAP.start(), *turn_of(E, "5m"), WinDeclared(S, E, Tile.M5), HandShown(S, (), Tile.M5), WinRefused(S, "not-a-win"))
    assert claims_of(LAP, state) == {S: set(), W: {Claim.PUNG, Claim.KONG, Claim.WIN}, N: {Claim.PUNG, Claim.KONG, Claim.WIN}}
    assert state.seat(S).shown is None
    assert reason(LAP, state, WinDeclared(S, E, Tile.M5)) == "not-allowed"
    assert LAP.priority(state, {S: Claim.WIN, N: Claim.PUNG}) == (N,)
    assert LAP.permissions(after(LAP, state, ClaimsPassed())).draw is S
    assert claims_of(LAP, after(LAP, state, pung(N, "5m", E), TileDiscarded(N, Tile.M1)))[S] == {Claim.PUNG, Claim.KONG, Claim.WIN}


def test_after_a_false_self_draw_the_seat_must_discard() -> None:
    state = after(LAP, LAP.start(), TileDrawn(E), WinDeclared(E, None, None), HandShown(E, (), Tile.M5), WinRefused(E, "below-minimum"))
    allowed = LAP.permissions(state)
    assert (allowed.discard, allowed.win) == (E, None)
    assert reason(LAP, state, WinDeclared(E, None, None)) == "not-allowed"
    after(LAP, state, TileDiscarded(E, Tile.M1))


LAST_LAP = (*turn_of(E, "1m"), ClaimsPassed(), *turn_of(S, "2m"), ClaimsPassed(), *turn_of(W, "3m"), ClaimsPassed())


def test_the_lap_gives_every_other_seat_one_more_turn_after_the_first_empty_wall() -> None:
    state = after(LAP, with_draws(LAP, 1, 5, 5, 5), *LAST_LAP)
    assert state.final_lap_from is E
    state = after(LAP, state, *turn_of(N, "4m"))
    assert claims_of(LAP, state) == {E: {Claim.WIN}, S: {Claim.WIN}, W: {Claim.WIN}}
    assert reason(LAP, state, chow("4m5m6m", N)) == "not-allowed"
    state = after(LAP, state, ClaimsPassed())
    assert LAP.permissions(state).ended is EndReason.DRAWN
    assert reason(LAP, state, TileDrawn(E)) == "not-now"
    assert reason(LAP, state, HandEnded(EndReason.DRAWN, {**NOTHING, E: 1, S: -1})) == "wrong-scores"
    assert after(LAP, state, HandEnded(EndReason.DRAWN, NOTHING)).phase is Phase.ENDED


def test_a_claim_that_skips_a_seat_shortens_the_lap() -> None:
    state = after(LAP, with_draws(LAP, 1, 5, 5, 5), *turn_of(E, "1m"), pung(N, "1m", E), TileDiscarded(N, Tile.M9))
    assert claims_of(LAP, state)[E] == {Claim.WIN}
    assert LAP.permissions(after(LAP, state, ClaimsPassed())).ended is EndReason.DRAWN


def test_a_claim_beyond_the_last_seat_of_the_lap_still_discards_and_then_the_hand_ends() -> None:
    two_turns = (*turn_of(E, "1m"), ClaimsPassed(), *turn_of(S, "2m"), ClaimsPassed(), *turn_of(W, "3m"))
    state = after(LAP, with_draws(LAP, 1, 5, 5, 5), *two_turns, pung(S, "3m", W), TileDiscarded(S, Tile.M9))
    assert claims_of(LAP, state) == {E: {Claim.WIN}, W: {Claim.WIN}, N: {Claim.WIN}}
    assert LAP.permissions(after(LAP, state, ClaimsPassed())).ended is EndReason.DRAWN


def test_a_claim_by_the_seat_whose_wall_is_empty_does_not_start_the_lap_again() -> None:
    state = after(LAP, with_draws(LAP, 1, 5, 5, 5), *turn_of(E, "1m"), ClaimsPassed(), *turn_of(S, "2m"), pung(E, "2m", S))
    state = after(LAP, state, TileDiscarded(E, Tile.M9))
    assert LAP.permissions(after(LAP, state, ClaimsPassed())).ended is EndReason.DRAWN


def test_a_second_wall_that_runs_out_in_the_lap_does_not_start_it_again() -> None:
    state = after(LAP, with_draws(LAP, 1, 1, 1, 1), *LAST_LAP, *turn_of(N, "4m"), ClaimsPassed())
    assert state.final_lap_from is E
    assert LAP.permissions(state).ended is EndReason.DRAWN
    assert claims_of(LAP, after(LAP, with_draws(LAP, 1, 1, 5, 5), *LAST_LAP, *turn_of(N, "4m")))[E] == {Claim.WIN}


def test_under_next_empty_the_hand_ends_when_the_seat_to_draw_has_no_tile() -> None:
    state = after(NEXT_EMPTY, with_draws(NEXT_EMPTY, 1, 1, 5, 0), *turn_of(E, "1m"))
    assert Claim.PUNG in claims_of(NEXT_EMPTY, state)[W]
    state = after(NEXT_EMPTY, state, ClaimsPassed(), *turn_of(S, "2m"), ClaimsPassed(), *turn_of(W, "3m"))
    assert claims_of(NEXT_EMPTY, state) == {E: {Claim.WIN}, S: {Claim.WIN}, N: {Claim.WIN}}
    assert NEXT_EMPTY.permissions(after(NEXT_EMPTY, state, ClaimsPassed())).ended is EndReason.DRAWN


def shown_flags(rules: RuleSet, state: PlayState, seat: Seat, winning: Tile) -> set[str]:
    source = None if seat is state.turn else state.turn
    state = after(rules, state, WinDeclared(seat, source, None if source is None else winning))
    shown = HandShown(seat, parse_tiles("1m 2m 3m"), winning)
    hand = rules.winning_hand(after(rules, state, shown), shown, W)
    assert (hand.seat, hand.source, hand.round, hand.winning) == (seat, source, W, winning)
    return set(hand.flags)


def test_only_the_last_draw_and_the_last_discard_of_the_lap_are_the_last_tile() -> None:
    start = with_draws(LAP, 1, 5, 5, 5)
    assert shown_flags(LAP, after(LAP, start, TileDrawn(E)), E, Tile.P5) == set()
    assert shown_flags(LAP, after(LAP, start, *LAST_LAP[:5]), E, Tile.M2) == set()
    assert shown_flags(LAP, after(LAP, start, *LAST_LAP, TileDrawn(N)), N, Tile.P5) == {"last_draw"}
    assert shown_flags(LAP, after(LAP, start, *LAST_LAP, *turn_of(N, "5p")), W, Tile.P5) == {"last_discard"}


def test_under_next_empty_the_last_tile_is_the_one_before_an_empty_wall() -> None:
    start = with_draws(NEXT_EMPTY, 3, 0, 5, 5)
    assert shown_flags(NEXT_EMPTY, after(NEXT_EMPTY, start, TileDrawn(E)), E, Tile.P5) == {"last_draw"}
    assert shown_flags(NEXT_EMPTY, after(NEXT_EMPTY, start, *turn_of(E, "5p")), W, Tile.P5) == {"last_discard"}
    assert shown_flags(NEXT_EMPTY, after(NEXT_EMPTY, with_draws(NEXT_EMPTY, 1, 2, 5, 5), TileDrawn(E)), E, Tile.P5) == set()


@pytest.mark.parametrize("rules", [LAP, NEXT_EMPTY], ids=["lap", "next-empty"])
def test_the_last_of_a_kind_is_told_from_rivers_and_melds_without_counting_a_tile_twice(rules: RuleSet) -> None:
    punged = after(rules, rules.start(), *turn_of(E, "5m"), pung(S, "5m", E), TileDiscarded(S, Tile.M1), ClaimsPassed())
    assert shown_flags(rules, after(rules, punged, TileDrawn(W)), W, Tile.M5) == {"last_of_kind"}
    assert shown_flags(rules, after(rules, punged, *turn_of(W, "5m")), N, Tile.M5) == {"last_of_kind"}
    two_lie = after(rules, rules.start(), *turn_of(E, "5m"), ClaimsPassed(), *turn_of(S, "5m"), ClaimsPassed())
    assert shown_flags(rules, after(rules, two_lie, *turn_of(W, "5m")), N, Tile.M5) == set()
    assert shown_flags(rules, after(rules, two_lie, *turn_of(W, "5m"), ClaimsPassed(), TileDrawn(N)), N, Tile.M5) == {"last_of_kind"}
