"""Operations that read the event as its directors have described it: entrants, sessions, seats, proposals, and changes."""

from datetime import datetime

from dashboard.access.shown_names import PlayerCard, SeatOfPlayer
from dashboard.access.viewer_scope import ViewerScope
from dashboard.actions.event_changes import EFFORT, change_sentence, standing_before, waits_for_standing
from dashboard.api.operations import DIRECTORS, EVERYBODY, ApiRequest, OperationList, ProblemError, ProblemKind, not_found
from twinwall.event.management.changes import EventChange, EventDescribed, SessionNumber, SessionSeated
from twinwall.event.management.managed_event import EventStage
from twinwall.event.management.seating_proposal import proposed_seating, reached, unmet_needs
from twinwall.event.movements.balance import Respect
from twinwall.event.movements.seating import MovementError
from twinwall.game.typed_json import Count
from twinwall.values import FrozenStruct

OPERATIONS = OperationList()


class SessionAnswer(FrozenStruct):
    """A session: ``seated`` once its seats are saved; ``held`` while only directors see its results."""

    number: int
    seated: bool
    started: bool
    over: bool
    held: bool


class EventAnswer(FrozenStruct):
    """The event.

    Attributes:
        version: the number of its changes; the header Event-Version has it too.
        description: null until the event is described.
        tables: those that play, in the order of the room.
        next_session: the number of the session that begins next.
        paused: whether the clocks are paused.
        announcement: text by language; empty for none.
        start_code: the words of the event's start; null before it is fixed.
        rehearsal: whether this is only a rehearsal.
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


class PlayerState(FrozenStruct):
    """A player; ``team`` is empty in an individual event. ``club``, ``table`` and ``place`` (a seat that the player needs) are null for
    viewers' tokens."""

    number: str
    name: str
    team: str
    withdrawn: bool
    club: str | None
    table: str | None
    place: int | None


class TeamState(FrozenStruct):
    """A team with its players' numbers; the first four play."""

    name: str
    players: tuple[str, ...]
    withdrawn: bool


class EntrantsAnswer(FrozenStruct):
    """All entrants."""

    players: tuple[PlayerState, ...]
    teams: tuple[TeamState, ...]


class SeatsAnswer(FrozenStruct):
    """The seats of a session; empty if they are not drawn."""

    seats: tuple[SeatOfPlayer, ...]


class BalanceReached(FrozenStruct):
    """How often something happens to any pair or entrant, with the bound for every schedule."""

    respect: Respect
    fewest: int
    most: int
    fewest_bound: int
    most_bound: int


class ProposalAnswer(FrozenStruct):
    """Seats to save: send ``seating`` as a change. ``unmet`` are players with an unmet need."""

    seating: SessionSeated
    balance: tuple[BalanceReached, ...]
    unmet: tuple[str, ...]


class TakenChange(FrozenStruct):
    """A change with the event's version after it, its author, and a sentence about it."""

    version: int
    at: datetime
    by: str
    change: EventChange
    sentence: str


class HistoryAnswer(FrozenStruct):
    """Changes of the event in order."""

    changes: tuple[TakenChange, ...]


@OPERATIONS.offer("GET", "/event", EVERYBODY)
def read_event(asked: ApiRequest) -> EventAnswer:
    """Read the event."""
    scope = asked.results
    event, started = scope.event, scope.started()
    over = {session.number: session.over for session in event.sessions}
    return EventAnswer(
        scope.event_name,
        event.version,
        event.stage,
        event.description,
        event.tables,
        tuple(SessionAnswer(n, n in event.seatings, n in over, over.get(n, False), n in event.held) for n in event.session_numbers),
        event.next_session,
        event.paused,
        dict(event.announcement),
        None if started is None else started.start.words,
        asked.hall.rehearsal,
    )


@OPERATIONS.offer("GET", "/entrants", EVERYBODY)
def read_entrants(asked: ApiRequest) -> EntrantsAnswer:
    """Read players and teams."""
    scope = asked.results
    event = scope.event
    players = tuple(_player(scope, number) for number in event.players)
    teams = tuple(TeamState(team.name, team.players, team.name in event.withdrawn) for team in event.teams.values())
    return EntrantsAnswer(players, teams)


@OPERATIONS.offer("GET", "/players/{player}", EVERYBODY)
def read_player(asked: ApiRequest, player: str) -> PlayerCard:
    """Read a player's seats, hands and rank."""
    card = asked.results.players.card(player)
    if card is None:
        raise not_found(f"No player of this event has the number {player}; GET /entrants lists the numbers.")
    return card


@OPERATIONS.offer("GET", "/sessions/{session}/seats", EVERYBODY)
def read_seats(asked: ApiRequest, session: SessionNumber) -> SeatsAnswer:
    """Read who sits where in a session."""
    return SeatsAnswer(asked.results.players.seats(session))


@OPERATIONS.offer("GET", "/sessions/{session}/proposal", DIRECTORS, ProblemKind.REFUSED)
def propose_seats(asked: ApiRequest, session: SessionNumber) -> ProposalAnswer:
    """Read seats that can be saved for a session."""
    desk = asked.desk()
    event = desk.event
    if event.description is None:
        raise asked.problem("refusal.not-described")
    if waits_for_standing(event, session):
        raise asked.problem("seating.later")
    try:
        seating = proposed_seating(event, session, standing_before(desk), EFFORT)
    except MovementError as error:
        raise ProblemError(ProblemKind.REFUSED, f"No seats can be found for session {session}: {error}.", reason="none") from None
    balance = tuple(
        BalanceReached(each.respect, each.fewest, each.most, each.fewest_bound, each.most_bound) for each in reached(event, seating)
    )
    return ProposalAnswer(seating, balance, tuple(player.number for player in unmet_needs(event, seating)))


@OPERATIONS.offer("GET", "/changes", DIRECTORS)
def read_changes(asked: ApiRequest, since: Count = 0) -> HistoryAnswer:
    """Read what directors have changed.

    ``since`` is the version of the event after which it was.
    """
    desk = asked.desk()
    return HistoryAnswer(
        tuple(
            TakenChange(version, step.at, step.by, step.change, change_sentence(asked.words, step.change, desk.names))
            for version, step in enumerate(desk.since(since), since + 1)
        )
    )


def _player(scope: ViewerScope, number: str) -> PlayerState:
    event = scope.event
    player, team = event.players[number], event.team_of(number) or ""
    away = (team or number) in event.withdrawn
    shown = (player.club, player.table, player.place) if scope.staff else (None, None, None)
    return PlayerState(number, scope.players.name(number), team, away, *shown)
