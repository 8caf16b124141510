"""What several rules about moving tiles share: the places that they use, and the sensor edges that they expect."""

from firmware_bridge.conformance.bench import Bench, edges
from firmware_bridge.conformance.bench_line import Broken
from firmware_bridge.messages import (
    Command,
    DoneReport,
    Sensors,
)


def last_place(bench: Bench) -> int:
    """The last place of a wall: it lies below or stands alone, so that it may be filled first."""
    return bench.capabilities.wall_places - 1


def done_with(bench: Bench, command: Command, wanted: Sensors) -> DoneReport:
    """Order something that must end with exactly these edges; raises Broken otherwise."""
    done = bench.do(command)
    if done.sensors != wanted:
        raise Broken(f"{command} ended with {edges(done.sensors)}, not with {edges(wanted)}")
    return done


def in_words(trays: tuple[frozenset[int], ...]) -> str:
    """What lies in the trays, seat by seat."""
    return " / ".join(", ".join(map(str, sorted(tray))) or "nothing" for tray in trays)
