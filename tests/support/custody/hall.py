"""Tables and the vaults of their event for the tests: real ledgers, real publishers and real sealed deals; only the play is made up."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from controller.adapters.deal_folder import due_deals
from controller.adapters.sealed_deals import SealedDeals
from controller.adapters.table_identity import TableIdentity
from controller.ledger.journal import JournalEntry
from controller.ledger.journal_events import JournalEvent
from controller.ledger.public import open_ledger, table_ledger
from controller.ledger.publisher import Publisher
from controller.state.messages import Message, SlipHeard
from controller.state.sides import OpenDeal
from controller.state.table_state import TableState
from tests.support.narrowed import present
from twinwall.custody.key_shares import HolderShares, KeyShares
from twinwall.custody.release import AllowKey
from twinwall.custody.table_custody import TableCustody
from twinwall.custody.table_rules import CustodyPlan
from twinwall.custody.vault import Publish, Vault, VenueEnd
from twinwall.custody.vault_files import Order, StoredEntry
from twinwall.game.deals import SEED_SIZE, FieldTerms, Seed, Slip, Start, StartedPlan, commit, make_deal, plan_sessions
from twinwall.game.documents import write_time
from twinwall.game.play_events import EndReason, HandEnded
from twinwall.game.tiles import SEATS, Seat
from twinwall.wire.events.hand_events import HandClosed, HandStarted
from twinwall.wire.events.wall_events import DealOpened, DealRefused, StartFixed
from twinwall.wire.ledger import LedgerPosition
from twinwall.wire.line_cipher import LINE_KEY_SIZE, LineSalts
from twinwall.wire.messages.boot_keys import BootSecrets
from twinwall.wire.messages.signing import Counter, Recipient, Signer, sign_document, vault_names
from twinwall.wire.messages.staff_orders import ReplacementOrder
from twinwall.wire.messages.vaults.journal_key import CHALLENGE_SIZE
from twinwall.wire.mqtt.topics import Channel, Topic, keys_topic, parse_topic, shares_topic, slips_topic, venue_vault_topic

EVENT = "Autumn / Herbst"
PUBLIC = "2026-11-20 12:00 UTC"
HANDS = 5
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


class HeldEvent:
    """An event whose holders have a seed and a vault each; ``signers`` are the vaults', by holder."""

    def __init__(self, *holders: str, terms: FieldTerms | None = None) -> None:
        self.holders = holders
        self.plan = plan_sessions(EVENT, "mcr-duplicate", sessions=1, hands=HANDS, holders=holders, public="noon", field=terms)
        self.seeds = {holder: Seed(bytes((SEED_SIZE * n + at) % 256 for at in range(SEED_SIZE))) for n, holder in enumerate(holders)}
        self.commitments = commit(self.plan, self.seeds)
        self.root = self.commitments.root
        self.start = Start(self.plan.digest, self.root, PUBLIC)
        self.started = StartedPlan(self.plan, self.start)
        self.shares = {holder: KeyShares(self.started, holder, seed, self.commitments) for holder, seed in self.seeds.items()}
        names = vault_names(holders)
        self.signers = {holder: Signer(names[holder], bytes([3 + place]) * 32) for place, holder in enumerate(holders)}
        self.digests = {n: make_deal(self.plan, self.seeds, n, PUBLIC, self.root).digest.hex() for n in range(1, HANDS + 1)}

    @property
    def trusted(self) -> dict[str, bytes]:
        return {signer.by: signer.public for signer in self.signers.values()}


ONE, TWO = HeldEvent("server"), HeldEvent("server", "witness")
PLAN, SEEDS, COMMITMENTS, ROOT = ONE.plan, ONE.seeds, ONE.commitments, ONE.root
START, STARTED, DIGESTS = ONE.start, ONE.started, ONE.digests
KEEPER, VAULT = ONE.shares["server"], ONE.signers["server"]
DUE = due_deals(PLAN, 1, range(1, HANDS + 1))
JOURNAL_KEY = b"\x0a" * LINE_KEY_SIZE
NAMES = ("1", "2")
IDENTITIES = {name: Signer(name, name.encode().ljust(32, b"i")) for name in NAMES}
PUBLIC_KEYS = {name: signer.public for name, signer in IDENTITIES.items()}


SERVER = Signer("server", b"\x0a" * 32)


def replacement(table: PlayedTable) -> bytes:
    """The order of the staff by which another controller goes on for this one, as the server's copy of its ledger says."""
    head, n = table.head, 0 if table.present is None else table.present.n
    order = ReplacementOrder(EVENT, head.journal, head.seq, head.digest, table.closed, n, "the disk is broken", "Abe", "Ota")
    return sign_document(SERVER, order, EVENT, table.name)


