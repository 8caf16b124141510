"""A machine whose draws stand behind a blind that a bolt lets move on, and a shutter that a lease opens."""

from __future__ import annotations

import zlib
from dataclasses import replace

import pytest

from cli.feeder.feeder_check import SimulatedHands
from firmware_bridge.board.library import PinReading
from firmware_bridge.board.table_record import LANE_SIZES, RecordError, TableRecord, decode
from firmware_bridge.conformance import suite
from firmware_bridge.conformance.rules import RULES
from firmware_bridge.conformance.suite import RuleOutcome
from firmware_bridge.electrics.wiring import PLACES_A_SEAT, Input, Output
from firmware_bridge.link.events import LinkUp
from firmware_bridge.messages import (
    ALL_SEATS,
    Clear,
    CloseWell,
    Container,
    Drawn,
    Drive,
    Dump,
    FaultCode,
    FeederState,
    Hold,
    Lock,
    NakCode,
    OpenWell,
    PutBack,
    Raise,
    Renew,
    Result,
    Return,
    Stop,
    Unlock,
    Where,
)
from simulator.mechanics import MechanicsSettings
from simulator.tabletop import PhysicalTile
from tests.support.conformance.machine import QUICK, MemoryMachine
from tests.support.link.pair import FAST, LINE_DELAY_S, READABLE, Pair, fill_trays, opens_the_lid, raised
from tests.support.narrowed import present

SEAT, BOLT = 2, 6
SHUTTER_IS_OPEN, BOLT_IS_DRAWN = Input.LOCK_IS_OPEN + SEAT, Input.REAR_LOCK_IS_OPEN + SEAT
FIRST_PLACE = Input.MAGAZINE + PLACES_A_SEAT * SEAT + 13
LEASE_MS = 60_000
REAL_PACE = MechanicsSettings(speed=1.0)


@pytest.fixture
def pair() -> Pair:
    """Such a machine with its walls raised, and every blind at its first tile."""
    pair = raised(replace(FAST, blinds=True))
    pair.run_for(1.0)
    return pair


def lift(pair: Pair) -> PhysicalTile | None:
    return pair.mechanics.hands.lift_draw(SEAT, pair.now_s)


def shutter_is_held(pair: Pair, reads: PinReading = PinReading.HIGH) -> None:
    """A hand keeps the shutter open, or lets it go."""
    pair.firmware.board.stick(SHUTTER_IS_OPEN, reads)


def drawn(pair: Pair) -> PhysicalTile:
    """Unlock, and lift the tile that comes free; the shutter is shut again, the blind still where it was, and the host knows of it."""
    assert pair.done(Unlock(SEAT, LEASE_MS)).result is Result.OK
    tile = present(lift(pair))
    pair.run_until(lambda: not pair.firmware.shows(Output.LOCK + SEAT))
    pair.run_for(3 * LINE_DELAY_S)
    return tile


def freed(pair: Pair) -> int:
    """How many tiles leave in one lease, however often somebody pulls."""
    assert pair.done(Unlock(SEAT, LEASE_MS)).result is Result.OK
    tiles = sum(lift(pair) is not None for _ in range(3))
    pair.run_for(0.1)
    return tiles


def one_raised() -> Pair:
    """Such a machine with a wall of one tile raised, and fed with the next tile."""
    pair = Pair(machine=replace(FAST, blinds=True)).fed().placed(SEAT, 33)
    pair.run_for(1.0)
    pair.done(Raise())
    pair.run_for(1.0)
    return pair


def put_back(pair: Pair, tile: PhysicalTile) -> None:
    """The hand that keeps the shutter open lays it down where it was."""
    gate = pair.mechanics._interlocks.gate(SEAT)
    gate.open = True
    pair.mechanics.hands.put_back(SEAT, tile, pair.now_s)
    gate.open = False


def restarted(pair: Pair) -> None:
    """The board has lost its power and come back."""
    pair.reboot()
    pair.wait(LinkUp)


def rests(pair: Pair, *outputs: int) -> bool:
    """Whether none of these is on at any moment of the next two seconds."""
    for _ in range(200):
        pair.run_for(0.01)
        if any(pair.firmware.shows(output) for output in outputs):
            return False
    return True


