"""Whatever is ordered, sent or done to the C core, it breaks nothing, and says where a hand is needed."""

import subprocess
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest

from firmware_bridge.board.library import PinReading
from firmware_bridge.electrics.wiring import Input, Output
from firmware_bridge.link.events import Acked, Done, FeederEvent, OperationRefused
from firmware_bridge.messages import (
    ALL_SEATS,
    PLACE_EDGES,
    Bypass,
    Clear,
    Command,
    Container,
    Dump,
    Fault,
    FaultCode,
    FeederState,
    Hold,
    Lid,
    OpenWell,
    Place,
    Raise,
    Release,
    Result,
    Return,
    Where,
)
from simulator.feeder_simulator import CoreFirmware
from simulator.mechanics import FaultPlan, MechanicsSettings
from simulator.tabletop import tile_set
from tests.support.firmware.core_board import built
from tests.support.firmware.variants import Replacement, variant
from tests.support.link.pair import FinePair, Pair
from tests.support.narrowed import of_type, present


def gripper_is(pair: Pair, shut: bool) -> bool:
    """Whether the gripper of seat 0 is told to be shut, or open."""
    return pair.firmware.shows(Output.PICKER) is shut


@pytest.mark.nightly
def test_random_bytes_operations_and_switches_break_nothing_under_the_sanitizers() -> None:
    done = subprocess.run([built("build/fuzz", "fuzz"), "--runs", "60", "--seed", "1"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "nothing broke" in done.stdout


@pytest.mark.parametrize("carried_s", [0.1, 0.14])
def test_a_power_cut_while_a_tile_is_carried_opens_no_gripper_on_the_way(carried_s: float) -> None:
    pair = Pair(machine=MechanicsSettings(speed=4.0)).fed()
    pair.submit(Place(0, 30))
    pair.run_until(lambda: pair.mechanics.carried != 0)
    pair.run_for(carried_s)
    assert pair.mechanics.carried
    pair.reboot()
    pair.ready()
    assert not any(pair.mechanics.levels().trays)
    assert len(pair.mechanics.census()["drum"]) + len(pair.mechanics.census()["gate"]) == 136


def placed_while_loosened(pair: Pair) -> Done | OperationRefused:
    """The answer where a tile falls while its gripper is being loosened."""
    operation = pair.submit(Place(0, 5))
    for shut in (True, False, True):  # it grips, lets go, and, as nothing has fallen, grips again
        pair.run_until(partial(gripper_is, pair, shut))
    pair.firmware.touch(Input.PICKED, False)
    pair.firmware.touch(Input.TRAY + 5, True)
    return pair.answer_to(operation)


@pytest.mark.parametrize("speed", [1.0, 20.0])
def test_a_tile_that_falls_while_its_gripper_is_being_loosened_has_been_placed_and_nothing_disagrees(speed: float) -> None:
    pair = Pair(machine=MechanicsSettings(speed=speed, drop_s=60.0)).fed()
    answer = of_type(Done, placed_while_loosened(pair))
    assert (answer.result, answer.sensors) == (Result.OK, PLACE_EDGES)
    pair.run_until(lambda: not pair.firmware.shows(Output.PICKER))
    assert not pair.faults()


QUICK = MechanicsSettings(speed=20.0)
NEVER_S = 10_000.0
STICKS = FaultPlan(unread=0.0, jam=0.5, jam_needs_hand=1.0)


@pytest.mark.parametrize(
    ("machine", "command", "code", "where"),
    [
        (replace(QUICK, dump_s=NEVER_S), Dump(Container.TRAY, 1), FaultCode.JAM, Where.TRAY + 1),
        (replace(QUICK, dump_s=NEVER_S), Dump(Container.MAGAZINE, ALL_SEATS), FaultCode.JAM, Where.MAGAZINE),
        (replace(QUICK, raise_s=NEVER_S), Raise(), FaultCode.JAM, Where.TABLE),
        (replace(QUICK, door_s=NEVER_S), OpenWell(), FaultCode.WELL, Where.WELL),
    ],
)
def test_floor_lift_and_door_that_stay_away_fail_by_name(machine: MechanicsSettings, command: Command, code: FaultCode, where: int) -> None:
    pair = Pair(machine=machine).linked()
    answer = pair.done(command)
    assert answer.result is Result.FAILED
    (fault,) = pair.all(Fault)
    assert (fault.code, fault.where, fault.operation) == (code, where, answer.operation)
    assert (pair.firmware.state is FeederState.STOPPED) is (code is FaultCode.JAM)


BELOW = pytest.mark.parametrize("command", [Dump(Container.TRAY, 2), Raise()])


def one_placed() -> Pair:
    return Pair(machine=MechanicsSettings(), tiles=tile_set(0)[:1]).fed().placed(2, 33)


@BELOW
def test_no_tray_is_emptied_and_no_wall_lifted_around_a_gripper_that_is_down_or_a_carriage_on_its_way(command: Command) -> None:
    pair = one_placed()
    assert not pair.firmware.shows(Output.PICKER + 2)
    pair.done(command)  # raises CollisionError where it does not wait for them
    assert not pair.faults()


@BELOW
def test_a_gripper_that_stays_down_after_its_tile_keeps_floor_and_lift_where_they_are(command: Command) -> None:
    pair = one_placed()
    pair.firmware.board.stick(Input.GRIPPER_UP + 2, PinReading.LOW)
    operation = pair.submit(command)
    assert pair.next_fault() == (FaultCode.SHUTTLE, Where.SHUTTLE + 2)
    assert not pair.firmware.shows(Output.LIFT)
    assert not pair.firmware.shows(Output.TRAY_FLOOR + 2)
    pair.firmware.board.stick(Input.GRIPPER_UP + 2, PinReading.AS_WIRED)
    pair.done(Clear(FaultCode.SHUTTLE))
    assert pair.end_of(operation) is Result.ABORTED


def answers(pair: Pair, operation: int) -> list[FeederEvent]:
    """All that has been answered to an operation."""
    return [event for event in pair.events if isinstance(event, Acked | Done | OperationRefused) and event.operation == operation]


def stuck_at_the_gate(seed: int) -> tuple[Pair, int, float] | None:
    """A pair with a tile in a tray, one in cell 1, and a third that has begun to stick; None where an earlier one stuck."""
    pair = Pair(machine=QUICK, faults=STICKS, seed=seed).linked()
    for command in (Place(0, 30), Bypass(1)):
        answer = pair.feed_one().done(command)
        if answer.result is not Result.OK:
            return None
    began_s = pair.feed_one().now_s
    return pair, pair.submit(Bypass(0)), began_s


def needed_until_it_fails(seed: int) -> tuple[int, float] | None:
    """The seed, and how long it takes until the third tile is given up; None where another one sticks, or none."""
    begun = stuck_at_the_gate(seed)
    if begun is None:
        return None
    pair, stuck, began_s = begun
    answer = pair.answer_to(stuck)
    return (seed, pair.now_s - began_s) if isinstance(answer, Done) and answer.result is Result.FAILED else None


def test_operations_under_way_at_a_jam_wait_for_the_person_and_are_not_trusted() -> None:
    seed, needed_s = next(found for found in map(needed_until_it_fails, range(100)) if found)
    pair, stuck, _ = present(stuck_at_the_gate(seed))
    behind = pair.submit(Release(1, 2, 5))
    pair.run_for(needed_s - 0.03)
    moving = pair.submit(Return(0, 30))
    assert pair.end_of(stuck) is Result.FAILED
    pair.run_for(3.0)
    assert [[type(event) for event in answers(pair, operation)] for operation in (behind, moving)] == [[Acked], [Acked]]
    for part in pair.mechanics.hands.stuck():
        pair.mechanics.hands.free(part, pair.now_s)
    pair.do(Clear(FaultCode.JAM))
    assert [pair.end_of(behind), pair.end_of(moving)] == [Result.ABORTED, Result.DISTURBED]
    pair.ready()


SLOW = MechanicsSettings(speed=4.0)
CUTS_MS = (-2.5, -1.75, -1.0, -0.5, 0.5)
"""When the lid is opened, from the millisecond in which the carriage makes its last step."""
FAR = 30
COLUMN = 21
"""The column of that position."""


@pytest.mark.parametrize("steps", [1, 8])
def test_a_carriage_with_few_steps_from_place_to_place_is_never_taken_as_between_them(steps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("actuators", "wired_machine"):
        monkeypatch.setattr(f"firmware_bridge.electrics.{module}.steps_per_position", lambda _speed: steps)
    pair = Pair(machine=MechanicsSettings(), faults=FaultPlan(unread=0.0)).fed()
    assert pair.done(Place(0, FAR)).result is Result.OK


def with_a_tile_on_its_way() -> Pair:
    """A pair whose first tile has just been gripped for a far place of seat 0."""
    pair = FinePair(machine=SLOW, faults=FaultPlan(unread=0.0)).linked().feed_one()
    pair.submit(Place(0, FAR))
    pair.run_until(lambda: pair.mechanics.carried != 0)
    return pair


def with_a_tile_to_fetch() -> Pair:
    """A pair whose shuttle has just set out for a tile in a far place of seat 0."""
    pair = with_a_tile_on_its_way()
    pair.answer_to(pair.operation)
    pair.run_until(lambda: steps_of(pair) == pair.wires.actuators.steps_per_position)
    pair.submit(Return(0, FAR))
    pair.run_until(lambda: steps_of(pair) != pair.wires.actuators.steps_per_position)
    return pair


def test_a_returned_tile_is_let_go_beside_the_chute_in_which_the_next_one_waits() -> None:
    pair = with_a_tile_to_fetch()
    fetched = pair.operation
    pair.feed_one()
    pair.submit(Place(0, FAR - 1))
    pair.run_until(lambda: len(pair.mechanics.census()["shuttles"]) == 2)
    pair.run_until(lambda: pair.mechanics.carried == 0)
    assert steps_of(pair) == 0
    pair.run_until(lambda: pair.mechanics.carried != 0)
    assert steps_of(pair) == pair.wires.actuators.steps_per_position
    pair.answer_to(fetched)


def steps_of(pair: Pair) -> int:
    """Where the carriage of seat 0 stands."""
    return pair.firmware.steps[0]


def arrival_s(begin: Callable[[], Pair]) -> float:
    """How long the carriage takes to the far place, to the millisecond."""
    pair = begin()
    began_s, target = pair.now_s, (COLUMN + 2) * pair.wires.actuators.steps_per_position
    pair.run_until(lambda: steps_of(pair) == target)
    return pair.now_s - began_s


@pytest.mark.parametrize("begin", [with_a_tile_on_its_way, with_a_tile_to_fetch])
def test_a_lid_that_opens_as_a_carriage_arrives_makes_no_gripper_work_between_two_places(begin: Callable[[], Pair]) -> None:
    whole_s = arrival_s(begin)
    for cut_ms in CUTS_MS:
        pair = begin()
        pair.run_for(whole_s + cut_ms / 1000)
        pair.mechanics.hands.set_lid(True, pair.now_s)
        pair.run_for(0.2)
        operation = pair.operation
        pair.mechanics.hands.set_lid(False, pair.now_s)
        pair.wait(Lid)
        pair.submit(Clear(FaultCode.LID))
        assert pair.end_of(operation) is Result.DISTURBED, cut_ms  # raises CollisionError where a gripper works at the wrong step
        pair.run_for(2.0)
        assert (pair.firmware.state, steps_of(pair)) == (FeederState.READY, 0)


def test_a_machine_that_does_not_come_home_names_the_part_and_tries_again_when_it_is_cleared() -> None:
    pair = Pair(machine=MechanicsSettings(speed=20.0, home_s=40.0))
    fault = pair.wait(Fault)
    assert (fault.code, fault.where, pair.firmware.state) == (FaultCode.JAM, Where.DRUM, FeederState.STOPPED)
    pair.do(Clear(FaultCode.JAM))
    assert pair.firmware.state is FeederState.HOMING
    pair.run_until(lambda: pair.firmware.shows(Output.PURGE))
    pair.run_for(0.01)
    pair.firmware.touch(Input.PURGE_SHUT, True)
    pair.ready()


class Unstacked(Pair):
    """Its firmware takes a position for a column, so that it lets the upper tile of a pair go beside the lower one."""

    def _boot(self) -> CoreFirmware:
        unstacked = Replacement("table.c", "const uint8_t to = column(table, position);", "const uint8_t to = position;")
        return CoreFirmware(self.wires, self.mechanics, self.boot_id, self.now_s, program=variant(unstacked))


@pytest.mark.parametrize(("kind", "ends"), [(Pair, [Result.OK, Result.OK]), (Unstacked, [Result.DISTURBED])])
def test_where_a_tile_lies_follows_from_where_its_carriage_stood_and_not_from_the_order(kind: type[Pair], ends: list[Result]) -> None:
    pair = kind(machine=MechanicsSettings(speed=20.0), faults=FaultPlan(unread=0.0)).linked()
    assert [pair.feed_one().done(Place(0, position)).result for position in (14, 13)[: len(ends)]] == ends
    lower, beside = pair.mechanics.tray(0)[14], pair.mechanics.tray(0)[16]
    assert (lower is None, beside is None) == (kind is Unstacked, kind is Pair)


class ShortCircuited(Pair):
    """At its board an end switch without its plug reads as closed."""

    def _boot(self) -> CoreFirmware:
        closed = Replacement("end_stop.h", "if (stop->unplugged)\n        return false;", "if (stop->unplugged)\n        return true;")
        return CoreFirmware(self.wires, self.mechanics, self.boot_id, self.now_s, program=variant(closed))


@pytest.mark.parametrize(("kind", "code"), [(Pair, FaultCode.HOME_OPEN), (ShortCircuited, FaultCode.HOME_SHUT)])
def test_an_end_switch_that_does_not_change_is_named_and_homing_begins_again_when_it_is_cleared(kind: type[Pair], code: FaultCode) -> None:
    pair = kind(machine=MechanicsSettings()).linked()
    pair.mechanics.hands.pull_plug(Input.HOME + 1, pair.now_s)
    pair.reboot()
    began_s = pair.now_s
    fault = pair.wait(Fault)
    assert (fault.code, fault.where, pair.firmware.state) == (code, Where.SHUTTLE + 1, FeederState.STOPPED)
    assert pair.now_s - began_s < 4.0
    pair.mechanics.hands.pull_plug(Input.HOME + 1, pair.now_s, pulled=False)
    pair.run_for(1.0)
    pair.operation = 0
    pair.done(Clear(code))
    pair.ready()
    assert pair.firmware.steps == (0,) * 8


def test_a_board_that_starts_finds_its_carriages_where_they_stand() -> None:
    pair = Pair().fed()
    pair.done(Hold())
    pair.done(Place(2, 33))
    pair.run_for(1.0)
    steps = pair.firmware.steps
    pair.reboot()
    assert pair.firmware.steps == steps
