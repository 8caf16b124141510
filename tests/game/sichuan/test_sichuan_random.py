"""Laws of whole hands of Sichuan."""

from collections import Counter

import pytest

from tests.support.game.random_hands import TIME_S, hands_of
from tests.support.game.tables import RandomTable
from twinwall.game.play_events import Claimed, KongDeclared, MeldType, TileDiscarded, TileDrawn, WinDeclared, WinRefused
from twinwall.game.rules.sichuan.state import of_sichuan
from twinwall.game.tiles import Seat

pytestmark = pytest.mark.timeout(TIME_S)


@pytest.fixture
def tables() -> tuple[RandomTable, ...]:
    return hands_of("sichuan")


@pytest.mark.slow
def test_up_to_three_win_and_everything_that_is_paid_for_occurs(tables: tuple[RandomTable, ...]) -> None:
    assert {len(table.wins) for table in tables} == {0, 1, 2, 3}
    reasons = {payment.reason.value for table in tables for payment in table.rules.payments(table.state, table.wins)}
    assert reasons == {"win", "kong", "pig", "not-ready"}


def test_turns_go_round_past_winners(tables: tuple[RandomTable, ...]) -> None:
    for table in tables:
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


@pytest.mark.slow
def test_rare_events_happen(tables: tuple[RandomTable, ...]) -> None:
    seen: Counter[str] = Counter()
    for table in tables:
        for event in table.events:
            if isinstance(event, Claimed | KongDeclared):
                seen[event.meld.type] += 1
            seen["refused"] += isinstance(event, WinRefused)
            seen["late"] += isinstance(event, KongDeclared) and event.late
        state = of_sichuan(table.state)
        seen.update(flag for win in state.wins for flag in win.flags)
        seen["together"] += any(not win.has_tile for win in state.wins)
        seen["handed over"] += any(kong.handed_to for kong in state.kongs)
    assert (+seen).keys() >= {
        MeldType.PUNG,
        MeldType.KONG,
        MeldType.ADDED_KONG,
        MeldType.CONCEALED_KONG,
        "refused",
        "late",
        "robbing_kong",
        "kong_replacement",
        "after_kong_discard",
        "last_of_kind",
        "together",
        "handed over",
    }
