"""Release of deals to many venues as a pure state machine: which venue's vault may hold which deal, and when a slip is public.

It is the level above ``twinwall.custody.release``, which a venue's vault follows for its tables. ``decide`` answers what was heard
with events or a refusal, ``follow`` adds what follows from the state, ``apply`` gives the next state. The plan's terms say from when a
session's deals are given and by which rule slips are released. Time is told, and counts only while the venues' clocks agree with it; what
a venue waits between two deals runs by the vault's monotonic clock, which nobody sets.
"""

from __future__ import annotations

import math
import shlex
from dataclasses import replace
from datetime import timedelta
from typing import assert_never

from centre.custody.field_state import (
    EVERYWHERE,
    AllowVenueKey,
    AnnulDeal,
    ClockHeard,
    DealAnnulled,
    DealGiven,
    FieldCommand,
    FieldCustody,
    FieldDecision,
    FieldEvent,
    FieldMoment,
    FieldRefusal,
    FieldSlipReleased,
    FieldState,
    FieldTimePassed,
    FirstGiven,
    TimeCounted,
    TimeRan,
    VenueKeyAllowed,
    VenueKeyTaken,
    VenueProgressed,
    VenueSpoke,
    VenueStanding,
    VenueWithdrawn,
    WithdrawVenue,
)
from twinwall.game.deals import ReleaseRule, SessionTimes, write_instant
from twinwall.wire.names import name_key

CLOCK_TOLERANCE = timedelta(minutes=10)
WAIT_STEP_S = 30
"""What a venue has to wait is told in steps of this, so that it is told seldom."""
FEWEST_CLOCKS = 3
"""So many venues' clocks are compared with the vault's own, or all of them where there are fewer, before time counts."""


def field_beginning(custody: FieldCustody) -> FieldState:
    """Before anything was heard."""
    return FieldState({venue: VenueStanding() for venue in custody.venues})


def decide(custody: FieldCustody, state: FieldState, command: FieldCommand) -> FieldDecision:
    """What follows from what was heard: events, or why it has no effect."""
    if isinstance(command, FieldTimePassed):
        return _pass_time(state, command.at)
    if command.venue not in state.venues and not (isinstance(command, AnnulDeal) and command.venue == EVERYWHERE):
        known = ", ".join(custody.venues[:5]) + (" …" if len(custody.venues) > 5 else "")
        return FieldRefusal(f"venue {command.venue!r} is not in the settings: write its name as they do ({known})")
    match command:
        case VenueSpoke():
            return _spoke(custody, state, command)
        case AllowVenueKey():
            allowed = command.fingerprint in state.venues[command.venue].allowed
            return () if allowed else (VenueKeyAllowed(command.venue, command.fingerprint),)
        case WithdrawVenue():
            return _withdraw(state, command)
        case AnnulDeal():
            return _annul(custody, state, command)
        case _:
            assert_never(command)


def follow(custody: FieldCustody, state: FieldState) -> tuple[FieldEvent, ...]:
    """What happens by itself now: deals are given to venues whose turn has come, slips are released."""
    given = tuple(
        DealGiven(venue, n, standing.key, state.now)
        for venue, standing in state.venues.items()
        if standing.key is not None and state.now is not None
        for n in permitted(custody, state, venue)
        if standing.given.get(n) != standing.key
    )
    return given + tuple(
        FieldSlipReleased(deal.n) for deal in custody.plan.deals if deal.n not in state.released and is_over(custody, state, deal.n)
    )


def apply(state: FieldState, event: FieldEvent) -> FieldState:
    """The state after an event."""
    match event:
        case FieldSlipReleased(n):
            return replace(state, released=state.released | {n})
        case TimeCounted(now):
            return replace(state, now=now)
        case TimeRan(ran_s):
            return replace(state, ran_s=ran_s, started_s=ran_s if state.started_s is None else state.started_s)
        case DealAnnulled(n, venue):
            return replace(state, annulled=state.annulled | {(n, venue)})
        case _:
            return replace(state, venues={**state.venues, event.venue: _changed(state.venues[event.venue], event, state.ran_s)})


def _changed(
    standing: VenueStanding,
    event: VenueKeyAllowed | VenueKeyTaken | VenueProgressed | ClockHeard | VenueWithdrawn | DealGiven,
    ran_s: float | None,
) -> VenueStanding:
    match event:
        case VenueKeyAllowed():
            return replace(standing, allowed=standing.allowed | {event.fingerprint})
        case VenueKeyTaken():
            return replace(standing, key=event.key, allowed=frozenset())
        case VenueProgressed():
            return replace(standing, begun=standing.begun | event.begun, finished=standing.finished | event.finished)
        case ClockHeard():
            return replace(standing, clock=event.clock)
        case VenueWithdrawn():
            return replace(standing, withdrawn=True)
        case DealGiven():
            first_given = {event.n: FirstGiven(event.at, ran_s), **standing.first_given}
            return replace(standing, given={**standing.given, event.n: event.key}, first_given=first_given)
        case _:
            assert_never(event)


