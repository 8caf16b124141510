"""What holds for every test: the browser that all pages are looked at with, and properties without a time limit for one example, since a
loaded machine must not make them fail."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser

settings.register_profile("twinwall", deadline=None)
settings.load_profile("twinwall")

_PATIENCE_MS = 20_000
_CHROMIUM = Path("/usr/bin/chromium")
_FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A real browser, one for the whole run. It comes from the system, never from a download; without it tests say so and are skipped."""
    from playwright.sync_api import expect, sync_playwright  # noqa: PLC0415 — slow to import

    if not _CHROMIUM.exists():
        pytest.skip(f"{_CHROMIUM} is not installed (apt-get install chromium)")
    with sync_playwright() as playwright:
        expect.set_options(timeout=_PATIENCE_MS)
        running = playwright.chromium.launch(executable_path=str(_CHROMIUM), args=_FLAGS)
        yield running
        running.close()