def drive_bolt(pair: Pair) -> None:
    """A person has the bolt drawn once."""
    pair.bring_up()
    pair.done(Drive(Output.REAR_LOCK + SEAT, 200))
    pair.stop_and_clear()


def test_it_keeps_every_rule_that_does_not_need_a_rear_gate() -> None:
    machine = MemoryMachine(machine=replace(QUICK, blinds=True))
    verdicts = list(suite.run(machine, rules=tuple(rule for rule in RULES if not rule.slow), hands=SimulatedHands(machine)))
    assert [(verdict.rule.name, verdict.reason) for verdict in verdicts if verdict.outcome is RuleOutcome.FAILED] == []
    assert [verdict.rule.name for verdict in verdicts if verdict.outcome is RuleOutcome.LEFT_OUT] == ["rear-gate"]


def test_each_draw_frees_the_next_tile_alone(pair: Pair) -> None:
    for _ in range(21):
        assert freed(pair) == 1
    assert pair.refusal(Unlock(SEAT, LEASE_MS)) is NakCode.EMPTY


def test_leases_that_end_without_a_draw_free_no_tile(pair: Pair) -> None:
    for _ in range(3):
        pair.done(Unlock(SEAT, 200))
        pair.run_for(0.5)
        pair.done(Unlock(SEAT, LEASE_MS))
        pair.done(Lock(SEAT))
        pair.run_for(2.0)
        assert lift(pair) is None
    assert freed(pair) == 1


def test_a_tile_put_back_while_the_shutter_is_open_frees_no_further_one(pair: Pair) -> None:
    pair.done(Unlock(SEAT, LEASE_MS))
    shutter_is_held(pair)
    for there in (False, True):
        pair.firmware.touch(FIRST_PLACE, there)
        pair.run_for(0.5)
    assert (len(pair.all(Drawn)), len(pair.all(PutBack))) == (1, 1)
    shutter_is_held(pair, PinReading.AS_WIRED)
    pair.run_for(2.0)
    assert freed(pair) == 1


def test_of_two_tiles_that_are_free_after_a_late_put_back_each_lease_still_gives_one_and_the_blind_waits(pair: Pair) -> None:
    tile = drawn(pair)
    pair.done(Unlock(SEAT, LEASE_MS))
    pair.mechanics.hands.put_back(SEAT, tile, pair.now_s)
    pair.wait(PutBack)
    assert lift(pair) is tile
    pair.run_for(2.0)
    assert freed(pair) == 1


def test_the_shutter_waits_for_the_bolt(pair: Pair) -> None:
    drawn(pair)
    pair.run_until(lambda: pair.firmware.shows(Output.REAR_LOCK + SEAT))
    operation = pair.submit(Unlock(SEAT, LEASE_MS))
    pair.run_until(lambda: not pair.firmware.shows(Output.REAR_LOCK + SEAT))
    assert not pair.firmware.shows(Output.LOCK + SEAT)
    assert pair.end_of(operation) is Result.OK
    assert sum(lift(pair) is not None for _ in range(2)) == 1


def test_the_bolt_is_no_gate(pair: Pair) -> None:
    drawn(pair)
    pair.run_until(lambda: pair.firmware.shows(Output.REAR_LOCK + SEAT))
    assert pair.status().open_locks == frozenset()
    assert [pair.refusal(command) for command in (Unlock(BOLT, 1000), Renew(BOLT, 1000), Lock(BOLT))] == [NakCode.NO_SUCH_PLACE] * 3
    pair.done(Lock(ALL_SEATS))
    assert pair.firmware.shows(Output.REAR_LOCK + SEAT), "LOCK does not cut its pulse"


def test_a_hand_in_the_shutter_is_no_fault_and_the_blind_waits_for_it(pair: Pair) -> None:
    pair.done(Unlock(SEAT, LEASE_MS))
    shutter_is_held(pair)
    assert lift(pair) is not None
    pair.run_for(2.5)
    assert not pair.firmware.shows(Output.REAR_LOCK + SEAT)
    assert pair.faults() == []
    pair.run_for(1.0)
    assert pair.faults() == [(FaultCode.LOCK, Where.MAGAZINE + SEAT)]


