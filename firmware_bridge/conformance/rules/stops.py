"""STOP, emergency stop, lid, rest and restart: what moves stops, and nothing goes on before it may (PROTOCOL.md, rules 2 and 4)."""

from collections.abc import Iterator
from contextlib import contextmanager

from firmware_bridge.conformance.bench import Bench, name_of, rule
from firmware_bridge.conformance.bench_line import Broken, HandsAct, NotTriedError
from firmware_bridge.conformance.preparing import feed_one, greet, place_one, raise_one
from firmware_bridge.electrics.wiring import Input
from firmware_bridge.messages import (
    Bypass,
    Clear,
    Container,
    DoneReport,
    Dump,
    Estop,
    Fault,
    FaultCode,
    Feed,
    FeederState,
    Flags,
    Hello,
    HelloAck,
    Lid,
    NakCode,
    Pins,
    PinsRequest,
    Place,
    Raise,
    Result,
    Sense,
    Stop,
    Unlock,
    Where,
)

_RULES = "Rules"
_SAFETY_S = 0.1
_LEAVES_GATE_S = 2.0
STUCK_S = 30.0
"""Three attempts at a real table's pace take a third of it."""
_NONCE = 99
_SEAT = 2
_IDLE_S = 10.0


@rule(_RULES)
def stop_stops(bench: Bench) -> None:
    """After STOP the motors are off and motion is STOPPED until CLEAR.

    Tried: STOP, then FEED, BYPASS, DUMP and RAISE; CLEAR, and BYPASS again.
    """
    feed_one(bench)
    bench.do(Stop())
    stands(bench, FaultCode.STOP)
    for command in (Feed(), Bypass(0), Dump(Container.TRAY, 0), Raise()):
        bench.refuse(command, NakCode.STOPPED)
    bench.do(Clear(FaultCode.STOP))
    bench.do(Bypass(0))


@rule(_RULES)
def stop_disturbs(bench: Bench) -> None:
    """What was on its way when the motors stopped ends as DISTURBED, so that its place is not trusted.

    Tried: STOP while a tile is on its way to a tray, then CLEAR.
    """
    feed_one(bench)
    operation = bench.order(Place(0, bench.last_place))
    bench.answer(operation)
    end_s = bench.now_s + _LEAVES_GATE_S
    while bench.status().gate_occupied:
        if bench.now_s > end_s:
            raise Broken(f"the tile has not left the gate after {_LEAVES_GATE_S:g} s")
        bench.pass_time(0.005)
    bench.do(Stop())
    if any(isinstance(answer, DoneReport) for answer in bench.answers(operation)):
        raise NotTriedError("the tile had arrived before STOP came: the machine is too quick for this line")
    bench.do(Clear(FaultCode.STOP))
    bench.ended(operation, Result.DISTURBED)


@rule("Messages, host to firmware")
def clear_of_nothing(bench: Bench) -> None:
    """CLEAR of a fault that is not there is done and changes nothing.

    Tried: CLEAR of every fault.
    """
    for fault in FaultCode:
        bench.do(Clear(fault))
    if bench.status().faults - {FaultCode.NONE}:
        raise Broken("CLEAR has made a fault")


@rule(_RULES)
def idle_current(bench: Bench) -> None:
    """When nothing has moved for 10 s the motors are off and the machine is READY, and the next order brings them back.

    Tried: a tile fed; MOTORS_ON and the state before and after 10 s; BYPASS.
    """
    feed_one(bench)
    bench.pass_time(_IDLE_S - 2.0)
    early = bench.status()
    bench.pass_time(3.0)
    late = bench.status()
    on = [Flags.MOTORS_ON in status.flags for status in (early, late)]
    if on != [True, False] or late.state is not FeederState.READY:
        raise Broken(f"{_IDLE_S - 2.0:g} and {_IDLE_S + 1.0:g} s at rest MOTORS_ON is {on}, and the state {late.state.name}")
    bench.do(Bypass(0))