def permitted(custody: FieldCustody, state: FieldState, venue: str) -> tuple[int, ...]:
    """The deals that a venue's vault may hold now and of which not all its tables have finished the hand: those whose turn has come and
    that it was given before, and of each session a new one when the least time has passed since that session's last. What a venue says of
    its tables is a bare claim, so the time limits what invented progress brings."""
    given, found = state.venues[venue].given, list[int]()
    for times in custody.terms.sessions:
        in_turn = _in_turn(custody, state, venue, times)
        new = [n for n in in_turn if n not in given][:1]
        if new and _waits_s(custody, state, venue, times.session) > 0:
            new = []
        found += [n for n in in_turn if n in given or n in new]
    return tuple(found)


def _in_turn(custody: FieldCustody, state: FieldState, venue: str, times: SessionTimes) -> tuple[int, ...]:
    """Of a session that is open, the deals that a table of the venue plays or has played, and those ahead, without those that all its
    tables have finished. An annulled deal is among them, since tables play their session's deals in its order; it counts for nobody."""
    standing = state.venues[venue]
    is_open = state.now is not None and state.now >= times.opens_at and (times.deadline_at is None or state.now < times.deadline_at)
    if standing.withdrawn or not is_open:
        return ()
    order = custody.deals_of(times.session)
    before_each = (*[None] * custody.ahead, *order)
    open_to = (n for before, n in zip(before_each, order, strict=False) if before is None or before in standing.begun)
    return tuple(n for n in open_to if n not in standing.finished)[: custody.most_unfinished]


def _waits_s(custody: FieldCustody, state: FieldState, venue: str, session: int) -> float:
    """How long a venue waits for its next new deal of a session, whatever its tables play."""
    first_given = state.venues[venue].first_given
    passed_s = (_passed_s(state, first_given[n]) for n in custody.deals_of(session) if n in first_given)
    return max(0.0, custody.least_deal_s - min(passed_s, default=math.inf))


def _passed_s(state: FieldState, given: FirstGiven) -> float:
    """How long ago a deal was given: by the monotonic clock, or for one that was given before this vault's start by the time that counts,
    yet the whole time since that start at least."""
    if state.now is None or state.ran_s is None or state.started_s is None:
        return 0.0
    if given.ran_s is not None:
        return state.ran_s - given.ran_s
    return max(state.ran_s - state.started_s, (state.now - given.at).total_seconds())


def is_over(custody: FieldCustody, state: FieldState, n: int) -> bool:
    """Whether the slip of a deal may be released."""
    match custody.terms.release:
        case ReleaseRule.DEADLINE:
            deadline = custody.terms.times(custody.plan.deal(n).session).deadline_at
            return state.now is not None and deadline is not None and state.now >= deadline
        case ReleaseRule.ALL_FINISHED:
            playing = any(not standing.withdrawn for standing in state.venues.values())
            return playing and not unfinished_at(state, n)
        case _:
            assert_never(custody.terms.release)


def unfinished_at(state: FieldState, n: int) -> tuple[str, ...]:
    """The venues that play, at which a deal is not annulled and not every table has finished it. A slip that is released by deadline does
    not wait for them. A deal that is annulled everywhere is waited for as if it were not: its tables are still playing it."""
    playing = tuple(venue for venue, standing in state.venues.items() if not standing.withdrawn)
    waited = tuple(venue for venue in playing if (n, venue) not in state.annulled) or playing
    return tuple(venue for venue in waited if n not in state.venues[venue].finished)


