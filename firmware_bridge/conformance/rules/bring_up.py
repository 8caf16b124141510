"""Bring-up: inputs are read and outputs driven one at a time, before the machine can home (PROTOCOL.md, rule 13)."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from firmware_bridge.conformance.bench import Bench, name_of, rule
from firmware_bridge.conformance.bench_line import Broken, HandsAct, NotTriedError
from firmware_bridge.conformance.preparing import greet, place_one, raise_one
from firmware_bridge.conformance.rules.stops import at_home, homes_after, stands
from firmware_bridge.electrics.wiring import DRIVE_INWARD, DRIVE_OUTWARD, PLACES_A_SEAT, Input, Output
from firmware_bridge.messages import (
    ALL_SEATS,
    BringUp,
    Clear,
    Container,
    DoneReport,
    Drive,
    Dump,
    FaultCode,
    Feed,
    FeederState,
    Hold,
    NakCode,
    Pins,
    PinsRequest,
    Result,
    Sense,
    Stop,
)

_RULES = "Rules"
_SEAT = 1
_LOCK, _LOCK_IS_OPEN = Output.LOCK + _SEAT, Input.LOCK_IS_OPEN + _SEAT
_MARGIN_S = 0.1
_WAY_STEPS = 40
"""More than an end switch's hysteresis."""
_BARS = (
    ((HandsAct.DRAW_BOLT,), Output.DRUM, Output.LIFT),
    ((HandsAct.PULL_LIFT_SWITCH,), Output.DRUM, DRIVE_OUTWARD),
    ((HandsAct.DRAW_BOLT, HandsAct.PULL_LIFT_SWITCH), _LOCK, Output.DRUM),
    ((HandsAct.PULL_GRIPPER,), Output.DRUM, DRIVE_OUTWARD),
)
"""What bars a way; what is driven all the same, and what is not."""


