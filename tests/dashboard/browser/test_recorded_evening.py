"""Players answer what the camera has left open of a recorded hand, by keyboard on a narrow screen, and look at its replay."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from cli.record_files import records_in
from cli.rules.answer import Evening
from cli.rules.record import question_pictures
from controller.recorder.observation_file import decode_lines
from dashboard.evening_page import create_evening
from tableside.readiness.recorded_hands import RecordedHands
from tests.support.answering import served
from tests.support.browser import keep_picture
from tests.support.dashboard.axe import violations_on
from tests.support.recorder.doubted_hand import DOUBTED, OTHER, doubted_hand, record_doubted_hand
from twinwall.game.play_events import TileDiscarded
from twinwall.game.tiles import Seat
from vision.cameras.port import encode_picture


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A recorded hand, whose doubted discard has pictures, in a folder whose name is longer than a narrow line."""
    kept = tmp_path / ("evening" * 9)
    record_doubted_hand(RecordedHands(kept), "hand-1")
    _, decoded = decode_lines(doubted_hand().splitlines(keepends=True))
    question = next(each for each in decoded.open if each.kinds)
    for name in question_pictures(1, question.x_mm, question.y_mm, question.before_ms):
        (kept / name).write_bytes(encode_picture(np.full((48, 48, 3), 90, np.uint8)))
    return kept


@pytest.fixture
def page(browser: Browser, folder: Path) -> Iterator[Page]:
    evening = Evening(folder, folder.parent / "hand.json")
    evening.begin()
    with served(create_evening(evening, "secret")) as url:
        context = browser.new_context(viewport={"width": 390, "height": 844}, locale="en", base_url=url)
        yield context.new_page()
        context.close()


def test_the_questions_are_answered_with_the_keyboard_and_lead_to_the_replay(page: Page, folder: Path) -> None:
    troubles: list[str] = []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("console", lambda message: troubles.append(message.text))
    page.goto("/secret/")
    expect(page.locator(".questions .card")).to_have_count(2)
    expect(page.locator(".which-pictures img")).to_have_count(2)
    page.wait_for_function("[...document.querySelectorAll('.which-pictures img')].every((one) => one.complete && one.naturalWidth === 48)")
    assert page.evaluate("document.documentElement.scrollWidth") == 390, "a phone scrolls it one way only"
    assert violations_on(page) == {}
    keep_picture(page, "recorded-questions")
    page.locator(f"#question-{DOUBTED}-kind-form-{OTHER.text}").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".questions .notice")).to_contain_text("has answered")
    (record,) = records_in(folder.parent / "hand.json")
    assert record.events[DOUBTED - 1] == TileDiscarded(Seat.SOUTH, OTHER)
    page.reload()
    page.locator("button[name=right][value=yes]").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/secret/hand-1/replay**")
    expect(page.locator("#replay-now")).to_have_text("The hands are taken.")
    backs = page.locator("#replay-board use[href$='#t-back']")
    expect(backs).to_have_count(52)
    page.keyboard.press("ArrowRight")
    expect(page.locator("#replay-now")).to_have_text("East draws")
    expect(backs).to_have_count(53)
    page.keyboard.press("ArrowRight")
    expect(backs).to_have_count(52)
    for key in ("p", "a", "s", "c", "End"):
        page.keyboard.press(key)
    for hidden in (".replay-waits", ".replay-others", ".replay-again", ".wall >> nth=0"):
        expect(page.locator(hidden)).to_be_hidden()
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert violations_on(page) == {}
    keep_picture(page, "recorded-replay")
    page.get_by_role("link", name="What the camera does not settle").click()
    expect(page.locator(".notice.green").first).to_contain_text("Nothing is asked about this hand.")
    assert troubles == []
