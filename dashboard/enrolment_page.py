"""The page that asks a person which tile a doubtful enrolment picture shows, one picture at a time.

``twinwall tiles enrol`` serves it on the table's own machine, at a secret address. It uses no event and no store. Pictures and answers are
in memory and end with the command.
"""

import threading
from collections.abc import Sequence

from flask import Flask, Response, abort, render_template, request
from werkzeug.wrappers import Response as AnyResponse

from dashboard.i18n.words import NATIVE_NAMES, Words, accepted_language, known_language
from dashboard.web_app import LOOPBACK_NAMES, see_other, web_app
from twinwall.game.tiles import ALL_TILES, NotationError, Tile, TileRow, parse_tile
from twinwall.values import frozen

LEFT_OUT = "-"


@frozen
class TileQuestion:
    """A picture (a PNG file's bytes) of one tile, and its likeliest kinds, best first."""

    name: str
    picture: bytes
    candidates: TileRow


class TileQuestions:
    """The questions of an enrolment and the answers so far; any thread may call."""

    def __init__(self, questions: Sequence[TileQuestion]) -> None:
        """Without questions everything is answered."""
        self._questions = tuple(questions)
        self._answers: list[Tile | None] = []
        self._lock = threading.Lock()
        self._all_answered = threading.Event()
        self._settle()

    def __len__(self) -> int:
        return len(self._questions)

    def __getitem__(self, number: int) -> TileQuestion:
        return self._questions[number]

    @property
    def open(self) -> int | None:
        """The index of the first unanswered question, or None."""
        with self._lock:
            return len(self._answers) if len(self._answers) < len(self._questions) else None

    def answer(self, number: int, tile: Tile | None) -> bool:
        """Store an answer (None leaves the tile out); False if the question is not the open one."""
        with self._lock:
            if number != len(self._answers) or number >= len(self._questions):
                return False
            self._answers.append(tile)
        self._settle()
        return True

    def wait(self, timeout_s: float | None = None) -> list[Tile | None]:
        """The answers once all are given; after the timeout missing ones count as left out."""
        self._all_answered.wait(timeout_s)
        with self._lock:
            return [*self._answers, *[None] * (len(self._questions) - len(self._answers))]

    def _settle(self) -> None:
        if self.open is None:
            self._all_answered.set()


def create_enrolment(questions: TileQuestions, secret: str) -> Flask:
    """The application; ``secret`` begins every address except those of style sheets and faces."""
    app = web_app(LOOPBACK_NAMES, MAX_CONTENT_LENGTH=4 * 1024)

    @app.get(f"/{secret}/")
    def question() -> str:
        number = questions.open
        shown = None if number is None else questions[number]
        return render_template(
            "enrolment.html", words=_words(), languages=NATIVE_NAMES, number=number, count=len(questions), shown=shown, kinds=ALL_TILES
        )

    @app.get(f"/{secret}/picture/<int:number>.png")
    def picture(number: int) -> Response:
        if number >= len(questions):
            abort(404)
        return Response(questions[number].picture, mimetype="image/png")

    @app.post(f"/{secret}/<int:number>")
    def answer(number: int) -> AnyResponse:
        questions.answer(number, named_tile())  # a press that came twice changes nothing: the page shows what is open
        return see_other("question", lang=_words().language)

    return app


def named_tile() -> Tile | None:
    """The kind in the form of a doubtful picture; None to leave the tile out."""
    said = request.form.get("tile", "")
    try:
        return None if said == LEFT_OUT else parse_tile(said)
    except NotationError:
        abort(400)


def _words() -> Words:
    """The words in the requested language, or the browser's."""
    return Words(known_language(request.args.get("lang")) or accepted_language(request.headers.get("Accept-Language", "")))
