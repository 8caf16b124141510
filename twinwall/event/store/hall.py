"""The hall computed from stored lines: tables, hands, deals, calls, comparison and standings.

The result is the same however often it is computed anew. Hands, comparisons and walls of an unreleased deal (class T) are absent,
except for the referee at a table, who names it. The dashboard's access policy decides whether a reader is that referee.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from twinwall.event.comparison import ComparedDeal
from twinwall.event.field import Group
from twinwall.event.hands import HandSummary, SecondEntry, TableHands
from twinwall.event.natural_order import natural
from twinwall.event.store.deal_progress import DealAtTable, TableProgress
from twinwall.event.store.event_comparison import EventComparison, compare_hands
from twinwall.event.store.programme import Programme
from twinwall.event.store.released_slips import Released
from twinwall.event.store.staff_calls import Call, TableCalls
from twinwall.event.store.store_file import Acknowledgement
from twinwall.wire.ledger import PublicEvent


@dataclass(frozen=True, slots=True)
class DealState:
    """One deal at all tables of the field.

    Attributes:
        tables: in the order of the field.
        released: slip and walls, checked against plan and root; None until every table has finished.
        hands: at the tables that have one; empty until release.
        differing: tables that published another check of this deal than the slip has: it was not the same deal.
    """

    n: int
    tables: tuple[DealAtTable, ...]
    released: Released | None = None
    hands: tuple[HandSummary, ...] = ()
    differing: tuple[str, ...] = ()


class Hall:
    """What the store's rows amount to; every method may be called from any thread."""

    def __init__(self, programme: Programme) -> None:
        """Nothing has happened yet."""
        self.programme = programme
        self._mutex = threading.RLock()
        self._hands: dict[str, TableHands] = {}
        self._progress: dict[str, TableProgress] = {}
        self._calls: dict[str, TableCalls] = {}
        self._released: dict[int, Released] = {}
        self._compared: EventComparison | None = None

    def follow(self, programme: Programme) -> None:
        """Compare by another version of the event's programme from now on."""
        with self._mutex:
            self.programme = programme
            self._compared = None

    def take(self, event: PublicEvent) -> SecondEntry | None:
        """Take the next line of a table; what is told when it would enter a result again."""
        with self._mutex:
            hands = self._hands.setdefault(event.table, TableHands(event.table))
            known = len(hands.second_entries)
            changed = hands.add(event)
            self._progress.setdefault(event.table, TableProgress(event.table)).take(event)
            self._calls.setdefault(event.table, TableCalls()).take(event)
            if changed in self._released:
                self._compared = None
            return hands.second_entries[-1] if len(hands.second_entries) > known else None

    def release(self, released: Released) -> None:
        """Take a slip that was checked."""
        with self._mutex:
            self._released[released.n] = released
            self._compared = None

    def acknowledge(self, acknowledgement: Acknowledgement) -> bool:
        """Somebody takes up a call; False when there is no such call."""
        with self._mutex:
            calls = self._calls.get(acknowledgement.table)
            return calls is not None and calls.acknowledge(acknowledgement)

    def is_released(self, n: int) -> bool:
        """Whether anybody may know everything of the deal."""
        return n in self._released

    def released_deals(self) -> tuple[int, ...]:
        """The numbers of the deals that are released."""
        with self._mutex:
            return tuple(sorted(self._released))

    def released(self, n: int) -> Released | None:
        """The slip and the walls of a released deal; None for any other."""
        return self._released.get(n)

    def deals(self) -> tuple[int, ...]:
        """The deals of the event: those of the plan, or those that a table has opened where there is no plan."""
        if self.programme.custody is not None:
            return tuple(deal.n for deal in self.programme.custody.plan.deals)
        with self._mutex:
            return tuple(sorted({n for table in self._progress.values() for n in table.deals}))

    def deal(self, n: int, *, for_officials: bool = False) -> DealState:
        """One deal at all tables.

        That a table has finished, and what it has gone on to, is shown once all tables of its group have, and
        before that only ``for_officials`` (director and referees); hands and walls are there after release alone.
        """
        with self._mutex:
            tables = tuple(at for group in self.programme.field.groups for at in self._in_group(group, n, for_officials=for_officials))
            released = self._released.get(n)
            if released is None:
                return DealState(n, tables)
            hands = self.hands(n)
            check = released.deal.check.hex()
            return DealState(n, tables, released, hands, tuple(hand.table for hand in hands if hand.check not in ("", check)))

    def hand(self, table: str, n: int, *, as_referee_of: str | None = None) -> HandSummary | None:
        """The hand of a table; None before the deal is released, unless for the referee of that very table."""
        with self._mutex:
            known = self._hands.get(table)
            return known.summary(n) if known is not None and (n in self._released or as_referee_of == table) else None

    def hands(self, n: int | None = None, *, as_referee_of: str | None = None) -> tuple[HandSummary, ...]:
        """All hands that may be shown, of one deal or of all: those of released deals, and every one of the referee's own table."""
        with self._mutex:
            shown = (
                hand
                for table, hands in self._hands.items()
                for hand in hands.summaries()
                if n in (None, hand.n) and (hand.n in self._released or as_referee_of == table)
            )
            return tuple(sorted(shown, key=lambda hand: (hand.n, natural(hand.table))))

    def comparison(self) -> EventComparison:
        """The comparison of all released deals, and the standings by them: ``comparison.groups`` has a ranking each."""
        with self._mutex:
            if self._compared is None:
                programme = self.programme
                self._compared = compare_hands(self.hands(), programme.field, programme.scale, sorted(self._released))
            return self._compared

    def compared(self, n: int) -> Mapping[str, ComparedDeal]:
        """The comparison of one deal by group; empty until it is released, and for groups in which it cannot be compared."""
        found = {group.name: self.comparison().deal(n, group.name) for group in self.programme.field.groups}
        return {group: deal for group, deal in found.items() if deal is not None}

    def second_entries(self) -> tuple[SecondEntry, ...]:
        """What would have entered a result again, table by table."""
        with self._mutex:
            return tuple(entry for hands in self._hands.values() for entry in hands.second_entries)

    def calls(self) -> tuple[Call, ...]:
        """All calls of all tables, the earliest first."""
        with self._mutex:
            return tuple(sorted((call for calls in self._calls.values() for call in calls.calls()), key=lambda call: (call.at, call.table)))

    def _in_group(self, group: Group, n: int, *, for_officials: bool) -> list[DealAtTable]:
        tables = [self._progress.get(table, TableProgress(table)) for table in group.tables]
        if for_officials or n in self._released:
            return [table.at(n) for table in tables]
        unfinished = next((deal for deal in self.deals() if not self._is_over(deal, tables)), None)
        return [table.shown(n, unfinished) for table in tables]

    def _is_over(self, n: int, tables: Iterable[TableProgress]) -> bool:
        """Whether nothing of the deal is secret any more: a table that was withdrawn never finishes it, and it is released all the same."""
        return n in self._released or all(table.has_finished(n) for table in tables)
