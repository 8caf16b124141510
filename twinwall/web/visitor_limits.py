"""Limits for each visitor of a server and for all together: connections, half-open ones, those that hold on, and requests.

A visitor is a network address, for IPv6 a /64 network, until the server knows better: a seat or a session of the staff at that address, a
phone's role. Where all together are too many, the visitor who has the most gives way, so that another visitor always gets in. The time
comes in as an argument, and the caller closes what gives way. May be asked from any thread.
"""

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import Enum
from ipaddress import IPv6Address, ip_address

from twinwall.values import frozen


def same_address(address: str) -> str:
    """One form for an address, however it is written; what is none stays as it is."""
    try:
        read = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    return str(getattr(read, "ipv4_mapped", None) or read)


def network_of(address: str) -> str:
    """What counts as one address: an IPv4 address, or the /64 network that one IPv6 subscriber has."""
    same = same_address(address)
    try:
        return str(IPv6Address(int(IPv6Address(same)) >> 64 << 64))
    except ValueError:
        return same


@frozen
class VisitLimits:
    """What one visitor, and all together, may have at a time."""

    connections: int
    connections_each: int
    half_open_each: int
    """Connections on which no whole request, or no good code, has come yet; the oldest gives way to a new one."""
    holding_each: int
    """Connections that stay open for as long as a page or a phone wants, as a stream does."""
    requests_per_s_each: float = 100.0
    burst_each: int = 1200


class VisitStage(Enum):
    """What a connection is doing."""

    HALF_OPEN = "half-open"
    IDLE = "idle"
    """Kept open after an answer, for the next request."""
    ASKING = "asking"
    HOLDING = "holding"


@dataclass(eq=False, slots=True)
class Visit:
    """One connection; ``abort`` closes it at once. Those that hold are counted by ``lane``."""

    visitor: str
    abort: Callable[[], None]
    stage: VisitStage = VisitStage.HALF_OPEN
    lane: str = ""


@dataclass(slots=True)
class _Visitor:
    """One visitor's connections, oldest first, and what is left of the requests that may come in a burst."""

    visits: list[Visit] = field(default_factory=list)
    left: float = 0.0
    left_at_s: float = 0.0

    def at(self, stage: VisitStage, lane: str | None = None) -> list[Visit]:
        return [visit for visit in self.visits if visit.stage is stage and lane in (None, visit.lane)]


class VisitorLimits:
    """Counts what visitors have at a time, and says who has to give way."""

    def __init__(self, limits: VisitLimits) -> None:
        self.limits = limits
        self._visitors: dict[str, _Visitor] = {}
        self._connections = 0
        self._changing = threading.RLock()

    def enter(self, visit: Visit, now_s: float, *, trusted: bool = False) -> Iterable[Visit]:
        """A connection has come; the ones that give way to it, which may be itself.

        A trusted proxy speaks for many visitors and has no limit of its own.
        """
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
        """A connection is closed; said twice it counts once."""
        with self._changing:
            if self._is_in(visit):
                self._visitors[visit.visitor].visits.remove(visit)
                self._connections -= 1

    def identify(self, visit: Visit, name: str, now_s: float) -> None:
        """The visitor is known by name now."""
        with self._changing:
            if name == visit.visitor or not self._is_in(visit):
                return
            self.leave(visit)
            visit.visitor = name
            self._visitor(name, now_s).visits.append(visit)
            self._connections += 1

    def may_ask(self, visit: Visit, now_s: float) -> bool:
        """Whether a request of this visitor is answered now; it counts."""
        with self._changing:
            visitor = self._visitor(visit.visitor, now_s)
            earned = (now_s - visitor.left_at_s) * self.limits.requests_per_s_each
            visitor.left, visitor.left_at_s = min(self.limits.burst_each, visitor.left + earned), now_s
            if visitor.left < 1:
                return False
            visitor.left -= 1
            return True

    def hold(self, visit: Visit, most: int) -> tuple[bool, Visit | None]:
        """Whether this connection may hold on, ``most`` of its lane being allowed, and the one of another visitor that gives way to it."""
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
        """Forget visitors who have nothing open and asked for nothing of late; their names."""
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
