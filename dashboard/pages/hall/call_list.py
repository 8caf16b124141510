"""The list of calls: tables that need a person, most urgent first, and who has answered; and what else of the hall waits for a person, with
the page for it."""

from collections.abc import Iterator
from dataclasses import replace
from enum import IntEnum
from typing import assert_never
from urllib.parse import parse_qs, urlencode

from markupsafe import Markup

from dashboard.access.session_progress import OpenTable
from dashboard.access.viewer_scope import ViewerScope
from dashboard.i18n.words import Words
from dashboard.pages.hall import hall_cards
from dashboard.pages.rendering import Fragments, Renderer
from dashboard.pages.setup.setup_frame import setup_steps
from dashboard.pages.table.presentation import link_alarm, question_path, record_path, violations_path
from dashboard.projections.table_view import UNREAD_TILE
from twinwall.event.management.managed_event import EventStage
from twinwall.event.natural_order import natural
from twinwall.event.store.staff_calls import VIOLATION, Call, CallKind
from twinwall.game.documents import write_time
from twinwall.values import frozen
from twinwall.wire.names import plain_number


class Urgency(IntEnum):
    """Why a table or the hall needs a person; smaller is more urgent. A table's calls have the names of ``CallKind``."""

    HALL = 0
    REFEREE = 1
    DEAL = 2
    FAULT = 3
    LINK = 4
    SILENT = 5
    CENTRE = 6
    RECORD = 7
    STEP = 8


_MARKS = {
    Urgency.HALL: ("call", "red"),
    Urgency.REFEREE: ("call", "red"),
    Urgency.DEAL: ("fault", "red"),
    Urgency.FAULT: ("fault", "amber"),
    Urgency.LINK: ("unlink", "amber"),
    Urgency.SILENT: ("unlink", "grey"),
    Urgency.CENTRE: ("fault", "amber"),
    Urgency.RECORD: ("ask", "amber"),
    Urgency.STEP: ("ask", "grey"),
}
_LINKS = {Urgency.RECORD: "record.link", Urgency.REFEREE: "violations.link", Urgency.HALL: "waits.link", Urgency.STEP: "step.go"}


@frozen
class CallRow:
    """One line of the list, for a ``table`` or, with None, for the whole hall. ``key`` is the form's value to answer it; None for what ends
    by itself."""

    table: str | None
    urgency: Urgency
    text: str
    hand: str | None = None
    since: str | None = None
    key: str | None = None
    taken_by: str | None = None
    taken_at: str | None = None
    asks: str | None = None
    """The address of the page on which the reader answers, sees the pictures, or does what waits."""

    @property
    def icon(self) -> str:
        return _MARKS[self.urgency][0]

    @property
    def link(self) -> str:
        """The message key of that address's name."""
        return _LINKS.get(self.urgency, "which.link")

    @property
    def tone(self) -> str:
        return _MARKS[self.urgency][1]


def listed(render: Renderer, scope: ViewerScope, words: Words, *, answers: bool = False) -> tuple[CallRow, ...]:
    """All calls, by urgency and then by age; with ``answers``, also the address of each question. Only pages that the reader may open are
    linked."""
    tables = {table.name: table for table in scope.tables()}
    seen = scope.calls_with_pictures() if answers else ()
    found = [_row(call, tables.get(call.table), words, _asks(call, seen=call in seen) if answers else None) for call in scope.calls()]
    found += [row for table in tables.values() for row in _of_itself(table, words)]
    for sentence, at in scope.notices().items():
        notice = words.markup("calls.centre", sentence=words.english(sentence))
        found.append(CallRow(None, Urgency.CENTRE, notice, since=write_time(at)))
    found += [CallRow(wait.table, Urgency.HALL, words(wait.key, **dict(wait.names)), asks=wait.path) for wait in scope.waits()]
    found += _steps(scope, words) if scope.staff else ()
    found = [row if row.asks is None or render.may_open(row.asks) else replace(row, asks=None) for row in found]
    return tuple(sorted(found, key=lambda row: (row.urgency, row.since or "", natural(row.table or ""))))


