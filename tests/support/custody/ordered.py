"""Vaults that take the server's orders, without wires: the server's end is the test's, and what is published arrives with ``run``."""

import hashlib
from collections.abc import Iterable
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from tests.support.custody.hall import EVENT, HANDS, PUBLIC_KEYS, Cable, HeldEvent, PlayedTable
from twinwall.custody.ordered_vault import OrderedVault
from twinwall.custody.release import AllowKey
from twinwall.custody.vault import Publish
from twinwall.custody.vault_files import Order, Orders
from twinwall.custody.vault_home import Cost, VaultHome, VaultOwner
from twinwall.game.deals import CommitmentPart, Plan, Start, StartedPlan, combine_parts, plan_sessions
from twinwall.game.deals.encoding import Sha256
from twinwall.game.documents import canonical_json
from twinwall.wire.messages.signing import Counter, Signer, sign_document, vault_names
from twinwall.wire.messages.vaults.vault_orders import (
    AnyAnswer,
    AnyOrder,
    BeginSession,
    DealsMade,
    FixStart,
    MakeDeals,
    OrderRefused,
    SessionTable,
    StartStored,
    UnlockSeed,
    VaultOrder,
    VaultStanding,
    read_answer,
    seal_passphrase,
)
from twinwall.wire.mqtt.topics import parse_topic, slips_topic, vault_answers_topic, vault_orders_topic

SERVER = Signer("server", b"\x09" * 32)
PASSPHRASE = "four quiet random words"
PUBLIC = "drawn in the room"
CHEAP = Cost(64, 1, 1)
AT = datetime(2026, 11, 20, tzinfo=UTC)


def plan_of(*holders: str, sessions: int = 2, public: str = "the room draws it", event: str = EVENT) -> Plan:
    return plan_sessions(event, "mcr-duplicate", sessions=sessions, hands=HANDS, holders=holders, public=public)


def part_of(answer: AnyAnswer) -> CommitmentPart:
    assert isinstance(answer, DealsMade), answer
    keys = tuple(Sha256.fromhex(each) for each in answer.c)
    return CommitmentPart(Sha256.fromhex(answer.plan), answer.holder, Sha256.fromhex(answer.seed), keys)


def start_order(plan: Plan, parts: Iterable[CommitmentPart], public: str = PUBLIC) -> FixStart:
    """The order that fixes the start of what was committed."""
    commitments = combine_parts(plan, parts)
    start = Start(plan.digest, commitments.root, public)
    return FixStart(canonical_json(commitments.to_json()).decode(), start.canonical.decode())


def session_order(started: StartedPlan, *tables: str, session: int = 1, groups: tuple[tuple[str, ...], ...] = ()) -> BeginSession:
    """The order that gives a session's deals to these tables, all in one group."""
    named = tuple(SessionTable(name, PUBLIC_KEYS[name].hex()) for name in tables)
    return BeginSession(started.start.code.hex(), session, named, groups or (tables,))


class OrderedEvent(HeldEvent):
    """An event as tables are told it, when its start is fixed."""

    def __init__(self, started: StartedPlan, signers: dict[str, Signer]) -> None:
        self.holders, self.plan, self.start, self.started = started.plan.holders, started.plan, started.start, started
        self.root, self.signers = started.start.root, signers


