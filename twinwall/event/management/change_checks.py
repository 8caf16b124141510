"""Decides which of a director's changes an event can take (``refusal``); a refusal has a reason, and leaves the event as it is."""

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from enum import Enum
from itertools import chain
from typing import TypeVar, assert_never

from twinwall.event.management.changes import (
    Announced,
    ClocksPaused,
    ClocksResumed,
    EntrantAbsent,
    EntrantPresent,
    EntrantsEntered,
    EntrantsRemoved,
    EntrantWithdrawn,
    EventChange,
    EventClosed,
    EventDescribed,
    ResultsHeld,
    ResultsReleased,
    SeatedGroup,
    SessionEnded,
    SessionReopened,
    SessionSeated,
    SessionStarted,
    SubstituteSeated,
    TablesChosen,
    change_document,
    read_change,
)
from twinwall.event.management.managed_event import EventStage, ManagedEvent, apply
from twinwall.event.results import TEAMS
from twinwall.game.documents import DocumentError
from twinwall.game.rules import RuleSetError, rule_set
from twinwall.values import frozen
from twinwall.wire.names import cleaned, name_problem, twins

_PLAYED = ("kind", "rules", "options", "hands", "points", "carry_over", "weights")
"""Fields of an event's description on which results depend."""
_RULES = ("rules", "options")
"""Fields of these that each hand names itself, so they may change between sessions."""
_N = TypeVar("_N", bound=Hashable)


class Why(Enum):
    """Why a change is refused; pages have a sentence for each, with the refusal's values."""

    CHANGED = "changed"
    """The form was made from an earlier version of the event."""
    CLOSED = "closed"
    NOT_DESCRIBED = "not-described"
    ALREADY_PLAYED = "already-played"
    """The description, seats and entrants of what was played cannot change."""
    RULES = "rules"
    TWICE = "twice"
    UNKNOWN_PLAYER = "unknown-player"
    UNKNOWN_TEAM = "unknown-team"
    UNKNOWN_TABLE = "unknown-table"
    PLAYS_FOR_ANOTHER = "plays-for-another"
    """A person who has played in a session for one player cannot play there for another: the results would count for both."""
    TWO_TEAMS = "two-teams"
    """A player is in two teams."""
    TEAM_NEEDS_FOUR = "team-needs-four"
    FIXED_SEAT_TWICE = "fixed-seat-twice"
    KIND = "kind"
    """Teams in an individual event, or none in a team event."""
    WITHDRAWN = "withdrawn"
    ABSENT = "absent"
    NOT_SEATED = "not-seated"
    WRONG_SESSION = "wrong-session"
    """Sessions begin and end in order."""
    NOT_REOPENED = "not-reopened"
    """Another session has begun since, or the session is not over."""
    GROUP = "group"
    """A group is not four tables with four teams, or its seats are no Latin square."""
    STILL_PLAYING = "still-playing"
    VALUE = "value"
    """A name, number or text that no change can have."""
    DEALS_RULES = "deals-rules"
    """The deals of the event were made for another rule set."""
    NO_DEALS = "no-deals"
    """The event's start is not fixed."""
    NO_MORE_DEALS = "no-more-deals"
    """The event's plan lacks deals for the session."""
    TABLE_NOT_HEARD = "table-not-heard"
    """A table of the session has not joined the hall, or is switched off."""
    TABLE_KIND = "table-kind"
    """A table reports another kind than the event has for it."""
    NOTHING = "nothing"
    """The event already is so."""


@frozen
class ChangeRefusal:
    """Why a change is refused; ``name`` is a player, team, table or group."""

    why: Why
    name: str = ""
    session: int = 0

    @property
    def values(self) -> dict[str, str]:
        return {key: value for key, value in (("name", self.name), ("session", str(self.session or ""))) if value}


class ChangeRefusedError(ValueError):
    def __init__(self, refusal: ChangeRefusal) -> None:
        named = ", ".join(f"{key} {value}" for key, value in refusal.values.items())
        super().__init__(f"the change is refused: {refusal.why.value}" + (f" ({named})" if named else ""))
        self.refusal = refusal