@pytest.mark.parametrize("reads", [PinReading.LOW, PinReading.HIGH], ids=["is not drawn", "does not come back"])
def test_a_bolt_that_does_not_move_is_a_fault_of_its_lock(pair: Pair, reads: PinReading) -> None:
    drawn(pair)
    pair.firmware.board.stick(BOLT_IS_DRAWN, reads)
    pair.run_for(1.5)
    assert pair.faults() == [(FaultCode.LOCK, Where.MAGAZINE + SEAT)]
    assert not pair.firmware.shows(Output.REAR_LOCK + SEAT)


def test_the_shutter_stays_shut_while_the_bolt_does_not_come_back(pair: Pair) -> None:
    drawn(pair)
    pair.firmware.board.stick(BOLT_IS_DRAWN, PinReading.HIGH)
    pair.run_for(1.5)
    assert pair.done(Unlock(SEAT, 1000)).result is Result.ABORTED
    assert lift(pair) is None


def test_a_tile_that_went_without_a_lease_moves_the_blind_at_the_next_one(pair: Pair) -> None:
    pair.firmware.touch(FIRST_PLACE, False)
    pair.run_for(2.0)
    assert [event.seat for event in pair.all(Drawn)] == [SEAT]
    assert not pair.firmware.shows(Output.REAR_LOCK + SEAT)
    operation = pair.submit(Unlock(SEAT, LEASE_MS))
    pair.run_until(lambda: pair.firmware.shows(Output.REAR_LOCK + SEAT))
    assert pair.end_of(operation) is Result.OK


def test_a_place_left_empty_by_the_wall_is_passed_over() -> None:
    pair = Pair(machine=replace(FAST, blinds=True))
    fill_trays(pair)
    pair.done(Return(SEAT, 13))
    pair.done(Raise())
    pair.run_for(2.0)
    assert [freed(pair), freed(pair)] == [1, 1]


@pytest.mark.parametrize("blinds", [True, False])
@pytest.mark.parametrize("switch", [SHUTTER_IS_OPEN, BOLT_IS_DRAWN])
def test_walls_do_not_rise_while_a_gate_stands_open(switch: int, blinds: bool) -> None:
    pair = Pair(machine=replace(FAST, blinds=blinds)).linked()
    pair.firmware.board.stick(switch, PinReading.HIGH)
    pair.run_for(0.1)
    operation = pair.submit(Raise())
    assert rests(pair, Output.LIFT)
    pair.firmware.board.stick(switch, PinReading.AS_WIRED)
    assert pair.end_of(operation) is Result.OK


@pytest.mark.parametrize("blinds", [True, False])
@pytest.mark.parametrize("switch", [SHUTTER_IS_OPEN, BOLT_IS_DRAWN])
def test_a_gate_that_does_not_shut_is_named_at_each_raise_as_often_as_it_is_cleared(switch: int, blinds: bool) -> None:
    pair = Pair(machine=replace(FAST, blinds=blinds)).linked()
    pair.firmware.board.stick(switch, PinReading.HIGH)
    pair.run_for(5.0)
    for _ in range(3):
        pair.done(Clear(FaultCode.LOCK))
        pair.run_for(1.0)
        operation, began_s = pair.submit(Raise()), pair.now_s
        pair.events.clear()
        assert pair.end_of(operation) is Result.FAILED
        assert 2.9 < pair.now_s - began_s < 3.3
        assert pair.faults() == [(FaultCode.LOCK, Where.MAGAZINE + SEAT)]
    assert rests(pair, Output.LIFT)
    pair.done(OpenWell())
    pair.done(CloseWell())
    pair.firmware.board.stick(switch, PinReading.AS_WIRED)
    pair.run_for(0.1)
    assert pair.done(Raise()).result is Result.OK


def test_walls_do_not_rise_onto_a_tile_that_the_hand_they_waited_for_has_put_back() -> None:
    pair = one_raised()
    pair.done(Unlock(SEAT, LEASE_MS))
    shutter_is_held(pair)
    tile = present(lift(pair))
    pair.placed(1, 33)
    pair.run_for(0.2)
    operation = pair.submit(Raise())
    pair.run_for(0.5)
    put_back(pair, tile)
    pair.run_for(0.2)
    shutter_is_held(pair, PinReading.AS_WIRED)
    assert pair.end_of(operation) is Result.ABORTED
    assert rests(pair, Output.LIFT)
    assert freed(pair) == 1


