"""Brings a feeder to rest: a session, no fault, empty gate, cells, trays and magazines, locked draw gates.

Every rule begins with it, so that a rule does not fail for what the one before it left behind. The tiles in trays and magazines go
back into the drum: do not run the suite at a table where a hand is being played.
"""

from firmware_bridge.conformance.bench import ALLOWANCE_S, Bench
from firmware_bridge.conformance.bench_line import Broken, NotTriedError
from firmware_bridge.frames import VERSION, VERSION_OF_GATES, VERSIONS
from firmware_bridge.link.events import FeederStatus
from firmware_bridge.link.handshake import wrong_version
from firmware_bridge.messages import (
    ALL_SEATS,
    REAR_GATE,
    Beat,
    Capabilities,
    Clear,
    CloseWell,
    Config,
    ConfigAck,
    Container,
    Dump,
    FaultCode,
    Feed,
    FeederState,
    Flags,
    GetCapabilities,
    Heartbeat,
    Hello,
    HelloAck,
    Hold,
    Lock,
    Nak,
    NakCode,
    Place,
    Raise,
    Recirculate,
    Release,
    Stop,
    TileAtGate,
)

NONCE = 0x5EED_0001
_HOMING_S = 30.0
_PATIENCE_S = 10.0
_HELLO_AGAIN_S = 0.25
_GATE_S = 15.0
"""A drum with a dozen tiles catches the next one in far less."""
_MOST_TILES_AT_GATE = 8
_BLIND_S = 3.0
"""A blind has moved on to the second place in far less."""


class NoMachineError(Exception):
    """No machine answers on this line, or one that cannot be tried, such as a machine of another kind."""


def meet(bench: Bench) -> HelloAck:
    """Wait for the machine and return who it is: a board that is reset by the opening of its port needs seconds to come up.

    Raises NoMachineError when no machine answers, or one with several gates or with firmware of another version.
    """

    def answered() -> bool:
        bench.send(Hello(NONCE, VERSION, VERSION))
        return bench.until(lambda: bool(bench.messages(HelloAck, mark)), _HELLO_AGAIN_S)

    begun_s, mark = bench.now_s, bench.mark()
    while not answered():
        if bench.now_s - begun_s > _PATIENCE_S:
            other = "" if not bench.counts.bytes_received else f", though {bench.counts.bytes_received} bytes came that are no frames"
            raise NoMachineError(f"no machine has answered HELLO for {_PATIENCE_S:g} s{other}")
    hello = bench.messages(HelloAck, mark)[-1]
    if hello.protocol_version not in VERSIONS:
        raise NoMachineError(wrong_version(hello.protocol_version).reason)
    if hello.protocol_version == VERSION_OF_GATES:
        raise NoMachineError(f"this machine speaks TWF/{VERSION_OF_GATES}: it has several gates, and only machines with one can be tried")
    return hello


def greet(bench: Bench) -> HelloAck:
    """HELLO, GET_CAPS and CONFIG; raises Broken when the machine does not answer, or not as the page says."""
    hello = bench.ask(Hello(NONCE, VERSION, VERSION), HelloAck)
    bench.capabilities = bench.ask(GetCapabilities(), Capabilities)
    bench.last_operation = max(bench.last_operation, hello.last_operation)
    configure(bench, hello.capabilities_digest)
    return hello


def configure(bench: Bench, digest: bytes) -> None:
    """CONFIG until it is confirmed: while the machine is homing it answers with a beat."""
    mark = bench.mark()

    def confirmed() -> bool:
        bench.send(Config(digest))
        return bench.until(lambda: bool(bench.messages(ConfigAck, mark)), 0.1)

    end_s = bench.now_s + _HOMING_S
    while not confirmed():
        if bench.now_s > end_s:
            raise Broken(f"CONFIG was not confirmed within {_HOMING_S:g} s")
    if not bench.messages(ConfigAck, mark)[0].accepted:
        raise Broken("CONFIG with the digest of HELLO_ACK was not accepted")


