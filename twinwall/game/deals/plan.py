"""The plan of an event's deals: which hands under which rules, and who holds the seeds.

The digest P of its bytes goes into every key, so the bytes are canonical JSON; a plan written in other bytes is refused.
Who keeps seeds, and when, is left to custody.

Terms of a field of many venues, a part of the plan of its deals: from when a session's deals are given, and when slips are released.

They stand in the plan, so the start code covers them: no venue plays under other terms than the others. Instants are in UTC to the
minute. Who follows them, and by which clock, is left to custody.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated

from msgspec import Meta

from twinwall.game.deals.encoding import CanonicalDocument, DealError, Sha256, sha256
from twinwall.game.session import HANDS
from twinwall.game.typed_json import Number, Words
from twinwall.values import Shape

Instant = Annotated[str, Meta(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}Z\Z", description="a time like 2026-11-22T18:00Z")]
"""A moment in UTC, as ``2026-11-22T18:00Z``."""


class ReleaseRule(StrEnum):
    """When the slip of a deal is released."""

    ALL_FINISHED = "all-finished"
    """When every table of every venue that plays has finished the deal."""
    DEADLINE = "deadline"
    """At the deadline of its session, whether or not every table has finished it."""


class SessionTimes(Shape, omit_defaults=True):
    """One session: no venue is given a deal of it before ``opens``; its slips are released at ``deadline`` where the rule says so."""

    session: Number
    opens: Instant
    deadline: Instant | None = None

    @property
    def opens_at(self) -> datetime:
        """When its deals may be given."""
        return read_instant(self.opens)

    @property
    def deadline_at(self) -> datetime | None:
        """When its slips are released by the rule ``DEADLINE``."""
        return None if self.deadline is None else read_instant(self.deadline)


class FieldTerms(Shape):
    """How the slips of a field are released, and the times of each session."""

    release: ReleaseRule
    sessions: tuple[SessionTimes, ...]

    def __post_init__(self) -> None:
        """Refuse terms that could not be followed."""
        for times in self.sessions:
            opens, deadline, name = times.opens_at, times.deadline_at, f"session {times.session} of the plan's field"
            if (deadline is not None) != (self.release is ReleaseRule.DEADLINE):
                wanted = "has no deadline: give it one" if deadline is None else "has a deadline: leave it out"
                raise DealError(f"{name} {wanted}, since slips are released by the rule {self.release.value!r}")
            if deadline is not None and deadline <= opens:
                raise DealError(f"{name} opens at {times.opens}, and its deadline is {times.deadline}: give a later deadline")

    def check_sessions(self, sessions: frozenset[int]) -> None:
        """Refuse terms that leave out a session of the plan, name one twice, or name one that the plan does not have."""
        named = [times.session for times in self.sessions]
        if sorted(named) != sorted(sessions):
            wanted = ", ".join(map(str, sorted(sessions)))
            raise DealError(f"the plan has the sessions {wanted}, its field gives times for {', '.join(map(str, named)) or 'none'}")

    def times(self, session: int) -> SessionTimes:
        """The times of a session of the plan."""
        return next(times for times in self.sessions if times.session == session)


def read_instant(text: str) -> datetime:
    """The moment that an ``Instant`` names; raises DealError for a day that no calendar has."""
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise DealError(f"{text!r} is not a date of the calendar") from None


def write_instant(at: datetime) -> str:
    """A moment as the plan writes it; raises DealError for one without zone, or between two minutes."""
    if at.tzinfo is None:
        raise DealError(f"{at.isoformat(timespec='minutes')} has no time zone: write it as {at.isoformat(timespec='minutes')}Z for UTC")
    if at.second or at.microsecond:
        raise DealError(f"{at.isoformat()} is between two minutes: give a whole minute")
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%MZ")


MOST_DEALS = 9999
"""Files of deals have four digits."""
HandNumber = Annotated[int, Meta(ge=1, le=HANDS)]
"""A hand of a session."""


class PlannedDeal(Shape):
    """One line of the plan: deal ``n`` is hand 1 to 16 of a session under a rule set."""

    n: Number
    session: Number
    hand: HandNumber
    rules: Words


class Plan(CanonicalDocument, omit_defaults=True, tag_field="format", tag="twinwall-plan-1"):
    """What is promised before any deal exists; ``public`` says where the public value will come from. ``field`` has the terms of an
    event of many venues; the plan of one hall does not have it."""

    called = "the plan"

    event: str
    holders: tuple[str, ...]
    public: str
    deals: tuple[PlannedDeal, ...]
    field: FieldTerms | None = None

    def __post_init__(self) -> None:
        """Refuse a plan that could not be followed."""
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
        """P: the SHA-256 of the plan file's bytes."""
        return sha256(self.canonical)

    def deal(self, n: int) -> PlannedDeal:
        """The planned deal number ``n``, counted from 1."""
        if not 1 <= n <= len(self.deals):
            raise DealError(f"the plan has deals 1 to {len(self.deals)}, not {n}")
        return self.deals[n - 1]

    def of_session(self, session: int) -> tuple[PlannedDeal, ...]:
        """The deals of a session in the order of its hands."""
        return tuple(sorted((deal for deal in self.deals if deal.session == session), key=lambda deal: deal.hand))


def plan_sessions(
    event: str, rules: str, *, sessions: int, hands: int, holders: Sequence[str], public: str, field: FieldTerms | None = None
) -> Plan:
    """Plan whole sessions of one rule set, ``n`` counting through them from 1."""
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
