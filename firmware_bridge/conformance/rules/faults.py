"""What sticks, does not come or contradicts: it is reported with its place, and the machine stands (PROTOCOL.md, rules 7 to 11)."""

from firmware_bridge.conformance.bench import Bench, name_of, rule
from firmware_bridge.conformance.bench_line import Broken, HandsAct
from firmware_bridge.conformance.preparing import feed_one, place_one
from firmware_bridge.conformance.rules.stops import STUCK_S, at_home, reported, stands
from firmware_bridge.messages import (
    Ack,
    Bypass,
    Clear,
    Command,
    Fault,
    FaultCode,
    Feed,
    NakCode,
    Place,
    Raise,
    Recirculate,
    Release,
    Result,
    Sensors,
    TileAtGate,
    Where,
)

_RULES = "Rules"
_QUICK_TILES, _QUICKLY_S = 17, 0.2
_SOON = 18.0
"""Times of RECIRCULATE, and what a host may add to it: 10 s of a real table."""
_SLACK_S = 0.25


@rule(_RULES, hands=True)
def what_sticks(bench: Bench) -> str:
    """A tile that sticks fails its operation, is reported with its place and stops the machine; what else was ordered stays open until
    CLEAR.

    Tried: the gate's tile held against BYPASS, with a RELEASE behind it; BYPASS again; the tile taken out, CLEAR.
    """
    feed_one(bench)
    bench.do(Bypass(0))
    feed_one(bench)
    mark, began_s = bench.mark(), bench.now_s
    with bench.held(HandsAct.HOLD_GATE_TILE):
        stuck, behind = bench.order(Recirculate()), bench.order(Release(0, 0, bench.last_place))
        fault = bench.wait(Fault, STUCK_S, since=mark)
        needed_s = bench.now_s - began_s
        _stuck_at_gate(bench, stuck, fault)
        if any(not isinstance(answer, Ack) for answer in bench.answers(behind)):
            raise Broken(f"the operation behind it was answered {name_of(bench.answers(behind)[-1])} before CLEAR")
    bench.do(Clear(FaultCode.LID))
    bench.do(Clear(FaultCode.JAM))
    bench.ended(behind, Result.ABORTED)
    return f"reported after {needed_s:.1f} s"


def _stuck_at_gate(bench: Bench, operation: int, fault: Fault) -> None:
    """Raise Broken unless this operation has failed with its tile in the gate, and the machine stands."""
    bench.ended(operation, Result.FAILED)
    if (fault.code, fault.where, fault.operation) != (FaultCode.JAM, Where.GATE, operation):
        raise Broken(f"the tile sticks in the gate under operation {operation}, and it reported {fault}")
    stands(bench, FaultCode.JAM)
    bench.refuse(Recirculate(), NakCode.STOPPED)


@rule(_RULES, hands=True)
def blocked_drum(bench: Bench) -> None:
    """A drum or belt that runs and brings no tile is reported with its place, soon where it was quick, and the machine stands until CLEAR.

    Tried: 17 tiles sent round; the drum blocked, FEED until no further tile comes, the state then; the drum freed, FEED, CLEAR, FEED.
    """
    soon_s = _soon_s(bench)
    with bench.held(HandsAct.BLOCK_DRUM):
        bench.do(Clear(FaultCode.LID))
        bench.do(Feed())
        mark, empty_s = bench.mark(), bench.now_s
        while not isinstance(_next_tile_or_fault(bench, mark), Fault):
            mark = bench.mark()
            bench.do(Recirculate())
            empty_s = bench.now_s
        fault = bench.messages(Fault, mark)[0]
        if bench.now_s - empty_s > soon_s:
            raise Broken(f"17 tiles came quickly, then none for {bench.now_s - empty_s:.2f} s until it was reported")
        if (fault.code, fault.where) != (FaultCode.NO_TILE, Where.DRUM):
            raise Broken(f"no tile comes from the drum, and it reported {fault}")
        stands(bench, FaultCode.NO_TILE)
    bench.do(Clear(FaultCode.LID))
    bench.refuse(Feed(), NakCode.STOPPED)
    bench.do(Clear(FaultCode.NO_TILE))
    feed_one(bench)


def _soon_s(bench: Bench) -> float:
    """How long a tile may be missed after 17 were brought and sent back: of a drum that is slow, as long as any fault."""
    slowest_s = round_s = 0.0
    for _ in range(_QUICK_TILES):
        asked_s = bench.now_s
        feed_one(bench)
        slowest_s = max(slowest_s, bench.now_s - asked_s)
        round_s = bench.do(Recirculate()).ms / 1000
    return _SOON * round_s + _SLACK_S if slowest_s < _QUICKLY_S else STUCK_S


def _next_tile_or_fault(bench: Bench, mark: int) -> TileAtGate | Fault:
    """The first of them since a mark; raises Broken when neither comes in time."""

    def come() -> list[TileAtGate | Fault]:
        return [*bench.messages(Fault, mark), *bench.messages(TileAtGate, mark)]

    if not bench.until(lambda: bool(come()), STUCK_S):
        raise Broken(f"the drum has run for {STUCK_S:g} s without a tile, and it reported nothing")
    return come()[0]


