"""Faults that stop a table: the fault is named, and no hand is played with it."""

from __future__ import annotations

import ast
import contextlib
import os
import pty
import re
import threading
import tty
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.system.harness import DemoRun, of_type
from twinwall.game.deals import Start

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]

SENTENCE = b"GPS,$GPGGA,hello\r\n"
"""What a device that is no feeder might say."""


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("words", "named"),
    [(("--extra", "5m"), "fifth 5m"), (("--foreign", "1"), "none of the 34 kinds")],
    ids=["137 tiles", "a foreign tile"],
)
def test_a_tile_too_many_is_named_and_the_hand_does_not_start(tmp_path: Path, words: tuple[str, ...], named: str) -> None:
    """In ``make test`` the missing kind below goes this way, and tests/controller/wall names what is too many."""
    with DemoRun(tmp_path / "demo", *words) as demo:
        said = demo.ends_with(1)
        assert named in said
        assert not of_type(demo.events(), "wall-ready")
        assert not of_type(demo.events(), "hand-started")


def test_a_missing_kind_is_named_only_after_eight_places_over_all_seats_are_open_and_the_hand_does_not_start(tmp_path: Path) -> None:
    with DemoRun(tmp_path / "demo", "--missing", "3p") as demo:
        said = demo.ends_with(1)
        journal = demo.journal()
        assert "3p" in said
        assert not of_type(demo.events(), "wall-ready")
    named = next(index for index, event in enumerate(journal) if event["type"] == "tiles-named")
    emptied = [tuple(position) for event in journal[:named] if event["type"] == "positions-doubted" for position in event["positions"]]
    returned = [event for event in journal[:named] if event["type"] == "operation-issued" and event["command"]["type"] == "return"]
    assert len(set(emptied)) >= 8
    assert {place for place, _ in emptied} == {0, 1, 2, 3}
    assert len(returned) >= 8


def test_a_deal_that_is_not_of_the_published_root_is_refused_before_a_tile_moves(tmp_path: Path) -> None:
    """The table was told another root than the vault's: what it is given is not the deal that was committed."""
    with DemoRun(tmp_path / "demo") as demo:
        while not (demo.folder / "vault").exists():  # all settings are written, and no table runs yet
            assert demo.process.poll() is None
        settings = demo.settings("table")
        another = demo.folder / "another-start.json"
        another.write_bytes(replace(Start.from_bytes((demo.folder / "start.json").read_bytes()), root=b"\xab" * 32).canonical)
        text, changed = re.subn(r'(?m)^start = ".*"$', f'start = "{another}"', settings.read_text())
        assert changed == 1
        settings.write_text(text)
        said = demo.ends_with(1)
        assert "must not be played" in said
        assert not [event for event in demo.journal() if event["type"] == "operation-issued"]


def test_a_port_that_answers_something_else_is_named(tmp_path: Path) -> None:
    """A chatty device that is no feeder sits at the port of the settings file."""
    with DemoRun(tmp_path / "demo") as demo, chatty_device() as port:
        demo.wait(bool)
        link = demo.table() / "feeder"
        link.unlink()
        link.symlink_to(port)
        demo.kill("table")
        said = demo.ends_with(1)
    named = re.search(r"answers, but not as a Twinwall feeder: it sent bytes such as (b'[^']*')", said)
    assert named is not None, said
    sample = ast.literal_eval(named[1])
    assert b"GPGGA" in sample, "what it sent is shown as it was sent"


@contextlib.contextmanager
def chatty_device() -> Iterator[str]:
    """The port of a device that says the same all the time, whatever it is told."""
    master, slave = pty.openpty()
    stop = threading.Event()

    def chatter() -> None:
        while not stop.wait(0.05):
            with contextlib.suppress(BlockingIOError):  # nobody listens just now
                os.write(master, SENTENCE)

    thread = threading.Thread(target=chatter)
    try:
        tty.setraw(slave)
        os.set_blocking(master, False)
        thread.start()
        yield os.ttyname(slave)
    finally:
        stop.set()
        thread.join()
        os.close(master)
        os.close(slave)
