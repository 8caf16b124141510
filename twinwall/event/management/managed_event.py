"""The state of an event, and how ``apply`` carries out each of its director's changes: entrants, seats, substitutes, sessions.

``apply`` takes checked changes (``change_checks``). The state says who is entered, who sits where, and which sessions were played. Results
come from the tables' ledgers.

An event as one file: description, entrants and seats, read strictly; with names of players only on request. A file gives changes for an
event without entrants; all are checked, in order, before any is made.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from enum import Enum
from functools import reduce
from typing import assert_never

import msgspec
from msgspec import structs

from twinwall.event.management.changes import (
    Announced,
    ClocksPaused,
    ClocksResumed,
    EnteredPlayer,
    EnteredTeam,
    EntrantAbsent,
    EntrantPresent,
    EntrantsEntered,
    EntrantsRemoved,
    EntrantWithdrawn,
    EventChange,
    EventClosed,
    EventDescribed,
    FourPlayers,
    ResultsHeld,
    ResultsReleased,
    SeatedPlayers,
    SessionEnded,
    SessionReopened,
    SessionSeated,
    SessionStarted,
    SubstituteSeated,
    TableName,
    TablesChosen,
)
from twinwall.event.movements.options import missing_entrants
from twinwall.event.movements.seating import four
from twinwall.event.player_names import PlayerName, PlayerNumber
from twinwall.event.results import EntrantKind
from twinwall.game.documents import DocumentError, parse_object, pretty_json
from twinwall.game.tiles import first_hand
from twinwall.game.typed_json import plain, read_as
from twinwall.values import Shape, frozen
from twinwall.wire.messages.assignment import TableKind
from twinwall.wire.names import cleaned, composed, looks_like, name_problem


class EventStage(Enum):
    DESCRIBED = "described"
    """In preparation; no session has begun."""
    PLAYING = "playing"
    """A session is played."""
    BETWEEN = "between"
    """A session is over, and no other has begun."""
    CLOSED = "closed"


@frozen
class PlayedSession:
    """A session that has begun, and whether it is over; ``described`` is the event's description at its beginning."""

    number: int
    over: bool = False
    described: EventDescribed | None = None


