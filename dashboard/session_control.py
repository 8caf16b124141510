"""Carries a director's changes to tables and vaults (``SessionControl``): who plays what in a beginning session, and who is a substitute
for whom. ``assignments`` computes, without I/O, what follows from a change. A change is stored first. A table that does not know it yet,
because the server ended in between or the table was absent, gets it at its next heartbeats; vaults likewise."""

import logging
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import field

from msgspec.structs import replace

from dashboard.assignments import HallTables
from dashboard.custody.deal_making import DealMaking
from twinwall.event.management.change_checks import ChangeRefusal, Why
from twinwall.event.management.changes import (
    ClocksPaused,
    ClocksResumed,
    EventChange,
    EventDescribed,
    SessionEnded,
    SessionReopened,
    SessionStarted,
    SubstituteSeated,
)
from twinwall.event.management.managed_event import ManagedEvent
from twinwall.event.store.databases.port import StoreError
from twinwall.game.deals import StartedPlan
from twinwall.values import frozen
from twinwall.wire.messages.assignment import AssignedStart, Assignment, HallStage, TableKind
from twinwall.wire.messages.commands import Command, PauseClock
from twinwall.wire.messages.vaults.vault_orders import SessionTable

_LOG = logging.getLogger(__name__)


@frozen
class SessionControl:
    """Conditions for a session's beginning, and the messages for it.

    - custody: returns the event's plan and start, None before they are fixed.
    - vault_keys: the vaults' public keys (hex) by holder.
    - deals: the vaults, None if each vault's settings name its session.
    """

    tables: HallTables
    custody: Callable[[], StartedPlan | None]
    vault_keys: Mapping[str, str]
    deals: DealMaking | None = None
    send: Callable[[str, Command], bool] = lambda _table, _command: False
    """Sends a command to a table; False if the broker does not take it."""
    is_paused: Callable[[str], bool] = lambda _table: False
    """Whether a table has reported a paused clock."""
    _known: dict[str, tuple[int, int]] = field(default_factory=dict)
    """By table, the version of the event for which its assignment, by number, was found right, because it sends a heartbeat every two
    seconds."""

    def problem(self, event: ManagedEvent, change: EventChange) -> ChangeRefusal | None:
        """Why a session must wait although the event could take the change, or None."""
        if isinstance(change, EventDescribed) and event.description is not None and change.rules != event.description.rules:
            return self._made_for_others(change.rules)
        if not isinstance(change, SessionStarted) or event.description is None:
            return None
        if (lacking := self.lacking_deals(event, change.session)) is not None:
            return lacking
        heard = {table.name: table.heartbeat.kind for table in self.tables.all_tables() if not table.silent}
        seated = event.seats(change.session)
        if absent := [table for table in seated if table not in heard]:
            return ChangeRefusal(Why.TABLE_NOT_HEARD, ", ".join(absent))
        differing = [table for table in seated if heard[table] is not event.kind_of(table)]
        return ChangeRefusal(Why.TABLE_KIND, ", ".join(differing)) if differing else None

    def lacking_deals(self, event: ManagedEvent, session: int) -> ChangeRefusal | None:
        """Why the event lacks deals for a session as it is now described, or None."""
        custody, described = self.custody(), event.description
        if custody is None or described is None:
            return ChangeRefusal(Why.NO_DEALS, session=session)
        planned = {deal.hand for deal in custody.plan.deals if deal.session == session and deal.rules == described.rules}
        lacking = not planned >= set(range(1, described.hands + 1))
        return (self._made_for_others(described.rules) or ChangeRefusal(Why.NO_MORE_DEALS, session=session)) if lacking else None

    def _made_for_others(self, rules: str) -> ChangeRefusal | None:
        custody = self.custody()
        made_for = set() if custody is None else {deal.rules for deal in custody.plan.deals}
        return ChangeRefusal(Why.DEALS_RULES, ", ".join(sorted(made_for))) if made_for and rules not in made_for else None

    def carry_out(self, event: ManagedEvent, change: EventChange, by: str) -> None:
        """Send tables and vaults what they need of a stored change."""
        if isinstance(change, ClocksPaused | ClocksResumed | SessionEnded | SessionReopened):
            self._pause(event)
            return
        session = _session_to_tell(event, change)
        custody = self.custody()
        if session is None or custody is None:
            return
        if isinstance(change, SessionStarted):
            self._ask_vaults(event, session, by)
            self._pause(event)
        only = change.substitute if isinstance(change, SubstituteSeated) else None
        for table, assignment in assignments(event, session, custody, self.vault_keys).items():
            if only is None or only in assignment.players:
                self._assign(table, assignment)

    def _assign(self, table: str, assignment: Assignment) -> None:
        try:
            self.tables.assign(table, assignment)
        except OSError as error:
            _LOG.error(
                "what table %s plays cannot be kept (%s): make room on the disk; it is sent again when the table is heard",
                table,
                error,
                extra={"table": table},
            )

    def unreached(self, event: ManagedEvent) -> tuple[str, ...]:
        """The tables of the last session that have not yet reported the clock that the director wants."""
        return tuple(table for table in self._with_clock(event) if self.is_paused(table) != event.stands)

    def refusing(self, event: ManagedEvent) -> dict[str, str]:
        """The tables of the session in play that refuse it, with their sentences."""
        seated = event.seats_in_play
        refusals = {table.name: table.heartbeat.refused for table in self.tables.all_tables() if table.name in seated}
        return {table: sentence for table, sentence in refusals.items() if sentence}

    def _with_clock(self, event: ManagedEvent) -> Iterator[str]:
        """The tables of the last session that may have a hand to play: once it is over, those that have not finished it."""
        if not event.sessions or event.closed:
            return
        over = event.sessions[-1].over
        finished = {table.name for table in self.tables.all_tables() if over and table.heartbeat.stage is HallStage.FINISHED}
        yield from (table for table in event.seats(event.sessions[-1].number) if table not in finished)

    def table_heard(self, event: ManagedEvent, table: str) -> None:
        """A table was heard: send it its assignment and the clock's state if it does not know them. Vaults that were not asked for the
        session's deals are asked when every table is heard."""
        custody = self.custody()
        if custody is None or table not in self._with_clock(event):
            return
        if self.is_paused(table) != event.stands:
            self.send(table, PauseClock(event.stands))
        if not event.in_play:
            return
        session, tables = event.in_play, {each.name: each for each in self.tables.all_tables()}
        assigned = tables[table].assigned
        if assigned is None or self._known.get(table) != (event.version, assigned.number):
            wanted = assignments(event, session, custody, self.vault_keys, (table,))[table]
            if assigned is None or replace(wanted, number=assigned.number) != assigned:
                self._assign(table, wanted)
            else:
                self._known[table] = event.version, assigned.number
        if self.deals is not None and self.deals.asked_session != session and tables.keys() >= event.seats(session).keys():
            self._ask_vaults(event, session, "")

    def tell_again(self, event: ManagedEvent, by: str) -> None:
        """Send tables and vaults the session in play once more, in case the server ended before it had reached them all."""
        if event.in_play:
            self.carry_out(event, SessionStarted(event.in_play), by)

    def _ask_vaults(self, event: ManagedEvent, session: int, by: str) -> None:
        """Let the vaults give a session's deals. Earlier requests are stored and repeated without this."""
        if self.deals is None:
            return
        heard = {table.name: table.heartbeat for table in self.tables.all_tables()}
        groups = [[at.table for at in group.tables] for group in event.seatings[session].groups]
        begins = event.first_hands(session)
        wanted = [name for group in groups for name in group]
        if unheard := [name for name in wanted if name not in heard]:
            _LOG.error("the vaults are not asked for the deals of session %d: not heard: %s", session, ", ".join(unheard))
            return
        try:
            tables = [SessionTable(name, heard[name].identity_key, begins[name], heard[name].kind is TableKind.PAPER) for name in wanted]
            refused: object = self.deals.begin_session(session, tables, groups, by)
        except StoreError as error:
            refused = error
        if refused is not None:
            _LOG.error("the vaults were not asked for the deals of session %d: %s", session, refused)

    def _pause(self, event: ManagedEvent) -> None:
        """Pause or resume the clocks of the tables that play."""
        for table in self._with_clock(event):
            if not self.send(table, PauseClock(event.stands)):
                _LOG.error(
                    "table %s is not reached: its clock is %s", table, "running" if event.stands else "paused", extra={"table": table}
                )


