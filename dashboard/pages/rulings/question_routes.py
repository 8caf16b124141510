"""The page on which a referee says which tile it is that a table cannot read, and the route that takes the answer to the table.

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
from dashboard.projections.table_view import HandView
from twinwall.art.mat import Area, Slot
from twinwall.game.answers import NO_MELD, against_rules
from twinwall.game.rule_set import Illegal
from twinwall.game.session import seat_at
from twinwall.game.tiles import parse_tile
from twinwall.wire.messages.commands import AnswerTile
from twinwall.wire.messages.tile_question import AskedTile

SENT, OVER, CHOOSE, BARRED, NO_KONG, OFFLINE = "sent", "over", "choose", "barred", "no-kong", "offline"
HOW = (SENT, OVER, CHOOSE, BARRED, NO_KONG, NO_MELD, OFFLINE)


class NotAnsweredError(Exception):
    """An answer that was not sent; ``word`` says why."""

    def __init__(self, word: str) -> None:
        super().__init__(word)
        self.word = word


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
        n, number = (_number(request.form.get(key, "")) for key in ("n", "number"))
        try:
            where, tile = (request.form.get(key, "") for key in ("where", "tile"))
            give_answer(opened, AnswerTile(n, number, where, tile, viewer().name), send)
            how = SENT
        except NotAnsweredError as problem:
            how = problem.word
        return redirect(url_for("question", name=name, answered=how), 303)


def give_answer(opened: TableScope, answer: AnswerTile, send: Send) -> None:
    """Send what a referee says of the tile that the table he has opened asks about.

    Raises:
        NotAnsweredError: where nothing was sent.
    """
    asked = opened.question
    if asked is None or (answer.n, answer.number, answer.where) != (asked.n, asked.number, asked.where):
        raise NotAnsweredError(OVER)
    if answer.tile not in {kind.text for kind in asked.tiles}:
        raise NotAnsweredError(CHOOSE)
    against = _against_rules(asked, opened.play().view.hand, answer.tile)
    if against is not None:
        raise NotAnsweredError(BARRED if asked.area == "river" else NO_MELD if against.reason == NO_MELD else NO_KONG)
    if not opened.connected or not send(opened.channel.table, answer):
        raise NotAnsweredError(OFFLINE)


def _against_rules(asked: AskedTile, hand: HandView | None, tile: str) -> Illegal | None:
    """Why the rules forbid what is answered: the table would refuse it too. Where the page could not follow the hand, the table
    alone decides."""
    if hand is None or hand.play is None or hand.rules is None:
        return None
    slot, seat = Slot(asked.place, Area(asked.area), asked.slot), seat_at(asked.place, hand.number)
    in_river = slot.area is Area.RIVER
    return against_rules(hand.rules, hand.play, parse_tile(tile), seat=seat, in_river=in_river, fourth_of=slot.fourth_of)


def _number(text: str) -> int:
    """A number of the form; -1, which no question has, for anything else."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else -1
