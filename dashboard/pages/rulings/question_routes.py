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
from dashboard.pages.table.troubles import TILES_A_GROUP
from dashboard.projections.table_view import HandView
from twinwall.game.play_events import KongDeclared, Meld, MeldType, TileDiscarded
from twinwall.game.tiles import parse_tile
from twinwall.wire.messages.commands import AnswerTile

SENT, OVER, CHOOSE, BARRED, NO_KONG, OFFLINE = "sent", "over", "choose", "barred", "no-kong", "offline"
HOW = (SENT, OVER, CHOOSE, BARRED, NO_KONG, OFFLINE)


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
    if asked.area == "river" and _is_barred(opened.play().view.hand, answer.tile):
        raise NotAnsweredError(BARRED)
    if asked.area == "meld" and _is_no_kong(opened.play().view.hand, asked.slot, answer.tile):
        raise NotAnsweredError(NO_KONG)
    if not opened.connected or not send(opened.channel.table, answer):
        raise NotAnsweredError(OFFLINE)


def _is_barred(hand: HandView | None, tile: str) -> bool:
    """Whether the rules do not allow the seat whose turn it is to discard this tile; the table refuses such an answer too."""
    if hand is None or hand.play is None or hand.rules is None or hand.rules.permissions(hand.play).discard is None:
        return False
    return hand.rules.illegal(hand.play, TileDiscarded(hand.play.turn, parse_tile(tile))) is not None


def _is_no_kong(hand: HandView | None, slot: int, tile: str) -> bool:
    """Whether a slot of the melds is the last of a group in which the seat whose turn it is has called a kong, and the rules allow none
    with this tile; the table refuses such an answer too."""
    if hand is None or hand.play is None or hand.rules is None or hand.rules.permissions(hand.play).discard is None:
        return False
    seat, melds = hand.play.turn, hand.play.seat(hand.play.turn).melds
    group, of_group = divmod(slot, TILES_A_GROUP)
    if hand.bound.get(seat) != "kong" or of_group != TILES_A_GROUP - 1 or group > len(melds):
        return False
    if group == len(melds):
        kong = Meld(MeldType.CONCEALED_KONG, (parse_tile(tile),) * TILES_A_GROUP, None)
    else:
        kong = Meld(MeldType.ADDED_KONG, (*melds[group].tiles, parse_tile(tile)), None)
    return hand.rules.illegal(hand.play, KongDeclared(seat, kong)) is not None


def _number(text: str) -> int:
    """A number of the form; -1, which no question has, for anything else."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else -1
