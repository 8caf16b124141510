"""Traces (OpenTelemetry) of a discard and of a result, from the table to a page. A trace's number is a digest of names in the line (event,
table, journal, and number of line or deal), so each process computes it and messages need nothing more. A span has these names and its
times only. Without the extra ``tracing`` or a collector's address in the environment, nothing is traced."""

import hashlib
import logging
import os
import time
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from itertools import pairwise

from twinwall.game.documents import canonical_json, digest
from twinwall.values import frozen
from twinwall.wire.ledger import PublicEvent, parse

COLLECTOR = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
"""OpenTelemetry's environment variables, one of which has the collector's address."""
DISCARD, RESULT = "tile-discarded", "hand-closed"
"""The traced types of lines."""
MOST_ARRIVALS = 1024
"""Lines with a remembered arrival that are not stored yet."""
_TYPES = tuple(f'"type":"{each}"'.encode() for each in (DISCARD, RESULT))
_LOG = logging.getLogger(__name__)


class TraceStep(StrEnum):
    """What a span measures. ``TABLE`` is the parent of all others."""

    TABLE = "table"
    LEDGER = "table.ledger"
    PUBLISH = "table.publish"
    HALL_RECEIVE = "hall.receive"
    HALL_STORE = "hall.store"
    HALL_SHOW = "hall.show"
    CENTRE_RECEIVE = "centre.receive"
    CENTRE_STORE = "centre.store"
    CENTRE_WAIT = "centre.wait"
    CENTRE_RANKING = "centre.ranking"
    CENTRE_PAGE = "centre.page"


@frozen
class LineSpan:
    """One span: ids, name, times (nanoseconds since 1970) and attributes. ``parent`` is 0 for the first of a trace."""

    trace: int
    number: int
    parent: int
    name: str
    start_ns: int
    end_ns: int
    named: Mapping[str, str | int]


@frozen
class Traced:
    """One discard (``line``) or one result (``deal``) of a table; the other number is 0."""

    table: str
    journal: str
    line: int = 0
    deal: int = 0


def traced(line: PublicEvent) -> Traced | None:
    """What a line is traced as; None for most lines."""
    n = line.fields.get("n")
    if line.type == RESULT and isinstance(n, int):
        return Traced(line.table, line.journal, deal=n)
    return Traced(line.table, line.journal, line=line.seq) if line.type == DISCARD else None


class LineTraces:
    def __init__(self, event: str, send: Callable[[LineSpan], object], now_ns: Callable[[], int] = time.time_ns) -> None:
        """``send`` gets each ended span; if it fails, which is logged once, only the span is lost."""
        self.now_ns = now_ns
        self._event, self._send = event, send
        self._failed = False

    def span(self, of: Traced, step: TraceStep, start_ns: int, end_ns: int, venue: str = "") -> None:
        """Send a span. If it is sent again after a restart, it has the same number."""
        trace, parent = self._number(of, "", 16), self._number(of, TraceStep.TABLE, 8)
        number = self._number(of, step, 8)
        named: dict[str, str | int] = {"venue": venue, "event": self._event, "table": of.table, "journal": of.journal}
        attributes = {f"twinwall.{key}": value for key, value in (named | {"line": of.line, "deal": of.deal}).items() if value}
        try:
            self._send(LineSpan(trace, number, 0 if step is TraceStep.TABLE else parent, step, min(start_ns, end_ns), end_ns, attributes))
        except Exception as error:  # any error of the library: a span must not cost a line
            if not self._failed:
                _LOG.warning("spans are lost: OpenTelemetry failed with %r; restart the program once that is fixed", error)
            self._failed = True

    def left_table(self, line: bytes, sent_ns: int) -> None:
        """The hall's broker has acknowledged a line that the table sent at this time."""
        read = parse(line)
        of = traced(read)
        if of is not None:
            began_ns, now_ns = int(read.at.timestamp() * 1e6) * 1000, self.now_ns()
            self.span(of, TraceStep.TABLE, began_ns, now_ns)
            self.span(of, TraceStep.LEDGER, began_ns, sent_ns)
            self.span(of, TraceStep.PUBLISH, sent_ns, now_ns)

    def _number(self, of: Traced, step: str, size: int) -> int:
        names = [self._event, of.table, of.journal, of.line, of.deal, step]
        return int.from_bytes(hashlib.sha256(canonical_json({"trace": names})).digest()[:size])


class LineArrivals:
    """When traced lines arrived at a process that stores them."""

    def __init__(self, traces: LineTraces | None, *steps: TraceStep) -> None:
        """``steps``: from a line's arrival to the start of its transaction, the transaction, and what follows it."""
        self._traces, self._steps = traces, steps
        self._came_ns: dict[str, int] = {}
        """By hash, because a message that is not a line may have any size."""

    def came(self, payload: bytes) -> None:
        if self._traces is not None and may_be_traced(payload):
            self._came_ns.setdefault(digest(payload), self._traces.now_ns())
            if len(self._came_ns) > MOST_ARRIVALS:
                del self._came_ns[next(iter(self._came_ns))]

    def now_ns(self) -> int:
        """The time, or 0 when nothing is traced."""
        return 0 if self._traces is None else self._traces.now_ns()

    def stored(self, lines: Iterable[PublicEvent], *began_ns: int, venue: str = "") -> None:
        """Lines are stored; ``began_ns``: when each step after the first began. The last one ends now."""
        if self._traces is None:
            return
        now_ns = self._traces.now_ns()
        for line in lines:
            of = traced(line)
            if of is not None:
                times = (self._came_ns.pop(digest(line.line), began_ns[0]), *began_ns, now_ns)
                for step, (start_ns, end_ns) in zip(self._steps, pairwise(times), strict=True):
                    self._traces.span(of, step, start_ns, end_ns, venue)


def may_be_traced(line: bytes) -> bool:
    """Whether a line may be of a traced type."""
    return any(each in line for each in _TYPES)


def open_traces(service: str, event: str) -> LineTraces | None:
    """Traces to the collector in the environment; None if there is none or the library cannot start."""
    if not any(os.environ.get(each) for each in COLLECTOR):
        return None
    try:
        from twinwall.wire.line_spans import SpanSender  # noqa: PLC0415 - only the extra tracing has the library

        return LineTraces(event, SpanSender(service).send)
    except ImportError as error:
        _LOG.warning("%s is set, and nothing is traced: install Twinwall with the extra 'tracing' (%s)", COLLECTOR[0], error)
    except Exception as error:  # any error of the library: a trace must not stop a table
        _LOG.warning("nothing is traced: OpenTelemetry refuses a setting: correct the environment variables OTEL_… (%s)", error)
    return None
