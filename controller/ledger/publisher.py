"""Publishes the ledgers, also what waited while the broker was away: the outbox is the ledger itself with the position that the broker has.

The position on disk is only a hint: if it is lost, lines are published again, and receivers drop known ones. A table plays without
listeners too. This module also passes on what comes from the network: commands, and for the table's custodian sealed deals and released
slips.
"""

import logging
import threading
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from controller.ledger.public import PublicLedger
from twinwall.game.documents import DocumentError, digest
from twinwall.wire.durable_file import write_over
from twinwall.wire.ledger import LedgerPosition
from twinwall.wire.line_traces import LineTraces, may_be_traced
from twinwall.wire.messages.boot_keys import Head, LedgerKind
from twinwall.wire.messages.commands import (
    Command,
    FeederLinkQuality,
    FromServer,
    Health,
    MachineCondition,
    Resend,
    open_command,
    read_command,
    write_health,
)
from twinwall.wire.messages.ruling import Ruling
from twinwall.wire.messages.signing import Repeats, Signer, sign_document
from twinwall.wire.mqtt.access import SERVER_USER
from twinwall.wire.mqtt.link import LinkListener
from twinwall.wire.mqtt.topics import Channel, Topic, slips_topic

if TYPE_CHECKING:
    from controller.adapters.sealed_deals import SealedDeals
    from controller.ledger.crossing_heads import CrossingHeads

WINDOW = 64
"""Most lines under way to the broker."""
HEAD_EVERY = 32
"""While more lines wait, one head covers this many."""
SELDOM_BEATS = 16
"""The latest head is repeated at the second, fourth, eighth heartbeat after it was new, and so on; from this one on at each multiple of it.
"""
_POSITION_BYTES = 80
"""Bytes of a position's file."""

log = logging.getLogger(__name__)


class Link(Protocol):
    """The part of an MQTT connection that is needed."""

    def publish(self, topic: str, payload: bytes) -> int | None:
        """Send at QoS 1; return the token that will be acknowledged, or None while not connected."""


class HeadWriter:
    """Signs the heads of one ledger; the last one is cached, so that sending it again costs no signature."""

    def __init__(self, signer: Signer, event: str, channel: Channel, ledger: LedgerKind = LedgerKind.EVENTS) -> None:
        """``signer`` has the table's boot signing key under the table's name; ``channel`` takes the heads."""
        self._signer, self._event, self._ledger = signer, event, ledger
        self._topic = str(Topic(event, signer.by, channel))
        self._last: tuple[LedgerPosition, bytes] | None = None

    def send(self, link: Link, position: LedgerPosition) -> bool:
        """Sign and send; return whether it was sent. A lost one is sent with the next batch or a later heartbeat."""
        if self._last is None or self._last[0] != position:
            head = Head(position.journal, position.seq, position.digest, self._ledger)
            self._last = position, sign_document(self._signer, head, self._event, self._signer.by)
        return link.publish(self._topic, self._last[1]) is not None


class LastHeartbeat:
    """The last heartbeat over a link, until the broker has taken it: more heartbeats would delay a slow broker further. A link's tokens
    rise, and one may be reported as taken before ``publish`` has returned it. Any thread may call."""

    def __init__(self) -> None:
        self._sent: int | None = None
        self._taken = 0

    @property
    def is_under_way(self) -> bool:
        """Whether the broker has not taken it yet."""
        return self._sent is not None and self._sent > self._taken

    def sent(self, token: int | None) -> None:
        """One was published; None if the broker is away."""
        self._sent = token

    def taken(self, token: int) -> None:
        """The broker has taken this message, a heartbeat or another one."""
        self._taken = max(self._taken, token)

    def void(self) -> None:
        """There is a new connection: messages under way on an earlier one are lost."""
        self._sent = None


