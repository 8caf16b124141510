"""The vault on a machine with much other work: its process hears what waits between two ticks, and little is computed for nothing."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

import pytest

from cli.event.vault import TICK_S, VaultProcess
from config import MqttSettings
from tests.support.custody.hall import DUE, EVENT, NAMES, Hall
from twinwall.custody.table_rules import CustodyPlan
from twinwall.custody.vault_outputs import Publish
from twinwall.wire.messages.head import Head, LedgerKind, write_head
from twinwall.wire.mqtt.topics import Channel, Topic

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
    payload = write_head(table.boot_secrets.signer, EVENT, "1", beyond)
    asked = []
    for _ in range(2):
        hall.now_s += 3.0
        before = len(hall.sent)
        hall.arrive(topic, payload)
        asked.append([sent for sent, _ in hall.sent[before:]])
    command = str(Topic(EVENT, "1", Channel.COMMAND))
    assert asked == [[command], [command]]
