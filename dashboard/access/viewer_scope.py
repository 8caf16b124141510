"""What one kind of viewer may see: the only source of pages, streams and downloads.

``dashboard.access.access_policy`` decides which scope a viewer gets. A scope reads the store at the level of
its channel, and of the results what is released. Secrets of unreleased deals are not in it, so that no template can show them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from dashboard.access.shown_names import ShownNames
from dashboard.projections.open_view import OpenView
from dashboard.projections.store import Level, Store, TableSnapshot, ViewerChannel
from twinwall.event.comparison import ComparedDeal
from twinwall.event.field import Group
from twinwall.event.hands import HandSummary
from twinwall.event.management.managed_event import ManagedEvent
from twinwall.event.points import Points, RankedGroup
from twinwall.event.results import EntrantKind
from twinwall.event.scale import Scale
from twinwall.event.store.deal_progress import DealProgress
from twinwall.event.store.event_comparison import LeftOut
from twinwall.event.store.hall import Hall
from twinwall.event.store.released_slips import Released
from twinwall.event.store.staff_calls import Call
from twinwall.game.deals.start import StartedPlan
from twinwall.game.session import HANDS


@dataclass(frozen=True, slots=True)
class OpenTable:
    """A table as far as everybody (or the staff) may know it; that a line was refused is for the staff."""

    name: str
    view: OpenView
    heard: datetime | None
    silent: bool
    complained: datetime | None = None


@dataclass(frozen=True, slots=True)
class UnreleasedDeal:
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
class StandingsTable:
    """The standings after the released deals, and the deals that could not be compared."""

    kind: EntrantKind
    scale: Scale
    points: Points
    """What is added up; the scale says nothing of rank points."""
    groups: tuple[RankedGroup, ...]
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


@dataclass(frozen=True, slots=True)
class TableSeats:
    """A table and who sits at its places 0 to 3; place 0 is East in the first hand."""

    table: str
    players: tuple[str, ...]


class ViewerScope:
    """What one kind of viewer may see of the hall. Equal channels see the same, so that their pages are made once."""

    def __init__(self, store: Store, results: Hall, channel: ViewerChannel, names: ShownNames) -> None:
        self._store = store
        self._hall = results
        self._names = names
        self.channel = channel

    @property
    def boot(self) -> str:
        """The name of the dashboard's run and of the level, to which the numbers belong."""
        return f"{self._store.boot}.{self.channel.level.value}"

    @property
    def sequence(self) -> int:
        """The number of the last change that this viewer could notice."""
        self._names.look()
        return self._store.sequence(self.channel)

    @property
    def event(self) -> ManagedEvent:
        """The event as its directors have described it; players are numbers in it."""
        return self._hall.event

    def seats(self, session: int) -> tuple[TableSeats, ...]:
        """Who sits where in a session, in the order of the room; empty where that is not drawn."""
        seats = self._hall.event.seats(session)
        tables = [table for table in self._hall.event.tables if table in seats]
        return tuple(TableSeats(table, tuple(self._names.player(player) for player in seats[table])) for table in tables)

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
        self._names.look()
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

    def cycles_s(self) -> tuple[tuple[float, ...], ...]:
        """For each released deal, from its start to the next start at the same table, in seconds; deals without any are left out."""
        starts = {n: {hand.table: hand.started for hand in self._hall.hands(n)} for n in self.released()}
        cycles = (
            tuple((starts[n + 1][table] - start).total_seconds() for table, start in of_tables.items() if table in starts.get(n + 1, {}))
            for n, of_tables in starts.items()
        )
        return tuple(of_deal for of_deal in cycles if of_deal)

    def calls(self) -> tuple[Call, ...]:
        """The open calls, for the staff; which seat called is the table's own."""
        return tuple(replace(call, seat=None) for call in self._hall.calls() if call.is_open) if self.staff else ()

    def started(self) -> StartedPlan | None:
        """The plan with its start, by which anybody checks deals; None in a rehearsal without."""
        return self._hall.programme.custody

    def released(self) -> tuple[int, ...]:
        """The deals that every table has finished, in their order."""
        return self._hall.released_deals()

    def deal_name(self, n: int) -> DealName | None:
        """The hand that a released deal was played as."""
        released = self._hall.released(n)
        return None if released is None else DealName(n, released.deal.hand)

    def deal(self, n: int) -> ReleasedDeal | UnreleasedDeal | None:
        """A deal with everything of it once it is released; None for one that nobody has begun."""
        state = self._hall.deal(n, for_officials=self.staff)
        if state.released is None:
            hand = next((number for table in self.tables() for m, number in _deals(table) if m == n), None)
            if hand is None:
                return None
            unfinished = tuple(table.table for table in state.tables if table.progress is not DealProgress.FINISHED)
            return UnreleasedDeal(n, hand, len(state.tables), unfinished if self.staff else None)
        deal, comparison = state.released.deal, self._hall.comparison()
        left_out = tuple(self._shown(out) for out in comparison.left_out if out.n == n)
        compared = {group: self._names.compared(found) for group, found in self._hall.compared(n).items()}
        hands, scale = tuple(self._names.hand(hand) for hand in state.hands), comparison.comparison.scale
        return ReleasedDeal(n, deal.session, deal.hand, deal.rules, hands, compared, left_out, state.released, state.differing, scale)

    def standings(self) -> StandingsTable:
        """The standings after the released deals."""
        found, points = self._hall.comparison(), self._hall.programme.points
        groups = tuple(self._names.ranked(group) for group in self._hall.standings().groups)
        left_out = tuple(self._shown(out) for out in found.left_out)
        return StandingsTable(found.comparison.kind, found.comparison.scale, points, groups, left_out)

    def _shown(self, out: LeftOut) -> LeftOut:
        recorded = frozenset(player for hand in self._hall.hands(out.n) for player in hand.names.values())
        return replace(out, reason=self._names.reason(out.reason, recorded))

    def _group(self, group: Group, seen: Mapping[str, OpenTable]) -> GroupNow:
        released = self.released()
        begun = {hand.n: hand.number for name in group.tables if name in seen and (hand := seen[name].view.hand) is not None}
        playing = min((n for n in begun if n not in released), default=None)
        finished = None
        if playing is not None and self.staff:
            state = self._hall.deal(playing, for_officials=True)
            finished = sum(table.table in group.tables and table.progress is DealProgress.FINISHED for table in state.tables)
        compared = None if not released else self.deal_name(released[-1])
        return GroupNow(group.name, group.tables, None if playing is None else DealName(playing, begun[playing]), finished, compared)

    def _open(self, status: TableSnapshot) -> OpenTable:
        view = status.staff if self.staff else status.public.view
        if view.hand is not None:
            names = {seat: self._names.player(player) for seat, player in view.hand.names.items()}
            released = view.hand.released or self._hall.is_released(view.hand.n)
            view = replace(view, hand=replace(view.hand, names=names, released=released))
        return OpenTable(status.name, view, status.heard, status.silent, status.complained if self.staff else None)