def winds_back(pair: Pair) -> None:
    """The blind's holes lift the anchor's slanted pin, and the bolt with it, as the blind passes."""
    for _ in range(20):
        for reads in (PinReading.HIGH, PinReading.AS_WIRED):
            pair.firmware.board.stick(BOLT_IS_DRAWN, reads)
            pair.run_for(0.03)


@pytest.mark.parametrize("cut", [False, True])
def test_a_bolt_that_a_blind_lifts_on_its_way_back_is_no_fault_and_costs_no_step(cut: bool) -> None:
    pair = Pair(machine=replace(REAL_PACE, blinds=True), faults=READABLE).fed().placed(SEAT, 33, 32)
    pair.submit(Raise())
    pair.run_until(lambda: pair.firmware.shows(Output.LIFT))
    if cut:
        pair.run_for(0.5)
        opens_the_lid(pair)
    winds_back(pair)
    pair.run_for(6.0)
    assert pair.faults() == []
    pair.run_until(lambda: pair.firmware.state in (FeederState.READY, FeederState.FEEDING))
    assert [freed(pair), freed(pair)] == [1, 1]


def test_a_lift_that_waits_has_not_wound_the_blinds_back() -> None:
    pair = one_raised()
    tile = drawn(pair)
    shutter_is_held(pair)
    before = bytes(pair.wires.kept)
    assert pair.done(Raise()).result is Result.FAILED
    assert bytes(pair.wires.kept) == before
    put_back(pair, tile)
    shutter_is_held(pair, PinReading.AS_WIRED)
    assert rests(pair, Output.REAR_LOCK + SEAT), "the blind has let this tile pass before"


def test_raising_winds_the_blind_back(pair: Pair) -> None:
    drawn(pair)
    drawn(pair)
    pair.done(Hold())
    pair.done(Dump(Container.MAGAZINE, ALL_SEATS))
    fill_trays(pair, 132)
    pair.done(Raise())
    pair.run_for(1.0)
    assert freed(pair) == 1


def test_a_board_that_starts_knows_where_each_blind_stands(pair: Pair) -> None:
    drawn(pair)
    pair.run_for(2.0)
    restarted(pair)
    assert [freed(pair), freed(pair)] == [1, 1]


@pytest.mark.parametrize("by_hand", [False, True], ids=["power lost", "bring-up"])
def test_a_board_that_starts_behind_a_tile_put_back_frees_no_further_one(pair: Pair, by_hand: bool) -> None:
    tile = drawn(pair)
    pair.done(Unlock(SEAT, LEASE_MS))
    pair.mechanics.hands.put_back(SEAT, tile, pair.now_s)
    pair.wait(PutBack)
    pair.done(Lock(SEAT))
    pair.run_for(1.0)
    if by_hand:
        pair.bring_up()
        pair.stop_and_clear()
    else:
        restarted(pair)
    assert [freed(pair) for _ in range(3)] == [2, 1, 1], "the one put back and the one already free, then each alone"


def test_power_that_fails_between_draw_and_bolt_costs_nothing(pair: Pair) -> None:
    pair.done(Unlock(SEAT, LEASE_MS))
    assert lift(pair) is not None
    restarted(pair)
    assert [freed(pair), freed(pair)] == [1, 1]


def test_power_that_fails_before_the_bolt_has_moved_costs_the_step_and_frees_no_tile_too_many(pair: Pair) -> None:
    drawn(pair)
    pair.firmware.board.stick(Input.ESTOP, PinReading.LOW)
    pair.mechanics.hands.set_estop(True, pair.now_s)  # keeps the bolt where it is
    pair.run_until(lambda: pair.firmware.shows(Output.REAR_LOCK + SEAT))
    pair.mechanics.hands.set_estop(False, pair.now_s + 0.001)
    restarted(pair)
    for _ in range(2):
        assert freed(pair) == 0
        pair.done(Lock(SEAT))
        drive_bolt(pair)
        assert freed(pair) == 1, "a person has drawn the bolt once"


