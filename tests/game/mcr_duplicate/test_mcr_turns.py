"""Turns, claims, false wins and the two end rules, from public events alone."""

import pytest
from msgspec.structs import replace

from tests.support.game.scripted import NOTHING, ScriptedHand
from tests.support.game.tables import meld_of
from twinwall.game.play import Phase, RiverTile
from twinwall.game.play_events import Claim, Claimed, EndReason, HandEnded, HandShown, MeldType, TileDrawn, WinDeclared, WinRefused
from twinwall.game.rule_set import RuleSet
from twinwall.game.rules import rule_set
from twinwall.game.tiles import SEATS, Seat, Tile, parse_tiles

E, S, W, N = SEATS
LAP = rule_set("mcr-duplicate")
NEXT_EMPTY = rule_set("mcr-duplicate", {"end": "next-empty"})
WIN, MELDS = {Claim.WIN}, {Claim.PUNG, Claim.KONG, Claim.WIN}
FALSE_SOUTH = ("E 5m, S wins, S shows", WinRefused(S, "not-a-win"))
LAST_LAP = "E 1m, S 2m, W 3m, passed"


def hand(*steps: str | WinRefused, left: tuple[int, ...] = (), rules: RuleSet = LAP) -> ScriptedHand:
    return ScriptedHand(rules, *left).after(*steps)


def flags(steps: str, winning: str, *, left: tuple[int, ...] = (), rules: RuleSet = LAP) -> set[str]:
    """The flags of a hand that wins after the steps on a tile, or self-drawn with that tile: "W 5m"."""
    played, seat, tile = hand(steps, left=left, rules=rules), Seat(winning[0]), parse_tiles(winning[2:])[0]
    shown = HandShown(seat, (), tile)
    played.after(f"{seat.value} wins", shown)
    judged = rules.winning_hand(played.state, shown, W)
    source = None if seat is played.state.turn else played.state.turn
    assert (judged.seat, judged.source, judged.round, judged.winning) == (seat, source, W, tile)
    return set(judged.flags)


def test_east_starts_by_drawing_from_21() -> None:
    start = hand()
    assert (start.allowed.draw, [start.state.seat(seat).draws_left for seat in SEATS]) == (E, [21] * 4)
    assert start.after("E draws").state.seat(E).draws_left == 20


def test_only_the_left_neighbour_s_discard_may_be_chowed_no_honour_is_and_no_fifth_meld_is_claimed() -> None:
    assert hand("E 5m").claims == {S: MELDS | {Claim.CHOW}, W: MELDS, N: MELDS}
    assert hand("E C").claims[S] == MELDS
    full = hand()
    melds = tuple(meld_of(MeldType.PUNG, tile * 3, W) for tile in ("1s", "2s", "3s", "4s"))
    full.state = full.state.with_seat(S, replace(full.state.seat(S), melds=melds))
    assert full.after("E 5m").claims[S] == WIN


@pytest.mark.parametrize(
    ("pressed", "order"),
    [
        ({S: Claim.CHOW, W: Claim.PUNG, N: Claim.WIN}, (N, W, S)),
        ({N: Claim.WIN, W: Claim.WIN, S: Claim.WIN}, (S, W, N)),
        ({}, ()),
        ({W: Claim.CHOW, S: Claim.PUNG, E: Claim.WIN}, (S,)),
    ],
    ids=["win before pung before chow", "the nearest winner first", "none", "a press that was not offered is not heard"],
)
def test_claims_go_in_order(pressed: dict[Seat, Claim], order: tuple[Seat, ...]) -> None:
    assert LAP.priority(hand("E 5m").state, pressed) == order