def _spoke(custody: FieldCustody, state: FieldState, command: VenueSpoke) -> FieldDecision:
    standing, name = state.venues[command.venue], f"venue {command.venue!r}"
    if standing.withdrawn:
        return FieldRefusal(f"{name} was withdrawn by two persons: it is given nothing, and nothing waits for it")
    others = sorted((command.begun | command.finished | set(command.asks)) - {deal.n for deal in custody.plan.deals})
    if others:
        last = len(custody.plan.deals)
        return FieldRefusal(f"{name} speaks of deal {others[0]}, and the plan has deals 1 to {last}: give the venue this event's plan")
    if command.key != standing.key and command.fingerprint not in standing.allowed:
        return FieldRefusal(
            f"{name} shows a sealing key that nobody has allowed, {command.fingerprint}: its vault was started, or somebody has a copy of "
            f"its disk. Call the venue and compare these digits with its vault's log; if they agree, say twinwall centre allow "
            f"{shlex.quote(command.venue)} '{command.fingerprint}'"
        )
    events: tuple[FieldEvent, ...] = ()
    if command.key != standing.key:
        events += (VenueKeyTaken(command.venue, command.key),)
    if not (command.begun <= standing.begun and command.finished <= standing.finished):
        events += (VenueProgressed(command.venue, command.begun, command.finished),)
    clock = command.clock - timedelta(seconds=command.heard_s)
    if standing.clock is None or abs(clock - standing.clock) > CLOCK_TOLERANCE / 10:
        events += (ClockHeard(command.venue, clock),)
    after = state
    for event in events:
        after = apply(after, event)
    open_to = permitted(custody, after, command.venue)
    asks = dict.fromkeys(command.asks)
    early = [n for n in asks if n not in open_to and not _plays_meanwhile(custody, after, command.venue, n)]
    if state.now is None and standing.clock is None:
        early = []  # every start of this vault begins so: the clock that this statement shows counts from the next tick on
    lost = [n for n in open_to if command.holds is not None and n not in command.holds]
    again = [n for n in dict.fromkeys((*asks, *lost)) if n in open_to and standing.given.get(n) == command.key]
    events += tuple(DealGiven(command.venue, n, command.key, after.now) for n in again[: custody.most_unfinished] if after.now is not None)
    return FieldRefusal(_why_not(custody, after, command.venue, early[0]), events) if early else events


def _plays_meanwhile(custody: FieldCustody, state: FieldState, venue: str, n: int) -> bool:
    """Whether a table of the venue still plays the deal before one that waits for the least time alone: nobody needs to be told."""
    order = custody.deals_of(custody.plan.deal(n).session)
    before = order[: order.index(n)][-1:]
    times = custody.terms.times(custody.plan.deal(n).session)
    return n in _in_turn(custody, state, venue, times) and not state.venues[venue].finished.issuperset(before)


def _why_not(custody: FieldCustody, state: FieldState, venue: str, n: int) -> str:
    """Why a venue is not given a deal that it asks for."""
    asked, times = f"venue {venue!r} asks for deal {n}", custody.terms.times(custody.plan.deal(n).session)
    standing = state.venues[venue]
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


def _pass_time(state: FieldState, at: FieldMoment) -> FieldDecision:
    """A vault with a wrong clock would open sessions, and slips by deadline, on the wrong day: so most venues have to agree with it."""
    ran: tuple[FieldEvent, ...] = (TimeRan(at.monotonic_s),)
    if state.now is not None and at.now <= state.now:
        return ran
    playing = {venue: standing.clock for venue, standing in state.venues.items() if not standing.withdrawn}
    shown = {venue: clock + timedelta(seconds=at.monotonic_s) for venue, clock in playing.items() if clock is not None}
    agreeing = [venue for venue, clock in shown.items() if abs(clock - at.now) <= CLOCK_TOLERANCE]
    own = f"the vault's clock shows {at.now:%Y-%m-%dT%H:%MZ}"
    if not shown or len(shown) < min(FEWEST_CLOCKS, len(playing)):
        return FieldRefusal(f"{own}, and {len(shown)} venues' clocks are known so far: nothing is given or released by time before", ran)
    if 2 * len(agreeing) <= len(shown):
        venue, clock = next((venue, clock) for venue, clock in shown.items() if venue not in agreeing)
        return FieldRefusal(
            f"{own}, and {len(shown) - len(agreeing)} of {len(shown)} venues' clocks are more than 10 minutes off it ({venue}: "
            f"{clock:%Y-%m-%dT%H:%MZ}): nothing is given or released by time until they agree; set the vault's clock",
            ran,
        )
    return *ran, TimeCounted(at.now)


def _withdraw(state: FieldState, command: WithdrawVenue) -> FieldDecision:
    if alone := _alone(command.persons):
        return FieldRefusal(f"venue {command.venue!r} is not withdrawn: {alone}")
    return () if state.venues[command.venue].withdrawn else (VenueWithdrawn(command.venue),)


def _annul(custody: FieldCustody, state: FieldState, command: AnnulDeal) -> FieldDecision:
    if not 1 <= command.n <= len(custody.plan.deals):
        return FieldRefusal(f"deal {command.n} is not annulled: the plan has deals 1 to {len(custody.plan.deals)}")
    if alone := _alone(command.persons):
        return FieldRefusal(f"deal {command.n} is not annulled: {alone}")
    return () if (command.n, command.venue) in state.annulled else (DealAnnulled(command.n, command.venue),)


def _alone(persons: tuple[str, ...]) -> str | None:
    """Why an order does not count where one person, or nobody, stands behind it."""
    named = {name_key(name): name for name in persons}
    if len(named) >= 2:
        return None
    return f"the order is of {next(iter(named.values()), 'nobody')!r} alone: another person has to sign it too"
