"""A demo of a whole event: what its director reads in, what it refuses, and how it ends."""

import argparse
import os
import re
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from cli.demo.choices import ARGUMENTS, EVENTS, DemoEvent, choices_of, event_of
from cli.usage import UsageError
from tests.support.children import ends_with_parent
from tests.support.demo.harness import processes_with
from tests.support.wire.brokers import eventually, free_port
from twinwall.event.management.change_checks import refusal
from twinwall.event.management.managed_event import ManagedEvent, apply, read_event_file
from twinwall.event.store.store_loading import load
from twinwall.event.store.store_rows import read_store
from twinwall.game.rules import DEFAULT_RULES

QUICK = ("--event", "championship", "--tables", "4", "--machines", "0", "--sessions", "1", "--hands", "1", "--fast")


def _asked(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    for add in ARGUMENTS:
        add(parser)
    return parser.parse_args(words)


def _made(event: DemoEvent) -> ManagedEvent:
    file, made = read_event_file(event.file(DEFAULT_RULES)), ManagedEvent()
    assert refusal(made, *file.changes) is None
    for change in file.changes:
        made = apply(made, change)
    return made


@pytest.mark.parametrize("name", EVENTS)
def test_a_director_can_read_the_event_in(name: str) -> None:
    event = EVENTS[name]
    made = _made(event)
    assert len(made.players) == 4 * event.tables
    assert len(made.teams) == (event.tables if event.kind == "team" else 0)
    assert made.description is not None
    assert (made.description.sessions, made.description.hands) == (event.sessions, event.hands)
    assert made.description.minutes == 130 * event.hands // 16, "two hours and ten minutes are said of sixteen hands"


def test_names_of_the_largest_hall_differ() -> None:
    assert len(set(read_event_file(replace(EVENTS["championship"], tables=64).file(DEFAULT_RULES)).names.values())) == 256


def test_the_pages_say_which_tables_have_no_machine() -> None:
    assert EVENTS["club"].announcement() == {}
    told = EVENTS["championship"].announcement()
    assert set(told) == {"en", "ja", "zh-Hans"}
    assert "Table 1 alone" in told["en"]
    assert "At all tables no tile moves" in replace(EVENTS["championship"], machines=0).announcement()["en"]


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("--event", "club", "--sessions", "0"), "--sessions 0"),
        (("--event", "club", "--machines", "5"), "--machines 5"),
        (("--event", "championship", "--machines", "9"), "--machines 9"),
        (("--event", "championship", "--tables", "6"), "--tables 6"),
        (("--event", "club", "--json"), "--json"),
        (("--event", "club", "--feeder", "manual"), "--feeder"),
    ],
)
def test_an_event_that_cannot_be_is_refused_by_the_option(words: tuple[str, ...], named: str) -> None:
    with pytest.raises(UsageError, match=re.escape(named)):
        event_of(_asked(*words))


@pytest.mark.parametrize("option", ["sessions", "machines"])
def test_what_belongs_to_an_event_is_refused_without_one(option: str) -> None:
    with pytest.raises(UsageError, match=f"--{option}"):
        choices_of(_asked(f"--{option}", "1", "--port", str(free_port())))


def _demo(folder: Path, *words: str) -> subprocess.Popen[str]:
    asked = ["demo", *QUICK, "--seed", "1", "--port", str(free_port()), "--folder", str(folder), *words]
    said = folder.with_suffix(".said").open("w")
    with said:
        return subprocess.Popen(ends_with_parent([sys.executable, "-m", "cli", *asked]), stdout=said, stderr=said, text=True)


@pytest.mark.nightly
@pytest.mark.timeout(1200)
def test_a_championship_without_machines_plays_to_its_end_through_broker_vault_and_server(tmp_path: Path) -> None:
    """In ``make test`` tests/cli/ledger_tables/test_ledger_table.py plays such a table's hands and test_over_brokers.py of
    tests/custody releases a session through broker and vault; the next test starts this demo."""
    assert _demo(tmp_path / "demo", "--headless").wait(1000) == 0, (tmp_path / "demo.said").read_text()
    hall = load(read_store(tmp_path / "demo" / "events" / "0001" / "event.sqlite")).hall
    assert set(hall.released_deals()) == {1}
    assert [len(hall.standings().ranking), hall.event.closed] == [4, False]
    assert processes_with(str(tmp_path)) == []


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("number", [pytest.param(signal.SIGTERM, marks=pytest.mark.nightly), signal.SIGKILL])
def test_a_demo_that_is_ended_leaves_nothing_running(tmp_path: Path, number: signal.Signals) -> None:
    demo, said = _demo(tmp_path / "demo"), tmp_path / "demo.said"
    try:
        eventually(lambda: "Ctrl-C ends the demo" in said.read_text(), "every process of the demo has started")
        os.kill(demo.pid, number)
        demo.wait(300)
    finally:
        demo.kill()
        demo.wait()
    eventually(lambda: processes_with(str(tmp_path)) == [], "every process of the demo has ended")
