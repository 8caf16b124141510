"""Custody status: the vault's view, its file, and the command that prints it."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.support.commands import Twinwall
from tests.support.custody.hall import DUE, NAMES, START, Hall, PlayedTable
from tests.support.custody.vault_settings import settings_file
from twinwall.custody.custody_status import CustodyStatus, TableStatus, read_status, write_status
from twinwall.custody.table_rules import WithdrawTable
from twinwall.custody.vault_files import put_status
from twinwall.game.documents import DocumentError


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    hall = Hall(tmp_path)
    yield hall
    hall.close()


def status(hall: Hall) -> CustodyStatus:
    return read_status(hall.status())


def of(hall: Hall, name: str) -> TableStatus:
    return next(each for each in status(hall).tables if each.table == name)


def test_a_table_that_was_never_heard_has_no_key_and_nothing(hall: Hall) -> None:
    assert status(hall).deals == DUE
    assert of(hall, "1") == TableStatus("1", None, None, 0, (), (1,), (), None, withdrawn=False)


def test_the_status_says_what_each_table_plays_and_has_and_for_whom_it_waits(hall: Hall) -> None:
    first, second = (hall.add(PlayedTable(name, hall.folder / name)) for name in NAMES)
    hall.settle()
    assert first.open_next()
    hall.settle()
    playing = of(hall, "1")
    assert (playing.plays, playing.finished, playing.holds, playing.waits_for) == (1, 0, (1, 2), ())
    first.finish()
    assert first.open_next()
    hall.settle()
    ahead = of(hall, "1")
    assert (ahead.plays, ahead.finished, ahead.holds, ahead.waits_for) == (2, 1, (2,), ("2",))
    assert second.open_next()
    second.finish()
    hall.settle()
    assert of(hall, "1").waits_for == ()
    assert of(hall, "1").holds == (2, 3)
    assert status(hall).released == (1,)


def test_nobody_waits_for_a_table_that_is_withdrawn(hall: Hall) -> None:
    first = hall.add(PlayedTable("1", hall.folder / "1"))
    hall.settle()
    for _ in range(2):
        assert first.open_next()
        first.finish()
        hall.settle()
    assert of(hall, "1").waits_for == ("2",)
    hall.order(WithdrawTable("2"))
    assert of(hall, "1").waits_for == ()
    assert of(hall, "2").withdrawn


def test_the_silence_of_a_table_is_counted(hall: Hall) -> None:
    hall.add(PlayedTable("1", hall.folder / "1"))
    hall.now_s += 40.0
    assert of(hall, "1").silent_s == 40


def test_the_file_reads_back_and_anything_else_is_refused(hall: Hall) -> None:
    hall.add(PlayedTable("1", hall.folder / "1"))
    hall.settle()
    assert read_status(write_status(status(hall))) == status(hall)
    for torn in (b"", b"{}", write_status(status(hall))[:-20]):
        with pytest.raises(DocumentError):
            read_status(torn)


@pytest.mark.parametrize(("age_s", "code"), [(1, 0), (60, 1)])
def test_the_command_shows_the_last_status_and_says_when_the_vault_is_down(hall: Hall, twinwall: Twinwall, age_s: int, code: int) -> None:
    table = hall.add(PlayedTable("1", hall.folder / "1"))
    hall.settle()
    assert table.open_next()
    hall.settle()
    status = ("vault", "status", "--settings", settings_file(hall.folder))
    twinwall(*status, code=2)
    (hall.folder / "kept").mkdir()
    put_status(hall.folder / "kept", hall.status(datetime.now(UTC) - timedelta(seconds=age_s)))
    said = twinwall(*status, code=code)
    assert said.out.splitlines()[:2] == [f"start {START.words}", "0 of 5 deals released"]
    assert [line.split()[0] for line in said.out.splitlines()[3:]] == ["1", "2"]
    assert "1, 2" in said.out
    assert ("the vault does not run" in said.err) == (code == 1)
    assert read_status(twinwall(*status, "--json", code=code).out.encode()).tables[0].plays == 1
