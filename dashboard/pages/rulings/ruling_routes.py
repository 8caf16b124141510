"""The route that takes a referee's form and sends the ruling to the table.

A ruling stands when the table has answered; the answer arrives with the table's other events.
"""

import logging
import secrets
from collections.abc import Callable

from flask import Flask, Response, abort, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from dashboard.access.access_policy import AccessPolicy
from dashboard.access.login import require_token, viewer
from dashboard.access.viewer_scope import TableScope
from dashboard.actions.rulings import PROBLEMS, NotRuledError, OddRulingError, Send, announced, give_ruling, odd_in_words, past_hand
from dashboard.i18n.words import Words
from twinwall.event.hands import HandSummary
from twinwall.event.store.databases.port import StoreError

_LOG = logging.getLogger(__name__)
SENT = "sent"
NOT_STORED = "error.store"
MOST_TYPED = 200
"""Characters of a reason that a refused form keeps for the page that follows."""


def add_rulings(app: Flask, policy: AccessPolicy, send: Send, words: Callable[[], Words]) -> None:
    """Add the route that takes a referee's form."""

    @app.context_processor
    def new_form() -> dict[str, object]:
        asked = request.args.get("ruled", "")
        return {"new_form_id": secrets.token_hex(8), "ruled": asked if asked in {SENT, NOT_STORED} | PROBLEMS else ""}

    def open_table(name: str) -> TableScope:
        opened = policy.open_table(viewer(), name)
        if opened is None:
            abort(404)
        return opened

    @app.post("/table/<path:name>/rule")
    def rule(name: str) -> AnyResponse:
        require_token()
        opened = open_table(name)
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
