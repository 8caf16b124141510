"""What follows from each message of a venue: lines to store, results that change, lines to request, and sentences for the venue's staff.

Messages may come twice, late and out of order. A line is accepted once, when it follows the line before it and a signed head of its table
covers it. A message that cannot be used yet is stored as waiting, so that it may be acknowledged once the batch is stored. Times that
venues write decide nothing here.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from centre.intake.venue_results import TELLS, VenueResults
from centre.intake.venue_trust import CentreVenue, VenueTrust
from centre.store.venue_contents import (
    KEYS,
    STATEMENT,
    ContradictingLine,
    KnownVenue,
    StoredHead,
    VenueBatch,
    VenueProgress,
    WaitingMessage,
)
from twinwall.event.store.programme import Programme
from twinwall.game.documents import DocumentError, digest
from twinwall.values import frozen
from twinwall.wire.journal_start import CountedJournals
from twinwall.wire.ledger import LedgerPosition, PublicEvent, parse
from twinwall.wire.messages.boot_keys import Head, read_head
from twinwall.wire.messages.commands import Resend, read_health
from twinwall.wire.messages.venue_messages import ResendOrder
from twinwall.wire.mqtt.topics import Channel, Topic, TopicError, keys_topic, parse_topic, venue_statement_topic
from twinwall.wire.receiver import REFUSE_AGAIN_S, Contradicted, LineRefused, NewJournal, Output, RepeatedLine, TableReceiver
from twinwall.wire.signed_receiver import SignedReceiver

MOST_KNOWN = 1024
"""Hashes kept of a table's last lines; for older lines the store says whether a repeated one is the same."""
MOST_UNKNOWN_TABLES = 64
"""The most tables of a venue kept before their keys are announced: the holder of the venue's account can invent names."""
UNKNOWN_REPORTED_AFTER_S = 30.0
"""How long there must be more of them before the venue gets a notice: those of a large venue may all do so just before its keys come."""
MOST_NOTICES = 64
"""The most sentences sent to a venue within ``REFUSE_AGAIN_S``."""
PROGRESS_S = 5.0
"""How often progress with the venue is stored."""
CLOCK_TOLERANCE = timedelta(minutes=10)
"""A heartbeat that is further off was not merely late: the broker keeps no heartbeats for a centre that is away."""


@frozen
class IntakeMoment:
    """The wall clock's time, and that of a clock that never jumps (seconds)."""

    now: datetime
    monotonic_s: float


@frozen
class _CheckedHead:
    """A head whose signature counts, as received."""

    position: LedgerPosition
    message: WaitingMessage


class _TableIntake:
    """One table: its receiver, and its waiting messages."""

    def __init__(self, receiver: TableReceiver | SignedReceiver) -> None:
        self.receiver = receiver
        self.heads: dict[str, _CheckedHead] = {}
        """Heads by the hash of their line, all checked under ``key``."""
        self.key: bytes | None = None
        self.last_head: tuple[bytes, bytes, Head] | None = None
        """The last message with a head whose signature was checked, and the key: tables repeat their last head."""
        self.unkeyed: WaitingMessage | None = None
        """The last head for which no key is known yet."""
        self.came: dict[str, WaitingMessage] = {}
        """Lines of the batch by hash."""
        self.stored: set[str] = set()
        """Hashes of the messages that wait in the store."""
        self.reached = receiver.position
        """The last line that counts; None before the first."""
        self.reported: dict[Channel, tuple[str, int]] = {}
        """Journal and number of the last line, by the furthest head that counts and by the last heartbeat; a journal without a name is the
        present one."""

    @property
    def missing(self) -> int:
        """How many of its lines are not stored, by its heads and heartbeats."""
        journal, stored = ("", 0) if self.reached is None else (self.reached.journal, self.reached.seq)
        positions = [(named, seq) for named, seq in self.reported.values() if not self.receiver.has_left(named)]
        return max((seq - stored if named in (journal, "") else seq for named, seq in positions), default=0)

    def restore_missing(self, missing: int) -> None:
        """Restore how many lines were missing at the last start; the table's next heartbeat updates it."""
        journal, stored = ("", 0) if self.reached is None else (self.reached.journal, self.reached.seq)
        self.reported[Channel.HEALTH] = journal, stored + missing


