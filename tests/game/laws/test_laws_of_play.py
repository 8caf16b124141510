"""What must hold of every hand, by whatever rules and however it is played. What is one rule set's alone stands beside, in
``test_laws_of_one_rule_set``."""

import json
import math
from collections import Counter
from collections.abc import Iterator

import pytest

from tests.support.game.random_hands import HANDS, TIME_S, hands_of
from tests.support.game.tables import RandomTable
from tests.support.tiers import TIER, Tier
from twinwall.game.held import HeldTiles
from twinwall.game.play import Phase, PlayState, chows_with
from twinwall.game.play_events import (
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
    PlayEvent,
    SharedTileTurned,
    TileDiscarded,
    TileDrawn,
    WinDeclared,
    WinRefused,
    totals,
)
from twinwall.game.record import HandRecord
from twinwall.game.replay import replay
from twinwall.game.rule_set import Permissions
from twinwall.game.rules import rule_set_names
from twinwall.game.rules.seigo.state import SeigoState
from twinwall.game.rules.sichuan.options import SichuanOptions
from twinwall.game.tiles import SEATS, Seat, Tile

pytestmark = pytest.mark.timeout(TIME_S)
OFFERS = 5 if TIER is Tier.NIGHTLY else 1
"""Hands of each rule set in which every event is tried at every state."""
OBJECTIONS = {"sichuan": {"passed-win"}}
"""What only the walls show: players let wins pass, and win later."""


@pytest.fixture(params=rule_set_names())
def hands(request: pytest.FixtureRequest) -> tuple[RandomTable, ...]:
    return hands_of(request.param)


