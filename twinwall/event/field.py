"""The field of an event: which tables make a group, and to whom each seat's result belongs.

In a team event the movement says which team holds a place of a table; in an individual event the entrant is the player whom the
table names. ``results_of`` makes of hands the results that ``comparison`` takes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from msgspec import Struct

from twinwall.event.hands import HandSummary
from twinwall.event.movements.seating import SeatedTable
from twinwall.event.movements.teams import team_tables
from twinwall.event.result_rulings import verdict
from twinwall.event.results import ONE_GROUP, TEAMS, DealResult, EntrantKind
from twinwall.game.tiles import SEATS, Seat
from twinwall.wire.canonical_json import Text


class FieldError(ValueError):
    """Groups that no event can have; the message names the group and what is needed."""


class Group(Struct, frozen=True, forbid_unknown_fields=True):
    """Tables that play the same deals and are compared with each other.

    Attributes:
        name: of the group.
        tables: names, in the order of the movement.
        teams: in the order of the movement; empty in an individual event.
    """

    name: Text
    tables: tuple[str, ...]
    teams: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EventField:
    """All groups of an event of one kind."""

    kind: EntrantKind
    groups: tuple[Group, ...]
    _seated: dict[str, tuple[Group, SeatedTable[str] | None]] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse groups that cannot be played; raises FieldError, and MovementError for a team named twice."""
        names = [group.name for group in self.groups]
        for group in self.groups:
            if names.count(group.name) > 1:
                raise FieldError(f"the group {group.name} is there more than once")
            self._check(group)
            seated: Iterable[SeatedTable[str] | None] = (
                team_tables(group.teams) if self.kind is EntrantKind.TEAM else [None] * len(group.tables)
            )
            for table, places in zip(group.tables, seated, strict=True):
                if table in self._seated:
                    raise FieldError(f"table {table} is in group {self._seated[table][0].name} and in group {group.name}: it can be in one")
                self._seated[table] = group, places

    @property
    def tables(self) -> tuple[str, ...]:
        """All tables, group by group."""
        return tuple(self._seated)

    def group_of(self, table: str) -> Group | None:
        """The group of a table; None for one that is not in the field."""
        seated = self._seated.get(table)
        return None if seated is None else seated[0]

    def entrant(self, hand: HandSummary, seat: Seat) -> str:
        """Whose result the seat's score is: a team or a player. Raises FieldError for a table that is not in the field."""
        return self.holder(hand.table, hand.places[seat], hand.names[seat])[1]

    def holder(self, table: str, place: int, player: str) -> tuple[Group, str]:
        """The group of a table, and whose results are those of ``player`` at its place 0 to 3; raises FieldError as ``entrant``."""
        seated = self._seated.get(table)
        if seated is None:
            raise FieldError(f"table {table} is in no group of this event")
        group, places = seated
        return group, player if places is None else places.places[place]

    def _check(self, group: Group) -> None:
        if not group.tables:
            raise FieldError(f"group {group.name} has no tables")
        if self.kind is EntrantKind.TEAM and (len(group.tables), len(group.teams)) != (TEAMS, TEAMS):
            counts = f"{len(group.tables)} tables and {len(group.teams)} teams"
            raise FieldError(f"group {group.name} has {counts}: in a team event {TEAMS} teams play at {TEAMS} tables")
        if self.kind is EntrantKind.INDIVIDUAL and group.teams:
            raise FieldError(f"group {group.name} names teams, but the event is an individual one")


def field_of(kind: EntrantKind, tables: Iterable[str], teams: Iterable[str] = (), *, group_size: int = TEAMS) -> EventField:
    """The field whose tables, and teams, stand in rows of ``group_size``, one row a group, numbered from 1.

    Raises:
        FieldError: when a row is not whole, or as ``EventField`` does.
    """
    table_rows, team_rows = _rows(tuple(tables), group_size), _rows(tuple(teams), group_size)
    if kind is EntrantKind.TEAM and len(table_rows) != len(team_rows):
        raise FieldError(f"{len(table_rows)} groups of tables need as many groups of {TEAMS} teams, not {len(team_rows)}")
    team_rows = team_rows or [()] * len(table_rows)
    if len(table_rows) == 1:
        return EventField(kind, (Group(ONE_GROUP, table_rows[0], team_rows[0]),))
    return EventField(kind, tuple(Group(str(number), *row) for number, row in enumerate(zip(table_rows, team_rows, strict=True), 1)))


def results_of(hands: Iterable[HandSummary], event_field: EventField) -> tuple[DealResult, ...]:
    """The results of all closed hands of the field's tables, in the order of the hands and as they were ruled; other hands give none."""
    return tuple(
        DealResult(
            hand.n,
            hand.table,
            seat,
            counted.scores[seat],
            event_field.entrant(hand, seat),
            group.name,
            counted.basis,
            counted.imp.get(seat, 0),
        )
        for hand in hands
        if hand.closed and (group := event_field.group_of(hand.table)) is not None and (counted := verdict(hand)) is not None
        for seat in SEATS
    )


def _rows(names: tuple[str, ...], size: int) -> list[tuple[str, ...]]:
    return [names[start : start + size] for start in range(0, len(names), size)]
