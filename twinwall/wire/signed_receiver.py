"""Receiver of one table's lines that returns only those covered by a signed head of the table, without I/O. Anybody with the table's broker
password can publish lines. So a line waits in a bounded pool for a head whose hash chain leads over it to the last confirmed line; the
caller has checked the head's signature. A line that contradicts a confirmed one is evidence only."""

from collections.abc import Collection, Sequence

from twinwall.game.documents import digest
from twinwall.wire.ledger import LedgerPosition, PublicEvent
from twinwall.wire.messages.commands import Resend
from twinwall.wire.receiver import ASK_AGAIN_S, MOST_ASKED, Contradicted, KnownJournal, LineReceiver, Output, RepeatedLine

MOST_POOLED = 1024
MOST_POOLED_BYTES = 1 << 20
MOST_HEADS = 64
"""Heads whose lines have not arrived yet."""
UNCOVERED_AFTER_S = 30.0
"""How long a line waits for its head."""


class _LinePool:
    """Lines that wait for a head, by hash, with their arrival times; the oldest are dropped first."""

    def __init__(self) -> None:
        self.lines: dict[str, tuple[PublicEvent, float]] = {}
        self._bytes = 0

    def put(self, hashed: str, event: PublicEvent, now_s: float) -> None:
        if hashed not in self.lines:
            self.lines[hashed] = event, now_s
            self._bytes += len(event.line)
        while len(self.lines) > MOST_POOLED or self._bytes > MOST_POOLED_BYTES:
            self.drop(next(iter(self.lines)))

    def drop(self, hashed: str) -> None:
        event, _ = self.lines.pop(hashed)
        self._bytes -= len(event.line)

    def drop_uncovered(self, now_s: float) -> bool:
        """Drop lines that no head has covered in time; return whether there were any."""
        late = [hashed for hashed, (_, at_s) in self.lines.items() if now_s - at_s >= UNCOVERED_AFTER_S]
        for hashed in late:
            self.drop(hashed)
        return bool(late)


