"""The route that takes a referee's form and sends his ruling to the table.

What was sent stands when the table has answered, and the answer comes with the table's other events.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable

from flask import Flask, abort, redirect, request, session, url_for
from werkzeug.wrappers import Response as AnyResponse

from dashboard import rulings
from dashboard.gate import Gate
from dashboard.login import token_is_right, viewer
from dashboard.rulings import NotRuledError
from dashboard.sight import TableSight
from twinwall.wire.commands import Command

SENT = "sent"
Send = Callable[[str, Command], bool]
"""Sends a command to a table; False when the broker is not there to take it."""


def add_rulings(app: Flask, gate: Gate, send: Send) -> None:
    """Add the route that takes a referee's form."""

    @app.context_processor
    def new_form() -> dict[str, object]:
        asked = request.args.get("ruled", "")
        return {"new_form_id": secrets.token_hex(8), "ruled": asked if asked == SENT or asked in rulings.PROBLEMS else ""}

    @app.post("/table/<path:name>/rule")
    def rule(name: str) -> AnyResponse:
        if not token_is_right():
            abort(400)
        opened = gate.open_table(viewer(), name)
        if opened is None:
            abort(404)
        return redirect(url_for("table", name=name, ruled=_rule(opened, name, send)), 303)


def _rule(opened: TableSight, name: str, send: Send) -> str:
    """Send what the form rules; how it went, as a word for the page."""
    try:
        ruling = rulings.ruling_sent(request.form, rulings.situation(opened.play().view))
    except NotRuledError as problem:
        return problem.key
    session["name"] = ruling.by
    return SENT if opened.connected and send(name, ruling) else "rule.problem.offline"
