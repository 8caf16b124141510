"""A part that sticks fails its operation at once; what else is under way waits until a person has cleared the fault."""

from __future__ import annotations

from dataclasses import replace

import pytest

from firmware_bridge.link.events import Acked, Done, FeederEvent, OperationRefused
from firmware_bridge.messages import (
    ALL_SEATS,
    Bypass,
    Clear,
    Command,
    Container,
    Dump,
    Fault,
    FaultCode,
    Feed,
    FeederState,
    Hold,
    OpenWell,
    Place,
    Raise,
    Release,
    Result,
    Return,
    Where,
)
from simulator.mechanics import FaultPlan, MechanicsSettings
from tests.support.link.pair import Pair

QUICK = MechanicsSettings(speed=20.0)
NEVER_S = 10_000.0
STICKS = FaultPlan(unread=0.0, jam=0.5, jam_needs_hand=1.0)


def fed(pair: Pair) -> Pair:
    """Bring one tile to the gate and no further one."""
    pair.do(Feed())
    pair.run_until(lambda: pair.status().gate_occupied)
    pair.do(Hold())
    return pair


@pytest.mark.parametrize(
    ("machine", "command", "code", "where"),
    [
        (replace(QUICK, dump_s=NEVER_S), Dump(Container.TRAY, 1), FaultCode.JAM, Where.TRAY + 1),
        (replace(QUICK, dump_s=NEVER_S), Dump(Container.MAGAZINE, ALL_SEATS), FaultCode.JAM, Where.MAGAZINE),
        (replace(QUICK, raise_s=NEVER_S), Raise(), FaultCode.JAM, Where.TABLE),
        (replace(QUICK, door_s=NEVER_S), OpenWell(), FaultCode.WELL, Where.WELL),
    ],
)
def test_a_floor_a_lift_and_a_door_that_do_not_come_home_fail_with_their_name(
    machine: MechanicsSettings, command: Command, code: FaultCode, where: int
) -> None:
    pair = Pair(machine=machine)
    pair.up()
    answer = pair.do(command)
    assert isinstance(answer, Done)
    assert answer.result is Result.FAILED
    (fault,) = pair.all(Fault)
    assert (fault.code, fault.where, fault.operation) == (code, where, answer.operation)
    assert (pair.firmware.state is FeederState.STOPPED) is (code is FaultCode.JAM)


def answers(pair: Pair, operation: int) -> list[FeederEvent]:
    """All that has been answered to an operation."""
    return [event for event in pair.events if isinstance(event, Acked | Done | OperationRefused) and event.operation == operation]


def stuck_at_the_gate(seed: int) -> tuple[Pair, int, float] | None:
    """A pair with a tile in a tray, one in cell 1, and a third that has begun to stick; None where an earlier one stuck."""
    pair = Pair(machine=QUICK, faults=STICKS, seed=seed)
    pair.up()
    for command in (Place(0, 30), Bypass(1)):
        answer = fed(pair).do(command)
        assert isinstance(answer, Done)
        if answer.result is not Result.OK:
            return None
    began_s = fed(pair).now_s
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
    again = stuck_at_the_gate(seed)
    assert again is not None
    pair, stuck, _ = again
    behind = pair.submit(Release(1, 2, 5))
    pair.run_for(needed_s - 0.03)
    moving = pair.submit(Return(0, 30))
    failed = pair.answer_to(stuck)
    assert isinstance(failed, Done)
    assert failed.result is Result.FAILED
    pair.run_for(3.0)
    assert [[type(event) for event in answers(pair, operation)] for operation in (behind, moving)] == [[Acked], [Acked]]
    for part in pair.mechanics.hands.stuck():
        pair.mechanics.hands.free(part, pair.now_s)
    pair.do(Clear(FaultCode.JAM))
    ended = [pair.answer_to(behind), pair.answer_to(moving)]
    assert [event.result for event in ended if isinstance(event, Done)] == [Result.ABORTED, Result.DISTURBED]
    pair.run_until(lambda: pair.firmware.state is FeederState.READY)
