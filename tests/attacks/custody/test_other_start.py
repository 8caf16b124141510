"""Attack: a table runs under another start than the one that was read out, and nobody looks at its pages.

The table's own screen shows the start of its ledger, whatever settings and server say; players compare it with the printed sheet.
"""

from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import msgspec
import pytest

from cli.table.station import start_words
from controller.ledger.journal import JournalEntry
from controller.ledger.public import open_ledger
from tableside.station.station import Station
from tests.support.custody.hall import PLAN, ROOT, START
from tests.support.station.served import served_page, started_station
from twinwall.game.deals import Start
from twinwall.wire.events.wall_events import StartFixed

OTHER = Start(PLAN.digest, ROOT, "chosen afterwards")


@pytest.fixture
def station(tmp_path: Path) -> Iterator[Station]:
    with started_station(tmp_path) as running:
        yield running


def ledger_of(start: Start, folder: Path) -> Path:
    ledger = open_ledger(folder, "1", "j")
    ledger.catch_up([JournalEntry(1, "2026-11-20T10:00:00.000Z", StartFixed(start.code.hex()))])
    ledger.close()
    return ledger.path


def shown(station: Station, ledger: Path | None) -> object:
    """What the table's own screen says of the start."""
    with served_page(station, start=str if ledger is None else lambda: start_words(ledger)) as page, urlopen(f"{page.url}/now") as answer:
        return msgspec.json.decode(answer.read())["start"]


def test_the_screen_shows_the_start_under_which_the_table_runs(station: Station, tmp_path: Path) -> None:
    assert shown(station, ledger_of(OTHER, tmp_path).parent) == OTHER.words != START.words


def test_control_a_screen_that_is_told_no_ledger_shows_no_start(station: Station) -> None:
    assert shown(station, None) == ""


def test_a_table_that_begins_later_is_shown_then(tmp_path: Path) -> None:
    assert start_words(tmp_path) == ""
    ledger_of(START, tmp_path)
    assert start_words(tmp_path) == START.words


@pytest.mark.parametrize("first", [b"", b"{}\n", b'{"type":"start-fixed"'], ids=["empty", "no line", "half a line"])
def test_a_ledger_that_cannot_be_read_shows_no_start(first: bytes, tmp_path: Path) -> None:
    (tmp_path / "public.jsonl").write_bytes(first)
    assert start_words(tmp_path) == ""