@frozen
class ManagedEvent:
    """An event as its director has described it. ``version``: the number of changes; a form made from another version is refused.
    ``players`` are by number, in the order of entry, ``teams`` by name. ``withdrawn``: by entrant, the first session not played; ``absent``
    entrants miss only that session. ``tables``: in the order of the room; ``kinds`` has those without a feeder. ``seatings``: by session,
    as drawn; ``substitutes`` by session: who plays instead of whom. ``sessions`` have begun, in order; results of the ``held`` ones are
    seen by directors only. ``announcement``: text by language."""

    version: int = 0
    description: EventDescribed | None = None
    players: Mapping[str, EnteredPlayer] = field(default_factory=dict)
    teams: Mapping[str, EnteredTeam] = field(default_factory=dict)
    withdrawn: Mapping[str, int] = field(default_factory=dict)
    absent: Mapping[int, frozenset[str]] = field(default_factory=dict)
    tables: tuple[str, ...] = ()
    kinds: Mapping[str, TableKind] = field(default_factory=dict)
    seatings: Mapping[int, SessionSeated] = field(default_factory=dict)
    substitutes: Mapping[int, Mapping[str, str]] = field(default_factory=dict)
    stood_in: Mapping[int, Mapping[str, str]] = field(default_factory=dict)
    """By session: substitutes and the entrants who get their results, also after the player is back."""
    sessions: tuple[PlayedSession, ...] = ()
    held: frozenset[int] = frozenset()
    paused: bool = False
    announcement: Mapping[str, str] = field(default_factory=dict)
    closed: bool = False

    @property
    def stage(self) -> EventStage:
        if self.closed:
            return EventStage.CLOSED
        if not self.sessions:
            return EventStage.DESCRIBED
        return EventStage.BETWEEN if self.sessions[-1].over else EventStage.PLAYING

    @property
    def in_play(self) -> int:
        return self.sessions[-1].number if self.stage is EventStage.PLAYING else 0

    @property
    def stands(self) -> bool:
        """Whether no table may begin a hand: the clocks are paused, or the last session is over."""
        return self.paused or (bool(self.sessions) and self.sessions[-1].over)

    @property
    def next_session(self) -> int:
        return len(self.sessions) + 1

    def is_planned(self, session: int) -> bool:
        """Whether the event has this session: planned in its description, or seated."""
        return session in self.seatings or (self.description is not None and session <= self.description.sessions)

    @property
    def session_numbers(self) -> range:
        planned = 0 if self.description is None else self.description.sessions
        return range(1, max((planned, *self.seatings, *(session.number for session in self.sessions))) + 1)

    @property
    def is_team_event(self) -> bool:
        return self.description is not None and self.description.kind == "team"

    def entrants(self, session: int) -> tuple[str, ...]:
        """The teams or players who take part in a session: not withdrawn or absent, in the order of entry.

        Substitutes and phantom teams are no entrants.
        """
        return tuple(entrant for entrant in self._entered(session) if entrant not in self.unranked)

    @property
    def unranked(self) -> frozenset[str]:
        """The substitutes of an individual event, or the phantom teams of a team event: they are in no standing."""
        if self.is_team_event:
            return frozenset(name for name, team in self.teams.items() if team.phantom)
        return frozenset(number for number, player in self.players.items() if player.substitute)

    def taking_part(self, session: int) -> tuple[str, ...]:
        """The entrants of a session, and the substitutes or phantom teams that they need; none of these if too few are entered."""
        entrants = self.entrants(session)
        spare = [entrant for entrant in self._entered(session) if entrant in self.unranked]
        lacking = missing_entrants(EntrantKind.TEAM if self.is_team_event else EntrantKind.INDIVIDUAL, len(entrants))
        return (*entrants, *(spare[:lacking] if lacking <= len(spare) else ()))

    def _entered(self, session: int) -> tuple[str, ...]:
        entered: Iterable[str] = self.teams if self.is_team_event else self.players
        staying = (entrant for entrant in entered if self.withdrawn.get(entrant, session + 1) > session)
        return tuple(entrant for entrant in staying if not self.is_absent(entrant, session))

    def is_absent(self, entrant: str, session: int) -> bool:
        return entrant in self.absent.get(session, ())

    def seats(self, session: int) -> Mapping[str, FourPlayers]:
        """Each table's players by place in a session, with substitutes in place; empty if it is not seated."""
        instead = self.substitutes.get(session, {})
        return {at.table: four(instead.get(player, player) for player in at.players) for at in self.seating(session).tables}

    @property
    def seats_in_play(self) -> Mapping[str, FourPlayers]:
        return self.seats(self.in_play)

    def seating(self, session: int) -> SessionSeated:
        """The seating drawn for a session; without groups if it is not seated."""
        return self.seatings.get(session, SessionSeated(session, ()))

    def sat(self, session: int) -> frozenset[str]:
        """Who was drawn for a session or was a substitute in it."""
        return frozenset(self.seating(session).players).union(self.stood_in.get(session, ()))

    def first_hands(self, session: int) -> Mapping[str, int]:
        """The hand with which each table begins a session, by the order of play and the table's position in its group."""
        if self.description is None:
            return {}
        order, hands = self.description.play_order, self.description.hands
        groups = self.seating(session).groups
        return {at.table: first_hand(order, place, hands) for group in groups for place, at in enumerate(group.tables)}

    def seat_of(self, session: int, player: str) -> tuple[str, int] | None:
        """Table and place (0 to 3) of a player in a session; None for a player without a seat."""
        seats = self.seats(session).items()
        return next(((table, players.index(player)) for table, players in seats if player in players), None)

    def unseated(self, session: int) -> tuple[str, ...]:
        """Who takes part in a seated session without a place: entered or returned after its seats were saved."""
        seating = self.seatings.get(session)
        if seating is None:
            return ()
        there = set(seating.teams) if self.is_team_event else set(seating.players).union(*self.seats(session).values())
        return tuple(entrant for entrant in self.taking_part(session) if entrant not in there and entrant not in seating.sitting_out)

    def kind_of(self, table: str) -> TableKind:
        """Whether a table has a feeder, is guided or plays on paper."""
        return self.kinds.get(table, TableKind.FEEDER)

    def team_of(self, player: str) -> str | None:
        return next((team.name for team in self.teams.values() if player in team.players), None)


