"""Custody over real brokers: the vault as a process, kills, pulled cables, and a line in another table's name."""

import signal
from pathlib import Path

import pytest

import cli
from tests.support.custody.hall import DIGESTS, EVENT, SEEDS, START
from tests.support.custody.wired import RunningVault, WiredTable, all_finish, all_open, while_tables_beat
from tests.support.tiers import some
from tests.support.wire.brokers import KINDS, Ear, RunningBroker, link_of
from tests.support.wire.tls import Cable
from twinwall.wire.mqtt.access import SERVER_USER
from twinwall.wire.mqtt.topics import slips_topic

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("broker", some(KINDS, 1), indirect=True)
def test_a_session_with_a_killed_vault_and_a_table_cut_off_for_two_hands_ends_as_it_would_have(
    broker: RunningBroker, vault: RunningVault, tables: list[WiredTable], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hall = Ear()
    server = link_of(broker, SERVER_USER, hall, slips_topic(EVENT))
    all_open(tables, 1)
    while_tables_beat(tables, lambda: all(2 in each.table.deals.holds for each in tables), "deal 2 is given")
    assert vault.stop(signal.SIGKILL) == -signal.SIGKILL
    all_finish(tables)
    all_open(tables, 2)
    vault.start()
    while_tables_beat(tables, lambda: len(vault.released) == 1 and all(3 in each.table.deals.holds for each in tables), "deal 3 is given")
    with Cable(broker.port) as cable:
        tables[1].plug_in(cable.port)
        while_tables_beat(tables, lambda: tables[1].link is not None and tables[1].link.is_connected, "table 2 is on the cable")
        cable.pull()
        tables[1].table.finish()
        assert tables[1].table.open_next(), "it holds deal 3"
        tables[1].table.finish()
        assert not tables[1].table.open_next(), "it was given no more than two"
        tables[0].table.finish()
        all_open(tables[:1], 3)
        tables[0].table.finish()
        assert not tables[0].table.open_next(), "it waits for table 2"
        tables[1].pull()
    tables[1].plug_in()
    for n in (4, 5):
        all_open(tables, n)
        all_finish(tables)
    while_tables_beat(tables, lambda: len(vault.released) == 5 and len({payload for _, payload in hall.messages}) == 5, "all is released")
    server.close()
    assert [each.table.played for each in tables] == [DIGESTS, DIGESTS]
    assert all(not each.table.bad for each in tables)
    assert cli.main(["deals", "verify", str(vault.folder / "plan.json"), "--start", START.words, *map(str, vault.released)]) == 0
    assert capsys.readouterr().out.count("re-made") == 5
    assert SEEDS["server"].content.hex() not in "".join(
        path.read_text(errors="replace") for path in vault.folder.glob("**/*") if path.is_file()
    )
