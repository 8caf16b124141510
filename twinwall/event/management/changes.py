"""Changes of an event by its director; the store holds each as a signed record for good.

A change names players by number only: names are in the names file, so that a person can be forgotten. ``managed_event`` has the state that
changes give; ``change_checks`` decides which are allowed. Results are computed from the tables' ledgers, not changed here.
"""

from collections.abc import Callable
from typing import Annotated, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from twinwall.event.event_standings import SHARE_PATTERN
from twinwall.event.field import ComparedTables
from twinwall.event.player_names import PlayerName, PlayerNumber
from twinwall.game.documents import DocumentError
from twinwall.game.tiles import PlayOrder
from twinwall.game.typed_json import Text, plain, read_as
from twinwall.values import Shape
from twinwall.wire.messages.assignment import TableKind

MOST_SESSIONS = 40
MOST_HANDS = 16
USUAL_MINUTES = 130
"""For a session of 16 hands."""
LONGEST_TEXT = 500
"""Characters of an announcement."""

TableName = Annotated[str, msgspec.Meta(pattern=r"^[^\s/+#]{1,40}\Z")]
EntrantName = PlayerName
"""A team's name, or a player's number."""
Club = Annotated[str, msgspec.Meta(pattern=r"^(\S(.*\S)?)?\Z", max_length=80)]
SessionNumber = Annotated[int, msgspec.Meta(ge=1, le=MOST_SESSIONS)]
Share = Annotated[str, msgspec.Meta(pattern=SHARE_PATTERN)]
FourPlayers = tuple[PlayerNumber, PlayerNumber, PlayerNumber, PlayerNumber]


class _Change(Shape, omit_defaults=True, tag_field="type"):
    """A JSON object with the change in ``type``; fields with default values are left out."""


