"""Whole hands at random: what must hold whoever plays how."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

import pytest

from tests.game.tables import Table, random_walls, walls_with_kongs
from twinwall.game.deals import SeatWall
from twinwall.game.held import concealed
from twinwall.game.play import (
    Claim,
    Claimed,
    ClaimsPassed,
    EndReason,
    HandEnded,
    HandShown,
    KongDeclared,
    Meld,
    MeldType,
    Phase,
    PlayEvent,
    PlayState,
    TileDiscarded,
    TileDrawn,
    WinDeclared,
    WinRefused,
)
from twinwall.game.record import HandRecord, replay
from twinwall.game.rules import rule_set
from twinwall.game.tiles import SEATS, Seat, Tile

RICH = (*range(310, 320), 394, 426, 583)
"""Deals in which kongs are robbed, won with, and where one discard wins for two."""

OPTIONS: dict[str, Mapping[str, object]] = {
    "lap": {"minimum": 0},
    "next-empty": {"minimum": 0, "end": "next-empty", "kong_when_next_empty": False},
    "several": {"minimum": 0, "several_winners": "each-minus-others"},
}


def played(
    options: str, seeds: Iterable[int], eager: bool, deal: Callable[[int], Mapping[Seat, SeatWall]] = random_walls
) -> Iterator[Table]:
    rules = rule_set("mcr-duplicate", OPTIONS[options])
    for seed in seeds:
        table = Table(rules, deal(seed), random.Random(seed), eager, hand=seed % 16 + 1, options=OPTIONS[options])
        for _ in table.play():
            pass
        yield table


@pytest.fixture(scope="module", params=list(OPTIONS))
def tables(request: pytest.FixtureRequest) -> list[Table]:
    with_kongs = [*played(request.param, range(200, 220), False, walls_with_kongs), *played(request.param, RICH, True, walls_with_kongs)]
    return [*played(request.param, range(60), eager=False), *played(request.param, range(60, 110), eager=True), *with_kongs]


def test_every_hand_ends_and_many_are_won_and_many_are_drawn(tables: list[Table]) -> None:
    reasons = Counter(table.state.ended.reason for table in tables if table.state.ended is not None)
    assert sum(reasons.values()) == len(tables)
    assert reasons[EndReason.WON] >= 20
    assert reasons[EndReason.DRAWN] >= 20


def test_scores_are_zero_sum_and_zero_when_nobody_won(tables: list[Table]) -> None:
    for table in tables:
        ended = table.state.ended
        assert ended is not None
        assert sum(ended.scores.values()) == 0
        assert (ended.reason is EndReason.DRAWN) == (not any(ended.scores.values()))


def test_no_tile_is_lost_or_doubled(tables: list[Table]) -> None:
    for table in tables:
        lying = Counter(river_tile.tile for seat in table.state.seats for river_tile in seat.river if river_tile.claimed_by is None)
        for seat in SEATS:
            public = table.state.seat(seat)
            lying.update(tile for meld in public.melds for tile in meld.tiles)
            lying.update(concealed(table.walls, table.events, seat))
            lying.update(table.walls[seat].draws[21 - public.draws_left :])
        assert set(lying.values()) == {4}
        assert len(lying) == 34


def test_a_seat_holds_13_tiles_and_a_fourteenth_only_at_its_own_turn(tables: list[Table]) -> None:
    for table in tables[:10]:
        rules, state = table.rules, table.rules.start()
        again = replace(table, events=[])
        for event in table.events:
            state = rules.apply(state, event)
            again.following.happen(event)
            for seat in SEATS:
                size = len(again.held(seat)) + 3 * len(state.seat(seat).melds)
                full = state.turn is seat and (state.phase is Phase.DISCARD or (state.phase in (Phase.SHOW, Phase.ENDED) and state.drew))
                assert size == (14 if full else 13)


def test_play_goes_counter_clockwise_from_east_and_jumps_only_by_claims(tables: list[Table]) -> None:
    for table in tables:
        turn, replacing = Seat.NORTH, False
        for event in table.events:
            match event:
                case TileDrawn(seat):
                    assert seat is (turn if replacing else turn.next)
                    turn, replacing = seat, False
                case Claimed(seat, meld):
                    assert meld.source is turn
                    assert meld.type is not MeldType.CHOW or seat is turn.next
                    turn, replacing = seat, meld.type is MeldType.KONG
                case KongDeclared(seat, _):
                    assert seat is turn
                    replacing = True
                case TileDiscarded(seat, _):
                    assert seat is turn
                case _:
                    pass


def test_a_hand_record_replays_to_the_same_scores_and_reads_back(tables: list[Table]) -> None:
    for table in tables:
        record = table.record()
        again = replay(record)
        assert again.legal, [problem for problem in again.verdicts if problem]
        assert again.scores == record.scores
        assert HandRecord.from_json(json.dumps(record.to_json())) == record


def test_the_final_discard_is_never_claimed_for_a_meld_and_draws_end_with_it(tables: list[Table]) -> None:
    for table in tables:
        if table.state.ended is not None and table.state.ended.reason is EndReason.DRAWN:
            assert isinstance(table.events[-2], ClaimsPassed)
            assert any(seat.draws_left == 0 for seat in table.state.seats)


def test_kongs_of_all_kinds_are_made_robbed_and_won_with(tables: list[Table]) -> None:
    kinds: Counter[str] = Counter()
    for table in tables:
        state, replacing = table.rules.start(), False
        for event in table.events:
            match event:
                case KongDeclared(_, meld):
                    kinds[meld.type] += 1
                case Claimed(_, meld):
                    kinds[meld.type] += 1
                case WinDeclared():
                    kinds["robbing"] += state.robbing
                    kinds["replacement"] += replacing and event.source is None
                case HandShown(_, _, _, kongs):
                    kinds["turned up"] += len(kongs)
            replacing = isinstance(event, TileDrawn) and state.after_kong
            state = table.rules.apply(state, event)
    assert (+kinds).keys() >= {MeldType.KONG, MeldType.ADDED_KONG, MeldType.CONCEALED_KONG, "robbing", "replacement", "turned up"}, kinds


def test_several_may_win_only_by_the_option(tables: list[Table]) -> None:
    winners = [sum(seat.shown is not None for seat in table.state.seats) for table in tables]
    several = tables[0].options.get("several_winners", "nearest") != "nearest"
    assert (max(winners) > 1) is several


def everything(state: PlayState) -> Iterator[PlayEvent]:
    """One event of every sort for every seat, whether it makes sense or not."""
    tile = state.last_discard or Tile.M1
    for seat in SEATS:
        yield TileDrawn(seat)
        yield TileDiscarded(seat, Tile.M5)
        yield WinDeclared(seat, None, None)
        yield WinDeclared(seat, state.turn, state.last_discard)
        yield WinRefused(seat, "not-a-win")
        yield Claimed(seat, Meld(MeldType.PUNG, (tile,) * 3, state.turn))
        for lowest in range(max(0, tile - 2), min(tile, 24) + 1):
            yield Claimed(seat, Meld(MeldType.CHOW, (Tile(lowest), Tile(lowest + 1), Tile(lowest + 2)), state.turn))
        yield Claimed(seat, Meld(MeldType.KONG, (tile,) * 4, state.turn))
        yield KongDeclared(seat, Meld(MeldType.CONCEALED_KONG, (), None))
    yield ClaimsPassed()
    yield HandEnded(EndReason.DRAWN, dict.fromkeys(SEATS, 0))
    yield HandEnded(EndReason.WON, dict.fromkeys(SEATS, 0))


def offered(table: Table, state: PlayState, event: PlayEvent) -> bool:
    """Whether the permissions name the event (tiles apart, which are judged when they are laid)."""
    allowed = table.rules.permissions(state)
    claims = allowed.claims or {}
    match event:
        case TileDrawn(seat):
            return allowed.draw is seat
        case TileDiscarded(seat, _):
            return allowed.discard is seat
        case WinDeclared(seat, None, _):
            return allowed.win is seat
        case WinDeclared(seat, _, _):
            return Claim.WIN in claims.get(seat, ())
        case Claimed(seat, meld):
            return Claim(meld.type.value) in claims.get(seat, ())
        case KongDeclared(seat, _):
            return allowed.kong is seat
        case ClaimsPassed():
            return allowed.claims is not None and state.phase is Phase.CLAIMS
        case HandEnded(EndReason.DRAWN, _):
            return allowed.ended is EndReason.DRAWN and state.phase is not Phase.ENDED
        case HandEnded():
            return state.phase is Phase.SHOW and allowed.show is None
        case WinRefused(seat, _):
            return state.phase is Phase.SHOW and allowed.show is None and state.winner is seat
        case _:
            return True


def test_what_is_not_offered_is_refused_with_a_reason(tables: list[Table]) -> None:
    for table in tables[::8]:
        state = table.rules.start()
        for happened in [*table.events, None]:
            for event in everything(state):
                if not offered(table, state, event):
                    problem = table.rules.illegal(state, event)
                    assert problem is not None, (state, event)
                    assert problem.reason
                    assert problem.sentence
            if happened is not None:
                state = table.rules.apply(state, happened)
