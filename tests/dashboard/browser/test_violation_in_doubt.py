"""A referee is asked, after the release, whether a seat broke a rule; he compares the pictures, answers, and rules on the hand."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from dashboard.i18n.words import Words
from tests.dashboard.browser.conftest import Site, keep_picture, new_page
from tests.dashboard.pages.rulings.test_violation_in_doubt import ASKED, CONFIRMED, YES
from tests.dashboard.pages.rulings.test_which_record import ASKED as DOUBTED
from tests.dashboard.pages.rulings.test_which_record import HAND, NUMBER, PAGE, RELEASED
from tests.support.dashboard.tables.questions import picture
from tests.support.tiers import some
from twinwall.art.names import LANGUAGES, Language
from twinwall.game.tiles import Seat
from twinwall.wire.events.hand_events import RecordVerdict
from twinwall.wire.messages.commands import AnswerRecord
from twinwall.wire.messages.tile_question import AskedRecord

IN_DOUBT = [*HAND, RELEASED, DOUBTED, ASKED]


def ask(site: Site) -> None:
    site.feed(IN_DOUBT)
    site.release()
    site.store.ask("1", AskedRecord(1, NUMBER, picture(235), picture(70), "S"))


@pytest.mark.parametrize("language", some(LANGUAGES, 1))
def test_the_list_of_calls_leads_to_the_question_and_a_yes_stands_there_as_a_violation(
    browser: Browser, site: Site, language: Language
) -> None:
    words, page = Words(language), new_page(browser, site)
    ask(site)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{site.address}/calls?lang={language}")
    keep_picture(page, f"violation-call-{language}")
    page.get_by_role("link", name=words("record.link")).last.click()
    question = page.locator("section", has=page.get_by_text(words("record.violation.choose", seat=words.seat(Seat.SOUTH))))
    expect(question.locator("img")).to_have_count(2)
    expect(question.locator("input:checked")).to_have_count(0)
    keep_picture(page, f"violation-question-{language}")
    question.locator("[value=drew-early]").check()
    question.get_by_role("button", name=words("record.answer")).click()
    expect(page.locator("#answered")).to_contain_text(words("record.sent"))
    assert site.sent == [("1", AnswerRecord(1, NUMBER, RecordVerdict.DECODER, "Ota", Seat.SOUTH, "drew-early"))]

    site.feed([*IN_DOUBT, YES, CONFIRMED], first=len(IN_DOUBT))
    page.goto(f"{site.address}{PAGE}")
    expect(question).to_have_count(0)
    expect(page.locator("p.notice.green", has_text=words("record.violation.happened"))).to_have_count(1)
    keep_picture(page, f"violation-answered-{language}")
    page.goto(f"{site.address}/table/1")
    expect(page.locator("body")).to_contain_text(words("record.violation.drew-early", seat=words.seat(Seat.SOUTH)))
    keep_picture(page, f"violation-history-{language}")
    page.context.close()
