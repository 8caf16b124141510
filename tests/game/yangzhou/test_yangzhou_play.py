"""Turns, claims, the end of a hand, and wins that were let pass in Yangzhou ("揚州の麻雀", blog, 27 November 2015)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import pytest
from msgspec.structs import replace

from tests.support.game.tables import meld_of
from twinwall.game.play import Phase, PlayState, SeatState
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
from twinwall.game.record import HandRecord
from twinwall.game.replay import replay
from twinwall.game.rule_set import Permissions
from twinwall.game.rules import rule_set
from twinwall.game.tiles import SEATS, Seat, Tile, parse_tile, parse_tiles
from twinwall.game.walls import SeatWall

E, S, W, N = SEATS
ANY = {"minimum": 0, "values": 13}
RULES = rule_set("yangzhou", ANY)
NOTHING = dict.fromkeys(SEATS, 0)


class Told:
    """A hand told in verbs; each must be legal by what all can see."""

    def __init__(self, state: PlayState | None = None) -> None:
        self.state = state or RULES.start()
        self.events: list[PlayEvent] = []

    def happen(self, *events: PlayEvent) -> Told:
        for event in events:
            problem = RULES.illegal(self.state, event)
            assert problem is None, (event, problem)
            self.state = RULES.apply(self.state, event)
            self.events.append(event)
        return self

    def turn(self, seat: Seat, tile: str) -> Told:
        """Draw and discard."""
        return self.happen(TileDrawn(seat), TileDiscarded(seat, parse_tile(tile)))

    def passed(self) -> Told:
        return self.happen(ClaimsPassed())

    def win(self, seat: Seat) -> Told:
        """A win on the tile in question."""
        return self.happen(WinDeclared(seat, self.state.turn, self.state.last_discard))

    @property
    def allowed(self) -> Permissions:
        return RULES.permissions(self.state)

    @property
    def claims(self) -> dict[Seat, set[Claim]]:
        return {seat: set(claims) for seat, claims in (self.allowed.claims or {}).items()}

    def refuses(self, event: PlayEvent) -> bool:
        return RULES.illegal(self.state, event) is not None


def with_draws(*left: int) -> PlayState:
    """The start of play with so many draws left for E, S, W, N."""
    east, south, west, north = (SeatState(draws_left=draws) for draws in left)
    return replace(RULES.start(), seats=(east, south, west, north))


def test_a_seat_has_34_tiles_and_the_dealers_fourteenth_is_its_first_draw() -> None:
    """手牌は13枚です.親は配牌で14枚の牌を取ります; own walls of 13 + 21 (rule page)."""
    assert len(RULES.tiles) == 136
    assert RULES.start().rules == "yangzhou"
    assert RULES.permissions(RULES.start()).draw is E
    assert {RULES.start().seat(seat).draws_left for seat in SEATS} == {21}


def test_chows_come_from_the_left_and_everything_else_from_anybody() -> None:
    """チー・ポン・カンできます; a win goes before a pung or kong, these before a chow (rule page)."""
    hand = Told().turn(E, "5m")
    others = {Claim.WIN, Claim.PUNG, Claim.KONG}
    assert hand.claims == {S: others | {Claim.CHOW}, W: others, N: others}
    assert RULES.priority(hand.state, {S: Claim.CHOW, W: Claim.PUNG, N: Claim.WIN}) == (N, W, S)


def test_a_kong_is_replaced_from_the_own_wall() -> None:
    hand = Told().turn(E, "5m").happen(Claimed(W, meld_of(MeldType.KONG, "5555m", E)))
    assert hand.allowed.draw is W
    assert Told(with_draws(5, 5, 0, 5)).turn(E, "5m").claims == {
        S: {Claim.WIN, Claim.CHOW, Claim.PUNG, Claim.KONG},
        W: {Claim.WIN, Claim.PUNG},
        N: {Claim.WIN, Claim.PUNG, Claim.KONG},
    }


def test_the_hand_is_drawn_when_the_seat_to_draw_has_no_tile_left() -> None:
    """山を1枚も残さずに使い切ったら手は終わります: with own walls, the wall of the seat to draw (rule page)."""
    hand = Told(with_draws(1, 0, 5, 5)).turn(E, "5m")
    assert hand.claims == {S: {Claim.WIN}, W: {Claim.WIN}, N: {Claim.WIN}}
    hand.passed()
    assert hand.allowed.ended is EndReason.DRAWN
    assert hand.refuses(TileDrawn(S))
    assert hand.happen(HandEnded(EndReason.DRAWN, NOTHING)).state.phase is Phase.ENDED


def test_two_and_three_may_win_on_one_tile() -> None:
    """2人以上同時に上がれます."""
    hand = Told().turn(E, "1m")
    for seat in (S, W, N):
        hand.win(seat).happen(HandShown(seat, parse_tiles("1m"), Tile.M1))
    assert [hand.state.seat(seat).shown is not None for seat in SEATS] == [False, True, True, True]
    assert hand.happen(HandEnded(EndReason.WON, NOTHING)).allowed.ended is EndReason.WON


def test_a_robbed_kong_is_won_as_a_discard_of_its_seat() -> None:
    """搶槓(チャンカン)は放銃扱いです."""
    hand = Told().turn(E, "5m").happen(Claimed(W, meld_of(MeldType.PUNG, "555m", E)), TileDiscarded(W, Tile.EAST)).passed()
    hand.turn(N, "1s").passed().turn(E, "1s").passed().turn(S, "9s").passed()
    hand.happen(TileDrawn(W), KongDeclared(W, Meld(MeldType.ADDED_KONG, (Tile.M5,) * 4, None)))
    assert hand.claims == {E: {Claim.WIN}, S: {Claim.WIN}, N: {Claim.WIN}}
    shown = HandShown(S, (), Tile.M5)
    hand.win(S).happen(shown)
    assert RULES.winning_hand(hand.state, shown, E).source is W


# Wins that were let pass: what only a replay with the walls sees.


def walls_of(**begun: str) -> dict[Seat, SeatWall]:
    """Walls whose hand tiles and draws begin as given ("hand | draws" by seat letter); the rest of the set fills them."""
    left = Counter(RULES.tiles)
    given = {}
    for seat in SEATS:
        first, _, then = begun.get(seat.value, "").partition("|")
        given[seat] = parse_tiles(first), parse_tiles(then)
        left.subtract([*given[seat][0], *given[seat][1]])
    assert min(left.values()) >= 0, "five of a kind are asked for"
    rest = list(left.elements())
    return {
        seat: SeatWall(
            (*hand, *(rest.pop() for _ in range(13 - len(hand)))),
            (*draws, *(rest.pop() for _ in range(21 - len(draws)))),
        )
        for seat, (hand, draws) in given.items()
    }


def objections(hand: Told, walls: Mapping[Seat, SeatWall], **options: object) -> list[tuple[int, str]]:
    """The events that a replay with the walls does not let stand, by number from 1, with their reasons."""
    record = HandRecord(
        event="test",
        session=1,
        hand=1,
        n=1,
        table="1",
        rules="yangzhou",
        options=options or ANY,
        players=dict.fromkeys(SEATS, ""),
        check=bytes(32),
        events=tuple(hand.events),
        scores=NOTHING,
        walls=walls,
    )
    return [(number, verdict.reason) for number, verdict in enumerate(replay(record).verdicts, 1) if verdict]


WAITING = "1m 2m 3m 4m 5m 6m 7p 8p 9p 2p 2p 5p 6p"
"""Waits for 4p and 7p: 平胡 (欠一 and 門清 besides)."""
PASSING = walls_of(
    E="7p 1s 1s 1s 9s 9s 9s 5s 5s 6s 6s E E | E 1m",
    S="7p 4p 9m 1m 2m 3m 3m 8s 8s 7s 7s 2s W | 9m S",
    W="4p 8m 8m 8m 9m 9m 7m 7m 4s 4s 3s 3s 2s | 7m",
    N=f"{WAITING} | F 4p",
)


def test_after_letting_a_win_pass_no_other_may_be_taken_before_the_own_turn() -> None:
    """上がりを見逃したら,自分の番が来るまで,上がれません: any tile."""
    hand = Told().turn(E, "7p").passed().turn(S, "4p").win(N)
    assert objections(hand, PASSING) == [(6, "passed-win")]
    assert objections(Told().turn(E, "E").passed().turn(S, "4p").win(N), PASSING) == []


def test_after_the_own_turn_a_win_may_be_taken() -> None:
    hand = Told().turn(E, "7p").passed().turn(S, "W").passed().turn(W, "7m").passed().turn(N, "F").passed()
    assert objections(hand.turn(E, "1m").passed().turn(S, "4p").win(N), PASSING) == []


def test_what_is_below_the_minimum_is_no_win_that_could_pass() -> None:
    hand = Told().turn(E, "7p").passed().turn(S, "4p").win(N)
    assert objections(hand, PASSING, minimum=13) == []


def test_a_turn_that_a_claim_passes_over_has_not_come() -> None:
    """East pungs West's 9m past North, who let East's 7p pass."""
    walls = walls_of(
        E="7p 9m 9m 1s 1s 1s 9s 9s 9s 5s 5s 6s E | E",
        S="7p 4p 1m 2m 3m 3m 8s 8s 7s 7s 2s W W | S 4p",
        W="9m 8m 8m 8m 7m 7m 4s 4s 3s 3s 2s 2s S | 7m",
        N=f"{WAITING} | F",
    )
    hand = Told().turn(E, "7p").passed().turn(S, "W").passed().turn(W, "9m")
    hand.happen(Claimed(E, meld_of(MeldType.PUNG, "999m", W)), TileDiscarded(E, Tile.EAST)).passed().turn(S, "4p").win(N)
    assert objections(hand, walls) == [(14, "passed-win")]


def test_a_claim_of_the_own_is_a_turn() -> None:
    """North lets East's 7p pass, pungs South's 2p, and wins on West's 4p."""
    walls = walls_of(
        E="7p 1s 1s 1s 9s 9s 9s 5s 5s 6s 6s E E | E",
        S="2p 1m 2m 3m 3m 8s 8s 7s 7s 2s W W F | S",
        W="4p 8m 8m 8m 9m 9m 7m 7m 4s 4s 3s 3s 2s | 7m",
        N="1m 2m 3m 4m 5m 6m 8p 9p 2p 2p 5p 6p 7p | F",
    )
    hand = Told().turn(E, "7p").passed().turn(S, "2p")
    hand.happen(Claimed(N, meld_of(MeldType.PUNG, "222p", S)), TileDiscarded(N, parse_tile("8p"))).passed()
    hand.turn(E, "E").passed().turn(S, "S").passed().turn(W, "4p")
    assert objections(hand.win(N), walls) == []