def refusal(event: ManagedEvent, *changes: EventChange, seen: int | None = None) -> ChangeRefusal | None:
    """Why the event cannot take these changes, in order; None if it can. ``seen`` is the version that the director's page showed."""
    if seen is not None and seen != event.version:
        return ChangeRefusal(Why.CHANGED)
    for change in changes:
        if (refused := _refusal(event, change)) is not None:
            return refused
        event = apply(event, change)
    return None


def _refusal(event: ManagedEvent, change: EventChange) -> ChangeRefusal | None:
    try:
        read_change(change_document(change))
    except DocumentError as error:
        return ChangeRefusal(Why.VALUE, str(error))
    if event.closed:
        return ChangeRefusal(Why.CLOSED)
    if event.description is None and not isinstance(change, EventDescribed):
        return ChangeRefusal(Why.NOT_DESCRIBED)
    return next(chain(_problems(event, change), _afterwards(event, change)), None)


def _afterwards(event: ManagedEvent, change: EventChange) -> Iterator[ChangeRefusal]:
    """Yield refusals of a change that would bring labels that are not as people see them, or would alter the basis of results: only a
    ruling, which everybody sees, changes a result."""
    changed = apply(event, change)
    fresh = sorted(_labels(changed) - _labels(event))
    yield from _each(Why.VALUE, (name for name in fresh if name != cleaned(name) or name_problem(name) in ("unseen", "long")))
    over = {begun.number for state in (event, changed) for begun in state.sessions if begun.over}
    after = dict(_played(changed, over))
    for (name, session), before in _played(event, over):
        if after.get((name, session)) != before:
            yield ChangeRefusal(Why.ALREADY_PLAYED, name, session)


def _labels(event: ManagedEvent) -> set[str]:
    """The names of tables, clubs and groups; a sign such as "-" may be one."""
    clubs = {player.club for player in event.players.values()} | {team.club for team in event.teams.values()}
    return clubs.union(event.tables, (group.name for seating in event.seatings.values() for group in seating.groups))


def _played(event: ManagedEvent, over: Collection[int]) -> Iterator[tuple[tuple[str, int], object]]:
    """By name and session, what results depend on: what is played, who sits where, who is ranked, and each seated player's team."""
    for session in (begun.number for begun in event.sessions if begun.number in event.seatings):
        described, seating = event.description, event.seatings[session]
        yield ("", session), (seating, [getattr(described, key) for key in _fixed(over=session in over)])
        for player in sorted(event.sat(session)):
            yield (player, session), (player in event.players, player in event.unranked, event.team_of(player))
        yield from (((team, session), team in event.unranked) for team in seating.teams)


def fixed_fields(event: ManagedEvent) -> tuple[str, ...]:
    """The fields of the event's description that cannot change now, because of what was played."""
    return _fixed(over=event.sessions[-1].over) if event.sessions else ()


def _fixed(*, over: bool) -> tuple[str, ...]:
    return tuple(key for key in _PLAYED if not over or key not in _RULES)


def _problems(event: ManagedEvent, change: EventChange) -> Iterator[ChangeRefusal]:
    match change:
        case EventDescribed():
            yield from _description(event, change)
        case EntrantsEntered():
            yield from _entered(event, change)
        case EntrantsRemoved():
            yield from _removed(event, change)
        case EntrantWithdrawn() | EntrantAbsent() | EntrantPresent():
            yield from _leaving(event, change)
        case TablesChosen(tables, kinds):
            yield from _each(Why.TWICE, _twice(tables))
            yield from _each(Why.UNKNOWN_TABLE, (table for table in kinds if table not in tables))
            yield from _each(Why.STILL_PLAYING, (table for table in event.seats_in_play if table not in tables))
        case SessionSeated():
            yield from _seated(event, change)
        case SubstituteSeated():
            yield from _substitute(event, change)
        case SessionStarted(session):
            yield from _start(event, session)
        case SessionEnded(session):
            if session != event.in_play:
                yield ChangeRefusal(Why.WRONG_SESSION, session=session)
        case SessionReopened(session):
            if event.stage is not EventStage.BETWEEN or session != event.sessions[-1].number or _has_other_rules(event):
                yield ChangeRefusal(Why.NOT_REOPENED, session=session)
        case ClocksPaused() | ClocksResumed():
            if event.paused is isinstance(change, ClocksPaused):
                yield ChangeRefusal(Why.NOTHING)
        case ResultsHeld(session) | ResultsReleased(session):
            if (session in event.held) is isinstance(change, ResultsHeld):
                yield ChangeRefusal(Why.NOTHING)
        case EventClosed():
            if event.in_play:
                yield ChangeRefusal(Why.STILL_PLAYING, session=event.in_play)
        case Announced():
            pass
        case _:
            assert_never(change)


