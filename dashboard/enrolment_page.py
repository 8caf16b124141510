"""The page that asks a person which tile a doubtful enrolment picture shows, one picture at a time. ``twinwall tiles enrol`` serves it on
the table's own machine, at a secret address. It uses no event and no store. Pictures and answers are in memory and end with the command."""

import threading
from collections.abc import Callable, Sequence

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


def create_enrolment(questions: Sequence[TileQuestion], answered: Callable[[Tile | None], None], secret: str) -> Flask:
    """The application; ``answered`` takes each answer in order (None leaves a tile out). ``secret`` begins every address except those of
    style sheets and faces."""
    app = web_app(LOOPBACK_NAMES, MAX_CONTENT_LENGTH=4 * 1024)
    unanswered = list(enumerate(questions))
    lock = threading.Lock()

    @app.get(f"/{secret}/")
    def question() -> str:
        number, shown = next(iter(unanswered), (None, None))
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
        tile = named_tile()
        with lock:
            if unanswered and unanswered[0][0] == number:  # a press that came twice changes nothing: the page shows what is open
                del unanswered[0]
                answered(tile)
        return see_other("question", lang=_words().language)

    return app


def named_tile() -> Tile | None:
    """The kind in the form of a doubtful picture; None to leave the tile out."""
    chosen = request.form.get("tile", "")
    try:
        return None if chosen == LEFT_OUT else parse_tile(chosen)
    except NotationError:
        abort(400)


def _words() -> Words:
    return Words(known_language(request.args.get("lang")) or accepted_language(request.headers.get("Accept-Language", "")))
