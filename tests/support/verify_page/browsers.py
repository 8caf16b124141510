"""The verify page in a browser: opened from a file, and asked by its own functions."""

import base64
from collections.abc import Sequence
from pathlib import Path

from playwright.sync_api import Browser, Page

from dashboard.verify_page.page import page as page_text
from tests.support.verify_page.slips import Vector

ASK = """
([plan, start, slips]) => {
  const bytes = (text) => Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
  const readPlanOf = readPlan(bytes(plan)), readStartOf = readStart(bytes(start));
  return slips.map((slip) => {
    const found = checkSlip(readPlanOf, readStartOf, bytes(slip));
    return found.good ? `good ${toHex(found.deal.digest)}` : found.part;
  });
}
"""


def open_page(browser: Browser, folder: Path, *, width: int = 1440, height: int = 900, locale: str = "en") -> Page:
    """The page, from a file as players have it; a request to any network fails the test by an error on the page."""
    file = folder / "verify.html"
    file.write_text(page_text(), encoding="utf-8")
    page = browser.new_context(viewport={"width": width, "height": height}, locale=locale).new_page()
    page.goto(file.as_uri())
    page.wait_for_selector("#languages button")
    return page


def _text(content: bytes) -> str:
    return base64.b64encode(content).decode()


def verdicts_of_page(page: Page, known: Vector, slips: Sequence[bytes]) -> list[str]:
    """What the page says of slips, in the words of ``slips.verdict``."""
    started = known.started
    found: list[str] = page.evaluate(ASK, [_text(started.plan.canonical), _text(started.start.canonical), [_text(slip) for slip in slips]])
    return found
