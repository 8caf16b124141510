"""A referee rules in two clicks, and reads on the page what the table answered."""

import pytest
from playwright.sync_api import Browser, expect

from tests.dashboard.browser.conftest import Site, new_page
from tests.support.browser import keep_picture
from tests.support.dashboard.example import SELF_DRAWN, building, play
from tests.support.wire.streams import Line
from twinwall.wire.messages.ruling import Ruling, effects_json, ruling_fields

PLAYING: list[Line] = [*building(), *[*play(SELF_DRAWN)][:30]]
CALLED: list[Line] = [
    ("violation", {"seat": "W", "what": "put-back", "sentence": "West put a drawn tile back into the gate: the referee has it read again"}),
    ("referee-called", {"seat": "W"}),
    ("play-halted", {"reason": "put-back"}),
]


def test_statement_04_a_ruling_is_two_clicks_and_its_words_stand_on_the_table_s_page_in_its_language(browser: Browser, site: Site) -> None:
    page = new_page(browser, site)
    site.feed([*PLAYING, *CALLED])
    page.goto(f"{site.address}/table/1")
    expect(page.locator("#rule-seat-W")).to_be_checked()
    page.get_by_label("Dead hand").click()
    expect(page.locator("#ruling")).to_contain_text("西家は和了放棄です。")
    keep_picture(page, "ruling")
    page.get_by_role("button", name="Rule and announce").click()
    expect(page.locator("#ruled")).to_contain_text("Sent to the table.")
    ((table, ruling),) = site.sent
    assert isinstance(ruling, Ruling)
    assert (table, ruling.by) == ("1", "Ota")
    expect(page.locator("#rulings")).to_contain_text("No rulings yet.")

    effects: list[Line] = []
    for fields in effects_json(ruling.effects):
        assert isinstance(fields, dict)
        effects.append((str(fields.pop("type")), fields))
    site.feed([*PLAYING, *CALLED, ("ruling", ruling_fields(ruling)), *effects], first=len(PLAYING) + len(CALLED))
    expect(page.locator("#rulings")).to_contain_text("West: the hand is dead.")
    expect(page.locator("#alarms")).not_to_contain_text("referee")
    expect(page.locator("#rule")).to_contain_text("The ruling carries your name: Ota.")
    page.goto(f"{site.address}/table/1?lang=ja")
    expect(page.locator("#rulings")).to_contain_text("西家は和了放棄です。")
    page.context.close()


def test_nobody_is_chosen_where_nobody_called_and_the_form_waits_until_somebody_is(browser: Browser, site: Site) -> None:
    page = new_page(browser, site)
    site.feed(PLAYING)
    page.goto(f"{site.address}/table/1")
    page.get_by_label("Penalty").click()
    page.locator('input[name="imp"]').fill("4")
    expect(page.locator("[name=seat]:checked")).to_have_count(0)
    page.get_by_role("button", name="Rule and announce").click()
    assert page.evaluate("document.querySelector('[name=seat]').validity.valueMissing")
    page.locator("#rule-seat-S").check()
    page.get_by_role("button", name="Rule and announce").click()
    expect(page.locator("#ruled")).to_contain_text("Give the reason")
    assert site.sent == []
    page.context.close()


@pytest.mark.nightly
def test_a_ruling_that_is_refused_keeps_what_was_chosen_and_typed(browser: Browser, site: Site) -> None:
    page = new_page(browser, site)
    site.feed(PLAYING)
    page.goto(f"{site.address}/table/1")
    page.locator("#rule-seat-S").check()
    page.get_by_label("Adjusted score").click()
    for seat, score in zip("ESWN", ("8", "8", "-8", "-8"), strict=True):
        page.locator(f"[name=score-{seat}]").fill(score)
    page.get_by_role("button", name="Rule and announce").click()
    expect(page.locator("#ruled")).to_contain_text("Give the reason")
    expect(page.locator("#rule-seat-S")).to_be_checked()
    expect(page.get_by_label("Adjusted score")).to_be_checked()
    expect(page.locator("[name=score-N]")).to_have_value("-8")
    page.locator("#rule-reason").fill("a tile of another set")
    page.get_by_role("button", name="Rule and announce").click()
    expect(page.locator("#ruled")).to_contain_text("Sent to the table.")
    expect(page.locator("#rule-reason")).to_have_value("")
    page.context.close()
