"""The rules of PROTOCOL.md, each as a host meets it."""

from __future__ import annotations

import pytest

from firmware_bridge.electrics.wiring import PLACES_A_SEAT, Input
from firmware_bridge.link.events import Acked, Done, LinkDown, LinkUp, OperationRefused, OperationRequest
from firmware_bridge.link.settings import KnownBoot
from firmware_bridge.messages import (
    ALL_SEATS,
    PLACE_EDGES,
    REAR_GATE,
    RELEASE_EDGES,
    Bypass,
    Clear,
    CloseWell,
    Command,
    Container,
    Drawn,
    Dump,
    Estop,
    FaultCode,
    Feed,
    FeederState,
    Hold,
    Lid,
    Lock,
    NakCode,
    OpenWell,
    Place,
    PutBack,
    Raise,
    Recirculate,
    Reject,
    Release,
    Renew,
    Result,
    Return,
    Sense,
    Sensors,
    Stop,
    Taken,
    TileAtGate,
    Unlock,
    Well,
)
from simulator.mechanics import MechanicsSettings
from tests.support.link.pair import FAST, Pair, fill_trays, raise_walls


@pytest.fixture
def fed() -> Pair:
    """A pair with a tile at the gate."""
    pair = Pair()
    pair.up()
    pair.do(Feed())
    pair.run_until(lambda: bool(pair.all(TileAtGate)))
    return pair


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


# Rule 1: a repeated number gets the stored answer ---------------------------------------------------


def test_a_repeated_operation_gets_the_stored_answer_and_moves_nothing(fed: Pair) -> None:
    first = done(fed, Place(0, 33))
    fed.run_until(lambda: len(fed.all(TileAtGate)) == 2)
    fed.submit(Place(0, 33), first.operation)
    fed.run_until(lambda: fed.all(Done).count(first) == 2)
    fed.run_for(5.0)
    assert len(fed.mechanics.census()["trays"]) == 1


def test_the_same_number_for_another_command_is_refused_and_moves_nothing(fed: Pair) -> None:
    first = done(fed, Place(0, 33))
    fed.run_until(lambda: len(fed.all(TileAtGate)) == 2)
    fed.submit(Place(1, 33), first.operation)
    assert fed.wait(OperationRefused).code is NakCode.MISMATCH
    assert len(fed.mechanics.census()["trays"]) == 1


def test_a_number_whose_answer_is_no_longer_kept_is_refused_as_stale(fed: Pair) -> None:
    first = done(fed, Place(0, 33))
    for _ in range(64):
        done(fed, Sense())
    fed.submit(Place(0, 33), first.operation)
    assert fed.wait(OperationRefused).code is NakCode.STALE


def test_a_refusal_is_remembered_too(fed: Pair) -> None:
    refused = fed.do(Place(0, 99))
    fed.submit(Place(0, 99), refused.operation)
    assert fed.wait(OperationRefused).code is NakCode.NO_SUCH_PLACE


# Rule 2: a new boot makes operations in flight unknown ------------------------------------------------


def test_a_reboot_is_reported_with_the_operations_that_it_has_made_unknown(fed: Pair) -> None:
    operation = fed.submit(Place(3, 33))
    fed.run_until(lambda: bool(fed.all(Acked)))
    fed.reboot()
    fed.wait(LinkDown)
    up = fed.wait(LinkUp)
    assert not up.same_boot
    assert up.unknown == (operation,)
    assert up.last_operation == 0
    fed.run_for(5.0)
    assert not [event for event in fed.all(Done) if event.operation == operation]


def test_after_a_reboot_what_was_on_its_way_is_in_the_drum_and_the_status_agrees_with_the_trays(fed: Pair) -> None:
    done(fed, Place(1, 33))
    fed.run_until(lambda: len(fed.all(TileAtGate)) == 2)
    fed.submit(Place(3, 33))
    fed.run_for(0.02)
    fed.reboot()
    fed.wait(LinkUp)
    status = fed.status()
    assert status.trays == (frozenset(), frozenset({33}), frozenset(), frozenset())
    assert status.counters.placed == 0
    census = fed.mechanics.census()
    assert not census["shuttles"]
    assert sum(len(tiles) for tiles in census.values()) == 136


