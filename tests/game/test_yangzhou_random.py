"""Whole hands of Yangzhou at random: what must hold whoever plays how, and how many ways a deal can begin.

The number of hands is 300, or what the environment variable TWINWALL_RANDOM_HANDS says (10,000 in a nightly run).
"""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from collections.abc import Iterator, Mapping

import pytest

from tests.game.beginnings import Position, perft
from tests.game.tables import Table, random_walls, walls_with_kongs
from twinwall.game.deals import SeatWall
from twinwall.game.held import HeldTiles
from twinwall.game.melds import chows_with
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
from twinwall.game.tiles import SEATS, Seat, Tile

HANDS = int(os.environ.get("TWINWALL_RANDOM_HANDS", "300"))
pytestmark = pytest.mark.timeout(max(120, HANDS))
RICH = (327, 426, 591, 756)
"""Hands in which one discard wins for two, or a kong is robbed."""
DRAWS = 21
OPTIONS: tuple[Mapping[str, object], ...] = ({"minimum": 0, "values": 13}, {}, {"minimum": 1, "values": 18, "stake": 30})


def played(seed: int) -> Table:
    """A hand by its number: some walls hold many kongs, most players build towards wins, and any shape wins in most."""
    options = OPTIONS[seed % 3]
    walls = walls_with_kongs(seed) if seed % 5 < 2 else random_walls(seed)
    table = Table(rule_set("yangzhou", options), walls, random.Random(seed), seed % 4 != 0, hand=seed % 16 + 1, options=options)
    for _ in table.play():
        pass
    return table


@pytest.fixture(scope="module")
def tables() -> list[Table]:
    return [played(seed) for seed in (*range(HANDS), *RICH)]


def test_every_hand_ends_and_all_sorts_of_ends_occur(tables: list[Table]) -> None:
    winners = Counter(len(table.wins) for table in tables)
    assert winners.keys() >= {0, 1, 2}
    for table in tables:
        ended = table.state.ended
        assert ended is not None
        assert ended.reason is (EndReason.WON if table.wins else EndReason.DRAWN)
        if not table.wins:
            assert table.state.seat(table.state.turn).draws_left == 0
            assert not any(ended.scores.values())


def test_payments_sum_to_zero_and_are_the_scores(tables: list[Table]) -> None:
    for table in tables:
        assert table.state.ended is not None
        payments = table.rules.payments(table.state, table.wins)
        assert all(payment.amount > 0 and payment.source is not payment.to for payment in payments)
        scores = totals(payments)
        assert sum(scores.values()) == 0
        assert scores == dict(table.state.ended.scores)
        if "stake" in table.options:
            assert min(scores.values()) >= -30


def test_no_tile_is_lost_or_doubled(tables: list[Table]) -> None:
    for table in tables:
        tiles = Counter(laid.tile for seat in table.state.seats for laid in seat.river if laid.claimed_by is None)
        for seat in SEATS:
            public = table.state.seat(seat)
            tiles.update(tile for meld in public.melds for tile in meld.tiles)
            tiles.update(table.following.of[seat])
            tiles.update(table.walls[seat].draws[DRAWS - public.draws_left :])
        assert set(tiles.values()) == {4}
        assert len(tiles) == 34


def test_turns_go_round_and_nobody_draws_from_another_s_wall(tables: list[Table]) -> None:
    for table in tables:
        turn, replacing = Seat.NORTH, False
        taken = dict.fromkeys(SEATS, 0)
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
                case KongDeclared(seat):
                    assert seat is turn
                    replacing = True
                case TileDiscarded(seat):
                    assert seat is turn
                case _:
                    pass
        assert all(taken[seat] == DRAWS - table.state.seat(seat).draws_left for seat in SEATS)


def test_records_read_back_and_replay_to_the_same_scores(tables: list[Table]) -> None:
    for table in tables:
        record = table.record()
        assert HandRecord.from_json(json.dumps(record.to_json())) == record
        again = replay(record)
        assert again.legal, [problem for problem in again.verdicts if problem]
        assert again.scores == record.scores


