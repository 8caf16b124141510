"""The pages of an evening recorded by ``twinwall record``: the questions of each hand with pictures, and its replay. ``twinwall record
answer`` serves them on the players' own computer, at a secret address. They use no event and no store."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from flask import Flask, abort, redirect, render_template, url_for
from flask.typing import ResponseReturnValue
from werkzeug.wrappers import Response as AnyResponse

from dashboard.access.login import choose_language, form_token, reader_words, require_token
from dashboard.i18n.words import NATIVE_NAMES, Values
from dashboard.pages.hall.recording_routes import anchor_of, drawn_mat, recorded_moves, recorded_questions, wanted_answer
from dashboard.pages.replay.replay_page import SCRIPTS, replay_values
from dashboard.readiness.local_servers import RECORDED, RecordedDocument, UnsettledEvent
from dashboard.web_app import LOOPBACK_NAMES, web_app
from twinwall.event.replay.steps import seen_document
from twinwall.game.record import HandRecord
from twinwall.wire.shapes.readiness import StoredHand, WantedAnswer


class RecordedEvening(Protocol):
    """The hands in a ``folder``, by name; ``out`` is the file of their records, and ``by`` the person who answers."""

    folder: Path
    out: Path
    by: str

    def hands(self) -> Sequence[StoredHand]:
        """The hands in the order of play; at least one."""

    def document(self, name: str) -> bytes | None:
        """The decoder's result for a hand; None for an unknown name."""

    def pictures(self, name: str, question: UnsettledEvent) -> Sequence[str]:
        """The names of a question's pictures, from before and after; empty if there are none."""

    def answer(self, name: str, wanted: WantedAnswer) -> str:
        """Apply an answer about a hand; return why it is refused, or an empty text."""


def number_of(hand: str) -> str:
    return hand.rpartition("-")[2]


def create_evening(evening: RecordedEvening, secret: str) -> Flask:
    """The application; ``secret`` begins every address except those of style sheets and faces, and signs the cookie."""
    app = web_app(
        LOOPBACK_NAMES,
        SECRET_KEY=secret,
        SESSION_COOKIE_NAME="twinwall-evening",
        SESSION_COOKIE_PATH=f"/{secret}/",
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Strict",
        MAX_CONTENT_LENGTH=4 * 1024,
    )

    app.jinja_env.globals |= {"languages": NATIVE_NAMES, "evening": evening, "number_of": number_of, "form_token": form_token}

    app.before_request(choose_language)

    @app.context_processor
    def shared() -> Values:
        return {"words": reader_words(), "hands": evening.hands()}

    @app.get(f"/{secret}/")
    def first() -> AnyResponse:
        hands = evening.hands()
        if not hands:
            abort(404, f"{evening.folder} holds no hand any more")
        asked = next((each.name for each in hands if each.doubts), None)
        return redirect(url_for("questions", hand=asked) if asked else url_for("replay", hand=hands[0].name), 303)

    @app.get(f"/{secret}/<hand>")
    def questions(hand: str) -> str:
        return _questions(evening, hand)

    @app.post(f"/{secret}/<hand>")
    def answer(hand: str) -> ResponseReturnValue:
        require_token()
        _found(evening, hand)
        refused = evening.answer(hand, wanted_answer(evening.by))
        if refused:
            return _questions(evening, hand, refused), 409
        left = _found(evening, hand)[0].questions
        here = url_for("replay", hand=hand) if not left else url_for("questions", hand=hand, _anchor=anchor_of(left[0].seq, left[0].about))
        return redirect(here, 303)

    @app.get(f"/{secret}/<hand>/replay")
    def replay(hand: str) -> str:
        _, record = _found(evening, hand)
        values = replay_values(seen_document(record), reader_words()) | {"hand": hand}
        return render_template("recorded/replay.html", rules=record.rules, scripts=SCRIPTS, **values)

    @app.get(f"/{secret}/picture/<name>")
    def picture(name: str) -> ResponseReturnValue:
        found = next((each for each in evening.folder.glob("question-*.jpg") if each.name == name), None)
        return abort(404) if found is None else (found.read_bytes(), {"Content-Type": "image/jpeg"})

    return app


def _found(evening: RecordedEvening, hand: str) -> tuple[RecordedDocument, HandRecord]:
    """A hand as it is now; 404 for an unknown name."""
    document = evening.document(hand)
    if document is None:
        abort(404)
    found = RECORDED.decode(document)
    return found, HandRecord.from_json(bytes(found.record))


def _questions(evening: RecordedEvening, hand: str, refused: str = "") -> str:
    found, record = _found(evening, hand)

    def pictures(question: UnsettledEvent) -> list[tuple[str, str]]:
        addresses = (url_for("picture", name=name) for name in evening.pictures(hand, question))
        return list(zip(("before", "after"), addresses, strict=False))

    moves = list(recorded_moves(found, record, reader_words()))
    asked = list(recorded_questions(found, record, moves, reader_words(), pictures))
    return render_template(
        "recorded/questions.html", hand=hand, found=found, record=record, questions=asked, mat=drawn_mat(record.hand), refused=refused
    )