def test_a_host_that_restarts_and_remembers_finds_the_same_boot_and_fetches_the_lost_answer(fed: Pair) -> None:
    operation = fed.submit(Place(2, 33))
    fed.run_until(lambda: bool(fed.all(Acked)))
    fed.restart_host(known=KnownBoot(fed.boot_id, fed.all(TileAtGate)[-1].number))
    up = fed.wait(LinkUp)
    assert up.same_boot
    assert up.last_operation == operation
    fed.link.submit(OperationRequest(operation, Place(2, 33)), fed.now_s)
    answer = fed.answer_to(operation)
    assert isinstance(answer, Done)
    assert answer.sensors == PLACE_EDGES


# Rule 3: heartbeat, leases --------------------------------------------------------------------------


def test_after_300_ms_of_silence_nothing_new_begins_and_after_a_second_the_motors_are_off() -> None:
    pair = Pair(machine=MechanicsSettings(speed=1.0))
    pair.up()
    pair.do(Feed())
    pair.wait(TileAtGate)
    pair.submit(Recirculate())
    pair.run_for(0.01)
    pair.cut = True
    last_beat_s = pair.now_s
    pair.run_for(0.35)
    states = [pair.firmware.state]
    pair.run_for(0.5)
    assert pair.mechanics.gate_tile() is None, "a tile was fed while the host was silent"
    states.append(pair.firmware.state)
    pair.run_for(last_beat_s + 1.1 - pair.now_s)
    states.append(pair.firmware.state)
    assert states == [FeederState.HOLDING, FeederState.HOLDING, FeederState.OFF]


def test_a_host_that_comes_back_within_a_second_finds_the_table_feeding_on() -> None:
    pair = Pair(machine=MechanicsSettings(speed=1.0))
    pair.up()
    pair.do(Feed())
    pair.wait(TileAtGate)
    pair.submit(Recirculate())
    pair.cut = True
    pair.run_for(0.6)
    pair.cut = False
    pair.wait(TileAtGate)
    assert not pair.all(LinkDown)


def test_an_unlock_is_a_lease_that_runs_out_in_wall_time_however_fast_the_machine_is() -> None:
    pair = Pair(machine=MechanicsSettings(speed=100.0))
    raise_walls(pair)
    assert done(pair, Unlock(2, 800)).sensors == Sensors.LOCK_MOVED
    pair.run_for(0.7)
    assert pair.status().open_locks == {2}
    pair.run_for(0.2)
    assert pair.status().open_locks == frozenset()
    assert pair.mechanics.hands.lift_draw(2, pair.now_s) is None


def test_a_lease_can_be_renewed_while_the_lock_is_open_and_not_afterwards(playing: Pair) -> None:
    done(playing, Unlock(0, 500))
    playing.run_for(0.4)
    done(playing, Renew(0, 500))
    playing.run_for(0.4)
    assert playing.status().open_locks == {0}
    playing.run_for(0.3)
    assert refusal(playing, Renew(0, 500)) is NakCode.NOT_OPEN
    assert playing.status().open_locks == frozenset()


def test_a_lease_runs_out_though_the_host_is_silent_and_no_lock_opens_by_itself(playing: Pair) -> None:
    done(playing, Unlock(1, 1500))
    playing.cut = True
    playing.run_for(2.0)
    assert playing.firmware.state is FeederState.OFF
    assert playing.mechanics.levels().locks == 0


def test_a_draw_that_is_forced_through_a_locked_gate_is_told_all_the_same(playing: Pair) -> None:
    assert playing.status().open_locks == frozenset()
    playing.firmware.touch(Input.MAGAZINE + 2 * PLACES_A_SEAT + 13, False)
    assert playing.wait(Drawn).seat == 2


def test_a_rear_gate_lets_the_last_tiles_of_the_magazine_pass_from_the_lowest_place_on(playing: Pair) -> None:
    wall = playing.mechanics.census()["magazines"][-34:]
    for tile in wall[-3:]:
        assert playing.mechanics.hands.lift_at_rear(3, playing.now_s) is None
        done(playing, Unlock(REAR_GATE + 3, 5000))
        assert playing.status().open_locks == {REAR_GATE + 3}
        assert playing.mechanics.hands.lift_draw(3, playing.now_s) is None
        assert playing.mechanics.hands.lift_at_rear(3, playing.now_s) == tile
        playing.run_for(0.1)
        assert playing.all(Drawn)[-1].seat == REAR_GATE + 3
    assert refusal(playing, Unlock(REAR_GATE + 3, 5000)) is NakCode.EMPTY
    assert playing.status().magazines[3] == frozenset(range(31))
    done(playing, Unlock(3, 5000))
    assert playing.mechanics.hands.lift_draw(3, playing.now_s) == wall[13]