def test_a_bolt_that_is_still_drawn_when_the_board_starts_is_counted_once(pair: Pair) -> None:
    drawn(pair)
    pair.run_until(lambda: pair.firmware.shows(Output.REAR_LOCK + SEAT))
    pair.run_for(0.1)
    pair.reboot()
    pair.firmware.board.stick(BOLT_IS_DRAWN, PinReading.HIGH)
    pair.run_for(0.1)
    pair.firmware.board.stick(BOLT_IS_DRAWN, PinReading.AS_WIRED)
    pair.wait(LinkUp)
    assert [freed(pair), freed(pair)] == [1, 1]


def test_a_blank_memory_frees_no_tile_until_walls_are_raised(pair: Pair) -> None:
    pair.wires.kept[:4] = b"\xff" * 4
    restarted(pair)
    assert [freed(pair), freed(pair)] == [1, 0], "the one that was free"
    pair.done(Lock(SEAT))
    drive_bolt(pair)
    assert [freed(pair), freed(pair)] == [1, 0], "and the one that a person has freed"


def test_a_bolt_drawn_by_hand_frees_a_tile_once(pair: Pair) -> None:
    drive_bolt(pair)
    assert [freed(pair) for _ in range(3)] == [2, 1, 1]


def test_a_bolt_whose_pulse_bring_up_cuts_is_counted_when_a_hand_drives_it(pair: Pair) -> None:
    drawn(pair)
    pair.run_until(lambda: pair.firmware.shows(Output.REAR_LOCK + SEAT))
    pair.run_for(0.1)
    drive_bolt(pair)
    assert [freed(pair) for _ in range(3)] == [2, 1, 1]


def test_bolts_that_a_person_drives_after_the_lift_are_counted() -> None:
    pair = Pair(machine=replace(FAST, blinds=True), faults=READABLE).fed().placed(SEAT, 33, 32)
    pair.wires.kept[SEAT] = 13
    restarted(pair)
    pair.ready()
    pair.bring_up()
    for output in (Output.LIFT, Output.REAR_LOCK + SEAT, Output.REAR_LOCK + SEAT):
        pair.done(Drive(output, 500))
    assert pair.refusal(Drive(Output.LIFT, 500)) is NakCode.BUSY, "a magazine is not empty"
    pair.stop_and_clear()
    assert [freed(pair), freed(pair)] == [1, 1]


def test_a_bolt_seen_drawn_without_its_coil_is_counted_and_told(pair: Pair) -> None:
    pair.firmware.board.stick(BOLT_IS_DRAWN, PinReading.HIGH)
    pair.run_for(0.2)
    pair.firmware.board.stick(BOLT_IS_DRAWN, PinReading.AS_WIRED)
    pair.run_for(0.2)
    assert pair.faults() == [(FaultCode.LOCK, Where.MAGAZINE + SEAT)]
    drawn(pair)
    assert rests(pair, Output.REAR_LOCK + SEAT), "this blind has moved on before"


@pytest.mark.parametrize("after_s", [0.11, 0.125, 0.14, 0.18, 0.25])
def test_power_that_fails_while_walls_rise_leaves_each_blind_before_its_first_tile(after_s: float) -> None:
    pair = Pair(machine=replace(FAST, blinds=True))
    fill_trays(pair)
    pair.submit(Raise())
    pair.run_until(lambda: pair.firmware.shows(Output.LIFT))
    pair.run_for(after_s)
    restarted(pair)
    pair.run_for(1.0)
    assert [freed(pair), freed(pair)] == [1, 1]


@pytest.mark.parametrize("how", ["silence", "stop"])
def test_neither_bolt_nor_shutter_begins_to_move_after_silence_or_stop(pair: Pair, how: str) -> None:
    drawn(pair)
    shutter_is_held(pair)
    pair.submit(Unlock(SEAT, LEASE_MS))
    pair.run_for(0.1)
    if how == "stop":
        pair.done(Stop())
    else:
        pair.cut = True
        pair.run_for(0.5)
    shutter_is_held(pair, PinReading.AS_WIRED)
    assert rests(pair, Output.LOCK + SEAT, Output.REAR_LOCK + SEAT)
    if how == "stop":
        assert pair.refusal(Unlock(1, LEASE_MS)) is NakCode.STOPPED
        pair.done(Clear(FaultCode.STOP))
    pair.cut = False
    pair.run_until(lambda: pair.firmware.shows(Output.LOCK + SEAT))


