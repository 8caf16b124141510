"""Limits of connections, half-open and held connections, and requests: for each visitor, and for all together. A visitor is a network
address (IPv6: a /64 network) until the server knows a seat, a staff session or a phone's role at that address. At the limit for all, the
visitor with the most connections loses one, so that another visitor always gets in. The caller passes the time and closes the connections
that are returned. Thread-safe."""

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from ipaddress import IPv6Address, ip_address

from twinwall.values import frozen


@lru_cache(1024)
def same_address(address: str) -> str:
    """The canonical form of an IP address; text that is not an address is returned unchanged."""
    try:
        read = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    return str(getattr(read, "ipv4_mapped", None) or read)


@lru_cache(1024)
def network_of(address: str) -> str:
    """An IPv4 address, or the /64 network of an IPv6 address: what one subscriber has."""
    same = same_address(address)
    try:
        return str(IPv6Address(int(IPv6Address(same)) >> 64 << 64))
    except ValueError:
        return same


@frozen
class VisitLimits:
    """Limits for one visitor (``…_each``) and for all together."""

    connections: int
    connections_each: int
    half_open_each: int
    """Connections without a complete request, or without a good code. A new one replaces the oldest."""
    holding_each: int
    """Connections that stay open as long as the client wants, such as a stream."""
    requests_per_s_each: float = 100.0
    burst_each: int = 1200


class VisitStage(Enum):
    HALF_OPEN = "half-open"
    IDLE = "idle"
    """Kept open after an answer, for the next request."""
    ASKING = "asking"
    HOLDING = "holding"


@dataclass(eq=False, slots=True)
class Visit:
    """One connection; ``abort`` closes it at once. Held connections are counted for each ``lane``."""

    visitor: str
    abort: Callable[[], None]
    stage: VisitStage = VisitStage.HALF_OPEN
    lane: str = ""


@dataclass(slots=True)
class _Visitor:
    """One visitor's connections, oldest first, and the requests left in its burst."""

    visits: list[Visit] = field(default_factory=list)
    left: float = 0.0
    left_at_s: float = 0.0

    def at(self, stage: VisitStage, lane: str | None = None) -> list[Visit]:
        return [visit for visit in self.visits if visit.stage is stage and lane in (None, visit.lane)]


class VisitorLimits:
    """Counts visitors' connections and requests, and chooses which connection must close."""

    def __init__(self, limits: VisitLimits) -> None:
        self.limits = limits
        self._visitors: dict[str, _Visitor] = {}
        self._connections = 0
        self._changing = threading.RLock()

    def enter(self, visit: Visit, now_s: float, *, trusted: bool = False) -> Iterable[Visit]:
        """Add a connection; return those that must close for it (possibly itself). A trusted proxy, which speaks for many visitors, has no
        limit of its own."""
        with self._changing:
            given_up: list[Visit] = []
            visitor = self._visitor(visit.visitor, now_s)
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
        """Remove a closed connection; a second call does nothing."""
        with self._changing:
            if self._is_in(visit):
                self._visitors[visit.visitor].visits.remove(visit)
                self._connections -= 1

    def identify(self, visit: Visit, name: str, now_s: float) -> None:
        """Move a connection to the visitor of this name."""
        with self._changing:
            if name == visit.visitor or not self._is_in(visit):
                return
            self.leave(visit)
            visit.visitor = name
            self._visitor(name, now_s).visits.append(visit)
            self._connections += 1

    def may_ask(self, visit: Visit, now_s: float) -> bool:
        """Count a request; return whether the visitor may make it now."""
        with self._changing:
            visitor = self._visitor(visit.visitor, now_s)
            earned = (now_s - visitor.left_at_s) * self.limits.requests_per_s_each
            visitor.left, visitor.left_at_s = min(self.limits.burst_each, visitor.left + earned), now_s
            if visitor.left < 1:
                return False
            visitor.left -= 1
            return True

    def hold(self, visit: Visit, most: int) -> tuple[bool, Visit | None]:
        """Whether this connection may be held, with at most ``most`` in its lane; and the other visitor's connection that must close for
        it."""
        with self._changing:
            own = len(self._visitors[visit.visitor].at(VisitStage.HOLDING, visit.lane)) if self._is_in(visit) else self.limits.holding_each
            if own >= self.limits.holding_each:
                return False, None
            held = [one.at(VisitStage.HOLDING, visit.lane) for one in self._visitors.values()]
            gives_way = None
            if sum(map(len, held)) >= most:
                longest = max(held, key=len)
                if len(longest) <= own + 1:
                    return False, None
                gives_way = longest[-1]
                self.leave(gives_way)
            visit.stage = VisitStage.HOLDING
            return True, gives_way

    def tidy(self, now_s: float) -> tuple[str, ...]:
        """Forget visitors without connections and recent requests; return their names."""
        with self._changing:
            full_s = self.limits.burst_each / self.limits.requests_per_s_each
            idle = tuple(name for name, one in self._visitors.items() if not one.visits and now_s - one.left_at_s > full_s)
            for name in idle:
                del self._visitors[name]
            return idle

    def _visitor(self, name: str, now_s: float) -> _Visitor:
        return self._visitors.setdefault(name, _Visitor(left=self.limits.burst_each, left_at_s=now_s))

    def _is_in(self, visit: Visit) -> bool:
        return visit.visitor in self._visitors and visit in self._visitors[visit.visitor].visits
