"""What PROTOCOL.md says and no rule of the conformance suite tries (``conformance/test_suite``), as a host meets it."""

import pytest

from firmware_bridge.electrics.wiring import PLACES_A_SEAT, Input
from firmware_bridge.link.events import Acked, Done, LinkDown, LinkUp
from firmware_bridge.messages import (
    ALL_SEATS,
    PLACE_EDGES,
    REAR_GATE,
    CloseWell,
    Container,
    Drawn,
    Dump,
    Feed,
    NakCode,
    OpenWell,
    Place,
    Raise,
    Recirculate,
    Sensors,
    TileAtGate,
    Unlock,
    Well,
)
from simulator.mechanics import MechanicsSettings
from simulator.physical_tiles import PhysicalTile
from tests.support.link.pair import FAST, Pair, fill_trays, raised


def test_a_reboot_is_reported_with_the_operations_that_it_has_made_unknown() -> None:
    fed = Pair().fed()
    operation = fed.submit(Place(3, 33))
    fed.run_until(lambda: bool(fed.all(Acked)))
    fed.reboot()
    fed.wait(LinkDown)
    up = fed.wait(LinkUp)
    assert (up.same_boot, up.unknown, up.last_operation) == (False, (operation,), 0)
    fed.run_for(5.0)
    assert not [event for event in fed.all(Done) if event.operation == operation]


def test_after_a_reboot_what_was_on_its_way_is_in_the_drum_and_the_status_agrees_with_the_trays() -> None:
    fed = Pair().fed()
    fed.done(Place(1, 33))
    fed.run_until(lambda: len(fed.all(TileAtGate)) == 2)
    fed.submit(Place(3, 33))
    fed.run_for(0.02)
    fed.reboot()
    fed.wait(LinkUp)
    status, census = fed.status(), fed.mechanics.census()
    assert status.trays == (frozenset(), frozenset({33}), frozenset(), frozenset())
    assert status.counters.placed == 0
    assert not census["shuttles"]
    assert sum(len(tiles) for tiles in census.values()) == 136


def test_a_host_that_comes_back_within_a_second_finds_the_table_feeding_on() -> None:
    pair = Pair(machine=MechanicsSettings(speed=1.0)).fed()
    pair.submit(Recirculate())
    pair.cut = True
    pair.run_for(0.6)
    pair.cut = False
    pair.wait(TileAtGate)
    assert not pair.all(LinkDown)


def test_an_unlock_is_a_lease_that_runs_out_in_wall_time_however_fast_the_machine_is() -> None:
    pair = raised(MechanicsSettings(speed=100.0))
    assert pair.done(Unlock(2, 800)).sensors == Sensors.LOCK_MOVED
    pair.run_for(0.7)
    assert pair.status().open_locks == {2}
    pair.run_for(0.2)
    assert pair.status().open_locks == frozenset()
    assert pair.mechanics.hands.lift_draw(2, pair.now_s) is None


def test_a_draw_that_is_forced_through_a_locked_gate_is_reported_all_the_same() -> None:
    playing = raised()
    playing.firmware.touch(Input.MAGAZINE + 2 * PLACES_A_SEAT + 13, False)
    assert playing.wait(Drawn).seat == 2


def test_a_rear_gate_lets_the_last_tiles_of_the_magazine_pass_from_the_lowest_place_on() -> None:
    playing = raised()
    hands, wall = playing.mechanics.hands, playing.mechanics.census()["magazines"][-34:]
    for tile in wall[-3:]:
        assert hands.lift_at_rear(3, playing.now_s) is None
        playing.done(Unlock(REAR_GATE + 3, 5000))
        assert playing.status().open_locks == {REAR_GATE + 3}
        assert hands.lift_draw(3, playing.now_s) is None
        assert hands.lift_at_rear(3, playing.now_s) == tile
        playing.run_for(0.1)
        assert playing.all(Drawn)[-1].seat == REAR_GATE + 3
    assert playing.refusal(Unlock(REAR_GATE + 3, 5000)) is NakCode.EMPTY
    assert playing.status().magazines[3] == frozenset(range(31))
    playing.done(Unlock(3, 5000))
    assert hands.lift_draw(3, playing.now_s) == wall[13]


def test_with_a_single_row_every_place_is_free_at_once() -> None:
    assert Pair(machine=MechanicsSettings(speed=20.0, two_high=False)).fed().done(Place(0, 13)).sensors == PLACE_EDGES


def test_the_status_sees_an_empty_drum() -> None:
    pair = Pair(tiles=()).linked()
    assert pair.status().drum_empty


def test_fast_and_slow_machines_place_the_same_tiles_in_the_same_order() -> None:
    trays = []
    for machine in (FAST, MechanicsSettings(speed=1.0)):
        pair = Pair(machine=machine)
        fill_trays(pair, 12)
        trays.append([pair.mechanics.tray(seat) for seat in range(4)])
    assert trays[0] == trays[1]


@pytest.mark.slow
def test_a_whole_table_pushed_in_at_once_is_told_in_few_events_and_counted_once() -> None:
    """Four people push in 52 tiles while the host takes its time: no event is lost, and the buffer does not fill."""
    playing = raised()
    hands = playing.mechanics.hands
    taken = [[hands.take_hand_tile(seat, index, playing.now_s) for index in range(13)] for seat in range(4)]
    playing.run_for(1.0)
    playing.done(Dump(Container.MAGAZINE, ALL_SEATS))
    playing.done(OpenWell())
    playing.auto_acknowledge = False
    for hand in taken:
        hands.drop_into_well(hand, playing.now_s)
        playing.run_for(0.05)
    playing.run_for(2.0)
    assert [event.count for event in playing.all(Well)] == [52]
    hands.drop_into_well([PhysicalTile(900, "1m", 1)], playing.now_s)
    playing.run_for(1.0)
    assert [event.count for event in playing.all(Well)] == [52, 53]
    census = playing.mechanics.census()
    assert len(census["drum"]) + len(census["gate"]) == 137


@pytest.mark.slow
def test_two_sets_take_turns_between_trays_and_magazines() -> None:
    """The second set is built while the first is in the magazines, and rises once these are empty."""
    playing = raised()
    playing.done(OpenWell())
    playing.mechanics.hands.drop_into_well([PhysicalTile(1000 + number, "1m", 2) for number in range(136)], playing.now_s)
    assert playing.wait(Well).count == 136
    playing.done(CloseWell())
    fill_trays(playing)
    assert playing.refusal(Raise()) is NakCode.OCCUPIED
    playing.done(Dump(Container.MAGAZINE, ALL_SEATS))
    playing.done(Raise())
    census = playing.mechanics.census()
    assert {tile.back for tile in census["magazines"]} == {2}
    assert {tile.back for tile in census["drum"]} == {0}
    assert playing.mechanics.view().walls_raised == 2


@pytest.mark.slow
def test_feeding_waits_for_another_feed_after_the_well_was_told_to_open_with_a_tile_in_the_gate() -> None:
    playing = raised()
    playing.done(Dump(Container.MAGAZINE, ALL_SEATS))
    playing.done(Feed())
    playing.run_until(lambda: playing.mechanics.gate_tile() is not None)
    opening = playing.submit(OpenWell())
    assert playing.refusal(Feed()) is NakCode.WELL_OPEN
    playing.end_of(opening)
    arrived = len(playing.all(TileAtGate))
    for command in (Recirculate(), CloseWell()):
        playing.done(command)
        playing.run_for(2.0)
        assert len(playing.all(TileAtGate)) == arrived