def prepare(bench: Bench) -> None:
    """Bring the machine to rest; raises NotTriedError when only a person can, Broken when it does not come to rest."""
    bench.forget()
    bench.acknowledge_all()
    if not _in_session(bench):
        meet(bench)
        greet(bench)
    status = bench.status()
    if status.state is FeederState.BRING_UP:
        bench.do(Stop())
        status = bench.status()
    if Flags.ESTOP in status.flags or (bench.prepared and FaultCode.ESTOP in status.faults):
        raise NotTriedError("the emergency stop was pressed: release it, and start again")
    if Flags.LID_OPEN in status.flags:
        raise NotTriedError("the lid is open: close it")
    for fault in sorted(status.faults - {FaultCode.NONE}):
        bench.do(Clear(fault))
    if Flags.FEEDING in status.flags:
        bench.do(Hold())
        bench.pass_time(bench.capabilities.gate_period_ms / 1000)
    if status.open_locks:
        bench.do(Lock(ALL_SEATS))
    if Flags.WELL_OPEN in status.flags:
        bench.do(CloseWell())
    _empty(bench)
    bench.forget()
    bench.prepared = True


def place_one(bench: Bench, seat: int, position: int) -> None:
    feed_one(bench)
    bench.do(Place(seat, position))


def raise_one(bench: Bench, seat: int) -> None:
    """Bring one tile behind a seat's draw gate, and no other into any magazine."""
    raise_at(bench, seat, bench.draws[0])


def raise_at(bench: Bench, seat: int, *positions: int) -> None:
    """Bring a tile to each of these places of the seat's wall, in this order, and raise them; a blind then moves on to the first."""
    for position in positions:
        place_one(bench, seat, position)
    bench.do(Raise())
    if bench.attempt(Lock(REAR_GATE)) == Nak(NakCode.NO_SUCH_PLACE):
        bench.pass_time(_BLIND_S)


def feed_one(bench: Bench) -> TileAtGate:
    """Bring one tile to the empty gate and no further one; raises NotTriedError when the drum is empty."""
    known = bench.highest_event

    def arrived() -> TileAtGate | None:
        return next((event for event in bench.messages(TileAtGate) if event.number > known), None)

    bench.do(Feed())
    bench.until(lambda: arrived() is not None, _GATE_S)
    bench.do(Hold())
    tile = arrived()
    if tile is None:
        if bench.status().drum_empty:
            raise NotTriedError("the drum is empty: put a set of tiles in")
        raise Broken(f"FEED has brought no tile within {_GATE_S:g} s, though the drum is not empty")
    return tile


def _in_session(bench: Bench) -> bool:
    """Whether the session of the rule before is still open, under the same boot."""
    if not bench.boot_id:
        return False
    mark = bench.mark()
    bench.send(Heartbeat())
    if not bench.until(lambda: bool(bench.messages(Beat, mark)), 0.2):
        return False
    beat = bench.messages(Beat, mark)[-1]
    return beat.boot_id == bench.boot_id and Flags.SESSION in beat.flags


def _empty(bench: Bench) -> None:
    status = _at_rest(bench)
    for _ in range(_MOST_TILES_AT_GATE):
        if not status.gate_occupied:
            break
        bench.do(Recirculate())
        status = _at_rest(bench)
    if any(status.trays):
        bench.do(Dump(Container.TRAY, ALL_SEATS))
    for cell in sorted(status.bypass):
        bench.do(Release(cell, 0, cell))
    if status.bypass:
        bench.do(Dump(Container.TRAY, ALL_SEATS))
    if any(status.magazines):
        bench.do(Dump(Container.MAGAZINE, ALL_SEATS))
    status = bench.status()
    if any(status.trays) or any(status.magazines) or status.bypass or status.gate_occupied:
        raise Broken("gate, cells, trays and magazines cannot be emptied")


def _at_rest(bench: Bench) -> FeederStatus:
    """The status once the machine is at home, no tile is on its way to a tray, and none slides into the gate any more."""
    end_s = bench.now_s + 10 * ALLOWANCE_S
    status = bench.status()
    while any(status.report.waiting) or status.state is FeederState.HOMING:
        if bench.now_s > end_s:
            raise Broken("tiles that are on their way to a tray do not arrive, or the machine does not come home")
        bench.pass_time(0.05)
        status = bench.status()
    return status