@rule(_RULES, hands=True)
def emergency_stop(bench: Bench) -> None:
    """An emergency stop is reported, motors are off and locks shut within 100 ms; after its release and CLEAR the machine homes.

    Tried: a lock opened, the stop pressed; UNLOCK and FEED, CLEAR before and after the release, FEED.
    """
    raise_one(bench, 0)
    bench.do(Unlock(0, 60_000))
    mark = bench.mark()
    with bench.held(HandsAct.PRESS_ESTOP):
        bench.wait(Estop, 1.0, since=mark, when=lambda event: event.on)
        bench.pass_time(_SAFETY_S)
        status = bench.status()
        if Flags.MOTORS_ON in status.flags or Flags.ESTOP not in status.flags or status.open_locks:
            raise Broken(f"100 ms after ESTOP the flags are {status.flags!r} and the locks {sorted(status.open_locks)} are open")
        bench.refuse(Unlock(0, 1000), NakCode.STOPPED)
        bench.refuse(Feed(), NakCode.STOPPED)
        bench.refuse(Clear(FaultCode.ESTOP), NakCode.STILL_THERE)
    bench.wait(Estop, 1.0, since=mark, when=lambda event: not event.on)
    bench.refuse(Feed(), NakCode.STOPPED)
    homes_after(bench, FaultCode.ESTOP)
    feed_one(bench)


@rule(_RULES, hands=True)
def lid(bench: Bench) -> None:
    """The lid is reported and stops motion, which needs the lid shut and CLEAR; then the machine homes.

    Tried: the lid opened, FEED and CLEAR; the lid shut, the motors a second later, FEED; CLEAR, FEED.
    """
    mark = bench.mark()
    with bench.held(HandsAct.OPEN_LID):
        bench.wait(Lid, 1.0, since=mark, when=lambda event: event.open)
        bench.pass_time(_SAFETY_S)
        status = bench.status()
        if Flags.MOTORS_ON in status.flags or Flags.LID_OPEN not in status.flags:
            raise Broken(f"with the lid open the flags are {status.flags!r}")
        bench.refuse(Feed(), NakCode.STOPPED)
        bench.refuse(Clear(FaultCode.LID), NakCode.STILL_THERE)
    bench.wait(Lid, 1.0, since=mark, when=lambda event: not event.open)
    bench.pass_time(1.0)
    stands(bench, FaultCode.LID)
    bench.refuse(Feed(), NakCode.STOPPED)
    homes_after(bench, FaultCode.LID)
    feed_one(bench)


def homes_after(bench: Bench, fault: FaultCode) -> None:
    """Raise Broken unless the machine homes after CLEAR of a fault."""
    bench.do(Clear(fault))
    if bench.status().state is not FeederState.HOMING:
        raise Broken(f"after {fault.name} it does not home, though hands may have pushed its carriages")


@rule("Session", hands=True)
def restart(bench: Bench) -> str:
    """A restart has a new boot id, remembers no operation, locks every gate and reports the tile in the gate again.

    Tried: a placed tile, one at the gate, a restart; HELLO_ACK, the numbers, the events and the occupancy.
    """
    place_one(bench, 0, bench.last_place)
    feed_one(bench)
    before = bench.ask(Hello(_NONCE, 1, 1), HelloAck)
    hello = _restarted(bench, before)
    if hello.boot_id == before.boot_id or hello.uid != before.uid:
        raise Broken(f"boot id {before.boot_id} became {hello.boot_id}, uid {before.uid.hex()} {hello.uid.hex()}")
    if hello.last_operation != 0:
        raise Broken(f"after a restart the last operation is {hello.last_operation}")
    status = bench.status()
    if status.trays[0] != {bench.last_place} or status.open_locks or not status.gate_occupied:
        raise Broken("after a restart occupancy and locks are not what the sensors see")
    if status.counters.placed:
        raise Broken("the counters did not begin again")
    answer = bench.answer(bench.order(Sense(), 1))
    if not isinstance(answer, DoneReport):
        raise Broken(f"operation 1 was answered {name_of(answer)}")
    return hello.reset_reason.name


