"""Standings of two sessions in a real browser: a correction comes by itself, and the pages fit and can be read."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import structs
from playwright.sync_api import Browser, expect

from tests.dashboard.browser.conftest import Site, new_page
from tests.dashboard.browser.test_browser import MARK
from tests.support.browser import keep_picture
from tests.support.dashboard.desks import MemoryDesk
from tests.support.dashboard.hall import SETTINGS
from tests.support.dashboard.two_sessions import FIELD, play_two_sessions, rule_late
from tests.support.event.managed import INDIVIDUAL, PREPARED
from tests.support.event.sessions import Play, hand_lines, left_out, paid
from twinwall.art.names import LANGUAGES
from twinwall.event.management.changes import SessionEnded, SessionSeated, SessionStarted

DELETES = re.compile(r"\b(delete|erase|remove|undo)\b", re.IGNORECASE)
WHEN = re.compile(r"\d+:\d\d")
PAGES = ("/standings", "/standings?session=1", "/standings?session=2", "/deal/1")


@pytest.fixture
def played() -> Iterator[Site]:
    """Two sessions of four teams; a team has withdrawn and the results of the second session are held back."""
    site = Site(desk=MemoryDesk(FIELD))
    programme = site.desk.hall.programme
    site.desk.hall.follow(replace(programme, held_sessions=(2,), withdrawn={"Plum": 3}))
    play_two_sessions(site)
    yield site
    site.off()


def test_statement_05_a_correction_is_on_the_open_page_with_old_and_new_values(browser: Browser, played: Site) -> None:
    page = new_page(browser, played)
    page.goto(f"{played.address}/standings")
    page.locator(".tabs a", has_text="Session 1").click()
    page.wait_for_url("**/standings?session=1")
    expect(page.locator("#live")).to_be_visible()
    page.evaluate(MARK)
    rule_late(played, "4", left_out("r1", 1, by="Sato", why="A wrong tile in the wall."))
    expect(page.locator(".corrections")).to_contain_text("Sato E1, table 4 A wrong tile in the wall.")
    assert page.locator(".corrections del").count() > 0
    assert page.locator(".corrections ins").count() > 0
    expect(page.locator(".corrections time").first).to_have_text(WHEN)
    assert page.evaluate("window.mark") == "not reloaded"
    for path in (*PAGES, "/table/4", "/", "/event/sessions"):
        page.goto(played.address + path)
        assert [text for text in page.locator("button, summary, a").all_inner_texts() if DELETES.search(text)] == [], path
    page.context.close()


BROKEN_WORDS = """() => [...document.querySelectorAll("tbody th[scope=row], .whole thead th")].flatMap((cell) => {
  const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) {
    for (const word of walker.currentNode.data.matchAll(/[^\\s\\u200b]+/g)) {
      const range = document.createRange();
      range.setStart(walker.currentNode, word.index);
      range.setEnd(walker.currentNode, word.index + word[0].length);
      if (new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size > 1) found.push(word[0]);
    }
  }
  return found;
})"""


@pytest.fixture
def named(tmp_path: Path) -> Iterator[Site]:
    """Two sessions of sixteen players, each of one deal, which is released."""
    names = tmp_path / "names.json"
    players = {str(number): f"Hoffmann Nakamura {letter}" for number, letter in enumerate("ABCDEFGHIJKLMNOP", start=1)}
    names.write_text(json.dumps({"format": "twinwall-names-1", "players": players}), encoding="utf-8")
    site = Site()
    site.off()
    site.on(replace(SETTINGS, names=names))
    described = structs.replace(INDIVIDUAL, names="full")
    seated = next(change for change in PREPARED if isinstance(change, SessionSeated))
    site.manage(described, *PREPARED[1:], SessionStarted(1), SessionEnded(1), structs.replace(seated, session=2), SessionStarted(2))
    for table, numbers in site.desk.event.seats(1).items():
        for n in (1, 2):
            site.feed(
                [*hand_lines(Play(n, n, 1, table, numbers, paid(int(table) % 3, 15 + int(table), None))), ("deal-released", {"n": n})],
                table,
            )
    for n in (1, 2):
        site.release(n, n, 1)
    yield site
    site.off()


@pytest.mark.nightly
@pytest.mark.parametrize("language", LANGUAGES)
def test_on_a_phone_no_name_is_broken_in_mid_word(browser: Browser, named: Site, language: str) -> None:
    page = new_page(browser, named)
    page.set_viewport_size({"width": 390, "height": 844})
    for path in ("/deal/1", "/standings", "/standings?session=1"):
        page.goto(f"{named.address}{path}{'&' if '?' in path else '?'}lang={language}")
        expect(page.locator("tbody th[scope=row]", has_text="Nakamura").first).to_be_visible()
        assert page.evaluate(BROKEN_WORDS) == [], path
        keep_picture(page, f"names-{path.strip('/').replace('/', '-').replace('?', '-')}-{language}")
    page.context.close()
