"""Receiver of one table's lines, without I/O, and the base that it shares with the receiver of signed heads.

Lines may come twice, late, out of order or not at all. A receiver returns each exactly once and in order, asks for missing ones, and
refuses lines that name another table. It never returns to a journal that it left; if such a journal grows, people get a notice. Time
(monotonic seconds) is an argument and only decides when to ask or report again. The caller sends each ``Resend``.

``TableReceiver`` is for rehearsals without signatures. It follows another journal only after the present one has been silent, and only from
that journal's first line on, so that a second controller or a stray message does not end the true stream.
"""

from collections.abc import Collection, Sequence

from twinwall.game.documents import DocumentError, digest
from twinwall.values import frozen
from twinwall.wire.ledger import LedgerPosition, PublicEvent, follows, parse
from twinwall.wire.messages.commands import Health, Resend

MOST_HELD = 1024
"""Lines stored beyond a gap; others are asked for again later."""
MOST_ASKED = 256
"""Lines asked for at a time, so that a long gap does not flood the broker."""
ASK_AGAIN_S = 2.0
SILENT_AFTER_S = 6.0
"""Three heartbeats: after this silence, another journal can replace the present one."""
MOST_REFUSED = 64
"""Refusals remembered; beyond these, a flood of bad lines is not reported line by line."""
REFUSE_AGAIN_S = 30.0
"""How long the same refusal is not repeated."""


@frozen
class NewJournal:
    """The table's controller was replaced: a ledger with another id begins at line 1."""

    journal: str


@frozen
class LineRefused:
    """A line was refused, and why, for people."""

    reason: str


@frozen
class KnownJournal:
    """A journal received before: the hash of each line after the first ``before``, whose hashes are unknown."""

    journal: str
    digests: tuple[str, ...]
    before: int = 0

    @property
    def position(self) -> LedgerPosition:
        seq = self.before + len(self.digests)
        return LedgerPosition(self.journal, seq, self.digests[-1]) if self.digests else LedgerPosition(self.journal)


@frozen
class RepeatedLine:
    """A line with an accepted number that differs, or whose hash is not remembered; the store of lines must decide."""

    event: PublicEvent


@frozen
class Contradicted:
    """Evidence: a line that contradicts the line with the hash ``signed``, which the table has signed."""

    event: PublicEvent
    signed: str

    @property
    def sentence(self) -> str:
        """What happened, for people. The line is not quoted, because its deal may not be released."""
        return (
            f"table {self.event.table}: somebody published another line {self.event.seq} ({digest(self.event.line)[:16]}…) than the "
            f"one that the table has signed ({self.signed[:16]}…), which stays: somebody else has its broker password"
        )


Output = PublicEvent | NewJournal | Resend | LineRefused | RepeatedLine | Contradicted
"""A ``PublicEvent`` is the next line of the table's ledger; a ``Resend`` asks the table for missing ones."""


def beyond(position: LedgerPosition) -> Resend:
    """A request for the lines after this one."""
    return Resend(position.journal, position.seq + 1, position.seq + MOST_ASKED)


class RecentDigests:
    """The hashes of a journal's last lines: all, or at least ``most`` and few more."""

    def __init__(self, most: int | None) -> None:
        self.most = most
        self.begin()

    def begin(self, digests: Sequence[str] = (), before: int = 0) -> None:
        """Begin a journal with these hashes, after ``before`` lines without."""
        self._digests, self._before = list(digests), before

    def add(self, line_digest: str) -> None:
        self._digests.append(line_digest)
        if self.most is not None and len(self._digests) > 2 * self.most:
            self._before += len(self._digests) - self.most
            del self._digests[: -self.most]

    def __len__(self) -> int:
        """The journal's number of lines."""
        return self._before + len(self._digests)

    def of(self, seq: int) -> str | None:
        """The hash of a line, or None."""
        index = seq - 1 - self._before
        return self._digests[index] if 0 <= index < len(self._digests) else None


