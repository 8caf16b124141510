"""The event as a file: one that is taken away with or without names and read into an event that has no entrants yet."""

import base64

from flask import Flask, Response, abort, request
from flask.typing import ResponseReturnValue

from dashboard.access.director_desk import DirectorDesk
from dashboard.actions.change_sentences import change_sentence
from dashboard.actions.event_changes import Answer, answered, import_file, is_empty, refusal_answer
from dashboard.pages.setup.setup_frame import SetupPages, sent_file
from dashboard.web_app import download, see_other
from twinwall.event.management.event_file import EventFile, file_problems, read_event_file, write_event_file
from twinwall.event.player_names import PlayerNames
from twinwall.game.documents import DocumentError


def add_event_file(app: Flask, setup: SetupPages) -> None:
    """Add ``/event/file`` and ``/event/file.json``."""

    def page(desk: DirectorDesk, answer: Answer | None = None, preview: EventFile | None = None, content: str = "") -> str:
        names = PlayerNames({} if preview is None else preview.names)
        changes = [] if preview is None else [change_sentence(setup.words(), change, names) for change in preview.changes]
        return setup.page("setup/event_file.html", desk, answer, changes=changes, content=content, empty=is_empty(desk.event))

    @app.get("/event/file")
    def event_file() -> str:
        return page(setup.desk())

    @app.get("/event/file.json")
    def event_file_content() -> Response:
        desk = setup.desk()
        if desk.event.description is None:
            abort(404)
        content = write_event_file(desk.event, desk.names.by_number if request.args.get("names") == "1" else {})
        return download(content, "event.json")

    @app.post("/event/file")
    def read_file() -> ResponseReturnValue:
        desk, seen = setup.form()
        sent = request.files.get("file")
        content = sent_file(request.form.get("content", "")) if sent is None else sent.read()
        try:
            file = read_event_file(content)
        except DocumentError as unread:
            return page(desk, Answer("file.unread", {"problem": str(unread)})), 409
        refused = next(file_problems(desk.event, file), None)
        if refused is not None or not is_empty(desk.event):
            answer = Answer("file.not-empty") if refused is None else refusal_answer(refused, desk.names, seen)
            return page(desk, answer), 409
        if request.form.get("do") != "import":
            return page(desk, None, file, base64.b64encode(content).decode()), 200
        problem = answered(desk, seen, lambda: import_file(desk, file, seen))
        if problem is not None:
            return page(desk, problem), 409
        return see_other("event_seating" if desk.event.seatings else "event_entrants")
