"""Receiver of one table's stream of lines, without any I/O, and what it shares with the one that wants signed heads.

Lines may come twice, late, out of order or not at all. A receiver hands each on exactly once and in order, asks for what is missing, and
refuses lines that name another table. It never returns to a journal that it left; when such a journal grows, people see a notice. Time is
an argument (monotonic seconds) and only decides when something is asked or reported again. Sending ``Ask`` is the caller's business.

``TableReceiver`` is for a rehearsal without signatures. It follows another journal only when the present one has been silent, and only
once that journal's first line is there: a second controller, or a stray message, does not end the true stream.
"""

from collections.abc import Collection, Sequence

from twinwall.game.documents import DocumentError, digest
from twinwall.values import frozen
from twinwall.wire.ledger import LedgerPosition, PublicEvent, follows, parse
from twinwall.wire.messages.commands import Health, Resend

MOST_HELD = 1024
"""Lines held beyond a gap; what does not fit is asked for again later."""
MOST_ASKED = 256
"""Lines asked for at a time, so that a long gap does not flood the broker."""
ASK_AGAIN_S = 2.0
SILENT_AFTER_S = 6.0
"""How long nothing may be heard of a journal, three heartbeats, before another can take its place."""
MOST_REFUSED = 64
"""Refusals remembered at a time; beyond them a flood of bad lines is not reported line by line."""
REFUSE_AGAIN_S = 30.0
"""How long the same refusal is not reported again; a lasting fault is reported from time to time."""


@frozen
class NewJournal:
    """The table's controller was replaced: a ledger of another id begins, and its lines start again from 1."""

    journal: str


@frozen
class Ask:
    """Lines are missing: send this to the table."""

    resend: Resend


@frozen
class LineRefused:
    """A line that was not taken, and why, for people."""

    reason: str


@frozen
class KnownJournal:
    """A journal that was received before: the hash of each of its lines after the first ``before``, of which nothing is known any more."""

    journal: str
    digests: tuple[str, ...]
    before: int = 0

    @property
    def position(self) -> LedgerPosition:
        """Where the journal stands."""
        seq = self.before + len(self.digests)
        return LedgerPosition(self.journal, seq, self.digests[-1]) if self.digests else LedgerPosition(self.journal)


@frozen
class RepeatedLine:
    """A line of a number that was accepted, and either another line or one whose hash is not kept: the store of lines says which."""

    event: PublicEvent


@frozen
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


Output = PublicEvent | NewJournal | Ask | LineRefused | RepeatedLine | Contradicted
"""A ``PublicEvent`` is the next line of the table's ledger."""


def beyond(position: LedgerPosition) -> Resend:
    """Asks for the lines after this one."""
    return Resend(position.journal, position.seq + 1, position.seq + MOST_ASKED)


class KeptDigests:
    """The hashes of a journal's last lines: of all, or of at least ``most`` and of not many more."""

    def __init__(self, most: int | None) -> None:
        self.most = most
        self.begin()

    def begin(self, digests: Sequence[str] = (), before: int = 0) -> None:
        """Know these of a journal, after ``before`` lines of which nothing is known."""
        self._digests, self._before = list(digests), before

    def add(self, line_digest: str) -> None:
        """The next line has this hash."""
        self._digests.append(line_digest)
        if self.most is not None and len(self._digests) > 2 * self.most:
            self._before += len(self._digests) - self.most
            del self._digests[: -self.most]

    def __len__(self) -> int:
        """How many lines the journal has."""
        return self._before + len(self._digests)

    def of(self, seq: int) -> str | None:
        """The hash of a line; None for one that is not known."""
        index = seq - 1 - self._before
        return self._digests[index] if 0 <= index < len(self._digests) else None


class LineReceiver:
    """What every receiving end of one table's ``events`` topic knows: which lines it has taken, and of which journals."""

    def __init__(self, table: str, known: Sequence[KnownJournal] = (), most_known: int | None = None) -> None:
        """``table`` is the name in the topic: what a line says about itself must agree with it.

        ``known`` are the journals received before, in their order: the last is gone on with, where it stands. ``most_known`` bounds the
        hashes that are kept; a line of which none is kept is then reported as ``RepeatedLine``.
        """
        self.table = table
        self.position: LedgerPosition | None = None
        """The last line that was taken; None before the first."""
        self._digests = KeptDigests(most_known)
        self._former = {former.journal: former.before + len(former.digests) for former in known[:-1]}
        self._asked: Resend | None = None
        self._asked_at_s = 0.0
        self._refused: dict[str, float] = {}
        if known:
            self._digests.begin(known[-1].digests, known[-1].before)
            self.position = known[-1].position

    def has_left(self, journal: str) -> bool:
        """Whether another journal has taken the place of this one."""
        return journal in self._former

    def digest_of(self, seq: int) -> str | None:
        """The hash of a line of the present journal that was taken; None for any other number."""
        return self._digests.of(seq)

    def _read(self, payload: bytes, now_s: float) -> PublicEvent | list[Output]:
        """A message as a line of this table."""
        try:
            event = parse(payload)
        except DocumentError as problem:
            return self._refuse(digest(payload), f"table {self.table}: {problem}", now_s)
        if event.table != self.table:
            reason = f"table {self.table} published a line in the name of table {event.table!r}"
            return self._refuse(digest(payload), reason, now_s)
        return event

    def _ask_beyond(self, now_s: float) -> list[Output]:
        """Ask for whatever follows the lines that were taken: the table may have gone on unheard."""
        assert self.position is not None
        return self._ask_for(beyond(self.position), now_s)

    def _ask_for(self, lines: Resend, now_s: float) -> list[Output]:
        self._asked, self._asked_at_s = lines, now_s
        return [Ask(lines)]

    def _is_current(self, journal: str) -> bool:
        return self.position is not None and self.position.journal == journal

    def _take_over(self, event: PublicEvent) -> PublicEvent:
        """The line follows those that were taken."""
        self.position = event.position
        self._digests.add(self.position.digest)
        return event

    def _follow_journal(self, journal: str, reached: int) -> NewJournal:
        """The table's controller was replaced: its ledger begins again, and the former one, of ``reached`` lines, is not returned to."""
        if self.position is not None and self.position.seq > 0:
            self._former[self.position.journal] = reached
        self.position = LedgerPosition(journal)
        self._digests.begin()
        return NewJournal(journal)

    def _left_behind(self, journal: str, seq: int, now_s: float) -> list[Output]:
        """Something of a journal that was left: an echo of what it held then says nothing, anything beyond it is reported."""
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
        """Whether this was not reported lately; a lasting fault is reported from time to time."""
        self._refused = {known: at_s for known, at_s in self._refused.items() if now_s - at_s < REFUSE_AGAIN_S}
        if what in self._refused or len(self._refused) >= MOST_REFUSED:
            return False
        self._refused[what] = now_s
        return True