def _has_other_rules(event: ManagedEvent) -> bool:
    began = event.sessions[-1].described
    return any(getattr(began, key) != getattr(event.description, key) for key in _RULES)


def _leaving(event: ManagedEvent, change: EntrantWithdrawn | EntrantAbsent | EntrantPresent) -> Iterator[ChangeRefusal]:
    if change.entrant not in (event.teams if event.is_team_event else event.players):
        yield ChangeRefusal(Why.UNKNOWN_TEAM if event.is_team_event else Why.UNKNOWN_PLAYER, change.entrant)
    if change.session < event.next_session:
        yield ChangeRefusal(Why.ALREADY_PLAYED, session=change.session)
    if change.entrant in event.withdrawn:
        yield ChangeRefusal(Why.WITHDRAWN, change.entrant)
    absent = event.is_absent(change.entrant, change.session)
    if (isinstance(change, EntrantAbsent) and absent) or (isinstance(change, EntrantPresent) and not absent):
        yield ChangeRefusal(Why.NOTHING)


def _start(event: ManagedEvent, session: int) -> Iterator[ChangeRefusal]:
    if event.in_play:
        yield ChangeRefusal(Why.STILL_PLAYING, session=event.in_play)
    if session != event.next_session:
        yield ChangeRefusal(Why.WRONG_SESSION, session=event.next_session)
    if session not in event.seatings:
        yield ChangeRefusal(Why.NOT_SEATED, session=session)
    yield from _each(Why.UNKNOWN_TABLE, (table for table in event.seats(session) if table not in event.tables))
    yield from (_why_away(event, entrant, session) for entrant in _gone_but_seated(event, session))


def _why_away(event: ManagedEvent, entrant: str, session: int) -> ChangeRefusal:
    if event.is_absent(entrant, session):
        return ChangeRefusal(Why.ABSENT, entrant, session)
    return ChangeRefusal(Why.WITHDRAWN if entrant in event.withdrawn else Why.UNKNOWN_PLAYER, entrant)


def _gone_but_seated(event: ManagedEvent, session: int) -> Iterator[str]:
    """Yield entrants who have a seat in a session in which they do not play."""
    taking_part = event.entrants(session)
    seated = event.seating(session).teams if event.is_team_event else chain.from_iterable(event.seats(session).values())
    away = {*event.withdrawn, *event.absent.get(session, ())}
    yield from (entrant for entrant in seated if entrant in away and entrant not in taking_part)


def _description(event: ManagedEvent, change: EventDescribed) -> Iterator[ChangeRefusal]:
    try:
        rule_set(change.rules, change.options)
    except RuleSetError as error:
        yield ChangeRefusal(Why.RULES, str(error))
    before = event.description
    if before is not None and event.sessions:
        if change.sessions < len(event.sessions):
            yield ChangeRefusal(Why.ALREADY_PLAYED, session=event.sessions[-1].number)
        if event.in_play and before.play_order != change.play_order:
            yield ChangeRefusal(Why.STILL_PLAYING, session=event.in_play)


def _entered(event: ManagedEvent, change: EntrantsEntered) -> Iterator[ChangeRefusal]:
    numbers, names = [player.number for player in change.players], [team.name for team in change.teams]
    yield from _each(Why.TWICE, _twice(chain(numbers, names)))
    fresh = [name for name in names if name not in event.teams]
    yield from _each(Why.VALUE, (name for name in fresh if name != cleaned(name) or name_problem(name)))
    yield from _each(Why.TWICE, (name for name in twins([*event.teams, *fresh]) if name in fresh))
    if change.teams and not event.is_team_event:
        yield ChangeRefusal(Why.KIND, change.teams[0].name)
    players = {**event.players, **{player.number: player for player in change.players}}
    teams = {**event.teams, **{team.name: team for team in change.teams}}
    members = [number for team in teams.values() for number in team.players]
    yield from _each(Why.UNKNOWN_PLAYER, (number for number in members if number not in players))
    yield from _each(Why.TWO_TEAMS, _twice(members))
    fixed = [(player.table, player.place) for player in players.values() if player.table is not None and player.place is not None]
    yield from (ChangeRefusal(Why.FIXED_SEAT_TWICE, str(table)) for table, _place in _twice(fixed))


