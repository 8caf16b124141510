"""Changes of an event, as its director makes them; the store keeps each as a signed record and never changes one.

A change names players by number alone: names are in the names file, so that a person can be forgotten. What the changes of an
event amount to is ``managed_event``; which change an event can take is ``change_checks``. Results are no change: they are computed
from the tables' ledgers.
"""

from collections.abc import Callable
from typing import Annotated, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from twinwall.event.event_standings import SHARE_PATTERN
from twinwall.event.field import ComparedTables
from twinwall.event.movements.play_order import PlayOrder
from twinwall.event.player_names import NUMBER_PATTERN
from twinwall.game.documents import DocumentError
from twinwall.game.typed_json import Text, plain, read_as
from twinwall.values import Shape
from twinwall.wire.messages.table_kind import TableKind

MOST_SESSIONS = 40
MOST_HANDS = 16
USUAL_MINUTES = 130
"""Of a session of 16 hands."""
LONGEST_TEXT = 500
"""Characters of an announcement."""

PlayerNumber = Annotated[str, msgspec.Meta(pattern=rf"^{NUMBER_PATTERN}\Z")]
TableName = Annotated[str, msgspec.Meta(pattern=r"^[^\s/+#]{1,40}\Z")]
EntrantName = Annotated[str, msgspec.Meta(pattern=r"^\S(.*\S)?\Z", max_length=80)]
"""A team's name, or a player's number."""
Club = Annotated[str, msgspec.Meta(pattern=r"^(\S(.*\S)?)?\Z", max_length=80)]
SessionNumber = Annotated[int, msgspec.Meta(ge=1, le=MOST_SESSIONS)]
Share = Annotated[str, msgspec.Meta(pattern=SHARE_PATTERN)]
FourPlayers = tuple[PlayerNumber, PlayerNumber, PlayerNumber, PlayerNumber]


class _Change(Shape, omit_defaults=True, tag_field="type"):
    """A JSON object whose ``type`` says which change it is; fields that have their default are left out."""


class EventDescribed(_Change, tag="event-described"):
    """What is played and how it is compared; said again, it takes the place of what was said before.

    Attributes:
        sessions: how many are planned.
        hands: of a session.
        minutes: that a session is planned to take.
        play_order: barometer: all tables of a group play the same deal at a time; staggered: each begins in another round.
        groups: fixed for the event, or drawn again by the standings before each session.
        carry_over: the share of the total before each session that is added to the session's points; 1 adds all sessions up.
        weights: of the sessions in their order, for the tie-break by weighted IMP; without any it does not apply.
        names: what everybody sees of players.
        seat_check: whether the first hand of a session waits until the four players have said who they are.
    """

    kind: Literal["team", "individual"]
    rules: Text
    options: dict[str, bool | int | str] = {}  # noqa: RUF012 - msgspec copies it
    sessions: SessionNumber = 1
    hands: Annotated[int, msgspec.Meta(ge=1, le=MOST_HANDS)] = MOST_HANDS
    minutes: Annotated[int, msgspec.Meta(ge=1, le=24 * 60)] = USUAL_MINUTES
    play_order: PlayOrder = "barometer"
    groups: Literal["fixed", "by-standing"] = "fixed"
    points: Literal["imp", "rank", "cross-imp"] = "imp"
    carry_over: Share = "1"
    weights: Annotated[tuple[Share, ...], msgspec.Meta(max_length=MOST_SESSIONS)] = ()
    names: Literal["full", "initials", "number"] = "full"
    seat_check: bool = True


def usual_minutes(hands: int) -> int:
    """How long a session of this many hands is planned to take by default."""
    return USUAL_MINUTES * hands // MOST_HANDS


def usual_points(kind: Literal["team", "individual"]) -> Literal["imp", "cross-imp"]:
    """What a new event counts by default: players are compared over the whole field, teams by the sums of their groups."""
    return "cross-imp" if kind == "individual" else "imp"


class EnteredPlayer(Shape, omit_defaults=True):
    """A player of the event.

    Attributes:
        club: club or country; players of one are kept apart in the first session where that can be.
        table: where the player stays for the whole event, at this place 0 to 3, because of a need.
        substitute: of an individual event: no entrant, plays where entrants are missing to a multiple of four, and is in no standing.
    """

    number: PlayerNumber
    club: Club = ""
    table: TableName | None = None
    place: Annotated[int, msgspec.Meta(ge=0, le=3)] | None = None
    substitute: bool = False


class EnteredTeam(Shape, omit_defaults=True):
    """A team: its first four players play, the others are substitutes. A ``phantom`` team plays where teams are missing to a multiple of
    four, and is in no standing."""

    name: EntrantName
    players: Annotated[tuple[PlayerNumber, ...], msgspec.Meta(min_length=4, max_length=12)]
    club: Club = ""
    phantom: bool = False


class EntrantsEntered(_Change, tag="entrants-entered"):
    """Players and teams that enter; one of a known number or name takes the place of what was said of it before."""

    players: tuple[EnteredPlayer, ...] = ()
    teams: tuple[EnteredTeam, ...] = ()


