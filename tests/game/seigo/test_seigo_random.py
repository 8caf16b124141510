"""Laws of whole hands of Seigo."""

from collections import Counter

import pytest

from tests.support.game.random_hands import HANDS, TIME_S, hands_of
from tests.support.game.seigo_tables import DRAWS
from tests.support.game.tables import RandomTable
from twinwall.game.play_events import Claimed, KongDeclared, MeldType, SharedTileTurned, TileDiscarded, TileDrawn, WinRefused
from twinwall.game.rules import rule_set
from twinwall.game.rules.seigo.state import of_seigo
from twinwall.game.tiles import SEATS, Seat

pytestmark = pytest.mark.timeout(TIME_S)
RULES = rule_set("seigo")


@pytest.fixture
def tables() -> tuple[RandomTable, ...]:
    return hands_of("seigo")


def test_wins_and_hands_that_are_not_ready_are_what_is_paid(tables: tuple[RandomTable, ...]) -> None:
    reasons = {payment.reason.value for table in tables for payment in RULES.payments(table.state, table.wins)}
    assert reasons == {"win", "not-ready"}


def test_no_turn_is_passed_over_and_each_gives_one_tile(tables: tuple[RandomTable, ...]) -> None:
    """四者には常に公平な機会が与えられる … 一巡に得られる牌は最大で一枚 (整合麻雀 改, 基本理念)."""
    for table in tables:
        acquired = [event.seat for event in table.events if isinstance(event, TileDrawn | Claimed)]
        assert acquired == [SEATS[number % 4] for number in range(len(acquired))]
        assert len(acquired) <= 4 * DRAWS
        assert table.wins or len(acquired) == 4 * DRAWS


def test_a_discard_lies_in_the_column_of_its_turn(tables: tuple[RandomTable, ...]) -> None:
    """同巡内での四者の捨て牌はなるべく同じ位置に捨てる (整合麻雀 改, 2), and a kong leaves its place empty (5)."""
    for table in tables[:: max(1, HANDS // 60)]:
        state = of_seigo(RULES.start())
        for event in table.events:
            turn = state.turn_number
            state = of_seigo(RULES.apply(state, event))
            if isinstance(event, TileDiscarded):
                own = state.seat(event.seat)
                assert own.place_of(len(own.river) - 1) == turn - 1
            elif isinstance(event, KongDeclared) and event.meld.type is MeldType.CONCEALED_KONG:
                assert state.seat(event.seat).gaps[-1] == turn - 1


@pytest.mark.slow
def test_rare_events_happen(tables: tuple[RandomTable, ...]) -> None:
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
