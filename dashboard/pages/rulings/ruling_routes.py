"""The routes by which a referee rules, and says which tile a camera cannot read; and the page of the violations that await a ruling.

A ruling is given at the table's own page. It stands, as an answer does, when the table has written it into its ledger; it arrives with
the table's other events.
"""

import logging
import secrets
from base64 import b64encode
from functools import partial

from flask import Flask, Response, abort, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from dashboard.access.login import viewer
from dashboard.actions.answers import BARRED, CHOOSE, NO_KONG, OFFLINE, OVER, SENT, give_answer
from dashboard.actions.rulings import PROBLEMS, NotRuledError, OddRulingError, Send, announced, give_ruling, odd_in_words, past_hand
from dashboard.i18n.words import Words
from dashboard.pages.page_routes import Pages, show_live
from dashboard.pages.rulings.record_routes import add_record_questions
from dashboard.web_app import see_other
from twinwall.event.hands import HandSummary
from twinwall.event.store.databases.port import StoreError
from twinwall.game.answers import NO_MELD
from twinwall.wire.messages.commands import AnswerTile
from twinwall.wire.names import plain_number

_LOG = logging.getLogger(__name__)
NOT_STORED = "error.store"
MOST_TYPED = 200
"""Characters of a reason that a refused form keeps for the page that follows."""


def add_rulings(app: Flask, pages: Pages, send: Send) -> None:
    """Add the route that takes a referee's form, and the pages of what tables ask."""
    policy, words = pages.policy, pages.words
    _add_questions(app, pages, send)
    add_record_questions(app, pages, send)

    @app.context_processor
    def new_form() -> dict[str, object]:
        asked = request.args.get("ruled", "")
        return {"new_form_id": secrets.token_hex(8), "ruled": asked if asked in {SENT, NOT_STORED} | PROBLEMS else ""}

    @app.post("/table/<path:name>/rule")
    def rule(name: str) -> AnyResponse:
        opened = pages.opened_table(name)
        try:
            give_ruling(policy, viewer(), opened, request.form, send)
            how = SENT
        except OddRulingError as problem:
            return _asked_again(name, problem, past_hand(opened, request.form), words())
        except NotRuledError as problem:
            how = problem.key
        except StoreError as problem:
            _LOG.error("a ruling is not stored: %s", problem)
            how = NOT_STORED
        if how != SENT:
            flash(request.form.get("reason", "")[:MOST_TYPED], "typed-ruling")
        past = past_hand(opened, request.form)
        return redirect(_page(name, past, how), 303)


def _page(name: str, past: HandSummary | None, how: str) -> str:
    """The address of the page with the form, which says what became of a ruling."""
    return url_for("table", name=name, ruled=how) if past is None else url_for("earlier_hand", name=name, n=past.n, ruled=how)


def _asked_again(name: str, problem: OddRulingError, past: HandSummary | None, words: Words) -> AnyResponse:
    """The page that asks whether odd numbers are meant; it sends the same form once more."""
    flash(problem.asked.reason, "typed-ruling")
    kept = [(key, value) for key, value in request.form.items() if key not in ("token", "sure")]
    odd, text = odd_in_words(problem.odd, words), announced(problem.asked, words)
    page = render_template("rulings/odd.html", name=name, odd=odd, text=text, kept=kept, back=_page(name, past, problem.key))
    return Response(page, 409)


HOW = (SENT, OVER, CHOOSE, BARRED, NO_KONG, NO_MELD, OFFLINE)


def _add_questions(app: Flask, pages: Pages, send: Send) -> None:
    """Add ``/table/<name>/which-tile`` and ``/table/<name>/violations``."""
    app.jinja_env.filters["base64"] = lambda content: b64encode(content).decode()
    for endpoint, shown in (("question", "which-tile"), ("violations", "violations")):
        app.add_url_rule(f"/table/<path:name>/{shown}", endpoint, partial(_show, pages, shown))

    @app.post("/table/<path:name>/which-tile")
    def answer_question(name: str) -> AnyResponse:
        opened = pages.opened_table(name)
        n, number = (plain_number(request.form.get(key), 8) for key in ("n", "number"))
        where, tile = (request.form.get(key, "") for key in ("where", "tile"))
        how = OVER if n is None or number is None else give_answer(opened, AnswerTile(n, number, where, tile, viewer().name), send)
        return see_other("question", name=name, answered=how)


def _show(pages: Pages, shown: str, name: str) -> str:
    page = pages.of_play(shown, name)
    if page is None:
        abort(404)
    asked = request.args.get("answered", "")
    return show_live(page, url_for("events", table=name, page=shown), name=name, answered=asked if asked in HOW else "")