def test_what_is_rare_happens(tables: list[Table]) -> None:
    seen: Counter[str] = Counter()
    for table in tables:
        state = table.rules.start()
        for event in table.events:
            if isinstance(event, Claimed | KongDeclared):
                seen[event.meld.type] += 1
            seen["refused"] += isinstance(event, WinRefused)
            seen["robbed"] += isinstance(event, WinDeclared) and state.robbing
            seen["replacement"] += isinstance(event, WinDeclared) and event.source is None and state.after_kong
            state = table.rules.apply(state, event)
    assert (+seen).keys() >= {*MeldType, "refused", "robbed", "replacement"}, seen


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
        yield from (Claimed(seat, Meld(MeldType.CHOW, chow, state.turn)) for chow in chows_with(tile))
        yield Claimed(seat, Meld(MeldType.KONG, (tile,) * 4, state.turn))
        yield KongDeclared(seat, Meld(MeldType.CONCEALED_KONG, (), None))
        yield HandShown(seat, (), Tile.P5)
    yield ClaimsPassed()
    yield HandEnded(EndReason.DRAWN, dict.fromkeys(SEATS, 0))
    yield HandEnded(EndReason.WON, dict.fromkeys(SEATS, 0))


def offered(allowed: Permissions, state: PlayState, event: PlayEvent) -> bool:
    """Whether the permissions name the event (tiles apart, which are judged when they are laid)."""
    claims = allowed.claims or {}
    match event:
        case TileDrawn(seat):
            return allowed.draw is seat
        case TileDiscarded(seat):
            return allowed.discard is seat
        case WinDeclared(seat, None):
            return allowed.win is seat
        case WinDeclared(seat):
            return Claim.WIN in claims.get(seat, ())
        case Claimed(seat, meld):
            return Claim(meld.type.value) in claims.get(seat, ())
        case KongDeclared(seat):
            return allowed.kong is seat
        case ClaimsPassed():
            return allowed.claims is not None and state.phase is Phase.CLAIMS
        case HandShown(seat):
            return allowed.show is seat
        case WinRefused(seat):
            return state.phase is Phase.SHOW and allowed.show is None and state.winner is seat
        case HandEnded(EndReason.DRAWN):
            return allowed.ended is EndReason.DRAWN and state.phase is not Phase.ENDED
        case HandEnded():
            return state.phase is Phase.SHOW and allowed.show is None
        case _:
            return True


def test_what_is_not_offered_is_refused_with_a_reason(tables: list[Table]) -> None:
    for table in tables[:: max(1, HANDS // 12)]:
        state = table.rules.start()
        for happened in table.events:
            allowed = table.rules.permissions(state)
            for event in everything(state):
                if not offered(allowed, state, event):
                    problem = table.rules.illegal(state, event)
                    assert problem is not None, (state, event)
                    assert problem.reason
                    assert problem.sentence
            state = table.rules.apply(state, happened)


# How many ways a deal can begin. The counts were made by this walk: they change only with the rules.

ANY_SHAPE = rule_set("yangzhou", {"minimum": 0, "values": 13})


@pytest.mark.parametrize(
    ("walls", "counts"),
    [
        (random_walls(1), (1, 12, 13, 23, 168, 213, 680, 2563)),
        (random_walls(7), (1, 11, 19, 88, 238, 554, 1962, 4262)),
        (walls_with_kongs(3), (1, 9, 12, 36, 133, 197, 566, 1767)),
    ],
)
def test_a_deal_can_begin_in_as_many_ways_as_ever(walls: Mapping[Seat, SeatWall], counts: tuple[int, ...]) -> None:
    start = Position(ANY_SHAPE, ANY_SHAPE.start(), HeldTiles(walls))
    assert tuple(perft(start, depth) for depth in range(1, len(counts) + 1)) == counts