def assignments(
    event: ManagedEvent, session: int, custody: StartedPlan, vault_keys: Mapping[str, str], only: Collection[str] | None = None
) -> dict[str, Assignment]:
    """Each table's assignment in a session by name, for all or ``only`` these tables; numbers are given when they are sent."""
    description = event.description
    if description is None:
        return {}
    seating = event.seatings.get(session)
    groups = {at.table: group.name for group in (() if seating is None else seating.groups) for at in group.tables}
    begins = event.first_hands(session)
    return {
        table: Assignment(
            event=custody.plan.event,
            session=session,
            first=1,
            last=description.hands,
            rules=description.rules,
            players=players,
            group=groups[table],
            plan=custody.plan.canonical.decode(),
            start=AssignedStart(custody.start.root.hex(), custody.start.public),
            options=description.options,
            vault_keys=dict(vault_keys),
            seat_check=description.seat_check,
            begins=begins[table],
        )
        for table, players in event.seats(session).items()
        if only is None or table in only
    }


def _session_to_tell(event: ManagedEvent, change: EventChange) -> int | None:
    """The session with tables that a change concerns: one that begins, or the one in play after a substitution."""
    match change:
        case SessionStarted(session):
            return session
        case SubstituteSeated(session) if event.in_play == session:
            return session
        case _:
            return None
