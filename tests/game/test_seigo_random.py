"""Whole hands of Seigo at random: what must hold whoever plays how, and how many ways a deal can begin.

The number of hands is 300, or what the environment variable TWINWALL_RANDOM_HANDS says (10,000 in a nightly run).
"""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.game.seigo_tables import DRAWS, SeigoTable, seigo_deal
from twinwall.game.held import HeldTiles
from twinwall.game.payments import totals
from twinwall.game.play import (
    Claim,
    Claimed,
    ClaimsPassed,
    EndReason,
    HandEnded,
    HandLaidOpen,
    HandShown,
    KongDeclared,
    Meld,
    MeldType,
    Permissions,
    Phase,
    PlayEvent,
    SharedTileTurned,
    TileDiscarded,
    TileDrawn,
    WinDeclared,
    WinRefused,
)
from twinwall.game.record import HandRecord, replay
from twinwall.game.rules import rule_set
from twinwall.game.rules.seigo.state import SeigoState, of_seigo
from twinwall.game.tiles import SEATS, Seat, Tile

HANDS = int(os.environ.get("TWINWALL_RANDOM_HANDS", "300"))
pytestmark = pytest.mark.timeout(max(120, HANDS))
RULES = rule_set("seigo")


def played(seed: int) -> SeigoTable:
    """A hand by its number: some walls hold many kongs, every third table builds towards wins."""
    walls, rest = seigo_deal(seed, alike=(0, 40, 20, 0)[seed % 4])
    table = SeigoTable(RULES, walls, rest, random.Random(seed), eager=seed % 3 == 1, hand=seed % 16 + 1)
    for _ in table.play():
        pass
    return table


@pytest.fixture(scope="module")
def tables() -> list[SeigoTable]:
    return [played(seed) for seed in range(HANDS)]


def test_every_hand_ends_and_many_are_won_and_many_are_drawn(tables: list[SeigoTable]) -> None:
    reasons: Counter[EndReason] = Counter()
    for table in tables:
        assert table.state.ended is not None
        reasons[table.state.ended.reason] += 1
        assert (table.state.ended.reason is EndReason.WON) is bool(table.wins)
    assert set(reasons) == {EndReason.WON, EndReason.DRAWN}
    assert min(reasons.values()) >= HANDS // 10


def test_payments_sum_to_zero_and_are_the_scores(tables: list[SeigoTable]) -> None:
    reasons: set[str] = set()
    for table in tables:
        assert table.state.ended is not None
        payments = RULES.payments(table.state, table.wins)
        assert all(payment.amount > 0 and payment.source is not payment.to for payment in payments)
        scores = totals(payments)
        assert sum(scores.values()) == 0
        assert scores == dict(table.state.ended.scores)
        reasons |= {payment.reason.value for payment in payments}
    assert reasons == {"win", "not-ready"}


def test_no_tile_is_lost_or_doubled(tables: list[SeigoTable]) -> None:
    for table in tables:
        lying = Counter(laid.tile for seat in table.state.seats for laid in seat.river if laid.claimed_by is None)
        lying.update(table.rest)
        for seat in SEATS:
            public = table.state.seat(seat)
            lying.update(tile for meld in public.melds for tile in meld.tiles)
            lying.update(table.held.of[seat])
            lying.update(table.walls[seat].draws[DRAWS - public.draws_left :])
        if table.state.robbing and table.wins:
            assert max(lying.values()) <= 4
            continue
        assert set(lying.values()) == {4}
        assert len(lying) == 34


def test_no_turn_is_passed_over_and_each_gives_one_tile(tables: list[SeigoTable]) -> None:
    """四者には常に公平な機会が与えられる … 一巡に得られる牌は最大で一枚 (整合麻雀 改, 基本理念)."""
    for table in tables:
        acquired = [event.seat for event in table.events if isinstance(event, TileDrawn | Claimed)]
        assert acquired == [SEATS[number % 4] for number in range(len(acquired))]
        assert len(acquired) <= 4 * DRAWS
        assert table.wins or len(acquired) == 4 * DRAWS
        drawn = Counter(event.seat for event in table.events if isinstance(event, TileDrawn))
        assert all(drawn[seat] == DRAWS - table.state.seat(seat).draws_left for seat in SEATS)


