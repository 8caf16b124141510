"""Duties of Sichuan that only the walls show, found by a replay (四川ルール 血戦到底, blog, revised 29 September 2018)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from tests.game.sichuan.test_sichuan_play import Hand
from tests.support.game.sichuan_tables import walls_of
from twinwall.game.play_events import HandShown, MeldType, PlayEvent
from twinwall.game.record import HandRecord
from twinwall.game.replay import replay
from twinwall.game.tiles import SEATS, Seat, Tile
from twinwall.game.walls import SeatWall

E, S, W, N = SEATS
WAITING = "1m 2m 3m 4m 5m 6m 7p 8p 9p 2p 2p 5p 6p"
"""Waits for 4p and 7p."""


class Told(Hand):
    """A hand told in verbs, whose events may break duties."""

    def __init__(self) -> None:
        super().__init__()
        self.events: list[PlayEvent] = []

    def happen(self, *events: PlayEvent) -> Told:
        for event in events:
            super().happen(event)
            self.events.append(event)
        return self


def objections(hand: Hand, walls: Mapping[Seat, SeatWall], **options: object) -> list[tuple[int, str]]:
    """The events that a replay with the walls does not let stand, by number from 1, with their reasons."""
    assert isinstance(hand, Told)
    record = HandRecord(
        event="test",
        session=1,
        hand=1,
        n=1,
        table="1",
        rules="sichuan",
        options=options,
        players=dict.fromkeys(SEATS, ""),
        check=bytes(32),
        events=tuple(hand.events),
        scores=dict.fromkeys(SEATS, 0),
        walls=walls,
    )
    assert replay(replace(record, walls=None)).legal, "what only the walls show is not seen without them"
    return [(number, verdict.reason) for number, verdict in enumerate(replay(record).verdicts, 1) if verdict]


PASSING = walls_of(
    E="4p 4p 7p 1s 1s 1s 9s 9s 9s 5s 5s 6s 6s | 1m 3s",
    S="7p 4p 1m 1m 2m 2m 3m 3m 8s 8s 7s 7s 2s | 9m",
    W="7p 8m 8m 8m 9m 9m 9m 3s 3s 4s 4s 2s 2s | 7m",
    N=f"{WAITING} | 8m 1p",
)
"""N waits for 4p and 7p; E, S and W hold some."""


def test_a_tile_that_was_let_pass_may_not_be_won_on_before_the_own_turn() -> None:
    """一度見逃した牌は,自分の順番が来る前には上がれません."""
    hand = Told().draw(E).discard(E, "7p").passed().draw(S).discard(S, "7p").win(N)
    assert objections(hand, PASSING) == [(6, "passed-win")]


def test_another_tile_may_be_won_on_unless_any_is_barred() -> None:
    hand = Told().draw(E).discard(E, "7p").passed().draw(S).discard(S, "4p").win(N)
    assert objections(hand, PASSING) == []
    assert objections(hand, PASSING, passed_win="any") == [(6, "passed-win")]


def test_after_the_own_turn_the_tile_may_be_won_on() -> None:
    hand = Told().draw(E).discard(E, "7p").passed().draw(S).discard(S, "9m").passed().draw(W).discard(W, "7m").passed()
    hand.draw(N).discard(N, "8m").passed().draw(E).discard(E, "1m").passed().draw(S).discard(S, "7p").win(N)
    assert objections(hand, PASSING, passed_win="any") == []


def test_a_turn_that_a_pung_passes_over_counts_as_having_come() -> None:
    """ポン・カンで順番が飛ばされたときは,順番が来たものとみなします: E pungs W's 9m, past N."""
    walls = walls_of(
        E="9m 9m 7p 1s 1s 1s 5s 5s 6s 6s 7s 8s 9s | 1m",
        S="7p 4p 1m 1m 2m 2m 3m 3m 8s 8s 7s 7s 2s | 9p",
        W="7p 8m 8m 8m 7m 7m 3s 3s 4s 4s 2s 2s 1p | 9m",
        N=f"{WAITING} | 8m",
    )
    begun = Told().draw(E).discard(E, "7p").passed().draw(S).discard(S, "9p").passed().draw(W).discard(W, "9m")
    begun.claim(E, MeldType.PUNG).discard(E, "5s").passed().draw(S).discard(S, "7p").win(N)
    assert objections(begun, walls, passed_win="any") == []


