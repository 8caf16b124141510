"""Two boards in one process, each in a thread of its own, as where a station and its machine are tried together."""

import sys
import threading
from pathlib import Path
from subprocess import PIPE, Popen
from unittest.mock import Mock

import pytest

from firmware_bridge.link.events import LinkDown
from firmware_bridge.pty import PtyServer
from firmware_bridge.serial_port import SerialPort
from tests.support.children import ends_with_parent
from tests.support.link.pair import LANES, Pair


def test_a_board_keeps_its_own_time_while_another_one_runs() -> None:
    """A library call gives other threads the processor: a board that took the other's clock found its host silent, for ever."""
    pair, other, stop = Pair(machine=LANES).linked(), Pair(machine=LANES), threading.Event()

    def run() -> None:
        while not stop.is_set():
            other.firmware.handle_timer(other.firmware.now_s + 0.002)

    beside = threading.Thread(target=run)
    beside.start()
    try:
        pair.run_for(100.0)
    finally:
        stop.set()
        beside.join()
    assert pair.all(LinkDown) == []


def test_a_lines_time_stands_still_where_it_is_not_served(monkeypatch: pytest.MonkeyPatch) -> None:
    wall_s = [100.0]
    monkeypatch.setattr("firmware_bridge.pty.time.monotonic", lambda: wall_s[0])
    server = PtyServer(lambda _: (b"", 1.0))
    times = [server.now_s() for wall_s[0] in (100.0, 100.1, 101.0, 160.0)]
    server.stop()
    assert times == pytest.approx([100.0, 100.1, 100.2, 100.2])


def test_the_link_of_a_killed_program_leads_to_nobody_elses_terminal(tmp_path: Path) -> None:
    """A terminal that is opened later gets the number that has become free."""
    link = tmp_path / "feeder"
    code = "import pathlib, sys; from firmware_bridge.pty import PtyServer; PtyServer(print, pathlib.Path(sys.argv[1])); print(); input()"
    with Popen(ends_with_parent([sys.executable, "-c", code, str(link)]), stdin=PIPE, stdout=PIPE) as board:
        assert board.stdout is not None
        board.stdout.readline()
        SerialPort(str(link)).close()
        board.kill()
    later = PtyServer(lambda _: (b"", 1.0))
    with pytest.raises(OSError, match="feeder"):
        SerialPort(str(link)).close()
    later.stop()


def test_a_link_into_a_process_that_is_somebody_elses_now_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a power cut the process's number may be another user's, of whom nothing may be read."""
    link = tmp_path / "feeder"
    link.symlink_to("/proc/1/fd/0")
    monkeypatch.setattr(Path, "exists", Mock(side_effect=PermissionError))
    PtyServer(lambda _: (b"", 1.0), link).stop()
    assert not link.is_symlink()
