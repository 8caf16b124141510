"""Terms of a field of many venues, a part of the plan of its deals: from when a session's deals are given, and when slips are released.

They stand in the plan, so the start code covers them: no venue plays under other terms than the others. Instants are in UTC to the
minute. Who follows them, and by which clock, is left to custody.
"""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated

from msgspec import Meta, Struct

from twinwall.game.deals.encoding import DealError
from twinwall.game.typed_json import Number

Instant = Annotated[str, Meta(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}Z\Z", description="a time like 2026-11-22T18:00Z")]
"""A moment in UTC, as ``2026-11-22T18:00Z``."""


class ReleaseRule(StrEnum):
    """When the slip of a deal is released."""

    ALL_FINISHED = "all-finished"
    """When every table of every venue that plays has finished the deal."""
    DEADLINE = "deadline"
    """At the deadline of its session, whether or not every table has finished it."""


class SessionTimes(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
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


class FieldTerms(Struct, frozen=True, forbid_unknown_fields=True):
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