class TableScope(ViewerScope):
    """What a referee sees of the one table that he has opened: all that is known there."""

    def __init__(self, store: Store, results: Hall, table: str, names: ShownNames) -> None:
        super().__init__(store, results, ViewerChannel(Level.TABLE, table), names)

    def play(self) -> TableSnapshot:
        """The table with its play."""
        status = self._store.table(self.channel.table)
        if status is None:
            raise LookupError(f"table {self.channel.table!r} was there and is gone")
        if status.view.hand is None:
            return status
        names = {seat: self._names.player(player) for seat, player in status.view.hand.names.items()}
        return replace(status, view=replace(status.view, hand=replace(status.view.hand, names=names)))

    def names_a_player(self, text: str) -> bool:
        """Whether a text that goes into the ledger has a player's name, which no ledger may have."""
        return self._names.named_in(text)

    def closed_hands(self) -> tuple[HandSummary, ...]:
        """The hands that are over at this table, by deal."""
        table = self.channel.table
        hands = self._hall.hands(as_referee_of=table)
        return tuple(self._names.hand(hand) for hand in hands if hand.table == table and hand.closed)

    def earlier_hand(self, n: int) -> HandSummary | None:
        """The hand of deal ``n``, when it is over and no longer on the table."""
        here = self.play().view.hand
        return next((hand for hand in self.closed_hands() if hand.n == n and (here is None or hand.n != here.n)), None)


def _deals(table: OpenTable) -> tuple[tuple[int, int], ...]:
    """The deals that a table is known to have, each with its hand of the session."""
    wall, hand = table.view.wall, table.view.hand
    return (() if wall is None else ((wall.n, wall.hand),)) + (() if hand is None else ((hand.n, hand.number),))
