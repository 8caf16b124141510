"""``twinwall admin pack``: one file, without secrets, names of people, or tiles."""

import json
import stat
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from cli import main
from config import write
from controller.device_settings import ServiceSection
from controller.ledger.journal_lines import JournalChain
from controller.settings import LedgerSection, SeatsSection, TableSettings
from tools.default_settings import TABLE


@pytest.fixture
def settings(tmp_path: Path) -> TableSettings:
    """A table whose journal tells of a missing tile."""
    folder = tmp_path / "ledger"
    folder.mkdir()
    lines = (
        {"seq": 1, "at": "2026-11-20T10:00:00.000Z", "type": "deal-opened", "n": 1, "walls": {"E": {"hand": "2s 7p"}}},
        {"seq": 2, "at": "2026-11-20T10:00:01.000Z", "type": "fault", "code": "missing", "where": "drum", "sentence": "One 3p is missing"},
    )
    chain = JournalChain(None)
    (folder / "table.journal").write_bytes(b"".join(chain.write(json.dumps(line).encode()) for line in lines))
    (folder / "feeder-link.json").write_text('{"frames_sent":12}\n')
    return replace(TABLE, ledger=LedgerSection(folder), seats=SeatsSection(("4711", "12", "3", "4")))


def packed(tmp_path: Path, settings: TableSettings, *more: str) -> dict[str, str]:
    write(tmp_path / "table.toml", settings)
    out = tmp_path / "service.zip"
    assert main(["admin", "pack", "--settings", str(tmp_path / "table.toml"), "--out", str(out), *more]) == 0
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    with zipfile.ZipFile(out) as file:
        return {name: file.read(name).decode() for name in file.namelist()}


def test_the_file_has_settings_versions_line_and_faults_and_no_tile_and_no_name(tmp_path: Path, settings: TableSettings) -> None:
    parts = packed(tmp_path, settings)
    assert set(parts) == {"about.json", "settings.toml", "feeder-link.json", "faults.jsonl"}
    assert json.loads(parts["about.json"])["packages"]["pyserial"]
    assert "4711" not in "".join(parts.values())
    assert json.loads(parts["faults.jsonl"])["code"] == "missing"
    assert "3p" not in parts["faults.jsonl"]
    assert "2s 7p" not in "".join(parts.values())


def test_with_the_service_switch_on_faults_keep_their_sentences(
    tmp_path: Path, settings: TableSettings, capsys: pytest.CaptureFixture[str]
) -> None:
    parts = packed(tmp_path, replace(settings, service=ServiceSection(switch=True)))
    assert "One 3p is missing" in parts["faults.jsonl"]
    assert "may name tiles" in capsys.readouterr().err


def test_what_a_check_printed_can_go_along(tmp_path: Path, settings: TableSettings) -> None:
    (tmp_path / "check.json").write_text('{"passed": 96}')
    parts = packed(tmp_path, settings, "--attach", str(tmp_path / "check.json"))
    assert parts["attached/check.json"] == '{"passed": 96}'


def test_a_file_that_exists_is_not_overwritten(tmp_path: Path, settings: TableSettings, capsys: pytest.CaptureFixture[str]) -> None:
    packed(tmp_path, settings)
    assert main(["admin", "pack", "--settings", str(tmp_path / "table.toml"), "--out", str(tmp_path / "service.zip")]) == 2
    assert "exists" in capsys.readouterr().err


def test_a_table_that_has_not_begun_is_packed_as_well(tmp_path: Path, settings: TableSettings) -> None:
    parts = packed(tmp_path, replace(settings, ledger=LedgerSection(tmp_path / "nothing")))
    assert set(parts) == {"about.json", "settings.toml"}
