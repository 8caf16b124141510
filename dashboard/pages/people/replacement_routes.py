"""Replacement of a controller that was lost with its disk: the staff order that another goes on, and the new controller takes that order.

With a hand in play one person orders it and another confirms it, since that hand is annulled. Both steps are written into the signed
records. The order names the last line of the table's ledger that is stored: where more lines come, the controller is not lost.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NoReturn

from flask import Flask, Response, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from dashboard.access.access_policy import AccessPolicy, Viewer
from dashboard.access.login import require_token, viewer
from dashboard.pages.people.two_persons import MAY_ORDER, OrderingStaff
from twinwall.event.store.hall import TableReached
from twinwall.wire.messages.replacement import ReplacementOrder, write_replacement
from twinwall.wire.messages.signing import Signer

LONGEST_REASON = 200
"""Characters."""


@dataclass(frozen=True, slots=True)
class OrderedReplacement:
    """What was ordered for a table that had come so far; ``signed`` is there once it needs nobody more."""

    reached: TableReached
    reason: str
    by: str
    at: datetime
    confirmed: str = ""
    signed: bytes = b""


class Replacements:
    """The orders of the last minutes, and those that are signed, table by table."""

    def __init__(self, policy: AccessPolicy, staff: OrderingStaff, signer: Signer, event: str) -> None:
        self.staff, self._policy = staff, policy
        self._signer, self._event = signer, event
        self._lock = threading.Lock()
        self._ordered: dict[str, OrderedReplacement] = {}

    def standing(self, table: str, reached: TableReached) -> OrderedReplacement | None:
        """What was ordered for a table that has come so far; None where nothing was, or not in time."""
        found = self._ordered.get(table)
        if found is None or found.reached != reached:
            return None
        return found if found.signed or self.staff.is_in_time(found.at) else None

    def ask(self, who: Viewer, table: str, reached: TableReached, reason: str) -> None:
        """Order it, or confirm what another person has ordered; raises StoreError when that cannot be written down."""
        with self._lock:
            found = self.standing(table, reached)
            if found is None:
                self._policy.record_replacement(who, table, reached, reason)
                found = OrderedReplacement(reached, reason, who.name, self.staff.now())
                self._ordered[table] = found if reached.n else self._sign(table, found)
            elif not found.confirmed and found.by != who.name:
                self._policy.record_replacement(who, table, reached, found.reason, found.by)
                self._ordered[table] = self._sign(table, replace(found, confirmed=who.name))

    def _sign(self, table: str, found: OrderedReplacement) -> OrderedReplacement:
        at, finished, n = found.reached.position, found.reached.finished, found.reached.n
        order = ReplacementOrder(self._event, at.journal, at.seq, at.digest, finished, n, found.reason, found.by, found.confirmed)
        return replace(found, signed=write_replacement(self._signer, self._event, table, order))


def add_replacements(app: Flask, policy: AccessPolicy, replacements: Replacements | None) -> None:
    """Add the page on which a table's controller is replaced; without ``replacements``, where nothing is signed, there is none."""

    @app.context_processor
    def may_replace() -> dict[str, object]:
        return {"may_replace": replacements is not None and bool(viewer().roles & MAY_ORDER)}

    def reached_by(name: str) -> tuple[Replacements, TableReached]:
        reached = policy.reached(viewer(), name)
        if replacements is None or reached is None or not viewer().roles & MAY_ORDER:
            _none()
        return replacements, reached

    @app.get("/table/<path:name>/replace")
    def replacement(name: str) -> str:
        desk, reached = reached_by(name)
        staff, who = desk.staff, viewer()
        return render_template(
            "people/replacement.html",
            name=name,
            reached=reached,
            ordered=desk.standing(name, reached),
            others=staff.others(who),
            new=staff.is_new(who),
            longest=LONGEST_REASON,
        )

    _add_orders(app, reached_by)


def _add_orders(app: Flask, reached_by: Callable[[str], tuple[Replacements, TableReached]]) -> None:
    """The order itself: asked for by a press, and taken as a file once it is signed."""

    @app.post("/table/<path:name>/replace")
    def replace_controller(name: str) -> AnyResponse:
        require_token()
        desk, reached = reached_by(name)
        reason = " ".join(request.form.get("reason", "").split())[:LONGEST_REASON]
        known = request.form.get("line") == str(reached.position.seq)
        may = not desk.staff.is_new(viewer()) and (not reached.n or desk.staff.others(viewer()))
        if known and may and (reason or desk.standing(name, reached) is not None):
            desk.ask(viewer(), name, reached, reason)
        return redirect(url_for("replacement", name=name), 303)

    @app.get("/table/<path:name>/replacement.json")
    def replacement_order(name: str) -> Response:
        desk, reached = reached_by(name)
        found = desk.standing(name, reached)
        if found is None or not found.signed:
            _none()
        headers = {"Content-Disposition": 'attachment; filename="replacement.json"'}
        return Response(found.signed, mimetype="application/json", headers=headers)


def _none() -> NoReturn:
    abort(404)