def boot_of(name: str, boot: int = 0) -> BootSecrets:
    return BootSecrets.from_bytes(name, f"{name}{boot}".encode().ljust(32, b"k") + f"{name}{boot}".encode().ljust(32, b"s"))


class PlayedTable:
    """A table as far as custody sees it: it opens deals, the next while it plays, closes hands, writes that down and publishes it.

    ``boot`` names its boot keys: another boot, other keys. ``folder`` is its disk, ``memory`` goes with the power.
    """

    def __init__(
        self,
        name: str,
        folder: Path,
        *,
        boot: int = 0,
        journal: str = "j1",
        identity: Signer | None = None,
        event: HeldEvent = ONE,
        now_s: Callable[[], float] = time.monotonic,
        lost: bytes | None = None,
    ) -> None:
        """``lost`` is the staff's order by which its journal goes on for one that was lost; the deals that it names are closed."""
        self.name, self.folder, self.boot, self.event = name, folder, boot, event
        self._time = count(1)
        self._seq = count(1)
        self.closed: tuple[int, ...] = ()
        self.present: OpenDeal | None = None
        self.building: OpenDeal | None = None
        self.played: dict[int, str] = {}
        self.bad: list[DealRefused] = []
        self.posted: list[Message] = []
        memory = folder / f"memory-{boot}"
        memory.mkdir(parents=True, exist_ok=True)
        secrets = boot_of(name, boot)
        vault_keys = {holder: signer.public for holder, signer in event.signers.items()}
        counter, recipient = Counter(lambda: self.boot * 1_000_000 + next(self._time)), Recipient(EVENT, name, event.root)
        own = TableIdentity(event.started, recipient, vault_keys, identity or IDENTITIES[name], secrets, counter)
        self.new_deals: Callable[[], SealedDeals] = lambda: SealedDeals(own, memory, DUE, now_s)
        self.deals = self.new_deals()
        ledgers = (table_ledger(folder, name, journal, salt=LineSalts(JOURNAL_KEY)), open_ledger(folder, name, journal))
        for ledger in ledgers:
            ledger.catch_up(())
        self._ledgers = ledgers
        self.publisher = Publisher(EVENT, name, ledgers, folder, self.now, trusted=event.trusted, signer=secrets.signer)
        self.publisher.custodian = self.deals
        self.deals.begin(TableState(), self.posted.append)
        self.write(StartFixed(event.start.code.hex(), None if lost is None else lost.decode()))
        if lost is not None:
            self._go_on(**json.loads(lost))
        self.boot_secrets, self.boot_keys = secrets, secrets.public

    def _go_on(self, finished: Sequence[int], n: int, **_others: object) -> None:
        """By an order, whoever gave it: the deals of the lost journal are over, and the hand that was in play is annulled."""
        self.closed = tuple(finished)
        if n:
            self.closed = (*finished, n)
            self.write(HandEnded(EndReason.ANNULLED, dict.fromkeys(SEATS, 0)))
            self.write(HandClosed(n))

    @staticmethod
    def now() -> datetime:
        return datetime(2026, 11, 20, 10, 0, tzinfo=UTC)

    @property
    def lines(self) -> list[bytes]:
        return self._ledgers[0].lines

    @property
    def head(self) -> LedgerPosition:
        return self._ledgers[0].position

    def close(self) -> None:
        for ledger in self._ledgers:
            ledger.close()

    def beat(self) -> None:
        self.publisher.pump()
        self.publisher.beat(())

    def write(self, event: JournalEvent) -> None:
        entry = JournalEntry(next(self._seq), write_time(self.now()), event)
        for ledger in self._ledgers:
            ledger.append([entry])
        self.beat()

    def build_next(self) -> bool:
        """Ask for the next deal and build its wall, beside the hand in play; what was refused is noted."""
        if self.building is not None:
            return True
        found = self.deals.after(self.closed if self.present is None else (*self.closed, self.present.n))
        posted, self.posted[:] = list(self.posted), [message for message in self.posted if isinstance(message, SlipHeard)]
        found = next((message for message in posted if isinstance(message, OpenDeal | DealRefused)), found)
        if isinstance(found, DealRefused):
            self.bad.append(found)
        if not isinstance(found, OpenDeal):
            return False
        deal = self.building = found
        self.write(DealOpened(deal.n, deal.session, deal.hand, deal.rules, deal.check, deal.walls, deal.digest))
        return True

    def open_next(self) -> bool:
        """Begin to play the next deal, if the table has it and plays none; the wall after it is then built as soon as it can be."""
        if self.present is None and self.build_next():
            assert self.building is not None
            deal, self.building = self.building, None
            self.present, self.played[deal.n] = deal, deal.digest
            self._start(deal.n, deal.hand)
        if self.present is not None:
            self.build_next()
        return self.present is not None

    def claim(self, n: int) -> None:
        """Write that deal ``n`` was played, though it was not."""
        self._start(n, n)
        self.write(HandClosed(n))

    def _start(self, n: int, hand: int) -> None:
        names, places, draws = dict.fromkeys(SEATS, "Ann"), dict(zip(SEATS, range(4), strict=True)), dict.fromkeys(SEATS, 21)
        self.write(HandStarted(n, 1, hand, "mcr-duplicate", {}, Seat.EAST, names, places, draws))

    def finish(self) -> None:
        assert self.present is not None
        self.closed, done, self.present = (*self.closed, self.present.n), self.present.n, None
        self.write(HandClosed(done))


