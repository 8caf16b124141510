"""What the phones' page asks of the phone itself: torch, focus and exposure held, and a screen that stays on while the phone has a role.

No browser under test has a torch or dims its screen, so these are fakes in the page that note what is asked of them.
"""

import numpy as np
import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tableside.phones.phone_book import PhoneRole
from tests.phones.conftest import TablePhones
from tests.phones.test_phone_page import GATE, KEYS, joined
from tests.support.phones.fake_camera import with_pictures
from tests.support.vision.pictures import empty_gate
from tests.support.wire.brokers import eventually
from vision.cameras.port import encode_picture

WORKS = "The camera works. Leave this page open."
ABLE = """window.asked = [];
const track = MediaStreamTrack.prototype;
const modes = ["continuous", "manual"];
track.getCapabilities = () => ({ torch: true, exposureMode: modes, focusMode: modes, whiteBalanceMode: ["continuous"] });
track.applyConstraints = async ({ advanced: [wanted] }) => {
  if (window.refuses in wanted) throw new DOMException("no", "OverconstrainedError");
  window.asked.push(wanted);
};"""
"""A camera with a torch, whose exposure and focus can be held."""
SCREEN = """window.locks = [];
Object.defineProperty(navigator, "wakeLock", { value: { request: async (kind) => {
  const lock = { kind, released: false, release: async () => { lock.released = true; } };
  window.locks.push(lock);
  return lock;
} } });"""
WAKES = "document.dispatchEvent(new Event('visibilitychange'))"


def camera(context: BrowserContext, phones: TablePhones, *scripts: str) -> Page:
    with_pictures(context, {"empty": encode_picture(empty_gate(np.random.default_rng(5)))}, tells_time=True)
    for script in scripts:
        context.add_init_script(script)
    page = joined(context, phones, GATE)
    expect(page.locator("#state")).to_have_text(WORKS)
    return page


def asked(page: Page) -> list[dict[str, object]]:
    found: list[dict[str, object]] = page.evaluate("window.asked")
    return found


def locks(page: Page) -> int:
    """How often the page has asked for a screen that stays on."""
    found: int = page.evaluate("window.locks.length")
    return found


def test_focus_and_exposure_are_held_and_the_torch_is_lit_again_after_sleep(context: BrowserContext, phones: TablePhones) -> None:
    page = camera(context, phones, ABLE)
    held = [{"exposureMode": "manual"}, {"focusMode": "manual"}]
    assert asked(page) == held, "white balance cannot be held by this camera"
    torch = page.get_by_role("button", name="Light on or off")
    torch.click()
    torch.click()
    torch.click()
    switched = [{"torch": True}, {"torch": False}, {"torch": True}]
    assert asked(page) == [*held, *switched]
    page.evaluate("window.endCamera()")
    expect(page.locator("#state")).to_contain_text("The camera stopped")
    page.evaluate(WAKES)
    expect(page.locator("#state")).to_have_text(WORKS)
    assert asked(page) == [*held, *switched, *held, {"torch": True}]


def test_a_torch_that_the_phone_refuses_can_be_touched_again(context: BrowserContext, phones: TablePhones) -> None:
    page = camera(context, phones, ABLE, "window.refuses = 'torch';")
    held = asked(page)
    torch = page.get_by_role("button", name="Light on or off")
    torch.click()
    page.evaluate("window.refuses = undefined")
    torch.click()
    assert asked(page) == [*held, {"torch": True}]


def test_a_phone_without_a_torch_shows_no_button_for_it(context: BrowserContext, phones: TablePhones) -> None:
    expect(camera(context, phones).locator("#torch")).to_be_hidden()


@pytest.mark.parametrize("role", [GATE, KEYS], ids=["camera", "keys"])
def test_the_screen_stays_on_while_the_phone_has_a_role(context: BrowserContext, phones: TablePhones, role: PhoneRole) -> None:
    if role is GATE:
        page = camera(context, phones, SCREEN)
    else:
        context.add_init_script(SCREEN)
        page = joined(context, phones, role)
    eventually(lambda: locks(page) == 1, "the screen is kept on")
    assert page.evaluate("window.locks[0].kind") == "screen"
    page.evaluate(WAKES)
    page.evaluate("window.locks[0].released = true")  # the browser lets it go while the page is behind others
    page.evaluate(WAKES)
    eventually(lambda: locks(page) == 2, "it is kept on again")
    phones.post("/dismissed", {"table": role.table, "name": role.name})
    expect(page.locator("#state")).to_contain_text("Staff dismissed this phone")
    assert page.evaluate("window.locks.every(({ released }) => released)"), "a phone without a role may sleep"
    page.evaluate(WAKES)
    assert locks(page) == 2
