"""Heads that cross: each table tells the others where its ledger stands, and notes in its own journal what the others tell.

Whoever changes a table's ledger afterwards, at the table and in the server's store, cannot change what the other tables have noted of
it. A head that crosses is of the line that closes a hand whose deal is released: the number of a later line would tell how far the play
is. It counts under the boot signing key that the vault has announced for its table. What contradicts a noted head is found by
``twinwall verify``.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

import msgspec

from controller.ledger.public import PublicLedger
from controller.ledger.publisher import Link
from controller.state.messages import HeadsHeard, Message
from twinwall.wire.canonical_json import FormError, digest
from twinwall.wire.ledger import LedgerPosition
from twinwall.wire.messages.announced_keys import AnnouncedKeys
from twinwall.wire.messages.head import Head, HeadError, LedgerKind, read_head, write_head
from twinwall.wire.messages.signing import SignatureError, Signer
from twinwall.wire.mqtt.topics import Channel, Topic, TopicError, all_tables, keys_topic, parse_topic

AGAIN_EVERY_BEATS = 15
"""With a heartbeat every two seconds a head that was lost is sent again after half a minute."""
MOST_TOGETHER = 32
"""Heads noted in one line; more wait for the next heartbeat."""

log = logging.getLogger(__name__)


class _ClosingLine(msgspec.Struct, tag_field="type", tag="hand-closed"):
    n: int


class _ReleaseLine(msgspec.Struct, tag_field="type", tag="deal-released"):
    n: int


_LINE = msgspec.json.Decoder(_ClosingLine | _ReleaseLine)
_WANTED = (b'"type":"hand-closed"', b'"type":"deal-released"')


class ReleasedEnd:
    """Finds in a ledger that grows the line that closes the latest hand whose deal is released."""

    def __init__(self, ledger: PublicLedger) -> None:
        self._ledger, self._read = ledger, 0
        self._closed: dict[int, int] = {}
        self.line = 0
        """Its number; 0 before the first release."""

    def look(self) -> None:
        """Read what the ledger has more."""
        lines = self._ledger.lines
        while self._read < len(lines):
            self._read += 1
            line = lines[self._read - 1]
            if not any(wanted in line for wanted in _WANTED):
                continue
            read = _LINE.decode(line)
            if isinstance(read, _ClosingLine):
                self._closed[read.n] = self._read
            else:
                self.line = max(self.line, self._closed.get(read.n, 0))


class CrossingHeads:
    """Both directions at one table; may be called from any thread."""

    def __init__(self, event: str, signer: Signer, vault_key: bytes, ledger: PublicLedger, post: Callable[[Message], None]) -> None:
        """``signer`` holds the table's boot signing key under the table's name; ``ledger`` is its ledger ``events``."""
        self._event, self._table, self._signer, self._ledger, self._post = event, signer.by, signer, ledger, post
        self._topic = str(Topic(event, signer.by, Channel.CROSSING_HEAD))
        self._keys_topic = keys_topic(event)
        self._lock = threading.Lock()
        self._end = ReleasedEnd(ledger)
        self._own: tuple[int, bytes] = (0, b"")
        self._sent = 0
        self._beats = 0
        self._keys = AnnouncedKeys(event, vault_key)
        self._heard: dict[str, bytes] = {}
        """Each table's latest head, checked or not: one that came before its key was announced is checked again afterwards."""
        self._noted: dict[str, LedgerPosition] = {}
        self._to_note: list[str] = []

    @property
    def subscriptions(self) -> tuple[str, ...]:
        """What the table's link has to subscribe to."""
        return all_tables(self._event, Channel.CROSSING_HEAD), self._keys_topic

    def pump(self, link: Link) -> None:
        """The ledger has grown: send a head when it tells of another release."""
        with self._lock:
            self._end.look()
            if self._end.line > self._sent and link.publish(self._topic, self._head(self._end.line)) is not None:
                self._sent = self._end.line

    def beat(self, link: Link) -> None:
        """Hand on what was heard, and send the latest head again from time to time."""
        with self._lock:
            self._beats += 1
            if self._beats % AGAIN_EVERY_BEATS == 0:
                self._sent = 0
            heads, self._to_note = self._to_note[:MOST_TOGETHER], self._to_note[MOST_TOGETHER:]
        self.pump(link)
        if heads:
            self._post(HeadsHeard(tuple(heads)))

    def hear(self, topic: str, payload: bytes) -> bool:
        """Take a message; whether it was one of these topics."""
        with self._lock:
            if topic == self._keys_topic:
                self._take_keys(payload)
                return True
            try:
                name = parse_topic(topic)
            except TopicError:
                return False
            if name.channel is not Channel.CROSSING_HEAD:
                return False
            if name.table != self._table and self._heard.get(name.table) != payload:
                self._heard[name.table] = payload
                self._take_head(name.table, payload)
            return True

    def _head(self, number: int) -> bytes:
        """The table's own head of a line, signed once."""
        if self._own[0] != number:
            head = Head(LedgerKind.EVENTS, self._ledger.journal, number, digest(self._ledger.lines[number - 1]))
            self._own = number, write_head(self._signer, self._event, self._table, head)
        return self._own[1]

    def _take_keys(self, payload: bytes) -> None:
        try:
            changed = self._keys.hear(payload)
        except (FormError, SignatureError) as error:
            log.warning("an announcement of keys is refused: %s", error)
            return
        if changed:
            for table, head in self._heard.items():
                self._take_head(table, head)

    def _take_head(self, table: str, payload: bytes) -> None:
        key = self._keys.of(table)
        if key is None:
            return
        try:
            head = read_head(payload, self._event, table, {table: key}, ledger=LedgerKind.EVENTS)
        except HeadError as error:
            log.warning("%s: it is not noted", error)
            return
        if sentence := self._unlike_before(table, head.position):
            log.warning("%s", sentence)
        if self._is_news(table, head.position):
            self._noted[table] = head.position
            self._to_note.append(payload.decode())

    def _is_news(self, table: str, position: LedgerPosition) -> bool:
        last = self._noted.get(table)
        return last is None or last.journal != position.journal or (last.seq <= position.seq and last != position)

    def _unlike_before(self, table: str, position: LedgerPosition) -> str | None:
        """What is strange about a head after the one that was noted last, in one sentence; None when nothing is."""
        last = self._noted.get(table)
        if last is None or last == position:
            return None
        if last.journal != position.journal:
            return f"table {table} goes on with journal {position.journal!r}; its head of {last.journal!r}, line {last.seq}, stays noted"
        if position.seq < last.seq:
            return f"table {table} sent a head of line {position.seq}, older than the one of line {last.seq} noted before: it is not noted"
        if position.seq == last.seq:
            return f"table {table} has signed two lines {last.seq} of journal {last.journal!r}: both heads are noted; tell the referee"
        return None
