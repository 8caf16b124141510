"""Orders about a table that need two persons: one orders, another confirms, and the server signs. They are withdrawal during play, and
another controller in place of a lost one. An unconfirmed order is only in memory; signed records have both steps. The vault takes a
withdrawal, for the deal in play. The new controller takes a replacement: it names the last stored line of the table's ledger, because if
more lines come, the old controller is not lost. A replacement with a hand in play, which is annulled, needs two persons; otherwise one."""

import logging
import threading
from collections.abc import Callable
from dataclasses import KW_ONLY, field, replace
from datetime import datetime, timedelta
from typing import Generic, TypeVar
from urllib.parse import quote

from flask import Flask, Response, abort, render_template, request
from werkzeug.wrappers import Response as AnyResponse

from dashboard.access.access_policy import AccessPolicy, Viewer
from dashboard.access.login import reader_words, viewer
from dashboard.access.staff_file import StaffFile
from dashboard.access.staff_schema import Role
from dashboard.projections.hall_views import HallWait
from dashboard.web_app import download, see_other
from twinwall.event.store.databases.port import StoreError
from twinwall.event.store.hall import TableReached
from twinwall.event.store.store_contents import ReplacementStep, WithdrawalStep
from twinwall.values import frozen
from twinwall.wire.messages.signing import Signer, sign_document
from twinwall.wire.messages.staff_orders import ReplacementOrder, WithdrawalOrder

_LOG = logging.getLogger(__name__)
CONFIRM_WITHIN = timedelta(minutes=10)
NEW_FOR = timedelta(hours=24)
"""For this time after an invitation an account neither orders nor confirms: the person who invites could be both."""
MAY_ORDER = frozenset({Role.DIRECTOR, Role.REFEREE})
LONGEST_REASON = 200
"""Characters."""
R = TypeVar("R")
"""How far a table is."""


@frozen
class TableOrder(Generic[R]):
    """What one person has ordered for a table at this point; ``signed`` exists once no more persons are needed. ``at`` is when it was
    ordered or, if signed, when it was signed."""

    reached: R
    reason: str
    by: str
    at: datetime
    confirmed: str = ""
    signed: bytes = b""


@frozen
class TableOrders(Generic[R]):
    """Orders of one kind by table: recent and signed ones. A kind has a name, the end of its page's address, and the form field that names
    the table's point."""

    staff: StaffFile
    policy: AccessPolicy
    name: str
    action: str
    form_field: str
    _: KW_ONLY
    reached: Callable[[str], R | None]
    """How far a table is; None if the viewer may not know."""
    number: Callable[[R], int]
    """The form's value, so that an outdated page orders nothing."""
    persons: Callable[[R], int]
    """How many persons must order it; 0 if nothing can be ordered now."""
    says: Callable[[str, R], str]
    file: Callable[[R], str]
    command: Callable[[str, str], str]
    """The command that takes the file of a table."""
    act: Callable[[str, TableOrder[R], str, str], WithdrawalStep | ReplacementStep]
    """The record of an order or a confirmation."""
    sign: Callable[[str, TableOrder[R]], bytes]
    with_reason: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _ordered: dict[str, TableOrder[R]] = field(default_factory=dict)

    def standing(self, table: str, reached: R) -> TableOrder[R] | None:
        """The order for a table at this point; None if there is none, or it has expired."""
        found = self._kept(table)
        return found if found is not None and found.reached == reached else None

    def overtaken(self, table: str, reached: R) -> TableOrder[R] | None:
        """The signed or recent order for a table that has gone on since."""
        found = self._kept(table)
        return found if found is not None and found.reached != reached else None

    def may_order(self, who: Viewer, reached: R) -> bool:
        """Whether this account may order now, or confirm."""
        persons = self.persons(reached)
        return persons > 0 and not self.is_new(who) and (persons == 1 or bool(self.others(who)))

    def others(self, who: Viewer) -> tuple[str, ...]:
        """The other accounts that may confirm."""
        return tuple(name for name in self._settled() if name != who.name)

    def is_new(self, who: Viewer) -> bool:
        """Whether this account was invited too recently to order or confirm."""
        return who.name not in self._settled()

    def _settled(self) -> tuple[str, ...]:
        """The directors and referees with accounts that are old enough, who may order and confirm."""
        now_s = int(self.policy.now().timestamp())
        latest = now_s - int(NEW_FOR.total_seconds())
        entries = [entry for entry in self.staff.entries(now_s) if entry.admitted is None or entry.admitted <= latest]
        accounts = [entry.account for entry in entries]
        return tuple(each.name for each in accounts if each.has_password and not each.revoked and each.roles & MAY_ORDER)

    def ask(self, who: Viewer, table: str, reached: R, reason: str) -> None:
        """Order it, or confirm another person's order; raises StoreError if that cannot be recorded."""
        with self._lock:
            found = self.standing(table, reached)
            if found is None:
                found = TableOrder(reached, reason, who.name, self.policy.now())
                self.policy.note(self.act(table, found, who.name, ""))
                self._ordered[table] = self._signed(table, found) if self.persons(reached) == 1 else found
            elif not found.confirmed and found.by != who.name:
                self.policy.note(self.act(table, found, who.name, found.by))
                self._ordered[table] = self._signed(table, replace(found, confirmed=who.name))
            self._say_what_waits(table)

    def _say_what_waits(self, table: str) -> None:
        found = self._ordered[table]
        path, until = f"/table/{quote(table)}/{self.action}", found.at + CONFIRM_WITHIN
        waits = () if found.signed else (HallWait("waits.order", path, table, (("by", found.by),), until),)
        self.policy.wait(f"{self.name} of {table}", waits)

    def _kept(self, table: str) -> TableOrder[R] | None:
        found = self._ordered.get(table)
        return found if found is not None and (found.signed or self.policy.now() - found.at <= CONFIRM_WITHIN) else None

    def _signed(self, table: str, found: TableOrder[R]) -> TableOrder[R]:
        return replace(found, at=self.policy.now(), signed=self.sign(table, found))


