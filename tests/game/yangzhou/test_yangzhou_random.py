"""Laws of whole hands of Yangzhou."""

from collections import Counter

import pytest

from tests.support.game.random_hands import TIME_S, hands_of
from tests.support.game.tables import RandomTable
from twinwall.game.play_events import Claimed, KongDeclared, MeldType, WinDeclared, WinRefused

pytestmark = pytest.mark.timeout(TIME_S)
STAKE = 30


@pytest.fixture
def tables() -> tuple[RandomTable, ...]:
    return hands_of("yangzhou")


def test_one_or_several_win_and_a_hand_is_drawn_when_the_seat_to_draw_has_nothing_left(tables: tuple[RandomTable, ...]) -> None:
    assert {len(table.wins) for table in tables} >= {0, 1, 2}
    for table in tables:
        assert table.state.ended is not None
        if not table.wins:
            assert table.state.seat(table.state.turn).draws_left == 0
            assert not any(table.state.ended.scores.values())


@pytest.mark.slow
def test_nobody_loses_more_than_the_stake(tables: tuple[RandomTable, ...]) -> None:
    played = [table.state.ended for table in tables if table.options.get("stake") == STAKE]
    losses = [min(ended.scores.values()) for ended in played if ended is not None]
    assert min(losses) == -STAKE


@pytest.mark.slow
def test_rare_events_happen(tables: tuple[RandomTable, ...]) -> None:
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