def call_of(key: str) -> tuple[str, str, int] | None:
    """The table, journal and line in a form's key; None for anything else."""
    try:
        read = parse_qs(key, max_num_fields=3)
        (table,), (journal,), (line,) = read["table"], read["journal"], read["seq"]
    except (KeyError, ValueError):
        return None
    seq = plain_number(line, 15)
    return None if seq is None else (table, journal, seq)


def pieces(render: Renderer, scope: ViewerScope, words: Words, *, answers: bool) -> Fragments:
    """The fragments of the calls' page; a referee ``answers`` tables' questions."""

    def calls() -> Markup:
        rows = listed(render, scope, words, answers=answers)
        return render("common/calls.html", calls=rows, longest=None if rows else _longest(scope))

    yield render.part("calls", calls)


def _row(call: Call, table: OpenTable | None, words: Words, asks: str | None) -> CallRow:
    taken = call.acknowledged
    return CallRow(
        call.table,
        Urgency[call.kind.name],
        call_text(call, words),
        _hand(table, words),
        write_time(call.at),
        urlencode({"table": call.table, "journal": call.journal, "seq": call.seq}),
        None if taken is None else taken.by or words("referee"),
        None if taken is None else write_time(taken.at),
        asks,
    )


def _asks(call: Call, *, seen: bool) -> str | None:
    """The page on which a referee answers the table's question or sees pictures (``seen``) of a violation or of the table's own call."""
    if call.doubted is not None:
        return record_path(call.table, call.doubted[0])
    if call.kind is CallKind.REFEREE:
        return violations_path(call.table) if seen else None
    return question_path(call.table) if call.kind is CallKind.FAULT and call.word == UNREAD_TILE else None


def call_text(call: Call, words: Words) -> str:
    """What a call asks for."""
    match call.kind:
        case CallKind.REFEREE:
            return words("calls.called")
        case CallKind.DEAL:
            return words("calls.refused")
        case CallKind.RECORD:
            assert call.doubted is not None
            n, number = call.doubted
            key = "calls.violation" if call.word == VIOLATION else "calls.record"
            return words(key, n=n, number=number)
        case CallKind.FAULT:
            return hall_cards.fault_name(call.word, words)
        case _:
            assert_never(call.kind)


def _of_itself(table: OpenTable, words: Words) -> Iterator[CallRow]:
    """What is wrong with a table and ends by itself."""
    hand = _hand(table, words)
    for link in table.view.links_lost:
        yield CallRow(table.name, Urgency.LINK, link_alarm(link, table.view.troubles, words, table.name), hand)
    if table.complained is not None:
        yield CallRow(table.name, Urgency.LINK, words("hall.complaint"), hand, write_time(table.complained))
    if table.silent and table.heard is not None:
        yield CallRow(table.name, Urgency.SILENT, words("calls.silent"), hand, write_time(table.heard))


def _steps(scope: ViewerScope, words: Words) -> Iterator[CallRow]:
    """The director's next steps: one before the first session, the next session, and results that are still held back."""
    event = scope.event
    if event.description is None:
        return
    if event.stage is EventStage.DESCRIBED:
        key = next(step["key"] for step in setup_steps(event, scope.started() is not None, ()) if step["following"])
        yield _step(f"{words('step.next')} {words(f'step.{key}')}", "/event/sessions" if key == "start" else f"/event/{key}")
    if event.stage is EventStage.BETWEEN and event.next_session <= event.description.sessions:
        yield _step(words("waits.session", session=event.next_session), "/event/sessions")
    for session in event.sessions:
        if session.over and session.number in event.held:
            yield _step(words("waits.held", session=session.number), "/event/sessions")


def _step(text: str, path: str) -> CallRow:
    return CallRow(None, Urgency.STEP, text, asks=path)


def _hand(table: OpenTable | None, words: Words) -> str | None:
    number = None if table is None else table.view.hand_number
    return words.hand(number) if number else None


def _longest(scope: ViewerScope) -> tuple[str, str] | None:
    starts = [(table.view.hand.started, table.name) for table in scope.tables() if table.view.playing and table.view.hand is not None]
    if not starts:
        return None
    started, name = min(starts)
    return name, write_time(started)
