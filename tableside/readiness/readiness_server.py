"""The readiness of some tables over HTTP, for programs of this machine alone.

``GET /`` names the tables · ``GET /TABLE`` · ``POST /TABLE/enrolment`` · ``POST /TABLE/all-shown`` · ``GET /TABLE/question/N.png`` · ``POST
/TABLE/answer`` · ``POST /TABLE/trial`` · ``POST /TABLE/stop`` · ``POST /TABLE/mat`` · ``GET /TABLE/mat/N.jpg`` · ``POST /TABLE/tiles`` ·
``GET /TABLE/recording`` · ``POST /TABLE/recording`` · ``POST /TABLE/recording/end`` · ``GET /TABLE/recorded/NAME.json`` and ``.jsonl`` ·
``POST /TABLE/recorded/NAME/answer``. A question's picture shows a tile of a set that is being enrolled, never one of a wall; while the
table plays no picture of the mat is taken, no tile on it read and no hand recorded.
"""

from collections.abc import Callable, Mapping

from flask import Flask, Response
from werkzeug.exceptions import BadRequest, Conflict

from controller.recorder.hand_answers import AnswerRefusedError
from tableside.readiness.checked_table import CheckedTable, TableBusyError
from tableside.readiness.river_tiles import MatUnseenError
from tableside.readiness.set_enrolment import SetEnrolment
from twinwall.game.rules import RuleSetError
from twinwall.game.tiles import NotationError, parse_tile
from twinwall.web.http_server import json_answer, json_app, json_body, keep_to_this_machine
from twinwall.wire.shapes.readiness import EndedHand, NamedPicture, WantedAnswer, WantedEnrolment, WantedRecording
from vision.cameras.port import CameraLostError
from vision.model.profile import ProfileError

_MOST_BYTES = 4096


def readiness_app(tables: Mapping[str, CheckedTable]) -> Flask:
    """The application."""
    app = json_app("readiness", _MOST_BYTES)
    keep_to_this_machine(app, "this address is for programs of this machine alone")
    for refused in (TableBusyError, CameraLostError, MatUnseenError, ProfileError, AnswerRefusedError):
        app.register_error_handler(refused, lambda error: ({"error": str(error)}, 409))
    for wrong in (RuleSetError, NotationError):
        app.register_error_handler(wrong, lambda error: ({"error": str(error)}, 400))

    def found(table: str) -> CheckedTable:
        if table not in tables:
            raise BadRequest(f"there is no table {table!r} here; there are {', '.join(tables)}")
        return tables[table]

    @app.get("/")
    def names() -> Response:
        return json_answer(list(tables))

    @app.get("/<table>")
    def now(table: str) -> Response:
        return json_answer(found(table).now())

    _add_enrolment(app, found)
    _add_trial_and_mat(app, found)
    _add_recording(app, found)
    return app


def _add_enrolment(app: Flask, found: Callable[[str], CheckedTable]) -> None:
    """Enrol a tile set: begin, say that all tiles were shown, and name the kinds of doubtful pictures."""

    @app.post("/<table>/enrolment")
    def enrol(table: str) -> Response:
        which = json_body(WantedEnrolment).set
        try:
            found(table).enrol(which)
        except KeyError:
            raise BadRequest(f"there is no set {which!r}: it is first or second") from None
        return json_answer({})

    @app.post("/<table>/all-shown")
    def all_shown(table: str) -> Response:
        _enrolment(found(table)).all_shown()
        return json_answer({})

    @app.get("/<table>/question/<int:number>.png")
    def question(table: str, number: int) -> Response:
        picture = _enrolment(found(table)).picture(number)
        if picture is None:
            raise BadRequest(f"there is no question {number}")
        return Response(picture, mimetype="image/png", headers={"Cache-Control": "no-store"})

    @app.post("/<table>/answer")
    def answer(table: str) -> Response:
        said = json_body(NamedPicture)
        tile = parse_tile(said.tile) if said.tile else None
        _enrolment(found(table)).answer(said.number, tile)  # one that came twice changes nothing
        return json_answer({})


def _add_trial_and_mat(app: Flask, found: Callable[[str], CheckedTable]) -> None:
    """Try four draws, look at the mat, read the tiles on it, and stop an enrolment or a trial."""

    @app.post("/<table>/trial")
    def try_draws(table: str) -> Response:
        found(table).try_draws()
        return json_answer({})

    @app.post("/<table>/mat")
    def look_at_mat(table: str) -> Response:
        return json_answer(found(table).look_at_mat())

    @app.post("/<table>/tiles")
    def read_rivers(table: str) -> Response:
        return json_answer(found(table).read_rivers())

    @app.get("/<table>/mat/<int:number>.jpg")
    def mat_picture(table: str, number: int) -> Response:
        picture = found(table).mat_picture(number)
        if picture is None:
            raise BadRequest(f"the last picture of the mat does not have the number {number}")
        return Response(picture, mimetype="image/jpeg", headers={"Cache-Control": "no-store"})

    @app.post("/<table>/stop")
    def stop(table: str) -> Response:
        found(table).stop()
        return json_answer({})


def _add_recording(app: Flask, found: Callable[[str], CheckedTable]) -> None:
    """Record a hand without a deal: begin, end, and give out what was recorded."""

    @app.post("/<table>/recording")
    def record(table: str) -> Response:
        wanted = json_body(WantedRecording)
        try:
            found(table).record(wanted)
        except KeyError:
            raise BadRequest(f"there is no set {wanted.set!r}: it is first or second") from None
        except OSError as problem:
            raise Conflict(f"the hand cannot be kept: {problem.strerror}") from None
        return json_answer({})

    @app.get("/<table>/recording")
    def recording(table: str) -> Response:
        return json_answer(found(table).recording())

    @app.post("/<table>/recording/end")
    def end_hand(table: str) -> Response:
        ended = json_body(EndedHand)
        found(table).end_hand(ended.name, ended.end)
        return json_answer({})

    @app.get("/<table>/recorded/<name>.<suffix>")
    def recorded(table: str, name: str, suffix: str) -> Response:
        content = found(table).recorded(name, f".{suffix}")
        if content is None:
            raise BadRequest(f"there is no recorded hand {name}.{suffix}")
        return Response(content, mimetype="application/json", headers={"Cache-Control": "no-store"})

    @app.post("/<table>/recorded/<name>/answer")
    def answer_recorded(table: str, name: str) -> Response:
        try:
            found(table).answer(name, json_body(WantedAnswer))
        except OSError as problem:
            raise Conflict(f"the answer cannot be kept: {problem.strerror}") from None
        return json_answer({})


def _enrolment(table: CheckedTable) -> SetEnrolment:
    if table.enrolment is None:
        raise Conflict("no enrolment is under way at this table")
    return table.enrolment