class LineReceiver:
    """What receivers of one table's ``events`` topic share: the lines taken, and of which journals."""

    def __init__(self, table: str, known: Sequence[KnownJournal] = (), most_known: int | None = None) -> None:
        """``table`` is the name in the topic; lines must name it too. ``known`` are earlier journals in order; the last one continues.
        ``most_known`` limits the stored hashes; a line without stored hash is reported as ``RepeatedLine``."""
        self.table = table
        self.position: LedgerPosition | None = None
        """The last line taken; None before the first."""
        self._digests = RecentDigests(most_known)
        self._former = {former.journal: former.before + len(former.digests) for former in known[:-1]}
        self._asked: Resend | None = None
        self._asked_at_s = 0.0
        self._refused: dict[str, float] = {}
        if known:
            self._digests.begin(known[-1].digests, known[-1].before)
            self.position = known[-1].position

    def has_left(self, journal: str) -> bool:
        """Whether another journal has replaced this one."""
        return journal in self._former

    def digest_of(self, seq: int) -> str | None:
        """The hash of a taken line of the present journal, or None."""
        return self._digests.of(seq)

    def _read(self, payload: bytes, now_s: float) -> PublicEvent | list[Output]:
        try:
            event = parse(payload)
        except DocumentError as problem:
            return self._refuse(digest(payload), f"table {self.table}: {problem}", now_s)
        if event.table != self.table:
            reason = f"table {self.table} published a line in the name of table {event.table!r}"
            return self._refuse(digest(payload), reason, now_s)
        return event

    def _ask_beyond(self, now_s: float) -> list[Output]:
        """Ask for lines after those taken: the table may have continued unheard."""
        assert self.position is not None
        return self._ask_for(beyond(self.position), now_s)

    def _ask_for(self, lines: Resend, now_s: float) -> list[Output]:
        self._asked, self._asked_at_s = lines, now_s
        return [lines]

    def _is_current(self, journal: str) -> bool:
        return self.position is not None and self.position.journal == journal

    def _take_over(self, event: PublicEvent) -> PublicEvent:
        self.position = event.position
        self._digests.add(self.position.digest)
        return event

    def _follow_journal(self, journal: str, reached: int) -> NewJournal:
        """Turn to the journal of a new controller; the former one, of ``reached`` lines, is left for good."""
        if self.position is not None and self.position.seq > 0:
            self._former[self.position.journal] = reached
        self.position = LedgerPosition(journal)
        self._digests.begin()
        return NewJournal(journal)

    def _refuse_former(self, journal: str, seq: int, now_s: float) -> list[Output]:
        """Report lines beyond the end of a journal that was left; repeats of its earlier lines are ignored."""
        if seq <= self._former[journal]:
            return []
        assert self.position is not None
        reason = (
            f"table {self.table} goes on with its former journal {journal!r} (line {seq}), which {self.position.journal!r} has replaced: "
            "these lines are not shown; start the table with a new journal"
        )
        return self._refuse(f"former {journal}", reason, now_s)

    def _refuse(self, what: str, reason: str, now_s: float) -> list[Output]:
        return [LineRefused(reason)] if self._is_new(what, now_s) else []

    def _is_new(self, what: str, now_s: float) -> bool:
        self._refused = {known: at_s for known, at_s in self._refused.items() if now_s - at_s < REFUSE_AGAIN_S}
        if what in self._refused or len(self._refused) >= MOST_REFUSED:
            return False
        self._refused[what] = now_s
        return True