@rule(_RULES, hands=True)
def place_flag(bench: Bench) -> None:
    """A carriage that comes to rest beside its place is reported before its gripper works, and the machine stands until CLEAR.

    Tried: the plug of a place flag pulled, PLACE to that shuttle; the fault and the answer; the plug put back, CLEAR, FEED.
    """
    feed_one(bench)
    with bench.held(HandsAct.PULL_PLACE_FLAG, 1):
        mark = bench.mark()
        operation = bench.order(Place(1, bench.last_place))
        reported(bench, mark, FaultCode.SHUTTLE, Where.SHUTTLE + 1)
        if Sensors.PICKED in bench.ended(operation, Result.FAILED).sensors:
            raise Broken("a gripper has worked beside its place")
    bench.do(Clear(FaultCode.SHUTTLE))
    at_home(bench)


@rule(_RULES, hands=True)
def gripper_up(bench: Bench) -> None:
    """A gripper that is not up while nothing works is reported with its shuttle, and the machine stands until CLEAR.

    Tried: the plug of a gripper's upper switch pulled, BYPASS; the fault, the motors; the plug put back, CLEAR.
    """
    feed_one(bench)
    _unplugged(bench, HandsAct.PULL_GRIPPER, FaultCode.SHUTTLE, Where.SHUTTLE, Bypass(0))


@rule(_RULES, hands=True)
def gripper_stays_up(bench: Bench) -> None:
    """A gripper that works and is never seen down is reported with its shuttle, and the machine stands until CLEAR.

    Tried: the wires of a gripper's upper switch bridged, PLACE to that shuttle; the fault, the motors; the plug put back, CLEAR.
    """
    feed_one(bench)
    _unplugged(bench, HandsAct.BRIDGE_GRIPPER, FaultCode.SENSORS_DISAGREE, Where.SHUTTLE, Place(0, bench.last_place))


@rule(_RULES, hands=True)
def driver_line(bench: Bench) -> None:
    """A line of the drivers that is low while the motors run is reported, and the machine stands until CLEAR.

    Tried: the line's plug pulled, BYPASS; the fault, the motors; the plug put back, CLEAR.
    """
    feed_one(bench)
    # A person may need longer than motors stay on at rest.
    _unplugged(bench, HandsAct.PULL_DRIVER_LINE, FaultCode.DRIVER, Where.TABLE, Bypass(0))


@rule(_RULES, hands=True)
def drum_stands(bench: Bench) -> None:
    """A drum that is to turn and stands is reported before any tile is missed, and the machine stands until CLEAR.

    Tried: the plug of the drum's monitor pulled, FEED; the fault, the motors; the plug put back, CLEAR.
    """
    _unplugged(bench, HandsAct.PULL_DRUM_MONITOR, FaultCode.NO_TILE, Where.DRUM, Feed())


@rule(_RULES, hands=True)
def drum_turns(bench: Bench) -> None:
    """A drum that turns unasked is reported, and the machine stands until CLEAR.

    Tried: the wires of the drum's monitor bridged, BYPASS; the fault, the motors; the plug put back, CLEAR.
    """
    feed_one(bench)
    _unplugged(bench, HandsAct.BRIDGE_DRUM_MONITOR, FaultCode.DRIVER, Where.DRUM, Bypass(0))


@rule(_RULES, hands=True)
def sensor_contradicts(bench: Bench) -> None:
    """A switch that opens though nothing moves its part is reported with its place, and the machine stands until CLEAR.

    Tried: the plug of the well's switch pulled while the well is shut; the fault, the motors; the plug put back, CLEAR.
    """
    _unplugged(bench, HandsAct.PULL_DOOR_SWITCH, FaultCode.SENSORS_DISAGREE, Where.WELL)


@rule(_RULES, hands=True)
def lift_switch(bench: Bench) -> None:
    """A lift that has brought its walls and was never seen to leave is reported, and the machine stands until CLEAR.

    Tried: a tile placed, the wires of the lift's switch bridged, RAISE; the fault, the motors; the plug put back, CLEAR.
    """
    place_one(bench, 0, bench.last_place)
    _unplugged(bench, HandsAct.BRIDGE_LIFT_SWITCH, FaultCode.SENSORS_DISAGREE, Where.TABLE, Raise())


@rule(_RULES, hands=True)
def walls_arrive(bench: Bench) -> None:
    """A tile that RAISE does not bring to its magazine is reported with that magazine, and the machine stands until CLEAR.

    Tried: two tiles placed, the plug of the hand place's switch pulled, RAISE; the fault, the motors; the plug put back, CLEAR.
    """
    place_one(bench, 0, bench.last_place)
    place_one(bench, 0, 0)
    _unplugged(bench, HandsAct.PULL_HAND_SWITCH, FaultCode.SENSORS_DISAGREE, Where.MAGAZINE, Raise())


def _unplugged(bench: Bench, act: HandsAct, code: FaultCode, where: int, order: Command | None = None) -> None:
    """Raise Broken unless a pulled plug is reported after an order, and the machine comes home when it is back and the fault cleared."""
    mark = bench.mark()
    with bench.held(act):
        if order is not None:
            bench.order(order)
        reported(bench, mark, code, where)
    bench.do(Clear(code))
    at_home(bench)
