"""Draw gates: one tile at a time, on a lease, and never past the host (PROTOCOL.md, rules 3 and 6)."""

from firmware_bridge.conformance.bench import Bench, edges, name_of, rule
from firmware_bridge.conformance.bench_line import Broken, HandsAct, NotTriedError
from firmware_bridge.conformance.preparing import raise_at, raise_one
from firmware_bridge.messages import ALL_SEATS, REAR_GATE, DoneReport, Drawn, Lock, Nak, NakCode, PutBack, Renew, Sensors, Taken, Unlock

_CODES = "Codes"
_RULES = "Rules"
_LEASE_MS = 400
_EARLY_S = 0.1
_LATE_S = 0.15
"""A lease may end so much before or after its time, as seen from here."""
_TRIES = 5
_SHUT_S = 0.3
"""A lock has shut, and what was pulled out is reported."""
_SEAT = 1
_GATES = 2 * REAR_GATE
"""Draw gates and rear gates have the numbers below this."""


def _open_seats(bench: Bench) -> frozenset[int]:
    return bench.status().open_locks


def _lease_kept(bench: Bench, command: Unlock | Renew) -> float:
    """Order a lease and return when the lock is seen shut, in seconds; raises Broken when that is early or late.

    The lease begins between the order and its DONE, and ends between two looks: only what is certain counts, so that a
    computer that is late does not blame the machine.
    """
    ordered_s = bench.now_s
    bench.do(command)
    return _seen_shut(bench, command, ordered_s)


def _seen_shut(bench: Bench, command: Unlock | Renew, ordered_s: float) -> float:
    lease_s, done_s = command.lease_ms / 1000, bench.now_s
    while True:
        looked_s = bench.now_s
        if command.seat not in _open_seats(bench):
            break
        if looked_s > done_s + lease_s + _LATE_S:
            raise Broken(f"a lease of {lease_s:g} s has not ended {looked_s - done_s:.2f} s after it was granted")
        bench.pass_time(0.02)
    if bench.now_s < ordered_s + lease_s - _EARLY_S:
        raise Broken(f"a lease of {lease_s:g} s ended within {bench.now_s - ordered_s:.2f} s")
    return bench.now_s - ordered_s


def _raised(bench: Bench) -> tuple[int, int]:
    """Raise two draws; return their places."""
    raise_at(bench, _SEAT, *bench.draws)
    return bench.draws


def _left(bench: Bench, pulls: int) -> frozenset[int]:
    """Have somebody pull at the gate so often; return what is left in the magazine."""
    for _ in range(pulls):
        bench.ask_hands(HandsAct.LIFT_DRAW, _SEAT)
    bench.pass_time(_SHUT_S)
    return bench.status().magazines[_SEAT]


def _unlocked(bench: Bench) -> int:
    """Unlock the seat's gate for longer than a rule takes; return a mark before what follows."""
    bench.do(Unlock(_SEAT, 60_000))
    return bench.mark()


def _lift(bench: Bench, mark: int) -> None:
    """Have the tile at the unlocked gate lifted; raises Broken unless that is reported."""
    bench.ask_hands(HandsAct.LIFT_DRAW, _SEAT)
    bench.wait(Drawn, 1.0, since=mark)


@rule(_CODES)
def unlock_empty(bench: Bench) -> None:
    """UNLOCK with nothing behind the gate is EMPTY; of a seat that is not there, NO_SUCH_PLACE.

    Tried: UNLOCK of an empty magazine; UNLOCK and LOCK of seat 8, UNLOCK of seat 255.
    """
    bench.refuse(Unlock(0, 1000), NakCode.EMPTY)
    for command in (Unlock(_GATES, 1000), Unlock(ALL_SEATS, 1000), Lock(_GATES)):
        bench.refuse(command, NakCode.NO_SUCH_PLACE)


@rule(_CODES)
def unlock_opens_one(bench: Bench) -> None:
    """UNLOCK opens one seat's lock, done with LOCK_MOVED; LOCK shuts it.

    Tried: UNLOCK, the open locks, LOCK of all seats.
    """
    raise_one(bench, _SEAT)
    done = bench.do(Unlock(_SEAT, 60_000))
    if done.sensors != Sensors.LOCK_MOVED:
        raise Broken(f"UNLOCK ended with {edges(done.sensors)}")
    if _open_seats(bench) != {_SEAT}:
        raise Broken(f"after UNLOCK({_SEAT}) the locks {sorted(_open_seats(bench))} are open")
    bench.do(Lock(ALL_SEATS))
    if _open_seats(bench):
        raise Broken("a lock is open after LOCK")


@rule(_RULES)
def lease_runs_out(bench: Bench) -> str:
    """An open lock shuts when its lease runs out.

    Tried: UNLOCK for 400 ms, and when the lock is seen shut.
    """
    raise_one(bench, _SEAT)
    return f"after {1000 * _lease_kept(bench, Unlock(_SEAT, _LEASE_MS)):.0f} ms"


@rule(_CODES)
def unlock_again_prolongs(bench: Bench) -> None:
    """UNLOCK of an open lock only prolongs its lease.

    Tried: UNLOCK for 400 ms, again for 400 ms after 300 ms, and when the lock is seen shut.
    """
    _prolonged(bench, Unlock(_SEAT, _LEASE_MS))


@rule(_CODES)
def renew_prolongs(bench: Bench) -> None:
    """RENEW prolongs an open lock's lease.

    Tried: UNLOCK for 400 ms, RENEW for 400 ms after 300 ms, and when the lock is seen shut.
    """
    _prolonged(bench, Renew(_SEAT, _LEASE_MS))


