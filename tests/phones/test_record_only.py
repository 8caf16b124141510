"""Record only, from end to end: a phone's page is the camera above a guided table, and a director has an ordinary hand recorded."""

from __future__ import annotations

import json
import os
import tty
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

import config
from cli.hall.checked_parts import checked_parts
from cli.hall.guided_tables import GuidedTables
from cli.hall.hall_folder import HallFolder
from controller.recorder.observation_file import decode_lines
from controller.settings import TableSettings
from simulator.cameras.table import TableCamera
from simulator.scene import CLEAR
from simulator.seen_tiles import scene
from tableside.readiness.checked_table import CheckedTable
from tableside.readiness.readiness_server import readiness_app
from tests.phones.conftest import TablePhones
from tests.support.dashboard.hall import OPEN, Hall
from tests.support.dashboard.staff import NAME, PASSWORD
from tests.support.phones.fake_camera import show_picture, with_pictures
from tests.support.phones.let_in import CAMERA_WORKS, PATIENCE_MS, let_in
from tests.support.recorder.played_hands import only, played
from tests.support.tiers import TIER, Tier
from tests.support.wire.brokers import free_port
from twinwall.game.play_events import TileDiscarded
from twinwall.game.record import HandRecord
from twinwall.web.http_server import HttpServer
from twinwall.wire.shapes.readiness import RecordingStage
from vision.cameras.pictures import encode_picture
from vision.mat import Mat

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
HAND = played("sichuan", 1)
EVENTS = 6 if TIER is Tier.NIGHTLY else 2
"""So much of the hand is shown: the first discards, in ``make test`` the first one."""
FRAMES_EACH = 3
"""So many frames see each picture."""


def pictures() -> dict[str, bytes]:
    """What the camera sees before the hand and after each thing that was laid, in order."""
    camera = TableCamera(5, Mat())
    tables = [table for _, table in HAND.at_table(only(), EVENTS).tabletops()]
    return {str(number): encode_picture(camera.render(scene(table, CLEAR))) for number, table in enumerate(tables)}


@dataclass
class GuidedTable:
    """Table 1 of a hall as its settings have it, its readiness served, and the dashboard before a browser."""

    readiness: HttpServer
    site: HttpServer
    table: CheckedTable
    folder: Path

    @property
    def address(self) -> str:
        return f"{self.site.url}/ready/1/record"

    def is_recording(self) -> bool:
        recording = self.table.now().recording
        return recording is not None and recording.stage is RecordingStage.RECORDING

    def frames(self) -> int:
        recording = self.table.now().recording
        return 0 if recording is None else recording.frames


@pytest.fixture
def guided(tmp_path: Path, phones: TablePhones) -> Iterator[GuidedTable]:
    folder, own = tmp_path / "hall", f"http://127.0.0.1:{free_port()}"
    folder.mkdir()
    hall = HallFolder(folder, tmp_path / "memory", ("1",), free_port(), free_port(), True, phones=phones.servers.local.url, readiness=own)
    for _ in GuidedTables(hall, ("1",), free_port(), (free_port(),)).processes(datetime.now(UTC)):
        pass  # their settings are written
    ours, theirs = os.openpty()
    tty.setraw(theirs)
    (folder / "table-1" / "feeder").symlink_to(os.ttyname(theirs))
    table = CheckedTable(checked_parts(config.load(folder / "table-1.toml", TableSettings)))
    readiness = HttpServer(readiness_app({"1": table}), 0)
    readiness.start()
    pages = Hall(settings=replace(OPEN, readiness=readiness.url, phones=phones.servers.local.url))
    site = HttpServer(pages.app, 0)
    site.start()
    yield GuidedTable(readiness, site, table, folder / "table-1")
    site.stop()
    table.close()
    readiness.stop()
    os.close(ours)
    os.close(theirs)


@pytest.fixture
def director(browser: Browser, guided: GuidedTable) -> Iterator[Page]:
    context = browser.new_context(locale="en")
    page = context.new_page()
    page.goto(f"{guided.site.url}/login")
    page.fill("[name=name]", NAME)
    page.fill("[name=password]", PASSWORD)
    page.click("main button.main, main button")
    yield page
    context.close()


def press(page: Page, text: str) -> None:
    with page.expect_navigation():
        page.get_by_role("button", name=text, exact=True).click()


def shown_in_turn(phone: Page, guided: GuidedTable, director: Page, names: list[str]) -> None:
    """Each picture until the recorder has looked at it."""
    for name in names:
        show_picture(phone, name)
        seen = guided.frames() + FRAMES_EACH
        while guided.is_recording() and guided.frames() < seen:
            director.wait_for_timeout(100)


def test_a_hand_before_a_phone_is_recorded_shown_and_taken_away(director: Page, guided: GuidedTable, context: BrowserContext) -> None:
    shown = pictures()
    director.goto(guided.address)
    expect(director.locator("#recording")).to_contain_text("let a phone in as the camera above the table", timeout=PATIENCE_MS)
    expect(director.get_by_role("button", name="Start of hand")).to_have_count(0)

    with_pictures(context, shown, tells_time=True)
    phone = let_in(director, guided.site.url, "1/table", context, CAMERA_WORKS)
    show_picture(phone, "0")
    director.goto(guided.address)
    expect(director.get_by_role("button", name="Start of hand")).to_be_visible(timeout=PATIENCE_MS)
    while not guided.is_recording():  # the phone's page may have given no frame just then: a person tries again
        expect(director.get_by_role("button", name="Start of hand")).to_be_visible(timeout=PATIENCE_MS)
        director.select_option("#rules", "sichuan")
        director.select_option("#hand", str(HAND.to_play.hand))
        press(director, "Start of hand")
    shown_in_turn(phone, guided, director, list(shown))

    press(director, "End of hand")
    expect(director.locator("#recording")).to_contain_text("The camera has not seen the end of this hand", timeout=PATIENCE_MS)
    press(director, "Keep what was seen so far")
    expect(director.locator("#recording")).to_contain_text("The hand is recorded", timeout=PATIENCE_MS)
    director.get_by_role("link", name="Show").first.click()
    discards = [event for event in HAND.events[:EVENTS] if isinstance(event, TileDiscarded)]
    expect(director.locator("main")).to_contain_text("The end was not seen")
    expect(director.locator("ol > li", has_text="discards")).to_have_count(len(discards))

    with director.expect_download() as downloading:
        director.get_by_role("link", name="Hand record").click()
    record = HandRecord.from_json(downloading.value.path().read_bytes())
    assert [event for event in record.events if isinstance(event, TileDiscarded)] == discards
    assert record.walls is None
    (observations,) = (guided.folder / "recorded").glob("*.jsonl")
    with observations.open("rb") as lines:
        _, decoded = decode_lines(lines)
    assert tuple(event.event for event in decoded.events) == record.events, "the command makes the same record of the observations"
    assert not decoded.decoder.complete
    assert b"\xff\xd8" not in observations.read_bytes()
    assert json.loads(observations.read_bytes().splitlines()[0])["gates"] is False