def _add_pages(app: Flask, orders: TableOrders[R]) -> None:
    def reached_by(name: str) -> R:
        reached = orders.reached(name)
        if reached is None:
            abort(404)
        return reached

    @app.get(f"/table/<path:name>/{orders.action}", endpoint=orders.name)
    def page(name: str) -> str:
        return _page(orders, name, reached_by(name))

    @app.post(f"/table/<path:name>/{orders.action}", endpoint=orders.action)
    def order(name: str) -> AnyResponse:
        reached = reached_by(name)
        if request.form.get(orders.form_field) != str(orders.number(reached)):
            return Response(_page(orders, name, reached, refused="order.left-behind"), 409)
        reason = " ".join(request.form.get("reason", "").split())[:LONGEST_REASON]
        reasoned = bool(reason) or not orders.with_reason or orders.standing(name, reached) is not None
        if reasoned and orders.may_order(viewer(), reached):
            try:
                orders.ask(viewer(), name, reached, reason)
            except StoreError as error:
                _LOG.error("an order is not stored: %s", error)
                return Response(_page(orders, name, reached, refused="error.store"), 503)
        return see_other(orders.name, name=name)

    @app.get(f"/table/<path:name>/{orders.name}.json", endpoint=f"{orders.name}_order")
    def signed_order(name: str) -> Response:
        reached = reached_by(name)
        found = orders.standing(name, reached)
        if found is None or not found.signed:
            abort(404)
        return download(found.signed, orders.file(reached))


def _page(orders: TableOrders[R], name: str, reached: R, *, refused: str = "") -> str:
    """The page; ``refused`` says why the request was not carried out."""
    who = viewer()
    return render_template(
        "people/order.html",
        name=name,
        kind=orders,
        reached=reached,
        ordered=orders.standing(name, reached),
        overtaken=orders.overtaken(name, reached),
        refused=refused,
        others=orders.others(who),
        new=orders.is_new(who),
        longest=LONGEST_REASON,
    )


def add_table_orders(app: Flask, policy: AccessPolicy, staff: StaffFile, signer: Signer, event: str) -> None:
    _add_pages(app, _withdrawal(staff, policy, signer, event))
    _add_pages(app, _replacement(staff, policy, signer, event))


def _withdrawal(staff: StaffFile, policy: AccessPolicy, signer: Signer, event: str) -> TableOrders[int]:
    """Orders for a table that plays a deal of this number, 0 for none."""

    def playing(table: str) -> int | None:
        found = policy.scope(viewer()).table(table)
        if found is None:
            return None
        hand = found.view.hand
        return hand.n if hand is not None and hand.finished is None else 0

    def says(table: str, n: int) -> str:
        return reader_words()("withdraw.playing", n=n) if n else reader_words()("withdraw.idle", command=f"twinwall vault withdraw {table}")

    return TableOrders(
        staff,
        policy,
        "withdrawal",
        "withdraw",
        "n",
        reached=playing,
        number=lambda n: n,
        persons=lambda n: 2 if n else 0,
        says=says,
        file=lambda n: f"withdrawal-deal-{n}.json",
        command=lambda table, file: f"twinwall vault withdraw {table} --order {file}",
        act=lambda table, order, who, ordered: WithdrawalStep(table, order.reached, who, policy.now(), ordered),
        sign=lambda table, order: sign_document(signer, WithdrawalOrder(order.reached, order.by, order.confirmed), event, table),
    )


def _replacement(staff: StaffFile, policy: AccessPolicy, signer: Signer, event: str) -> TableOrders[TableReached]:
    """Orders for a table with its ledger stored up to this point."""

    def says(_table: str, reached: TableReached) -> str:
        at = {"line": reached.position.seq, "finished": len(reached.finished)}
        return reader_words()("replace.playing", n=reached.n, **at) if reached.n else reader_words()("replace.idle", **at)

    def act(table: str, order: TableOrder[TableReached], who: str, ordered: str) -> ReplacementStep:
        at = order.reached.position
        return ReplacementStep(table, at.journal, at.seq, order.reached.n, order.reason, who, policy.now(), ordered)

    def sign(table: str, order: TableOrder[TableReached]) -> bytes:
        at, reached = order.reached.position, order.reached
        replacement = ReplacementOrder(
            event, at.journal, at.seq, at.digest, reached.finished, reached.n, order.reason, order.by, order.confirmed
        )
        return sign_document(signer, replacement, event, table)

    return TableOrders(
        staff,
        policy,
        "replacement",
        "replace",
        "line",
        reached=lambda table: policy.reached(viewer(), table),
        number=lambda reached: reached.position.seq,
        persons=lambda reached: 2 if reached.n else 1,
        says=says,
        file=lambda _reached: "replacement.json",
        command=lambda _table, file: f"twinwall table continue {file} --settings table.toml",
        act=act,
        sign=sign,
        with_reason=True,
    )
