"""The one place that decides what an output may show, and to whom.

``may_see`` is the decision, by the class of the contracts. ``Gate`` is the only way to what the
dashboard knows: pages, streams and exports are given a ``Sight``, which holds what its viewer may
see and has no way to anything else, and never the store itself (a test holds that no other module
reads it). The classes: P is everybody's; T is its table's until every table has finished the deal,
but for the referee who opens the table, and each look is written down; C is nobody's before then.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum
from typing import Protocol

from dashboard.open_view import OpenView
from dashboard.store import EVERYBODY, STAFF, Channel, Level, Store, TableStatus
from twinwall.event.comparison import ComparedDeal, ComparedGroup
from twinwall.event.field import Group
from twinwall.event.hands import HandSummary
from twinwall.event.results import Kind
from twinwall.event.scale import Scale
from twinwall.event.store.calls import Call
from twinwall.event.store.comparing import LeftOut
from twinwall.event.store.file import Acknowledgement, Look
from twinwall.event.store.hall import Hall
from twinwall.event.store.progress import Progress
from twinwall.event.store.releases import Released
from twinwall.event.store.schema import StoreError
from twinwall.game.session import HANDS
from twinwall.wire.events import Secrecy

_LOG = logging.getLogger(__name__)


class Role(Enum):
    """What somebody who has logged in is at this event."""

    DIRECTOR = "director"
    REFEREE = "referee"


@dataclass(frozen=True, slots=True)
class Viewer:
    """Whom an output is for; without a role a spectator."""

    roles: frozenset[Role] = frozenset()
    name: str = ""

    @property
    def staff(self) -> bool:
        """Whether the viewer belongs to the staff of the event."""
        return bool(self.roles)


SPECTATOR = Viewer()


def may_see(viewer: Viewer, secrecy: Secrecy, *, released: bool = False, at_table: bool = False) -> bool:
    """Whether anything of a class may reach the viewer.

    Args:
        viewer: who asks.
        secrecy: class of what is asked for.
        released: whether every table has finished the deal that it belongs to, and its slip is out.
        at_table: whether the viewer has opened the table that it belongs to.
    """
    match secrecy:
        case Secrecy.PUBLIC:
            return True
        case Secrecy.TABLE:
            return released or (at_table and Role.REFEREE in viewer.roles)
        case Secrecy.CONCEALED:
            return released


@dataclass(frozen=True, slots=True)
class OpenTable:
    """A table as far as everybody (or the staff) may know it; that a line was refused is for the staff."""

    name: str
    view: OpenView
    heard: datetime | None
    silent: bool
    complained: datetime | None = None


@dataclass(frozen=True, slots=True)
class SealedDeal:
    """A deal that is not released: how many tables have to finish it, and for the staff which have still to."""

    n: int
    hand: int
    tables: int
    unfinished: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class ReleasedDeal:
    """A deal that every table has finished, with everything of it; ``opening`` is its slip, which agrees with plan and root."""

    n: int
    session: int
    hand: int
    rules: str
    hands: tuple[HandSummary, ...]
    compared: Mapping[str, ComparedDeal]
    """By the name of the group."""
    left_out: tuple[LeftOut, ...]
    opening: Released
    differing: tuple[str, ...]
    """Tables that published another check of this deal than its slip has: they did not play the same deal."""
    scale: Scale


@dataclass(frozen=True, slots=True)
class Table:
    """The standings after the released deals, and the deals that could not be compared."""

    kind: Kind
    scale: Scale
    groups: tuple[ComparedGroup, ...]
    left_out: tuple[LeftOut, ...]


@dataclass(frozen=True, slots=True)
class DealName:
    """A deal by its number in the plan and by its hand of the session."""

    n: int
    hand: int


@dataclass(frozen=True, slots=True)
class GroupNow:
    """A group of tables: the deal that it has still to finish, how many have (for the staff), and the last deal compared."""

    name: str
    tables: tuple[str, ...]
    playing: DealName | None
    finished: int | None
    compared: DealName | None


class Desk(Protocol):
    """The event's store, as far as the dashboard needs it (``twinwall.event.store.desk``)."""

    @property
    def hall(self) -> Hall:
        """What the stored lines amount to."""
        ...

    def acknowledge(self, acknowledgement: Acknowledgement) -> bool:
        """Somebody takes up a call; raises StoreError when that cannot be stored."""
        ...

    def note(self, note: Look) -> None:
        """Store a look; raises StoreError when that fails."""
        ...


