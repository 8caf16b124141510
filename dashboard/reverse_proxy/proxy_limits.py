"""The numbers of the proxy: what one visitor, and all in a lane, may have at a time; sizes in bytes.

A lane has threads of its own, so that a full hall of phones and spectators keeps no person from the login and the staff from no page.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from twinwall.visitor_limits import VisitLimits


class RequestLane(StrEnum):
    """Whose requests share threads."""

    PUBLIC = "public"
    """Everybody's."""
    ENTRANCE = "entrance"
    """The login and the invitations."""
    STAFF = "staff"
    """Of a browser in which somebody of the staff has logged in, whatever page it is."""


@dataclass(frozen=True, slots=True)
class LaneLimits:
    """What all in a lane may have at a time."""

    pages: int
    """Requests that are answered, streams not counted; others wait."""
    streams: int


_VISITS = VisitLimits(connections=2048, connections_each=512, half_open_each=256, holding_each=96)
_LANES = {RequestLane.PUBLIC: LaneLimits(48, 320), RequestLane.ENTRANCE: LaneLimits(8, 0), RequestLane.STAFF: LaneLimits(16, 64)}


@dataclass(frozen=True, slots=True)
class ProxyLimits:
    """All of them. A hall behind one router is one visitor, but for its scanned seats and its staff, who are visitors by themselves."""

    visits: VisitLimits = _VISITS
    lanes: Mapping[RequestLane, LaneLimits] = field(default_factory=lambda: _LANES)
    pages_each: int = 8
    header_bytes: int = 16 << 10
    body_bytes: int = 192 << 10
    """A list of entrants, or the file of an event, comes whole; which page takes how much is the application's decision."""
    request_s: float = 10.0
    """So long a request may take to come whole, the TLS handshake included."""
    answer_s: float = 20.0
    """So long a browser may take nothing of what is sent to it."""

    @property
    def threads(self) -> int:
        """The number of threads that answer all that is let through."""
        return sum(lane.pages + lane.streams for lane in self.lanes.values())


DEFAULT_LIMITS = ProxyLimits()
