"""Deals in a real browser: the worked deal and how its results come about, sessions, and a correction on an open page."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from msgspec import structs
from playwright.sync_api import Browser, Page, expect

from dashboard.pages.replay.replay_page import FORMAT
from tests.dashboard.browser.conftest import Site, new_page
from tests.dashboard.browser.test_browser import MARK
from tests.support.browser import keep_picture
from tests.support.dashboard.desks import MemoryDesk, teams_of_four
from tests.support.dashboard.example import closed_hand
from tests.support.dashboard.hall import SETTINGS
from tests.support.dashboard.two_sessions import FIELD, play_two_sessions, rule_late
from tests.support.event.managed import INDIVIDUAL, PREPARED
from tests.support.event.sessions import Play, hand_lines, left_out, paid
from tests.support.event.stored_event import STARTED
from tests.support.wire.streams import Line
from twinwall.art.names import LANGUAGES
from twinwall.event.field import EventField, field_of
from twinwall.event.imp_scale import provisional_scale
from twinwall.event.management.changes import SessionEnded, SessionSeated, SessionStarted
from twinwall.event.results import EntrantKind

SCORES = {
    "1": ["+75", "−25", "−25", "−25"],
    "2": ["−8", "+48", "−32", "−8"],
    "3": ["−16", "−8", "−8", "+32"],
    "4": ["−8", "+48", "−32", "−8"],
}
MEANS = ["10.75", "15.75", "−24.25", "−2.25"]
TEAMS = {"Plum": ("+107", "+16"), "Chrysanthemum": ("−73", "−14"), "Orchid": ("−33", "−10"), "Bamboo": ("−1", "0")}
NUMBER = re.compile(r"[+−]?\d+(?:\.\d+|/\d+)?")
STEPS = """() => [...document.querySelectorAll(".derivation li")].map((entry) => [...entry.querySelectorAll("span")].map((step) => {
  const copy = step.cloneNode(true);
  copy.querySelectorAll("small").forEach((note) => note.remove());
  return copy.textContent;
}))"""
"""The printed steps of each entrant, without the notes of table and seat."""


def played(table: str) -> list[Line]:
    """What a table does with the deal; its players are nobody else's."""
    lines = closed_hand(table)
    return [
        (name, {**fields, "seats": {seat: f"{table}{seat}" for seat in "ESWN"}} if "seats" in fields else fields) for name, fields in lines
    ]


@contextmanager
def before_the_last_table(browser: Browser, field: EventField) -> Iterator[tuple[Site, Page]]:
    """The open page of a deal that every table but the last has closed."""
    site = Site(desk=MemoryDesk(field, custody=STARTED))
    tables = [table for group in field.groups for table in group.tables]
    for table in tables:
        site.feed(played(table)[: -1 if table == tables[-1] else None], table)
    try:
        page = new_page(browser, site)
        page.goto(f"{site.address}/deal/1")
        expect(page.locator("#deal")).to_contain_text("Opens when 1 more table has finished.")
        expect(page.locator("#live")).to_be_visible()
        page.evaluate(MARK)
        site.feed(played(tables[-1]), tables[-1], first=-1)
        site.release()
        yield site, page
        page.context.close()
    finally:
        site.off()


def numbers(text: str) -> list[Fraction]:
    return [Fraction(found.replace("−", "-")) for found in NUMBER.findall(text)]


def test_statement_07_the_worked_deal_has_its_exact_results_when_the_last_table_closes(browser: Browser) -> None:
    """How soon they come is measured by ``benchmarks.standings``."""
    with before_the_last_table(browser, teams_of_four()) as (_, page):
        expect(page.locator("tfoot td")).to_have_text(MEANS)
        for table, scores in SCORES.items():
            row = page.locator("table.scores tbody tr").filter(has=page.get_by_role("rowheader", name=table, exact=True))
            expect(row.locator("td")).to_have_text(scores)
        for team, (total, imp) in TEAMS.items():
            row = page.locator("table.imps tbody tr").filter(has=page.get_by_role("rowheader", name=team, exact=True))
            expect(row.locator("td.number")).to_have_text([total, total, imp])
        expect(page.locator(".comparison .pill")).to_have_text("provisional scale")
        assert page.evaluate("window.mark") == "not reloaded"


