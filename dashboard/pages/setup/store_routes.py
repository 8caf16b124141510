"""The store of an event: a backup to take away, and the decision about a store that was put back to an earlier state."""

import tempfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from flask import Flask, Response, send_file
from flask.typing import ResponseReturnValue
from werkzeug.wrappers import Response as AnyResponse

from dashboard.access.director_desk import DirectorDesk
from dashboard.access.login import viewer
from dashboard.actions.change_sentences import change_sentence
from dashboard.actions.event_changes import Answer
from dashboard.i18n.words import Words
from dashboard.pages.setup.setup_frame import SetupPages
from dashboard.web_app import see_other
from twinwall.event.management.changes import read_change
from twinwall.event.player_names import PlayerNames
from twinwall.event.store.store_records import Record
from twinwall.game.documents import DocumentError, read_time


def add_store_pages(app: Flask, setup: SetupPages) -> None:
    """Add ``/event/store``, ``/event/backup`` and ``/event/restored``."""

    def page(desk: DirectorDesk, answer: Answer | None = None) -> str:
        return setup.page("setup/store.html", desk, answer, missing=list(_told(desk, setup.words())))

    @app.get("/event/store")
    def event_store() -> str:
        return page(setup.desk())

    @app.post("/event/backup")
    def take_backup() -> ResponseReturnValue:
        desk = setup.desk()
        if not setup.policy.look_everywhere(viewer()):
            return page(desk, Answer("store.backup.playing")), 409
        return _backup(desk, desk.now())

    @app.post("/event/restored")
    def give_up_lost() -> AnyResponse:
        desk = setup.desk()
        desk.give_up_lost()
        return see_other("event_store")


def _backup(desk: DirectorDesk, at: datetime) -> Response:
    """The store as it stands now; its file is gone from the folder before it is sent, and from the disk after."""
    with tempfile.TemporaryDirectory(prefix="twinwall-backup-") as folder:
        copy = Path(folder) / "event.sqlite"
        desk.back_up(copy)
        file = copy.open("rb")
    name = f"event-{at:%Y%m%dT%H%M%SZ}.sqlite"
    answer = send_file(file, mimetype="application/vnd.sqlite3", as_attachment=True, download_name=name)
    answer.headers["Cache-Control"] = "no-store"  # instead of what Flask says of files
    return answer


def _told(desk: DirectorDesk, words: Words) -> Iterator[tuple[datetime, str, str]]:
    """When, who and what of each thing that the staff did and the store lacks."""
    for record in desk.lost:
        yield read_time(record.text("at")), record.text("staff"), _sentence(words, record, desk.names)


def _sentence(words: Words, record: Record, names: PlayerNames) -> str:
    if record.kind == "management":
        try:
            return change_sentence(words, read_change(record.fields.get("change")), names)
        except DocumentError:
            return words("store.lost.unread", seq=record.seq)
    return words(f"store.lost.{record.kind}", table=record.text("table"), account=record.text("account"), n=record.number("n"))
