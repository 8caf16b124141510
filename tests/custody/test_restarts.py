"""Restarts: what a killed vault or controller and a table without power find again, and what is lost; a vault on a busy machine."""

from dataclasses import dataclass, field
from datetime import datetime

import pytest

from cli.event.vault import TICK_S, VaultProcess
from config import MqttSettings
from controller.state.messages import Message
from controller.state.sides import OpenDeal, Playing
from controller.state.table_state import TableState
from tests.support.custody.hall import DIGESTS, DUE, EVENT, NAMES, Hall, PlayedTable, play, replacement
from tests.support.narrowed import of_type
from twinwall.custody.release import AllowKey
from twinwall.custody.table_rules import CustodyPlan
from twinwall.custody.vault import Publish
from twinwall.game.documents import parse_object
from twinwall.wire.events.trouble_events import LinkLost
from twinwall.wire.messages.boot_keys import Head, LedgerKind
from twinwall.wire.messages.signing import sign_document
from twinwall.wire.mqtt.topics import Channel, Topic


def test_a_vault_killed_between_two_deals_goes_on_and_gives_the_same_again(hall: Hall) -> None:
    for _ in (1, 2):
        hall.play_all()
    released = dict(hall.slips)
    hall.kill_vault()
    hall.settle()
    assert hall.slips == released
    for _ in (3, 4, 5):
        assert [play(hall, name) for name in NAMES] == [1, 1]
    assert all(table.played == DIGESTS for table in hall.tables.values())


def test_a_vault_that_starts_again_asks_only_for_what_came_after_the_line_that_it_had_noted(hall: Hall) -> None:
    hall.play_all(2)
    noted = len(hall.tables["1"].lines)
    hall.kill_vault()
    hall.tables["1"].write(LinkLost("panel"))
    hall.inbox.clear()
    hall.sent.clear()
    hall.settle()
    asked = [parse_object(payload)["from"] for topic, payload in hall.sent if topic == str(Topic(EVENT, "1", Channel.COMMAND))]
    assert asked == [noted + 1]
    assert sorted(hall.slips) == [1, 2]
    assert play(hall, "1") == 1


def test_a_vault_that_starts_again_tells_released_slips_though_no_table_is_there(hall: Hall) -> None:
    hall.play_all(2)
    for name in NAMES:
        hall.cut(name)
    hall.kill_vault()
    hall.sent.clear()
    hall.tick()
    assert [parse_object(payload)["n"] for topic, payload in hall.sent if topic.endswith("/slips")] == [1, 2]


def test_a_table_whose_disk_was_replaced_is_heard_from_the_first_line_of_its_new_journal(hall: Hall) -> None:
    hall.play_all()
    old = hall.tables["1"]
    new = PlayedTable("1", hall.folder / "new", boot=1, journal="j2", lost=replacement(old))
    hall.kill_vault()
    hall.add(new)
    old.close()
    hall.order(AllowKey("1", new.boot_keys.fingerprint))
    hall.settle()
    assert play(hall, "1") == 1
    assert play(hall, "2") == 1
    assert sorted(hall.slips) == [1, 2]


def test_what_a_table_keeps_in_memory_opens_there_again_after_its_controller_was_killed(hall: Hall) -> None:
    hall.tables["1"].open_next()
    hall.run()
    hall.cut("1")
    table = hall.tables["1"]
    posted: list[Message] = []
    again = table.new_deals()
    again.begin(TableState(playing=Playing(deal=table.present)), posted.append)
    assert posted == []
    assert of_type(OpenDeal, again.after((1,))).digest == DIGESTS[2]


def test_what_a_table_has_played_is_no_longer_in_its_memory(hall: Hall) -> None:
    hall.play_all(2)
    hall.tables["1"].open_next()
    hall.run()
    shelf = [path.name for path in (hall.folder / "1" / "memory-0").iterdir()]
    assert shelf == ["deal-0004-0.sealed"], "what is in play stands in the journal"


def test_after_a_cut_in_power_nothing_on_the_shelf_opens(hall: Hall) -> None:
    hall.cut("1")
    shelf = hall.folder / "1" / "memory-0"
    kept = (shelf / "deal-0001-0.sealed").read_bytes()
    later = PlayedTable("1", hall.folder / "later", boot=1)
    (hall.folder / "later" / "memory-1" / "deal-0001-0.sealed").write_bytes(kept)
    later.deals.begin(TableState(), later.posted.append)
    assert not later.open_next()
    later.close()
    assert [bad.reason for bad in later.bad] == ["seal"]


MESSAGES = 100


@dataclass
class SlowVault:
    """A vault whose ticks take longer than the time between two of them; hearing takes none. The test's clock is its own."""

    now_s: float = 0.0
    heard: list[str] = field(default_factory=list)

    @property
    def subscriptions(self) -> tuple[str, ...]:
        return ()

    def hear(self, topic: str, _payload: bytes, _now_s: float) -> list[Publish]:
        self.heard.append(topic)
        return []

    def tick(self, _now_s: float, _at: datetime) -> list[Publish]:
        self.heard.append("tick")
        self.now_s += 3 * TICK_S
        return []


@pytest.fixture
def vault() -> SlowVault:
    return SlowVault()


@pytest.fixture
def process(vault: SlowVault) -> VaultProcess:
    return VaultProcess(MqttSettings("mqtt://127.0.0.1:1", "vault"), vault, "vault", lambda: vault.now_s)


def test_what_waits_is_heard_between_two_ticks_that_take_long(vault: SlowVault, process: VaultProcess) -> None:
    topics = [str(number) for number in range(MESSAGES)]
    for topic in topics:
        process.message(topic, b"")
    process.stop()
    process.serve()
    assert vault.heard == ["tick", *topics]


class CountingPlan(CustodyPlan):
    """Notes whose order of deals is asked for."""

    asked: list[str] = []  # noqa: RUF012

    def order_of(self, table: str) -> tuple[int, ...]:
        self.asked.append(table)
        return super().order_of(table)


def test_a_statement_that_changes_nothing_asks_nothing_of_the_other_tables(hall: Hall) -> None:
    hall.custody = plan = CountingPlan(DUE, (NAMES,))
    hall.kill_vault()
    hall.settle()
    plan.asked.clear()
    hall.tables["1"].beat()
    hall.run()
    assert set(plan.asked) == {"1"}


def test_a_head_that_is_repeated_asks_for_the_lines_that_are_lacking_again(hall: Hall) -> None:
    hall.settle()
    table, topic = hall.tables["1"], str(Topic(EVENT, "1", Channel.HEAD))
    beyond = Head(table.head.journal, table.head.seq + 1, "ab" * 32, LedgerKind.EVENTS)
    payload = sign_document(table.boot_secrets.signer, beyond, EVENT, "1")
    asked = []
    for _ in range(2):
        hall.now_s += 3.0
        before = len(hall.sent)
        hall.arrive(topic, payload)
        asked.append([sent for sent, _ in hall.sent[before:]])
    command = str(Topic(EVENT, "1", Channel.COMMAND))
    assert asked == [[command], [command]]
