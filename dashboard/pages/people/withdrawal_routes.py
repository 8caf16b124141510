"""Withdrawal of a table during play: one person orders it, another confirms it, and the vault takes the order that both made.

An order that nobody has confirmed is in memory alone; both steps are written into the signed records.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NoReturn

from flask import Flask, Response, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from dashboard.access.access_policy import AccessPolicy, Role, Viewer
from dashboard.access.login import require_token, viewer
from dashboard.access.staff_file import StaffFile
from twinwall.wire.messages.signing import Signer
from twinwall.wire.messages.withdrawal import WithdrawalOrder, write_withdrawal

CONFIRM_WITHIN = timedelta(minutes=10)
NEW_FOR = timedelta(hours=24)
"""An account neither orders nor confirms for so long after it was invited or entered by an invitation: who invites could be both."""
MAY_WITHDRAW = frozenset({Role.DIRECTOR, Role.REFEREE})


@dataclass(frozen=True, slots=True)
class OrderedWithdrawal:
    """What one person has ordered, for the deal that the table plays; ``signed`` is there once another has confirmed it."""

    n: int
    by: str
    at: datetime
    signed: bytes = b""


class Withdrawals:
    """The orders of the last minutes, and those that were confirmed, table by table."""

    def __init__(self, policy: AccessPolicy, staff: StaffFile, now: Callable[[], datetime], signer: Signer, event: str) -> None:
        self._policy, self._staff, self._now = policy, staff, now
        self._signer, self._event = signer, event
        self._lock = threading.Lock()
        self._ordered: dict[str, OrderedWithdrawal] = {}

    def standing(self, table: str, n: int) -> OrderedWithdrawal | None:
        """What was ordered of a table that plays deal ``n``; None where nothing was, or not in time."""
        found = self._ordered.get(table)
        if found is None or found.n != n:
            return None
        return found if found.signed or self._now() - found.at <= CONFIRM_WITHIN else None

    def ask(self, who: Viewer, table: str, n: int) -> None:
        """Order a withdrawal, or confirm what another person has ordered; raises StoreError when that cannot be written down."""
        with self._lock:
            found = self.standing(table, n)
            if found is None:
                self._policy.record_withdrawal(who, table, n)
                self._ordered[table] = OrderedWithdrawal(n, who.name, self._now())
            elif not found.signed and found.by != who.name:
                self._policy.record_withdrawal(who, table, n, found.by)
                order = WithdrawalOrder(n, found.by, who.name)
                signed = write_withdrawal(self._signer, self._event, table, order)
                self._ordered[table] = OrderedWithdrawal(n, found.by, self._now(), signed)

    def others(self, who: Viewer) -> tuple[str, ...]:
        """The other accounts that may confirm."""
        return tuple(name for name in self._settled() if name != who.name)

    def is_new(self, who: Viewer) -> bool:
        """Whether this account was invited too short a time ago to order or to confirm."""
        return who.name not in self._settled()

    def _settled(self) -> tuple[str, ...]:
        """The accounts that may order and confirm."""
        now_s = int(self._now().timestamp())
        latest = now_s - int(NEW_FOR.total_seconds())
        entries = [entry for entry in self._staff.entries(now_s) if entry.admitted is None or entry.admitted <= latest]
        accounts = [entry.account for entry in entries]
        return tuple(each.name for each in accounts if each.has_password and not each.revoked and each.roles & MAY_WITHDRAW)


def add_withdrawals(app: Flask, policy: AccessPolicy, withdrawals: Withdrawals | None) -> None:
    """Add the page on which a table is withdrawn; without ``withdrawals``, where nothing is signed, there is none."""

    @app.context_processor
    def may_withdraw() -> dict[str, object]:
        return {"may_withdraw": withdrawals is not None and bool(viewer().roles & MAY_WITHDRAW)}

    def playing(name: str) -> tuple[Withdrawals, int]:
        """The deal that a table plays, 0 for none."""
        table = policy.scope(viewer()).table(name)
        if withdrawals is None or table is None or not viewer().roles & MAY_WITHDRAW:
            _none()
        hand = table.view.hand
        return withdrawals, hand.n if hand is not None and hand.finished is None else 0

    @app.get("/table/<path:name>/withdraw")
    def withdrawal(name: str) -> str:
        desk, n = playing(name)
        found = desk.standing(name, n)
        return render_template(
            "people/withdrawal.html", name=name, n=n, ordered=found, others=desk.others(viewer()), new=desk.is_new(viewer())
        )

    @app.post("/table/<path:name>/withdraw")
    def withdraw(name: str) -> AnyResponse:
        require_token()
        desk, n = playing(name)
        if n and request.form.get("n") == str(n) and desk.others(viewer()) and not desk.is_new(viewer()):
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
