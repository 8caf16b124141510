"""The route that takes a referee's form and sends the ruling to the table.

A ruling stands when the table has answered; the answer arrives with the table's other events.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable

from flask import Flask, abort, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from dashboard.access.access_policy import AccessPolicy
from dashboard.access.login import require_token, viewer
from dashboard.access.viewer_scope import TableScope
from dashboard.pages.rulings import ruling_options
from dashboard.pages.rulings.ruling_options import NotRuledError, RulingSituation
from twinwall.wire.messages.commands import Command

SENT = "sent"
Send = Callable[[str, Command], bool]
"""Sends a command to a table; False when the broker is not there to take it."""


def add_rulings(app: Flask, policy: AccessPolicy, send: Send) -> None:
    """Add the route that takes a referee's form."""

    @app.context_processor
    def new_form() -> dict[str, object]:
        asked = request.args.get("ruled", "")
        return {"new_form_id": secrets.token_hex(8), "ruled": asked if asked == SENT or asked in ruling_options.PROBLEMS else ""}

    def open_table(name: str) -> TableScope:
        opened = policy.open_table(viewer(), name)
        if opened is None:
            abort(404)
        return opened

    @app.post("/table/<path:name>/rule")
    def rule(name: str) -> AnyResponse:
        require_token()
        opened = open_table(name)
        n = request.form.get("n", "")
        past = opened.earlier_hand(int(n)) if n.isascii() and n.isdigit() and len(n) < 6 else None
        now = ruling_options.situation(opened.play().view) if past is None else ruling_options.past(past)
        how = _rule(policy, opened, now, name, send)
        page = url_for("table", name=name, ruled=how) if past is None else url_for("earlier_hand", name=name, n=past.n, ruled=how)
        return redirect(page, 303)


def _rule(policy: AccessPolicy, opened: TableScope, now: RulingSituation | None, name: str, send: Send) -> str:
    """Write down what the form rules and send it; how it went, as a word for the page."""
    try:
        ruling = ruling_options.ruling_sent(request.form, now, viewer().name)
    except NotRuledError as problem:
        return problem.key
    if opened.names_a_player(request.form.get("reason", "")):
        return "rule.problem.name"
    if not opened.connected:
        return "rule.problem.offline"
    policy.record_ruling(viewer(), name, ruling)
    return SENT if send(name, ruling) else "rule.problem.offline"