def test_there_is_no_ninth_gate(playing: Pair) -> None:
    assert refusal(playing, Unlock(2 * REAR_GATE, 5000)) is NakCode.NO_SUCH_PLACE


# Rule 4: emergency stop and lid -----------------------------------------------------------------------


def test_an_emergency_stop_ends_motion_at_once_shuts_the_locks_and_needs_to_be_cleared(playing: Pair) -> None:
    done(playing, Unlock(3, 60_000))
    playing.mechanics.hands.set_estop(True, playing.now_s)
    playing.run_until(lambda: bool(playing.all(Estop)))
    assert playing.mechanics.levels().locks == 0
    assert playing.status().faults == {FaultCode.ESTOP}
    assert refusal(playing, Unlock(3, 1000)) is NakCode.STOPPED
    assert refusal(playing, Clear(FaultCode.ESTOP)) is NakCode.STILL_THERE
    playing.mechanics.hands.set_estop(False, playing.now_s)
    playing.run_until(lambda: [event.on for event in playing.all(Estop)] == [True, False])
    assert refusal(playing, Feed()) is NakCode.STOPPED
    done(playing, Clear(FaultCode.ESTOP))
    done(playing, Feed())


def test_an_operation_that_the_lid_has_cut_short_ends_as_disturbed() -> None:
    pair = Pair(machine=MechanicsSettings(speed=1.0))
    pair.up()
    pair.do(Feed())
    pair.wait(TileAtGate)
    operation = pair.submit(Place(0, 33))
    pair.run_for(0.5)
    pair.mechanics.hands.set_lid(True, pair.now_s)
    pair.run_for(3.0)
    assert [event.open for event in pair.all(Lid)] == [True]
    assert not [event for event in pair.all(Done) if event.operation == operation], "the machine moved with its lid open"
    pair.mechanics.hands.set_lid(False, pair.now_s)
    answer = pair.answer_to(operation)
    assert isinstance(answer, Done)
    assert answer.result is Result.DISTURBED


def test_stop_overtakes_and_motion_goes_on_once_it_is_cleared(fed: Pair) -> None:
    fed.submit(Place(0, 33))
    fed.run_for(0.005)
    done(fed, Stop())
    fed.run_for(3.0)
    assert not fed.mechanics.census()["trays"]
    done(fed, Clear(FaultCode.STOP))
    fed.run_until(lambda: len(fed.mechanics.census()["trays"]) == 1)


# Rule 6: one outstanding motion per actuator ------------------------------------------------------------


def test_a_second_command_for_the_same_tile_is_refused_as_busy(fed: Pair) -> None:
    fed.submit(Place(0, 33))
    assert refusal(fed, Recirculate()) is NakCode.BUSY


def test_a_bypass_cell_is_judged_as_it_will_be_when_the_commands_before_are_done(fed: Pair) -> None:
    done(fed, Bypass(0))
    fed.run_until(lambda: len(fed.all(TileAtGate)) == 2)
    first = fed.submit(Release(0, 0, 33))
    second = fed.submit(Bypass(0))
    assert refusal(fed, Release(1, 0, 32)) is NakCode.EMPTY
    assert all(isinstance(fed.answer_to(operation), Done) for operation in (first, second))
    assert fed.status().bypass == {0}


def test_a_gate_command_without_a_tile_is_refused() -> None:
    pair = Pair()
    pair.up()
    assert refusal(pair, Reject()) is NakCode.NO_TILE


def test_a_shuttle_takes_its_queue_and_the_tile_it_carries_and_no_more() -> None:
    slow_shuttles = MechanicsSettings(drop_s=60.0)
    pair = Pair(machine=slow_shuttles)
    pair.up()
    pair.do(Feed())
    for position in (33, 32, 31):
        pair.wait(TileAtGate)
        pair.submit(Place(0, position))
    pair.wait(TileAtGate)
    assert refusal(pair, Place(0, 30)) is NakCode.BUSY
    assert pair.status().waiting == (3, 0, 0, 0)


