"""Attack: a table runs under another start than the one that was read out, and nobody looks at its pages.

The table's own screen shows the start of its ledger, whatever settings and server say; players compare it with the printed sheet.
"""

from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import msgspec
import numpy as np
import pytest

from cli.table.station import TableStart
from controller.ledger.journal import JournalEntry
from controller.ledger.public import open_ledger
from tableside.station.camera_worker import SharedCamera
from tableside.station.confirmed_places import ConfirmedPlacesFile
from tableside.station.screen_server import ScreenServer
from tableside.station.sizes import ManualFeederSizes
from tableside.station.station import Station
from tests.support.custody.hall import PLAN, ROOT, START
from twinwall.game.deals import Start
from twinwall.wire.events.wall_events import StartFixed
from vision.cameras.port import CameraFrame, Region


class DarkCamera:
    """A camera whose frames are black."""

    def frame_after(self, moment_ns: int, region: Region | None = None) -> CameraFrame:
        return CameraFrame(np.zeros((36, 48, 3), np.uint8), moment_ns + 1, moment_ns + 2)

    def close(self) -> None:
        """Nothing to give back."""


OTHER = Start(PLAN.digest, ROOT, "chosen afterwards")


@pytest.fixture
def station(tmp_path: Path) -> Iterator[Station]:
    running = Station(tmp_path / "feeder", ConfirmedPlacesFile(tmp_path / "memory"), (1, 2), ManualFeederSizes(), settle_s=0.0)
    running.start()
    yield running
    running.stop()


def ledger_of(start: Start, folder: Path) -> Path:
    """The open ledger of a table that runs under a start."""
    ledger = open_ledger(folder, "1", "j")
    ledger.catch_up([JournalEntry(1, "2026-11-20T10:00:00.000Z", StartFixed(start.code.hex()))])
    ledger.close()
    return ledger.path


def shown(station: Station, start: TableStart | None) -> object:
    """What the table's own screen says of the start."""
    camera, sizes = SharedCamera(DarkCamera()), ManualFeederSizes()
    served = ScreenServer(station, camera, sizes, {1: "blue", 2: "green"}, 0, start=str if start is None else start.words)
    served.start()
    with urlopen(f"{served.url}/now") as answer:
        said = msgspec.json.decode(answer.read())["start"]
    served.stop()
    return said


def test_the_screen_shows_the_start_under_which_the_table_runs(station: Station, tmp_path: Path) -> None:
    assert shown(station, TableStart(ledger_of(OTHER, tmp_path).parent)) == OTHER.words != START.words


def test_control_a_screen_that_is_told_no_ledger_shows_no_start(station: Station) -> None:
    assert shown(station, None) == ""


def test_a_table_that_begins_later_is_shown_then(tmp_path: Path) -> None:
    start = TableStart(tmp_path)
    assert start.words() == ""
    ledger_of(START, tmp_path)
    assert start.words() == START.words


@pytest.mark.parametrize("first", [b"", b"{}\n", b'{"type":"start-fixed"'], ids=["empty", "no line", "half a line"])
def test_a_ledger_that_cannot_be_read_shows_no_start(first: bytes, tmp_path: Path) -> None:
    (tmp_path / "public.jsonl").write_bytes(first)
    assert TableStart(tmp_path).words() == ""