def test_a_claim_moves_the_turn_but_not_the_wall() -> None:
    claimed = hand("E 5m, N pung")
    assert (claimed.state.turn, claimed.state.phase, claimed.state.drew, claimed.allowed.win) == (N, Phase.DISCARD, False, None)
    assert (claimed.state.seat(N).draws_left, claimed.state.seat(E).river) == (21, (RiverTile(Tile.M5, claimed_by=N),))
    assert claimed.after("N E, passed").allowed.draw is E


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("S chow 3m4m5m", None),
        ("S chow 5m4m6m", None),
        ("S chow 6m7m8m", "wrong-tiles"),
        ("S chow 4m5m7m", "wrong-tiles"),
        ("S chow 3m4m5m W", "wrong-source"),
        ("W chow 3m4m5m", "not-allowed"),
        ("E pung", "not-allowed"),
        ("W pung", None),
        ("W pung 6m", "wrong-tiles"),
        (Claimed(W, meld_of(MeldType.PUNG, "5m5m", E)), "wrong-tiles"),
        ("W kong", None),
        (Claimed(W, meld_of(MeldType.KONG, "5m5m5m", E)), "wrong-tiles"),
        (Claimed(W, meld_of(MeldType.CONCEALED_KONG, "5m5m5m5m", None)), "not-allowed"),
    ],
    ids=str,
)
def test_exposed_tiles_must_be_a_meld_with_the_discard(claim: str | Claimed, expected: str | None) -> None:
    assert hand("E 5m").reason(claim) == expected


def test_a_fifth_tile_of_a_kind_in_sight_is_refused() -> None:
    played = hand("E 5m, S pung, S 5m, W draws")
    assert played.reason("W 5m") == "wrong-tiles"
    assert played.after("W 4m").reason("N chow 3m4m5m") == "wrong-tiles"


@pytest.mark.parametrize(
    ("steps", "step", "reason"),
    [("", "S draws", "not-your-turn"), ("", "E 1m", "not-now"), ("E draws", "E draws", "not-now"), ("E draws", "S 1m", "not-your-turn")],
)
def test_nobody_acts_out_of_turn(steps: str, step: str, reason: str) -> None:
    played = hand(steps) if steps else hand()
    assert played.reason(TileDrawn(Seat(step[0])) if "draws" in step else step) == reason


def test_a_win_off_a_discard_is_declared_shown_and_ended() -> None:
    played = hand("E 5m")
    assert played.reason(WinDeclared(W, E, Tile.M6)) == "wrong-source"
    assert played.after("W wins").allowed.show is W
    assert played.reason(HandEnded(EndReason.WON, NOTHING)) == played.reason("S shows") == "not-now"
    assert played.reason("W shows 6m") == "wrong-tiles"
    played.after(HandShown(W, parse_tiles("1m 2m 3m"), Tile.M5))
    assert (played.state.seat(W).shown, played.allowed.show) == (parse_tiles("1m 2m 3m"), None)
    assert played.reason(HandEnded(EndReason.WON, {E: 0})) == "wrong-scores"
    assert played.after(HandEnded(EndReason.WON, {E: -16, S: -8, W: 32, N: -8})).allowed.ended is EndReason.WON


def test_after_a_false_win_on_a_discard_the_other_claims_follow_but_not_that_seats() -> None:
    played = hand(*FALSE_SOUTH)
    assert played.claims == {S: set(), W: MELDS, N: MELDS}
    assert (played.state.seat(S).shown, played.reason("S wins")) == (None, "not-allowed")
    assert LAP.priority(played.state, {S: Claim.WIN, N: Claim.PUNG}) == (N,)
    assert played.after("passed").allowed.draw is S
    assert hand(*FALSE_SOUTH, "N pung, N 1m").claims[S] == MELDS


def test_after_a_false_self_draw_the_seat_must_discard() -> None:
    played = hand("E wins, E shows", WinRefused(E, "below-minimum"))
    assert (played.allowed.discard, played.allowed.win, played.reason("E wins")) == (E, None, "not-allowed")
    played.after("E 1m")


def test_the_lap_gives_every_other_seat_one_more_turn_after_the_first_empty_wall() -> None:
    played = hand(LAST_LAP, left=(1, 5, 5, 5))
    assert played.state.final_lap_from is E
    assert played.after("N 4m").claims == {E: WIN, S: WIN, W: WIN}
    assert played.reason("E chow 4m5m6m") == "not-allowed"
    assert played.after("passed").allowed.ended is EndReason.DRAWN
    assert played.reason(TileDrawn(E)) == "not-now"
    assert played.reason(HandEnded(EndReason.DRAWN, {**NOTHING, E: 1, S: -1})) == "wrong-scores"
    assert played.after(HandEnded(EndReason.DRAWN, NOTHING)).state.phase is Phase.ENDED


