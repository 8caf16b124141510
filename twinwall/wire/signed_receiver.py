"""Receiver of one table's ledger that hands on only lines that a signed head of the table covers, without any I/O.

Anybody with the table's broker password can publish lines. So a line waits in a bounded pool until a head arrives whose chain of
hashes leads back over it to the last confirmed line; the caller has checked the head's signature. A line that contradicts a
confirmed one is evidence and changes nothing. Missing lines are asked for. Time is an argument (monotonic seconds).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from twinwall.game.documents import DocumentError, digest
from twinwall.wire.ledger import LedgerPosition, PublicEvent, parse
from twinwall.wire.messages.commands import Resend
from twinwall.wire.receiver import (
    ASK_AGAIN_S,
    MOST_ASKED,
    REFUSE_AGAIN_S,
    Accepted,
    Ask,
    KeptDigests,
    KnownJournal,
    LineRefused,
    NewJournal,
    RepeatedLine,
    beyond,
)

MOST_POOLED = 1024
MOST_POOLED_BYTES = 1 << 20
MOST_HEADS = 64
"""Heads kept while the lines that they cover are on their way."""
MOST_REFUSED = 64
"""Refusals remembered at a time; beyond them a flood of bad lines is not reported line by line."""
UNCOVERED_AFTER_S = 30.0
"""How long a line waits for a head that covers it."""


@dataclass(frozen=True, slots=True)
class Contradicted:
    """Evidence: a line that contradicts the one with the hash ``signed``, which the table has signed."""

    event: PublicEvent
    signed: str

    @property
    def sentence(self) -> str:
        """What happened, for people; the line itself is not quoted, since it may be of a deal that is not released."""
        return (
            f"table {self.event.table}: somebody published another line {self.event.seq} ({digest(self.event.line)[:16]}…) than the "
            f"one that the table has signed ({self.signed[:16]}…), which stays: somebody else has its broker password"
        )


Received: TypeAlias = Accepted | NewJournal | Ask | LineRefused | Contradicted | RepeatedLine


@dataclass(frozen=True, slots=True)
class _Lacking:
    """The chain back from a head breaks off: line ``seq`` with this hash is not in the pool."""

    seq: int
    digest: str


class _LinePool:
    """Lines by their hashes that wait for a head, with when they came; bounded, and the oldest make room."""

    def __init__(self) -> None:
        self.lines: dict[str, tuple[PublicEvent, float]] = {}
        self._bytes = 0

    def put(self, hashed: str, event: PublicEvent, now_s: float) -> None:
        """Keep a line."""
        if hashed not in self.lines:
            self.lines[hashed] = event, now_s
            self._bytes += len(event.line)
        while len(self.lines) > MOST_POOLED or self._bytes > MOST_POOLED_BYTES:
            self.drop(next(iter(self.lines)))

    def drop(self, hashed: str) -> None:
        """Let go of a line."""
        event, _ = self.lines.pop(hashed)
        self._bytes -= len(event.line)

    def drop_uncovered(self, now_s: float) -> bool:
        """Drop the lines that no head has covered for long; whether there were any."""
        late = [hashed for hashed, (_, at_s) in self.lines.items() if now_s - at_s >= UNCOVERED_AFTER_S]
        for hashed in late:
            self.drop(hashed)
        return bool(late)


class SignedReceiver:
    """The receiving end of one table's ledger and of its heads."""

    def __init__(self, table: str, known: Sequence[KnownJournal] = (), most_known: int | None = None) -> None:
        """``table`` is the name in the topic; ``known`` are the journals confirmed before, the last is gone on with.

        ``most_known`` bounds the hashes that are kept; a line of which none is kept is then reported as ``RepeatedLine``.
        """
        self.table = table
        self._position: LedgerPosition | None = None
        self._digests = KeptDigests(most_known)
        self._former = {former.journal: former.before + len(former.digests) for former in known[:-1]}
        self._pool = _LinePool()
        self._heads: dict[str, LedgerPosition] = {}
        self._wanted: frozenset[str] = frozenset()
        self._asked: Resend | None = None
        self._asked_at_s = 0.0
        self._refused: dict[str, float] = {}
        self._has_vouched = bool(known)
        if known:
            self._digests.begin(known[-1].digests, known[-1].before)
            self._position = known[-1].position

    @property
    def position(self) -> LedgerPosition | None:
        """The last confirmed line; None before the first."""
        return self._position

    def has_left(self, journal: str) -> bool:
        """Whether another journal has taken the place of this one."""
        return journal in self._former

    def digest_of(self, seq: int) -> str | None:
        """The hash of a confirmed line of the present journal; None for any other number."""
        return self._digests.of(seq)

    @property
    def waiting(self) -> Collection[str]:
        """The hashes of the lines that wait for a head."""
        return self._pool.lines.keys()

    @property
    def heads(self) -> Collection[str]:
        """The hashes that heads name whose lines are on their way."""
        return self._heads.keys()

    def vouch(self, head: LedgerPosition, now_s: float) -> list[Received]:
        """A head of the table, its signature checked."""
        self._has_vouched = True
        if head.seq < 1:
            return []
        if head.journal in self._former:
            return self._left_behind(head, now_s)
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
        """The key under which heads were checked counts no more: those that wait for lines cover nothing."""
        self._heads.clear()
        self._wanted = frozenset()

    def feed(self, payload: bytes, now_s: float) -> list[Received]:
        """One message of the table's ``events`` topic, from whomever."""
        try:
            event = parse(payload)
        except DocumentError as problem:
            return self._refuse(digest(payload), f"table {self.table}: {problem}", now_s)
        if event.table != self.table:
            reason = f"table {self.table} published a line in the name of table {event.table!r}"
            return self._refuse(digest(payload), reason, now_s)
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

    def tick(self, now_s: float) -> list[Received]:
        """Drop what no head has covered for long, and ask again when an answer has not come."""
        late = self._pool.drop_uncovered(now_s)
        reason = (
            f"table {self.table}: lines that no signed head of the table covers were dropped"
            if self._has_vouched
            else f"table {self.table}: its boot keys do not count yet, so lines were dropped; they are asked for once the keys count"
        )
        return (self._refuse("uncovered", reason, now_s) if late else []) + self._advance(now_s)

    def ask_onward(self, now_s: float) -> list[Received]:
        """Ask for whatever follows the confirmed lines: the table may have gone on unheard."""
        if self._position is None:
            return []
        self._asked, self._asked_at_s = beyond(self._position), now_s
        return [Ask(self._asked)]

    def _is_confirmed(self, journal: str, seq: int) -> bool:
        return self._position is not None and self._position.journal == journal and seq <= self._position.seq

    def _advance(self, now_s: float) -> list[Received]:
        """Confirm what the heads cover, the lowest head first; ask for the first line that is lacking."""
        received: list[Received] = []
        wanted: set[str] = set()
        lacking: tuple[LedgerPosition, _Lacking] | None = None
        for head in sorted(self._heads.values(), key=lambda each: each.seq):
            covered = self._covered(head)
            if isinstance(covered, _Lacking):
                wanted.add(covered.digest)
                lacking = lacking or (head, covered)
                continue
            self._heads.pop(head.digest, None)
            if isinstance(covered, str):
                received += self._refuse(f"head {head.digest}", covered, now_s)
            else:
                received += self._confirm(covered, now_s)
        self._wanted = frozenset(wanted)
        return received + (self._ask(lacking[0].journal, lacking[1].seq, now_s) if lacking else [])

    def _covered(self, head: LedgerPosition) -> list[PublicEvent] | _Lacking | str:
        """The lines from the last confirmed one to a head, the first that is lacking from behind, or why the head cannot be true."""
        current = self._position is not None and self._position.journal == head.journal
        start = self._position if current and self._position is not None else LedgerPosition(head.journal)
        covered: list[PublicEvent] = []
        seq, wanted = head.seq, head.digest
        while seq > start.seq:
            found = self._pool.lines.get(wanted)
            if found is None:
                return _Lacking(seq, wanted)
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

    def _confirm(self, covered: list[PublicEvent], now_s: float) -> list[Received]:
        received: list[Received] = []
        for event in covered:
            if self._position is None or self._position.journal != event.journal:
                received.append(self._turn_to(event.journal))
            self._position = event.position
            self._digests.add(self._position.digest)
            received.append(Accepted(event))
        return received + self._clear_pool(now_s)

    def _turn_to(self, journal: str) -> NewJournal:
        """The table's controller was replaced: its ledger begins again, and the former one is not returned to."""
        if self._position is not None:
            self._former[self._position.journal] = self._position.seq
        self._digests.begin()
        self._heads = {hashed: head for hashed, head in self._heads.items() if head.journal == journal}
        return NewJournal(journal)

    def _clear_pool(self, now_s: float) -> list[Received]:
        """Take out what is confirmed by now, and what contradicts it."""
        received: list[Received] = []
        for hashed, (event, _) in list(self._pool.lines.items()):
            if event.journal in self._former:
                self._pool.drop(hashed)
            elif self._is_confirmed(event.journal, event.seq):
                self._pool.drop(hashed)
                signed = self.digest_of(event.seq)
                if signed not in (None, hashed):
                    received += self._contradicted(event, str(signed), now_s)
        return received

    def _ask(self, journal: str, seq: int, now_s: float) -> list[Received]:
        """Ask for lines up to ``seq``, in parts of limited size; the table sends a head after them."""
        first = self._position.seq + 1 if self._position is not None and self._position.journal == journal else 1
        resend = Resend(journal, first, min(seq, first + MOST_ASKED - 1))
        asked = self._asked
        waiting = asked is not None and (asked.journal, asked.first) == (journal, first) and now_s - self._asked_at_s < ASK_AGAIN_S
        if waiting:
            return []
        self._asked, self._asked_at_s = resend, now_s
        return [Ask(resend)]

    def _left_behind(self, head: LedgerPosition, now_s: float) -> list[Received]:
        assert self._position is not None
        if head.seq <= self._former[head.journal]:
            return []
        reason = (
            f"table {self.table} goes on with its former journal {head.journal!r} (line {head.seq}), which {self._position.journal!r} "
            "has replaced: these lines are not shown; start the table with a new journal"
        )
        return self._refuse(f"former {head.journal}", reason, now_s)

    def _contradicted(self, event: PublicEvent, signed: str, now_s: float) -> list[Received]:
        return [Contradicted(event, signed)] if self._is_new(digest(event.line), now_s) else []

    def _refuse(self, what: str, reason: str, now_s: float) -> list[Received]:
        return [LineRefused(reason)] if self._is_new(what, now_s) else []

    def _is_new(self, what: str, now_s: float) -> bool:
        """Whether this was not reported lately; a lasting fault is reported from time to time."""
        self._refused = {known: at_s for known, at_s in self._refused.items() if now_s - at_s < REFUSE_AGAIN_S}
        if what in self._refused or len(self._refused) >= MOST_REFUSED:
            return False
        self._refused[what] = now_s
        return True
