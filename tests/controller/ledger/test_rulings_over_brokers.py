"""Rulings over real brokers: the server's reach their table once, and no others do."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from controller.ledger.journal import JournalEntry
from controller.ledger.public import open_ledger, table_ledger
from controller.ledger.publisher import Publisher
from tests.support.wire.brokers import EVENT, KINDS, Ear, RunningBroker, eventually, link_of, new_broker
from twinwall.wire.events.wall_events import ControllerStarted
from twinwall.wire.messages.commands import FromServer, sign_command, write_command
from twinwall.wire.messages.ruling import Ruling
from twinwall.wire.messages.signing import Signer
from twinwall.wire.mqtt.access import SERVER_USER, VAULT_USER
from twinwall.wire.mqtt.topics import Channel, Topic

pytestmark = pytest.mark.slow

SERVER, VAULT, FORGER = Signer("server", b"\x01" * 32), Signer("vault", b"\x02" * 32), Signer("server", b"\x03" * 32)
COMMAND = str(Topic(EVENT, "1", Channel.COMMAND))


def ruling(identity: str) -> Ruling:
    return Ruling(identity, 1, "Ota", {"en": "Play goes on.", "ja": "そのまま続けてください。"})


@pytest.fixture(params=KINDS)
def broker(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RunningBroker]:
    running = new_broker(request.param, tmp_path)
    yield running
    running.stop()


def test_a_ruling_reaches_its_table_once_and_only_from_the_server(broker: RunningBroker, tmp_path: Path) -> None:
    ledgers = (table_ledger(tmp_path, "1", "j"), open_ledger(tmp_path, "1", "j"))
    for ledger in ledgers:
        ledger.catch_up((JournalEntry(1, "2026-11-20T10:00:00.000Z", ControllerStarted("j", "0.1.0", False, 1)),))
    trusted = {"server": SERVER.public, "vault": VAULT.public}
    publisher = Publisher(EVENT, "1", ledgers, tmp_path, lambda: datetime(2026, 11, 20, tzinfo=UTC), trusted=trusted)
    rulings: list[FromServer] = []
    publisher.from_server = rulings.append
    table = link_of(broker, "1", publisher, *publisher.subscriptions)
    publisher.link = table
    server, vault, other = (link_of(broker, name, Ear()) for name in (SERVER_USER, VAULT_USER, "2"))
    eventually(lambda: all(link.is_connected for link in (table, server, vault, other)), "all are connected")
    good = sign_command(SERVER, EVENT, "1", ruling("r1"), identity="a", counter=7)
    other.publish(COMMAND, good)  # whatever it holds, its account may not write there
    server.publish(COMMAND, write_command(ruling("unsigned")))
    server.publish(COMMAND, sign_command(FORGER, EVENT, "1", ruling("forged"), identity="b", counter=8))
    server.publish(COMMAND, sign_command(SERVER, EVENT, "2", ruling("elsewhere"), identity="c", counter=9))
    vault.publish(COMMAND, sign_command(VAULT, EVENT, "1", ruling("the vault's"), identity="d", counter=10))
    for _ in range(2):
        server.publish(COMMAND, good)
    server.publish(COMMAND, sign_command(SERVER, EVENT, "1", ruling("late"), identity="e", counter=6))
    server.publish(COMMAND, sign_command(SERVER, EVENT, "1", ruling("r2"), identity="f", counter=11))
    eventually(lambda: ruling("r2") in rulings, "the last one arrives")
    for link in (table, server, vault, other):
        link.close()
    for ledger in ledgers:
        ledger.close()
    assert rulings == [ruling("r1"), ruling("r2")]
