"""Takes the pictures of the documents from the running program: ``python -m scripts.pictures`` (needs chromium).

It starts a demo of four tables, opens its pages in a real browser while walls are built and hands are played, and
writes screenshots to docs/pictures; then one of a table where a person builds the walls.
"""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page

from benchmarks.running import browser_page, running_demo

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "pictures"
PORT = 8092
DISCARDS = 24
PLACED = 12


def main() -> None:
    """Make all pictures."""
    FOLDER.mkdir(exist_ok=True)
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


def keep(page: Page, name: str) -> None:
    """Take the picture once the page shows what it has."""
    page.wait_for_timeout(400)
    page.screenshot(path=str(FOLDER / f"{name}.png"))


if __name__ == "__main__":
    main()