class Sight:
    """What one kind of viewer may see of the hall. Equal channels see the same, so that their pages are made once."""

    def __init__(self, store: Store, desk: Desk, channel: Channel) -> None:
        self._store = store
        self._hall = desk.hall
        self.channel = channel

    @property
    def boot(self) -> str:
        """The name of the dashboard's run and of what is seen, to which the numbers belong."""
        return f"{self._store.boot}.{self.channel.level.value}"

    @property
    def sequence(self) -> int:
        """The number of the last change that this viewer could notice."""
        return self._store.sequence(self.channel)

    @property
    def connected(self) -> bool:
        """Whether the broker is connected."""
        return self._store.connected

    @property
    def staff(self) -> bool:
        """Whether this is what the staff sees."""
        return self.channel.level is not Level.EVERYBODY

    def wait_beyond(self, sequence: int, timeout_s: float) -> int:
        """Wait until something that this viewer could notice came after ``sequence``, or the time is over."""
        return self._store.wait_beyond(self.channel, sequence, timeout_s)

    def tables(self) -> tuple[OpenTable, ...]:
        """All tables, in the order of the hall."""
        return tuple(self._open(status) for status in self._store.tables())

    def table(self, name: str) -> OpenTable | None:
        """One table; None when there is none of that name."""
        status = self._store.table(name)
        return None if status is None else self._open(status)

    def hands_in_session(self) -> int:
        """How many hands the session has: by the plan, otherwise a whole session of sixteen."""
        custody = self._hall.programme.custody
        if custody is None:
            return HANDS
        session = max((table.view.hand.session for table in self.tables() if table.view.hand is not None), default=1)
        return sum(deal.session == session for deal in custody.plan.deals)

    def groups(self) -> tuple[GroupNow, ...]:
        """The groups of the hall, and how far each is."""
        seen = {table.name: table for table in self.tables()}
        return tuple(self._group(group, seen) for group in self._hall.programme.field.groups)

    def cycles_s(self) -> tuple[float, ...]:
        """From each start of a released deal to the next start at the same table, in seconds, in the order of the deals."""
        starts = {n: {hand.table: hand.started for hand in self._hall.hands(n)} for n in self.released()}
        return tuple(
            (starts[n + 1][table] - start).total_seconds()
            for n, of_tables in starts.items()
            for table, start in of_tables.items()
            if table in starts.get(n + 1, {})
        )

    def calls(self) -> tuple[Call, ...]:
        """The open calls, for the staff; which seat called is the table's own."""
        return tuple(replace(call, seat=None) for call in self._hall.calls() if call.is_open) if self.staff else ()

    def released(self) -> tuple[int, ...]:
        """The deals that every table has finished, in their order."""
        return self._hall.released_deals()

    def deal_name(self, n: int) -> DealName | None:
        """The hand that a released deal was played as."""
        released = self._hall.released(n)
        return None if released is None else DealName(n, released.deal.hand)

    def deal(self, n: int) -> ReleasedDeal | SealedDeal | None:
        """A deal with everything of it once it is released; None for one that nobody has begun."""
        state = self._hall.deal(n, for_officials=self.staff)
        if state.released is None:
            hand = next((number for table in self.tables() for m, number in _deals(table) if m == n), None)
            if hand is None:
                return None
            unfinished = tuple(table.table for table in state.tables if table.progress is not Progress.FINISHED)
            return SealedDeal(n, hand, len(state.tables), unfinished if self.staff else None)
        deal, comparison = state.released.deal, self._hall.comparison()
        left_out = tuple(out for out in comparison.left_out if out.n == n)
        compared, scale = self._hall.compared(n), comparison.comparison.scale
        return ReleasedDeal(n, deal.session, deal.hand, deal.rules, state.hands, compared, left_out, state.released, state.differing, scale)

    def standings(self) -> Table:
        """The standings after the released deals."""
        found = self._hall.comparison()
        return Table(found.comparison.kind, found.comparison.scale, found.comparison.groups, found.left_out)

    def _group(self, group: Group, seen: Mapping[str, OpenTable]) -> GroupNow:
        released = self.released()
        begun = {hand.n: hand.number for name in group.tables if name in seen and (hand := seen[name].view.hand) is not None}
        playing = min((n for n in begun if n not in released), default=None)
        finished = None
        if playing is not None and self.staff:
            state = self._hall.deal(playing, for_officials=True)
            finished = sum(table.table in group.tables and table.progress is Progress.FINISHED for table in state.tables)
        compared = None if not released else self.deal_name(released[-1])
        return GroupNow(group.name, group.tables, None if playing is None else DealName(playing, begun[playing]), finished, compared)

    def _open(self, status: TableStatus) -> OpenTable:
        view = status.staff if self.staff else status.public.view
        if view.hand is not None and self._hall.is_released(view.hand.n):
            view = replace(view, hand=replace(view.hand, released=True))
        return OpenTable(status.name, view, status.heard, status.silent, status.complained if self.staff else None)


