"""Whole hands of duplicate MCR at random: what must hold whoever plays how, and how many ways a deal can begin.

The number of hands is 300, or what the environment variable TWINWALL_RANDOM_HANDS says (10,000 in a nightly run).
"""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace

import pytest

from tests.game.beginnings import Position, perft
from tests.game.tables import Table, random_walls, walls_with_kongs
from twinwall.game.deals import SeatWall
from twinwall.game.held import HeldTiles, concealed
from twinwall.game.payments import totals
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
    Permissions,
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
from twinwall.game.rules.mcr_duplicate.turns import DRAWS
from twinwall.game.tiles import SEATS, Seat, Tile

HANDS = int(os.environ.get("TWINWALL_RANDOM_HANDS", "300"))
pytestmark = pytest.mark.timeout(max(120, HANDS))
RICH = (*range(310, 320), 394, 426, 583)
"""Hands in which kongs are robbed, won with, and where one discard wins for two."""
OPTIONS: tuple[Mapping[str, object], ...] = (
    {"minimum": 0},
    {"minimum": 0, "end": "next-empty", "kong_when_next_empty": False},
    {"minimum": 0, "several_winners": "each-minus-others"},
    {"minimum": 0, "several_winners": "each-full", "self_draw": "rounded"},
)


def played(seed: int, options: Mapping[str, object], eager: bool, with_kongs: bool) -> Table:
    """A hand by its number; ``with_kongs`` gives equal tiles mostly to the same seat."""
    walls = walls_with_kongs(seed) if with_kongs else random_walls(seed)
    table = Table(rule_set("mcr-duplicate", options), walls, random.Random(seed), eager, hand=seed % 16 + 1, options=options)
    for _ in table.play():
        pass
    return table


@pytest.fixture(scope="module")
def tables() -> list[Table]:
    plain = [played(seed, OPTIONS[seed % 4], eager=seed % 3 > 0, with_kongs=seed % 5 < 2) for seed in range(HANDS)]
    return [*plain, *(played(seed, options, eager=True, with_kongs=True) for options in OPTIONS for seed in RICH)]


def test_every_hand_ends_and_many_are_won_and_many_are_drawn(tables: list[Table]) -> None:
    reasons = Counter(table.state.ended.reason for table in tables if table.state.ended is not None)
    assert sum(reasons.values()) == len(tables)
    assert min(reasons[EndReason.WON], reasons[EndReason.DRAWN]) >= len(tables) // 5


def test_scores_are_the_totals_of_payments_and_sum_to_zero_where_the_rules_say_so(tables: list[Table]) -> None:
    sums: set[bool] = set()
    for table in tables:
        ended = table.state.ended
        assert ended is not None
        assert dict(ended.scores) == totals(table.rules.payments(table.state, table.wins))
        assert not sum(ended.scores.values()) or not table.rules.zero_sum
        assert (ended.reason is EndReason.DRAWN) == (not any(ended.scores.values()))
        sums.add(bool(sum(ended.scores.values())))
    assert sums == {True, False}


def test_no_tile_is_lost_or_doubled(tables: list[Table]) -> None:
    for table in tables:
        lying = Counter(river_tile.tile for seat in table.state.seats for river_tile in seat.river if river_tile.claimed_by is None)
        for seat in SEATS:
            public = table.state.seat(seat)
            lying.update(tile for meld in public.melds for tile in meld.tiles)
            lying.update(concealed(table.walls, table.events, seat))
            lying.update(table.walls[seat].draws[DRAWS - public.draws_left :])
        assert set(lying.values()) == {4}
        assert len(lying) == 34


def test_a_seat_holds_13_tiles_and_a_fourteenth_only_at_its_own_turn(tables: list[Table]) -> None:
    for table in [table for table in tables if not any(table.kongs.values())][:10]:
        rules, state = table.rules, table.rules.start()
        again = replace(table, events=[])
        for event in table.events:
            state = rules.apply(state, event)
            again.following.happen(event)
            for seat in SEATS:
                size = len(again.held(seat)) + 3 * len(state.seat(seat).melds)
                full = state.turn is seat and (state.phase is Phase.DISCARD or (state.phase in (Phase.SHOW, Phase.ENDED) and state.drew))
                assert size == (14 if full else 13)


def test_play_goes_counter_clockwise_from_east_jumps_only_by_claims_and_everybody_draws_from_its_own_wall(tables: list[Table]) -> None:
    for table in tables:
        turn, replacing, taken = Seat.NORTH, False, dict.fromkeys(SEATS, 0)
        for event in table.events:
            match event:
                case TileDrawn(seat):
                    assert seat is (turn if replacing else turn.next)
                    turn, replacing = seat, False
                    taken[seat] += 1
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
        assert taken == {seat: DRAWS - table.state.seat(seat).draws_left for seat in SEATS}


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
    most: Counter[bool] = Counter()
    for table in tables:
        several = table.options.get("several_winners", "nearest") != "nearest"
        most[several] = max(most[several], sum(seat.shown is not None for seat in table.state.seats))
    assert most[False] == 1
    assert most[True] >= 2


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


def offered(allowed: Permissions, state: PlayState, event: PlayEvent) -> bool:
    """Whether the permissions name the event (tiles apart, which are judged when they are laid)."""
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
    for table in tables[:: max(1, HANDS // 12)]:
        state = table.rules.start()
        for happened in [*table.events, None]:
            allowed = table.rules.permissions(state)
            for event in everything(state):
                if not offered(allowed, state, event):
                    problem = table.rules.illegal(state, event)
                    assert problem is not None, (state, event)
                    assert problem.reason
                    assert problem.sentence
            if happened is not None:
                state = table.rules.apply(state, happened)


# The counts were made by this walk: they change only with the rules.


@pytest.mark.parametrize(
    ("walls", "counts"),
    [
        (random_walls(1), (1, 12, 13, 23, 168, 213, 680, 2563)),
        (random_walls(7), (1, 11, 19, 88, 238, 554, 1962, 4262)),
        (walls_with_kongs(3), (1, 9, 12, 36, 133, 197, 566, 1767)),
    ],
)
def test_a_deal_can_begin_in_as_many_ways_as_ever(walls: Mapping[Seat, SeatWall], counts: tuple[int, ...]) -> None:
    rules = rule_set("mcr-duplicate", OPTIONS[0])
    start = Position(rules, rules.start(), HeldTiles(walls))
    assert tuple(perft(start, depth) for depth in range(1, len(counts) + 1)) == counts


@pytest.mark.parametrize(
    ("options", "counts"),
    [
        (OPTIONS[0], (7, 10, 26, 90, 245, 747, 1086, 504, 0, 0)),
        (OPTIONS[1], (7, 10, 26, 90, 245, 749, 1112, 596, 160, 663)),
    ],
    ids=["lap", "next-empty"],
)
def test_a_deal_can_end_in_as_many_ways_as_ever(options: Mapping[str, object], counts: tuple[int, ...]) -> None:
    """Counted from South's last draw, when nobody has claimed anything before: in a lap three discards are left, whatever is claimed."""
    rules = rule_set("mcr-duplicate", options)
    position = Position(rules, rules.start(), HeldTiles(walls_with_kongs(4)))
    while position.state.seat(Seat.SOUTH).draws_left > 0:
        position = position.after(next(position.moves()))
    assert tuple(perft(position, depth) for depth in range(1, len(counts) + 1)) == counts