class OrderedVaults:
    """One vault for each holder of a plan, each with a folder of its own; ``kill`` leaves what is on its disk."""

    def __init__(self, folder: Path, *holders: str, here: str = "", server: Signer = SERVER) -> None:
        """``here`` is a passphrase that was given at the vaults themselves."""
        self.folder, self.holders, self._here, self._server = folder, holders, here, server
        self.signers = {holder: Signer(name, bytes([3 + at]) * 32) for at, (holder, name) in enumerate(vault_names(holders).items())}
        self.sentences: list[str] = []
        self.slips: dict[bytes, None] = {}
        self.sent: list[tuple[str, bytes]] = []
        self.now_s = 0.0
        self.tables: dict[str, PlayedTable] = {}
        self.inbox: list[tuple[PlayedTable, int, str, bytes]] = []
        self.numbers, self._draws = count(1), count(1)
        self.vaults: dict[str, OrderedVault] = {}
        for holder in holders:
            self.kill(holder)

    def kill(self, holder: str) -> None:
        signer, folder = self.signers[holder], self.folder / holder
        owner = VaultOwner(holder, signer, self._server.public, self._here, cost=CHEAP)
        self.vaults[holder] = OrderedVault(
            owner, VaultHome(folder, signer), Counter(lambda: next(self.numbers)), self.sentences.append, self._draw
        )

    def _draw(self, size: int) -> bytes:
        return hashlib.shake_256(f"{self.folder.name} {next(self._draws)}".encode()).digest(size)

    def standing(self, holder: str) -> VaultStanding:
        self.now_s += 10
        answers = self._answers(self._sent(self.vaults[holder].tick(self.now_s, AT)))
        return next(answer for answer in answers if isinstance(answer, VaultStanding))

    def payload(self, holder: str, order: AnyOrder, *, signer: Signer | None = None) -> bytes:
        """An order as it travels to a holder's vault."""
        ordered = VaultOrder(self.standing(holder).boot, next(self.numbers), order)
        return sign_document(signer or self._server, ordered, table=self.signers[holder].public.hex())

    def bring(self, holder: str, payload: bytes) -> AnyAnswer | None:
        """What the vault answers to an order that arrives; None where it answers nothing but where it stands."""
        topic = vault_orders_topic(self.signers[holder].by)
        answers = self._answers(self._sent(self.vaults[holder].hear(topic, payload, self.now_s)))
        return next((answer for answer in answers if not isinstance(answer, VaultStanding)), None)

    def order(self, holder: str, order: AnyOrder) -> AnyAnswer:
        answer = self.bring(holder, self.payload(holder, order))
        assert answer is not None
        return answer

    def sealed(self, holder: str, passphrase: str = PASSPHRASE) -> str:
        """A passphrase for the vault's present start."""
        standing = self.standing(holder)
        return seal_passphrase(passphrase, bytes.fromhex(standing.sealing_key), self.signers[holder].public, standing.boot)

    def make(self, holder: str, plan: Plan, passphrase: str = PASSPHRASE) -> AnyAnswer:
        return self.order(holder, MakeDeals(plan.canonical.decode(), self.sealed(holder, passphrase)))

    def unlock(self, holder: str, passphrase: str = PASSPHRASE) -> AnyAnswer:
        return self.order(holder, UnlockSeed(self.sealed(holder, passphrase)))

    def started(self, plan: Plan, public: str = PUBLIC) -> StartedPlan:
        """Make the deals of a plan at all vaults and fix the start."""
        order = start_order(plan, [part_of(self.make(holder, plan)) for holder in self.holders], public)
        assert all(isinstance(self.order(holder, order), StartStored) for holder in self.holders)
        return StartedPlan(plan, Start.from_bytes(order.start.encode()))

    def add_table(self, name: str, started: StartedPlan, folder: Path) -> PlayedTable:
        """A table that is told the start, and whose boot keys a person has allowed at every vault."""
        table = PlayedTable(name, folder, event=OrderedEvent(started, self.signers))
        for holder in self.holders:
            self.orders_at(holder, started.plan).give(AllowKey(name, table.boot_keys.fingerprint))
        return self.join(table)

    def join(self, table: PlayedTable) -> PlayedTable:
        """A table, or what calls itself one, comes to the broker."""
        self.tables[table.name] = table
        table.publisher.link = Cable(table, self.inbox, lambda: True)
        table.publisher.connected()
        return table

    def orders_at(self, holder: str, plan: Plan) -> Orders:
        """What a person orders at a vault."""
        return Orders(self.folder / holder / f"plan-{plan.digest.hex()[:16]}", plan.event, self.signers[holder], self._server.public)

    def at_every_vault(self, plan: Plan, order: Order) -> None:
        for holder in self.holders:
            self.orders_at(holder, plan).give(order)

    def settle(self) -> None:
        """Heartbeats and ticks until everybody has said what there is to say."""
        for _ in range(5):
            self.now_s += 3
            for vault in self.vaults.values():
                self._sent(vault.tick(self.now_s, AT))
            for table in self.tables.values():
                table.beat()
            self.run()

    def run(self) -> None:
        while self.inbox:
            table, token, topic, payload = self.inbox.pop(0)
            table.publisher.published(token)
            self._at_vaults(topic, payload)

    def _at_vaults(self, topic: str, payload: bytes) -> None:
        for vault in self.vaults.values():
            if topic in vault.subscriptions:
                self._sent(vault.hear(topic, payload, self.now_s))

    def _sent(self, published: list[Publish]) -> list[Publish]:
        for each in published:
            self.sent.append((each.topic, each.payload))
            if each.topic == slips_topic(EVENT):
                self.slips[each.payload] = None
            elif each.topic.endswith("/shares"):
                self._at_vaults(each.topic, each.payload)
            elif each.topic.startswith("twinwall/") and each.topic.count("/") == 3:
                name = parse_topic(each.topic).table
                if name in self.tables:
                    self.tables[name].publisher.message(each.topic, each.payload)
        return published

    def _answers(self, published: list[Publish]) -> list[AnyAnswer]:
        trusted = {signer.by: signer.public for signer in self.signers.values()}
        topics = [vault_answers_topic(name) for name in trusted]
        return [read_answer(each.payload, trusted)[1].answer for each in published if each.topic in topics]


def play_one(vaults: OrderedVaults, *names: str) -> bool:
    """Let tables play one deal each; whether all of them had one."""
    vaults.settle()
    played = [vaults.tables[name].open_next() for name in names]
    vaults.run()
    for name, begun in zip(names, played, strict=True):
        if begun:
            vaults.tables[name].finish()
    vaults.settle()
    return all(played)


def refusal(answer: AnyAnswer | None) -> str:
    assert isinstance(answer, OrderRefused), answer
    return answer.reason.value
