"""Withdrawal of a table during play: one person orders it, another confirms it, and the vault takes the order that both made.

An order that nobody has confirmed is in memory alone; both steps are written into the signed records.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from datetime import datetime
from typing import NoReturn

from flask import Flask, Response, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from dashboard.access.access_policy import AccessPolicy, Viewer
from dashboard.access.login import require_token, viewer
from dashboard.pages.people.two_persons import MAY_ORDER, OrderingStaff
from twinwall.wire.messages.signing import Signer
from twinwall.wire.messages.withdrawal import WithdrawalOrder, write_withdrawal


@dataclass(frozen=True, slots=True)
class OrderedWithdrawal:
    """What one person has ordered, for the deal that the table plays; ``signed`` is there once another has confirmed it."""

    n: int
    by: str
    at: datetime
    signed: bytes = b""


class Withdrawals:
    """The orders of the last minutes, and those that were confirmed, table by table."""

    def __init__(self, policy: AccessPolicy, staff: OrderingStaff, signer: Signer, event: str) -> None:
        self.staff, self._policy = staff, policy
        self._signer, self._event = signer, event
        self._lock = threading.Lock()
        self._ordered: dict[str, OrderedWithdrawal] = {}

    def standing(self, table: str, n: int) -> OrderedWithdrawal | None:
        """What was ordered of a table that plays deal ``n``; None where nothing was, or not in time."""
        found = self._ordered.get(table)
        if found is None or found.n != n:
            return None
        return found if found.signed or self.staff.is_in_time(found.at) else None

    def ask(self, who: Viewer, table: str, n: int) -> None:
        """Order a withdrawal, or confirm what another person has ordered; raises StoreError when that cannot be written down."""
        with self._lock:
            found = self.standing(table, n)
            if found is None:
                self._policy.record_withdrawal(who, table, n)
                self._ordered[table] = OrderedWithdrawal(n, who.name, self.staff.now())
            elif not found.signed and found.by != who.name:
                self._policy.record_withdrawal(who, table, n, found.by)
                order = WithdrawalOrder(n, found.by, who.name)
                signed = write_withdrawal(self._signer, self._event, table, order)
                self._ordered[table] = OrderedWithdrawal(n, found.by, self.staff.now(), signed)


def add_withdrawals(app: Flask, policy: AccessPolicy, withdrawals: Withdrawals | None) -> None:
    """Add the page on which a table is withdrawn; without ``withdrawals``, where nothing is signed, there is none."""

    @app.context_processor
    def may_withdraw() -> dict[str, object]:
        return {"may_withdraw": withdrawals is not None and bool(viewer().roles & MAY_ORDER)}

    def playing(name: str) -> tuple[Withdrawals, int]:
        """The deal that a table plays, 0 for none."""
        table = policy.scope(viewer()).table(name)
        if withdrawals is None or table is None or not viewer().roles & MAY_ORDER:
            _none()
        hand = table.view.hand
        return withdrawals, hand.n if hand is not None and hand.finished is None else 0

    @app.get("/table/<path:name>/withdraw")
    def withdrawal(name: str) -> str:
        desk, n = playing(name)
        found = desk.standing(name, n)
        return render_template(
            "people/withdrawal.html", name=name, n=n, ordered=found, others=desk.staff.others(viewer()), new=desk.staff.is_new(viewer())
        )

    @app.post("/table/<path:name>/withdraw")
    def withdraw(name: str) -> AnyResponse:
        require_token()
        desk, n = playing(name)
        if n and request.form.get("n") == str(n) and desk.staff.others(viewer()) and not desk.staff.is_new(viewer()):
            desk.ask(viewer(), name, n)
        return redirect(url_for("withdrawal", name=name), 303)

    @app.get("/table/<path:name>/withdrawal.json")
    def withdrawal_order(name: str) -> Response:
        desk, n = playing(name)
        found = desk.standing(name, n)
        if found is None or not found.signed:
            _none()
        headers = {"Content-Disposition": f'attachment; filename="withdrawal-deal-{n}.json"'}
        return Response(found.signed, mimetype="application/json", headers=headers)


def _none() -> NoReturn:
    abort(404)
