"""What must hold of whole hands of one rule set, and what happens in these hands."""

from collections import Counter
from collections.abc import Iterator

import pytest

from tests.support.game.random_hands import HANDS, TIME_S, hands_of
from tests.support.game.seigo_tables import DRAWS
from tests.support.game.tables import RandomTable
from twinwall.game.play_events import (
    Claimed,
    ClaimsPassed,
    EndReason,
    HandShown,
    KongDeclared,
    MeldType,
    SharedTileTurned,
    TileDiscarded,
    TileDrawn,
    WinDeclared,
    WinRefused,
)
from twinwall.game.rules import rule_set, rule_set_names
from twinwall.game.rules.seigo.state import of_seigo
from twinwall.game.rules.sichuan.state import SichuanState
from twinwall.game.tiles import SEATS, Seat

pytestmark = pytest.mark.timeout(TIME_S)
SEIGO = rule_set("seigo")
STAKE = 30
PAID = "paid for "


def happened(hand: RandomTable) -> Iterator[str]:
    """What happens in a hand that is worth a test."""
    state, discarded = hand.rules.start(), list[Seat]()
    for event in hand.events:
        match event:
            case Claimed(_, meld):
                yield meld.type
                if meld.source is not discarded[-1]:
                    yield "an older discard is claimed"
            case KongDeclared(_, meld):
                yield meld.type
                if event.late:
                    yield "late"
            case TileDiscarded(seat):
                discarded.append(seat)
                if event.riichi:
                    yield "riichi"
            case WinDeclared():
                if state.robbing:
                    yield "robbed"
                if state.after_kong and event.source is None:
                    yield "replacement"
            case HandShown(_, _, _, kongs) if kongs:
                yield "a kong is turned up"
            case SharedTileTurned(place):
                yield "below" if place % 2 else "indicator" if place < 10 else "shared"
            case WinRefused():
                yield "refused"
        state = hand.rules.apply(state, event)
    if isinstance(state, SichuanState):
        yield from (flag for win in state.wins for flag in win.flags)
        yield from ("several win on one tile" for win in state.wins if not win.has_tile)
        yield from ("handed over" for kong in state.kongs if kong.handed_to)
    yield from (fan.id for win in hand.wins.values() for fan in win.fans)
    yield from (PAID + payment.reason for payment in hand.rules.payments(state, hand.wins))
    yield f"{len(hand.wins)} win"


KONGS = {MeldType.KONG, MeldType.ADDED_KONG, MeldType.CONCEALED_KONG}
HAPPEN = {
    "mcr-duplicate": {*KONGS, "robbed", "replacement", "a kong is turned up", "2 win", "paid for win"},
    "seigo": {*MeldType, "an older discard is claimed", "riichi", "refused", "indicator", "below", "2 win"}
    | {"ippatsu", "dora", "ura-dora", "last-turn-discard", "paid for win", "paid for not-ready"},
    "sichuan": {*KONGS, MeldType.PUNG, "refused", "late", "robbing_kong", "kong_replacement", "after_kong_discard", "last_of_kind"}
    | {"several win on one tile", "handed over", "0 win", "1 win", "2 win", "3 win"}
    | {"paid for win", "paid for kong", "paid for pig", "paid for not-ready"},
    "yangzhou": {*MeldType, "refused", "robbed", "replacement", "0 win", "1 win", "2 win", "paid for win"},
}


@pytest.mark.slow
@pytest.mark.parametrize("rules", rule_set_names())
def test_what_is_rare_happens_and_nothing_is_paid_for_without_a_reason(rules: str) -> None:
    seen = {what for hand in hands_of(rules) for what in happened(hand)}
    assert seen >= HAPPEN[rules]
    assert not [what for what in seen - HAPPEN[rules] if what.startswith(PAID)]


