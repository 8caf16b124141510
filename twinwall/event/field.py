"""The field of an event: which tables form a group in each session, and whose each seat's result is (``results_of``).

Groups may be drawn again for each session. In a team event the movement says which team has a place of a table. In an individual event the
entrant is the player whom the table names, or the player for whom that one is a substitute. ``results_of`` turns hands into the results
that ``comparison`` takes.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Generic, TypeVar

from twinwall.event.hands import HandSummary
from twinwall.event.movements.seating import SeatedTable
from twinwall.event.movements.teams import team_tables
from twinwall.event.results import ONE_GROUP, TEAMS, DealResult, EntrantKind, result_after_rulings
from twinwall.game.documents import DocumentError, Reading
from twinwall.game.tiles import SEATS
from twinwall.game.typed_json import Number, Text
from twinwall.values import Shape, frozen

_Table = TypeVar("_Table")
_Team = TypeVar("_Team")


class ComparedTables(Shape, Generic[_Table, _Team]):
    """Tables that play the same deals and are compared; ``teams`` in the order of the movement, empty in an individual event."""

    name: Text
    tables: tuple[_Table, ...]
    teams: tuple[_Team, ...] = ()


class Group(ComparedTables[str, str]):
    """Compared tables by name, in the order of the movement."""


class SessionGroups(Shape, omit_defaults=True):
    """The groups and substitutes of one session. ``session``: its number, from 1. ``groups``: of the tables that play in it.
    ``stands_for``: by a substitute's player number, the entrant who gets his results."""

    session: Number
    groups: tuple[Group, ...]
    stands_for: dict[Text, Text] = {}  # noqa: RUF012 - msgspec copies it


@frozen
class SessionField:
    """All groups of one session of an event of one kind."""

    kind: EntrantKind
    groups: tuple[Group, ...]
    stands_for: Mapping[str, str] = field(default_factory=dict)
    _seated: dict[str, tuple[Group, SeatedTable[str] | None]] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse groups that cannot be played; raises DocumentError, or MovementError for a team named twice."""
        names: set[str] = set()
        for group in self.groups:
            if group.name in names:
                raise DocumentError(f"the group {group.name} is there more than once")
            names.add(group.name)
            self._check(group)
            seated: Iterable[SeatedTable[str] | None] = (
                team_tables(group.teams) if self.kind is EntrantKind.TEAM else [None] * len(group.tables)
            )
            for table, places in zip(group.tables, seated, strict=True):
                if table in self._seated:
                    raise DocumentError(
                        f"table {table} is in group {self._seated[table][0].name} and in group {group.name}: it can be in one"
                    )
                self._seated[table] = group, places
        for substitute, entrant in self.stands_for.items():
            if entrant in self.stands_for:
                raise DocumentError(f"{substitute} stands in for {entrant}, who is a substitute too: name the entrant")

    @property
    def tables(self) -> tuple[str, ...]:
        return tuple(self._seated)

    def group_of(self, table: str) -> Group | None:
        seated = self._seated.get(table)
        return None if seated is None else seated[0]

    def holder(self, table: str, place: int, player: str) -> tuple[Group, str]:
        """The table's group, and the entrant who gets the results of ``player`` at this place (0 to 3); raises DocumentError for an unknown
        table."""
        seated = self._seated.get(table)
        if seated is None:
            raise DocumentError(f"table {table} is in no group of this event")
        group, places = seated
        return group, self.stands_for.get(player, player) if places is None else places.places[place]

    def _check(self, group: Group) -> None:
        if not group.tables:
            raise DocumentError(f"group {group.name} has no tables")
        if self.kind is EntrantKind.TEAM and (len(group.tables), len(group.teams)) != (TEAMS, TEAMS):
            counts = f"{len(group.tables)} tables and {len(group.teams)} teams"
            raise DocumentError(f"group {group.name} has {counts}: in a team event {TEAMS} teams play at {TEAMS} tables")
        if self.kind is EntrantKind.INDIVIDUAL and group.teams:
            raise DocumentError(f"group {group.name} names teams, but the event is an individual one")


@dataclass(frozen=True)
class EventField:
    """The groups of an event: ``sessions`` have groups of their own, ``groups`` are for every other session."""

    kind: EntrantKind
    groups: tuple[Group, ...] = ()
    sessions: tuple[SessionGroups, ...] = ()

    def __post_init__(self) -> None:
        """Check every session; raises DocumentError and MovementError as ``SessionField`` does, naming the session."""
        self._others  # noqa: B018  # reading it raises
        self._own  # noqa: B018

    def session(self, number: int) -> SessionField:
        """The field of a session; without groups if it is not seated yet."""
        return self._own.get(number, self._others)

    @cached_property
    def _others(self) -> SessionField:
        return SessionField(self.kind, self.groups)

    @cached_property
    def _own(self) -> dict[int, SessionField]:
        own: dict[int, SessionField] = {}
        for drawn in self.sessions:
            if drawn.session in own:
                raise DocumentError(f"session {drawn.session} is there more than once")
            with Reading(f"session {drawn.session}"):
                own[drawn.session] = SessionField(self.kind, drawn.groups, drawn.stands_for)
        return own


def field_of(kind: EntrantKind, tables: Iterable[str], teams: Iterable[str] = (), *, group_size: int = TEAMS) -> EventField:
    """The field of these tables and teams in every session: each ``group_size`` of them are a group, numbered from 1. Raises DocumentError
    when a group is not whole, or as ``EventField`` does."""
    table_rows, team_rows = _rows(tuple(tables), group_size), _rows(tuple(teams), group_size)
    if kind is EntrantKind.TEAM and len(table_rows) != len(team_rows):
        raise DocumentError(f"{len(table_rows)} groups of tables need as many groups of {TEAMS} teams, not {len(team_rows)}")
    team_rows = team_rows or [()] * len(table_rows)
    if len(table_rows) == 1:
        return EventField(kind, (Group(ONE_GROUP, table_rows[0], team_rows[0]),))
    return EventField(kind, tuple(Group(str(number), *row) for number, row in enumerate(zip(table_rows, team_rows, strict=True), 1)))


def results_of(hands: Iterable[HandSummary], event_field: EventField, sessions: Mapping[int, int] | None = None) -> tuple[DealResult, ...]:
    """The results of all closed hands of the field's tables, in the order of the hands, after rulings.

    ``sessions`` has each deal's session by the plan; for other deals the hand's own session counts.
    """
    found: list[DealResult] = []
    for hand in hands:
        session = (sessions or {}).get(hand.n, hand.session)
        of_session = event_field.session(session)
        if not hand.closed or of_session.group_of(hand.table) is None or (counted := result_after_rulings(hand)) is None:
            continue
        for seat in SEATS:
            group, entrant = of_session.holder(hand.table, hand.places[seat], hand.names[seat])
            imp = counted.imp.get(seat, 0)
            found.append(DealResult(hand.n, hand.table, seat, counted.scores[seat], entrant, group.name, counted.basis, imp, session))
    return tuple(found)


def _rows(names: tuple[str, ...], size: int) -> list[tuple[str, ...]]:
    return [names[start : start + size] for start in range(0, len(names), size)]
