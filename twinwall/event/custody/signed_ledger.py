"""One table's ledger as the vault accepts it: only lines that a signature of the table vouches for.

Lines come through a broker that is not trusted. ``TableReceiver`` puts them in order; they wait until a signed statement names the
hash of a line at or after them, and the chain then vouches for all before. The first statement exposes a changed or invented
line, and the table is asked for everything again. A vault that restarts goes on after the last line that it noted.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TypeAlias

from twinwall.wire.ledger import LedgerPosition, LineError, PublicEvent, parse
from twinwall.wire.receiver import Accepted, Ask, KnownJournal, LineRefused, Output, TableReceiver

MOST_HEADS = 64
"""Statements kept while the lines they vouch for are on their way."""


@dataclass(frozen=True, slots=True)
class Confirmed:
    """The table itself says so: the next line of its ledger."""

    event: PublicEvent


Heard: TypeAlias = Confirmed | Ask | LineRefused


class SignedLedger:
    """The receiving end of one table's ledger, with its signed heads."""

    def __init__(self, table: str, confirmed: LedgerPosition | None = None) -> None:
        """Nothing is believed before the first statement but the line of an earlier run, ``confirmed``, and all before it."""
        self._table = table
        self._confirmed = confirmed
        self._receiver: TableReceiver | None = None
        self._journal = ""
        self._heads: dict[int, str] = {}
        self._waiting: deque[PublicEvent] = deque()

    def vouch(self, head: LedgerPosition, now_s: float) -> list[Heard]:
        """A statement of the table, its signature checked, says that this is the last line of its ledger."""
        if self._receiver is None or head.journal != self._journal:
            self._begin(head.journal)
        assert self._receiver is not None
        if len(self._heads) >= MOST_HEADS:
            del self._heads[max(self._heads)]
        self._heads[head.seq] = head.digest
        return self._take(self._receiver.expect(head.journal, head.seq, now_s))

    def feed(self, payload: bytes, now_s: float) -> list[Heard]:
        """One message of the table's ``events`` topic, from whomever."""
        if self._receiver is None:
            return []
        try:
            if parse(payload).journal != self._journal:
                return []
        except LineError:
            pass  # the receiver says what is wrong with it
        return self._take(self._receiver.feed(payload, now_s))

    def tick(self, now_s: float) -> list[Heard]:
        """Ask again when an answer has not come."""
        return [] if self._receiver is None else self._take(self._receiver.tick(now_s))

    def _begin(self, journal: str) -> None:
        since = self._confirmed
        known = (KnownJournal(journal, (since.digest,), since.seq - 1),) if since is not None and since.journal == journal else ()
        self._receiver, self._journal = TableReceiver(self._table, known), journal
        self._heads.clear()
        self._waiting.clear()

    def _take(self, outputs: list[Output]) -> list[Heard]:
        heard: list[Heard] = []
        for output in outputs:
            if isinstance(output, Accepted):
                self._waiting.append(output.event)
            elif isinstance(output, Ask | LineRefused):
                heard.append(output)
        return self._confirm() + heard

    def _confirm(self) -> list[Heard]:
        assert self._receiver is not None
        reached = self._receiver.position.seq if self._receiver.position else 0
        confirmed = 0
        for seq in sorted(number for number in self._heads if number <= reached):
            signed, read = self._heads.pop(seq), self._receiver.digest_of(seq)
            if seq and read is None:
                continue  # a statement of long ago: what it vouches for was confirmed then
            if seq and read != signed:
                self._receiver = self._confirmed = None
                return [
                    LineRefused(
                        f"table {self._table}: line {seq} of its ledger, or one before, is not what the table signed; it is asked for again"
                    )
                ]
            confirmed = seq
        heard: list[Heard] = []
        while self._waiting and self._waiting[0].seq <= confirmed:
            heard.append(Confirmed(self._waiting.popleft()))
        return heard
