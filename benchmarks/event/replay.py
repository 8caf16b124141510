"""Replays as files: bytes, the time to open one, and the time of a step in the browser's one thread.

A session of 16 deals at four tables, whose players play at random towards wins from the same walls. Each deal is a file as written by
``twinwall results export --format html``, opened from disk. A step is a key, the script's work and the following layout, without the paint,
which is another process's.
"""

import random
import statistics
import tempfile
from dataclasses import replace
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from cli.forms.export import replays_of_records
from dashboard.i18n.words import Words
from tests.support.browser import CHROMIUM, QUIET
from tests.support.game.tables import Table, random_walls
from twinwall.game.record import HandRecord
from twinwall.game.rules import DEFAULT_RULES, rule_set

DEALS, TABLES = 16, 4
STEPS = 30
"""Steps of each file: a hand has more, but a browser writes at most 200 addresses in half a minute."""
_STEP = """(key) => {
  const began = performance.now();
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  document.body.getBoundingClientRect();
  return performance.now() - began;
}"""
_STEPS = f"""() => {{
  const step = {_STEP};
  step("Home");
  return Array.from({{ length: {STEPS} }}, () => step("ArrowRight"));
}}"""
_OPENED = "() => performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd"


def measure() -> dict[str, object]:
    """Measure all files."""
    files = [_file(n) for n in range(1, DEALS + 1)]
    opened_ms, steps_ms = [], []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(QUIET))
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        for n, content in enumerate(files, 1):
            path = Path(folder) / f"{n}.html"
            path.write_bytes(content)
            opened_ms.append(_opened_ms(page, path))
            steps_ms += [float(step) for step in page.evaluate(_STEPS)]
            assert int(page.locator("#replay-timeline").get_attribute("aria-valuenow") or 0) > 0, "the steps were taken"
        browser.close()
    return {
        "deals": DEALS,
        "tables": TABLES,
        "largest_file_kib": round(max(map(len, files)) / 1024, 1),
        "opened_ms": {"first": round(opened_ms[0]), "others_median": round(statistics.median(opened_ms[1:]))},
        "steps": len(steps_ms),
        "step_ms": {
            "median": round(statistics.median(steps_ms), 2),
            "p95": round(statistics.quantiles(steps_ms, n=20)[-1], 2),
            "max": round(max(steps_ms), 2),
        },
    }


def _file(n: int) -> bytes:
    ((_, content),) = replays_of_records([_record(n, table) for table in range(1, TABLES + 1)], Words("en"))
    return content


def _record(n: int, table: int) -> HandRecord:
    played = Table(rule_set(DEFAULT_RULES, {}), random_walls(n), random.Random(f"{n} {table}"), eager=True, hand=n)
    return replace(played.played().record(), n=n, table=str(table))


def _opened_ms(page: Page, path: Path) -> float:
    page.goto(path.as_uri())
    return float(page.evaluate(_OPENED))
