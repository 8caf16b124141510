"""Operations that read the event as its directors have described it: entrants, sessions, seats, proposals, and who changed what."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Struct

from dashboard.access.shown_players import PlayerCard, ShownPlayers
from dashboard.access.viewer_scope import ViewerScope
from dashboard.api.operations import DIRECTORS, EVERYBODY, ApiRequest, Declared, Nothing, Operation, offer
from dashboard.api.problems import ProblemError, ProblemKind
from dashboard.pages.setup.change_sentences import change_sentence
from dashboard.pages.setup.seating_routes import waits_for_standing
from twinwall.event.management.changes import EventChange, EventDescribed, SessionNumber, SessionSeated
from twinwall.event.management.managed_event import EventStage, ManagedEvent
from twinwall.event.management.seating_proposal import proposed_seating, reached, unmet_needs
from twinwall.event.movements.balance import Respect
from twinwall.event.movements.seating import MovementError
from twinwall.event.movements.solver import Effort

_EFFORT = Effort(steps=1.0)


class SessionAnswer(Struct, frozen=True):
    """A session: ``seated`` once its seats are saved; ``held`` while its results are shown to directors alone."""

    number: int
    seated: bool
    started: bool
    over: bool
    held: bool


class EventAnswer(Struct, frozen=True):
    """The event.

    Attributes:
        version: the number of changes that it has taken; the header Event-Version has it too.
        description: null until the event is described.
        tables: those that play, in the order of the room.
        next_session: the number of the session that begins next.
        paused: whether the clocks stand.
        announcement: text by language; empty for none.
        start_code: the words of the event's start; null before it is fixed.
        rehearsal: whether this is no event but a rehearsal.
    """

    name: str
    version: int
    stage: EventStage
    description: EventDescribed | None
    tables: tuple[str, ...]
    sessions: tuple[SessionAnswer, ...]
    next_session: int
    paused: bool
    announcement: dict[str, str]
    start_code: str | None
    rehearsal: bool


class PlayerState(Struct, frozen=True):
    """A player; ``team`` is empty in an individual event. ``club``, ``table`` and ``place`` (a seat that the player needs) are null
    for tokens of viewers."""

    number: str
    name: str
    team: str
    withdrawn: bool
    club: str | None
    table: str | None
    place: int | None


class TeamState(Struct, frozen=True):
    """A team with its players' numbers; the first four play."""

    name: str
    players: tuple[str, ...]
    withdrawn: bool


class EntrantsAnswer(Struct, frozen=True):
    """Everybody who is in the event."""

    players: tuple[PlayerState, ...]
    teams: tuple[TeamState, ...]


class SeatAnswer(Struct, frozen=True):
    """Who sits at a place, 0 to 3 counter-clockwise; place 0 is East in the first hand."""

    session: int
    table: str
    place: int
    number: str
    name: str
    team: str


class SeatsAnswer(Struct, frozen=True):
    """The seats of a session; none where they are not drawn."""

    seats: tuple[SeatAnswer, ...]


class HandAnswer(Struct, frozen=True):
    """A hand of a released deal that a player played: the score that counts, null where none does, and what it brought."""

    deal: int
    session: int
    hand: int
    table: str
    seat: str
    score: int | None
    points: str | None


class PlayerAnswer(Struct, frozen=True):
    """A player's card: seats of all sessions that are drawn, hands of released deals, and the rank in the event."""

    number: str
    name: str
    team: str
    withdrawn: bool
    seats: tuple[SeatAnswer, ...]
    hands: tuple[HandAnswer, ...]
    rank: int | None
    total: str | None


class BalanceReached(Struct, frozen=True):
    """How often something happens to any pair or entrant, each beside what no schedule could do better."""

    respect: Respect
    fewest: int
    most: int
    fewest_bound: int
    most_bound: int


class ProposalAnswer(Struct, frozen=True):
    """Seats that can be saved as they are: send ``seating`` as a change. ``unmet`` are players whose need is not met."""

    seating: SessionSeated
    balance: tuple[BalanceReached, ...]
    unmet: tuple[str, ...]


class TakenChange(Struct, frozen=True):
    """A change with the version of the event after it, who made it, and what it says in words."""

    version: int
    at: datetime
    by: str
    change: EventChange
    sentence: str


class HistoryAnswer(Struct, frozen=True):
    """Changes of the event in their order."""

    changes: tuple[TakenChange, ...]


class OneSession(Struct, frozen=True, forbid_unknown_fields=True):
    """A session by its number."""

    session: SessionNumber


class OnePlayer(Struct, frozen=True, forbid_unknown_fields=True):
    """A player by number."""

    player: str


class SinceVersion(Struct, frozen=True, forbid_unknown_fields=True):
    """After which version of the event."""

    since: Annotated[int, msgspec.Meta(ge=0)] = 0


def read_event(asked: ApiRequest[Nothing, Nothing]) -> EventAnswer:
    """The event as the token's viewer may see it."""
    scope = asked.hall.policy.results(asked.viewer)
    event, started = scope.event, scope.started()
    return EventAnswer(
        scope.event_name,
        event.version,
        event.stage,
        event.description,
        event.tables,
        _sessions(event),
        event.next_session,
        event.paused,
        dict(event.announcement),
        None if started is None else started.start.words,
        asked.hall.rehearsal,
    )


