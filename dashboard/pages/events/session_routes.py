"""The tables of an event, for directors (which of the hall's tables play, and what they lack), and its sessions: start, end, pause, hold or
release results, announce, close. The chosen tables take over drawn seats: the n-th table's go to the n-th chosen one. What was played
stays. A form has the version of the event that its page showed; if another director has changed the event since, the order is refused and
the page shows the present event."""

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from flask import Flask, abort, request
from flask.typing import ResponseReturnValue

from dashboard.access.login import viewer
from dashboard.actions.event_changes import Answer, carry_out
from dashboard.assignments import HallTable
from dashboard.hall_requests import RehearsalFile, RehearsedTables
from dashboard.pages.setup.setup_frame import SetupPages
from dashboard.web_app import see_other
from twinwall.art.names import LANGUAGES
from twinwall.event.management.changes import (
    LONGEST_TEXT,
    MOST_SESSIONS,
    Announced,
    ClocksPaused,
    ClocksResumed,
    EventChange,
    EventClosed,
    ResultsHeld,
    ResultsReleased,
    SessionEnded,
    SessionReopened,
    SessionStarted,
    TablesChosen,
)
from twinwall.event.management.managed_event import ManagedEvent, PlayedSession
from twinwall.event.natural_order import natural
from twinwall.event.store.hall import DealInHall, Hall
from twinwall.event.store.staff_calls import DealProgress
from twinwall.game.documents import write_time
from twinwall.values import frozen
from twinwall.wire.messages.assignment import HallStage, TableKind
from twinwall.wire.names import plain_number

_STATES = {
    HallStage.WAITING: "tables.waiting",
    HallStage.STARTING: "tables.starting",
    HallStage.PLAYING: "tables.playing",
    HallStage.FINISHED: "tables.waiting",
}


@frozen
class TableRow:
    """A table of the hall: ``state`` is a message key, ``heard`` the last time heard, None for a silent one."""

    name: str
    chosen: bool
    state: str
    heard: str | None = None
    lacks: tuple[str, ...] = ()
    refused: str = ""
    version: str = ""
    kind: TableKind = TableKind.FEEDER


@frozen
class HallOfTables:
    """The tables in the hall's settings, those that have joined, and the file of simulated tables; None at an event."""

    names: Sequence[str]
    heard: Callable[[], Sequence[HallTable]]
    rehearsal: RehearsalFile | None = None

    def rehearsed(self) -> RehearsedTables:
        """Which tables may be simulated, and which should be."""
        return RehearsedTables() if self.rehearsal is None else self.rehearsal.tables()

    def rows(self, event: ManagedEvent) -> list[TableRow]:
        """All tables, in natural order."""
        wanted = self.rehearsed().wanted
        return [replace(row, kind=_kind(row, wanted)) for row in table_rows(self.names, self.heard(), event)]


def _kind(row: TableRow, simulated: Collection[str]) -> TableKind:
    """The kind of a table; of a silent one, the kind that it will be."""
    if row.heard is not None:
        return row.kind
    if row.name in simulated:
        return TableKind.SIMULATED
    return TableKind.FEEDER if row.kind is TableKind.SIMULATED else row.kind


def table_rows(names: Sequence[str], heard: Sequence[HallTable], event: ManagedEvent) -> list[TableRow]:
    """All tables of the settings, those that have joined, and those of the event, in natural order."""
    known = {table.name: table for table in heard}
    chosen = event.tables or tuple(known)
    rows = []
    for name in sorted({*names, *known, *event.tables}, key=natural):
        table = known.get(name)
        if table is None:
            rows.append(TableRow(name, name in chosen, "tables.silent", kind=event.kind_of(name)))
            continue
        beat = table.heartbeat
        state = "tables.silent" if table.silent else _STATES[beat.stage]
        spoke = None if table.silent else write_time(table.heard)
        rows.append(TableRow(name, name in chosen, state, spoke, beat.lacks, beat.refused, beat.version, beat.kind))
    return rows


def chosen_tables(chosen: Sequence[str], rows: Sequence[TableRow]) -> TablesChosen:
    """The change to these tables, with their reported kinds."""
    return TablesChosen(tuple(chosen), {row.name: row.kind for row in rows if row.name in chosen and row.kind is not TableKind.FEEDER})