class VenueIntake:
    """Takes one venue's messages, one after another."""

    def __init__(self, venue: CentreVenue, programme: Programme, known: KnownVenue, moment: IntakeMoment) -> None:
        """``programme`` is the centre's, ``known`` what is stored of the venue."""
        self._venue, self._programme, self._event, self._known = venue, programme, programme.event, known
        self._statement_topic, self._keys_topic = venue_statement_topic(self._event), keys_topic(self._event)
        self._trust, self._results = VenueTrust(venue, programme), VenueResults(programme, known.results)
        self._tables: dict[str, _TableIntake] = {}
        self._unknown: set[str] = set()
        """Tables that have sent messages before their keys were announced."""
        self._no_room_since_s: float | None = None
        """Since when there is no room for more."""
        self._touched: set[str] = set()
        self._batch, self._orders = VenueBatch(), list[ResendOrder]()
        self._journals = CountedJournals(self._event, venue.key)
        self._noticed: dict[str, float] = {}
        self._progress, self._progress_at_s = known.progress or VenueProgress(0, 0, {}, None), float("-inf")
        self._beat_at = self._progress.at
        self._results.restore(map(parse, known.telling))
        for kind, topic in ((STATEMENT, self._statement_topic), (KEYS, self._keys_topic)):
            if kind in known.documents:
                self.take(topic, known.documents[kind], moment)
        for hashed, message in known.waiting.items():
            self._known_table(parse_topic(message.topic).table).stored.add(hashed)
            self.take(message.topic, message.payload, moment)
        for table, missing in self._progress.missing.items():
            self._known_table(table).restore_missing(missing)

    @property
    def brought(self) -> int:
        """Number of lines accepted since the last ``batch``."""
        return len(self._batch.lines)

    def take(self, topic: str, payload: bytes, moment: IntakeMoment) -> None:
        """Take a message by its topic in the venue."""
        if topic in (self._statement_topic, self._keys_topic):
            self._take_document(topic, payload, moment)
            return
        try:
            name = parse_topic(topic)
        except TopicError:
            return
        if name.event != self._event or self._trust.refusal is not None or not self._has_room(name.table, moment):
            return
        match name.channel:
            case Channel.EVENTS:
                table = self._table(name.table)
                table.came[digest(payload)] = WaitingMessage(topic, payload)
                self._act(name.table, table.receiver.feed(payload, moment.monotonic_s), moment)
            case Channel.HEAD:
                self._take_head(name, WaitingMessage(topic, payload), moment)
            case Channel.HEALTH:
                self._take_health(name.table, payload, moment)
            case _:
                pass

    def tick(self, moment: IntakeMoment) -> None:
        """Note that time has passed: request missing lines again."""
        for name, table in self._tables.items():
            self._act(name, table.receiver.tick(moment.monotonic_s), moment)
        if moment.monotonic_s - self._progress_at_s >= PROGRESS_S and (progress := self.progress) != self._progress:
            self._batch.progress = self._progress = progress
            self._progress_at_s = moment.monotonic_s

    @property
    def progress(self) -> VenueProgress:
        """How far the store is with the venue once the batch is stored."""
        stored = {name: journals[-1].position.seq for name, journals in self._known.journals.items()}
        stored |= {name: 0 if table.reached is None else table.reached.seq for name, table in self._tables.items()}
        missing = {name: table.missing for name, table in self._tables.items() if table.missing > 0}
        return VenueProgress(len(stored), sum(stored.values()), missing, self._beat_at)

    def batch(self) -> tuple[VenueBatch, Sequence[ResendOrder]]:
        """What came since the last call: what to store, and what to request afterwards."""
        for name in self._touched:
            self._settle_waiting(self._tables[name])
        self._touched.clear()
        if self._batch.lines and self._progress.missing:
            self._batch.progress = self._progress = self.progress  # after a restart no line counts as missing that is stored
        batch, orders, self._batch, self._orders = self._batch, self._orders, VenueBatch(), []
        return batch, orders

    def _settle_waiting(self, table: _TableIntake) -> None:
        """Note which messages of a table begin to wait, and which wait no longer."""
        pending = table.receiver.heads if isinstance(table.receiver, SignedReceiver) else ()
        for line in [line for line in table.heads if line not in pending]:
            self._keep_head(table, table.heads.pop(line))
        waiting = {hashed: table.came[hashed] for hashed in table.receiver.waiting if hashed in table.came}
        waiting |= {digest(head.message.payload): head.message for head in table.heads.values()}
        if table.unkeyed is not None:
            waiting[digest(table.unkeyed.payload)] = table.unkeyed
        still = waiting.keys() | set(table.receiver.waiting)
        used = table.stored - still
        self._batch.waiting |= {hashed: message for hashed, message in waiting.items() if hashed not in table.stored}
        self._batch.used += sorted(used)
        table.stored = (table.stored - used) | waiting.keys()
        table.came.clear()

    def _keep_head(self, table: _TableIntake, head: _CheckedHead) -> None:
        """Keep a head that waits for nothing if it covers accepted lines and no later one does."""
        at, name = head.position, (table.receiver.table, head.position.journal)
        if table.receiver.digest_of(at.seq) == at.digest and (name not in self._batch.heads or self._batch.heads[name].seq < at.seq):
            self._batch.heads[name] = StoredHead(*name, at.seq, head.message.payload)

    def _has_room(self, name: str, moment: IntakeMoment) -> bool:
        """Whether messages of this table may be kept; the others are requested once it sends a head under an announced key."""
        if self._venue.key is None or name in self._tables or name in self._known.journals or self._trust.key_of(name) is not None:
            return True
        self._unknown = {table for table in self._unknown if self._trust.key_of(table) is None}
        if len(self._unknown) < MOST_UNKNOWN_TABLES:
            self._unknown.add(name)
            self._no_room_since_s = None
            return True
        if self._no_room_since_s is None:
            self._no_room_since_s = moment.monotonic_s
        if moment.monotonic_s - self._no_room_since_s >= UNKNOWN_REPORTED_AFTER_S:
            self._tell(
                f"more than {MOST_UNKNOWN_TABLES} tables speak for which no key is announced; what further ones say is not kept: if "
                "these are none of yours, somebody has your gateway's certificate: call the centre",
                moment,
                among=MOST_NOTICES + 1,
            )
        return False

    def _table(self, name: str) -> _TableIntake:
        if name not in self._tables:
            journals = self._known.journals.get(name, ())
            kind = TableReceiver if self._venue.key is None else SignedReceiver
            self._tables[name] = _TableIntake(kind(name, journals, MOST_KNOWN))
        self._touched.add(name)
        return self._tables[name]

    def _known_table(self, name: str) -> _TableIntake:
        """A table of which something besides its journals is stored."""
        if name not in self._known.journals and self._trust.key_of(name) is None:
            self._unknown.add(name)
        return self._table(name)

    def _take_document(self, topic: str, payload: bytes, moment: IntakeMoment) -> None:
        """Take the venue's statement, or its vault's announcement of keys."""
        is_statement = topic == self._statement_topic
        kind = STATEMENT if is_statement else KEYS
        try:
            taken = self._trust.state(payload) if is_statement else self._trust.announce(payload)
        except DocumentError as error:
            self._tell(str(error), moment)
            return
        if self._trust.refusal is not None:
            self._tell(self._trust.refusal, moment)
        if not taken:
            return
        if payload != self._known.documents.get(kind):
            self._batch.documents[kind] = payload
        if is_statement and self._trust.programme is not None:
            self._batch.results += self._results.set_programme(self._trust.programme)
        for name, table in self._tables.items():
            self._follow_key(table)
            if table.unkeyed is not None:
                self._take_head(parse_topic(table.unkeyed.topic), table.unkeyed, moment)
                self._touched.add(name)

    def _follow_key(self, table: _TableIntake) -> None:
        """Drop heads that wait for their lines once their table has another key, or none."""
        key = self._trust.key_of(table.receiver.table)
        if isinstance(table.receiver, SignedReceiver) and table.key not in (None, key):
            table.receiver.forget_heads()
            self._touched.add(table.receiver.table)
        table.key = key

    def _take_head(self, name: Topic, message: WaitingMessage, moment: IntakeMoment) -> None:
        """Take a table's head, or what claims to be one: it counts under the key that the venue's vault has announced."""
        table = self._table(name.table)
        if not isinstance(table.receiver, SignedReceiver):
            return
        key = self._trust.key_of(name.table)
        if key is None:
            table.unkeyed = message
            return
        table.unkeyed = None
        if table.last_head is None or table.last_head[:2] != (message.payload, key):
            try:
                head = read_head(message.payload, self._event, name.table, key)
            except DocumentError as problem:
                self._tell(str(problem), moment)
                return
            table.last_head = message.payload, key, head
        head = table.last_head[2]
        table.key = key
        before, furthest = table.reported.get(Channel.HEAD, ("", 0))
        if head.position.journal != before or head.position.seq > furthest:
            table.reported[Channel.HEAD] = head.position.journal, head.position.seq
        table.heads[head.digest] = _CheckedHead(head.position, message)
        self._act(name.table, table.receiver.vouch(head.position, moment.monotonic_s), moment)

    def _take_health(self, name: str, payload: bytes, moment: IntakeMoment) -> None:
        try:
            health = read_health(payload)
        except DocumentError as problem:
            self._tell(f"table {name} sent a heartbeat that is not understood: {problem}", moment)
            return
        if abs(health.at - moment.now) > CLOCK_TOLERANCE:
            ahead = "ahead of" if health.at > moment.now else "behind"
            self._tell(f"the clock of table {name} is more than 10 minutes {ahead} the centre's: set it; no result depends on it", moment)
        table, at = self._table(name), min(health.at, moment.now)
        table.reported[Channel.HEALTH] = health.journal, health.seq
        self._beat_at = at if self._beat_at is None else max(self._beat_at, at)
        if isinstance(table.receiver, TableReceiver):
            self._act(name, table.receiver.hear(health, moment.monotonic_s), moment)

    def _act(self, table: str, outputs: Sequence[Output], moment: IntakeMoment) -> None:
        for output in outputs:
            match output:
                case PublicEvent() as event:
                    self._accept(event, moment)
                case Resend() as resend:
                    self._orders.append(ResendOrder(self._event, table, resend.journal, resend.first, resend.last))
                case LineRefused(reason):
                    self._tell(reason, moment)
                case Contradicted(event, signed):
                    self._batch.evidence.append(ContradictingLine(table, event.line, signed))
                    self._tell(output.sentence, moment)
                case RepeatedLine(event):
                    self._batch.repeated.append(event)
                case NewJournal():
                    pass

    def _accept(self, event: PublicEvent, moment: IntakeMoment) -> None:
        """Accept a line, unless its journal is not of the event's start, or follows another one without the staff's order."""
        table, custody = self._tables[event.table], self._programme.custody
        other = table.reached is not None and table.reached.journal != event.journal
        former = table.reached if other and self._results.any_begun(event.table) else None
        if custody is not None and (problem := self._journals.problem(event, custody.start, former)) is not None:
            self._tell(problem, moment)
        if not self._journals.count(event):
            return
        table.reached = event.position
        self._batch.lines.append(event)
        if isinstance(event.body, TELLS):
            self._batch.telling.add((event.table, event.journal, event.seq))
            self._batch.results += self._results.take(event)

    def _tell(self, sentence: str, moment: IntakeMoment, among: int = MOST_NOTICES) -> None:
        """Tell the venue's staff, and repeat it from time to time while it lasts; at most ``among`` sentences in that time."""
        self._noticed = {earlier: at_s for earlier, at_s in self._noticed.items() if moment.monotonic_s - at_s < REFUSE_AGAIN_S}
        if sentence not in self._noticed and len(self._noticed) < among:
            self._noticed[sentence] = moment.monotonic_s
            self._batch.notices.append(sentence)
