"""The rules of a field's deals: which venue's vault may hold which deal, and when a slip is public.

This level is above a hall's tables and uses the same machine (``twinwall.custody.release``). ``decide`` answers a message with events or a
refusal. The plan's terms say when a session's deals may be given, and whether slips are released once all venues have finished or at a
deadline. Time counts only while the venues' clocks agree with it. A venue's wait between two deals is measured by the vault's monotonic
clock, which cannot be set.
"""

import math
import shlex
from datetime import datetime, timedelta
from typing import TypeAlias, assert_never

from twinwall.custody.release import (
    AllowKey,
    ClockHeard,
    CustodyRefusal,
    CustodyState,
    DealAnnulled,
    DealGiven,
    Decision,
    Event,
    FirstGiven,
    KeyAccepted,
    KeyAllowed,
    MemberWithdrawn,
    TimeCounted,
    TimeRan,
    VenueProgressed,
    apply,
)
from twinwall.game.deals import FieldTerms, Plan, ReleaseRule, SessionTimes, write_instant
from twinwall.game.documents import write_time
from twinwall.values import frozen
from twinwall.wire.messages.boot_keys import BootKeys
from twinwall.wire.names import name_key

EVERYWHERE = ""
"""Stands for all venues in place of a venue's name."""
MOST_HELD = 4
"""The most deals of a session that a venue may hold before all its tables have finished them; each deal ahead adds one."""
CLOCK_TOLERANCE = timedelta(minutes=10)
WAIT_STEP_S = 30
"""The vault sends a venue its wait in steps of this, to keep such messages rare."""
FEWEST_CLOCKS = 3
"""This many venues' clocks, or all if there are fewer, are compared with the vault's own before time counts."""


@frozen
class FieldCustody:
    """What does not change: the plan, whose terms of the field are required, and the venues that take part. Between two new deals of a
    session a venue waits at least ``least_deal_s``. It gets a deal when one of its tables begins the deal ``ahead`` before it."""

    plan: Plan
    venues: tuple[str, ...]
    least_deal_s: float
    most_held: int = MOST_HELD
    ahead: int = 1

    def __post_init__(self) -> None:
        """Refuse terms that could not be kept."""
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
        """The most deals of a session that a venue holds before all its tables have finished them."""
        return self.most_held + self.ahead - 1

    @property
    def deals(self) -> tuple[int, ...]:
        """All deals of the plan."""
        return tuple(deal.n for deal in self.plan.deals)

    @property
    def members(self) -> tuple[str, ...]:
        """The venues."""
        return self.venues

    def permitted(self, state: CustodyState, name: str) -> tuple[int, ...]:
        """The deals that a venue's vault may hold now and that not all its tables have finished: those due that it was given before and, in
        each session, one new deal once the least time since the session's last has passed. No one can check what a venue says of its
        tables, so this time limits what invented progress gains."""
        given, found = state.members[name].given, list[int]()
        for times in self.terms.sessions:
            in_turn = _in_turn(self, state, name, times)
            new = [n for n in in_turn if n not in given][:1]
            if new and _waits_s(self, state, name, times.session) > 0:
                new = []
            found += [n for n in in_turn if n in given or n in new]
        return tuple(found)

    def may_release_slip(self, state: CustodyState, n: int) -> bool:
        """Whether a deal's slip may be released: at its session's deadline, or once all venues have finished it."""
        match self.terms.release:
            case ReleaseRule.DEADLINE:
                deadline = self.terms.times(self.plan.deal(n).session).deadline_at
                return state.now is not None and deadline is not None and state.now >= deadline
            case ReleaseRule.ALL_FINISHED:
                playing = any(not standing.withdrawn for standing in state.members.values())
                return playing and not unfinished_at(state, n)
            case _:
                assert_never(self.terms.release)

    def deals_of(self, session: int) -> tuple[int, ...]:
        """The deals of a session in the order in which every venue plays them."""
        return tuple(deal.n for deal in self.plan.of_session(session))


@frozen
class FieldMoment:
    """Time has passed: the readings of the vault's clock (UTC) and of one that never jumps (seconds)."""

    now: datetime
    monotonic_s: float


@frozen
class VenueSpoke:
    """A statement of a venue's vault, signed by its enrolled key: its sealing key, what its tables have begun and all of them have
    finished, what it asks for, what its clock shows, and what it holds (None if it does not say)."""

    name: str
    keys: BootKeys
    begun: frozenset[int]
    finished: frozenset[int]
    asks: tuple[int, ...]
    clock: datetime
    heard_s: float
    """When it was heard, by the vault's monotonic clock."""
    holds: frozenset[int] | None = None


@frozen
class WithdrawVenue:
    """A venue plays no more, by order of two persons; no one waits for it."""

    name: str
    persons: tuple[str, ...]


@frozen
class AnnulDeal:
    """A deal does not count at a venue, or ``EVERYWHERE``, by order of two persons."""

    n: int
    name: str
    persons: tuple[str, ...]


FieldCommand: TypeAlias = VenueSpoke | FieldMoment | AllowKey | WithdrawVenue | AnnulDeal