def add_table_choice(app: Flask, setup: SetupPages, hall: HallOfTables) -> None:

    def page(answer: Answer | None = None) -> str:
        desk = setup.desk()
        event = desk.event
        needed = max((sum(len(group.tables) for group in seating.groups) for seating in event.seatings.values()), default=0)
        shown = {"rows": hall.rows(event), "rehearsed": hall.rehearsed(), "needed": needed}
        return setup.page("events/event_tables.html", answer, here="tables", **shown)

    @app.get("/event/tables")
    def event_tables() -> str:
        return page()

    @app.post("/event/tables")
    def change_tables() -> ResponseReturnValue:
        desk, seen = setup.form()
        answer = carry_out(desk, seen, chosen_tables(tuple(dict.fromkeys(request.form.getlist("table"))), hall.rows(desk.event)))
        return see_other("event_tables") if answer is None else (page(answer), 409)

    @app.post("/event/tables/rehearsal")
    def rehearse_table() -> ResponseReturnValue:
        if hall.rehearsal is None:
            abort(404)
        _rehearse(hall, hall.rehearsal, request.form.get("table", ""), simulated=request.form.get("do") == "simulate")
        desk = setup.desk()
        event = desk.event
        if event.tables:  # they keep their kinds, so that every page names a simulated one
            answer = carry_out(desk, event.version, chosen_tables(event.tables, hall.rows(event)))
            if answer is not None:
                return page(answer), 409
        return see_other("event_tables")


def _rehearse(hall: HallOfTables, file: RehearsalFile, table: str, *, simulated: bool) -> None:
    """Let a table be simulated or not; one that has joined itself stays real. Raises StoreError."""
    real = any(each.name == table and not each.silent and each.heartbeat.kind is not TableKind.SIMULATED for each in hall.heard())
    if not (simulated and real):
        file.write(file.tables().with_table(table, simulated=simulated))


_LOG = logging.getLogger(__name__)


def add_sessions(app: Flask, setup: SetupPages) -> None:

    @app.get("/event/sessions")
    def event_sessions() -> str:
        return _page(setup)

    @app.post("/event/sessions")
    def change_sessions() -> ResponseReturnValue:
        if request.form.get("do") == "again":
            if setup.control is not None:
                setup.control.tell_again(setup.desk().event, viewer().name)
            return see_other("event_sessions")
        desk, seen = setup.form()
        if request.form.get("do") == "go-on":
            problem = setup.go_on(seen)
            return see_other("event_sessions") if problem is None else (_page(setup, problem), 409)
        change = _change()
        answer = carry_out(desk, seen, change)
        if answer is not None:
            return _page(setup, answer), 409
        _LOG.info("%s changed the event: %s", viewer().name, type(change).__name__)
        return see_other("event_sessions")


def _page(setup: SetupPages, answer: Answer | None = None) -> str:
    desk = setup.desk()
    event = desk.event
    played = {session.number: session for session in event.sessions}
    stands = {f"text-{tag}": event.announcement.get(tag, "") for tag in LANGUAGES}
    texts = stands | dict(request.form) if request.form.get("do") == "announce" else stands
    return setup.page(
        "events/event_sessions.html",
        answer,
        rows=[_row(desk.hall, number, played.get(number)) for number in event.session_numbers],
        texts=texts,
        tags=LANGUAGES,
        longest=LONGEST_TEXT,
        unreached=() if setup.control is None else setup.control.unreached(event),
        refusing={} if setup.control is None else setup.control.refusing(event),
        here="start",
    )


def _row(hall: Hall, number: int, played: PlayedSession | None) -> dict[str, object]:
    """A session in the page's list; ``played`` is None before it begins, ``planned`` is its number of deals."""
    custody, event = hall.programme.custody, hall.event
    of_session = [] if custody is None else [deal for deal in custody.plan.deals if deal.session == number]
    unplayed = [] if played is None else [_unplayed(deal.hand, hall.deal(deal.n, for_officials=True)) for deal in of_session]
    return {
        "number": number,
        "seated": number in event.seatings,
        "played": played,
        "held": number in event.held,
        "planned": len(of_session),
        "unplayed": [deal for deal in unplayed if deal["tables"]],
    }


def _unplayed(hand: int, deal: DealInHall) -> dict[str, object]:
    """A deal by its hand of the session, and the tables that have not finished it; ``nowhere`` if none has."""
    lacking = [at.table for at in deal.tables if at.progress is not DealProgress.FINISHED]
    return {"hand": hand, "tables": lacking if deal.released is None else [], "nowhere": len(lacking) == len(deal.tables)}


_OF_SESSION: Mapping[str, Callable[[int], EventChange]] = {
    "start": SessionStarted,
    "end": SessionEnded,
    "reopen": SessionReopened,
    "hold": ResultsHeld,
    "release": ResultsReleased,
}
_OF_EVENT: Mapping[str, EventChange] = {"pause": ClocksPaused(), "resume": ClocksResumed(), "close": EventClosed()}


def _change() -> EventChange:
    """The form's change; answers 400 to a form that none of our pages sends."""
    form = request.form
    what, session = form.get("do", ""), plain_number(form.get("session", "1")) or 0
    if not 1 <= session <= MOST_SESSIONS:
        abort(400)
    if what == "announce":
        texts = {tag: " ".join(form.get(f"text-{tag}", "").split())[:LONGEST_TEXT] for tag in LANGUAGES}
        return Announced({tag: text for tag, text in texts.items() if text})
    return _OF_SESSION[what](session) if what in _OF_SESSION else _OF_EVENT.get(what) or abort(400)
