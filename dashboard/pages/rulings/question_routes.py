"""The page on which a referee says which tile a discard is, and the route that takes the answer to the table.

The answer stands when the table has written it into its ledger; it arrives with the table's other events.
"""

from __future__ import annotations

from base64 import b64encode

from flask import Flask, abort, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from dashboard.access.login import require_token, viewer
from dashboard.access.viewer_scope import TableScope
from dashboard.pages.page_routes import Pages, show_live
from dashboard.pages.rulings.ruling_routes import Send
from twinwall.wire.messages.commands import AnswerTile

SENT, OVER, CHOOSE, OFFLINE = "sent", "over", "choose", "offline"
HOW = (SENT, OVER, CHOOSE, OFFLINE)


def add_questions(app: Flask, pages: Pages, send: Send) -> None:
    """Add ``/table/<name>/which-tile``."""
    app.jinja_env.filters["base64"] = lambda content: b64encode(content).decode()

    @app.get("/table/<path:name>/which-tile")
    def question(name: str) -> str:
        page = pages.question(name)
        if page is None:
            abort(404)
        asked = request.args.get("answered", "")
        stream = url_for("events", table=name, page="which-tile")
        return show_live("rulings/which_tile.html", page, stream, name=name, answered=asked if asked in HOW else "")

    @app.post("/table/<path:name>/which-tile")
    def answer_question(name: str) -> AnyResponse:
        require_token()
        opened = pages.policy.open_table(viewer(), name)
        if opened is None:
            abort(404)
        return redirect(url_for("question", name=name, answered=_answered(opened, send)), 303)


def _answered(opened: TableScope, send: Send) -> str:
    """Send what the form says; how it went, as a word of ``HOW``."""
    asked, form = opened.question, request.form
    if asked is None or (form.get("n"), form.get("number")) != (str(asked.n), str(asked.number)):
        return OVER
    tile = next((tile for tile in asked.tiles if tile.text == form.get("tile")), None)
    if tile is None:
        return CHOOSE
    answer = AnswerTile(asked.n, asked.number, tile.text, viewer().name)
    return SENT if opened.connected and send(opened.channel.table, answer) else OFFLINE
