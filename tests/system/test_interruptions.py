"""One hand that is interrupted twice: a referee rules in it, and then something that is no feeder sits at the table's port.

In ``make test`` tests/dashboard/pages/rulings/test_rulings.py sends what the page asks for, test_rulings_over_brokers.py of
tests/controller/ledger carries it, tests/controller/hand/test_rulings.py halts play until it is there, and
tests/firmware_bridge/test_feeder_connection.py names a port that is no feeder's. tests/dashboard/test_question_over_a_broker.py
goes the same way over a real broker, from the page to the table and back.
"""

from __future__ import annotations

import ast
import contextlib
import os
import pty
import re
import threading
import tty
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.support.demo.harness import DemoRun, ask, hidden, logged_in, of_type

pytestmark = [pytest.mark.nightly, pytest.mark.timeout(1800)]

SENTENCE = b"GPS,$GPGGA,hello\r\n"
"""What a device that is no feeder might say."""


@dataclass(frozen=True)
class Interrupted:
    """What was seen of the hand."""

    answer: str
    """Where the form of the ruling led."""
    events: list[dict[str, Any]]
    """What the table had published when play had gone on after the ruling."""
    said: str
    """What the demo said in the end, when it found no feeder at the port."""


@pytest.fixture(scope="module")
def interrupted(tmp_path_factory: pytest.TempPathFactory) -> Interrupted:
    """A table where a player calls, the referee rules a hand dead, play goes on, and another device takes the feeder's port."""
    with DemoRun(tmp_path_factory.mktemp("interrupted") / "demo") as demo:
        demo.wait(lambda events: len(of_type(events, "tile-discarded")) > 6)
        demo.press(1, "referee")
        demo.wait(lambda events: bool(of_type(events, "play-halted")))
        answer = rule(demo, "dead-hand")
        demo.wait(lambda events: bool(of_type(after_ruling(events), "tile-discarded")))
        events = demo.events()
        with chatty_device() as port:
            link = demo.table() / "feeder"
            link.unlink()
            link.symlink_to(port)
            demo.kill("table")
            said = demo.ends_with(1)
    return Interrupted(answer, events, said)


def rule(demo: DemoRun, choice: str) -> str:
    """What a referee does: log in, open the table's page, choose, and press the button; where that leads."""
    jar, address = logged_in(demo), f"http://127.0.0.1:{demo.port}/table/1"
    page, _ = ask(jar, address)
    sent = {name: hidden(page, name) for name in ("token", "form", "n")}
    return ask(jar, f"{address}/rule", choice=choice, seat="S", **sent)[1]


def after_ruling(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What happened once a hand had been ruled dead."""
    kinds = [event["type"] for event in events]
    return events[kinds.index("hand-ruled-dead") :] if "hand-ruled-dead" in kinds else []


def test_a_call_halts_play_until_the_ruling_from_the_page_reaches_the_table(interrupted: Interrupted) -> None:
    assert interrupted.answer.endswith("?ruled=sent")
    (ruling,) = of_type(interrupted.events, "ruling")
    assert (ruling["by"], set(ruling["texts"])) == ("Director", {"en", "ja", "zh-Hans"})
    kinds = [event["type"] for event in interrupted.events]
    assert "gate-unlocked" not in kinds[kinds.index("play-halted") : kinds.index("ruling")]


def test_a_port_that_answers_something_else_is_named_with_what_it_sent(interrupted: Interrupted) -> None:
    named = re.search(r"answers, but not as a Twinwall feeder: it sent bytes such as (b'[^']*')", interrupted.said)
    assert named is not None, interrupted.said
    assert b"GPGGA" in ast.literal_eval(named[1]), "what it sent is shown as it was sent"


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
