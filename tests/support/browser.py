"""The browser of tests and benchmarks: Chromium's headless shell, which takes far less processor time than whole Chromium."""

import os
from pathlib import Path

from playwright.sync_api import Page

CHROMIUM = Path("/usr/bin/chromium-headless-shell")
QUIET = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync")


def keep_picture(page: Page, name: str) -> None:
    """A picture for people, when they asked for it."""
    folder = os.environ.get("TWINWALL_SCREENSHOTS")
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)
