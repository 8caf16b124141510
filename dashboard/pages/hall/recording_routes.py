"""Record only: the pages on which a director has an ordinary hand followed by the camera above a table, and reads what was seen of it."""

from collections.abc import Mapping

from flask import Flask, Response, abort, render_template, request
from flask.typing import ResponseReturnValue

from dashboard.access.login import reader_words, viewer
from dashboard.i18n.words import Words
from dashboard.pages.hall.ready_routes import ReadyOffice
from dashboard.pages.hall.recorded_hand import anchor_of, drawn_mat, recorded_moves, recorded_questions
from dashboard.pages.rulings.picture_pieces import LARGE
from dashboard.readiness.local_servers import LocalServerError, TableReadiness
from dashboard.readiness.ready_steps import ReadyStep, mat_step
from dashboard.web_app import download, see_other
from twinwall.game.documents import DocumentError
from twinwall.game.record import HandRecord
from twinwall.game.rules import rule_set_names
from twinwall.game.session import HANDS
from twinwall.values import frozen
from twinwall.wire.shapes.readiness import CameraCheck, HandEnd, Readiness, RecordingNow, WantedAnswer

_FILES: Mapping[str, str] = {"record": "json", "observations": "jsonl"}
"""What a person may take away, by its name in addresses, and how its file ends."""


@frozen
class RecordingTable:
    """A table on its page; ``facts`` are not asked for while it ``plays``, and not there while ``problem`` says why.

    ``now`` is its last recording. One that runs is shown also while the table plays: it holds the feeder's port, so it must be ended.
    """

    name: str
    plays: bool = False
    facts: Readiness | None = None
    now: RecordingNow | None = None
    mat: ReadyStep | None = None
    """Whether the camera above the table sees the mat, and what is to be done."""
    problem: str = ""


def add_recording(app: Flask, office: ReadyOffice) -> None:
    """Add ``/ready/TABLE/record`` and a page for each recorded hand."""

    @app.get("/ready/<table>/record")
    def record_only(table: str) -> str:
        return _recording_page(office, table)

    @app.post("/ready/<table>/record")
    def change_recording(table: str) -> ResponseReturnValue:
        if request.form.get("do") == "begin" and office.may_show_hands(table):
            return _recording_page(office, table), 409
        try:
            _order_recording(office.readiness, table)
        except LocalServerError as refused:
            return _recording_page(office, table, str(refused)), 409
        return see_other("record_only", table=table)

    @app.get("/ready/<table>/recorded/<name>")
    def recorded_hand(table: str, name: str) -> str:
        return _hand_page(office, table, name, reader_words())

    @app.post("/ready/<table>/recorded/<name>")
    def answer_recorded(table: str, name: str) -> ResponseReturnValue:
        answer = wanted_answer(viewer().name)
        try:
            office.readiness.answer_recorded(table, name, answer)
        except LocalServerError as refused:
            return _hand_page(office, table, name, reader_words(), str(refused)), 409
        anchor = anchor_of(answer.number, answer.about)
        return see_other("recorded_hand", table=table, name=name, _anchor=anchor)

    @app.get("/ready/<table>/recorded/<name>/<any(record, observations):kind>")
    def recorded_file(table: str, name: str, kind: str) -> Response:
        return _file(office, table, name, kind)


def wanted_answer(by: str) -> WantedAnswer:
    """What the form of a question says."""
    form = request.form
    said = form.get("tile", "") or form.get("right", "")
    place = form.get("x_mm", None, float), form.get("y_mm", None, float), form.get("before_ms", None, int)
    return WantedAnswer(form.get("number", 0, int), form.get("about", ""), said, by, form.get("seen", 0, int), place)


def _hand_page(office: ReadyOffice, table: str, name: str, words: Words, refused: str = "") -> str:
    """A recorded hand, move by move, with its questions; 404 where there is none."""
    try:
        found = office.readiness.recorded(table, name)
        record = HandRecord.from_json(bytes(found.record))
    except (LocalServerError, DocumentError):
        abort(404)
    moves = list(recorded_moves(found, record, words))
    return render_template(
        "hall/recorded_hand.html",
        table=table,
        name=name,
        found=found,
        record=record,
        moves=moves,
        questions=tuple(recorded_questions(found, record, moves, words)),
        mat=drawn_mat(record.hand),
        large=LARGE,
        refused=refused,
    )


def _file(office: ReadyOffice, table: str, name: str, kind: str) -> Response:
    """A recorded hand's record or observations, to be kept; 404 where there are none."""
    try:
        content = office.readiness.recorded_file(table, name, _FILES[kind])
        content = bytes(office.readiness.recorded(table, name).record) if kind == "record" else content
    except LocalServerError:
        abort(404)
    return download(content, f"table-{table}-{name}.{_FILES[kind]}")


def _recording_page(office: ReadyOffice, table: str, refused: str = "") -> str:
    shown, hands = _looked_at(office, table), range(1, HANDS + 1)
    return render_template("hall/record_only.html", table=shown, refused=refused, rule_sets=rule_set_names(), hands=hands)


def _looked_at(office: ReadyOffice, table: str) -> RecordingTable:
    plays = office.may_show_hands(table)
    try:
        facts = None if plays else office.readiness.facts(table)
        now = office.readiness.recording(table) if facts is None else facts.recording
    except LocalServerError as error:
        return RecordingTable(table, plays=plays, problem="" if plays else str(error))
    running = now if now is not None and now.is_running else None
    try:
        phones = None if plays else office.phones_of(table)
    except LocalServerError as error:
        if running is None:
            return RecordingTable(table, problem=str(error))
        phones = None  # a recording is ended also without the phones' server
    seen = CameraCheck(running.last_frame, running.detail) if running else facts.mat if facts else None
    return RecordingTable(table, plays=plays, facts=facts, now=now, mat=mat_step(phones, seen))


def _order_recording(readiness: TableReadiness, table: str) -> None:
    """Do what the form says; raises LocalServerError."""
    match request.form.get("do"):
        case "begin":
            readiness.record(table, request.form.get("rules", ""), request.form.get("hand", 0, int), request.form.get("set", ""))
        case "end" | "keep" | "stop" as end:
            readiness.end_hand(table, request.form.get("name", ""), HandEnd(end))
        case _:
            abort(400)
