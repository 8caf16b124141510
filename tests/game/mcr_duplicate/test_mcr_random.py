"""Laws of whole hands of duplicate MCR, and the number of ways in which one can end."""

from collections import Counter
from collections.abc import Mapping

import pytest

from tests.support.game.beginnings import Position, perft, plain_moves
from tests.support.game.random_hands import MCR_OPTIONS, TIME_S, hands_of
from tests.support.game.tables import RandomTable, walls_with_kongs
from twinwall.game.held import HeldTiles
from twinwall.game.play_events import Claimed, ClaimsPassed, EndReason, HandShown, KongDeclared, MeldType, TileDrawn, WinDeclared
from twinwall.game.rules import rule_set
from twinwall.game.tiles import Seat

pytestmark = pytest.mark.timeout(TIME_S)


@pytest.fixture
def tables() -> tuple[RandomTable, ...]:
    return hands_of("mcr-duplicate")


def test_a_drawn_hand_is_paid_by_nobody_and_one_that_was_won_brings_points(tables: tuple[RandomTable, ...]) -> None:
    sums: set[bool] = set()
    for table in tables:
        assert table.state.ended is not None
        assert (table.state.ended.reason is EndReason.DRAWN) == (not any(table.state.ended.scores.values()))
        sums.add(bool(sum(table.state.ended.scores.values())))
    assert sums == {True, False}, "by option scores need not sum to zero"


def test_the_final_discard_is_never_claimed_for_a_meld_and_draws_end_with_it(tables: tuple[RandomTable, ...]) -> None:
    for table in tables:
        if table.state.ended is not None and table.state.ended.reason is EndReason.DRAWN:
            assert isinstance(table.events[-2], ClaimsPassed)
            assert any(seat.draws_left == 0 for seat in table.state.seats)


def test_kongs_of_all_kinds_are_made_robbed_and_won_with(tables: tuple[RandomTable, ...]) -> None:
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


def test_several_may_win_only_by_the_option(tables: tuple[RandomTable, ...]) -> None:
    most: Counter[bool] = Counter()
    for table in tables:
        several = table.options.get("several_winners", "nearest") != "nearest"
        most[several] = max(most[several], sum(seat.shown is not None for seat in table.state.seats))
    assert most[False] == 1
    assert most[True] >= 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "counts"),
    [
        (MCR_OPTIONS[0], (7, 10, 26, 90, 245, 747, 1086, 504, 0, 0)),
        (MCR_OPTIONS[1], (7, 10, 26, 90, 245, 749, 1112, 596, 160, 663)),
    ],
    ids=["lap", "next-empty"],
)
def test_a_deal_can_end_in_as_many_ways_as_ever(options: Mapping[str, object], counts: tuple[int, ...]) -> None:
    """Counted from South's last draw, when nobody has claimed anything before: in a lap three discards are left, whatever is claimed."""
    rules = rule_set("mcr-duplicate", options)
    position = Position(rules, rules.start(), HeldTiles(walls_with_kongs(4)))
    while position.state.seat(Seat.SOUTH).draws_left > 0:
        position = position.after(next(plain_moves(position)))
    assert perft(position, len(counts), plain_moves) == counts