def test_statement_08_a_mean_of_three_tables_is_printed_as_the_fraction_that_it_is(browser: Browser) -> None:
    with before_the_last_table(browser, field_of(EntrantKind.INDIVIDUAL, ["1", "2", "3"], group_size=3)) as (_, page):
        page.locator("summary", has_text="How this came about").click()
        steps = page.evaluate(STEPS)
        assert len(steps) == 12
        for mean, difference, interval in steps:
            *scores, tables, datum = numbers(mean)
            assert len(scores) == tables == 3
            assert sum(scores, Fraction(0)) / tables == datum
            score, minus = _difference(difference)
            assert minus == datum
            assert score in scores
            assert _imp_is_right(interval, difference)
        assert any("/3" in mean for mean, _, _ in steps), "some of these means are thirds"


def _difference(step: str) -> tuple[Fraction, Fraction]:
    """Score and mean of a step "score − (mean) = difference", which is computed again."""
    found = re.fullmatch(r"\s*(\S+) − \((\S+)\) = (\S+)\s*", step)
    assert found is not None, step
    (score,), (mean,), (difference,) = (numbers(text) for text in found.groups())
    assert score - mean == difference, step
    return score, mean


def _imp_is_right(step: str, difference_step: str) -> bool:
    """Whether a step "lower ≤ size < upper → IMP" has the size of the difference in its bounds, and the scale's IMP for it."""
    bounds, _, earned = step.partition("→")
    lower, size, *upper = numbers(bounds)
    difference = numbers(difference_step)[-1]
    inside = size == abs(difference) and lower <= size and (not upper or size < upper[0])
    return inside and numbers(earned) == [provisional_scale().imp(difference)]


EAST_AT_TABLE_1 = 75


@pytest.fixture
def site() -> Iterator[Site]:
    field = teams_of_four()
    site = Site(desk=MemoryDesk(field))
    for group in field.groups:
        for table in group.tables:
            site.feed(played(table), table)
    yield site
    site.off()


@pytest.mark.nightly
def test_a_table_is_shown_from_the_release_on_and_its_scores_at_the_end(browser: Browser, site: Site) -> None:
    page = new_page(browser, site)
    page.set_viewport_size({"width": 1920, "height": 1080})
    page.clock.install()
    feed = f"{site.address}/overlay/1.json"
    page.goto(f"{site.address}/overlay/1?seconds=0.2")
    expect(page.locator("body")).to_contain_text("No deal of this table is released yet.")
    assert (page.request.get(feed).status, page.locator("svg").count()) == (404, 0)

    site.release()
    document = page.request.get(feed).json()
    assert (document["format"], document["table"], document["n"]) == (FORMAT, "1", 1)
    page.clock.run_for(11_000)
    east = page.locator('[data-seat="E"] .score')
    expect(east).to_have_text("0")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgba(0, 0, 0, 0)"
    assert page.evaluate("document.documentElement.scrollHeight <= 1080 && document.documentElement.scrollWidth <= 1920")
    for _ in range(len(document["replay"]["tables"][0]["steps"]) + 2):
        if east.inner_text() != "0":
            break
        page.clock.run_for(200)
    expect(east).to_have_text(f"+{EAST_AT_TABLE_1}")
    page.context.close()


DELETES = re.compile(r"\b(delete|erase|remove|undo)\b", re.IGNORECASE)
WHEN = re.compile(r"\d+:\d\d")
PAGES = ("/standings", "/standings?session=1", "/standings?session=2", "/deal/1")


@pytest.fixture
def in_two_sessions() -> Iterator[Site]:
    """Two sessions of four teams; a team has withdrawn and the results of the second session are held back."""
    site = Site(desk=MemoryDesk(FIELD))
    site.desk.hall.set_programme(replace(site.desk.hall.programme, held_sessions=(2,), withdrawn={"Plum": 3}))
    play_two_sessions(site)
    yield site
    site.off()


def test_statement_05_a_correction_is_on_the_open_page_with_old_and_new_values(browser: Browser, in_two_sessions: Site) -> None:
    page = new_page(browser, in_two_sessions)
    page.goto(f"{in_two_sessions.address}/standings")
    page.locator(".tabs a", has_text="Session 1").click()
    page.wait_for_url("**/standings?session=1")
    expect(page.locator("#live")).to_be_visible()
    page.evaluate(MARK)
    rule_late(in_two_sessions, "4", left_out("r1", 1, by="Sato", why="A wrong tile in the wall."))
    expect(page.locator(".corrections")).to_contain_text("Sato E1, table 4 A wrong tile in the wall.")
    assert page.locator(".corrections del").count() > 0
    assert page.locator(".corrections ins").count() > 0
    expect(page.locator(".corrections time").first).to_have_text(WHEN)
    assert page.evaluate("window.mark") == "not reloaded"
    for path in (*PAGES, "/table/4", "/", "/event/sessions"):
        page.goto(in_two_sessions.address + path)
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
