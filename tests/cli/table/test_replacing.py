"""The page docs/how-to/table/replace-controller.md, followed command by command, and what ``twinwall table continue`` refuses."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

import cli
from cli.table.replacing import ORDER, lost_journal
from config import load, write
from controller.ledger.assignment_folder import event_folder
from controller.settings import LedgerSection, TableSettings
from tests.support.commands import typed_commands
from tests.support.custody.hall import EVENT, NAMES, SERVER, VAULT, Hall, PlayedTable, play, replacement, second_deal_at_table_2
from tests.support.custody.vault_settings import settings_file
from tools.default_settings import TABLE
from twinwall.custody.release import AllowKey
from twinwall.custody.vault_files import Orders, put_status

PAGE = "table/replace-controller.md"


@dataclass
class LostTable:
    """A hall whose table 2 plays deal 2 when its controller is lost; settings and order lie where the page says."""

    folder: Path
    hall: Hall
    order: Path

    @property
    def settings(self) -> Path:
        return self.folder / "table.toml"

    def typed(self, number: int, fingerprint: str = "") -> int:
        """What the command of this number answers, with this hall's files in place of the page's."""
        words = typed_commands(PAGE)[number]
        here = {"/etc/twinwall/replacement.json": self.order, "/etc/twinwall/table.toml": self.settings}
        here |= {"/etc/twinwall/vault.toml": self.folder / "vault.toml"}
        return cli.main([fingerprint if " " in word else str(here.get(word, {"3": "2"}.get(word, word))) for word in words])


@pytest.fixture
def lost(tmp_path: Path) -> LostTable:
    settings_file(tmp_path)
    hall = second_deal_at_table_2(tmp_path / "hall")
    order = tmp_path / "replacement.json"
    order.write_bytes(replacement(hall.tables["2"]))
    custody = replace(TABLE.custody, server_key=SERVER.public.hex())
    table = replace(TABLE.table, name="2", event=EVENT)
    write(tmp_path / "table.toml", replace(TABLE, table=table, custody=custody, ledger=LedgerSection(tmp_path / "ledger")))
    return LostTable(tmp_path, hall, order)


def allowed(folder: Path) -> AllowKey:
    (given,) = Orders(folder / "kept", EVENT, VAULT).new()
    assert isinstance(given, AllowKey)
    return given


def test_whoever_types_what_the_page_says_ends_with_a_table_that_plays_the_next_deal(
    lost: LostTable, capsys: pytest.CaptureFixture[str]
) -> None:
    hall = lost.hall
    assert lost.typed(0) == 0
    assert "goes on after 1 finished deals; the hand of deal 2 is annulled" in capsys.readouterr().out
    found = lost_journal(load(lost.settings, TableSettings))
    assert found is not None
    hall.add(PlayedTable("2", lost.folder / "another", boot=1, journal="j2", lost=found.signed))
    hall.settle()
    (digits,) = {said.split("vault allow 2 '")[1].rstrip("'") for said in hall.sentences if "vault allow 2" in said}
    assert lost.typed(1, digits) == 0
    hall.order(allowed(lost.folder))
    hall.settle()
    put_status(lost.folder / "kept", hall.status(datetime.now(UTC)))
    assert lost.typed(2) == 0
    assert digits in capsys.readouterr().out
    assert list(hall.slips) == [1, 2]
    assert [play(hall, name) for name in NAMES] == [1, 1]


def test_a_folder_with_a_journal_is_left_as_it_is(lost: LostTable, capsys: pytest.CaptureFixture[str]) -> None:
    (lost.folder / "ledger").mkdir()
    (lost.folder / "ledger" / "table.journal").write_bytes(b"{}\n")
    assert lost.typed(0) == 2
    assert "has a journal already: stop the table and move this folder away" in capsys.readouterr().err
    assert not (lost.folder / "ledger" / ORDER).exists()


def test_an_order_of_another_server_or_for_another_table_is_refused(lost: LostTable, capsys: pytest.CaptureFixture[str]) -> None:
    lost.order.write_bytes(replacement(lost.hall.tables["1"]))
    assert lost.typed(0) == 2
    assert "not signed by 'server' for table '2'" in capsys.readouterr().err
    lost.order.write_bytes(b"{}")
    assert lost.typed(0) == 2
    assert not (lost.folder / "ledger").exists()


def test_a_table_that_joined_the_hall_finds_the_order_in_the_folder_of_the_event_that_it_will_be_assigned(lost: LostTable) -> None:
    settings = load(lost.settings, TableSettings)
    deals = replace(settings.deals, plan=None, start=None, folder=None)
    custody = replace(settings.custody, identity=lost.folder / "table.key")
    write(lost.settings, replace(settings, table=replace(settings.table, event=""), deals=deals, custody=custody))
    assert lost.typed(0) == 0
    assert (lost.folder / "ledger" / event_folder(EVENT) / ORDER).read_bytes() == lost.order.read_bytes()