@pytest.mark.parametrize(
    ("left", "steps", "claims"),
    [
        ((1, 5, 5, 5), "E 1m, N pung, N 9m", {E: WIN, S: WIN, W: WIN}),
        ((1, 5, 5, 5), "E 1m, S 2m, W 3m, S pung, S 9m", {E: WIN, W: WIN, N: WIN}),
        ((1, 5, 5, 5), "E 1m, S 2m, W 3m, S kong, S draws, S 9m", {E: WIN, W: WIN, N: WIN}),
        ((1, 5, 5, 5), "E 1m, S 2m, E pung, E 9m", {S: WIN, W: WIN, N: WIN}),
        ((1, 1, 1, 1), f"{LAST_LAP}, N 4m", {E: WIN, S: WIN, W: WIN}),
    ],
    ids=[
        "a claim that skips a seat shortens it",
        "a claim beyond its last seat still discards",
        "a kong beyond its last seat is replaced before the last discard",
        "a claim by the seat whose wall is empty does not start it again",
        "nor does a second wall that runs out in it",
    ],
)
def test_the_lap_ends(left: tuple[int, ...], steps: str, claims: dict[Seat, set[Claim]]) -> None:
    played = hand(steps, left=left)
    assert played.claims == claims
    assert (played.state.final_lap_from, played.after("passed").allowed.ended) == (E, EndReason.DRAWN)


def test_under_next_empty_the_hand_ends_when_the_seat_to_draw_has_no_tile() -> None:
    played = hand("E 1m", left=(1, 1, 5, 0), rules=NEXT_EMPTY)
    assert Claim.PUNG in played.claims[W]
    assert played.after("S 2m, W 3m").claims == {E: WIN, S: WIN, N: WIN}
    assert played.after("passed").allowed.ended is EndReason.DRAWN


@pytest.mark.parametrize(
    ("rules", "left", "steps", "winning", "found"),
    [
        (LAP, (1, 5, 5, 5), "E draws", "E 5p", set()),
        (LAP, (1, 5, 5, 5), "E 1m, S 2m", "E 2m", set()),
        (LAP, (1, 5, 5, 5), f"{LAST_LAP}, N draws", "N 5p", {"last_draw"}),
        (LAP, (1, 5, 5, 5), f"{LAST_LAP}, N 5p", "W 5p", {"last_discard"}),
        (NEXT_EMPTY, (3, 0, 5, 5), "E draws", "E 5p", {"last_draw"}),
        (NEXT_EMPTY, (3, 0, 5, 5), "E 5p", "W 5p", {"last_discard"}),
        (NEXT_EMPTY, (1, 2, 5, 5), "E draws", "E 5p", set()),
    ],
)
def test_the_last_tile_is_that_of_the_lap_or_the_one_before_an_empty_wall(
    rules: RuleSet, left: tuple[int, ...], steps: str, winning: str, found: set[str]
) -> None:
    assert flags(steps, winning, left=left, rules=rules) == found


@pytest.mark.parametrize("rules", [LAP, NEXT_EMPTY], ids=["lap", "next-empty"])
@pytest.mark.parametrize(
    ("steps", "winning", "is_last"),
    [
        ("E 5m, S pung, S 1m, W draws", "W 5m", True),
        ("E 5m, S pung, S 1m, W 5m", "N 5m", True),
        ("E 5m, S 5m, W 5m", "N 5m", False),
        ("E 5m, S 5m, W 5m, N draws", "N 5m", True),
    ],
)
def test_the_last_of_a_kind_is_seen_in_rivers_and_melds_without_counting_a_tile_twice(
    rules: RuleSet, steps: str, winning: str, is_last: bool
) -> None:
    assert flags(steps, winning, rules=rules) == ({"last_of_kind"} if is_last else set())
