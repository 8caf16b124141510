"""The tables of an event, for directors: which of the hall's tables play, and what each of them lacks.

Seats that are drawn already move with the choice: the n-th table of the event is the n-th chosen one. What was played stays.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from flask import Flask, abort, request
from flask.typing import ResponseReturnValue

from dashboard.actions.event_changes import Answer
from dashboard.assignments import HallTable
from dashboard.hall_requests import RehearsalFile, RehearsedTables
from dashboard.pages.setup.setup_frame import SetupPages
from dashboard.web_app import see_other
from twinwall.event.management.changes import TablesChosen
from twinwall.event.management.managed_event import ManagedEvent
from twinwall.event.natural_order import natural
from twinwall.game.documents import write_time
from twinwall.values import frozen
from twinwall.wire.messages.assignment import HallStage
from twinwall.wire.messages.table_kind import TableKind

_STATES = {
    HallStage.WAITING: "tables.waiting",
    HallStage.STARTING: "tables.starting",
    HallStage.PLAYING: "tables.playing",
    HallStage.FINISHED: "tables.waiting",
}


@frozen
class TableRow:
    """A table of the hall: ``state`` is a sentence's key, ``heard`` when it spoke last, None for one that is silent."""

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
    """The hall's tables by the settings, those that have joined, and where tables can be simulated; None at an event."""

    names: Sequence[str]
    heard: Callable[[], Sequence[HallTable]]
    rehearsal: RehearsalFile | None = None

    def rehearsed(self) -> RehearsedTables:
        """Which tables may be simulated, and which shall."""
        return RehearsedTables() if self.rehearsal is None else self.rehearsal.tables()

    def rows(self, event: ManagedEvent) -> list[TableRow]:
        """All tables, in natural order."""
        wanted = self.rehearsed().wanted
        return [replace(row, kind=_kind(row, wanted)) for row in table_rows(self.names, self.heard(), event)]


def _kind(row: TableRow, simulated: Collection[str]) -> TableKind:
    """A table that is silent yet or still is of the kind that it will be."""
    if row.heard is not None:
        return row.kind
    if row.name in simulated:
        return TableKind.SIMULATED
    return TableKind.FEEDER if row.kind is TableKind.SIMULATED else row.kind


def table_rows(names: Sequence[str], heard: Sequence[HallTable], event: ManagedEvent) -> list[TableRow]:
    """All tables of the hall's settings, those that have joined besides, and those of the event, in natural order."""
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
    """The change that these tables make, with the kinds that they have reported."""
    return TablesChosen(tuple(chosen), {row.name: row.kind for row in rows if row.name in chosen and row.kind is not TableKind.FEEDER})


def add_table_choice(app: Flask, setup: SetupPages, hall: HallOfTables) -> None:
    """Add the page ``/event/tables``."""

    def page(answer: Answer | None = None) -> str:
        desk = setup.desk()
        event = desk.event
        needed = max((sum(len(group.tables) for group in seating.groups) for seating in event.seatings.values()), default=0)
        shown = {"rows": hall.rows(event), "rehearsed": hall.rehearsed(), "needed": needed}
        return setup.page("events/event_tables.html", desk, answer, here="tables", **shown)

    @app.get("/event/tables")
    def event_tables() -> str:
        return page()

    @app.post("/event/tables")
    def change_tables() -> ResponseReturnValue:
        desk, seen = setup.form()
        answer = setup.manage(chosen_tables(tuple(dict.fromkeys(request.form.getlist("table"))), hall.rows(desk.event)), seen)
        return see_other("event_tables") if answer is None else (page(answer), 409)

    @app.post("/event/tables/rehearsal")
    def rehearse_table() -> ResponseReturnValue:
        if hall.rehearsal is None:
            abort(404)
        _rehearse(hall, hall.rehearsal, request.form.get("table", ""), simulated=request.form.get("do") == "simulate")
        event = setup.desk().event
        if event.tables:  # they keep their kinds, so that every page names a simulated one
            answer = setup.manage(chosen_tables(event.tables, hall.rows(event)), event.version)
            if answer is not None:
                return page(answer), 409
        return see_other("event_tables")


def _rehearse(hall: HallOfTables, file: RehearsalFile, table: str, *, simulated: bool) -> None:
    """Let a table be simulated, or no more; one that has joined by itself stays as it is. Raises StoreError."""
    real = any(each.name == table and not each.silent and each.heartbeat.kind is not TableKind.SIMULATED for each in hall.heard())
    if not (simulated and real):
        file.write(file.tables().with_table(table, simulated=simulated))
