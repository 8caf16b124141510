"""``twinwall feeder pins --page`` in a real browser: a board's inputs live, its outputs one at a time, for this computer alone."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from firmware_bridge.electrics.wiring import DRIVE_OUTWARD, Input, Output
from tests.support.children import Program, ends_with_parent
from tests.support.patience import PATIENCE_S
from tests.support.simulator.wired_bench import WiredBench

PHONE_WIDTH = 360


class PinsCommand(Program):
    """The command at a table's port, and the address of its page."""

    def __init__(self, port: str) -> None:
        words = ends_with_parent([sys.executable, "-m", "cli", "feeder", "pins", port, "--page"])
        self.process = subprocess.Popen(words, stderr=subprocess.PIPE)
        assert self.process.stderr is not None
        self.said = self.process.stderr
        self.url = next(line.split()[1].decode() for line in self.said if line.startswith(b"pins: "))

    def post(self, path: str, body: str, **headers: str) -> tuple[int, str]:
        """What is answered to a request as no browser of ours sends it."""
        line = HTTPConnection(urlsplit(self.url).netloc, timeout=PATIENCE_S)
        kind = {"Content-Type": "application/json"} | {name.replace("_", "-"): value for name, value in headers.items()}
        line.request("POST", path, body, kind)
        answer = line.getresponse()
        found = answer.status, answer.read().decode()
        line.close()
        return found


@pytest.fixture
def command(bench: WiredBench) -> Iterator[PinsCommand]:
    running = PinsCommand(bench.feeder.path)
    bench.board.reached = 0
    yield running
    if running.process is not None:
        running.stop()
    running.said.close()


@pytest.fixture
def page(browser: Browser, command: PinsCommand) -> Iterator[Page]:
    shown = browser.new_page(viewport={"width": PHONE_WIDTH, "height": 740})
    shown.goto(command.url)
    expect(shown.locator("#driven")).to_have_text("nothing was driven")
    yield shown
    shown.close()


def row(page: Page, name: str) -> Locator:
    return page.locator("li").filter(has=page.get_by_text(name, exact=True))


def levels(bench: WiredBench) -> int:
    """The outputs that the board has on."""
    with bench.feeder.lock:
        return int.from_bytes(bench.board.outputs()[0], "little")


@pytest.mark.slow
def test_the_page_shows_in_words_that_a_switch_is_pressed_and_how_often_it_has_changed(page: Page, bench: WiredBench) -> None:
    chute = row(page, "2 CHUTE_2")
    expect(chute).to_have_text("off2 CHUTE_2controller, 74HC165 no. 1, C")
    bench.press(Input.CHUTE + 2, True)
    expect(chute).to_have_text("on2 CHUTE_2changed 1×controller, 74HC165 no. 1, C")
    bench.press(Input.CHUTE + 2, False)
    expect(chute).to_contain_text("changed 2×")
    expect(page.locator("#last")).to_have_text("CHUTE_2 off, CHUTE_2 on")
    page.get_by_label("only changed").check()
    expect(page.locator("#inputs li:visible")).to_have_count(1)
    page.get_by_role("button", name="Forget changes").click()
    expect(page.locator("#inputs li:visible")).to_have_count(0)
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE_WIDTH, "as wide as a phone"


@pytest.mark.slow
def test_a_drive_from_the_page_reaches_the_board_and_ends_by_itself_and_a_second_one_meanwhile_is_refused(
    page: Page, bench: WiredBench
) -> None:
    row(page, "LOCK_0").get_by_role("spinbutton").fill("1000")
    row(page, "LOCK_0").get_by_role("button", name="Drive 1000 ms").click()
    row(page, "LOCK_1").get_by_role("button", name="Drive 100 ms").click()
    refused = "LOCK_1 is refused: one output at a time, wait until the other has ended"
    expect(page.locator("#driven")).to_have_text(f"driven. {refused}")
    assert (bench.board.reached, levels(bench)) == (1 << Output.LOCK, 0)
    row(page, "STEP_2 out").get_by_role("button", name="Drive 1 step").click()
    expect(page.locator("#driven")).to_have_text("driven")


@pytest.mark.slow
def test_what_the_board_refuses_is_on_the_page_as_a_sentence(page: Page, bench: WiredBench) -> None:
    bench.press(Input.ESTOP, True)
    expect(row(page, f"{int(Input.ESTOP)} ESTOP")).to_contain_text("on")
    row(page, "PICKER_0").get_by_role("button").click()
    expect(page.locator("#driven")).to_have_text("not driven: the emergency stop is pressed or the lid open")
    assert levels(bench) == 0


@pytest.mark.slow
def test_other_pages_and_other_amounts_drive_nothing(command: PinsCommand, bench: WiredBench) -> None:
    wanted = json.dumps({"number": Output.LOCK, "amount": 100})
    assert command.post("/drive", wanted, Origin="http://club.example")[0] == 403
    assert command.post("/drive", wanted, Origin="null")[0] == 403
    assert command.post("/drive", wanted, Host="club.example")[0] == 403
    assert command.post("/drive", wanted, Content_Type="text/plain")[0] == 400
    far = command.post("/drive", json.dumps({"number": DRIVE_OUTWARD, "amount": 65}))
    assert far == (409, '{"error":"STEP_0 out takes 1 to 64 steps, in steps of 1"}\n')
    assert command.post("/drive", json.dumps({"number": 999, "amount": 100})) == (409, '{"error":"this table has no output 999"}\n')
    assert command.stop(signal.SIGINT) == 0
    assert b"The machine stands now" in command.said.read()
    assert bench.board.reached == 0


@pytest.mark.slow
def test_the_page_and_the_command_say_that_the_machine_is_silent(page: Page, command: PinsCommand, bench: WiredBench) -> None:
    with bench.feeder.lock:
        expect(page.locator("#driven")).to_contain_text("within 0.5 s")
        expect(row(page, "LOCK_0").get_by_role("button")).to_be_disabled()
    assert command.wait() == 1
    assert b"within 0.5 s" in command.said.read()
