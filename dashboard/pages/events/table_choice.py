"""The tables of an event, for directors: which of the hall's tables play, and what each of them lacks.

Seats that are drawn already move with the choice: the n-th table of the event is the n-th chosen one. What was played stays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from flask import Flask, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from dashboard.access.login import directors_alone, require_token
from dashboard.assignments import HallTable
from dashboard.pages.events.session_routes import SessionOffice, seen_version
from twinwall.event.management.change_checks import ChangeRefusal
from twinwall.event.management.changes import TablesChosen
from twinwall.event.management.managed_event import ManagedEvent
from twinwall.event.natural_order import natural
from twinwall.wire.canonical_json import write_time
from twinwall.wire.messages.assignment import HallStage
from twinwall.wire.messages.table_kind import TableKind

_STATES = {
    HallStage.WAITING: "tables.waiting",
    HallStage.STARTING: "tables.starting",
    HallStage.PLAYING: "tables.playing",
    HallStage.FINISHED: "tables.waiting",
}


@dataclass(frozen=True, slots=True)
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
    """The change that these tables make, with the kinds that they have told."""
    return TablesChosen(tuple(chosen), {row.name: row.kind for row in rows if row.name in chosen and row.kind is not TableKind.FEEDER})


def add_table_choice(app: Flask, office: SessionOffice, names: Sequence[str], heard: Callable[[], Sequence[HallTable]]) -> None:
    """Add the page ``/event/tables``; ``names`` are the hall's tables by the settings, ``heard`` those that have joined."""

    def page(refusal: ChangeRefusal | None = None) -> str:
        event = office.desk.event
        needed = max((sum(len(group.tables) for group in seating.groups) for seating in event.seatings.values()), default=0)
        rows = table_rows(names, heard(), event)
        return render_template("events/event_tables.html", event=event, rows=rows, refusal=refusal, needed=needed, **office.steps("tables"))

    @app.get("/event/tables")
    def event_tables() -> str:
        directors_alone()
        return page()

    @app.post("/event/tables")
    def change_tables() -> AnyResponse | tuple[str, int]:
        directors_alone()
        require_token()
        chosen = tuple(dict.fromkeys(request.form.getlist("table")))
        change = chosen_tables(chosen, table_rows(names, heard(), office.desk.event))
        refusal = office.manage(change, seen_version(request.form))
        if refusal is not None:
            return page(refusal), 409
        return redirect(url_for("event_tables"), 303)