def test_a_self_drawn_win_that_is_thrown_away_is_let_pass_too() -> None:
    """North draws 4p and throws it; West's and East's discards before its next turn may not be won on."""
    walls = walls_of(
        E="7p 1s 1s 1s 9s 9s 9s 5s 5s 6s 6s E E | E 1m",
        S="9m 1m 2m 3m 3m 8s 8s 7s 7s 2s W W S | S",
        W="8m 8m 8m 9m 9m 7m 7m 4s 4s 3s 3s 2s 2s | 7m",
        N=f"{WAITING} | 4p",
    )
    hand = Told().turn(E, "E").passed().turn(S, "S").passed().turn(W, "7m").passed().turn(N, "4p").passed().turn(E, "7p").win(N)
    assert objections(hand, walls) == [(15, "passed-win")]


def test_with_four_melds_the_thrown_tile_may_still_be_won_on() -> None:
    """ただし,裸単騎で,自分で上がれる牌を捨てた同巡に上がることは認められます."""
    melds = [meld_of(MeldType.PUNG, tile * 3, E) for tile in ("1s", "9s", "5s", "E")]
    walls = walls_of(
        E="1s 9s 5s E 7p 1p 2p 3p 4p 5p 6p 8p 9p | N S 4s 1m 2m 3m",
        N="1s 1s 9s 9s 5s 5s E E 7p 2m 4m 6m 8m | 7p",
        S="C F P W 2m 3m 4m 5m 6m 7m 8m 1m 9m | C F P W W W",
    )
    hand = Told()
    for meld, thrown in zip(melds, ("2m", "4m", "6m", "8m"), strict=True):
        hand.turn(E, meld.tiles[0].text).happen(Claimed(N, meld), TileDiscarded(N, parse_tile(thrown))).passed()
    hand.turn(E, "1p").passed()
    south = walls[S].draws[0].text
    hand.turn(S, south).passed()
    hand.turn(W, walls[W].draws[0].text).passed().turn(N, "7p").passed().turn(E, "7p").win(N)
    assert objections(hand, walls) == []


