"""The three parts of a status: of one instant, with counters that only grow (PROTOCOL.md, "Codes" and below)."""

from dataclasses import fields

from firmware_bridge.conformance.bench import Bench, rule
from firmware_bridge.conformance.bench_line import Broken
from firmware_bridge.conformance.preparing import feed_one
from firmware_bridge.link.events import FeederStatus
from firmware_bridge.messages import Ack, Beat, Heartbeat, Place, StatusCounters, StatusPlaces, StatusRequest, StatusState

_CODES = "Codes"


@rule(_CODES)
def one_snapshot(bench: Bench) -> None:
    """STATUS? is answered by its three parts, with one snapshot number that no other status has.

    Tried: STATUS? five times.
    """
    seen: set[int] = set()
    for _ in range(5):
        mark = bench.mark()
        bench.send(StatusRequest())
        state, places = bench.wait(StatusState, since=mark), bench.wait(StatusPlaces, since=mark)
        parts = [state.snapshot, places.snapshot, bench.wait(StatusCounters, since=mark).snapshot]
        if len(set(parts)) != 1 or parts[0] in seen:
            raise Broken(f"the parts of a status have the snapshots {parts}, after {sorted(seen)}")
        seen.add(parts[0])


@rule(_CODES)
def snapshot_consistent(bench: Bench) -> None:
    """The parts of a status are of one instant: occupancy and counters never contradict each other.

    Tried: STATUS? all the while three tiles are placed; tiles in trays against tiles counted as placed.
    """
    first = bench.status()
    before = first.counters.placed - _in_trays(first)
    for status in _while_placing(bench, 3):
        if status.counters.placed - _in_trays(status) != before:
            raise Broken(f"{_in_trays(status)} tiles lie in trays where {status.counters.placed - before} have been placed")


@rule(_CODES)
def counters_grow(bench: Bench) -> None:
    """Counters only grow.

    Tried: STATUS? all the while two tiles are placed.
    """
    names = [field.name for field in fields(StatusCounters) if field.name != "snapshot"]
    last = bench.status().counters
    for status in _while_placing(bench, 2):
        for name in names:
            if getattr(status.counters, name) < getattr(last, name):
                raise Broken(f"the counter {name} went from {getattr(last, name)} to {getattr(status.counters, name)}")
        last = status.counters


@rule(_CODES)
def beat_agrees_with_status(bench: Bench) -> None:
    """BEAT and STATUS_STATE say the same of boot, state and flags.

    Tried: both, with a tile at the gate.
    """
    feed_one(bench)
    beat, status = bench.ask(Heartbeat(), Beat), bench.status()
    if (beat.boot_id, beat.state, beat.flags) != (status.report.boot_id, status.state, status.flags):
        raise Broken(f"BEAT says {beat.state.name} {beat.flags!r}, STATUS_STATE {status.state.name} {status.flags!r}")


def _while_placing(bench: Bench, count: int) -> list[FeederStatus]:
    """Statuses taken all the while ``count`` tiles are brought and placed."""
    seen = []
    for position in range(count):
        feed_one(bench)
        operation = bench.order(Place(0, position))
        while all(isinstance(answer, Ack) for answer in bench.answers(operation)):
            seen.append(bench.status())
            bench.pass_time(0.01)
    return seen


def _in_trays(status: FeederStatus) -> int:
    return sum(map(len, status.trays))
