"""How far a session is, as one kind of viewer may know it: its hands, its groups, and the duration of its deals."""

from collections.abc import Callable, Collection, Mapping
from datetime import datetime, timedelta
from functools import cached_property

from dashboard.projections.open_view import OpenHand, OpenView
from twinwall.event.field import Group
from twinwall.event.store.hall import Hall
from twinwall.event.store.staff_calls import DealProgress
from twinwall.game.deals.plan import PlannedDeal
from twinwall.game.tiles import HANDS
from twinwall.values import frozen
from twinwall.wire.messages.commands import FeederLinkQuality, MachineCondition


@frozen
class OpenTable:
    """A table as everybody or the staff may know it; only the staff see refused lines and the machine."""

    name: str
    view: OpenView
    heard: datetime | None
    silent: bool
    complained: datetime | None = None
    feeder_line: FeederLinkQuality | None = None
    machine: MachineCondition | None = None
    clock_off: timedelta = timedelta()


@frozen
class GroupNow:
    """A group of tables: the hand that it must still finish, how many tables have (for staff), and the last deal compared."""

    name: str
    tables: tuple[str, ...]
    playing: OpenHand | None
    finished: int | None
    compared: PlannedDeal | None


class SessionProgress:
    """The session in play, or the last one, as it is at the first request. ``staff`` see how many tables must still finish a deal."""

    def __init__(self, hall: Hall, tables: Callable[[], tuple[OpenTable, ...]], *, staff: bool) -> None:
        """``tables`` returns the tables as the viewer sees them now."""
        self._hall, self._tables, self._staff = hall, tables, staff

    @cached_property
    def tables(self) -> tuple[OpenTable, ...]:
        """All tables, in the order of the hall."""
        return self._tables()

    @cached_property
    def hands(self) -> int:
        """The number of hands in the session in play, or the last one."""
        return self.hands_of((self.session,))

    def hands_of(self, sessions: Collection[int]) -> int:
        """The number of hands in these sessions: by the plan, or by the description before there is one, otherwise sixteen each."""
        custody, described = self._hall.programme.custody, self._hall.event.description
        if custody is not None:
            return sum(deal.session in sessions for deal in custody.plan.deals)
        return (HANDS if described is None else described.hands) * len(sessions)

    @cached_property
    def session(self) -> int:
        """The session in play, or the last one; 1 before the first."""
        if self._hall.event.sessions:
            return self._hall.event.sessions[-1].number
        return max((table.view.hand.session for table in self.tables if table.view.hand is not None), default=1)

    @property
    def is_seating(self) -> bool:
        """Whether no hand of the session in play has started, so that players look for their seats."""
        hands = (table.view.hand for table in self.tables)
        started = any(hand is not None and hand.session == self.session for hand in hands)
        return self._hall.event.in_play > 0 and not started

    def turn(self, table: str, hand: int) -> int:
        """The turn, from 1, in which a table plays a hand: in order, counted from the table's first hand."""
        return (hand - self._first_hands.get(table, 1)) % self.hands + 1

    def groups(self) -> tuple[GroupNow, ...]:
        """The groups of the hall, and how far each is."""
        seen = {table.name: table for table in self.tables}
        return tuple(self._group(group, seen) for group in self._hall.programme.field.session(self.session).groups)

    def cycles_s(self) -> tuple[tuple[float, ...], ...]:
        """For each released deal, the seconds from its start to the next start of the same session, at each table. Leaves out deals without
        any."""
        starts = {n: {hand.table: hand.started for hand in self._hall.hands(n)} for n in self._hall.released_deals()}
        followed = [n for n in starts if n + 1 in starts and self._hall.session_of(n) == self._hall.session_of(n + 1)]
        cycles = (
            tuple(
                (starts[n + 1][table] - start).total_seconds()
                for table, start in starts[n].items()
                if starts[n + 1].get(table, start) > start
            )
            for n in followed
        )
        return tuple(of_deal for of_deal in cycles if of_deal)

    @property
    def released(self) -> int:
        """The number of released deals in the session in play, or the last one."""
        return self.released_of((self.session,))

    @property
    def planned(self) -> range:
        """The sessions of the event: described or played."""
        described = self._hall.event.description
        return range(1, max(self.session, 1 if described is None else described.sessions) + 1)

    def released_of(self, sessions: Collection[int]) -> int:
        return sum(self._hall.session_of(n) in sessions for n in self._hall.released_deals())

    def released_deals(self) -> tuple[PlannedDeal, ...]:
        """The released deals in order, with the hands in which they were played."""
        return tuple(deal for n in self._hall.released_deals() if (deal := self.released_deal(n)) is not None)

    def released_deal(self, n: int) -> PlannedDeal | None:
        """The hand in which a released deal was played."""
        found = self._hall.released(n)
        return None if found is None else PlannedDeal(n, self._hall.session_of(n), found.deal.hand, found.deal.rules)

    def awaited_slips(self) -> tuple[tuple[int, ...], datetime, datetime | None] | None:
        """For staff: the session's deals that all tables here have finished while the centre of many venues has not sent their slips. With
        them, since when the first one is awaited, and the deadline at which slips are released (None: when every venue has finished)."""
        custody = self._hall.programme.custody
        if not self._staff or custody is None or custody.plan.field is None:
            return None
        waiting: dict[int, datetime] = {}
        for planned in custody.plan.deals:
            if planned.session == self.session and self._hall.released(planned.n) is None:
                tables = self._hall.deal(planned.n, for_officials=True).tables
                finished = [table.since for table in tables if table.progress is DealProgress.FINISHED and table.since is not None]
                if finished and len(finished) == len(tables):
                    waiting[planned.n] = max(finished)
        deadline = custody.plan.field.times(self.session).deadline_at
        return (tuple(waiting), min(waiting.values()), deadline) if waiting else None

    @cached_property
    def _first_hands(self) -> Mapping[str, int]:
        """The hand with which each table begins, if it is not the first."""
        return self._hall.event.first_hands(self.session)

    def _group(self, group: Group, seen: Mapping[str, OpenTable]) -> GroupNow:
        released = self._hall.released_deals()
        begun = {hand.n: hand for name in group.tables if name in seen and (hand := seen[name].view.hand) is not None}
        playing = min((n for n in begun if n not in released), default=None)
        finished = None
        if playing is not None and self._staff:
            state = self._hall.deal(playing, for_officials=True)
            finished = sum(table.table in group.tables and table.progress is DealProgress.FINISHED for table in state.tables)
        compared = None if not released else self.released_deal(released[-1])
        return GroupNow(group.name, group.tables, None if playing is None else begun[playing], finished, compared)