@pytest.mark.parametrize(("last", "reasons"), [(56, [(3, "must-win")]), (55, []), (0, [])])
def test_a_seat_that_can_win_on_one_of_the_last_tiles_must_win(last: int, reasons: list[tuple[int, str]]) -> None:
    """最後の4枚の自摸及び捨て牌で上がれるときは,上がらなければなりません: 56 tiles are left when the first is drawn."""
    hand = Told().draw(E).discard(E, "7p").passed()
    assert objections(hand, PASSING, must_win_last=last) == reasons


def test_a_claim_does_not_excuse_from_winning_on_one_of_the_last_tiles() -> None:
    walls = walls_of(E="7p 1s | 1m", S="7p 7p | 9m", N=WAITING)
    hand = Told().draw(E).discard(E, "7p").claim(S, MeldType.PUNG)
    assert objections(hand, walls, must_win_last=60) == [(3, "must-win")]


def test_who_draws_a_winning_tile_among_the_last_must_win_and_not_discard_or_make_a_kong() -> None:
    walls = walls_of(E="1m 1m 1m 1m 2m 3m 7p 8p 9p 2p 2p 5p 6p | 7p")
    hand = Told().draw(E).discard(E, "7p")
    assert objections(hand, walls, must_win_last=56) == [(2, "must-win")]
    kong = Told().draw(E).kong(E, MeldType.CONCEALED_KONG, "1m")
    assert objections(kong, walls, must_win_last=56) == [(2, "must-win")]
    assert objections(Told().draw(E).win(E, "7p"), walls, must_win_last=56) == []


def test_a_hand_that_lets_nothing_pass_has_no_duty_to_break() -> None:
    hand = Told().draw(E).discard(E, "7p").win(N).passed()
    assert objections(hand, PASSING, must_win_last=60) == []


@pytest.mark.parametrize(("late", "reasons"), [(True, []), (False, ["wrong-late"])])
def test_a_tile_added_to_a_pung_is_late_if_it_was_not_drawn_at_this_turn(late: bool, reasons: list[str]) -> None:
    """すでに自分がポンしている牌と同じ牌を山から引いたとき."""
    walls = walls_of(E="5m 1m | 9s 9s", S="5m 5m 5m 9p | 5s", W="9p 8p | 7s", N="8p 1p | 6s")
    hand = Told().draw(E).discard(E, "5m").claim(S, MeldType.PUNG).discard(S, "9p").passed()
    hand.turn(W, "9p").turn(N, "8p").turn(E, "1m")
    hand.draw(S).kong(S, MeldType.ADDED_KONG, "5m", late=late)
    assert [reason for _, reason in objections(hand, walls)] == reasons


def test_a_tile_drawn_at_this_turn_is_not_late() -> None:
    walls = walls_of(E="5m 1m | 9s 9s", S="5m 5m 9p | 5m", W="9p 8p | 7s", N="8p 1p | 6s")
    hand = Told().draw(E).discard(E, "5m").claim(S, MeldType.PUNG).discard(S, "9p").passed()
    hand.turn(W, "9p").turn(N, "8p").turn(E, "1m").draw(S).kong(S, MeldType.ADDED_KONG, "5m", late=True)
    assert [reason for _, reason in objections(hand, walls)] == ["wrong-late"]


def test_a_self_drawn_winning_tile_that_was_not_drawn_is_found() -> None:
    hand = Told().draw(E).win(E, "9p")
    assert objections(hand, walls_of(E=f"{WAITING} | 7p")) == [(2, "not-held")]


def test_a_shown_hand_that_was_not_held_is_found() -> None:
    hand = Told().draw(E).discard(E, "7p").win(S).win(W).win(N)
    hand.happen(HandShown(S, tuple([Tile.M1] * 4 + [Tile.M2] * 4 + [Tile.M3] * 4 + [Tile.M4]), Tile.P7))
    assert objections(hand, PASSING) == [(6, "not-held")]