@dataclass
class MemoryDisk:
    """What a vault has stored, put out and said, in lists that outlast it."""

    stored: list[StoredEntry] = field(default_factory=list)
    out: dict[int, bytes] = field(default_factory=dict)
    sentences: list[str] = field(default_factory=list)

    def kept(self) -> list[StoredEntry]:
        return list(self.stored)

    def slips(self, _started: StartedPlan) -> list[Slip]:
        return [Slip.from_json(slip) for slip in self.out.values()]

    def keep(self, event: StoredEntry) -> None:
        self.stored.append(event)

    def publish_slip(self, n: int, slip: bytes) -> None:
        self.out[n] = slip

    def say(self, sentence: str) -> None:
        self.sentences.append(sentence)

    def put_status(self, content: bytes) -> None:
        """No keeper asks."""

    def new_orders(self) -> list[Order | str]:
        return []

    def orders_taken(self) -> None:
        """There were none."""


class Hall:
    """An event's vaults and its tables without wires: what is published arrives with ``run``, unless the table is cut off.

    A person has allowed the keys of each table's first boot (``enrolled``) at every vault, and orders as ``orders`` says. The vaults
    of the holders in ``off`` do not run.
    """

    def __init__(self, folder: Path, *, ask: bool = True, enrolled: tuple[str, ...] = NAMES, event: HeldEvent = ONE) -> None:
        self.folder, self.event = folder, event
        self.orders: list[Order] = [AllowKey(name, boot_of(name).public.fingerprint) for name in enrolled]
        self.custody = CustodyPlan(DUE, (NAMES,), new_keys_ask=ask)
        self.cut_off: set[str] = set()
        self.off: set[str] = set()
        self.sentences: list[str] = []
        self.slips: dict[int, bytes] = {}
        self.disks = {holder: MemoryDisk(out=self.slips, sentences=self.sentences) for holder in event.holders}
        self.sent: list[tuple[str, bytes]] = []
        self.now_s = 0.0
        self._tokens = count(1)
        self.inbox: list[tuple[PlayedTable, int, str, bytes]] = []
        self.tables: dict[str, PlayedTable] = {}
        self.vaults: dict[str, Vault] = {}
        for holder in event.holders:
            self.kill_vault(holder)

    @property
    def vault(self) -> Vault:
        return self.vaults[self.event.holders[0]]

    @property
    def kept(self) -> list[StoredEntry]:
        """What the first holder's vault has on its disk."""
        return self.disks[self.event.holders[0]].stored

    def kill_vault(self, holder: str = "server") -> None:
        """Only what was kept on disk is left of a holder's vault."""
        counter = Counter(lambda: next(self._tokens))
        shares = self.shares_of(holder)
        challenges = (number.to_bytes(CHALLENGE_SIZE) for number in self._tokens)
        tables = TableCustody(
            self.custody,
            PUBLIC_KEYS,
            shares,
            signer=self.event.signers[holder],
            counter=counter,
            draw=lambda: next(challenges),
            command_id=lambda: "id",
            server=SERVER.public,
        )
        self.vaults[holder] = Vault(shares, tables, self.disks[holder], self.venue_end(holder, shares, counter))
        for order in self.orders:
            self.do(self.vaults[holder].order(order))

    def shares_of(self, holder: str) -> HolderShares:
        """What a holder's vault begins with."""
        return self.event.shares[holder]

    def venue_end(self, holder: str, shares: HolderShares, counter: Counter) -> VenueEnd | None:
        """The end of a holder's vault towards the centre; none in a hall of its own."""
        return None

    def status(self, at: datetime = NOON) -> bytes:
        """How the first holder's vault says that things stand."""
        return present(self.vault.members.status(self.vault.state, at, self.now_s))

    def order(self, order: Order) -> None:
        """A person orders something at every vault, which stays on its disk."""
        self.orders.append(order)
        for vault in self.vaults.values():
            self.do(vault.order(order))

    def add(self, table: PlayedTable) -> PlayedTable:
        self.tables[table.name] = table
        table.publisher.link = Cable(table, self.inbox, lambda: table.name not in self.cut_off and self.tables[table.name] is table)
        table.publisher.connected()
        self.run()
        return table

    def with_tables(self) -> Hall:
        """Both tables come to the hall, whose time is theirs."""
        for name in NAMES:
            self.add(PlayedTable(name, self.folder / name, event=self.event, now_s=lambda: self.now_s))
        return self

    def play_all(self, deals: int = 1) -> None:
        for name in NAMES:
            play(self, name, deals)

    def open_all(self) -> None:
        for name in NAMES:
            self.tables[name].open_next()
            self.run()

    def finish_all(self) -> None:
        for name in NAMES:
            self.tables[name].finish()
            self.run()

    def run(self) -> None:
        while self.inbox:
            table, token, topic, payload = self.inbox.pop(0)
            table.publisher.published(token)
            if parse_topic(topic).channel in (Channel.EVENTS, Channel.HEAD, Channel.CUSTODY):
                self.arrive(topic, payload)

    def close(self) -> None:
        for table in self.tables.values():
            table.close()

    def tick(self) -> None:
        for vault in self.running.values():
            self.do(vault.tick(self.now_s, NOON))

    def settle(self) -> None:
        """Heartbeats and ticks until everybody has said what there is to say."""
        for _ in range(4):
            self.now_s += 3.0
            self.tick()
            for table in self.tables.values():
                table.beat()
            self.run()

    def cut(self, name: str) -> None:
        self.cut_off.add(name)
        self.tables[name].publisher.disconnected("the cable is out")

    def mend(self, name: str) -> None:
        self.cut_off.discard(name)
        self.tables[name].publisher.connected()
        self.run()

    @property
    def running(self) -> dict[str, Vault]:
        return {holder: vault for holder, vault in self.vaults.items() if holder not in self.off}

    def arrive(self, topic: str, payload: bytes) -> None:
        for vault in self.running.values():
            if topic in vault.subscriptions:
                self.do(vault.hear(topic, payload, self.now_s))

    def do(self, sent: list[Publish]) -> None:
        for each in sent:
            self.sent.append((each.topic, each.payload))
            self._deliver(each.topic, each.payload)

    def _deliver(self, topic: str, payload: bytes) -> None:
        if topic == slips_topic(EVENT):
            for name, table in self.tables.items():
                if name not in self.cut_off:
                    table.publisher.message(topic, payload)
            return
        if topic == shares_topic(EVENT):
            self.arrive(topic, payload)
            return
        if topic in (keys_topic(EVENT), venue_vault_topic(EVENT)):
            return
        name = parse_topic(topic).table
        if name in self.tables and name not in self.cut_off:
            self.tables[name].publisher.message(topic, payload)


class Cable:
    """A table's link to an inbox, while it is plugged in."""

    def __init__(self, table: PlayedTable, inbox: list[tuple[PlayedTable, int, str, bytes]], plugged: Callable[[], bool]) -> None:
        self._table, self._inbox, self._plugged, self._tokens = table, inbox, plugged, count(1)

    def publish(self, topic: str, payload: bytes) -> int | None:
        if not self._plugged():
            return None
        token = next(self._tokens)
        self._inbox.append((self._table, token, topic, payload))
        return token


def deal_topic(name: str) -> str:
    return str(Topic(EVENT, name, Channel.DEAL))


def play(hall: Hall, name: str, deals: int = 1) -> int:
    """Let a table play as far as it can, at most so many deals; returns how many it has finished."""
    table = hall.tables[name]
    done = 0
    while done < deals and table.open_next():
        hall.run()
        table.finish()
        hall.run()
        done += 1
    return done


def second_deal_at_table_2(folder: Path) -> Hall:
    """Both tables have finished deal 1 and table 1 deal 2, which table 2 plays."""
    hall = Hall(folder).with_tables()
    hall.play_all()
    play(hall, "1")
    hall.tables["2"].open_next()
    hall.run()
    assert list(hall.slips) == [1]
    return hall