class TableReceiver(LineReceiver):
    """The receiver without signed heads. A line that contradicts an accepted one is a ``RepeatedLine`` too."""

    def __init__(self, table: str, known: Sequence[KnownJournal] = (), most_known: int | None = None) -> None:
        super().__init__(table, known, most_known)
        self._held: dict[int, PublicEvent] = {}
        self._claimed: Resend | None = None
        self._claimed_at_s = 0.0
        self._heard_at_s: float | None = None
        self._head = len(self._digests)

    @property
    def missing(self) -> int:
        """How many lines are known to exist and not yet taken."""
        return self._head - (self.position.seq if self.position else 0)

    @property
    def waiting(self) -> Collection[str]:
        """The hashes of lines that wait for earlier ones."""
        return {digest(event.line) for event in self._held.values()}

    def feed(self, payload: bytes, now_s: float) -> list[Output]:
        """Take one message of the table's ``events`` topic."""
        event = self._read(payload, now_s)
        if isinstance(event, list):
            return event
        if event.journal in self._former:
            return self._refuse_former(event.journal, event.seq, now_s)
        if self._is_confirmed() and not self._is_current(event.journal):
            if self._still_speaks(now_s):
                return self._refuse_second(event.journal, now_s)
            if event.seq > 1:
                return self._ask_for_journal(event.journal, event.seq, now_s)
            unchained = follows(event, LedgerPosition(event.journal))
            if unchained is not None:
                return self._refuse(digest(payload), f"table {self.table}, line 1: {unchained}", now_s)
        outputs: list[Output] = self._turn_to(event.journal)
        self._heard_at_s = now_s
        outputs += self._take(event, now_s)
        return outputs + self.tick(now_s)

    def hear(self, health: Health, now_s: float) -> list[Output]:
        """Take a heartbeat, whose ledger length shows a lost last line."""
        if health.table != self.table:
            reason = f"table {self.table} sent a heartbeat in the name of table {health.table!r}"
            return self._refuse(f"health {health.table}", reason, now_s)
        return self.expect(health.journal, health.seq, now_s)

    def expect(self, journal: str, seq: int, now_s: float) -> list[Output]:
        """Take the information that this journal has lines up to ``seq``; missing ones are asked for."""
        if journal in self._former:
            return self._refuse_former(journal, seq, now_s)
        if not self._is_current(journal) and self._is_confirmed():
            return self._refuse_second(journal, now_s) if self._still_speaks(now_s) else self._ask_for_journal(journal, seq, now_s)
        outputs: list[Output] = self._turn_to(journal)
        self._heard_at_s = now_s
        self._head = max(self._head, seq)
        return outputs + self.tick(now_s)

    def tick(self, now_s: float) -> list[Output]:
        if self.position is None or self.missing <= 0:
            self._asked = None
            return []
        first = self.position.seq + 1
        last = min(min(self._held, default=self._head + 1) - 1, first + MOST_ASKED - 1)
        waiting = self._asked is not None and self._asked.first <= first <= self._asked.last
        if waiting and now_s - self._asked_at_s < ASK_AGAIN_S:
            return []
        return self._ask_for(Resend(self.position.journal, first, last), now_s)

    def ask_onward(self, now_s: float) -> list[Output]:
        """Ask for lines after those known: the table may have continued unheard."""
        return self._ask_beyond(now_s) if self._is_confirmed() else []

    def _is_confirmed(self) -> bool:
        """Whether a line of the present journal was taken; until then any other journal may replace it."""
        return self.position is not None and self.position.seq > 0

    def _still_speaks(self, now_s: float) -> bool:
        """Whether the present journal was heard recently; one known from before gets the same time from now."""
        if self._heard_at_s is None:
            self._heard_at_s = now_s
        return now_s - self._heard_at_s < SILENT_AFTER_S

    def _refuse_second(self, journal: str, now_s: float) -> list[Output]:
        """Report a second controller with the table's identity."""
        assert self.position is not None
        reason = (
            f"table {self.table}: a second controller speaks in its name (journal {journal!r}) beside the one that plays "
            f"({self.position.journal!r}): what it says is not taken; end it, or, if it is the right one, end the other"
        )
        return self._refuse(f"beside {journal}", reason, now_s)

    def _ask_for_journal(self, journal: str, seq: int, now_s: float) -> list[Output]:
        """Ask for another claimed journal; its first line makes the receiver follow it."""
        if seq < 1:
            return []
        waiting = self._claimed is not None and self._claimed.journal == journal
        if waiting and now_s - self._claimed_at_s < ASK_AGAIN_S:
            return []
        self._claimed, self._claimed_at_s = Resend(journal, 1, seq), now_s
        return [Resend(journal, 1, min(seq, MOST_ASKED))]

    def _turn_to(self, journal: str) -> list[Output]:
        if self._is_current(journal):
            return []
        turned, claimed = self._follow_journal(journal, self._head), self._claimed
        self._head = claimed.last if claimed is not None and claimed.journal == journal else 0
        self._held, self._asked, self._claimed = {}, None, None
        return [turned]

    def _take(self, event: PublicEvent, now_s: float) -> list[Output]:
        assert self.position is not None
        if event.seq <= self.position.seq:
            known = self.digest_of(event.seq)
            if known == digest(event.line):
                return []
            if self._digests.most is not None:
                return [RepeatedLine(event)]
            if known is None:
                return []
            return self._refuse(digest(event.line), f"table {self.table} sent line {event.seq} a second time with other content", now_s)
        self._head = max(self._head, event.seq)
        if event.seq > self.position.seq + 1 and event.seq not in self._held and len(self._held) >= MOST_HELD:
            return []
        self._held[event.seq] = event
        return self._release(now_s)

    def _release(self, now_s: float) -> list[Output]:
        assert self.position is not None
        outputs: list[Output] = []
        while (event := self._held.pop(self.position.seq + 1, None)) is not None:
            reason = follows(event, self.position)
            if reason is not None:
                return outputs + self._refuse(digest(event.line), f"table {self.table}, line {event.seq}: {reason}", now_s)
            outputs.append(self._take_over(event))
        return outputs
