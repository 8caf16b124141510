"""A hall whose table has no computer: from one command to a table that is ready, with phones in a real browser, beside a simulated one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.demo.tutorials import served_hall
from tests.support.phones.fake_camera import show_picture, with_pictures
from tests.support.phones.let_in import CAMERA_WORKS, KEYS_ASLEEP, PATIENCE_MS, let_in, screens_of
from tests.support.vision.pictures import MatPicture, empty_gate, face, gate_with
from tests.support.wire.brokers import eventually, free_port
from twinwall.game.tiles import Tile
from vision.cameras.pictures import encode_picture
from vision.mat import Area, Mat, Slot

pytestmark = [pytest.mark.nightly, pytest.mark.timeout(1800)]
PASSWORD = "a long enough password"
TRIED = (Tile.P5, Tile.M1, Tile.RED, Tile.S7)
"""What each place shows in the trial of four draws."""
AWAY_MS = 3000
"""So long the gate stays empty between two tiles."""


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[tuple[str, str]]:
    """The address of a hall whose first table is guided, and the director's link."""
    with served_hall(tmp_path, ["--tables", "2", "--guided", "1", "--phones-port", str(free_port())]) as served:
        yield served


def picture(image: object) -> bytes:
    return encode_picture(np.asarray(image, np.uint8))


def gate_pictures() -> dict[str, bytes]:
    """The empty gate, and the tiles that are tried in it."""
    rng = np.random.default_rng(1)
    return {"empty": picture(empty_gate(rng)), **{tile.text: picture(gate_with(face(tile, 320), rng)) for tile in TRIED}}


def mat_pictures() -> dict[str, bytes]:
    """The bare mat, and the mat after each draw of the trial."""
    mat = MatPicture(Mat())
    shown = {"bare": picture(mat.picture)}
    for place, tile in enumerate(TRIED):
        mat.lay(tile, Slot(place, Area.RIVER, 0))
        shown[str(place)] = picture(mat.picture)
    return shown


class Director:
    """A person at the pages who touches and reads."""

    def __init__(self, browser: Browser, address: str, link: str) -> None:
        self.address, self.browser, self.page = address, browser, browser.new_page()
        self.page.goto(link)
        for field in ("password", "again"):
            self.page.fill(f"[name={field}]", PASSWORD)
        self.page.click("button.main")
        self.page.fill("[name=name]", "Saturday")
        self.page.click("button.main")
        expect(self.page.locator("a[href='/phones']")).to_be_visible(timeout=PATIENCE_MS)

    def let_in(self, role: str, pictures: Mapping[str, bytes]) -> Page:
        """A phone that opens the code of a role."""
        phone = self.browser.new_context()
        with_pictures(phone, pictures, tells_time=True)
        says = KEYS_ASLEEP if role == "keys" else CAMERA_WORKS  # a table without an event takes no keys
        return let_in(self.page, self.address, f"1/{role}", phone, says)

    def sees(self, text: str) -> None:
        """The page that is open comes to say this."""
        expect(self.page.locator("main")).to_contain_text(text, timeout=PATIENCE_MS)

    def press(self, text: str) -> None:
        with self.page.expect_navigation():
            self.page.get_by_role("button", name=text).first.click()

    def enrols(self, gate: Page, tiles: Sequence[Tile]) -> None:
        """Begin an enrolment and show some tiles one after the other, as the page counts them; then stop it."""
        self.press("Enrol this set")
        for number, tile in enumerate(tiles, 1):
            show_picture(gate, tile.text)
            self.sees(f"{number} of 136 tiles")
            show_picture(gate, "empty")
            gate.wait_for_timeout(AWAY_MS)
        self.press("Stop")


def test_a_director_gets_a_table_ready_from_the_pages_alone(browser: Browser, hall: tuple[str, str], tmp_path: Path) -> None:
    assert list(screens_of(tmp_path / "hall.log")) == ["1"]
    director = Director(browser, *hall)
    director.page.goto(f"{director.address}/event/tables")
    director.sees("Rehearse")
    director.press("Simulate table 2")
    director.sees("Simulated, for a rehearsal")

    def joined() -> bool:
        director.page.reload()
        return "Ready for a session" in director.page.locator("label", has_text="Table 2").inner_text()

    eventually(joined, "the simulated table joins")
    expect(director.page.locator("label", has_text="Table 2")).to_contain_text("Simulated, for a rehearsal")

    ready = f"{director.address}/ready/1"
    director.page.goto(ready)
    director.sees("Let a phone in as the gate camera")
    gate = director.let_in("gate", gate_pictures())
    director.page.goto(ready)
    director.sees("Show any tile to the camera")
    show_picture(gate, "5p")
    director.sees("let a phone in as the camera above the table")
    show_picture(gate, "empty")
    table = director.let_in("table", mat_pictures())
    keys = director.let_in("keys", {"none": picture(empty_gate(np.random.default_rng(2)))})
    director.page.goto(ready)
    director.sees("Show each tile of this set")

    director.enrols(gate, TRIED)
    director.press("Try four draws")
    for place, tile in enumerate(TRIED):
        director.sees(f"Place {place + 1}: show a tile")
        show_picture(gate, tile.text)
        director.sees(f"Place {place + 1}: lay this tile")
        show_picture(gate, "empty")
        show_picture(table, str(place))
        director.sees(f"Place {place + 1}: press CONFIRM")
        keys.locator(f"[data-place='{place}'] button", has_text="CONFIRM").click(timeout=PATIENCE_MS)
    done = director.page.locator("li.done")
    expect(done).to_have_text([re.compile(step) for step in ("program", "gate", "Mat", "Keys", "Trial")], timeout=PATIENCE_MS)
