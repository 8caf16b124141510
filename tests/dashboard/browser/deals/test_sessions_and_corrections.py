"""Standings of two sessions in a real browser: a correction comes by itself, and the pages fit and can be read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import Browser, expect

from tests.dashboard.browser.conftest import Site, keep_picture, new_page
from tests.dashboard.browser.test_browser import CUT_OFF, MARK
from tests.support.dashboard.axe import violations_on
from tests.support.dashboard.desks import MemoryDesk
from tests.support.dashboard.two_sessions import FIELD, play_two_sessions, rule_late
from tests.support.event.sessions import left_out

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


@pytest.mark.nightly
def test_the_pages_of_sessions_fit_every_screen_and_axe_finds_nothing(browser: Browser, played: Site) -> None:
    """In ``make test`` test_every_page.py looks at the standings, at those of a session and at a released deal."""
    rule_late(played, "4", left_out("r1", 1, by="Sato", why="A wrong tile in the wall."))
    page = new_page(browser, played)
    found: dict[str, dict[str, list[str]]] = {}
    for path in PAGES:
        page.goto(played.address + path)
        for width in (390, 1440):
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate("document.documentElement.scrollWidth") <= width, f"{path} scrolls sideways at {width}"
            assert page.evaluate(CUT_OFF) == [], f"{path} cuts off text at {width}"
            keep_picture(page, f"{path.strip('/').replace('/', '-').replace('?', '-')}-{width}")
        found[path] = violations_on(page)
    page.context.close()
    assert not any(found.values()), found
