"""Crossing heads: each table sends the others the end of its ledger, and notes in its own journal what the others send.

A later change of a table's ledger, at the table and in the server's store, does not change what other tables have noted. A crossing head is
of the line that closes a released hand, because the number of a later line would reveal how far play is. It counts under the boot signing
key that the vault has announced for its table. ``twinwall verify`` finds contradictions to noted heads.
"""

import logging
import threading
from collections.abc import Callable

import msgspec

from controller.ledger.public import PublicLedger
from controller.ledger.publisher import HeadWriter, Link
from controller.state.messages import Message
from twinwall.game.documents import DocumentError, digest
from twinwall.wire.events.hand_events import HeadsNoted
from twinwall.wire.ledger import LedgerPosition
from twinwall.wire.messages.boot_keys import AnnouncedKeys, read_head
from twinwall.wire.messages.signing import Signer
from twinwall.wire.mqtt.topics import Channel, Topic, TopicError, all_tables, keys_topic, parse_topic

AGAIN_EVERY_BEATS = 15
"""With a heartbeat every two seconds, a lost head is repeated after half a minute."""
MOST_TOGETHER = 32
"""Heads noted in one line; more wait for the next heartbeat."""
MOST_WAITING = 1024
"""Most heads that wait to be noted; a table repeats its latest head, so a dropped one comes back."""
MOST_UNANNOUNCED = 256
"""Most tables with a stored head but without an announced key."""
MOST_JOURNALS = 16
"""Most journals noted per table: it begins another one in each session, and after a replaced disk."""
MOST_HEADS = 1024
"""Most heads noted per table: one for each deal, and both heads of a fork."""

log = logging.getLogger(__name__)


class _Line(msgspec.Struct):
    type: str
    n: int


_LINE = msgspec.json.Decoder(_Line)
_CLOSED, _RELEASED = "hand-closed", "deal-released"
_WANTED = tuple(f'"type":"{kind}"'.encode() for kind in (_CLOSED, _RELEASED))


class _NotedHeads:
    """The noted heads of one other table: each once, and in each journal none older than the highest."""

    def __init__(self, table: str) -> None:
        self._table = table
        self._noted: set[LedgerPosition] = set()
        self._highest: dict[str, int] = {}
        """The highest noted line number, by journal."""
        self._last: LedgerPosition | None = None
        self._said: set[str] = set()

    def judge(self, position: LedgerPosition) -> tuple[bool, str | None]:
        """Whether a head must be noted, and what is strange about it in one sentence; None if nothing is, or if it was reported before."""
        if position in self._noted:
            return False, None
        highest, last, name = self._highest.get(position.journal), self._last, f"table {self._table}"
        if highest is None and len(self._highest) >= MOST_JOURNALS:
            return False, self._once("journals", f"{name} has named {MOST_JOURNALS} journals: heads of further ones are not noted")
        if len(self._noted) >= MOST_HEADS:
            return False, self._once("heads", f"{name} has sent {MOST_HEADS} heads: further ones are not noted; tell the referee")
        if highest is None:
            gone_on = None if last is None else f"its head of {last.journal!r}, line {last.seq}, stays noted"
            return True, gone_on and f"{name} goes on with journal {position.journal!r}; {gone_on}"
        if position.seq < highest:
            older = f"{name} sent a head of line {position.seq}, older than the one of line {highest} noted before: it is not noted"
            return False, self._once(f"older {position.journal}", older)
        if position.seq == highest:
            return True, f"{name} has signed two lines {highest} of journal {position.journal!r}: both heads are noted; tell the referee"
        return True, None

    def note(self, position: LedgerPosition) -> None:
        self._noted.add(position)
        self._highest[position.journal] = position.seq
        self._last = position

    def _once(self, what: str, sentence: str) -> str | None:
        if what in self._said:
            return None
        self._said.add(what)
        return sentence


