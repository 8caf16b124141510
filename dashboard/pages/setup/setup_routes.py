"""The pages on which a director sets an event up: description, entrants, seating, the event as one file, and its store. The file can be
downloaded with or without names, and read into an event without entrants. Of the store a backup can be downloaded, and a director decides
about one that was put back to an earlier state."""

import base64
import tempfile
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from flask import Flask, Response, abort, request, send_file
from flask.typing import ResponseReturnValue
from werkzeug.wrappers import Response as AnyResponse

from dashboard.access.director_desk import DirectorDesk
from dashboard.access.login import missing, reader_words, viewer
from dashboard.actions.event_changes import Answer, carry_out, change_sentence, is_empty, refusal_answer
from dashboard.i18n.words import Words
from dashboard.pages.setup.description_form import CHOICES, NEW_EVENT, NUMBERS, FieldProblems, all_options, read_description, shown_values
from dashboard.pages.setup.entrant_routes import add_entrant_pages, add_entrants
from dashboard.pages.setup.seating_routes import add_seating
from dashboard.pages.setup.setup_frame import SetupPages, over_sentence, plan_sentence, sent_file
from dashboard.web_app import download, see_other
from twinwall.event.management.change_checks import fixed_fields, refusal
from twinwall.event.management.changes import EventDescribed, read_change
from twinwall.event.management.managed_event import EventFile, ManagedEvent, read_event_file, write_event_file
from twinwall.event.management.seating_proposal import event_plan
from twinwall.event.player_names import PlayerNames
from twinwall.event.store.store_records import Record
from twinwall.game.documents import DocumentError, read_time


def add_store_pages(app: Flask, setup: SetupPages) -> None:
    """Add ``/event/store``, ``/event/backup`` and ``/event/restored``."""

    def page(desk: DirectorDesk, answer: Answer | None = None) -> str:
        words, names = reader_words(), desk.names
        lost = [(read_time(each.text("at")), each.text("staff"), _sentence(words, each, names)) for each in desk.lost]
        return setup.page("setup/store.html", answer, missing=lost)

    @app.get("/event/store")
    def event_store() -> str:
        return page(setup.desk())

    @app.post("/event/backup")
    def take_backup() -> ResponseReturnValue:
        desk = setup.desk()
        if not setup.policy.look_everywhere(viewer()):
            return page(desk, Answer("store.backup.playing")), 409
        name = f"event-{desk.now():%Y%m%dT%H%M%SZ}.sqlite"
        with tempfile.TemporaryDirectory(prefix="twinwall-backup-") as folder:
            copy = Path(folder) / "event.sqlite"
            desk.back_up(copy)
            file = copy.open("rb")  # gone from the folder before it is sent, and from the disk after
        answer = send_file(file, mimetype="application/vnd.sqlite3", as_attachment=True, download_name=name)
        answer.headers["Cache-Control"] = "no-store"  # instead of what Flask says of files
        return answer

    @app.post("/event/restored")
    def give_up_lost() -> AnyResponse:
        desk = setup.desk()
        desk.give_up_lost()
        return see_other("event_store")


def _sentence(words: Words, record: Record, names: PlayerNames) -> str:
    if record.kind == "management":
        try:
            return change_sentence(words, read_change(record.fields.get("change")), names)
        except DocumentError:
            return words("store.lost.unread", seq=record.seq)
    return words(f"store.lost.{record.kind}", table=record.text("table"), account=record.text("account"), n=record.number("n"))


def add_event_file(app: Flask, setup: SetupPages) -> None:

    def page(desk: DirectorDesk, answer: Answer | None = None, preview: EventFile | None = None, content: str = "") -> str:
        names = PlayerNames({} if preview is None else preview.names)
        changes = [] if preview is None else [change_sentence(reader_words(), change, names) for change in preview.changes]
        return setup.page("setup/event_file.html", answer, changes=changes, content=content, empty=is_empty(desk.event))

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
        refused = refusal(desk.event, *file.changes)
        if refused is not None or not is_empty(desk.event):
            return page(desk, Answer("file.not-empty") if refused is None else refusal_answer(refused, desk.names, seen)), 409
        if request.form.get("do") != "import":
            return page(desk, None, file, base64.b64encode(content).decode()), 200
        problem = carry_out(desk, seen, *file.changes, names=file.names)
        if problem is not None:
            return page(desk, problem), 409
        return see_other("event_seating" if desk.event.seatings else "event_entrants")


def add_setup(app: Flask, setup: SetupPages) -> None:
    """Add ``/event`` and the pages of its steps, for directors only."""

    @app.errorhandler(413)
    def too_long(_problem: Exception) -> tuple[str, int]:
        return missing("error.413", 413)

    @app.get("/event")
    def event_setup() -> str:
        desk = setup.desk()
        event = desk.event
        plan = None if event.description is None else event_plan(event.description, len(event.taking_part(event.next_session)))
        summary = ("", "") if plan is None else (plan_sentence(reader_words(), plan), over_sentence(reader_words(), plan))
        return setup.page("setup/overview.html", summary=summary)

    add_description(app, setup)
    add_entrants(app, setup)
    add_entrant_pages(app, setup)
    add_seating(app, setup)
    add_event_file(app, setup)
    add_store_pages(app, setup)


EXAMPLE_ENTRANTS = 16
"""Number of entrants in the summary while there are none."""


def add_description(app: Flask, setup: SetupPages) -> None:

    @app.get("/event/description")
    def event_description() -> str:
        desk = setup.desk()
        described = desk.event.description or NEW_EVENT
        return _page(setup, desk, shown_values(described), described)

    @app.post("/event/description")
    def describe_event() -> ResponseReturnValue:
        desk, seen = setup.form()
        form = _fixed_values(desk.event) | request.form.to_dict()
        described = read_description(form)
        if not isinstance(described, EventDescribed):
            return _page(setup, desk, form, desk.event.description or NEW_EVENT, Answer("describe.problem"), wrong=described), 409
        if form.get("do") == "look":
            return _page(setup, desk, form, described), 200
        problem = carry_out(desk, seen, described)
        if problem is not None:
            return _page(setup, desk, form, described, problem), 409
        return see_other("event_entrants")


def _fixed_values(event: ManagedEvent) -> dict[str, str]:
    fixed = fixed_fields(event)
    shown = {} if event.description is None else shown_values(event.description)
    return {name: value for name, value in shown.items() if name in fixed or ("." in name and "options" in fixed)}


def _page(
    setup: SetupPages,
    desk: DirectorDesk,
    fields: Mapping[str, str],
    described: EventDescribed,
    answer: Answer | None = None,
    *,
    wrong: FieldProblems | None = None,
) -> str:
    event = desk.event
    entered = len(event.teams if described.kind == "team" else event.players)
    plan, words = event_plan(described, entered or EXAMPLE_ENTRANTS), reader_words()
    problems = {name: words(f"describe.problem.{key}", **values) for name, (key, values) in (wrong or {}).items()}
    return setup.page(
        "setup/description.html",
        answer,
        fields=defaultdict(str, fields),  # a browser sends nothing for a box that is not ticked
        fixed=fixed_fields(event),
        choices=CHOICES,
        numbers=NUMBERS,
        options=all_options(),
        problems=defaultdict(str, problems),
        summary=(plan_sentence(words, plan), over_sentence(words, plan)),
        example=0 if entered else EXAMPLE_ENTRANTS,
    )