def decide(custody: FieldCustody, state: CustodyState, command: FieldCommand) -> Decision:
    """What follows from a command: events, or why it has no effect."""
    if isinstance(command, FieldMoment):
        return _pass_time(state, command)
    if command.name not in state.members and not (isinstance(command, AnnulDeal) and command.name == EVERYWHERE):
        known = ", ".join(custody.venues[:5]) + (" …" if len(custody.venues) > 5 else "")
        return CustodyRefusal(f"venue {command.name!r} is not in the settings: write its name as they do ({known})")
    match command:
        case VenueSpoke():
            return _spoke(custody, state, command)
        case AllowKey():
            allowed = command.fingerprint in state.members[command.name].allowed
            return () if allowed else (KeyAllowed(command.name, command.fingerprint),)
        case WithdrawVenue():
            return _withdraw(state, command)
        case AnnulDeal():
            return _annul(custody, state, command)
        case _:
            assert_never(command)


def _in_turn(custody: FieldCustody, state: CustodyState, venue: str, times: SessionTimes) -> tuple[int, ...]:
    """The deals of an open session that a table of the venue plays or has played, and those ahead, without those that all its tables have
    finished. Annulled deals are included, since tables play their session's deals in order; they count nowhere."""
    standing = state.members[venue]
    is_open = state.now is not None and state.now >= times.opens_at and (times.deadline_at is None or state.now < times.deadline_at)
    if standing.withdrawn or not is_open:
        return ()
    order = custody.deals_of(times.session)
    before_each = (*[None] * custody.ahead, *order)
    open_to = (n for before, n in zip(before_each, order, strict=False) if before is None or before in standing.started)
    return tuple(n for n in open_to if n not in standing.finished)[: custody.most_unfinished]


def _waits_s(custody: FieldCustody, state: CustodyState, venue: str, session: int) -> float:
    """How long a venue waits for its next new deal of a session, whatever its tables play."""
    first_given = state.members[venue].first_given
    passed_s = (_passed_s(state, first_given[n]) for n in custody.deals_of(session) if n in first_given)
    return max(0.0, custody.least_deal_s - min(passed_s, default=math.inf))


def _passed_s(state: CustodyState, given: FirstGiven) -> float:
    """Time since a deal was given: by the monotonic clock or, if it was given before this vault started, by the time that counts, but at
    least the time since that start."""
    if state.now is None or state.ran_s is None or state.started_s is None:
        return 0.0
    at, ran_s = given
    if ran_s is not None:
        return state.ran_s - ran_s
    return max(state.ran_s - state.started_s, (state.now - at).total_seconds())


def unfinished_at(state: CustodyState, n: int) -> tuple[str, ...]:
    """The venues still playing at which a deal is not annulled and not every table has finished it. A slip released by deadline does not
    wait for them. A deal annulled everywhere is awaited as if it were not: its tables are still playing it."""
    playing = tuple(venue for venue, standing in state.members.items() if not standing.withdrawn)
    waited = tuple(venue for venue in playing if (n, venue) not in state.annulled) or playing
    return tuple(venue for venue in waited if n not in state.members[venue].finished)


def _spoke(custody: FieldCustody, state: CustodyState, command: VenueSpoke) -> Decision:
    standing, name = state.members[command.name], f"venue {command.name!r}"
    if standing.withdrawn:
        return CustodyRefusal(f"{name} was withdrawn by two persons: it is given nothing, and nothing waits for it")
    others = sorted((command.begun | command.finished | set(command.asks)) - set(custody.deals))
    if others:
        last = len(custody.plan.deals)
        return CustodyRefusal(f"{name} speaks of deal {others[0]}, and the plan has deals 1 to {last}: give the venue this event's plan")
    shown, key = command.keys.fingerprint, command.keys.sealing.hex()
    if command.keys != standing.keys and shown not in standing.allowed:
        return CustodyRefusal(
            f"{name} shows a sealing key that nobody has allowed, {shown}: its vault was started, or somebody has a copy of "
            f"its disk. Call the venue and compare these digits with its vault's log; if they agree, say twinwall centre allow "
            f"{shlex.quote(command.name)} '{shown}'"
        )
    events: tuple[Event, ...] = ()
    if command.keys != standing.keys:
        events += (KeyAccepted.of(command.name, command.keys),)
    if not (command.begun <= standing.started and command.finished <= standing.finished):
        events += (VenueProgressed(command.name, command.begun, command.finished),)
    clock = command.clock - timedelta(seconds=command.heard_s)
    if standing.clock is None or abs(clock - standing.clock) > CLOCK_TOLERANCE / 10:
        events += (ClockHeard(command.name, clock),)
    after = state
    for event in events:
        after = apply(after, event)
    open_to = custody.permitted(after, command.name)
    asks = dict.fromkeys(command.asks)
    early = [n for n in asks if n not in open_to and not _plays_meanwhile(custody, after, command.name, n)]
    if state.now is None and standing.clock is None:
        early = []  # every start of this vault begins so: the clock that this statement shows counts from the next tick on
    lost = [n for n in open_to if command.holds is not None and n not in command.holds]
    again = [n for n in dict.fromkeys((*asks, *lost)) if n in open_to and standing.given.get(n) == key]
    if after.now is not None:
        events += tuple(DealGiven(command.name, n, key, write_time(after.now)) for n in again[: custody.most_unfinished])
    return CustodyRefusal(_why_not(custody, after, command.name, early[0]), events) if early else events