def _removed(event: ManagedEvent, change: EntrantsRemoved) -> Iterator[ChangeRefusal]:
    yield from _each(Why.UNKNOWN_PLAYER, (number for number in change.players if number not in event.players))
    yield from _each(Why.UNKNOWN_TEAM, (name for name in change.teams if name not in event.teams))
    for name, team in event.teams.items():
        left = [number for number in team.players if number not in change.players]
        if name not in change.teams and len(left) < min(TEAMS, len(team.players)):
            yield ChangeRefusal(Why.TEAM_NEEDS_FOUR, name)


def _seated(event: ManagedEvent, change: SessionSeated) -> Iterator[ChangeRefusal]:
    if change.session < event.next_session:
        yield ChangeRefusal(Why.ALREADY_PLAYED, session=change.session)
    tables, players, teams = [at.table for at in change.tables], change.players, change.teams
    yield from _each(Why.TWICE, chain(_twice(tables), _twice(players), _twice(teams)))
    yield from _each(Why.TWICE, _twice(group.name for group in change.groups))
    yield from _each(Why.UNKNOWN_TABLE, (table for table in tables if table not in event.tables))
    yield from _each(Why.UNKNOWN_PLAYER, (player for player in players if player not in event.players))
    taking_part = {*event.entrants(change.session), *event.unranked}
    for entrant in chain(teams if event.is_team_event else players, change.sitting_out):
        if entrant not in taking_part:
            yield _why_away(event, entrant, change.session)
    for group in change.groups:
        if not _is_whole(event, group):
            yield ChangeRefusal(Why.GROUP, group.name)


def _is_whole(event: ManagedEvent, group: SeatedGroup) -> bool:
    """Whether a group can be compared: in a team event team (s − t) mod 4 of the group has place s of table t (both from 0)."""
    if not event.is_team_event:
        return bool(group.tables) and not group.teams
    if (len(group.tables), len(group.teams)) != (TEAMS, TEAMS) or any(team not in event.teams for team in group.teams):
        return False
    return all(
        player in event.teams[group.teams[(place - number) % TEAMS]].players
        for number, at in enumerate(group.tables)
        for place, player in enumerate(at.players)
    )


def _substitute(event: ManagedEvent, change: SubstituteSeated) -> Iterator[ChangeRefusal]:
    if event.seat_of(change.session, change.player) is None:
        yield ChangeRefusal(Why.NOT_SEATED, change.player, change.session)
    if any(session.over and session.number == change.session for session in event.sessions):
        yield ChangeRefusal(Why.ALREADY_PLAYED, session=change.session)
    if change.substitute not in event.players:
        yield ChangeRefusal(Why.UNKNOWN_PLAYER, change.substitute)
    if event.seat_of(change.session, change.substitute) is not None:
        yield ChangeRefusal(Why.TWICE, change.substitute)
    stood_in, known = event.stood_in.get(change.session, {}), event.sat(change.session)
    if not event.is_team_event and change.substitute in known:
        counts_for, player = (stood_in.get(each, each) for each in (change.substitute, change.player))
        if counts_for != player:
            yield ChangeRefusal(Why.PLAYS_FOR_ANOTHER, change.substitute, change.session)
    if event.is_team_event and event.team_of(change.player) != event.team_of(change.substitute):
        yield ChangeRefusal(Why.TWO_TEAMS, change.substitute)


def _each(why: Why, names: Iterable[str]) -> Iterator[ChangeRefusal]:
    return (ChangeRefusal(why, name) for name in names)


def _twice(names: Iterable[_N]) -> Sequence[_N]:
    return [name for name, times in Counter(names).items() if times > 1]