def _reads(bench: Bench, number: int) -> bool:
    return bool(bench.ask(PinsRequest(), Pins).inputs[number // 8] >> number % 8 & 1)


@contextmanager
def _brought_up(bench: Bench) -> Iterator[None]:
    """A machine in bring-up; afterwards it is at home again."""
    bench.do(BringUp())
    try:
        yield
    finally:
        bench.do(Stop())
        bench.do(Clear(FaultCode.STOP))
        at_home(bench)


@rule("Messages, host to firmware")
def pins(bench: Bench) -> None:
    """PINS has every input as it is read, in any state.

    Tried: a tile placed; the bits of its place, of the place beside it, of an end switch and of the emergency stop.
    """
    place = Input.TRAY + PLACES_A_SEAT * _SEAT + bench.last_place
    place_one(bench, _SEAT, bench.last_place)
    read = [_reads(bench, number) for number in (place, place + 1, Input.DOOR_IS_SHUT, Input.ESTOP)]
    if read != [True, False, True, False]:
        raise Broken(f"of a full place, an empty one, the shut door and the released stop PINS says {read}")


@rule(_RULES)
def bring_up(bench: Bench) -> None:
    """Bring-up begins at rest only, forbids all but DRIVE and STOP, and leaves a machine that stands until CLEAR and homes.

    Tried: DRIVE, and BRING_UP while it feeds; BRING_UP, the state, SENSE and FEED; STOP, CLEAR, and the state.
    """
    bench.refuse(Drive(_LOCK, 100), NakCode.WRONG_MODE)
    bench.do(Feed())
    bench.refuse(BringUp(), NakCode.BUSY)
    bench.do(Hold())
    if not bench.until(lambda: isinstance(bench.attempt(BringUp()), DoneReport), 2 * bench.capabilities.gate_period_ms / 1000 + 2.0):
        raise Broken("at rest it refuses BRING_UP")
    if bench.status().state is not FeederState.BRING_UP:
        raise Broken(f"after BRING_UP it is {bench.status().state.name}")
    for command in (Sense(), Feed(), Clear(FaultCode.STOP)):
        bench.refuse(command, NakCode.WRONG_MODE)
    bench.do(Stop())
    stands(bench, FaultCode.STOP)
    homes_after(bench, FaultCode.STOP)
    at_home(bench)


@rule(_RULES)
def drive(bench: Bench) -> None:
    """DRIVE switches one output on for its time; a carriage makes its steps, and no DRIVE of the lift begins while it is away.

    Tried: a lock for 300 ms, its switch before, meanwhile and afterwards, a second DRIVE meanwhile; outputs and times that cannot be;
    a carriage away from its end switch, the lift, and the carriage back.
    """
    with _brought_up(bench):
        pass  # it homes, wherever a rule before this one has left its carriages
    with _brought_up(bench):
        operation = bench.order(Drive(_LOCK, 300))
        bench.pass_time(0.3 - _MARGIN_S)
        meanwhile = _reads(bench, _LOCK_IS_OPEN)
        bench.refuse(Drive(_LOCK + 1, 100), NakCode.BUSY)
        end = bench.ended(operation, Result.OK)
        bench.pass_time(_MARGIN_S)
        afterwards = _reads(bench, _LOCK_IS_OPEN)
        if end.ms < 300 or not meanwhile or afterwards:
            raise Broken(f"driven for 300 ms it answered {name_of(end)}, the lock's switch {meanwhile}, then {afterwards}")
        for output, amount in ((_LOCK, 0), (_LOCK, 1001), (DRIVE_OUTWARD, 65), (100, 1)):
            bench.refuse(Drive(output, amount), NakCode.NO_SUCH_PLACE)
        read = [_reads(bench, Input.HOME + _SEAT)]
        for way in (DRIVE_OUTWARD, DRIVE_INWARD):
            bench.do(Drive(way + _SEAT, _WAY_STEPS))
            if way == DRIVE_OUTWARD:
                bench.refuse(Drive(Output.LIFT, 100), NakCode.BUSY)
            read.append(_reads(bench, Input.HOME + _SEAT))
        if read != [True, False, True]:
            raise Broken(f"the end switch of a carriage that went {_WAY_STEPS} steps and came back read {read}")


@rule(_RULES, hands=True)
def bring_up_keeps_the_lift(bench: Bench) -> None:
    """In bring-up the lift is not driven with a tile in a magazine or a gate open, a motor not with a gate open beside a lift that is not
    down, and a carriage neither beside such a lift nor under a gripper that is down.

    Tried: a tile raised, DRIVE of the lift; the magazines emptied, a bolt drawn by hand and plugs of these switches pulled, DRIVE of what
    is barred and of what is not.
    """
    raise_one(bench, _SEAT)
    with _brought_up(bench):
        pass  # it homes, so that no carriage bars the lift
    with _brought_up(bench):
        bench.refuse(Drive(Output.LIFT, 100), NakCode.BUSY)
    bench.do(Dump(Container.MAGAZINE, ALL_SEATS))
    with _brought_up(bench):
        for acts, driven, barred in _BARS:
            with ExitStack() as held:
                for act in acts:
                    held.enter_context(bench.held(act))
                bench.pass_time(_MARGIN_S)
                bench.do(Drive(driven, 100))
                bench.refuse(Drive(barred, _WAY_STEPS), NakCode.BUSY)


@rule(_RULES)
def bring_up_ends_in_silence(bench: Bench) -> None:
    """After 300 ms without HEARTBEAT nothing is driven any more; after 1 s the bring-up is over and the machine stands.

    Tried: DRIVE for 1 s, silence, the lock's switch; a new session, the state.
    """
    bench.do(BringUp())
    bench.order(Drive(_LOCK, 1000))
    with bench.silent():
        bench.pass_time(bench.capabilities.hold_after_ms / 1000 - _MARGIN_S)
        driven = _reads(bench, _LOCK_IS_OPEN)
        bench.pass_time(3 * _MARGIN_S)
        held = _reads(bench, _LOCK_IS_OPEN)
        bench.pass_time(bench.capabilities.motors_off_after_ms / 1000 - 2 * _MARGIN_S)
    if (driven, held) != (True, False):
        raise Broken(f"the lock's switch was {driven} before 300 ms of silence were over, and {held} afterwards")
    greet(bench)
    stands(bench, FaultCode.STOP)


@rule(_RULES, hands=True)
def bring_up_obeys_stops(bench: Bench) -> None:
    """Emergency stop and lid end what is driven as DISTURBED, and nothing is driven until both are released.

    Tried: the stop pressed while an output is driven, its answer and PINS, DRIVE; the stop released, DRIVE.
    """
    with _brought_up(bench):
        began_s = bench.now_s
        operation = bench.order(Drive(_LOCK, 1000))
        bench.answer(operation)
        with bench.held(HandsAct.PRESS_ESTOP):
            pressed_s = bench.now_s - began_s
            end = bench.end(operation)
            pressed = _reads(bench, Input.ESTOP)
            bench.refuse(Drive(_LOCK, 100), NakCode.STOPPED)
        bench.pass_time(_MARGIN_S)
        bench.do(Drive(_LOCK, 100))
        if not pressed:
            raise Broken("with the emergency stop pressed PINS says that it is released")
        with bench.held(HandsAct.OPEN_LID):
            bench.pass_time(_MARGIN_S)
            bench.refuse(Drive(_LOCK, 100), NakCode.STOPPED)
        bench.pass_time(_MARGIN_S)
    if not isinstance(end, DoneReport) or end.result is not Result.DISTURBED:
        if pressed_s > 1 - _MARGIN_S:
            raise NotTriedError("the stop came when the output was off again: press it within a second")
        raise Broken(f"what the emergency stop had cut was answered {name_of(end)}")