class EntrantsRemoved(_Change, tag="entrants-removed"):
    """Entrants who have played nothing and are not in the event any more; a team keeps its other players, four or more.

    Coming sessions in which one of them sits have no seats any more.
    """

    players: tuple[PlayerNumber, ...] = ()
    teams: tuple[EntrantName, ...] = ()


class _EntrantChange(_Change):
    """What an entrant does in a session."""

    entrant: EntrantName
    session: SessionNumber


class EntrantWithdrawn(_EntrantChange, tag="entrant-withdrawn"):
    """An entrant plays no session from this one on; what was played stays."""

    reason: Text


class EntrantAbsent(_EntrantChange, tag="entrant-absent"):
    """An entrant has no seat in one session that has not begun, and plays the sessions after it."""

    reason: Text


class EntrantPresent(_EntrantChange, tag="entrant-present"):
    """An entrant who was absent in a session that has not begun plays it after all."""


class TablesChosen(_Change, tag="tables-chosen"):
    """The tables that play, in the order of the room; seats of coming sessions move with them, the n-th table's to the n-th.

    ``kinds`` names those that are no tables with a feeder.
    """

    tables: tuple[TableName, ...]
    kinds: dict[TableName, TableKind] = {}  # noqa: RUF012 - msgspec copies it


class SeatedPlayers(Shape):
    """A table and who sits at its places 0 to 3, counter-clockwise; place 0 is East in the first hand."""

    table: TableName
    players: FourPlayers


class SeatedGroup(ComparedTables[SeatedPlayers, EntrantName], omit_defaults=True):
    """Tables that are compared with each other; ``teams`` in the order of the movement, empty in an individual event."""


class SessionSeated(_Change, tag="session-seated"):
    """Who sits where in a session that has not begun; ``sitting_out`` are entrants who do not play in it."""

    session: SessionNumber
    groups: tuple[SeatedGroup, ...]
    sitting_out: tuple[EntrantName, ...] = ()

    @property
    def tables(self) -> tuple[SeatedPlayers, ...]:
        """All tables, group by group."""
        return tuple(at for group in self.groups for at in group.tables)

    @property
    def players(self) -> tuple[str, ...]:
        """Everybody who sits at one of them."""
        return tuple(player for at in self.tables for player in at.players)

    @property
    def teams(self) -> tuple[str, ...]:
        """All teams, group by group."""
        return tuple(team for group in self.groups for team in group.teams)

    def with_tables(self, change: Callable[[SeatedPlayers], SeatedPlayers]) -> "SessionSeated":
        """The seats with each table changed."""
        return replace(self, groups=tuple(replace(group, tables=tuple(map(change, group.tables))) for group in self.groups))


class SubstituteSeated(_Change, tag="substitute-seated"):
    """Somebody plays in a player's place for the rest of a session; in an individual event the result stays the player's."""

    session: SessionNumber
    player: PlayerNumber
    substitute: PlayerNumber
    reason: Text


class SessionStarted(_Change, tag="session-started"):
    """The tables were ordered to play a session."""

    session: SessionNumber


class SessionEnded(_Change, tag="session-ended"):
    """A session is over: its tables begin no further hand; the next one may be seated and started."""

    session: SessionNumber


class SessionReopened(_Change, tag="session-reopened"):
    """The last session, which was ended, is played on; no other has begun since."""

    session: SessionNumber


class ClocksPaused(_Change, tag="clocks-paused"):
    """No table begins another hand until the clocks are resumed."""


class ClocksResumed(_Change, tag="clocks-resumed"):
    """Play goes on."""


class ResultsHeld(_Change, tag="results-held"):
    """Results of a session are shown to directors alone until they are released."""

    session: SessionNumber


class ResultsReleased(_Change, tag="results-released"):
    """Results of a session are shown to everybody, as far as its deals are released."""

    session: SessionNumber


class Announced(_Change, tag="announced"):
    """A text for everybody, by language; another one takes its place, no text at all ends it."""

    texts: dict[Literal["en", "ja", "zh-Hans"], Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST_TEXT)]]


class EventClosed(_Change, tag="event-closed"):
    """The event is over: nothing of it changes any more."""


EventChange = (
    EventDescribed
    | EntrantsEntered
    | EntrantsRemoved
    | EntrantWithdrawn
    | EntrantAbsent
    | EntrantPresent
    | TablesChosen
    | SessionSeated
    | SubstituteSeated
    | SessionStarted
    | SessionEnded
    | SessionReopened
    | ClocksPaused
    | ClocksResumed
    | ResultsHeld
    | ResultsReleased
    | Announced
    | EventClosed
)


class _RecordedChange(Struct):
    change: EventChange


def change_document(change: EventChange) -> dict[str, object]:
    """The change as plain JSON."""
    return plain(change)


def read_change(document: object) -> EventChange:
    """Read a change from plain JSON; raises DocumentError, which names the field."""
    if not isinstance(document, dict):
        raise DocumentError(f"a change is an object, not {document!r}")
    return read_as({"change": document}, _RecordedChange).change
