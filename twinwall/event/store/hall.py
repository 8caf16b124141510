"""The hall computed from stored lines: tables, hands, deals, calls, comparison and standings.

The result depends only on the lines. Hands, comparisons and walls of an unreleased deal (class T) are left out, except for the referee of a
table, who names it. The dashboard's access policy decides whether a reader is that referee.
"""

import threading
from collections.abc import Collection
from datetime import datetime

from twinwall.event.event_standings import EventStandings
from twinwall.event.hands import HandSummary, TableHands
from twinwall.event.management.managed_event import ManagedEvent
from twinwall.event.natural_order import natural
from twinwall.event.points import RankedGroup
from twinwall.event.store.event_comparison import (
    Correction,
    CorrectionHistory,
    DealComparison,
    EventComparison,
    ShownDeal,
    compare_hands_of,
    standings_of,
)
from twinwall.event.store.programme import Programme, managed_programme
from twinwall.event.store.staff_calls import Call, DealAtTable, TableCalls, TableProgress
from twinwall.event.store.store_contents import Acknowledgement
from twinwall.game.deals import Deal, Slip, StartedPlan, verify_slip
from twinwall.game.documents import DocumentError
from twinwall.values import frozen
from twinwall.wire.ledger import LedgerPosition, PublicEvent
from twinwall.wire.messages.ruling import Ruling


class SlipRefusedError(ValueError):
    """No slip of this event; the message says which part fails."""


@frozen
class Released:
    """A public deal: its checked slip, its walls, and when the slip was received."""

    slip: Slip
    deal: Deal
    at: datetime

    @property
    def n(self) -> int:
        return self.deal.n


def open_slip(payload: bytes, custody: StartedPlan | None, at: datetime) -> Released:
    """Check a slip and open its deal; raises SlipRefusedError."""
    if custody is None:
        raise SlipRefusedError("a slip arrived, but this event has no plan to check it against: name plan and start in the settings")
    try:
        slip = Slip.from_json(payload)
        return Released(slip, verify_slip(custody, slip), at)
    except DocumentError as error:
        raise SlipRefusedError(f"a slip is refused: {error}") from None


@frozen
class DealInHall:
    """One deal at all tables that play in its session, in the order of the field. ``released``: slip and walls, checked against plan and
    root; None until every table has finished. ``hands``: at the tables that have one; empty until release. ``differing``: tables that
    published another check of this deal than the slip has: they played another deal."""

    n: int
    tables: tuple[DealAtTable, ...]
    released: Released | None = None
    hands: tuple[HandSummary, ...] = ()
    differing: tuple[str, ...] = ()


@frozen
class TableReached:
    """The end of a table's stored ledger, the deals of its finished hands in the order in which they began, and the deal of the hand in
    play, 0 for none."""

    position: LedgerPosition
    finished: tuple[int, ...]
    n: int


