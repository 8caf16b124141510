"""A referee rules in two clicks and reads what the table answered; and says which tile a camera cannot read, by its pictures."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Browser, expect

from tests.dashboard.browser.conftest import Site, new_page
from tests.support.browser import keep_picture
from tests.support.dashboard.example import SELF_DRAWN, building, play
from tests.support.dashboard.tables.tables_in_play import IN_DOUBT, IN_PLAY, NUMBER, READ, question, unread
from tests.support.narrowed import present
from tests.support.tiers import some
from tests.support.wire.streams import Line, public_events
from twinwall.wire.messages.commands import AnswerTile
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


WORDS = {
    "en": ("Which tile? Look at the pictures", "Tell the table: this tile", "Sent to the table.", "no doubt about a tile"),
    "ja": ("どの牌ですか？写真を見る", "卓に知らせる：この牌", "卓に送りました。", "読めない牌はありません"),
    "zh-Hans": ("是哪张牌？查看图片", "通知牌桌：是这张牌", "已发送到牌桌。", "没有认不出的牌"),
}
AGE_S = 725
"""So long nobody has answered: a little more than twelve minutes."""
ANSWERED: list[Line] = [("tile-answered", {"seat": "E", "tile": "5m", "by": "Ota"}), READ]


@pytest.mark.parametrize("language", some([*WORDS], 1))
def test_two_clicks_lead_from_the_call_to_the_answer_and_the_page_says_when_the_table_goes_on(
    browser: Browser, site: Site, language: str
) -> None:
    link, button, sent, over = WORDS[language]
    page = new_page(browser, site)
    site.feed(IN_DOUBT)
    site.views.ask("1", question())
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{site.address}/table/1?lang={language}")
    page.get_by_role("link", name=link).click()
    expect(page.locator("#pictures img")).to_have_count(2)
    assert page.evaluate("[...document.querySelectorAll('#pictures img')].every((image) => image.complete && image.naturalWidth > 200)")
    large = page.locator(".which-large label")
    expect(large).to_have_count(2)
    for index in range(2):
        assert present(large.nth(index).bounding_box())["height"] >= 58
    keep_picture(page, f"which-tile-{language}")
    page.locator(".which-large input").nth(1).check()
    page.get_by_role("button", name=button).click()
    expect(page.locator("#answered")).to_contain_text(sent)
    assert site.sent == [("1", AnswerTile(1, NUMBER, question().where, "5m", "Ota"))]
    expect(page.locator("#pictures img")).to_have_count(2)

    site.feed([*IN_DOUBT, *ANSWERED], first=len(IN_DOUBT))
    expect(page.locator("#pictures")).to_contain_text(over)
    expect(page.get_by_role("button", name=button)).to_have_count(0)
    page.context.close()


@pytest.mark.parametrize("call", [unread(), ("referee-called", {"seat": "E"})], ids=["question", "call"])
def test_a_question_or_a_call_that_nobody_answers_says_since_when_on_every_page_of_the_referee(
    browser: Browser, site: Site, call: Line
) -> None:
    script = [*IN_PLAY, call]
    asked_at = datetime.now(UTC) - timedelta(seconds=AGE_S)
    site.add(public_events(script, start=asked_at - timedelta(seconds=len(script) - 1)))
    site.views.ask("1", question())
    page = new_page(browser, site)
    for path, notice in (("/calls", "#calls li.notice"), ("/", "a[href='/table/1']:has(br)"), ("/table/1", "#alarms li.notice")):
        page.goto(f"{site.address}{path}")
        clock = page.locator(f"{notice} time.clock").first
        expect(clock).to_have_text(re.compile(r"^12:[0-5]\d$"))
        minutes, seconds = (clock.text_content() or "").split(":")
        assert AGE_S <= int(minutes) * 60 + int(seconds) < 780, path
        keep_picture(page, f"since-{call[0]}-{path.strip('/').replace('/', '-') or 'hall'}")
    page.context.close()
