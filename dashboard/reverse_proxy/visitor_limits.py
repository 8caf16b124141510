"""Limits for each visitor and for all together: connections, half-open requests, streams and requests.

A visitor is a network address, for IPv6 a /64 network. Where all together are too many, the visitor who has the most
gives way, so that another visitor always gets a page. The time comes in as an argument. The caller closes what gives way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import Enum


@dataclass(frozen=True, slots=True)
class ProxyLimits:
    """What one visitor, and all together, may have at a time; sizes in bytes."""

    connections: int = 1024
    half_open_each: int = 32
    """Connections on which no whole request has come yet; the oldest gives way to a new one."""
    connections_each: int = 192
    streams: int = 256
    streams_each: int = 64
    """A hall behind one router is one visitor."""
    pages: int = 48
    """Requests that are answered at the same time, streams not counted; others wait."""
    pages_each: int = 8
    requests_per_s_each: float = 50.0
    burst_each: int = 250
    header_bytes: int = 16 << 10
    body_bytes: int = 192 << 10
    """A list of entrants, or the file of an event, comes whole; which page takes how much is the application's decision."""
    request_s: float = 10.0
    """So long a request may take to come whole, the TLS handshake included."""
    answer_s: float = 20.0
    """So long a browser may take nothing of what is sent to it."""

    @property
    def threads(self) -> int:
        """So many threads answer all that is let through."""
        return self.streams + self.pages


DEFAULT_LIMITS = ProxyLimits()


class VisitStage(Enum):
    """What a connection is doing."""

    HALF_OPEN = "half-open"
    PAGE = "page"
    STREAM = "stream"


@dataclass(eq=False, slots=True)
class Visit:
    """One connection; ``abort`` closes it at once."""

    visitor: str
    abort: Callable[[], None]
    stage: VisitStage = VisitStage.HALF_OPEN


@dataclass(slots=True)
class _Visitor:
    """One visitor's connections, oldest first, and what is left of the requests that may come in a burst."""

    visits: list[Visit] = field(default_factory=list)
    left: float = 0.0
    left_at_s: float = 0.0

    def at(self, stage: VisitStage) -> list[Visit]:
        return [visit for visit in self.visits if visit.stage is stage]


class VisitorLimits:
    """Counts what visitors have at a time, and says who has to give way."""

    def __init__(self, limits: ProxyLimits) -> None:
        self.limits = limits
        self._visitors: dict[str, _Visitor] = {}
        self._connections = self._streams = 0

    def enter(self, visit: Visit, now_s: float, *, trusted: bool = False) -> Iterable[Visit]:
        """A connection has come; the ones that give way to it, which may be itself.

        A trusted proxy speaks for many visitors and has no limit of its own.
        """
        given_up: list[Visit] = []
        visitor = self._visitors.setdefault(visit.visitor, _Visitor(left=self.limits.burst_each, left_at_s=now_s))
        half_open = visitor.at(VisitStage.HALF_OPEN)
        if not trusted and len(half_open) >= self.limits.half_open_each:
            given_up.append(half_open[0])
        elif not trusted and len(visitor.visits) >= self.limits.connections_each:
            given_up.append(half_open[0] if half_open else visit)
        elif self._connections >= self.limits.connections:
            most = max(self._visitors.values(), key=lambda one: len(one.visits))
            given_up.append((most.at(VisitStage.HALF_OPEN) or most.visits[::-1])[0])
        visitor.visits.append(visit)
        self._connections += 1
        for each in given_up:
            self.leave(each)
        return given_up

    def leave(self, visit: Visit) -> None:
        """A connection is closed; told twice it counts once."""
        visitor = self._visitors.get(visit.visitor)
        if visitor is None or visit not in visitor.visits:
            return
        visitor.visits.remove(visit)
        self._connections -= 1
        self._streams -= visit.stage is VisitStage.STREAM

    def identify(self, visit: Visit, name: str, now_s: float) -> None:
        """A trusted proxy has named the visitor."""
        if name == visit.visitor:
            return
        self.leave(visit)
        visit.visitor = name
        self._visitors.setdefault(name, _Visitor(left=self.limits.burst_each, left_at_s=now_s)).visits.append(visit)
        self._connections += 1

    def may_ask(self, visit: Visit, now_s: float) -> bool:
        """Whether a request of this visitor is answered now; it counts."""
        visitor = self._visitors[visit.visitor]
        earned = (now_s - visitor.left_at_s) * self.limits.requests_per_s_each
        visitor.left, visitor.left_at_s = min(self.limits.burst_each, visitor.left + earned), now_s
        if visitor.left < 1:
            return False
        visitor.left -= 1
        return True

    def begin_stream(self, visit: Visit) -> tuple[bool, Visit | None]:
        """Whether this connection may become a stream, and the stream of another visitor that gives way to it."""
        visitor = self._visitors[visit.visitor]
        own = len(visitor.at(VisitStage.STREAM))
        if own >= self.limits.streams_each:
            return False, None
        gives_way = None
        if self._streams >= self.limits.streams:
            most = max((one.at(VisitStage.STREAM) for one in self._visitors.values()), key=len)
            if len(most) <= own + 1:
                return False, None
            gives_way = most[-1]
            self.leave(gives_way)
        visit.stage = VisitStage.STREAM
        self._streams += 1
        return True, gives_way

    def tidy(self, now_s: float) -> tuple[str, ...]:
        """Forget visitors who have nothing open and asked for nothing of late; their names."""
        full_s = self.limits.burst_each / self.limits.requests_per_s_each
        idle = tuple(name for name, one in self._visitors.items() if not one.visits and now_s - one.left_at_s > full_s)
        for name in idle:
            del self._visitors[name]
        return idle

    def __len__(self) -> int:
        """How many visitors are remembered."""
        return len(self._visitors)