class Hall:
    """The state that the store's rows give; any thread may call every method."""

    def __init__(self, programme: Programme) -> None:
        self.programme = programme
        self.event = ManagedEvent()
        """The event as its directors have described it."""
        self._mutex = threading.RLock()
        self.lines = 0
        """The number of ledger lines added."""
        self._hands: dict[str, TableHands] = {}
        self._progress: dict[str, TableProgress] = {}
        self._calls: dict[str, TableCalls] = {}
        self._positions: dict[str, LedgerPosition] = {}
        self._released: dict[int, Released] = {}
        self._scale = programme.scale
        self._deals_compared: dict[int, DealComparison] = {}
        self._changed: set[int] = set()
        """Released deals to compare again on demand."""
        self._ruled: set[int] = set()
        """Deals with a ruling."""
        self._compared: EventComparison | None = None
        self._standings: dict[frozenset[int], EventStandings] = {}
        self._groups: tuple[RankedGroup, ...] = ()
        self._history = CorrectionHistory(programme, self._scale)

    def set_programme(self, programme: Programme) -> None:
        """From now on compare by another version of the event's programme, such as one that seats the next session."""
        with self._mutex:
            self.programme, self._scale = programme, programme.scale
            self._history = CorrectionHistory(programme, self._scale)
            self._deals_compared.clear()
            self._forget()

    def manage(self, event: ManagedEvent) -> Programme:
        """Set the event's state, and follow and return the programme that it gives."""
        with self._mutex:
            self.event = event
            programme = managed_programme(self.programme, event)
            if programme != self.programme:
                self.set_programme(programme)
            return programme

    def take(self, event: PublicEvent) -> str | None:
        """Add a table's next line; return a sentence if it would enter a result again."""
        with self._mutex:
            self.lines += 1
            hands = self._hands.setdefault(event.table, TableHands(event.table))
            changed = hands.add(event)
            self._progress.setdefault(event.table, TableProgress(event.table)).take(event)
            self._calls.setdefault(event.table, TableCalls()).take(event)
            self._positions[event.table] = event.position
            if changed is not None and isinstance(event.body, Ruling):
                self._ruled.add(changed)
            if changed is not None and changed in self._released:
                self._forget(changed)
            return next((sentence for entered, sentence in hands.second_entries[-1:] if entered is event), None)

    def reached(self, table: str) -> TableReached | None:
        """How far a table is; None if it has sent nothing. For staff only, because it reveals which hands are over."""
        with self._mutex:
            position, hands = self._positions.get(table), self._hands.get(table)
            return None if position is None or hands is None else TableReached(position, *hands.reached())

    def release(self, released: Released) -> None:
        with self._mutex:
            self._released[released.n] = released
            self._forget(released.n)

    def acknowledge(self, acknowledgement: Acknowledgement) -> bool:
        """Note that somebody answers a call; False if there is no such call."""
        with self._mutex:
            calls = self._calls.get(acknowledgement.table)
            return calls is not None and calls.acknowledge(acknowledgement)

    def released_deals(self) -> tuple[int, ...]:
        with self._mutex:
            return tuple(sorted(self._released))

    def released(self, n: int) -> Released | None:
        """The slip and the walls of a released deal; None for any other."""
        return self._released.get(n)

    def deals(self) -> tuple[int, ...]:
        """The deals of the plan, or without a plan those that a table has opened."""
        if self.programme.custody is not None:
            return tuple(deal.n for deal in self.programme.custody.plan.deals)
        with self._mutex:
            return tuple(sorted({n for table in self._progress.values() for n in table.deals}))

    def deal(self, n: int, *, for_officials: bool = False) -> DealInHall:
        """One deal at all tables.

        That a table has finished, and its next deal, is shown once all tables of its group have finished, and earlier only
        ``for_officials`` (director and referees). Hands and walls appear only after release.
        """
        with self._mutex:
            released = self._released.get(n)
            tables: list[DealAtTable] = []
            for group in self.programme.field.session(self.session_of(n)).groups:
                of_group = [self._progress.get(table, TableProgress(table)) for table in group.tables]
                if for_officials or released is not None:
                    tables += [table.at(n) for table in of_group]
                    continue
                # a withdrawn table never finishes a deal, and the deal is released all the same
                done = {deal for deal in self.deals() if deal in self._released or all(table.has_finished(deal) for table in of_group)}
                tables += [table.shown(n, done) for table in of_group]
            if released is None:
                return DealInHall(n, tuple(tables))
            hands = self.hands(n)
            check = released.deal.check.hex()
            return DealInHall(n, tuple(tables), released, hands, tuple(hand.table for hand in hands if hand.check not in ("", check)))

    def hand(self, table: str, n: int, *, as_referee_of: str | None = None) -> HandSummary | None:
        """The hand of a table; None before the deal is released, except for the referee of this table."""
        with self._mutex:
            known = self._hands.get(table)
            return known.summary(n) if known is not None and (n in self._released or as_referee_of == table) else None

    def hands(self, n: int | None = None, *, as_referee_of: str | None = None) -> tuple[HandSummary, ...]:
        """All hands that may be shown: those of released deals, and without ``n`` also every hand of the referee's own table."""
        with self._mutex:
            if n is not None:
                return tuple(self._hands_of(n)) if n in self._released else ()
            shown = (
                hand
                for table, hands in self._hands.items()
                for hand in hands.summaries()
                if hand.n in self._released or as_referee_of == table
            )
            return tuple(sorted(shown, key=lambda hand: (hand.n, natural(hand.table))))

    def comparison(self) -> EventComparison:
        with self._mutex:
            if self._compared is None:
                for n in self._changed | (self._released.keys() - self._deals_compared.keys()):
                    known = self._deals_compared.get(n)
                    self._deals_compared[n] = compare_hands_of(n, self._hands_of(n), self.programme, self._scale, known)
                self._changed.clear()
                compared = {n: self._deals_compared[n] for n in sorted(self._released)}
                self._compared = EventComparison(self.programme.field.kind, self._scale, compared, self.programme.unranked)
            return self._compared

    def standings(self, held: Collection[int] = ()) -> EventStandings:
        """The standings after the released deals, of each session's groups and of the event, without ``held`` sessions."""
        with self._mutex:
            key = frozenset(held)
            if key not in self._standings:
                self._standings[key] = standings_of(self.programme, self.comparison().deals.values(), key, self._groups)
                self._groups = self._standings[key].groups
            return self._standings[key]

    def corrections(self, held: Collection[int] = ()) -> tuple[Correction, ...]:
        """The rulings that changed shown results, by time; ranks are without ``held`` sessions."""
        with self._mutex:
            deals = self.comparison().deals
            shown: dict[int, ShownDeal] = {
                n: (of.at, self._hands_of(n) if n in self._ruled else (), deals[n])
                for n, of in self._released.items()
                if deals[n].session not in held
            }
            return self._history.corrections(shown, self.standings(held))

    def is_paused(self, table: str) -> bool:
        with self._mutex:
            return table in self._progress and self._progress[table].paused

    def session_of(self, n: int) -> int:
        with self._mutex:
            return self.programme.session_of(n, self._hands_of(n))

    def second_entries(self) -> tuple[tuple[PublicEvent, str], ...]:
        """What would have entered a result again, table by table, each with its sentence."""
        with self._mutex:
            return tuple(entry for hands in self._hands.values() for entry in hands.second_entries)

    def calls(self) -> tuple[Call, ...]:
        with self._mutex:
            return tuple(sorted((call for calls in self._calls.values() for call in calls.calls()), key=lambda call: (call.at, call.table)))

    def _hands_of(self, n: int) -> list[HandSummary]:
        found = (hands.summary(n) for hands in self._hands.values())
        return sorted((hand for hand in found if hand is not None), key=lambda hand: natural(hand.table))

    def _forget(self, changed: int | None = None) -> None:
        """Compare again: one deal, or all."""
        if changed is not None:
            self._changed.add(changed)
        self._compared = None
        self._standings.clear()