class Outbox:
    def __init__(
        self, ledger: PublicLedger, topic: Topic, position_file: Path, heads: HeadWriter | None = None, traces: LineTraces | None = None
    ) -> None:
        """``position_file`` has journal id and number of the last line that the broker has acknowledged; ``heads`` signs heads, None in an
        unsigned rehearsal; ``traces`` receive the sent lines."""
        self._ledger, self._traces = ledger, traces
        self._topic = str(topic)
        self._heads = heads
        self._headed = 0
        self._beats = 0
        """Heartbeats since the head of ``_headed`` was first sent."""
        self._file = position_file
        self._acknowledged = self._stored()
        """Number of the last line up to which the broker has all."""
        self._sent = self._acknowledged
        self._tokens: dict[int, int] = {}
        self._sent_ns: dict[int, int] = {}
        """When traced lines were sent."""
        self._arrived: set[int] = set()
        self._again: dict[int, None] = {}
        """Numbers to send again, in the order of requests, each once."""
        self._under_way: dict[int, int] = {}
        """By token, numbers sent again that the broker has not taken yet. Two receivers ask every two seconds, so without this a slow
        broker would get the same lines ever more often."""

    def pump(self, link: Link) -> None:
        self._pump_again(link)
        self._pump_new(link)
        if self._sent - self._headed >= HEAD_EVERY or self._headed < self._sent == len(self._ledger.lines):
            self._headed, self._beats = self._sent, 0
            self._send_head(link, self._headed)

    def beat(self, link: Link) -> None:
        """Repeat the latest head, at growing intervals: a receiver may have lost it, or may have come later.

        A hall's broker passes each one on to the server, the vault and, queued while it is away, to a centre of many venues.
        """
        self._beats += 1
        seldom = self._beats % SELDOM_BEATS == 0 if self._beats > SELDOM_BEATS else self._beats.bit_count() == 1
        if self._headed and self._beats > 1 and seldom:
            self._send_head(link, self._headed)

    def _pump_again(self, link: Link) -> None:
        last = 0
        for number in list(self._again)[: WINDOW - len(self._under_way)]:
            token = link.publish(self._topic, self._ledger.lines[number - 1])
            if token is None:
                return
            last = self._under_way[token] = number
            del self._again[number]
        if last:
            self._send_head(link, last)

    def _send_head(self, link: Link, number: int) -> None:
        position = LedgerPosition(self._ledger.journal, number, digest(self._ledger.lines[number - 1]))
        if self._heads is not None and not self._heads.send(link, position):
            self._beats = 1  # the next heartbeat tries again

    def _pump_new(self, link: Link) -> None:
        while self._sent < len(self._ledger.lines) and self._sent - self._acknowledged < WINDOW:
            token = link.publish(self._topic, self._ledger.lines[self._sent])
            if token is None:
                return
            self._sent += 1
            self._tokens[token] = self._sent
            if self._traces is not None and may_be_traced(self._ledger.lines[self._sent - 1]):
                self._sent_ns[self._sent] = self._traces.now_ns()

    def published(self, token: int) -> None:
        """The broker has taken the line of this token."""
        self._under_way.pop(token, None)
        number = self._tokens.pop(token, None)
        if number is None:
            return
        self._arrived.add(number)
        if self._traces is not None and number in self._sent_ns:
            self._traces.left_table(self._ledger.lines[number - 1], self._sent_ns.pop(number))
        before = self._acknowledged
        while self._acknowledged + 1 in self._arrived:
            self._acknowledged += 1
            self._arrived.remove(self._acknowledged)
        if self._acknowledged != before:
            write_over(self._file, f"{self._ledger.journal} {self._acknowledged}".ljust(_POSITION_BYTES).encode())

    def connection_lost(self) -> None:
        """Everything under way is void."""
        self._tokens.clear()
        self._under_way.clear()
        self._arrived.clear()
        self._sent = self._acknowledged
        self._headed = 0

    def resend(self, command: Resend) -> None:
        """Send lines again that a receiver lacks. The next heartbeat tells it how many more there are."""
        self._beats = 1
        if command.journal == self._ledger.journal:
            asked, under_way = range(command.first, min(command.last, len(self._ledger.lines)) + 1), set(self._under_way.values())
            self._again.update(dict.fromkeys(number for number in asked if number not in under_way))

    def _stored(self) -> int:
        try:
            journal, number = self._file.read_text()[:_POSITION_BYTES].split()
        except (FileNotFoundError, ValueError):
            return 0
        return min(int(number), len(self._ledger.lines)) if journal == self._ledger.journal and number.isdigit() else 0


_LEDGERS = ((Channel.EVENTS, Channel.HEAD, LedgerKind.EVENTS), (Channel.PUBLIC, Channel.PUBLIC_HEAD, LedgerKind.PUBLIC))


