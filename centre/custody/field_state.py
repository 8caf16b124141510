"""What a field's custody knows: the plan with its venues, where each venue stands, what is heard and what follows from it.

``field_release`` has the rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias

from twinwall.game.deals import FieldTerms, Plan

EVERYWHERE = ""
"""In place of a venue's name: at all venues."""
MOST_HELD = 4
"""Deals of a session that a venue may hold and that not all its tables have finished; with more deals ahead, so many more."""


@dataclass(frozen=True, slots=True)
class FieldCustody:
    """What stays the same: the plan, whose terms of the field are needed, and the venues that take part. From one new deal of a session to
    the next a venue waits ``least_deal_s`` at least. It is given a deal when a table there begins the one ``ahead`` before it."""

    plan: Plan
    venues: tuple[str, ...]
    least_deal_s: float
    most_held: int = MOST_HELD
    ahead: int = 1

    def __post_init__(self) -> None:
        """Refuse what could not be kept."""
        if self.plan.field is None:
            raise ValueError(
                f"the plan of {self.plan.event!r} has no terms for many venues: make it with twinwall deals plan --release and --times"
            )
        if not self.venues or len(set(self.venues)) != len(self.venues):
            raise ValueError("a field needs venues, each with a name of its own")
        if self.most_held < 2:
            raise ValueError(f"a venue holds the deal that it plays and the next, so at least 2, not {self.most_held}")
        if self.ahead < 1:
            raise ValueError(f"a venue is given a deal before its tables begin it, so at least 1 ahead, not {self.ahead}")

    @property
    def terms(self) -> FieldTerms:
        """How slips are released, and the times of each session."""
        assert self.plan.field is not None
        return self.plan.field

    @property
    def most_unfinished(self) -> int:
        """So many deals of a session a venue holds at most that not all its tables have finished."""
        return self.most_held + self.ahead - 1

    def deals_of(self, session: int) -> tuple[int, ...]:
        """The deals of a session in the order in which every venue plays them."""
        deals = sorted((deal for deal in self.plan.deals if deal.session == session), key=lambda deal: deal.hand)
        return tuple(deal.n for deal in deals)


@dataclass(frozen=True, slots=True)
class FieldMoment:
    """A moment of the vault's clock (UTC), and one of a clock that never jumps (seconds)."""

    now: datetime
    monotonic_s: float


@dataclass(frozen=True, slots=True)
class FirstGiven:
    """When a venue was first given a deal: the time that counted, and the vault's monotonic clock, which nothing keeps over a start."""

    at: datetime
    ran_s: float | None


@dataclass(frozen=True, slots=True)
class VenueStanding:
    """One venue: the sealing key of its vault, the fingerprints that a person has allowed since it was taken, what its tables have begun
    and all of them have finished, which deals were sealed to which key, and when each was given first. ``clock`` is what its clock showed
    when the vault's monotonic clock was at 0."""

    key: bytes | None = None
    allowed: frozenset[str] = frozenset()
    begun: frozenset[int] = frozenset()
    finished: frozenset[int] = frozenset()
    given: Mapping[int, bytes] = field(default_factory=dict)
    first_given: Mapping[int, FirstGiven] = field(default_factory=dict)
    withdrawn: bool = False
    clock: datetime | None = None


@dataclass(frozen=True, slots=True)
class FieldState:
    """All venues by name, the deals whose slips are out, those that do not count (with the venue, or ``EVERYWHERE``), and the latest
    moment that counted. ``started_s`` and ``ran_s`` are what the vault's monotonic clock showed first and last since its start."""

    venues: Mapping[str, VenueStanding]
    released: frozenset[int] = frozenset()
    annulled: frozenset[tuple[int, str]] = frozenset()
    now: datetime | None = None
    started_s: float | None = None
    ran_s: float | None = None


@dataclass(frozen=True, slots=True)
class VenueSpoke:
    """A venue's vault says which sealing key is its own, what its tables have begun and all of them have finished, what it asks for, what
    its clock shows, and what it holds (None where it does not say); its enrolled key has signed that."""

    venue: str
    key: bytes
    fingerprint: str
    begun: frozenset[int]
    finished: frozenset[int]
    asks: tuple[int, ...]
    clock: datetime
    heard_s: float
    """When that was heard, by the vault's monotonic clock."""
    holds: frozenset[int] | None = None


@dataclass(frozen=True, slots=True)
class FieldTimePassed:
    """The vault's clock shows this."""

    at: FieldMoment


@dataclass(frozen=True, slots=True)
class AllowVenueKey:
    """A person has compared the fingerprint of the sealing key with the one that the venue's vault shows."""

    venue: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class WithdrawVenue:
    """A venue plays no more, as two persons have ordered; nobody waits for it."""

    venue: str
    persons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AnnulDeal:
    """A deal does not count at a venue, or ``EVERYWHERE``, as two persons have ordered."""

    n: int
    venue: str
    persons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class VenueKeyAllowed:
    """The venue may change to the sealing key of this fingerprint."""

    venue: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class VenueKeyTaken:
    """This is the venue's sealing key from now on."""

    venue: str
    key: bytes


@dataclass(frozen=True, slots=True)
class VenueProgressed:
    """A table of the venue has begun these deals, and all its tables have finished those."""

    venue: str
    begun: frozenset[int]
    finished: frozenset[int]


@dataclass(frozen=True, slots=True)
class ClockHeard:
    """What a venue's clock showed when the vault's monotonic clock was at 0."""

    venue: str
    clock: datetime


@dataclass(frozen=True, slots=True)
class TimeRan:
    """The vault's monotonic clock shows this, whether its other clock counts or not."""

    ran_s: float


@dataclass(frozen=True, slots=True)
class TimeCounted:
    """It is at least this late."""

    now: datetime


@dataclass(frozen=True, slots=True)
class VenueWithdrawn:
    """The venue plays no more."""

    venue: str


@dataclass(frozen=True, slots=True)
class DealAnnulled:
    """The deal does not count at the venue, or ``EVERYWHERE``."""

    n: int
    venue: str


@dataclass(frozen=True, slots=True)
class DealGiven:
    """This deal's share goes to this venue's vault, sealed to this key: for the first time, or again because it asks; ``at`` is when."""

    venue: str
    n: int
    key: bytes
    at: datetime


@dataclass(frozen=True, slots=True)
class FieldSlipReleased:
    """Anybody may open this deal."""

    n: int


@dataclass(frozen=True, slots=True)
class FieldRefusal:
    """Something heard that has no effect, or not all that was asked for, and why, for people."""

    sentence: str
    events: tuple[FieldEvent, ...] = ()
    """What happens all the same."""


FieldCommand: TypeAlias = VenueSpoke | FieldTimePassed | AllowVenueKey | WithdrawVenue | AnnulDeal
FieldEvent: TypeAlias = (
    VenueKeyAllowed
    | VenueKeyTaken
    | VenueProgressed
    | ClockHeard
    | TimeRan
    | TimeCounted
    | VenueWithdrawn
    | DealAnnulled
    | DealGiven
    | FieldSlipReleased
)
FieldDecision: TypeAlias = tuple[FieldEvent, ...] | FieldRefusal
