"""The readiness of some tables over HTTP, only for programs of this machine. ``GET /`` names the tables; ``ASKED`` are the addresses below
each. A question's picture shows a tile of a set being enrolled, never one of a wall. While the table plays, no picture of the mat is taken,
no tile on it read and no hand recorded."""

from collections.abc import Callable, Mapping
from functools import partial

from flask import Flask, Response
from werkzeug.exceptions import BadRequest, Conflict

from controller.recorder.hand_answers import AnswerRefusedError
from tableside.readiness.camera_checks import MatUnseenError
from tableside.readiness.checked_table import CheckedTable, TableBusyError
from tableside.readiness.set_enrolment import SetEnrolment
from twinwall.game.documents import DocumentError
from twinwall.game.rules import RuleSetError
from twinwall.game.tiles import NotationError, parse_tile
from twinwall.web.http_server import json_answer, json_app, json_body, refuse_other_hosts
from twinwall.wire.shapes.readiness import EndedHand, NamedPicture, WantedAnswer, WantedEnrolment, WantedRecording
from vision.cameras.port import CameraLostError

_MOST_BYTES = 4096


def readiness_app(tables: Mapping[str, CheckedTable]) -> Flask:
    app = json_app("readiness", _MOST_BYTES)
    refuse_other_hosts(app, "this address is for programs of this machine alone")
    for refused in (TableBusyError, CameraLostError, MatUnseenError, DocumentError, AnswerRefusedError):
        app.register_error_handler(refused, lambda error: ({"error": str(error)}, 409))
    for wrong in (RuleSetError, NotationError):
        app.register_error_handler(wrong, lambda error: ({"error": str(error)}, 400))

    @app.get("/")
    def names() -> Response:
        return json_answer(list(tables))

    for (method, path), asked in ASKED.items():
        app.add_url_rule(f"/<table>{path}", f"{method} {path}", partial(_answered, tables, asked), methods=[method])
    return app


def _answered(tables: Mapping[str, CheckedTable], asked: Callable[..., object], table: str, **parts: object) -> Response:
    if table not in tables:
        raise BadRequest(f"there is no table {table!r} here; there are {', '.join(tables)}")
    answer = asked(tables[table], **parts)
    return answer if isinstance(answer, Response) else json_answer({} if answer is None else answer)


def _enrolment(table: CheckedTable) -> SetEnrolment:
    if table.enrolment is None:
        raise Conflict("no enrolment is under way at this table")
    return table.enrolment


def _enrol(table: CheckedTable) -> None:
    which = json_body(WantedEnrolment).set
    try:
        table.enrol(which)
    except KeyError:
        raise BadRequest(f"there is no set {which!r}: it is first or second") from None


def _answer(table: CheckedTable) -> None:
    """The kind that a doubtful picture shows."""
    said = json_body(NamedPicture)
    tile = parse_tile(said.tile) if said.tile else None
    _enrolment(table).answer(said.number, tile)  # one that came twice changes nothing


def _record(table: CheckedTable) -> None:
    """Record a hand without a deal."""
    wanted = json_body(WantedRecording)
    try:
        table.record(wanted)
    except KeyError:
        raise BadRequest(f"there is no set {wanted.set!r}: it is first or second") from None
    except OSError as problem:
        raise Conflict(f"the hand cannot be kept: {problem.strerror}") from None


def _end_hand(table: CheckedTable) -> None:
    ended = json_body(EndedHand)
    table.end_hand(ended.name, ended.end)


def _recorded(table: CheckedTable, name: str, suffix: str) -> Response:
    """A file of a recorded hand: its document (``json``) or its observations (``jsonl``)."""
    return _file(table.recorded(name, f".{suffix}"), "application/json", f"there is no recorded hand {name}.{suffix}")


def _answer_recorded(table: CheckedTable, name: str) -> None:
    try:
        table.answer(name, json_body(WantedAnswer))
    except OSError as problem:
        raise Conflict(f"the answer cannot be kept: {problem.strerror}") from None


def _file(content: bytes | None, mimetype: str, missing: str) -> Response:
    if content is None:
        raise BadRequest(missing)
    return Response(content, mimetype=mimetype, headers={"Cache-Control": "no-store"})


ASKED: Mapping[tuple[str, str], Callable[..., object]] = {
    ("GET", ""): CheckedTable.now,
    ("POST", "/enrolment"): _enrol,
    ("POST", "/all-shown"): lambda table: _enrolment(table).all_shown(),
    ("GET", "/question/<int:number>.png"): lambda table, number: _file(
        _enrolment(table).picture(number), "image/png", f"there is no question {number}"
    ),
    ("POST", "/answer"): _answer,
    ("POST", "/trial"): CheckedTable.try_draws,
    ("POST", "/mat"): CheckedTable.look_at_mat,
    ("GET", "/mat/<int:number>.jpg"): lambda table, number: _file(
        table.mat_picture(number), "image/jpeg", f"the last picture of the mat does not have the number {number}"
    ),
    ("POST", "/tiles"): CheckedTable.read_rivers,
    ("POST", "/stop"): CheckedTable.stop,
    ("POST", "/recording"): _record,
    ("GET", "/recording"): lambda table: json_answer(table.recording()),
    ("POST", "/recording/end"): _end_hand,
    ("GET", "/recorded/<name>.<suffix>"): _recorded,
    ("POST", "/recorded/<name>/answer"): _answer_recorded,
}
"""The requests about a table, by method and path below it."""