def read_entrants_of(asked: ApiRequest[Nothing, Nothing]) -> EntrantsAnswer:
    """Everybody who is in the event."""
    scope = asked.hall.policy.results(asked.viewer)
    event = scope.event
    players = tuple(_player(scope, number) for number in event.players)
    teams = tuple(TeamState(team.name, team.players, team.name in event.withdrawn) for team in event.teams.values())
    return EntrantsAnswer(players, teams)


def read_player(asked: ApiRequest[OnePlayer, Nothing]) -> PlayerAnswer:
    """One player's card."""
    number = asked.parameters.player
    card = asked.hall.policy.results(asked.viewer).players.card(number)
    if card is None:
        raise ProblemError(ProblemKind.NOT_FOUND, f"No player of this event has the number {number}; GET /entrants lists the numbers.")
    return _card(card)


def read_seats(asked: ApiRequest[OneSession, Nothing]) -> SeatsAnswer:
    """Who sits where in a session."""
    session = asked.parameters.session
    return SeatsAnswer(_seats(asked.hall.policy.results(asked.viewer).players, session))


def propose_seats(asked: ApiRequest[OneSession, Nothing]) -> ProposalAnswer:
    """Seats for a session that has none, as the page of the seating proposes them."""
    desk, session = asked.desk(), asked.parameters.session
    event = desk.event
    if event.description is None:
        raise ProblemError(ProblemKind.REFUSED, asked.words("refusal.not-described"), reason="not-described")
    if waits_for_standing(event, session):
        raise ProblemError(ProblemKind.REFUSED, asked.words("seating.later"), reason="later")
    standing = tuple(at.entrant for at in desk.hall.standings().ranking) if event.description.groups == "by-standing" else ()
    try:
        seating = proposed_seating(event, session, standing if event.sessions else (), _EFFORT)
    except MovementError as error:
        raise ProblemError(ProblemKind.REFUSED, f"No seats can be found for session {session}: {error}.", reason="none") from None
    balance = tuple(
        BalanceReached(each.respect, each.fewest, each.most, each.fewest_bound, each.most_bound) for each in reached(event, seating)
    )
    return ProposalAnswer(seating, balance, tuple(player.number for player in unmet_needs(event, seating)))


def read_history(asked: ApiRequest[SinceVersion, Nothing]) -> HistoryAnswer:
    """What directors have changed."""
    desk, since = asked.desk(), asked.parameters.since
    return HistoryAnswer(
        tuple(
            TakenChange(version, step.at, step.by, step.change, change_sentence(asked.words, step.change, desk.names))
            for version, step in enumerate(desk.since(since), since + 1)
        )
    )


def _sessions(event: ManagedEvent) -> tuple[SessionAnswer, ...]:
    planned = 0 if event.description is None else event.description.sessions
    over = {session.number: session.over for session in event.sessions}
    numbers = range(1, max((planned, *event.seatings, *over), default=0) + 1)
    return tuple(SessionAnswer(n, n in event.seatings, n in over, over.get(n, False), n in event.held) for n in numbers)


def _player(scope: ViewerScope, number: str) -> PlayerState:
    event = scope.event
    player, team = event.players[number], event.team_of(number) or ""
    away = (team or number) in event.withdrawn
    shown = (player.club, player.table, player.place) if scope.staff else (None, None, None)
    return PlayerState(number, scope.players.name(number), team, away, *shown)


def _seats(players: ShownPlayers, session: int) -> tuple[SeatAnswer, ...]:
    return tuple(SeatAnswer(session, at.table, at.place, at.number, at.name, at.team) for at in players.seats(session))


def _card(card: PlayerCard) -> PlayerAnswer:
    return PlayerAnswer(
        card.number,
        card.name,
        card.team,
        card.withdrawn,
        tuple(SeatAnswer(session, at.table, at.place, at.number, at.name, at.team) for session, at in card.seats),
        tuple(
            HandAnswer(
                hand.n, hand.session, hand.hand, hand.table, hand.seat.value, hand.score, None if hand.points is None else str(hand.points)
            )
            for hand in card.hands
        ),
        card.rank,
        None if card.total is None else str(card.total),
    )


OPERATIONS: tuple[Operation, ...] = (
    offer(Declared("readEvent", "GET", "/event", "Read the event.", EVERYBODY), Nothing, Nothing, EventAnswer, read_event),
    offer(
        Declared("readEntrants", "GET", "/entrants", "Read players and teams.", EVERYBODY),
        Nothing,
        Nothing,
        EntrantsAnswer,
        read_entrants_of,
    ),
    offer(
        Declared("readPlayer", "GET", "/players/{player}", "Read a player's seats, hands and rank.", EVERYBODY),
        OnePlayer,
        Nothing,
        PlayerAnswer,
        read_player,
    ),
    offer(
        Declared("readSeats", "GET", "/sessions/{session}/seats", "Read who sits where in a session.", EVERYBODY),
        OneSession,
        Nothing,
        SeatsAnswer,
        read_seats,
    ),
    offer(
        Declared(
            "proposeSeats",
            "GET",
            "/sessions/{session}/proposal",
            "Read seats that can be saved for a session.",
            DIRECTORS,
            (ProblemKind.REFUSED,),
        ),
        OneSession,
        Nothing,
        ProposalAnswer,
        propose_seats,
    ),
    offer(
        Declared("readChanges", "GET", "/changes", "Read what directors have changed.", DIRECTORS),
        SinceVersion,
        Nothing,
        HistoryAnswer,
        read_history,
    ),
)