def some(hands: tuple[RandomTable, ...], count: int) -> tuple[RandomTable, ...]:
    """About so many of the hands, spread over all."""
    return hands[:: max(1, len(hands) // count)]


def test_every_hand_ends_many_are_won_and_many_are_drawn(hands: tuple[RandomTable, ...]) -> None:
    reasons = Counter[EndReason]()
    for hand in hands:
        assert hand.state.ended is not None
        assert hand.state.ended.reason is (EndReason.WON if hand.wins else EndReason.DRAWN)
        reasons[hand.state.ended.reason] += 1
    assert min(reasons[EndReason.WON], reasons[EndReason.DRAWN]) >= HANDS // 20


def test_scores_are_the_totals_of_payments_and_sum_to_zero_where_the_rules_say_so(hands: tuple[RandomTable, ...]) -> None:
    for hand in hands:
        assert hand.state.ended is not None
        payments = hand.rules.payments(hand.state, hand.wins)
        assert all(payment.amount > 0 and payment.source is not payment.to for payment in payments)
        assert dict(hand.state.ended.scores) == totals(payments)
        assert not sum(hand.state.ended.scores.values()) or not hand.rules.zero_sum


def test_no_tile_is_doubled_and_none_is_lost_but_one_that_was_won_on(hands: tuple[RandomTable, ...]) -> None:
    for hand in hands:
        lying = Counter(laid.tile for seat in hand.state.seats for laid in seat.river if laid.claimed_by is None)
        lying.update(hand.rest)
        for seat in SEATS:
            lying.update(tile for meld in hand.state.seat(seat).melds for tile in meld.tiles)
            lying.update(hand.held.of[seat])
            lying.update(hand.held.draws[seat])
        whole = Counter(hand.rules.tiles)
        won_on = Counter(event.tile for event in hand.events if isinstance(event, WinDeclared) and event.tile is not None)
        assert not lying - whole
        assert not (whole - lying) - won_on


def test_a_seat_holds_13_tiles_and_a_fourteenth_only_at_its_own_turn(hands: tuple[RandomTable, ...]) -> None:
    """Until it has won: then it may keep what it has won with."""
    for hand in some(hands, 12):
        state, held, won = hand.rules.start(), HeldTiles(hand.walls), set[Seat]()
        hidden = dict.fromkeys(SEATS, 0)
        for event in hand.events:
            state = hand.rules.apply(state, event)
            held.happen(event)
            if isinstance(event, WinDeclared):
                won.add(event.seat)
            if isinstance(event, KongDeclared) and event.meld.face_down:
                hidden[event.seat] += 4
            for seat in SEATS:
                size = len(held.of[seat]) - hidden[seat] + 3 * len(state.seat(seat).melds)
                full = state.turn is seat and (state.phase is Phase.DISCARD or (state.phase in (Phase.SHOW, Phase.ENDED) and state.drew))
                assert size == (14 if full else 13) or (seat in won and size in (13, 14))


def test_everybody_draws_from_its_own_wall_and_discards_at_its_own_turn(hands: tuple[RandomTable, ...]) -> None:
    for hand in hands:
        state, taken = hand.rules.start(), dict.fromkeys(SEATS, 0)
        for event in hand.events:
            match event:
                case TileDrawn(seat):
                    taken[seat] += 1
                    assert hand.rules.permissions(state).draw is seat
                case TileDiscarded(seat) | KongDeclared(seat):
                    assert state.turn is seat
                case _:
                    pass
            state = hand.rules.apply(state, event)
        assert taken == {seat: len(hand.walls[seat].draws) - hand.state.seat(seat).draws_left for seat in SEATS}


@pytest.mark.parametrize("name", ["mcr-duplicate", "yangzhou"])
def test_play_goes_counter_clockwise_from_east_and_jumps_only_by_claims(name: str) -> None:
    """Where a claim is made at once and nobody leaves play."""
    for hand in hands_of(name):
        turn, replacing = Seat.NORTH, False
        for event in hand.events:
            match event:
                case TileDrawn(seat):
                    assert seat is (turn if replacing else turn.next)
                    turn, replacing = seat, False
                case Claimed(seat, meld):
                    assert meld.source is turn
                    assert meld.type is not MeldType.CHOW or seat is turn.next
                    turn, replacing = seat, meld.type is MeldType.KONG
                case KongDeclared():
                    replacing = True
                case _:
                    pass


@pytest.mark.slow
def test_records_read_back_and_replay_to_the_same_scores(hands: tuple[RandomTable, ...]) -> None:
    for hand in some(hands, 250):
        record = hand.record()
        assert HandRecord.from_json(json.dumps(record.to_json())) == record
        again = replay(record)
        reasons = {problem.reason for problem in again.verdicts if problem}
        assert reasons <= OBJECTIONS.get(hand.rules.name, set()), reasons
        assert reasons or again.scores == record.scores


def everything(state: PlayState) -> Iterator[PlayEvent]:
    """One event of every sort for every seat, whether it makes sense or not."""
    for seat in SEATS:
        yield TileDrawn(seat)
        yield TileDrawn(seat, from_end=True)
        yield TileDiscarded(seat, Tile.M5)
        yield WinDeclared(seat, None, None)
        yield WinDeclared(seat, None, Tile.P5)
        yield WinDeclared(seat, state.turn, state.last_discard)
        yield WinRefused(seat, "not-a-win")
        yield KongDeclared(seat, Meld(MeldType.CONCEALED_KONG, (), None))
        yield KongDeclared(seat, Meld(MeldType.CONCEALED_KONG, (Tile.S1,) * 4, None))
        yield HandShown(seat, (), Tile.P5)
        yield HandLaidOpen(seat, ())
        for source in SEATS:
            river = state.seat(source).river
            tile = river[-1].tile if river else Tile.M1
            yield Claimed(seat, Meld(MeldType.PUNG, (tile,) * 3, source))
            yield Claimed(seat, Meld(MeldType.KONG, (tile,) * 4, source))
            yield from (Claimed(seat, Meld(MeldType.CHOW, chow, source)) for chow in chows_with(tile))
    yield SharedTileTurned(0, Tile.M1)
    yield ClaimsPassed()
    yield HandEnded(EndReason.DRAWN, dict.fromkeys(SEATS, 0))
    yield HandEnded(EndReason.WON, dict.fromkeys(SEATS, 0))


def offered(allowed: Permissions, state: PlayState, declared: set[Seat], event: PlayEvent) -> bool:
    """Whether the permissions name the event (tiles apart, which are judged when they are laid); ``declared`` are the seats
    whose declared wins have not been refused."""
    claims = allowed.claims or {}
    match event:
        case TileDrawn(seat, from_end):
            return allowed.draw is seat and from_end is allowed.from_end
        case TileDiscarded(seat):
            return allowed.discard is seat
        case WinDeclared(seat, None):
            return allowed.win is seat
        case WinDeclared(seat):
            return Claim.WIN in claims.get(seat, ())
        case Claimed(seat, meld):
            waits = meld.source in state.takeable if isinstance(state, SeigoState) else meld.source is state.turn
            return waits and Claim(meld.type.value) in claims.get(seat, ())
        case KongDeclared(seat):
            return allowed.kong is seat
        case ClaimsPassed():
            return state.phase is Phase.CLAIMS
        case HandShown(seat):
            return allowed.show is seat and seat in declared
        case HandLaidOpen(seat):
            return allowed.show is seat and seat not in declared
        case WinRefused(seat):
            return state.phase is Phase.SHOW and state.winner is seat
        case SharedTileTurned(place):
            return allowed.turn_up == place
        case HandEnded(reason) if allowed.ended is not None:
            return allowed.ended is reason and state.phase is not Phase.ENDED
        case HandEnded(reason):
            return reason is EndReason.WON and state.phase is Phase.SHOW and state.winner is not None and allowed.show is None
        case _:
            return True


@pytest.mark.slow
def test_what_is_not_offered_is_refused_with_a_reason(hands: tuple[RandomTable, ...]) -> None:
    for hand in some(hands, OFFERS):
        state, declared = hand.rules.start(), set[Seat]()
        for happened in [*hand.events, None]:
            allowed = hand.rules.permissions(state)
            for event in everything(state):
                if not offered(allowed, state, declared, event):
                    problem = hand.rules.illegal(state, event)
                    assert problem is not None, (state, event)
                    assert problem.reason
                    assert problem.sentence
            if isinstance(happened, WinDeclared):
                declared.add(happened.seat)
            if isinstance(happened, WinRefused):
                declared.discard(happened.seat)
            if happened is not None:
                state = hand.rules.apply(state, happened)


def test_the_four_rows_of_shared_tiles_are_the_rest_of_the_deal(hands: tuple[RandomTable, ...]) -> None:
    rows = hands[0].rules.shared_rows
    assert len(rows) == len(SEATS)
    assert sorted(number for row in rows for number in row) == list(range(len(hands[0].rest)))


def test_a_shared_tile_is_turned_up_only_when_it_stands_first_in_its_row(hands: tuple[RandomTable, ...]) -> None:
    for hand in hands:
        rows = [list(row) for row in hand.rules.shared_rows]
        for event in hand.events:
            if isinstance(event, SharedTileTurned):
                (row,) = (row for row in rows if event.place in row)
                assert row.pop(0) == event.place


def test_the_total_of_a_win_is_made_of_what_its_fans_are_worth(hands: tuple[RandomTable, ...]) -> None:
    for hand in hands:
        for win in hand.wins.values():
            worth = [hand.rules.worth(fan) for fan in win.fans]
            if isinstance(hand.rules.options, SichuanOptions):
                assert win.total == min(math.prod(worth), hand.rules.options.cap or math.inf)
            else:
                assert win.total == sum(worth)