def test_the_shutter_stays_shut_where_the_host_falls_silent_in_the_pulse(pair: Pair) -> None:
    drawn(pair)
    pair.run_until(lambda: pair.firmware.shows(Output.REAR_LOCK + SEAT))
    pair.submit(Unlock(SEAT, LEASE_MS))
    pair.run_for(0.05)
    pair.cut = True
    assert rests(pair, Output.LOCK + SEAT)


def test_a_second_unlock_is_busy_while_the_first_waits_for_the_bolt(pair: Pair) -> None:
    drawn(pair)
    first = pair.submit(Unlock(SEAT, LEASE_MS))
    assert pair.refusal(Unlock(SEAT, LEASE_MS)) is NakCode.BUSY
    assert pair.end_of(first) is Result.OK
    assert pair.done(Unlock(SEAT, LEASE_MS)).result is Result.OK


@pytest.mark.parametrize("reads", [None, PinReading.AS_WIRED, PinReading.LOW], ids=["no lease", "a lease", "a lease too short"])
def test_a_shutter_that_opens_unasked_is_a_fault_as_soon_after_a_lease_as_before(pair: Pair, reads: PinReading | None) -> None:
    if reads is not None:
        shutter_is_held(pair, reads)
        pair.done(Unlock(SEAT, 200))
        pair.run_for(0.5)
        shutter_is_held(pair, PinReading.AS_WIRED)
    openings = 0
    while not pair.faults():
        openings += 1
        for now in (PinReading.HIGH, PinReading.AS_WIRED):
            shutter_is_held(pair, now)
            pair.run_for(0.2)
    assert openings <= 3


def test_where_there_are_rear_gates_renew_knows_no_further_gate_that_is_open() -> None:
    pair = raised()
    pair.done(Unlock(0, LEASE_MS))
    assert [pair.refusal(Renew(gate, 1000)) for gate in (8, 32)] == [NakCode.NOT_OPEN] * 2


def test_the_emergency_stop_lets_no_bolt_move(pair: Pair) -> None:
    drawn(pair)
    shutter_is_held(pair)
    pair.run_for(0.2)
    pair.mechanics.hands.set_estop(True, pair.now_s)
    pair.run_for(0.1)
    shutter_is_held(pair, PinReading.AS_WIRED)
    assert rests(pair, Output.REAR_LOCK + SEAT)
    assert not pair.faults()
    pair.mechanics.hands.set_estop(False, pair.now_s)
    assert rests(pair, Output.REAR_LOCK + SEAT), "a person has not cleared it"
    pair.done(Clear(FaultCode.ESTOP))
    pair.run_until(lambda: pair.firmware.shows(Output.REAR_LOCK + SEAT))
    assert freed(pair) == 1


def test_a_board_reads_an_old_record_as_rear_gates_and_refuses_what_is_neither() -> None:
    record = TableRecord(b"TABLE-07").encode()
    assert record[28:36] == bytes(8)
    body = bytearray(record[:36])
    body[28] = 2
    with pytest.raises(RecordError, match="rear gates or blinds"):
        decode(bytes(body) + zlib.crc32(body).to_bytes(4, "little"))
    with pytest.raises(RecordError, match="no blinds"):
        TableRecord(b"TABLE-07", lanes=True, blinds=True, **LANE_SIZES)


def test_an_emergency_stop_that_cuts_a_pulse_is_no_fault_of_the_bolt(pair: Pair) -> None:
    drawn(pair)
    pair.firmware.board.stick(BOLT_IS_DRAWN, PinReading.LOW)
    pair.run_until(lambda: pair.firmware.shows(Output.REAR_LOCK + SEAT))
    pair.mechanics.hands.set_estop(True, pair.now_s)
    pair.run_for(2.0)
    assert pair.faults() == []


def test_the_bolt_rests_while_the_lift_is_not_down(pair: Pair) -> None:
    pair.done(Unlock(SEAT, LEASE_MS))
    pair.firmware.board.stick(Input.LIFT_DOWN, PinReading.LOW)
    assert lift(pair) is not None
    assert rests(pair, Output.REAR_LOCK + SEAT)
    pair.firmware.board.stick(Input.LIFT_DOWN, PinReading.AS_WIRED)
    pair.run_for(2.0)
    assert freed(pair) == 1
