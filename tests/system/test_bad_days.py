"""Faults that a table survives: the same hand goes on, nothing is lost or doubled, and the fault is named."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from tests.system.harness import DemoRun, of_type, processes_in
from twinwall.cli.event.starts import started_plan
from twinwall.game.deals import Slip, verify_slip
from twinwall.wire.ledger import UnknownEvent, parse, verify_chain

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The report of a demo to which nothing happens."""
    folder = tmp_path_factory.mktemp("calm") / "demo"
    with DemoRun(folder) as demo:
        report = demo.report()
        report["folder"] = folder
        report["leftover"] = processes_in(folder)
    return report


def test_one_command_plays_a_hand_from_camera_frames_without_a_wrong_read(undisturbed: dict[str, Any]) -> None:
    assert undisturbed["reads"]["wrong"] == 0
    assert undisturbed["reads"]["gate"] >= 136
    assert undisturbed["reads"]["discard"] > 10
    (table,) = undisturbed["tables"]
    (hand,) = table["hands"]
    assert sum(hand["scores"].values()) == 0
    assert hand["digest"] == undisturbed["deals"][0]["digest"]
    assert Path(hand["record"]).exists()


def test_no_process_is_left_behind(undisturbed: dict[str, Any]) -> None:
    assert undisturbed["leftover"] == []


def test_the_public_ledger_is_one_unbroken_chain(undisturbed: dict[str, Any]) -> None:
    ledger = undisturbed["folder"] / "table-1" / "ledger" / "events.jsonl"
    assert verify_chain(ledger.read_bytes().splitlines(keepends=True)) is None


def test_no_concealed_tile_is_in_the_public_ledger(undisturbed: dict[str, Any]) -> None:
    ledger = undisturbed["folder"] / "table-1" / "ledger" / "events.jsonl"
    started = started_plan(undisturbed["folder"] / "plan.json", undisturbed["folder"] / "start.json")
    slip = Slip.from_json((undisturbed["folder"] / "released" / "slip-0001.json").read_bytes())
    deal = verify_slip(started, slip)
    text = ledger.read_text()
    for wall in deal.walls.values():
        for tiles in (wall.hand, wall.draws):
            row = [tile.text for tile in tiles]
            windows = [" ".join(row[start : start + 8]) for start in range(len(row) - 7)]
            assert not any(window in text for window in windows)
    assert deal.digest.hex() not in text


def test_every_line_of_the_public_ledger_has_the_fields_of_its_type_and_no_others(undisturbed: dict[str, Any]) -> None:
    ledger = undisturbed["folder"] / "table-1" / "ledger" / "events.jsonl"
    events = [parse(line) for line in ledger.read_bytes().splitlines(keepends=True)]
    assert not [event.why for event in events if isinstance(event, UnknownEvent)]
    drawn = [event for event in events if event.type == "tile-drawn"]
    assert drawn
    assert not [event for event in drawn if "tile" in event.fields]


@pytest.fixture(scope="module")
def disturbed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[DemoRun, dict[str, Any], bool]]:
    """A demo with the same seed whose controller, broker, dashboard and line are killed or cut on the way."""
    folder = tmp_path_factory.mktemp("storm") / "demo"
    with DemoRun(folder) as demo:
        demo.wait(lambda events: any(event["placed"] >= 40 for event in of_type(events, "building")))
        demo.kill("table")
        demo.wait(lambda events: any(event["placed"] >= 72 for event in of_type(events, "building")))
        demo.world("unplug")
        demo.wait(lambda events: len(of_type(events, "link-lost")) > 0)
        demo.world("plug")
        demo.wait(lambda events: len(of_type(events, "tile-discarded")) >= 8)
        demo.kill("broker")
        demo.wait(lambda events: len(of_type(events, "tile-discarded")) >= 16)
        demo.kill("table")
        demo.wait(lambda events: len(of_type(events, "tile-discarded")) >= 20)
        demo.kill("dashboard")
        page = wait_for_page(demo)
        demo.wait(lambda events: len(of_type(events, "tile-discarded")) >= 32)
        demo.kill("cameras")
        yield demo, demo.report(), page


class Rivers(HTMLParser):
    """The symbols of the tiles in the four rivers of a table's page, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.tiles: dict[str, list[str]] = {}
        self._seat = ""
        self._depth = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Enter a river, or note the tile that a river shows."""
        named = dict(attrs)
        if tag == "g":
            identity = named.get("id") or ""
            if identity.startswith("river-"):
                self._seat, self._depth = identity.removeprefix("river-"), 0
                self.tiles[self._seat] = []
            self._depth += 1
        elif tag == "use" and self._seat:
            self.tiles[self._seat].append((named.get("href") or "").partition("#t-")[2])

    def handle_endtag(self, tag: str) -> None:
        """Leave it."""
        if tag == "g" and self._seat:
            self._depth -= 1
            self._seat = self._seat if self._depth else ""


def rivers_on(page: str) -> dict[str, list[str]]:
    reader = Rivers()
    reader.feed(page)
    reader.close()
    return reader.tiles


def rivers_of(events: list[dict[str, Any]]) -> dict[str, list[str]]:
    """What every seat has discarded, by the ledger."""
    discards = of_type(events, "tile-discarded")
    return {seat: [event["tile"] for event in discards if event["seat"] == seat] for seat in "ESWN"}


def wait_for_page(demo: DemoRun) -> bool:
    """Whether the table's page, once the dashboard answers again, comes to show all that has been discarded by then."""
    done = threading.Event()
    for _ in range(300):
        with contextlib.suppress(OSError):
            before = rivers_of(demo.events())
            page = rivers_on(demo.page("/table/1"))
            after = rivers_of(demo.events())
            if all(begins(after[seat], page.get(seat, [])) and begins(page.get(seat, []), before[seat]) for seat in "ESWN"):
                return True
        done.wait(0.1)
    return False


def begins(tiles: list[str], first: list[str]) -> bool:
    """Whether the tiles begin with the first ones."""
    return tiles[: len(first)] == first


def test_after_every_kill_and_cut_the_same_hand_ends_with_the_same_scores(
    undisturbed: dict[str, Any], disturbed: tuple[DemoRun, dict[str, Any], bool]
) -> None:
    _, report, _ = disturbed
    assert report["tables"][0]["hands"][0]["scores"] == undisturbed["tables"][0]["hands"][0]["scores"]
    assert report["reads"]["wrong"] == 0
    assert report["recoveries"] >= 5


def test_no_event_is_lost_or_doubled_by_the_kills(undisturbed: dict[str, Any], disturbed: tuple[DemoRun, dict[str, Any], bool]) -> None:
    demo, _, _ = disturbed
    calm = [json.loads(line) for line in (undisturbed["folder"] / "table-1" / "ledger" / "events.jsonl").read_bytes().splitlines()]
    kinds = ("tile-drawn", "tile-discarded", "claimed", "passed", "win-declared", "hand-shown", "settled", "hand-ended", "hand-closed")

    def play(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [
            {key: value for key, value in event.items() if key not in ("seq", "prev", "at", "journal")}
            for event in events
            if event["type"] in kinds
        ]

    assert play(demo.events()) == play(calm)
    ledger = demo.table() / "ledger" / "events.jsonl"
    assert verify_chain(ledger.read_bytes().splitlines(keepends=True)) is None


def test_the_page_is_right_by_itself_after_broker_and_dashboard_were_killed(disturbed: tuple[DemoRun, dict[str, Any], bool]) -> None:
    _, _, page_was_right = disturbed
    assert page_was_right