class CrossingHeads:
    """Both directions at one table; any thread may call."""

    def __init__(self, event: str, signer: Signer, vault_key: bytes, ledger: PublicLedger, post: Callable[[Message], None]) -> None:
        """``signer`` has the table's boot signing key under the table's name; ``ledger`` is its ledger ``events``."""
        self._event, self._table, self._ledger, self._post = event, signer.by, ledger, post
        self._keys_topic = keys_topic(event)
        self._lock = threading.Lock()
        self._read = self._released = 0
        """Lines of the ledger that were read, and the number of the one that closes the latest released hand; 0 before the first."""
        self._closed: dict[int, int] = {}
        self._own = HeadWriter(signer, event, Channel.CROSSING_HEAD)
        self._sent = 0
        self._beats = 0
        self._keys = AnnouncedKeys(event, vault_key)
        self._heard: dict[str, bytes] = {}
        """Each table's latest head, checked or not: one that came before its key was announced is checked again then."""
        self._noted: dict[str, _NotedHeads] = {}
        self._to_note: list[str] = []

    @property
    def subscriptions(self) -> tuple[str, ...]:
        return all_tables(self._event, Channel.CROSSING_HEAD), self._keys_topic

    def pump(self, link: Link) -> None:
        """Send a head if the ledger has grown by another release."""
        with self._lock:
            line = self._look()
            if line > self._sent and self._own.send(link, LedgerPosition(self._ledger.journal, line, digest(self._ledger.lines[line - 1]))):
                self._sent = line

    def _look(self) -> int:
        """Read the new lines of the ledger; the number of the one that closes the latest released hand."""
        for line in self._ledger.lines[self._read :]:
            self._read += 1
            if not any(wanted in line for wanted in _WANTED):
                continue
            read = _LINE.decode(line)
            if read.type == _CLOSED:
                self._closed[read.n] = self._read
            else:
                self._released = max(self._released, self._closed.get(read.n, 0))
        return self._released

    def beat(self, link: Link) -> None:
        """Note what was heard, and repeat the latest head from time to time."""
        with self._lock:
            self._beats += 1
            if self._beats % AGAIN_EVERY_BEATS == 0:
                self._sent = 0
            heads, self._to_note = self._to_note[:MOST_TOGETHER], self._to_note[MOST_TOGETHER:]
        self.pump(link)
        if heads:
            self._post(HeadsNoted(tuple(heads)))

    def hear(self, topic: str, payload: bytes) -> bool:
        """Handle a message; return whether it was on one of these topics."""
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
            if self._is_another(name) and self._heard.get(name.table) != payload:
                self._heard[name.table] = payload
                self._take_head(name.table, payload)
            return True

    def _is_another(self, name: Topic) -> bool:
        """Whether this is another table of the event; before the vault has announced its key, it may be."""
        if name.event != self._event or name.table == self._table:
            return False
        return self._keys.of(name.table) is not None or name.table in self._heard or len(self._heard) < MOST_UNANNOUNCED

    def _take_keys(self, payload: bytes) -> None:
        try:
            changed = self._keys.hear(payload)
        except DocumentError as error:
            log.warning("an announcement of keys is refused: %s", error)
            return
        if changed:
            for table, head in tuple(self._heard.items()):
                self._take_head(table, head)

    def _take_head(self, table: str, payload: bytes) -> None:
        key = self._keys.of(table)
        if key is None:
            return
        try:
            head = read_head(payload, self._event, table, key)
        except DocumentError as error:
            log.warning("%s: it is not noted", error)
            return
        noted = self._noted.setdefault(table, _NotedHeads(table))
        is_news, sentence = noted.judge(head.position)
        if is_news and len(self._to_note) >= MOST_WAITING:
            del self._heard[table]
            log.warning("%d heads wait to be noted: a head of table %s is left out until its table sends it again", MOST_WAITING, table)
            return
        if sentence is not None:
            log.warning("%s", sentence)
        if is_news:
            noted.note(head.position)
            self._to_note.append(payload.decode())