def test_a_seat_holds_13_tiles_and_a_fourteenth_only_at_its_own_turn(tables: list[SeigoTable]) -> None:
    for table in tables[:: HANDS // 12]:
        state, held = of_seigo(RULES.start()), HeldTiles(table.walls)
        for event in table.events:
            state = of_seigo(RULES.apply(state, event))
            held.happen(event)
            for seat in SEATS:
                size = len(held.of[seat]) + 3 * len(state.seat(seat).melds)
                discarding = state.phase is Phase.DISCARD or (state.phase in (Phase.SHOW, Phase.ENDED) and state.drew)
                robbed = state.robbing and state.phase in (Phase.CLAIMS, Phase.SHOW, Phase.ENDED)
                assert size == (14 if state.turn is seat and discarding and not robbed else 13)


def test_a_discard_lies_in_the_column_of_its_turn(tables: list[SeigoTable]) -> None:
    """同巡内での四者の捨て牌はなるべく同じ位置に捨てる (整合麻雀 改, 2), and a kong leaves its place empty (5)."""
    for table in tables[:: HANDS // 60]:
        state = of_seigo(RULES.start())
        for event in table.events:
            turn = state.turn_number
            state = of_seigo(RULES.apply(state, event))
            if isinstance(event, TileDiscarded):
                own = state.seat(event.seat)
                assert own.place_of(len(own.river) - 1) == turn - 1
            elif isinstance(event, KongDeclared) and event.meld.type is MeldType.CONCEALED_KONG:
                assert state.seat(event.seat).gaps[-1] == turn - 1


def test_records_read_back_and_replay_to_the_same_scores(tables: list[SeigoTable]) -> None:
    for table in tables[::2]:
        record = table.record()
        assert HandRecord.from_json(json.dumps(record.to_json())) == record
        again = replay(record)
        assert again.legal, [problem for problem in again.verdicts if problem]
        assert again.scores == record.scores


def test_what_is_rare_happens(tables: list[SeigoTable]) -> None:
    seen: Counter[str] = Counter()
    for table in tables:
        discarded: list[Seat] = []
        for event in table.events:
            if isinstance(event, Claimed | KongDeclared):
                seen[event.meld.type] += 1
            if isinstance(event, Claimed):
                seen["older discard"] += event.meld.source is not discarded[-1]
            if isinstance(event, TileDiscarded):
                discarded.append(event.seat)
                seen["riichi"] += event.riichi
            seen["refused"] += isinstance(event, WinRefused)
            seen["indicators"] += isinstance(event, SharedTileTurned) and event.place < 10
            seen["below"] += isinstance(event, SharedTileTurned) and event.place % 2
        seen.update(fan.id for win in table.wins.values() for fan in win.fans)
        seen["together"] += len(table.wins) > 1
    assert (+seen).keys() >= {
        *(kind.value for kind in MeldType),
        "older discard",
        "riichi",
        "refused",
        "indicators",
        "below",
        "together",
        "ippatsu",
        "dora",
        "ura-dora",
        "last-turn-discard",
    }, seen


def everything(state: SeigoState) -> Iterator[PlayEvent]:
    """One event of every sort for every seat, whether it makes sense or not."""
    for seat in SEATS:
        yield TileDrawn(seat)
        yield TileDiscarded(seat, Tile.M5)
        yield WinDeclared(seat, None, Tile.P5)
        yield WinDeclared(seat, state.turn, state.last_discard)
        yield WinRefused(seat, "not-a-win")
        yield KongDeclared(seat, Meld(MeldType.CONCEALED_KONG, (Tile.S1,) * 4, None))
        yield HandShown(seat, (), Tile.P5)
        yield HandLaidOpen(seat, ())
        for source in SEATS:
            river = state.seat(source).river
            tile = river[-1].tile if river else Tile.M1
            yield Claimed(seat, Meld(MeldType.PUNG, (tile,) * 3, source))
            yield Claimed(seat, Meld(MeldType.KONG, (tile,) * 4, source))
            yield Claimed(seat, Meld(MeldType.CHOW, (tile,) * 3, source))
    yield SharedTileTurned(0, Tile.M1)
    yield ClaimsPassed()
    yield HandEnded(EndReason.DRAWN, dict.fromkeys(SEATS, 0))
    yield HandEnded(EndReason.WON, dict.fromkeys(SEATS, 0))


def offered(allowed: Permissions, state: SeigoState, event: PlayEvent) -> bool:  # noqa: PLR0912 - one case an event
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
            return Claim(meld.type.value) in claims.get(seat, ()) and meld.source in state.takeable
        case KongDeclared(seat):
            return allowed.kong is seat
        case ClaimsPassed():
            return state.phase is Phase.CLAIMS
        case HandShown(seat):
            return allowed.show is seat and state.winner is seat
        case HandLaidOpen(seat):
            return allowed.show is seat and state.winner is None
        case WinRefused(seat):
            return state.winner is seat and state.phase is Phase.SHOW and allowed.show is None
        case SharedTileTurned(place):
            return allowed.turn_up == place
        case HandEnded(EndReason.DRAWN):
            return allowed.ended is EndReason.DRAWN and state.phase is Phase.SHOW
        case HandEnded():
            return state.phase is Phase.SHOW and state.winner is not None and allowed.show is None
        case _:
            return True


def test_what_is_not_offered_is_refused_with_a_reason(tables: list[SeigoTable]) -> None:
    for table in tables[:: max(1, HANDS // 4)]:
        state = of_seigo(RULES.start())
        for happened in [*table.events, None]:
            allowed = RULES.permissions(state)
            for event in everything(state):
                if not offered(allowed, state, event):
                    problem = RULES.illegal(state, event)
                    assert problem is not None, (state, event)
                    assert problem.reason
                    assert problem.sentence
            if happened is not None:
                state = of_seigo(RULES.apply(state, happened))


# How many ways a deal can begin. The counts were made by this walk: they change only with the rules.


@dataclass(frozen=True)
class Position:
    """A hand with its tiles."""

    state: SeigoState
    held: HeldTiles

    def after(self, event: PlayEvent) -> Position:
        held = self.held.copy()
        held.happen(event)
        return Position(of_seigo(RULES.apply(self.state, event)), held)

    def moves(self, table: SeigoTable) -> Iterator[PlayEvent]:
        """Every legal event for the tiles that the seats hold."""
        allowed = RULES.permissions(self.state)
        table.state, table.held = self.state, self.held
        if allowed.turn_up is not None:
            yield SharedTileTurned(allowed.turn_up, table.rest[allowed.turn_up])
            return
        if allowed.draw is not None:
            yield TileDrawn(allowed.draw)
            yield from table.claims_of(allowed.draw, (allowed.claims or {}).get(allowed.draw, frozenset()))
        if allowed.discard is not None:
            yield from table.discards_of(allowed.discard)
            if allowed.win is not None and table.wins_with(allowed.discard, None):
                yield WinDeclared(allowed.discard, None, self.held.of[allowed.discard][-1])
            if allowed.kong is not None:
                yield from table.kongs_of(allowed.discard)
        if self.state.phase is Phase.CLAIMS:
            yield ClaimsPassed()
            tile = self.state.last_discard
            for seat, claims in (allowed.claims or {}).items():
                if Claim.WIN in claims and table.wins_with(seat, tile):
                    yield WinDeclared(seat, self.state.turn, tile)


def perft(position: Position, depth: int, table: SeigoTable) -> int:
    """How many sequences of so many legal events there are."""
    if depth == 0:
        return 1
    found = 0
    for event in list(position.moves(table)):
        assert RULES.illegal(position.state, event) is None, event
        found += 1 if depth == 1 else perft(position.after(event), depth - 1, table)
    return found


@pytest.mark.parametrize(
    ("seed", "alike", "counts"),
    [
        (1, 0, (1, 1, 12, 12, 14, 190, 190, 246, 2812)),
        (7, 40, (1, 1, 10, 10, 10, 110, 110, 153, 1125)),
        (11, 20, (1, 1, 9, 9, 12, 135, 137, 136, 1350)),
    ],
)
def test_a_deal_can_begin_in_as_many_ways_as_ever(seed: int, alike: int, counts: tuple[int, ...]) -> None:
    walls, rest = seigo_deal(seed, alike=alike)
    table = SeigoTable(RULES, walls, rest, random.Random(0), eager=True)
    start = Position(of_seigo(RULES.start()), HeldTiles(walls))
    assert tuple(perft(start, depth, table) for depth in range(1, len(counts) + 1)) == counts


def test_the_four_rows_of_shared_tiles_give_what_is_turned_up_in_their_order_and_nothing_else(tables: list[SeigoTable]) -> None:
    assert sorted(number for row in RULES.shared_rows for number in row) == list(range(12))
    turned = Counter[int]()
    for table in tables:
        rows = [list(row) for row in RULES.shared_rows]
        for event in table.events:
            if isinstance(event, SharedTileTurned):
                (row,) = (row for row in rows if event.place in row)
                assert row.pop(0) == event.place, "it stands behind a tile that is not to be turned up"
                turned[event.place] += 1
    assert turned.keys() >= {10, 11, 8, 9, 6, 7}