def _plays_meanwhile(custody: FieldCustody, state: CustodyState, venue: str, n: int) -> bool:
    """Whether a table of the venue still plays the deal before one that waits for the least time alone: no message is needed."""
    order = custody.deals_of(custody.plan.deal(n).session)
    before = order[: order.index(n)][-1:]
    times = custody.terms.times(custody.plan.deal(n).session)
    return n in _in_turn(custody, state, venue, times) and not state.members[venue].finished.issuperset(before)


def _why_not(custody: FieldCustody, state: CustodyState, venue: str, n: int) -> str:
    """Why a venue is not given a deal that it asks for."""
    asked, times = f"venue {venue!r} asks for deal {n}", custody.terms.times(custody.plan.deal(n).session)
    standing = state.members[venue]
    if n in standing.finished:
        return f"{asked}, which all its tables have finished: its slip comes when it is released"
    if state.now is None:
        return f"{asked} before the vault's clock is known to be right: it is given once enough venues' clocks agree"
    if state.now < times.opens_at:
        opens = write_instant(times.opens_at)
        return f"{asked} too early: session {times.session} opens at {opens} (UTC), and it is {state.now:%Y-%m-%dT%H:%MZ}"
    if times.deadline_at is not None and state.now >= times.deadline_at:
        return f"{asked}, and session {times.session} ended at its deadline, {write_instant(times.deadline_at)} (UTC): its slips are out"
    if n in (in_turn := _in_turn(custody, state, venue, times)):
        rule = f"{asked} too early: a venue is given one new deal of a session in {custody.least_deal_s:g} s"
        first = next(each for each in in_turn if each not in standing.given)
        if n != first:
            return f"{rule}, and deal {first} comes before it"
        within_s = math.ceil(_waits_s(custody, state, venue, times.session) / WAIT_STEP_S) * WAIT_STEP_S
        return f"{rule}, and this one within {min(within_s, custody.least_deal_s):g} s"
    before = "the deal before" if custody.ahead == 1 else f"the deal {custody.ahead} before it"
    return f"{asked} too early: it is given when a table there plays {before}, and at most {custody.most_unfinished} a session"


def _pass_time(state: CustodyState, at: FieldMoment) -> Decision:
    """Advance the time that counts. A vault with a wrong clock would open sessions, and slips by deadline, on the wrong day, so most venues
    must agree with it."""
    ran: tuple[Event, ...] = (TimeRan(at.monotonic_s),)
    if state.now is not None and at.now <= state.now:
        return ran
    playing = {venue: standing.clock for venue, standing in state.members.items() if not standing.withdrawn}
    shown = {venue: clock + timedelta(seconds=at.monotonic_s) for venue, clock in playing.items() if clock is not None}
    agreeing = [venue for venue, clock in shown.items() if abs(clock - at.now) <= CLOCK_TOLERANCE]
    own = f"the vault's clock shows {at.now:%Y-%m-%dT%H:%MZ}"
    if not shown or len(shown) < min(FEWEST_CLOCKS, len(playing)):
        return CustodyRefusal(f"{own}, and {len(shown)} venues' clocks are known so far: nothing is given or released by time before", ran)
    if 2 * len(agreeing) <= len(shown):
        venue, clock = next((venue, clock) for venue, clock in shown.items() if venue not in agreeing)
        return CustodyRefusal(
            f"{own}, and {len(shown) - len(agreeing)} of {len(shown)} venues' clocks are more than 10 minutes off it ({venue}: "
            f"{clock:%Y-%m-%dT%H:%MZ}): nothing is given or released by time until they agree; set the vault's clock",
            ran,
        )
    return *ran, TimeCounted(at.now)


def _withdraw(state: CustodyState, command: WithdrawVenue) -> Decision:
    if alone := _alone(command.persons):
        return CustodyRefusal(f"venue {command.name!r} is not withdrawn: {alone}")
    return () if state.members[command.name].withdrawn else (MemberWithdrawn(command.name),)


def _annul(custody: FieldCustody, state: CustodyState, command: AnnulDeal) -> Decision:
    if not 1 <= command.n <= len(custody.plan.deals):
        return CustodyRefusal(f"deal {command.n} is not annulled: the plan has deals 1 to {len(custody.plan.deals)}")
    if alone := _alone(command.persons):
        return CustodyRefusal(f"deal {command.n} is not annulled: {alone}")
    return () if (command.n, command.name) in state.annulled else (DealAnnulled(command.n, command.name),)


def _alone(persons: tuple[str, ...]) -> str | None:
    """Why an order is refused if fewer than two persons signed it; None otherwise."""
    named = {name_key(name): name for name in persons}
    if len(named) >= 2:
        return None
    return f"the order is of {next(iter(named.values()), 'nobody')!r} alone: another person has to sign it too"