# Operations ---------------------------------------------------------------------------------------------


def test_in_a_two_high_tray_an_upper_place_waits_for_the_lower_one(fed: Pair) -> None:
    assert refusal(fed, Place(0, 13)) is NakCode.UNSUPPORTED
    done(fed, Place(0, 14))
    fed.run_until(lambda: len(fed.all(TileAtGate)) == 2)
    done(fed, Place(0, 13))
    assert refusal(fed, Return(0, 14)) is NakCode.COVERED


def test_with_a_single_row_every_place_is_free_at_once() -> None:
    pair = Pair(machine=MechanicsSettings(speed=20.0, two_high=False))
    pair.up()
    pair.do(Feed())
    pair.wait(TileAtGate)
    assert done(pair, Place(0, 13)).sensors == PLACE_EDGES


def test_an_occupied_place_is_refused(fed: Pair) -> None:
    done(fed, Place(0, 33))
    fed.run_until(lambda: len(fed.all(TileAtGate)) == 2)
    assert refusal(fed, Place(0, 33)) is NakCode.OCCUPIED


def test_a_tile_goes_into_a_bypass_cell_and_from_there_to_its_place(fed: Pair) -> None:
    tile = fed.mechanics.census()["gate"][0]
    assert done(fed, Bypass(3)).sensors == Sensors.GATE_LEFT | Sensors.CELL_IN
    assert fed.status().bypass == {3}
    released = done(fed, Release(3, 2, 5))
    assert released.result is Result.OK
    assert released.sensors == RELEASE_EDGES
    assert fed.mechanics.tray(2)[5] == tile
    assert refusal(fed, Release(3, 2, 6)) is NakCode.EMPTY


def test_a_returned_tile_comes_to_the_gate_under_the_operation_that_brought_it(fed: Pair) -> None:
    tile = fed.mechanics.census()["gate"][0]
    done(fed, Place(1, 33))
    fed.run_until(lambda: len(fed.all(TileAtGate)) == 2)
    done(fed, Hold())
    done(fed, Recirculate())
    returned = fed.do(Return(1, 33))
    arrival = fed.all(TileAtGate)[-1]
    assert arrival.operation == returned.operation
    assert fed.mechanics.census()["gate"][0] == tile
    assert fed.status().trays[1] == frozenset()


def test_a_rejected_tile_leaves_the_round_and_a_recirculated_one_stays_in_it(fed: Pair) -> None:
    assert done(fed, Reject()).sensors == Sensors.GATE_LEFT | Sensors.REJECT_IN
    fed.run_until(lambda: len(fed.all(TileAtGate)) == 2)
    assert done(fed, Recirculate()).sensors == Sensors.GATE_LEFT | Sensors.DRUM_IN
    counters = fed.status().counters
    assert (counters.rejected, counters.recirculated) == (1, 1)
    assert len(fed.mechanics.census()["rejected"]) == 1


def test_a_dump_empties_trays_into_the_drum(fed: Pair) -> None:
    done(fed, Place(0, 33))
    done(fed, Hold())
    assert done(fed, Dump(Container.TRAY, ALL_SEATS)).sensors == Sensors.FLOOR
    assert fed.status().trays == (frozenset(),) * 4
    assert refusal(fed, Dump(Container.TRAY, 4)) is NakCode.NO_SUCH_PLACE


def test_walls_are_raised_once_the_magazines_are_empty(playing: Pair) -> None:
    status = playing.status()
    assert status.magazines == (frozenset(range(34)),) * 4
    assert status.trays == (frozenset(),) * 4
    assert refusal(playing, Raise()) is NakCode.OCCUPIED
    done(playing, Dump(Container.MAGAZINE, ALL_SEATS))
    assert playing.status().magazines == (frozenset(),) * 4


