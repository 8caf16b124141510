"""A phone that a director lets in from the pages: its role's code is made there, and opened in a browser of its own."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import BrowserContext, Page, expect

PATIENCE_MS = 120_000
KEYS_ASLEEP, CAMERA_WORKS = "takes no keys now", "camera works"


def let_in(director: Page, address: str, role: str, phone: BrowserContext, says: str) -> Page:
    """The page of a phone with the role ``TABLE/NAME``, once it says so; ``director`` is a page of somebody who has entered."""
    director.goto(f"{address}/phones")
    with director.expect_navigation():
        director.locator(f"form[action='/phones/{role}/code'] button").click()
    page = phone.new_page()
    page.goto(director.locator(".invitation[role=status] code").inner_text())
    expect(page.locator("#state")).to_contain_text(says, timeout=PATIENCE_MS)
    return page


class Touches:
    """How often people touch the pages of some contexts, typing apart; opening a code's address is a touch too."""

    def __init__(self) -> None:
        self.count = 0

    def watch(self, context: BrowserContext) -> None:
        """Count from now on what is touched in this context."""
        context.expose_function("touchedByHand", self._touched)
        context.add_init_script("addEventListener('click', (event) => event.isTrusted && window.touchedByHand(), true);")

    def _touched(self) -> None:
        self.count += 1


def screens_of(said: Path) -> dict[str, str]:
    """The screens for whoever builds, by table, as ``twinwall hall serve`` says them in its log."""
    return dict(re.findall(r"the builder at table (\S+) looks at (http://127\.0\.0\.1:\d+)/", said.read_text()))