def _restarted(bench: Bench, before: HelloAck) -> HelloAck:
    """Have the machine restarted, and greet it."""
    mark = bench.mark()
    bench.ask_hands(HandsAct.RESTART)
    bench.until(lambda: _greeted_anew(bench, mark, before.boot_id), 20.0)
    return greet(bench)


def _greeted_anew(bench: Bench, mark: int, boot_id: int) -> bool:
    bench.send(Hello(_NONCE, 1, 1))
    bench.pass_time(0.2)
    return any(hello.boot_id != boot_id for hello in bench.messages(HelloAck, mark))


def stands(bench: Bench, fault: FaultCode) -> None:
    """Raise Broken unless the machine stands without power for its motors, and says that this fault keeps it so."""
    status = bench.status()
    if status.state is not FeederState.STOPPED or Flags.MOTORS_ON in status.flags or fault not in status.faults:
        raise Broken(f"with {fault.name} it is {status.state.name} with {status.flags!r} and the faults {sorted(status.faults)}")


@rule("Session", hands=True)
def end_switch(bench: Bench) -> str:
    """A carriage whose end switch does not close is reported with its shuttle, and the machine stands until CLEAR and homes again.

    Tried: the plug of an end switch pulled, a restart; the fault, the motors; the plug put back, CLEAR.
    """
    with _reported_at_start(bench, HandsAct.PULL_END_SWITCH, _SEAT, FaultCode.HOME_OPEN, Where.SHUTTLE + _SEAT) as needed_s:
        return f"reported {needed_s:.1f} s after the restart was asked for"


@rule("Session", hands=True)
def lift_comes_first(bench: Bench) -> None:
    """No carriage moves at a start before the lift is down; one that does not come down is reported, and the machine stands until CLEAR.

    Tried: a carriage at its chute, the plug of the lift's switch pulled, a restart; the fault, the end switches; the plug put back, CLEAR.
    """
    place_one(bench, _SEAT, bench.last_place)
    bench.pass_time(_LEAVES_GATE_S)
    before = _end_switches(bench)
    with _reported_at_start(bench, HandsAct.PULL_LIFT_SWITCH, 0, FaultCode.JAM, Where.TABLE):
        if _end_switches(bench) != before:
            raise Broken("a carriage has moved while the lift was not down")


def _end_switches(bench: Bench) -> int:
    return bench.ask(PinsRequest(), Pins).inputs[Input.HOME // 8] >> Input.HOME % 8


@contextmanager
def _reported_at_start(bench: Bench, pull: HandsAct, seat: int, code: FaultCode, where: int) -> Iterator[float]:
    """How long it takes until a plug that is pulled is reported at a restart; then it is put back. Raises Broken unless the machine
    stands meanwhile, and comes home afterwards."""
    before = bench.ask(Hello(_NONCE, 1, 1), HelloAck)
    with bench.held(pull, seat):
        bench.pass_time(_SAFETY_S)  # what the pulled plug makes of the machine that runs is another matter
        mark, began_s = bench.mark(), bench.now_s
        _restarted(bench, before)
        reported(bench, mark, code, where)
        yield bench.now_s - began_s
    bench.do(Clear(FaultCode.LID))
    bench.do(Clear(code))
    at_home(bench)


def reported(bench: Bench, mark: int, code: FaultCode, where: int) -> None:
    """Raise Broken unless this fault is reported since a mark, before any other, and the machine stands."""
    fault = bench.wait(Fault, STUCK_S, since=mark)
    if (fault.code, fault.where) != (code, where):
        raise Broken(f"{code.name} at {where:#04x} is to be reported, and it reported {fault}")
    stands(bench, code)


def at_home(bench: Bench) -> None:
    """Raise Broken unless the machine comes home."""
    if not bench.until(lambda: bench.status().state is FeederState.READY, STUCK_S):
        raise Broken(f"after CLEAR it does not come home, and is {bench.status().state.name}")
