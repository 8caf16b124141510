"""A venue of a rehearsal without its wires: what its server, vault and tables say, signed as at a real venue.

Each table has a ledger of its own, chained and covered by signed heads, over a script of hands that were really played. Tables of
several venues may follow the same script; players' names, keys and hashes are each table's own.
"""

import hashlib
import json
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zlib import crc32

from cli.ledger_tables.ledger_table import LedgerPlay, LedgerTable, NoAdapters
from controller.adapters.hand_record import RecordFolder
from controller.ledger.journal import Journal
from controller.ledger.public import open_ledger, table_ledger
from controller.ledger.publisher import Publisher
from controller.state.sides import OpenDeal, opened_deal
from controller.state.table_state import Setup
from controller.table_loop import Books
from twinwall.event.field import EventField, Group
from twinwall.event.results import ONE_GROUP, EntrantKind
from twinwall.event.store.programme import Programme
from twinwall.game.deals import Deal, Start, StartedPlan
from twinwall.game.documents import digest
from twinwall.game.rules import rule_set
from twinwall.values import frozen
from twinwall.wire.ledger import HEADER_KEYS, LedgerPosition, envelope
from twinwall.wire.messages.boot_keys import Announcement, Head, LedgerKind, TableKey
from twinwall.wire.messages.commands import Health, write_health
from twinwall.wire.messages.signing import KEY_SIZE, VAULT, Signer, sign_document
from twinwall.wire.messages.venue_messages import SPOKEN, ResendOrder, VenueStatement, write_venue_statement
from twinwall.wire.mqtt.topics import Channel, Topic, keys_topic, venue_statement_topic

ScriptLine = tuple[str, Mapping[str, object]]
"""An event's type and its fields."""
JOURNAL = "rehearsal"
HAND_CLOSED = "hand-closed"
"""The line with which a table's result of a deal stands."""


@frozen
class ScriptedMessage:
    """What is published in the hall."""

    topic: str
    payload: bytes


def centre_programme(plan: StartedPlan) -> Programme:
    """What the centre plays by: every venue names its tables itself."""
    return Programme(plan.plan.event, EventField(EntrantKind.INDIVIDUAL), plan)


class ScriptedTable:
    """One table: its ledger grows along a script."""

    def __init__(self, event: str, venue: str, name: str, script: Sequence[ScriptLine]) -> None:
        self.name = name
        self.lines: list[bytes] = []
        self._event, self._venue, self._script = event, venue, script
        self._signer = _signer(name, f"table {venue}/{name}")
        self._topic, self._head_topic = (str(Topic(event, name, channel)) for channel in (Channel.EVENTS, Channel.HEAD))
        self._position = LedgerPosition(JOURNAL)
        self.ahead = crc32(f"{venue}/{name}".encode()) / (1 << 32)
        """By such a part of a line it is before the slowest: tables do not write in step."""
        self._closing = [seq for seq, (event_type, _) in enumerate(script, 1) if event_type == HAND_CLOSED]

    @property
    def signing_key(self) -> TableKey:
        """As the venue's vault announces it."""
        return TableKey(self.name, self._signer.public.hex())

    @property
    def planned(self) -> int:
        """How many lines its ledger will have."""
        return len(self._script)

    @property
    def hands_closed(self) -> int:
        """How many hands its ledger has to the end."""
        return bisect_right(self._closing, len(self.lines))

    def play(self, share: float, at: datetime) -> None:
        """Write what there is after this share of the session; all of it after the whole."""
        self.play_to(min(self.planned, int(self.planned * share + self.ahead)), at)

    def play_to(self, count: int, at: datetime) -> None:
        """Write the ledger up to its line of this number."""
        for event_type, fields in self._script[len(self.lines) : count]:
            line = envelope(self.name, self._position, at, event_type, self._named(fields))
            self._position = LedgerPosition(JOURNAL, self._position.seq + 1, digest(line))
            self.lines.append(line)

    def line(self, seq: int) -> ScriptedMessage:
        """One of its lines."""
        return ScriptedMessage(self._topic, self.lines[seq - 1])

    def head(self, seq: int) -> ScriptedMessage:
        """The signed head that covers the lines up to this one."""
        head = Head(JOURNAL, seq, digest(self.lines[seq - 1]), LedgerKind.EVENTS)
        return ScriptedMessage(self._head_topic, sign_document(self._signer, head, self._event, self.name))

    def heartbeat(self, at: datetime) -> ScriptedMessage:
        """That it is there, and how long its ledger is."""
        health = Health(self.name, JOURNAL, len(self.lines), at)
        return ScriptedMessage(str(Topic(self._event, self.name, Channel.HEALTH)), write_health(health))

    def _named(self, fields: Mapping[str, object]) -> Mapping[str, object]:
        """The fields with players of this table alone: those of the script are its places."""
        places = fields.get("places")
        if not isinstance(places, dict) or "seats" not in fields:
            return fields
        return {**fields, "seats": {seat: f"{self._venue}-{self.name}-{place}" for seat, place in places.items()}}