def apply(event: ManagedEvent, change: EventChange) -> ManagedEvent:
    return replace(_applied(event, change), version=event.version + 1)


def managed_event(changes: Iterable[EventChange]) -> ManagedEvent:
    return reduce(apply, changes, ManagedEvent())


def _applied(event: ManagedEvent, change: EventChange) -> ManagedEvent:
    match change:
        case EventDescribed():
            same = event.is_team_event == (change.kind == "team")
            return replace(event, description=change, seatings=event.seatings if same else {})
        case EntrantsEntered(players, teams):
            entered = {player.number: player for player in players}
            return replace(event, players={**event.players, **entered}, teams={**event.teams, **{team.name: team for team in teams}})
        case EntrantsRemoved(players, teams):
            return _with_removed(event, players, teams)
        case EntrantWithdrawn(entrant, session):
            return replace(event, withdrawn={**event.withdrawn, entrant: session})
        case EntrantAbsent(entrant, session) | EntrantPresent(entrant, session):
            others = event.absent.get(session, frozenset()) - {entrant}
            absent = others | {entrant} if isinstance(change, EntrantAbsent) else others
            return replace(event, absent={**event.absent, session: absent})
        case TablesChosen(tables, kinds):
            return replace(event, tables=tables, kinds=kinds, seatings=_moved(event, tables))
        case SessionSeated(session):  # one that is drawn again has no substitutes
            substitutes, stood_in = ({n: of for n, of in by.items() if n != session} for by in (event.substitutes, event.stood_in))
            return replace(event, seatings={**event.seatings, session: change}, substitutes=substitutes, stood_in=stood_in)
        case SubstituteSeated(session, player, substitute):
            return _with_substitute(event, session, player, substitute)
        case SessionStarted(session):
            return replace(event, sessions=(*event.sessions, PlayedSession(session, described=event.description)), paused=False)
        case SessionEnded(session) | SessionReopened(session):
            over = isinstance(change, SessionEnded)
            sessions = tuple(replace(each, over=over) if each.number == session else each for each in event.sessions)
            return replace(event, sessions=sessions, paused=False)
        case ClocksPaused() | ClocksResumed():
            return replace(event, paused=isinstance(change, ClocksPaused))
        case ResultsHeld(session):
            return replace(event, held=event.held | {session})
        case ResultsReleased(session):
            return replace(event, held=event.held - {session})
        case Announced(texts):
            return replace(event, announcement={str(language): text for language, text in texts.items()})
        case EventClosed():
            return replace(event, closed=True)
        case _:
            assert_never(change)


def _with_removed(event: ManagedEvent, players: Sequence[str], teams: Sequence[str]) -> ManagedEvent:
    """The event without these entrants, and without the seats of coming sessions in which one of them sits."""
    gone = {*players, *(number for name in teams if name in event.teams for number in event.teams[name].players)}
    staying = {
        name: structs.replace(team, players=tuple(player for player in team.players if player not in players))
        for name, team in event.teams.items()
        if name not in teams
    }
    sits = {session for session in event.seatings for seated in event.seats(session).values() if not gone.isdisjoint(seated)}
    return replace(
        event,
        players={number: player for number, player in event.players.items() if number not in players},
        teams=staying,
        seatings={session: seating for session, seating in event.seatings.items() if session < event.next_session or session not in sits},
    )