def test_a_win_that_is_let_pass_behind_a_false_one_counts() -> None:
    hand = Told().turn(E, "7p").win(W).happen(HandShown(W, PASSING[W].hand, Tile.P7), WinRefused(W, "not-a-win")).passed()
    hand.turn(S, "4p").win(N)
    assert objections(hand, PASSING) == [(9, "passed-win")]


def test_kongs_that_lie_face_down_do_not_hide_a_win_that_was_let_pass() -> None:
    walls = walls_of(
        E="7p 1s 1s 1s 9s 9s 9s 5s 5s 6s 6s E 3m | E F",
        S="4p 9m 8s 8s 7s 7s 2s W W S 3p 3p 3p | S F",
        W="8m 8m 8m 9m 9m 7m 7m 4s 4s 3s 3s 2s 2s | 7m",
        N="N N N N 4m 5m 6m 7p 8p 9p 2p 2p 5p | 1m 6p 1m",
    )
    hand = Told().turn(E, "E").passed().turn(S, "S").passed().turn(W, "7m").passed()
    hand.happen(TileDrawn(N), KongDeclared(N, Meld(MeldType.CONCEALED_KONG, (), None)))
    hand.turn(N, "1m").passed()
    hand.turn(E, "7p").passed().turn(S, "4p").win(N)
    assert objections(hand, walls) == [(20, "passed-win")]


@pytest.mark.parametrize("seat", SEATS)
def test_the_score_of_a_hand_knows_the_round(seat: Seat) -> None:
    """圏風 is worth a point for everybody, whatever the seat."""
    shown = HandShown(seat, parse_tiles("23m 456p 789s NN EEE"), Tile.M1)
    state = replace(RULES.start(), turn=seat, phase=Phase.SHOW, winner=seat)
    assert RULES.winning_hand(state, shown, E).round is E