def test_hand_tiles_and_draws_are_told_as_players_take_them(playing: Pair) -> None:
    for index in range(13):
        playing.mechanics.hands.take_hand_tile(1, index, playing.now_s)
    playing.run_until(lambda: len(playing.all(Taken)) == 13)
    assert [(event.seat, event.place) for event in playing.all(Taken)] == [(1, index) for index in range(13)]
    assert playing.mechanics.hands.lift_draw(1, playing.now_s) is None
    done(playing, Unlock(1, 5000))
    tile = playing.mechanics.hands.lift_draw(1, playing.now_s)
    assert tile is not None
    assert playing.wait(Drawn).seat == 1
    assert playing.mechanics.hands.lift_draw(1, playing.now_s) is None, "the lock lets one tile pass"
    playing.mechanics.hands.put_back(1, tile, playing.now_s)
    assert playing.wait(PutBack).seat == 1
    assert playing.status().magazines[1] == frozenset(range(13, 34))


def test_a_gate_stays_shut_until_the_host_has_taken_over_that_a_tile_was_drawn(playing: Pair) -> None:
    done(playing, Unlock(1, 5000))
    playing.auto_acknowledge = False
    assert playing.mechanics.hands.lift_draw(1, playing.now_s)
    drawn = playing.wait(Drawn)
    assert refusal(playing, Unlock(1, 5000)) is NakCode.UNACKNOWLEDGED
    playing.link.acknowledge(drawn.number, playing.now_s)
    done(playing, Unlock(1, 5000))


def test_a_lock_can_be_closed_before_its_lease_ends(playing: Pair) -> None:
    done(playing, Unlock(0, 60_000))
    done(playing, Unlock(1, 60_000))
    done(playing, Lock(ALL_SEATS))
    assert playing.mechanics.levels().locks == 0


def test_the_well_counts_what_falls_in_and_nothing_is_fed_while_it_is_open(playing: Pair) -> None:
    hand = [playing.mechanics.hands.take_hand_tile(0, index, playing.now_s) for index in range(13)]
    done(playing, OpenWell())
    assert refusal(playing, Feed()) is NakCode.WELL_OPEN
    playing.mechanics.hands.drop_into_well(hand, playing.now_s)
    assert playing.wait(Well).count == 13
    done(playing, CloseWell())
    assert len(playing.mechanics.census()["drum"]) == 13


def test_an_event_buffer_that_is_full_holds_motion_and_loses_nothing(playing: Pair) -> None:
    done(playing, Hold())
    done(playing, Dump(Container.MAGAZINE, 3))
    playing.auto_acknowledge = False
    for seat in range(3):
        for index in range(13):
            playing.mechanics.hands.take_hand_tile(seat, index, playing.now_s)
    playing.run_for(0.02)  # every switch is read twice
    done(playing, Feed())
    playing.run_for(3.0)
    assert playing.firmware.state is FeederState.HOLDING
    assert not playing.mechanics.census()["gate"], "a tile was fed though its arrival could not be kept"
    assert len(playing.all(Taken)) == 32
    playing.link.acknowledge(playing.all(Taken)[-1].number, playing.now_s)
    playing.auto_acknowledge = True
    playing.wait(TileAtGate)
    assert [(event.seat, event.place) for event in playing.all(Taken)] == [(seat, index) for seat in range(3) for index in range(13)]


def test_sensing_finds_a_tile_that_somebody_took_out_of_a_tray(fed: Pair) -> None:
    done(fed, Place(0, 33))
    fed.reboot()
    fed.wait(LinkUp)
    fed.operation = 0
    done(fed, Sense())
    assert fed.status().faults == frozenset()


def test_the_status_sees_an_empty_drum() -> None:
    pair = Pair(tiles=())
    pair.up()
    assert pair.status().drum_empty


def test_a_full_magazine_can_be_drawn_to_its_end_and_no_further(playing: Pair) -> None:
    for _ in range(21):
        done(playing, Unlock(2, 5000))
        assert playing.mechanics.hands.lift_draw(2, playing.now_s) is not None
        playing.wait(Drawn)
        playing.run_for(0.01)
    assert refusal(playing, Unlock(2, 5000)) is NakCode.EMPTY


def test_fast_and_slow_machines_place_the_same_tiles_in_the_same_order() -> None:
    trays = []
    for machine in (FAST, MechanicsSettings(speed=1.0)):
        pair = Pair(machine=machine)
        fill_trays(pair, 12)
        trays.append([pair.mechanics.tray(seat) for seat in range(4)])
    assert trays[0] == trays[1]
