"""``twinwall tiles selftest tiles``: advice from the journal of a table that is not running."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from cli import main
from config.writing import dumps
from controller.ledger.journal import Journal
from controller.settings import LedgerSection
from tests.support.controller.wear import wall
from tools.default_settings import TABLE
from twinwall.game.tiles import Tile


def table(folder: Path, last: float, walls: int = 8) -> Path:
    journal = Journal(folder / "ledger" / "table.journal")
    for n in range(1, walls + 1):
        journal.append("2026-11-20T10:00:00Z", list(wall(n, {Tile.P3: 0.999 if n < 5 else last})))
    journal.close()
    path = folder / "table.toml"
    path.write_text(dumps(replace(TABLE, ledger=LedgerSection(folder / "ledger"))), encoding="utf-8")
    return path


def test_a_worn_kind_is_named_with_its_set_and_what_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = table(tmp_path, 0.93)
    assert main(["selftest", "tiles", "--settings", str(settings)]) == 1
    assert "3p of the set blue" in capsys.readouterr().out
    assert main(["selftest", "tiles", "--settings", str(settings), "--json"]) == 1
    (row,) = json.loads(capsys.readouterr().out)["worn"]
    assert (row["set"], row["kind"]) == ("blue", "3p")


def test_a_set_that_is_read_as_ever_is_good(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["selftest", "tiles", "--settings", str(table(tmp_path, 0.999))]) == 0
    assert capsys.readouterr().out == "no kind is read less surely than it was\n"


def test_too_few_walls_are_no_good_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["selftest", "tiles", "--settings", str(table(tmp_path, 0.93, walls=5))]) == 0
    assert capsys.readouterr().out == "too little was seen to tell: 5 walls of a set at the most, and 6 are needed\n"


def test_a_table_that_runs_or_never_ran_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = table(tmp_path, 0.999)
    running = Journal(tmp_path / "ledger" / "table.journal")
    assert main(["selftest", "tiles", "--settings", str(settings)]) == 2
    assert "in use by another controller" in capsys.readouterr().err
    running.close()
    running.path.unlink()
    assert main(["selftest", "tiles", "--settings", str(settings)]) == 2
    assert "not been played at" in capsys.readouterr().err