class TableReceiver(LineReceiver):
    """The receiving end where no head is signed. A line that contradicts an accepted one is a ``RepeatedLine``, too."""

    def __init__(self, table: str, known: Sequence[KnownJournal] = (), most_known: int | None = None) -> None:
        super().__init__(table, known, most_known)
        self._held: dict[int, PublicEvent] = {}
        self._claimed: Resend | None = None
        self._claimed_at_s = 0.0
        self._heard_at_s: float | None = None
        self._head = len(self._digests)

    @property
    def missing(self) -> int:
        """How many lines are known to exist and have not been accepted."""
        return self._head - (self.position.seq if self.position else 0)

    @property
    def waiting(self) -> Collection[str]:
        """The hashes of the lines that wait for those before them."""
        return {digest(event.line) for event in self._held.values()}

    def feed(self, payload: bytes, now_s: float) -> list[Output]:
        """Take one message of the table's ``events`` topic."""
        event = self._read(payload, now_s)
        if isinstance(event, list):
            return event
        if event.journal in self._former:
            return self._left_behind(event.journal, event.seq, now_s)
        if self._is_confirmed() and not self._is_current(event.journal):
            if self._still_speaks(now_s):
                return self._beside(event.journal, now_s)
            if event.seq > 1:
                return self._consider(event.journal, event.seq, now_s)
            unchained = follows(event, LedgerPosition(event.journal))
            if unchained is not None:
                return self._refuse(digest(payload), f"table {self.table}, line 1: {unchained}", now_s)
        outputs: list[Output] = self._turn_to(event.journal)
        self._heard_at_s = now_s
        outputs += self._take(event, now_s)
        return outputs + self.tick(now_s)

    def hear(self, health: Health, now_s: float) -> list[Output]:
        """Take a heartbeat, which tells how long the ledger is: a lost last line is noticed by it."""
        if health.table != self.table:
            reason = f"table {self.table} sent a heartbeat in the name of table {health.table!r}"
            return self._refuse(f"health {health.table}", reason, now_s)
        return self.expect(health.journal, health.seq, now_s)

    def expect(self, journal: str, seq: int, now_s: float) -> list[Output]:
        """Learn from elsewhere that the ledger of this journal has lines up to ``seq``: what is missing is asked for."""
        if journal in self._former:
            return self._left_behind(journal, seq, now_s)
        if not self._is_current(journal) and self._is_confirmed():
            return self._beside(journal, now_s) if self._still_speaks(now_s) else self._consider(journal, seq, now_s)
        outputs: list[Output] = self._turn_to(journal)
        self._heard_at_s = now_s
        self._head = max(self._head, seq)
        return outputs + self.tick(now_s)

    def tick(self, now_s: float) -> list[Output]:
        """Ask for what is missing, and again when an answer has not come."""
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
        """Ask for whatever follows the lines that are known: the table may have gone on unheard."""
        return self._ask_beyond(now_s) if self._is_confirmed() else []

    def _is_confirmed(self) -> bool:
        """Whether a line of the journal that is followed has been taken; until then any other journal may take its place."""
        return self.position is not None and self.position.seq > 0

    def _still_speaks(self, now_s: float) -> bool:
        """Whether the journal that is followed has been heard recently; one known from before this run is given the same time to speak."""
        if self._heard_at_s is None:
            self._heard_at_s = now_s
        return now_s - self._heard_at_s < SILENT_AFTER_S

    def _beside(self, journal: str, now_s: float) -> list[Output]:
        """Another controller speaks while the one that is followed does: two have the table's identity."""
        assert self.position is not None
        reason = (
            f"table {self.table}: a second controller speaks in its name (journal {journal!r}) beside the one that plays "
            f"({self.position.journal!r}): what it says is not taken; end it, or, if it is the right one, end the other"
        )
        return self._refuse(f"beside {journal}", reason, now_s)

    def _consider(self, journal: str, seq: int, now_s: float) -> list[Output]:
        """Another journal is claimed: ask for it, and follow it when its first line comes."""
        if seq < 1:
            return []
        waiting = self._claimed is not None and self._claimed.journal == journal
        if waiting and now_s - self._claimed_at_s < ASK_AGAIN_S:
            return []
        self._claimed, self._claimed_at_s = Resend(journal, 1, seq), now_s
        return [Ask(Resend(journal, 1, min(seq, MOST_ASKED)))]

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
