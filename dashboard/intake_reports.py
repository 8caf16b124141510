"""Stores and shows what comes besides a hall's lines: complaints, evidence, signatures and slips; no failure of the store stops it. Of the
heads that tables send, enough are stored that a signature covers each stored line, and few enough to be cheap. A head covers every line
before it. It is stored at once if its lines have an event that others act on, otherwise with the next tick after ``KEEP_EVERY_S``."""

import logging
from collections.abc import Callable, Iterable
from dataclasses import field
from datetime import datetime, timedelta

from twinwall.event.store.databases.port import StoreError
from twinwall.event.store.hall import SlipRefusedError
from twinwall.event.store.store_contents import Complaint, Proof, SignedHead
from twinwall.event.store.store_writer import StoreWriter
from twinwall.game.documents import DocumentError, digest
from twinwall.values import frozen
from twinwall.wire.ledger import LedgerPosition
from twinwall.wire.messages.boot_keys import Head
from twinwall.wire.messages.venue_messages import read_notice
from twinwall.wire.receiver import REFUSE_AGAIN_S
from twinwall.wire.signed_receiver import MOST_HEADS

CLOCK_TOLERANCE = timedelta(minutes=10)
"""Largest unreported difference between a table's clock and the server's."""

MOST_BAD_HEARTBEATS = 20
"""Complaints about heartbeats of one table that are stored in each ``REFUSE_AGAIN_S``."""

_LOG = logging.getLogger(__name__)


@frozen
class IntakeReports:
    """Reports problems in the log, on the table's page and in the store."""

    desk: StoreWriter
    show: Callable[[str, str, datetime], None]
    """Shows a complaint on a table's page."""
    release: Callable[[int], None]
    """Shows the deal of a new slip."""
    now: Callable[[], datetime]
    monotonic_s: Callable[[], float]
    _clocks_off: set[str] = field(default_factory=set)
    _refused_s: dict[str, float] = field(default_factory=dict)
    """By table, when something was last refused."""
    _bad_heartbeats: dict[str, dict[float, int]] = field(default_factory=dict)
    """By table, how many came in the present ``REFUSE_AGAIN_S``."""
    _refused_slips: set[str] = field(default_factory=set)

    def guard(self, table: str | None, act: Callable[[], None]) -> None:
        """Call ``act``; a defect in it is logged and shown on the table's page, and stops nothing."""
        try:
            act()
        except Exception as problem:
            if table is None:
                _LOG.exception("something failed")
            else:
                _LOG.exception("table %s: something failed", table, extra={"table": table})
                self.complain(table, f"table {table}: this program failed at a message ({problem!r}); its log says more")

    def complain(self, table: str, reason: str) -> None:
        _LOG.warning("%s", reason, extra={"table": table})
        self.show(table, reason, self.now())
        self.note(Complaint(table, reason, self.now()))

    def complain_of_heartbeat(self, table: str, reason: str) -> None:
        """Report a bad heartbeat. Beyond ``MOST_BAD_HEARTBEATS`` it is shown on the table's page only, neither stored nor logged: a flood
        would hold up every other table while the disk stores it."""
        present = self.monotonic_s() // REFUSE_AGAIN_S
        count = self._bad_heartbeats.get(table, {}).get(present, 0)
        self._bad_heartbeats[table] = {present: count + 1}
        if count > MOST_BAD_HEARTBEATS:
            self.show(table, reason, self.now())
        else:
            last = f"table {table}: more complaints about its heartbeats are not stored now"
            self.complain(table, reason if count < MOST_BAD_HEARTBEATS else last)

    def refuse(self, table: str, reason: str) -> None:
        """Report, at a limited rate, what is sent repeatedly by a table or in its name."""
        now_s = self.monotonic_s()
        if now_s - self._refused_s.get(table, -REFUSE_AGAIN_S) >= REFUSE_AGAIN_S:
            self._refused_s[table] = now_s
            self.complain(table, reason)

    def tell_notice(self, table: str, payload: bytes) -> None:
        """Report the vault's notice about a table."""
        try:
            self.complain(table, f"the vault: {read_notice(payload)}")
        except DocumentError as problem:
            self.complain(table, f"the vault's notice is not understood: {problem}")

    def compare_clock(self, table: str, at: datetime) -> None:
        """Report a table once while its clock differs from this server's."""
        off = at - self.now()
        if abs(off) <= CLOCK_TOLERANCE:
            self._clocks_off.discard(table)
        elif table not in self._clocks_off:
            self._clocks_off.add(table)
            side = "ahead of" if off > timedelta() else "behind"
            compared = f"the clock of table {table} is more than 10 minutes {side} this server's"
            self.complain_of_heartbeat(table, f"{compared}: set the one that is wrong; no result depends on it")

    def note(self, note: Complaint | Proof) -> None:
        """Store a complaint, a line that contradicts a head, or a signature of a table or of the vault."""
        try:
            self.desk.note(note)
        except StoreError as error:
            _LOG.error("%s", error)

    def hear_slip(self, payload: bytes) -> None:
        """Handle a message on the slips' topic, which the vault publishes repeatedly; a refused one is logged once."""
        try:
            released = self.desk.slip(payload, self.now())
        except SlipRefusedError as error:
            if digest(payload) not in self._refused_slips:
                self._refused_slips.add(digest(payload))
                _LOG.warning("%s", error)
        except StoreError as error:
            _LOG.error("%s", error)
        else:
            if released is not None:
                _LOG.info("deal %d is released", released.n)
                self.release(released.n)


ACTED_UPON = frozenset({"hand-ended", "hand-closed", "ruling", "deal-fouled", "deal-refused"})
KEEP_EVERY_S = 10.0


class HeadsToKeep:
    """The latest heads of each table, and the position of the last stored one."""

    def __init__(self) -> None:
        self._heads: dict[str, dict[str, bytes]] = {}
        self._kept: dict[str, tuple[str, float]] = {}

    def hear(self, table: str, head: Head, payload: bytes) -> None:
        """Add a checked head of the table."""
        heads = self._heads.setdefault(table, {})
        heads.pop(head.digest, None)
        heads[head.digest] = payload
        if len(heads) > MOST_HEADS:
            del heads[next(iter(heads))]

    def due(self, table: str, position: LedgerPosition | None, event_types: Iterable[str], now_s: float) -> SignedHead | None:
        """The head to store when the table's lines are accepted up to ``position``, the last of these types; None if it is not due."""
        kept, kept_s = self._kept.get(table, ("", -KEEP_EVERY_S))
        if position is None or kept == position.digest or (payload := self._heads.get(table, {}).get(position.digest)) is None:
            return None
        if ACTED_UPON.isdisjoint(event_types) and now_s - kept_s < KEEP_EVERY_S:
            return None
        self._kept[table] = position.digest, now_s
        return SignedHead(table, position.journal, position.seq, payload)
