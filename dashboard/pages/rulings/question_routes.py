"""The pages on which a referee says which tile it is that a table cannot read, with the route that takes the answer, and on which the
violations that await a ruling are shown. He rules at the table's own page.
"""

from base64 import b64encode
from functools import partial

from flask import Flask, abort, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from dashboard.access.login import require_token, viewer
from dashboard.actions.answers import BARRED, CHOOSE, NO_KONG, OFFLINE, OVER, SENT, give_answer
from dashboard.actions.rulings import Send
from dashboard.pages.page_routes import Pages, show_live
from twinwall.game.answers import NO_MELD
from twinwall.wire.messages.commands import AnswerTile
from twinwall.wire.names import plain_number

HOW = (SENT, OVER, CHOOSE, BARRED, NO_KONG, NO_MELD, OFFLINE)


def add_questions(app: Flask, pages: Pages, send: Send) -> None:
    """Add ``/table/<name>/which-tile`` and ``/table/<name>/violations``."""
    app.jinja_env.filters["base64"] = lambda content: b64encode(content).decode()
    for endpoint, shown in (("question", "which-tile"), ("violations", "violations")):
        app.add_url_rule(f"/table/<path:name>/{shown}", endpoint, partial(_show, pages, shown))

    @app.post("/table/<path:name>/which-tile")
    def answer_question(name: str) -> AnyResponse:
        require_token()
        opened = pages.policy.open_table(viewer(), name)
        if opened is None:
            abort(404)
        n, number = (plain_number(request.form.get(key), 8) for key in ("n", "number"))
        where, tile = (request.form.get(key, "") for key in ("where", "tile"))
        how = OVER if n is None or number is None else give_answer(opened, AnswerTile(n, number, where, tile, viewer().name), send)
        return redirect(url_for("question", name=name, answered=how), 303)


def _show(pages: Pages, shown: str, name: str) -> str:
    page = pages.of_play(shown, name)
    if page is None:
        abort(404)
    asked = request.args.get("answered", "")
    return show_live(page, url_for("events", table=name, page=shown), name=name, answered=asked if asked in HOW else "")
