"""Takes the pictures of the documents from the running program: ``python -m tools.pictures [PART]`` (needs a browser).

Parts are ``tables``, ``event``, ``phones`` and ``recorder``. It starts a demo of four tables, opens its pages in a real browser while
walls are built and hands are played, and writes screenshots to docs/pictures; then one of a table where a person builds the walls,
and those of a championship whose tables have no machines: set-up, hall, projector, standings, the page of a seat and a print. Those
of phones are taken by the test that plays an evening with them. The film strips of the recorder need no browser
(``tools.recorder_page``).
"""

import argparse
import os
import subprocess
import sys
from contextlib import AbstractContextManager
from pathlib import Path

import pypdfium2 as pdfium
from playwright.sync_api import Page

from benchmarks.event.running_hall import RunningHall, running_hall
from benchmarks.support.running import RunningDemo, browser_page, running_demo
from tools.recorder_page import film_all

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "pictures"
PORT = 8092
DISCARDS = 24
PLACED = 12
TABLES = 16
SPEED = 8.0
PATIENCE_MS = 180_000


def main() -> None:
    """Make all pictures, or those of the parts named."""
    parser = argparse.ArgumentParser(description="Takes the pictures of the documents from the running program.")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}; all of them without any")
    parts = parser.parse_args().parts or list(PARTS)
    if unknown := set(parts) - PARTS.keys():
        parser.error(f"there is no part {', '.join(sorted(unknown))}: take some of {', '.join(PARTS)}")
    FOLDER.mkdir(exist_ok=True)
    for part in parts:
        PARTS[part]()


def at_tables() -> None:
    """Four tables with machines, and one whose walls a person builds."""
    with running_demo("--fast", "--tables", "4", "--hands", "3", "--seed", "1", port=PORT) as demo:
        demo.wait_for("building", 6)
        with browser_page(demo, 1440, 900, "/table/1") as page:
            keep(page, "building")
            demo.wait_for("deal-released", 2)
            played = sum(event["type"] == "tile-discarded" for event in demo.events())
            demo.wait_for("tile-discarded", played + DISCARDS)
            keep(page, "table")
            page.goto(f"{demo.url}/")
            keep(page, "hall")
            page.set_viewport_size({"width": 390, "height": 844})
            page.goto(f"{demo.url}/table/1")
            keep(page, "table-phone")
            page.set_viewport_size({"width": 1440, "height": 900})
            demo.wait_for("deal-released", 3)
            page.goto(f"{demo.url}/deal/1")
            keep(page, "deal")
            page.goto(f"{demo.url}/standings")
            keep(page, "standings")
    with running_demo("--feeder", "manual", "--seed", "1", port=PORT) as demo, browser_page(demo, 1024, 640, "/table/1") as page:
        page.goto(demo.screen())
        page.wait_for_function(f"parseInt(document.getElementById('placed').textContent) >= {PLACED}", timeout=180_000)
        page.wait_for_function("document.getElementById('seat').textContent", timeout=60_000)
        keep(page, "station")


def at_an_event() -> None:
    """A championship of sixteen tables, and a seat of a smaller one."""
    with running_hall(TABLES, 1, SPEED) as hall, hall_page(hall, "/event/seating") as page:
        keep(page, "seating")
        page.goto(f"http://127.0.0.1:{hall.port}/event/description")
        keep(page, "set-up")
        hall.director.start(1)
        page.goto(f"http://127.0.0.1:{hall.port}/")
        page.wait_for_timeout(1000 * 300 / SPEED)  # into the hand: most tables play
        keep(page, "championship")
        hall.director.wait_for_release(1)
        page.goto(f"http://127.0.0.1:{hall.port}/standings")
        keep(page, "championship-standings")
        for path, name in (("/print/standings.pdf", "print-standings"), ("/print/tables.pdf", "print-tables")):
            keep_print(page.request.get(f"http://127.0.0.1:{hall.port}{path}", timeout=PATIENCE_MS).body(), name)
        page.set_viewport_size({"width": 1920, "height": 1080})
        page.goto(f"http://127.0.0.1:{hall.port}/projector")
        page.keyboard.press("ArrowRight")  # the standings
        keep(page, "projector")
    with running_hall(4, 1, SPEED, seat_check=True) as hall:
        hall.director.start(1)
        with hall_page(hall, "/seat/1/0") as page:
            page.set_viewport_size({"width": 390, "height": 844})
            while not page.locator("button.main[name=player]").count():
                page.wait_for_timeout(1000)
                page.reload()
            keep(page, "seat")


def with_phones() -> None:
    """The phones of an evening whose tables have no computer, and what to touch where a browser warns."""
    tests = ["tests/system/test_phones_evening.py", "tests/dashboard/browser/test_every_page.py", "-k", "one-table or browser_warns"]
    words = [sys.executable, "-m", "pytest", "-q", "-n", "0", *tests]
    told = {**os.environ, "TWINWALL_TIER": "nightly", "TWINWALL_PICTURES": str(FOLDER)}
    subprocess.run(words, cwd=FOLDER.parent.parent, env=told, check=True)


def hall_page(hall: RunningHall, path: str) -> AbstractContextManager[Page]:
    """A browser at a page of a hall, entered as its director."""
    return browser_page(RunningDemo(f"http://127.0.0.1:{hall.port}", hall.login.password, hall.folder), 1440, 900, path)


def keep_print(content: bytes, name: str) -> None:
    """The first page of a PDF file as a picture."""
    document = pdfium.PdfDocument(content)
    document[0].render(scale=1.2).to_pil().quantize(64).save(FOLDER / f"{name}.png", optimize=True)
    document.close()


PARTS = {"tables": at_tables, "event": at_an_event, "phones": with_phones, "recorder": film_all}


def keep(page: Page, name: str) -> None:
    """Take the picture once the page shows what it has."""
    page.wait_for_timeout(400)
    page.screenshot(path=str(FOLDER / f"{name}.png"))


if __name__ == "__main__":
    main()
