"""The phones' real page in a real browser: joining, frames through the gate reader, keys, and what a person is told."""

import json
import re
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.request import urlopen

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tableside.phones.phone_book import PhoneRole
from tests.phones.conftest import KINDS, TablePhones, heard
from tests.support.narrowed import of_type
from tests.support.patience import PATIENCE_S
from tests.support.phones.fake_camera import show_picture, with_pictures
from tests.support.tiers import one_in, some
from twinwall.game.tiles import parse_tile
from twinwall.wire.padding import LEAST, padded_length
from vision.cameras.opening import open_camera
from vision.cameras.port import Camera, CameraFrame, CameraLostError, Region
from vision.gate.gate_reader import GateReader
from vision.model.classifier import Classifier
from vision.reading import Read

GATE, KEYS, TABLET = PhoneRole("1", "gate"), PhoneRole("1", "keys-2"), PhoneRole("1", "keys")


def joined(context: BrowserContext, phones: TablePhones, role: PhoneRole) -> Page:
    page = context.new_page()
    page.goto(phones.link(role))
    return page


def gate_camera(phones: TablePhones) -> Camera:
    return open_camera(phones.local("/1/gate.jpg"), 3.0, local_only=True)


def frame(camera: Camera, region: Region | None = None) -> CameraFrame:
    """A frame of now, once the phone gives one."""
    ends = time.monotonic() + PATIENCE_S
    while True:
        try:
            return camera.frame_after(time.monotonic_ns(), region)
        except CameraLostError:
            if time.monotonic() > ends:
                raise


@pytest.mark.parametrize("tells_time", some([True, False], 1), ids=lambda tells: "told" if tells else "untold")
def test_the_gate_reader_reads_through_a_phone_and_never_the_tile_before(
    context: BrowserContext, phones: TablePhones, pictures: dict[str, bytes], tells_time: bool
) -> None:
    with_pictures(context, pictures, tells_time=tells_time)
    page = joined(context, phones, GATE)
    expect(page.locator("#state")).to_have_text("The camera works. Leave this page open.")
    reader, camera = GateReader(Classifier()), gate_camera(phones)
    for kind in KINDS * 2:
        show_picture(page, kind)
        assert of_type(Read, reader.read(frame(camera))).tile is parse_tile(kind)
    camera.close()


def test_the_length_of_what_a_phone_sends_tells_no_tile(context: BrowserContext, phones: TablePhones, pictures: dict[str, bytes]) -> None:
    with_pictures(context, pictures, tells_time=True)
    page = context.new_page()
    sent, _got = heard(page)
    page.goto(phones.link(GATE))
    camera = gate_camera(phones)
    for kind in (*KINDS, "empty"):
        show_picture(page, kind)
        frame(camera)
    camera.close()
    assert len({len(picture) for picture in pictures.values()}) > 1
    lengths = [{len(each.encode() if isinstance(each, str) else each) for each in sent if isinstance(each, kind)} for kind in (str, bytes)]
    assert lengths == [{LEAST}, {padded_length(1, 1 << 17)}], "as twinwall pads, in bytes"


def test_a_phone_pads_bytes_and_not_letters(context: BrowserContext, phones: TablePhones) -> None:
    page = joined(context, phones, GATE)
    script = (page.request.get(page.url.split("#")[0].rstrip("/") + "/phone.js")).text()
    function = re.search(r"function padded.*?\n}", script, re.DOTALL)
    assert function is not None
    message = json.dumps({"name": "王芳" * 300}, ensure_ascii=False)
    padded: str = page.evaluate(f"({function[0]})", message)
    assert len(padded.encode()) == padded_length(len(message.encode())) == 2048
    assert json.loads(padded) == json.loads(message)


@pytest.mark.parametrize(
    ("failure", "sentence"),
    one_in(
        3,
        [
            ("NotAllowedError", "The camera was not allowed"),
            ("NotFoundError", "This device has no camera"),
            ("NotReadableError", "another app has it"),
        ],
    ),
)
def test_a_camera_that_cannot_be_had_is_a_sentence(
    context: BrowserContext, phones: TablePhones, pictures: dict[str, bytes], failure: str, sentence: str
) -> None:
    with_pictures(context, pictures, tells_time=True)
    context.add_init_script(f"window.failCamera({json.dumps(failure)})")
    page = joined(context, phones, GATE)
    expect(page.locator("#state")).to_contain_text(sentence)
    page.evaluate("window.failCamera(null)")
    page.click("#start")
    expect(page.locator("#state")).to_have_text("The camera works. Leave this page open.")


def test_a_page_without_a_code_asks_for_one(context: BrowserContext, phones: TablePhones) -> None:
    page = context.new_page()
    page.goto(phones.address)
    expect(page.locator("#state")).to_have_text("Scan the code that the table or the director shows.")
    page.select_option("#language", "ja")
    expect(page.locator("#state")).to_contain_text("コード")


def test_a_key_reaches_the_controller_once_and_a_binding_one_after_two_touches(context: BrowserContext, phones: TablePhones) -> None:
    with ThreadPoolExecutor(1) as controller:
        page = joined(context, phones, KEYS)
        asked = controller.submit(presses, phones, 0)
        page.locator("[data-key=pung]:not([disabled])").click()
        assert asked.result() == [{"number": 1, "place": 2, "key": "pung"}]
        asked = controller.submit(presses, phones, 1)
        page.locator("[data-key=win]:not([disabled])").click()
        expect(page.locator("[data-key=win]")).to_have_text("Win? Touch again")
        page.locator("[data-key=win]").click()
        assert asked.result() == [{"number": 2, "place": 2, "key": "win"}]


def test_lamps_are_words_and_keys_sleep_while_no_controller_listens(context: BrowserContext, phones: TablePhones) -> None:
    page = joined(context, phones, KEYS)
    expect(page.locator("#state")).to_have_text("The table takes no keys now.")
    assert page.locator(".keys button:not([disabled])").count() == 0
    phones.post("/1/lamps", {"turn": [2]})
    expect(page.locator(".lamp")).to_have_text("Your turn")
    phones.post("/1/lamps", {"call": [2], "buzzer": True})
    expect(page.locator(".lamp")).to_have_text("Your press counts")


def test_a_tablet_has_the_keys_of_all_four_places(context: BrowserContext, phones: TablePhones) -> None:
    page = joined(context, phones, TABLET)
    expect(page.locator(".side")).to_have_count(4)
    with ThreadPoolExecutor(1) as controller:
        asked = controller.submit(presses, phones, 0)
        page.locator(".side[data-place='3'] [data-key=chow]:not([disabled])").evaluate("(button) => button.click()")
        assert asked.result() == [{"number": 1, "place": 3, "key": "chow"}]


def presses(phones: TablePhones, after: int) -> list[dict[str, object]]:
    """As the controller asks, until there is one."""
    ends = time.monotonic() + PATIENCE_S
    while time.monotonic() < ends:
        with urlopen(phones.local(f"/1/keys?run={phones.parts.keys['1'].run}&after={after}")) as answer:
            found: list[dict[str, object]] = json.load(answer)["presses"]
        if found:
            return found
    raise AssertionError("no key came")
