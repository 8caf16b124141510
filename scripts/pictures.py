"""Makes the pictures of the documents from the running program: ``python -m scripts.pictures`` (needs chromium).

A demo is started, a real browser looks at it while a wall is built and while a hand is played, and
what it shows is kept in docs/pictures.
"""

from __future__ import annotations

from pathlib import Path

from benchmarks.running import browser_page, running_demo

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "pictures"
PORT = 8092
DISCARDS = 36


def main() -> None:
    """Make all pictures."""
    FOLDER.mkdir(exist_ok=True)
    with running_demo("--fast", "--seed", "1", port=PORT) as demo:
        demo.wait_for("building", 6)
        with browser_page(demo, 1440, 900, "/table/1") as page:
            page.screenshot(path=str(FOLDER / "building.png"))
            demo.wait_for("tile-discarded", DISCARDS)
            page.wait_for_timeout(300)
            page.screenshot(path=str(FOLDER / "table.png"))
            page.set_viewport_size({"width": 390, "height": 844})
            page.screenshot(path=str(FOLDER / "table-phone.png"))
            page.set_viewport_size({"width": 1440, "height": 900})
            demo.wait_for("hand-closed", 1)
            page.wait_for_timeout(500)
            page.screenshot(path=str(FOLDER / "settled.png"))
            page.goto(f"{demo.url}/")
            page.screenshot(path=str(FOLDER / "hall.png"))


if __name__ == "__main__":
    main()