class Publisher(LinkListener):
    """Listens to one MQTT link, and sends both ledgers and the heartbeat; any thread may call."""

    def __init__(
        self,
        event: str,
        table: str,
        ledgers: tuple[PublicLedger, PublicLedger],
        folder: Path,
        now: Callable[[], datetime],
        *,
        trusted: Mapping[str, bytes] | None = None,
        signer: Signer | None = None,
        traces: LineTraces | None = None,
    ) -> None:
        """``ledgers`` are the table's and the open one, already caught up. ``trusted`` are the public keys of those whose commands count,
        by name; None, as in a rehearsal, accepts unsigned ones. ``signer`` has the boot signing key for heads; None without one. ``traces``
        receive the table's lines."""
        self._event, self._table, self._now = event, table, now
        self._ledger = ledgers[0]
        self._boxes = tuple(
            Outbox(
                ledger,
                Topic(event, table, channel),
                folder / f"{channel}.position",
                None if signer is None else HeadWriter(signer, event, of_heads, kind),
                traces if kind is LedgerKind.EVENTS else None,
            )
            for ledger, (channel, of_heads, kind) in zip(ledgers, _LEDGERS, strict=True)
        )
        self._lock = threading.Lock()
        self._trusted, self._repeats = trusted, Repeats()
        self._deal_topic, self._slips_topic = str(Topic(event, table, Channel.DEAL)), slips_topic(event)
        self._challenge_topic = str(Topic(event, table, Channel.CHALLENGE))
        self._heartbeat = LastHeartbeat()
        self.link: Link | None = None
        self.custodian: SealedDeals | None = None
        """Takes sealed deals, released slips and challenges, and makes the statements to the vaults."""
        self.others: CrossingHeads | None = None
        """Sends the other tables the end of this table's ledger, and receives theirs."""
        self.feeder_line: Callable[[], FeederLinkQuality | None] = lambda: None
        """The quality of the line to the feeder, for heartbeats."""
        self.machine: Callable[[], MachineCondition | None] = lambda: None
        """The machine's condition, for heartbeats."""
        self.from_server: Callable[[FromServer], None] | None = None
        """Takes rulings, and presses on the pages by players and directors; a repeated ruling comes again."""
        self.questions: Callable[[], None] = lambda: None
        """Sends the referee the open question again."""
        self.online: Callable[[bool], None] = lambda _up: None
        """Called with whether the broker is there, at a table without a custodian, who reports it himself."""

    @property
    def subscriptions(self) -> tuple[str, ...]:
        command = str(Topic(self._event, self._table, Channel.COMMAND))
        of_vault = () if self.custodian is None else (self._deal_topic, self._slips_topic, self._challenge_topic)
        return (command, *of_vault, *(() if self.others is None else self.others.subscriptions))

    def pump(self) -> None:
        if self.link is not None:
            with self._lock:
                for box in self._boxes:
                    box.pump(self.link)
            if self.others is not None:
                self.others.pump(self.link)

    def beat(self, lost: tuple[str, ...]) -> None:
        """Send the server a heartbeat with the ledger's length, and the latest heads again.

        Does nothing until the broker has taken the last heartbeat.
        """
        if self._heartbeat.is_under_way:
            return
        if self.link is not None:
            with self._lock:
                for box in self._boxes:
                    box.beat(self.link)
            stands = self._ledger.journal, len(self._ledger.lines)
            health = Health(self._table, *stands, self._now(), lost, self.feeder_line(), self.machine())
            self._heartbeat.sent(self.link.publish(str(Topic(self._event, self._table, Channel.HEALTH)), write_health(health)))
            self.questions()
            if self.others is not None:
                self.others.beat(self.link)
        self._state()

    def connected(self) -> None:
        self._heartbeat.void()
        if self.custodian is not None:
            self.custodian.connected()
        else:
            self.online(True)
        self.pump()
        self._state()

    def disconnected(self, reason: str) -> None:
        log.info("broker: %s", reason)
        with self._lock:
            for box in self._boxes:
                box.connection_lost()
        if self.custodian is not None:
            self.custodian.disconnected()
        else:
            self.online(False)

    def published(self, token: int) -> None:
        self._heartbeat.taken(token)
        with self._lock:
            for box in self._boxes:
                box.published(token)
        self.pump()

    def message(self, topic: str, payload: bytes) -> None:
        if topic in (self._deal_topic, self._slips_topic, self._challenge_topic):
            if self.custodian is not None:
                self._for_custodian(self.custodian, topic, payload)
            return
        if self.others is not None and self.others.hear(topic, payload):
            return
        try:
            command = self._command(payload)
        except DocumentError as error:
            self.problem(f"a command on {topic} was refused: {error}")
            return
        match command:
            case Resend():
                with self._lock:
                    self._boxes[0].resend(command)
                self.pump()
            case None:
                pass
            case _ if self.from_server is not None:
                self.from_server(command)
            case Ruling():
                self.problem(f"ruling {command.identity} came while the table takes none yet: rule again")

    def _for_custodian(self, custodian: "SealedDeals", topic: str, payload: bytes) -> None:
        if topic == self._deal_topic:
            custodian.take(payload)
        elif topic == self._slips_topic:
            custodian.hear_slip(payload)
        elif custodian.hear_challenge(payload):
            self._state()

    def _command(self, payload: bytes) -> Command | None:
        if self._trusted is None:
            return read_command(payload)
        signed = open_command(payload, self._event, self._table, self._trusted)
        if isinstance(signed.command, FromServer) and signed.by != SERVER_USER:
            raise DocumentError(f"command {signed.identity} is signed by {signed.by!r}: rulings and what people press are the server's")
        if self._repeats.is_new(signed.by, signed.counter):
            return signed.command
        log.info("command %s of %s has come before, or a later one has: it has no effect", signed.identity, signed.by)
        return None

    def _state(self) -> None:
        if self.link is not None and self.custodian is not None:
            topic = str(Topic(self._event, self._table, Channel.CUSTODY))
            for statement in self.custodian.statements(self._ledger.position):
                self.link.publish(topic, statement)
