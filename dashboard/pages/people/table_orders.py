"""What two persons order of a table: that it is withdrawn during play, and that another controller goes on in place of a lost one.

The vault takes the order of a withdrawal, for the deal that the table plays. The new controller takes that of a replacement: it names
the last line of the table's ledger that is stored, since where more lines come, the controller is not lost. With a hand in play, which
is annulled, two persons order a replacement; otherwise one may.
"""

from __future__ import annotations

from collections.abc import Callable

from flask import Flask

from dashboard.access.access_policy import AccessPolicy, Viewer
from dashboard.access.login import viewer
from dashboard.i18n.words import Words
from dashboard.pages.people.two_persons import OrderingStaff, OrderKind, TableOrder, add_orders
from twinwall.event.store.hall import TableReached
from twinwall.wire.messages.replacement import ReplacementOrder, write_replacement
from twinwall.wire.messages.signing import Signer
from twinwall.wire.messages.withdrawal import WithdrawalOrder, write_withdrawal


def add_table_orders(
    app: Flask, policy: AccessPolicy, staff: OrderingStaff, signing: tuple[Signer, str] | None, words: Callable[[], Words]
) -> None:
    """Add the pages of both orders; ``signing`` is who signs and the event, None where nothing is signed and so nothing ordered."""
    add_orders(app, staff, "withdraw", None if signing is None else _withdrawal(policy, *signing, words))
    add_orders(app, staff, "replace", None if signing is None else _replacement(policy, *signing, words))


def _withdrawal(policy: AccessPolicy, signer: Signer, event: str, words: Callable[[], Words]) -> OrderKind[int]:
    """Of a table that plays a deal of this number, 0 for none."""

    def playing(table: str) -> int | None:
        found = policy.scope(viewer()).table(table)
        if found is None:
            return None
        hand = found.view.hand
        return hand.n if hand is not None and hand.finished is None else 0

    def says(table: str, n: int) -> str:
        return words()("withdraw.playing", n=n) if n else words()("withdraw.idle", command=f"twinwall vault withdraw {table}")

    def record(who: Viewer, table: str, order: TableOrder[int], ordered: str) -> None:
        policy.record_withdrawal(who, table, order.reached, ordered)

    def sign(table: str, order: TableOrder[int]) -> bytes:
        return write_withdrawal(signer, event, table, WithdrawalOrder(order.reached, order.by, order.confirmed))

    return OrderKind(
        "withdrawal",
        "n",
        reached=playing,
        number=lambda n: n,
        persons=lambda n: 2 if n else 0,
        says=says,
        file=lambda n: f"withdrawal-deal-{n}.json",
        command=lambda table, file: f"twinwall vault withdraw {table} --order {file}",
        record=record,
        sign=sign,
    )


def _replacement(policy: AccessPolicy, signer: Signer, event: str, words: Callable[[], Words]) -> OrderKind[TableReached]:
    """Of a table whose ledger is stored so far."""

    def says(_table: str, reached: TableReached) -> str:
        at = {"line": reached.position.seq, "finished": len(reached.finished)}
        return words()("replace.playing", n=reached.n, **at) if reached.n else words()("replace.idle", **at)

    def record(who: Viewer, table: str, order: TableOrder[TableReached], ordered: str) -> None:
        policy.record_replacement(who, table, order.reached, order.reason, ordered)

    def sign(table: str, order: TableOrder[TableReached]) -> bytes:
        at, reached = order.reached.position, order.reached
        replacement = ReplacementOrder(
            event, at.journal, at.seq, at.digest, reached.finished, reached.n, order.reason, order.by, order.confirmed
        )
        return write_replacement(signer, event, table, replacement)

    return OrderKind(
        "replacement",
        "line",
        reached=lambda table: policy.reached(viewer(), table),
        number=lambda reached: reached.position.seq,
        persons=lambda reached: 2 if reached.n else 1,
        says=says,
        file=lambda _reached: "replacement.json",
        command=lambda _table, file: f"twinwall table continue {file} --settings table.toml",
        record=record,
        sign=sign,
        with_reason=True,
    )
