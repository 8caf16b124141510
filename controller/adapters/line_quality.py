"""Quality of the serial line to the feeder for the table's heartbeat: error ratios and latency, never counts."""

import math

from firmware_bridge.link.statistics import LinkStatistics
from twinwall.wire.messages.commands import FeederLinkQuality


def feeder_line(statistics: LinkStatistics) -> FeederLinkQuality | None:
    """What the heartbeat says of a link; None before the first round trip.

    Figures are whole numbers, so that a page that shows them stands still while nothing changes.
    """
    p50_ms, p99_ms = statistics.round_trip_p50_ms, statistics.round_trip_p99_ms
    if p50_ms is None or p99_ms is None:
        return None
    line = statistics.line
    return FeederLinkQuality(
        round_trip_p50_ms=math.ceil(p50_ms),
        round_trip_p99_ms=math.ceil(p99_ms),
        damaged_per_10000=_per_10000(line.errors, line.frames + line.errors),
        repeated_per_10000=_per_10000(statistics.repeats, statistics.frames_sent),
        losses=statistics.times_lost,
    )


def _per_10000(some: int, of: int) -> int:
    """A share, rounded up, so that the first damaged frame is seen."""
    return -(-10_000 * some // of) if of else 0
