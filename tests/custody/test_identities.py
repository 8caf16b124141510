"""Stolen identities: with a table's account, its disk, its name, or a last will. Refused, and reported."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.custody.hall import EVENT, PlayedTable
from tests.support.custody.wired import RunningVault, WiredTable, all_finish, all_open, while_tables_beat
from tests.support.tiers import some
from tests.support.wire.brokers import KINDS, Ear, LedgerReader, RunningBroker, eventually, link_of
from tests.support.wire.cable import Cable
from twinwall.wire.ledger import LedgerPosition, envelope
from twinwall.wire.messages.venue_messages import read_notice
from twinwall.wire.mqtt.access import SERVER_USER
from twinwall.wire.mqtt.broker_address import Will
from twinwall.wire.mqtt.topics import Channel, Topic

pytestmark = pytest.mark.slow


def topic(table: str, channel: Channel) -> str:
    return str(Topic(EVENT, table, channel))


@pytest.fixture
def copy(broker: RunningBroker, tmp_path: Path) -> Iterator[WiredTable]:
    """A second table 2: the same account and signing key, from a copy of its disk, under its own client id."""
    wired = WiredTable(PlayedTable("2", tmp_path / "copy", boot=7), broker, instance="copy")
    yield wired
    wired.pull()
    wired.table.close()


@pytest.mark.nightly
@pytest.mark.parametrize("broker", some(KINDS, 1), indirect=True)
def test_a_second_table_of_the_same_identity_is_given_nothing_and_the_hall_hears_of_it(
    broker: RunningBroker, vault: RunningVault, tables: list[WiredTable], copy: WiredTable
) -> None:
    hall = Ear()
    server = link_of(broker, SERVER_USER, hall, topic("2", Channel.NOTICE))
    all_open(tables, 1)
    copy.plug_in()
    fingerprint = copy.table.boot_keys.fingerprint
    while_tables_beat(
        [*tables, copy], lambda: any(fingerprint in read_notice(payload) for _, payload in hall.messages), "the vault names the copy's keys"
    )
    for n in (1, 2, 3):
        copy.table.claim(n)
    all_finish(tables)
    all_open(tables, 2)
    while_tables_beat([*tables, copy], lambda: len(vault.released) == 1, "deal 1 is released, played by both true tables")
    server.close()
    assert copy.table.deals.holds == ()
    assert len(vault.released) == 1


@pytest.mark.nightly
def test_two_ledgers_under_one_name_are_noticed_by_whoever_reads_them(
    broker: RunningBroker, tables: list[WiredTable], copy: WiredTable
) -> None:
    """The copied disk held the journal too, so both go on with the same number, each in its own way."""
    reader = LedgerReader(broker, "2")
    eventually(lambda: reader.link.is_connected, "the server listens")
    tables[1].table.claim(1)
    eventually(lambda: len(reader.accepted) == 3, "the true lines come")
    copy.table.claim(2)
    copy.plug_in()
    eventually(lambda: any("a second time with other content" in reason for reason in reader.refused), "the double is named")
    reader.link.close()
    assert len(reader.accepted) == 3


def test_a_table_that_writes_another_name_into_its_lines_is_refused_by_that_name(broker: RunningBroker) -> None:
    readers = [LedgerReader(broker, name) for name in ("1", "2")]
    forger = link_of(broker, "2", Ear())
    eventually(lambda: forger.is_connected and all(reader.link.is_connected for reader in readers), "all are connected")
    line = envelope("1", LedgerPosition("j1"), PlayedTable.now(), "hand-closed", {"n": 1})
    forger.publish(topic("1", Channel.EVENTS), line)
    forger.publish(topic("2", Channel.EVENTS), line)
    eventually(lambda: bool(readers[1].refused), "what came on its own topic is refused")
    for link in (forger, *(reader.link for reader in readers)):
        link.close()
    assert readers[1].refused == ["table 2 published a line in the name of table '1'"]
    assert (readers[0].accepted, readers[0].refused, readers[1].accepted) == ([], [], []), "the broker let nothing through to table 1"


@pytest.mark.nightly
@pytest.mark.parametrize("channel", some([Channel.EVENTS, Channel.CUSTODY], 1))
def test_a_last_will_in_another_tables_name_moves_neither_vault_nor_server(
    broker: RunningBroker, vault: RunningVault, tables: list[WiredTable], channel: Channel
) -> None:
    reader = LedgerReader(broker, "1")
    all_open(tables, 1)
    true = tables[0].table
    will = envelope("1", true.head, true.now(), "hand-closed", {"n": 1})
    tables[1].pull()
    with Cable(broker.port) as cable:
        ear = Ear()
        forger = link_of(broker, "2", ear, will=Will(topic("1", channel), will), port=cable.port)
        eventually(lambda: bool(ear.reasons) or forger.is_connected, "the forger is let in or not")
        cable.pull()
    forger.close()
    tables[1].plug_in()
    all_finish(tables)
    while_tables_beat(tables, lambda: len(vault.released) == 1, "the true tables finish deal 1")
    eventually(lambda: reader.accepted[-1:] == true.lines[-1:], "the server has the true ledger")
    reader.link.close()
    assert reader.accepted == true.lines
    assert reader.refused == []
