"""Accessibility by axe-core: what its rules find wrong on a page.

Only what is wrong comes back from the browser. The answer of ``Axe.run`` also names every rule that was kept, and everything in it
goes through two processes as text.
"""

import json

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

_RULES = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    "resultTypes": ["violations"],
    "preload": False,
}
"""Without fetching style sheets once more: no rule that is asked for reads them."""
_RUN = f"""axe.run({json.dumps(_RULES)}).then(({{ violations }}) =>
  violations.map(({{ id, help, nodes }}) => [`${{id}}: ${{help}}`, nodes.map(({{ html }}) => html)]))"""


def violations_on(page: Page) -> dict[str, list[str]]:
    """The rules that the page breaks, each with the elements that break it."""
    page.evaluate(Axe().axe_script)
    found: list[tuple[str, list[str]]] = page.evaluate(_RUN)
    return dict(found)
