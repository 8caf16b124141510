"""The plan: an event's deals, rule sets and seed holders; for many venues, also the times at which deals are given and released. Every key
depends on the plan's digest P, so only canonical JSON is accepted. The start code covers the terms of a field, so all venues have the same.
Times are in UTC to the minute. Custody follows the plan."""

from collections.abc import Sequence
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated

from msgspec import Meta

from twinwall.game.deals.encoding import DealDocument, DealError, Sha256, sha256
from twinwall.game.tiles import HANDS
from twinwall.game.typed_json import Number, Words
from twinwall.values import Shape

Instant = Annotated[str, Meta(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}Z\Z", description="a time like 2026-11-22T18:00Z")]


class ReleaseRule(StrEnum):
    """When a deal's slip is released."""

    ALL_FINISHED = "all-finished"
    """When every table of every venue has finished the deal."""
    DEADLINE = "deadline"
    """At the session's deadline, even if tables have not finished it."""


class SessionTimes(Shape, omit_defaults=True):
    """One session: venues get its deals from ``opens`` on; by the rule ``DEADLINE``, its slips are released at ``deadline``."""

    session: Number
    opens: Instant
    deadline: Instant | None = None

    @property
    def opens_at(self) -> datetime:
        return read_instant(self.opens)

    @property
    def deadline_at(self) -> datetime | None:
        return None if self.deadline is None else read_instant(self.deadline)


class FieldTerms(Shape):
    """When the slips of an event of many venues are released, and each session's times."""

    release: ReleaseRule
    sessions: tuple[SessionTimes, ...]

    def __post_init__(self) -> None:
        for times in self.sessions:
            opens, deadline, name = times.opens_at, times.deadline_at, f"session {times.session} of the plan's field"
            if (deadline is not None) != (self.release is ReleaseRule.DEADLINE):
                wanted = "has no deadline: give it one" if deadline is None else "has a deadline: leave it out"
                raise DealError(f"{name} {wanted}, since slips are released by the rule {self.release.value!r}")
            if deadline is not None and deadline <= opens:
                raise DealError(f"{name} opens at {times.opens}, and its deadline is {times.deadline}: give a later deadline")

    def check_sessions(self, sessions: frozenset[int]) -> None:
        """Refuse terms that do not name each session of the plan exactly once."""
        named = [times.session for times in self.sessions]
        if sorted(named) != sorted(sessions):
            wanted = ", ".join(map(str, sorted(sessions)))
            raise DealError(f"the plan has the sessions {wanted}, its field gives times for {', '.join(map(str, named)) or 'none'}")

    def times(self, session: int) -> SessionTimes:
        return next(times for times in self.sessions if times.session == session)


def read_instant(text: str) -> datetime:
    """Read an ``Instant``; raises DealError for a date that does not exist."""
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise DealError(f"{text!r} is not a date of the calendar") from None


def write_instant(at: datetime) -> str:
    """Write an ``Instant``; raises DealError without time zone or with seconds."""
    if at.tzinfo is None:
        raise DealError(f"{at.isoformat(timespec='minutes')} has no time zone: write it as {at.isoformat(timespec='minutes')}Z for UTC")
    try:
        in_utc = at.astimezone(UTC)
    except OverflowError:
        raise DealError(f"{at.isoformat()} is not a date of the calendar in UTC") from None
    if in_utc.second or in_utc.microsecond:
        raise DealError(f"{at.isoformat()} is between two minutes: give a whole minute")
    return in_utc.strftime("%Y-%m-%dT%H:%MZ")


MOST_DEALS = 9999
"""Files of deals have four digits."""
HandNumber = Annotated[int, Meta(ge=1, le=HANDS)]


class PlannedDeal(Shape):
    """Deal ``n`` of the plan is hand 1 to 16 of a session under a rule set."""

    n: Number
    session: Number
    hand: HandNumber
    rules: Words


class Plan(DealDocument, omit_defaults=True, tag_field="format", tag="twinwall-plan-1"):
    """The published plan. ``public`` names the source of the public value; ``field`` has the terms of an event of many venues."""

    called = "the plan"

    event: str
    holders: tuple[str, ...]
    public: str
    deals: tuple[PlannedDeal, ...]
    field: FieldTerms | None = None

    def __post_init__(self) -> None:
        if not self.event.strip():
            raise DealError("the plan's event has no name")
        if not self.holders or not all(holder.strip() for holder in self.holders):
            raise DealError("the plan needs at least one seed holder, each with a name")
        if len(set(self.holders)) != len(self.holders):
            raise DealError("the plan names a seed holder twice")
        if not self.deals:
            raise DealError("the plan has no deals")
        for n, planned in enumerate(self.deals, start=1):
            if planned.n != n:
                raise DealError(f"the plan's deal number {n} is written as {planned.n}: deals are numbered 1, 2, 3 … without gaps")
        if self.field is not None:
            self.field.check_sessions(frozenset(planned.session for planned in self.deals))

    @property
    def digest(self) -> Sha256:
        """P, the SHA-256 of the plan file."""
        return sha256(self.canonical)

    def deal(self, n: int) -> PlannedDeal:
        """Deal ``n``, from 1; raises DealError."""
        if not 1 <= n <= len(self.deals):
            raise DealError(f"the plan has deals 1 to {len(self.deals)}, not {n}")
        return self.deals[n - 1]

    def of_session(self, session: int) -> tuple[PlannedDeal, ...]:
        """A session's deals in the order of its hands."""
        return tuple(sorted((deal for deal in self.deals if deal.session == session), key=lambda deal: deal.hand))


def plan_sessions(
    event: str, rules: str, *, sessions: int, hands: int, holders: Sequence[str], public: str, field: FieldTerms | None = None
) -> Plan:
    """Plan whole sessions of one rule set; ``n`` counts through them from 1."""
    if sessions < 1:
        raise DealError(f"an event has at least one session, not {sessions}")
    if not 1 <= hands <= HANDS:
        raise DealError(f"a session has 1 to {HANDS} hands, not {hands}")
    if sessions * hands > MOST_DEALS:
        raise DealError(f"a plan has {MOST_DEALS} deals at most, not {sessions * hands}")
    deals = tuple(
        PlannedDeal(n=session * hands + hand, session=session + 1, hand=hand, rules=rules)
        for session in range(sessions)
        for hand in range(1, hands + 1)
    )
    return Plan(event=event, holders=tuple(holders), public=public, deals=deals, field=field)