def test_a_drawn_hand_of_mcr_is_paid_by_nobody_and_one_that_was_won_brings_points() -> None:
    sums: set[bool] = set()
    for table in hands_of("mcr-duplicate"):
        assert table.state.ended is not None
        assert (table.state.ended.reason is EndReason.DRAWN) == (not any(table.state.ended.scores.values()))
        sums.add(bool(sum(table.state.ended.scores.values())))
    assert sums == {True, False}, "by option scores need not sum to zero"


def test_the_final_discard_of_mcr_is_never_claimed_for_a_meld_and_draws_end_with_it() -> None:
    for table in hands_of("mcr-duplicate"):
        if table.state.ended is not None and table.state.ended.reason is EndReason.DRAWN:
            assert isinstance(table.events[-2], ClaimsPassed)
            assert any(seat.draws_left == 0 for seat in table.state.seats)


def test_in_mcr_several_may_win_only_by_the_option() -> None:
    most = Counter[bool]()
    for table in hands_of("mcr-duplicate"):
        several = table.options.get("several_winners", "nearest") != "nearest"
        most[several] = max(most[several], sum(seat.shown is not None for seat in table.state.seats))
    assert most[False] == 1
    assert most[True] >= 2


def test_in_seigo_no_turn_is_passed_over_and_each_gives_one_tile() -> None:
    """四者には常に公平な機会が与えられる … 一巡に得られる牌は最大で一枚 (整合麻雀 改, 基本理念)."""
    for table in hands_of("seigo"):
        acquired = [event.seat for event in table.events if isinstance(event, TileDrawn | Claimed)]
        assert acquired == [SEATS[number % 4] for number in range(len(acquired))]
        assert len(acquired) <= 4 * DRAWS
        assert table.wins or len(acquired) == 4 * DRAWS


def test_a_discard_of_seigo_lies_in_the_column_of_its_turn() -> None:
    """同巡内での四者の捨て牌はなるべく同じ位置に捨てる (整合麻雀 改, 2), and a kong leaves its place empty (5)."""
    for table in hands_of("seigo")[:: max(1, HANDS // 60)]:
        state = of_seigo(SEIGO.start())
        for event in table.events:
            turn = state.turn_number
            state = of_seigo(SEIGO.apply(state, event))
            if isinstance(event, TileDiscarded):
                own = state.seat(event.seat)
                assert own.place_of(len(own.river) - 1) == turn - 1
            elif isinstance(event, KongDeclared) and event.meld.type is MeldType.CONCEALED_KONG:
                assert state.seat(event.seat).gaps[-1] == turn - 1


def test_turns_of_sichuan_go_round_past_winners() -> None:
    for table in hands_of("sichuan"):
        gone: set[Seat] = set()
        after: Seat = Seat.NORTH
        replacing: Seat | None = None
        won: list[Seat] = []
        for event in table.events:
            match event:
                case TileDrawn(seat):
                    if won:
                        after = max(won, key=after.turns_until) if after not in won else after
                    following = after.next
                    while following in gone:
                        following = following.next
                    assert seat is (replacing or following)
                    after, replacing, won = seat, None, []
                case WinDeclared(seat, source):
                    gone.add(seat)
                    won.append(seat)
                    replacing = None
                    after = source or seat
                case Claimed(seat, meld):
                    assert meld.source is after
                    after, replacing = seat, seat if meld.type is MeldType.KONG else None
                case KongDeclared(seat):
                    assert seat is after
                    replacing = seat
                case TileDiscarded(seat):
                    assert seat is after
                    assert seat not in gone
                case _:
                    pass


def test_a_hand_of_yangzhou_is_drawn_when_the_seat_to_draw_has_nothing_left() -> None:
    for table in hands_of("yangzhou"):
        assert table.state.ended is not None
        if not table.wins:
            assert table.state.seat(table.state.turn).draws_left == 0
            assert not any(table.state.ended.scores.values())


@pytest.mark.slow
def test_in_yangzhou_nobody_loses_more_than_the_stake() -> None:
    played = [table.state.ended for table in hands_of("yangzhou") if table.options.get("stake") == STAKE]
    losses = [min(ended.scores.values()) for ended in played if ended is not None]
    assert min(losses) == -STAKE
