"""What the machine does when the host falls silent, by itself and in wall time (PROTOCOL.md, rule 3)."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf

from firmware_bridge.conformance.bench import Bench, name_of, rule
from firmware_bridge.conformance.bench_line import Broken, NotTriedError
from firmware_bridge.conformance.preparing import feed_one, greet, raise_one
from firmware_bridge.link.events import FeederStatus
from firmware_bridge.messages import DoneReport, Feed, FeederState, Flags, Heartbeat, Hold, Nak, NakCode, Place, Sense, Unlock

_RULES = "Rules"
_MARGIN_S = 0.1
"""How far from a limit the machine is looked at: a computer that is not real-time cannot look more closely."""


@contextmanager
def _silence(bench: Bench) -> Iterator[Callable[..., FeederStatus]]:
    """Send no heartbeats meanwhile; gives what looks at the machine at a time after the last one."""
    with bench.silent():
        begun_s = bench.now_s

        def look(at_s: float, before_s: float = inf) -> FeederStatus:
            """The status ``at_s`` after the last heartbeat; raises NotTriedError when this computer came later than ``before_s``."""
            bench.pass_time(max(begun_s + at_s - bench.now_s, 0.0))
            status = bench.status()
            late_s = bench.now_s - begun_s
            if late_s >= before_s:
                raise NotTriedError(f"this computer looked {late_s:.2f} s after the last heartbeat, too late to tell: try again")
            return status

        yield look


@rule(_RULES)
def holds_after_300_ms(bench: Bench) -> None:
    """After 300 ms without HEARTBEAT nothing new begins; what was ordered goes on with the next heartbeat.

    Tried: FEED, silence, the state before and after 300 ms; PLACE ordered in silence, and whether its tile leaves the gate
    before the next heartbeat.
    """
    limit_s = bench.capabilities.hold_after_ms / 1000
    feed_one(bench)
    bench.do(Feed())
    with _silence(bench) as look:
        early = look(limit_s - _MARGIN_S, limit_s)
        late = look(limit_s + _MARGIN_S, 1.0)
        operation = bench.order(Place(0, bench.last_place))
        waiting = look(0.85, 1.0)
    bench.send(Heartbeat())
    bench.do(Hold())
    end = bench.end(operation)
    if early.state is not FeederState.FEEDING:
        raise Broken(f"it was {early.state.name} before {1000 * limit_s:.0f} ms were over")
    if late.state is not FeederState.HOLDING:
        raise Broken(f"it was {late.state.name}, not HOLDING, after {1000 * limit_s:.0f} ms")
    if not waiting.gate_occupied:
        raise Broken("an operation that came in silence began before the next heartbeat")
    if not isinstance(end, DoneReport):
        raise Broken(f"it was answered {name_of(end)}")


@rule(_RULES)
def motors_off_after_1_s(bench: Bench) -> None:
    """After 1 s without HEARTBEAT the motors are off.

    Tried: silence, and MOTORS_ON before and after 1 s.
    """
    limit_s = bench.capabilities.motors_off_after_ms / 1000
    with _silence(bench) as look:
        early = look(limit_s - _MARGIN_S, limit_s)
        late = look(limit_s + _MARGIN_S)
    if Flags.MOTORS_ON not in early.flags:
        raise Broken(f"the motors were off before {1000 * limit_s:.0f} ms were over")
    if Flags.MOTORS_ON in late.flags:
        raise Broken(f"the motors were on after {1000 * limit_s:.0f} ms")


@rule(_RULES)
def session_ends_in_silence(bench: Bench) -> None:
    """After 1 s without HEARTBEAT the session is closed.

    Tried: silence, then SENSE.
    """
    with bench.silent():
        bench.pass_time(bench.capabilities.motors_off_after_ms / 1000 + _MARGIN_S)
        answer = bench.attempt(Sense())
        flags = bench.status().flags
    if answer != Nak(NakCode.NO_SESSION) or Flags.SESSION in flags:
        raise Broken(f"SENSE was answered {name_of(answer)}, and the flags were {flags!r}")


@rule(_RULES)
def feed_forgotten_in_silence(bench: Bench) -> None:
    """After 1 s without HEARTBEAT FEED is forgotten: a new session does not bring tiles by itself.

    Tried: FEED with a tile at the gate, silence, a new session, and the flags.
    """
    feed_one(bench)
    bench.do(Feed())
    with bench.silent():
        bench.pass_time(bench.capabilities.motors_off_after_ms / 1000 + _MARGIN_S)
    greet(bench)
    if Flags.FEEDING in bench.status().flags:
        raise Broken("it feeds again without FEED")


@rule(_RULES)
def lease_outlives_silence(bench: Bench) -> None:
    """In silence, locks that are shut stay shut, and open ones shut when their lease runs out, not before.

    Tried: UNLOCK for 2 s, silence, and the locks before and after the lease has ended.
    """
    raise_one(bench, 2)
    bench.do(Unlock(2, 2000))
    with _silence(bench) as look:
        early = look(1.5, 1.9)
        late = look(2.3)
    if early.open_locks != {2}:
        raise Broken(f"in silence, before the lease has ended, the locks {sorted(early.open_locks)} are open")
    if late.open_locks:
        raise Broken(f"in silence, after the lease has ended, the locks {sorted(late.open_locks)} are open")