class SignedReceiver(LineReceiver):
    def __init__(self, table: str, known: Sequence[KnownJournal] = (), most_known: int | None = None) -> None:
        super().__init__(table, known, most_known)
        self._pool = _LinePool()
        self._heads: dict[str, LedgerPosition] = {}
        self._wanted: frozenset[str] = frozenset()
        self._has_vouched = bool(known)

    @property
    def waiting(self) -> Collection[str]:
        """The hashes of lines that wait for a head."""
        return self._pool.lines.keys()

    @property
    def heads(self) -> Collection[str]:
        """The hashes in heads whose lines have not arrived."""
        return self._heads.keys()

    def vouch(self, head: LedgerPosition, now_s: float) -> list[Output]:
        """Take a head of the table with a checked signature."""
        self._has_vouched = True
        if head.seq < 1:
            return []
        if head.journal in self._former:
            return self._refuse_former(head.journal, head.seq, now_s)
        if self._is_confirmed(head.journal, head.seq):
            if self.digest_of(head.seq) in (None, head.digest):
                return []
            reason = f"table {self.table} has signed two lines {head.seq} of journal {head.journal!r}: the first stays"
            return self._refuse(f"head {head.digest}", reason, now_s)
        self._heads[head.digest] = head
        if len(self._heads) > MOST_HEADS:
            del self._heads[max(self._heads.values(), key=lambda each: each.seq).digest]
        return self._advance(now_s)

    def forget_heads(self) -> None:
        """Drop waiting heads, because the key under which they were checked no longer counts."""
        self._heads.clear()
        self._wanted = frozenset()

    def feed(self, payload: bytes, now_s: float) -> list[Output]:
        """Take one message of the table's ``events`` topic, from any sender."""
        event = self._read(payload, now_s)
        if isinstance(event, list):
            return event
        if event.journal in self._former:
            return []
        hashed = digest(payload)
        if self._is_confirmed(event.journal, event.seq):
            signed = self.digest_of(event.seq)
            if signed is None:
                return [] if self._digests.most is None else [RepeatedLine(event)]
            return [] if signed == hashed else self._contradicted(event, signed, now_s)
        self._pool.put(hashed, event, now_s)
        return self._advance(now_s) if hashed in self._wanted else []

    def tick(self, now_s: float) -> list[Output]:
        """Drop lines that no head has covered in time, and ask again if no answer has come."""
        late = self._pool.drop_uncovered(now_s)
        reason = (
            f"table {self.table}: lines that no signed head of the table covers were dropped"
            if self._has_vouched
            else f"table {self.table}: its boot keys do not count yet, so lines were dropped; they are asked for once the keys count"
        )
        return (self._refuse("uncovered", reason, now_s) if late else []) + self._advance(now_s)

    def ask_onward(self, now_s: float) -> list[Output]:
        """Ask for lines after the confirmed ones: the table may have continued unheard."""
        return [] if self.position is None else self._ask_beyond(now_s)

    def _is_confirmed(self, journal: str, seq: int) -> bool:
        return self.position is not None and self._is_current(journal) and seq <= self.position.seq

    def _start(self, journal: str) -> LedgerPosition:
        """The journal's end; for another journal, the position before its first line."""
        return self.position if self.position is not None and self._is_current(journal) else LedgerPosition(journal)

    def _advance(self, now_s: float) -> list[Output]:
        """Confirm what the heads cover, lowest head first; ask for the first missing line."""
        received: list[Output] = []
        wanted: set[str] = set()
        lacking: LedgerPosition | None = None
        for head in sorted(self._heads.values(), key=lambda each: each.seq):
            covered = self._covered(head)
            if isinstance(covered, LedgerPosition):
                wanted.add(covered.digest)
                lacking = lacking or covered
                continue
            self._heads.pop(head.digest, None)
            if isinstance(covered, str):
                received += self._refuse(f"head {head.digest}", covered, now_s)
            else:
                received += self._confirm(covered, now_s)
        self._wanted = frozenset(wanted)
        return received + (self._ask(lacking.journal, lacking.seq, now_s) if lacking else [])

    def _covered(self, head: LedgerPosition) -> list[PublicEvent] | LedgerPosition | str:
        """The lines from the last confirmed one to a head, the last missing line, or why the head is false."""
        start = self._start(head.journal)
        covered: list[PublicEvent] = []
        seq, wanted = head.seq, head.digest
        while seq > start.seq:
            found = self._pool.lines.get(wanted)
            if found is None:
                return LedgerPosition(head.journal, seq, wanted)
            event, _ = found
            if event.seq != seq or event.journal != head.journal:
                return f"table {self.table} has signed line {seq} of journal {head.journal!r}, but the line with that hash is another"
            covered.append(event)
            seq, wanted = seq - 1, event.prev
        if wanted != start.digest and head.seq > start.seq:
            return (
                f"table {self.table}: line {head.seq} of its ledger {head.journal!r} does not follow line {start.seq}, which it has "
                "signed before: it may run from an older copy of its disk; start it with a new journal"
            )
        return covered[::-1]

    def _confirm(self, covered: list[PublicEvent], now_s: float) -> list[Output]:
        received: list[Output] = []
        for event in covered:
            if not self._is_current(event.journal):
                received.append(self._follow_journal(event.journal, 0 if self.position is None else self.position.seq))
                self._heads = {hashed: head for hashed, head in self._heads.items() if head.journal == event.journal}
            received.append(self._take_over(event))
        return received + self._clear_pool(now_s)

    def _clear_pool(self, now_s: float) -> list[Output]:
        """Remove confirmed lines and those that contradict them."""
        received: list[Output] = []
        for hashed, (event, _) in list(self._pool.lines.items()):
            if event.journal in self._former:
                self._pool.drop(hashed)
            elif self._is_confirmed(event.journal, event.seq):
                self._pool.drop(hashed)
                signed = self.digest_of(event.seq)
                if signed not in (None, hashed):
                    received += self._contradicted(event, str(signed), now_s)
        return received

    def _ask(self, journal: str, seq: int, now_s: float) -> list[Output]:
        """Ask for lines up to ``seq`` in limited parts; the table sends a head after them."""
        first = self._start(journal).seq + 1
        resend = Resend(journal, first, min(seq, first + MOST_ASKED - 1))
        asked = self._asked
        waiting = asked is not None and (asked.journal, asked.first) == (journal, first) and now_s - self._asked_at_s < ASK_AGAIN_S
        return [] if waiting else self._ask_for(resend, now_s)

    def _contradicted(self, event: PublicEvent, signed: str, now_s: float) -> list[Output]:
        return [Contradicted(event, signed)] if self._is_new(digest(event.line), now_s) else []