def _prolonged(bench: Bench, command: Unlock | Renew) -> None:
    """Order it while a lease runs; raises Broken when it is refused, or the lock is not open for as long as it says.

    Where this computer was so late that the first lease had run out, it is tried again.
    """
    raise_one(bench, _SEAT)
    for more in reversed(range(_TRIES)):
        ends_s = bench.now_s + _LEASE_MS / 1000
        bench.do(Unlock(_SEAT, _LEASE_MS))
        bench.pass_time(0.75 * _LEASE_MS / 1000)
        ordered_s = bench.now_s
        match bench.attempt(command):
            case Nak(code=NakCode.NOT_OPEN) if more and bench.now_s >= ends_s:
                continue
            case answer:
                bench.must_be_done(command, answer)
                _seen_shut(bench, command, ordered_s)
                return


@rule(_CODES)
def renew_never_opens(bench: Bench) -> None:
    """RENEW never opens a lock: where it is shut it is NOT_OPEN.

    Tried: RENEW with a tile behind the gate.
    """
    raise_one(bench, _SEAT)
    bench.refuse(Renew(_SEAT, 1000), NakCode.NOT_OPEN)
    if _open_seats(bench):
        raise Broken("RENEW has opened a lock")


@rule(_CODES, hands=True)
def hand_tiles_told(bench: Bench) -> None:
    """Each hand place that loses its tile is reported as TAKEN.

    Tried: three hand tiles taken.
    """
    raise_at(bench, _SEAT, *range(3))
    before, mark = bench.status(), bench.mark()
    bench.ask_hands(HandsAct.TAKE_HAND, _SEAT)
    bench.until(lambda: len(bench.messages(Taken, mark)) >= 3, 1.0)
    reported = {(event.seat, event.place) for event in bench.messages(Taken, mark)}
    after = bench.status()
    if reported != {(_SEAT, position) for position in range(3)}:
        raise Broken(f"three tiles were reported as {sorted(reported)}")
    if after.magazines[_SEAT] or after.counters.taken != before.counters.taken + 3:
        raise Broken("the magazine is not empty, or the counter did not count three")


@rule(_CODES, hands=True)
def one_tile_per_unlock(bench: Bench) -> None:
    """UNLOCK lets one tile pass: the lock shuts by itself behind it.

    Tried: two draws raised, one unlocked and lifted, and a pull at the gate for the second.
    """
    _, second = _raised(bench)
    mark = _unlocked(bench)
    _lift(bench, mark)
    if _open_seats(bench):
        raise Broken("the lock is open behind the tile")
    if _left(bench, 1) != {second} or len(bench.messages(Drawn, mark)) != 1:
        raise Broken("a second tile passed")


@rule(_RULES, hands=True)
def draw_unacknowledged(bench: Bench) -> None:
    """While DRAWN of a seat is not acknowledged, UNLOCK of that seat is UNACKNOWLEDGED.

    Tried: a tile lifted, UNLOCK before and after EVENT_ACK.
    """
    _raised(bench)
    mark = _unlocked(bench)
    with bench.not_acknowledging():
        _lift(bench, mark)
        bench.refuse(Unlock(_SEAT, 1000), NakCode.UNACKNOWLEDGED)
    _unlocked(bench)


@rule(_CODES, hands=True)
def put_back_told(bench: Bench) -> None:
    """A tile that is put back into the open draw gate is reported as PUT_BACK, and lies there again.

    Tried: two draws raised, one lifted, and put back when the gate has been unlocked for the other.
    """
    wall = _raised(bench)
    _lift(bench, _unlocked(bench))
    mark = _unlocked(bench)
    bench.ask_hands(HandsAct.PUT_BACK_DRAW, _SEAT)
    bench.wait(PutBack, 1.0, since=mark)
    if bench.status().magazines[_SEAT] != set(wall):
        raise Broken("the tile is not where it was")


@rule(_RULES, hands=True)
def lease_without_draw(bench: Bench) -> None:
    """A lease that ends without a draw frees no tile: after two of them the next one still lets one tile pass.

    Tried: two draws raised, the gate unlocked and locked twice, and a pull at it; unlocked again, and two pulls.
    """
    first, second = _raised(bench)
    for _ in range(2):
        _unlocked(bench)
        bench.do(Lock(_SEAT))
        bench.pass_time(_SHUT_S)
    if _left(bench, 1) != {first, second}:
        raise Broken("a tile passed without a lease")
    _unlocked(bench)
    if _left(bench, 2) != {second}:
        raise Broken("not one tile passed")


@rule(_CODES, hands=True)
def rear_gate(bench: Bench) -> None:
    """A rear gate has a lock of its own, which lets one of the magazine's last places' tiles pass, the lowest first.

    Tried: a tile in the last two places, the rear gate unlocked and the tile there lifted; UNLOCK where none of them is filled.
    """
    last = bench.last_place
    raise_at(bench, _SEAT, last, last - 1)
    mark = bench.mark()
    answer = bench.attempt(Unlock(REAR_GATE + _SEAT, 60_000))
    if answer == Nak(NakCode.NO_SUCH_PLACE):
        raise NotTriedError("the machine has no rear gates")
    if not isinstance(answer, DoneReport) or _open_seats(bench) != {REAR_GATE + _SEAT}:
        raise Broken(f"UNLOCK of a rear gate was answered {name_of(answer)}; the locks {sorted(_open_seats(bench))} are open")
    bench.ask_hands(HandsAct.LIFT_REAR, _SEAT)
    drawn = bench.wait(Drawn, 1.0, since=mark)
    status = bench.status()
    if drawn.seat != REAR_GATE + _SEAT or status.open_locks or status.magazines[_SEAT] != {last}:
        raise Broken(f"it was reported as a draw at gate {drawn.seat}; the magazine holds {sorted(status.magazines[_SEAT])}")
    bench.refuse(Unlock(REAR_GATE, 1000), NakCode.EMPTY)
