"""Between two hands, as a host meets it: magazines are dropped, the well counts, and the other set's walls rise."""

from __future__ import annotations

import pytest

from firmware_bridge.link.events import Done, OperationRefused
from firmware_bridge.messages import (
    ALL_SEATS,
    CloseWell,
    Command,
    Container,
    Dump,
    Feed,
    NakCode,
    OpenWell,
    Raise,
    Recirculate,
    TileAtGate,
    Unlock,
    Well,
)
from simulator.physical_tiles import PhysicalTile
from tests.support.link.pair import Pair, fill_trays, raise_walls

pytestmark = pytest.mark.slow


@pytest.fixture
def playing() -> Pair:
    """A pair whose magazines are full."""
    pair = Pair()
    raise_walls(pair)
    return pair


def refusal(pair: Pair, command: Command) -> NakCode:
    answer = pair.do(command)
    assert isinstance(answer, OperationRefused), answer
    return answer.code


def done(pair: Pair, command: Command) -> Done:
    answer = pair.do(command)
    assert isinstance(answer, Done), answer
    return answer


def test_nothing_is_fed_from_the_moment_the_well_is_told_to_open(playing: Pair) -> None:
    done(playing, Dump(Container.MAGAZINE, ALL_SEATS))
    done(playing, Feed())
    playing.run_until(lambda: playing.mechanics.gate_tile() is not None)
    opening = playing.submit(OpenWell())
    assert refusal(playing, Feed()) is NakCode.WELL_OPEN
    assert isinstance(playing.answer_to(opening), Done)
    arrived = len(playing.all(TileAtGate))
    done(playing, Recirculate())
    playing.run_for(2.0)
    assert len(playing.all(TileAtGate)) == arrived
    done(playing, CloseWell())
    playing.run_for(2.0)
    assert len(playing.all(TileAtGate)) == arrived, "after the well is shut feeding waits for another FEED"


def test_a_whole_table_pushed_in_at_once_is_told_in_few_events_and_counted_once(playing: Pair) -> None:
    """Four people push in 52 tiles while the host takes its time: no event is lost, and the buffer does not fill."""
    taken = [[playing.mechanics.hands.take_hand_tile(seat, index, playing.now_s) for index in range(13)] for seat in range(4)]
    playing.run_for(1.0)
    done(playing, Dump(Container.MAGAZINE, ALL_SEATS))
    done(playing, OpenWell())
    playing.auto_acknowledge = False
    for hand in taken:
        playing.mechanics.hands.drop_into_well(hand, playing.now_s)
        playing.run_for(0.05)
    playing.run_for(2.0)
    assert [event.count for event in playing.all(Well)] == [52]
    playing.mechanics.hands.drop_into_well([PhysicalTile(900, "1m", 1)], playing.now_s)
    playing.run_for(1.0)
    assert [event.count for event in playing.all(Well)] == [52, 53]
    census = playing.mechanics.census()
    assert len(census["drum"]) + len(census["gate"]) == 137


def test_what_has_fallen_into_the_well_is_told_before_it_is_reported_shut(playing: Pair) -> None:
    hand = [playing.mechanics.hands.take_hand_tile(0, index, playing.now_s) for index in range(13)]
    done(playing, OpenWell())
    playing.mechanics.hands.drop_into_well(hand, playing.now_s)
    operation = playing.submit(CloseWell())
    playing.answer_to(operation)
    told = [event for event in playing.events if isinstance(event, Well | Done)]
    assert [type(event) for event in told[-2:]] == [Well, Done]
    playing.run_for(1.0)
    assert [event.count for event in playing.all(Well)] == [13]


def test_a_draw_gate_stays_shut_while_its_magazine_is_dropped(playing: Pair) -> None:
    dumping = playing.submit(Dump(Container.MAGAZINE, 2))
    assert refusal(playing, Unlock(2, 5000)) is NakCode.BUSY
    playing.answer_to(dumping)
    assert refusal(playing, Unlock(2, 5000)) is NakCode.EMPTY


def test_two_sets_take_turns_between_trays_and_magazines(playing: Pair) -> None:
    """The second set is built while the first lies in the magazines, and rises once these are empty."""
    done(playing, OpenWell())
    second = [PhysicalTile(1000 + number, "1m", 2) for number in range(136)]
    playing.mechanics.hands.drop_into_well(second, playing.now_s)
    assert playing.wait(Well).count == 136
    done(playing, CloseWell())
    fill_trays(playing)
    assert refusal(playing, Raise()) is NakCode.OCCUPIED
    done(playing, Dump(Container.MAGAZINE, ALL_SEATS))
    done(playing, Raise())
    census = playing.mechanics.census()
    assert {tile.back for tile in census["magazines"]} == {2}
    assert {tile.back for tile in census["drum"]} == {0}
    assert playing.mechanics.view().walls_raised == 2