class ScriptedVenue:
    """One venue with its tables."""

    def __init__(self, name: str, plan: StartedPlan, scripts: Mapping[str, Sequence[ScriptLine]], version: str) -> None:
        """``scripts`` are those of its tables by their names."""
        self.name, self._event, self._version, self._plan = name, plan.plan.event, version, plan
        self.tables = [ScriptedTable(self._event, name, table, script) for table, script in scripts.items()]
        self._server, self._vault = _signer(name, f"server {name}"), _signer(VAULT, f"vault {name}")

    @property
    def key(self) -> bytes:
        """The public key of its server, as the centre's settings have it."""
        return self._server.public

    @property
    def programme(self) -> Programme:
        """What it plays by."""
        field = EventField(EntrantKind.INDIVIDUAL, (Group(ONE_GROUP, tuple(table.name for table in self.tables)),))
        return Programme(self._event, field, self._plan)

    @property
    def statement(self) -> ScriptedMessage:
        """The same, as its server says it."""
        said = VenueStatement(SPOKEN, self._version, self.programme.document.decode(), self._vault.public.hex())
        return ScriptedMessage(venue_statement_topic(self._event), write_venue_statement(self._server, self._event, said))

    @property
    def announcement(self) -> ScriptedMessage:
        """The vault's word on the tables' keys."""
        keys = Announcement(1, tuple(table.signing_key for table in self.tables))
        return ScriptedMessage(keys_topic(self._event), sign_document(self._vault, keys, self._event))

    def answer(self, order: ResendOrder) -> list[ScriptedMessage]:
        """What is sent again, with the head that covers it, as a table sends it; nothing for a table or a journal that it has not.

        The head is that of the last line sent: with a later one alone a gap of more lines than an order asks for would never close.
        """
        table = next((each for each in self.tables if each.name == order.table), None)
        if table is None or order.journal != JOURNAL or not table.lines:
            return []
        last = min(order.last, len(table.lines))
        return [*(table.line(seq) for seq in range(order.first, last + 1)), table.head(last)]


def _signer(name: str, purpose: str) -> Signer:
    """A key that is the same in every rehearsal: it protects nothing."""
    return Signer(name, hashlib.sha256(f"twinwall rehearsal {purpose}".encode()).digest()[:KEY_SIZE])


TABLE = "script"
PLAYERS = ("0", "1", "2", "3")
_BEGAN = datetime(2026, 1, 1, tzinfo=UTC)


class GivenDeals:
    """All deals of a session, given one after the other."""

    def __init__(self, start: Start, deals: Sequence[OpenDeal]) -> None:
        self.start, self._deals = start, deals

    @property
    def awaited(self) -> None:
        """All deals are there."""

    def after(self, done: tuple[int, ...]) -> OpenDeal | None:
        """The next deal."""
        return next((deal for deal in self._deals if deal.n not in done), None)


class ScriptClock:
    """A time that passes only when told to; nothing is timed but by ``LedgerPlay``."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def now(self) -> datetime:
        """The time of day."""
        return _BEGAN + timedelta(seconds=self.now_s)

    def monotonic_s(self) -> float:
        """No machine and no person is waited for."""
        return 0.0

    def start(self, timer: str, seconds: float, fire: Callable[[], None]) -> None:
        """Claim windows are closed by the play itself."""


def played_script(folder: Path, start: Start, deals: Sequence[Deal], seed: int) -> list[ScriptLine]:
    """What a table says that plays these deals with habits drawn from ``seed``; the folder is empty and holds what the table keeps."""
    clock = ScriptClock()
    opened = [opened_deal(deal) for deal in deals]
    setup = Setup(TABLE, rule_set(opened[0].rules), PLAYERS, claim_window_s=3.0, unlock_lease_s=2.0, last_hand=opened[-1].hand)
    journal = Journal(folder / "table.journal", fsync=lambda _file: None)
    ledgers = (table_ledger(folder, TABLE, TABLE), open_ledger(folder, TABLE, TABLE))
    books = Books(journal, ledgers, RecordFolder(folder / "records", TABLE, {}))
    table = LedgerTable(setup, books, GivenDeals(start, opened), clock, "")
    play = LedgerPlay(table, setup, seed, 1.0, lambda: clock.now_s)
    publisher = Publisher(TABLE, TABLE, ledgers, folder, clock.now)
    follower = NoAdapters().follower(table.post)
    while len(table.state.closed) < len(opened):
        clock.now_s += play.advance()
        table.step(follower, publisher, _acknowledged, 0.0)
    journal.close()
    return [_script_line(line) for line in ledgers[0].lines]


def _script_line(line: bytes) -> ScriptLine:
    read = json.loads(line)
    return read["type"], {key: value for key, value in read.items() if key not in HEADER_KEYS}


def _acknowledged(_number: int) -> None:
    """There is no feeder that keeps events."""