class EventDescribed(_Change, tag="event-described"):
    """What is played and how it is compared; a later one replaces it. ``sessions`` are those planned, ``hands`` and ``minutes`` those of
    one. ``play_order``: barometer: all tables of a group play the same deal at a time; staggered: each begins in another round.
    ``groups``: fixed for the event, or drawn again by the standings before each session. ``carry_over``: share of the previous total that
    is added to the session's points; 1 adds all sessions up. ``weights``: of the sessions in order, for the tie-break by weighted IMP,
    which needs them. ``names``: what everybody sees of players. ``seat_check``: whether the first hand of a session waits until the four
    players have identified themselves.
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
    """The default planned time of a session with this many hands."""
    return USUAL_MINUTES * hands // MOST_HANDS


def usual_points(kind: Literal["team", "individual"]) -> Literal["imp", "cross-imp"]:
    """The default points of a new event: players are compared over the whole field, teams by the sums of their groups."""
    return "cross-imp" if kind == "individual" else "imp"


class EnteredPlayer(Shape, omit_defaults=True):
    """A player of the event. Players of one ``club`` or country are kept apart in the first session if possible. ``table``: where the
    player stays for the whole event, at this ``place`` 0 to 3, because of a need. ``substitute``: in an individual event: fills the number
    of players up to a multiple of four, and is in no standing."""

    number: PlayerNumber
    club: Club = ""
    table: TableName | None = None
    place: Annotated[int, msgspec.Meta(ge=0, le=3)] | None = None
    substitute: bool = False


class EnteredTeam(Shape, omit_defaults=True):
    """A team: the first four players play, the others are substitutes. A ``phantom`` team fills the field and is in no standing."""

    name: EntrantName
    players: Annotated[tuple[PlayerNumber, ...], msgspec.Meta(min_length=4, max_length=12)]
    club: Club = ""
    phantom: bool = False


class EntrantsEntered(_Change, tag="entrants-entered"):
    """Players and teams that enter; a known number or name replaces the earlier entry."""

    players: tuple[EnteredPlayer, ...] = ()
    teams: tuple[EnteredTeam, ...] = ()


class EntrantsRemoved(_Change, tag="entrants-removed"):
    """Removed entrants, who have played nothing; a team must keep four or more players.

    Coming sessions with a seat of one of them lose all their seats.
    """

    players: tuple[PlayerNumber, ...] = ()
    teams: tuple[EntrantName, ...] = ()


class _EntrantChange(_Change):
    entrant: EntrantName
    session: SessionNumber


class EntrantWithdrawn(_EntrantChange, tag="entrant-withdrawn"):
    """An entrant plays no session from this one on; earlier results stay."""

    reason: Text


class EntrantAbsent(_EntrantChange, tag="entrant-absent"):
    """An entrant has no seat in one session that has not begun, and plays later ones."""

    reason: Text


class EntrantPresent(_EntrantChange, tag="entrant-present"):
    """An absent entrant plays in a session, which has not begun, after all."""


class TablesChosen(_Change, tag="tables-chosen"):
    """The tables that play, in the order of the room. Seats of coming sessions move from the n-th old table to the n-th new one.

    ``kinds`` has the tables without a feeder.
    """

    tables: tuple[TableName, ...]
    kinds: dict[TableName, TableKind] = {}  # noqa: RUF012 - msgspec copies it


class SeatedPlayers(Shape):
    """A table and the players at its places 0 to 3, counter-clockwise; place 0 is East in the first hand."""

    table: TableName
    players: FourPlayers


class SeatedGroup(ComparedTables[SeatedPlayers, EntrantName], omit_defaults=True):
    """Tables that are compared; ``teams`` in the order of the movement, empty in an individual event."""


class SessionSeated(_Change, tag="session-seated"):
    """The seats of a session that has not begun; ``sitting_out`` are entrants who do not play in it."""

    session: SessionNumber
    groups: tuple[SeatedGroup, ...]
    sitting_out: tuple[EntrantName, ...] = ()

    @property
    def tables(self) -> tuple[SeatedPlayers, ...]:
        return tuple(at for group in self.groups for at in group.tables)

    @property
    def players(self) -> tuple[str, ...]:
        return tuple(player for at in self.tables for player in at.players)

    @property
    def teams(self) -> tuple[str, ...]:
        return tuple(team for group in self.groups for team in group.teams)

    def with_tables(self, change: Callable[[SeatedPlayers], SeatedPlayers]) -> "SessionSeated":
        return replace(self, groups=tuple(replace(group, tables=tuple(map(change, group.tables))) for group in self.groups))


class SubstituteSeated(_Change, tag="substitute-seated"):
    """A substitute plays in a player's place for the rest of a session; in an individual event the result stays the player's."""

    session: SessionNumber
    player: PlayerNumber
    substitute: PlayerNumber
    reason: Text


class SessionStarted(_Change, tag="session-started"):
    """The tables were ordered to play a session."""

    session: SessionNumber


class SessionEnded(_Change, tag="session-ended"):
    """A session is over: its tables begin no further hand, and the next may be seated and started."""

    session: SessionNumber


class SessionReopened(_Change, tag="session-reopened"):
    """The last session, which had ended, continues; no other has begun since."""

    session: SessionNumber


class ClocksPaused(_Change, tag="clocks-paused"):
    """No table begins another hand until the clocks are resumed."""


class ClocksResumed(_Change, tag="clocks-resumed"):
    """Play goes on."""


class ResultsHeld(_Change, tag="results-held"):
    """Only directors see a session's results until they are released."""

    session: SessionNumber


class ResultsReleased(_Change, tag="results-released"):
    """Everybody sees a session's results of released deals."""

    session: SessionNumber


class Announced(_Change, tag="announced"):
    """A text for everybody, by language. The next one replaces it; one without texts ends it."""

    texts: dict[Literal["en", "ja", "zh-Hans"], Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST_TEXT)]]


class EventClosed(_Change, tag="event-closed"):
    """The event is over and cannot change."""


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
    return plain(change)


def read_change(document: object) -> EventChange:
    """Read a change from plain JSON; raises DocumentError, which names the field."""
    if not isinstance(document, dict):
        raise DocumentError(f"a change is an object, not {document!r}")
    return read_as({"change": document}, _RecordedChange).change
