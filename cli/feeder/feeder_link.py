"""``twinwall feeder link``: measures the quality of the serial line to a feeder."""

import argparse
import queue
import time
from dataclasses import asdict

from cli.feeder import feeder_ports
from cli.usage import JSON, UsageError, answer, argument, takes, tell
from firmware_bridge.feeder_connection import FeederConnection
from firmware_bridge.link.events import FeederEvent, LinkDown, LinkUp, NotAFeeder
from firmware_bridge.link.statistics import LinkStatistics

FIRST_ANSWER_S = 10.0


@takes(
    *feeder_ports.arguments(),
    argument("--seconds", type=float, default=10.0, metavar="S", help="how long (default 10)"),
    JSON,
    about="Keep a session with the feeder at a port for a while and count what comes of it. Nothing is moved. "
    "Exit 1 when it does not answer, or the line is lost meanwhile; 2 when the port cannot be opened.",
)
def measure(arguments: argparse.Namespace) -> bool:
    """Measure, and print the counts; raises UsageError for an impossible rate or time."""
    if not arguments.seconds > 0:
        raise UsageError(f"feeder link: {arguments.seconds:g} seconds cannot be measured in; name more than 0")
    with feeder_ports.feeder_at(arguments, "feeder link") as (path, _):
        return _measure(arguments, path)


def _measure(arguments: argparse.Namespace, path: str) -> bool:
    events: queue.SimpleQueue[FeederEvent] = queue.SimpleQueue()
    port = FeederConnection(path, arguments.baud, events.put)
    port.start()
    try:
        up = _first_up(events)
        if up is None:
            return False
        time.sleep(arguments.seconds)
    finally:
        port.stop()
    statistics = port.statistics()
    document = {"port": arguments.port, "uid": up.hello.uid.hex(), "seconds": arguments.seconds, **asdict(statistics)}
    answer(document, "\n".join(in_words(up, statistics)), as_json=arguments.json)
    return not statistics.times_lost


def in_words(up: LinkUp, statistics: LinkStatistics) -> list[str]:
    line, hello = statistics.line, up.hello
    last_start = hello.reset_reason.name.lower().replace("_", " ")
    p50, p99 = statistics.round_trip_p50_ms, statistics.round_trip_p99_ms
    return [
        f"feeder {hello.uid.hex()}, firmware {hello.firmware_digest.hex()}, last start: {last_start}",
        f"{statistics.frames_sent} frames sent, {line.frames} received, {line.errors} damaged "
        f"({line.bad_checksum} by checksum, {line.bad_stuffing} by stuffing, {line.bad_length} by length, {line.overlong} too long)",
        "no round trip was measured" if p50 is None or p99 is None else f"round trip: half within {p50:.1f} ms, 99 % within {p99:.1f} ms",
        f"the line was lost {statistics.times_lost} times",
    ]


def _first_up(events: queue.SimpleQueue[FeederEvent]) -> LinkUp | None:
    """Wait for the feeder; print why if there is none."""
    end_s = time.monotonic() + FIRST_ANSWER_S
    why = f"no machine has answered for {FIRST_ANSWER_S:g} s"
    while (left_s := end_s - time.monotonic()) > 0:
        try:
            event = events.get(timeout=left_s)
        except queue.Empty:
            break
        if isinstance(event, LinkUp):
            return event
        if isinstance(event, LinkDown | NotAFeeder):
            why = event.reason
    tell(why)
    return None