class TableSight(Sight):
    """What a referee sees of the one table that he has opened: all that is known there."""

    def __init__(self, store: Store, desk: Desk, table: str) -> None:
        super().__init__(store, desk, Channel(Level.TABLE, table))

    def play(self) -> TableStatus:
        """The table with its play."""
        status = self._store.table(self.channel.table)
        if status is None:
            raise LookupError(f"table {self.channel.table!r} was there and is gone")
        return status


class Gate:
    """The way from what the dashboard knows to whatever is shown."""

    def __init__(self, store: Store, desk: Desk, now: Callable[[], datetime]) -> None:
        self._store = store
        self._desk = desk
        self._now = now
        self._noted: set[tuple[str, str, int]] = set()

    def sight(self, viewer: Viewer) -> Sight:
        """What the viewer may see of the hall as a whole: P, and for the staff also which hands are over and which parts fail."""
        return Sight(self._store, self._desk, STAFF if viewer.staff else EVERYBODY)

    def open_table(self, viewer: Viewer, name: str) -> TableSight | None:
        """The play of one table for a referee, who is written down as having looked, once for each deal.

        None for everybody else, without that table, and when the look cannot be written down.
        """
        status = self._store.table(name)
        if status is None or not may_see(viewer, Secrecy.TABLE, at_table=True):
            return None
        n = 0 if status.view.hand is None else status.view.hand.n
        if (viewer.name, name, n) not in self._noted:
            try:
                self._desk.note(Look(name, n, viewer.name, self._now()))
            except StoreError as error:
                _LOG.error("table %s is not opened for a referee, because that cannot be written down: %s", name, error)
                return None
            self._noted.add((viewer.name, name, n))
        return TableSight(self._store, self._desk, name)

    def acknowledge(self, viewer: Viewer, table: str, journal: str, seq: int) -> bool:
        """A member of the staff takes up a call; False when there is no such call, or the viewer is none. Raises StoreError."""
        if not viewer.staff or not self._desk.acknowledge(Acknowledgement(table, journal, seq, viewer.name, self._now())):
            return False
        self._store.touch()
        return True


def _deals(table: OpenTable) -> tuple[tuple[int, int], ...]:
    """The deals that a table is known to have, each with its hand of the session."""
    wall, hand = table.view.wall, table.view.hand
    return (() if wall is None else ((wall.n, wall.hand),)) + (() if hand is None else ((hand.n, hand.number),))