def _with_substitute(event: ManagedEvent, session: int, player: str, substitute: str) -> ManagedEvent:
    """Seat a substitute: ``player`` may be one who is replaced in turn, ``substitute`` the player who comes back."""
    now = dict(event.substitutes.get(session, {}))
    replaced = next((drawn for drawn, sits in now.items() if sits == player), player)
    now.pop(replaced, None)
    if replaced != substitute:
        now[replaced] = substitute
    stood_in = {**event.stood_in.get(session, {}), **{sits: drawn for drawn, sits in now.items()}}
    return replace(event, substitutes={**event.substitutes, session: now}, stood_in={**event.stood_in, session: stood_in})


def _moved(event: ManagedEvent, tables: Sequence[str]) -> Mapping[int, SessionSeated]:
    """The seatings, with coming sessions moved to the new tables by position; a session with more tables stays as it is."""
    instead = dict(zip(event.tables, tables, strict=False))

    def moved(seating: SessionSeated) -> SessionSeated:
        if seating.session < event.next_session or any(at.table not in instead for at in seating.tables):
            return seating
        return seating.with_tables(lambda at: SeatedPlayers(instead[at.table], at.players))

    return {session: moved(seating) for session, seating in event.seatings.items()}


class EventDocument(Shape, tag_field="format", tag="twinwall-event-1"):
    """The file's JSON object, named by its ``format``."""

    event: EventDescribed
    players: tuple[EnteredPlayer, ...] = ()
    teams: tuple[EnteredTeam, ...] = ()
    tables: tuple[TableName, ...] = ()
    seatings: tuple[SessionSeated, ...] = ()
    names: dict[PlayerNumber, PlayerName] = {}  # noqa: RUF012 - msgspec copies it
    kinds: dict[TableName, TableKind] = {}  # noqa: RUF012 - msgspec copies it


@frozen
class EventFile:
    """The changes that a file makes, and names by player number."""

    changes: tuple[EventChange, ...]
    names: Mapping[str, str] = field(default_factory=dict)


def write_event_file(event: ManagedEvent, names: Mapping[str, str]) -> bytes:
    """The file of a described event; ``names`` are those to include."""
    return pretty_json(msgspec.to_builtins(event_document(event, names)))


def event_document(event: ManagedEvent, names: Mapping[str, str]) -> EventDocument:
    """The content of an event's file; ``names`` as in ``write_event_file``."""
    if event.description is None:
        raise ValueError("an event that is not described has no file")
    return EventDocument(
        event.description,
        tuple(event.players.values()),
        tuple(event.teams.values()),
        event.tables,
        tuple(event.seatings[number] for number in sorted(event.seatings)),
        {number: name for number, name in names.items() if number in event.players},
        dict(event.kinds),
    )


def read_event_file(content: bytes) -> EventFile:
    """Read a file; raises DocumentError, which says what is wrong."""
    return event_file(read_as(composed(parse_object(content)), EventDocument))


def event_file(document: EventDocument) -> EventFile:
    """The changes and names of a document, with all names ``cleaned``; raises DocumentError as ``read_event_file``."""
    document = read_as(composed(plain(document), cleaned), EventDocument)
    numbers = {player.number for player in document.players}
    alike: dict[str, str] = {}
    for number, name in document.names.items():
        if number not in numbers:
            raise DocumentError(f"'names' has player {number}, whom 'players' does not have")
        if name_problem(name) is not None:
            raise DocumentError(f"'names' has a name of player {number} that cannot be shown")
        other = alike.setdefault(looks_like(name), number)
        if other != number:
            raise DocumentError(f"players {other} and {number} have names that look alike: add something that tells them apart")
    changes: list[EventChange] = [document.event]
    if document.players or document.teams:
        changes.append(EntrantsEntered(document.players, document.teams))
    if document.tables:
        changes.append(TablesChosen(document.tables, document.kinds))
    return EventFile((*changes, *document.seatings), document.names)
