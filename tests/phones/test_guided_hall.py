"""A hall whose table has no computer: from one command to a table that misses no camera, with phones in a real browser."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.children import ends_with_parent
from tests.support.phones.fake_camera import with_pictures
from tests.support.vision.pictures import empty_gate
from tests.support.wire.brokers import eventually, free_port
from vision.cameras.port import encode_picture

pytestmark = [pytest.mark.nightly, pytest.mark.timeout(1200)]
PASSWORD = "a long enough password"
PATIENCE_MS = 120_000


@pytest.fixture
def said(tmp_path: Path) -> Iterator[str]:
    """What the command says once the hall is served."""
    log, folder = tmp_path / "hall.log", tmp_path / "hall"
    ports = ["--port", str(free_port()), "--broker-port", str(free_port()), "--phones-port", str(free_port())]
    words = [sys.executable, "-m", "twinwall.cli", "hall", "serve", str(folder), "--tables", "1", "--guided", "1", *ports]
    with log.open("wb") as output:
        process = subprocess.Popen(ends_with_parent(words), stdout=output, stderr=output)
    try:
        eventually(lambda: "Ctrl-C" in log.read_text(), "the hall is served")
        yield log.read_text()
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


def let_in(browser: Browser, director: Page, address: str, role: str) -> None:
    """A phone that opens the code of a role."""
    director.goto(f"{address}/phones")
    with director.expect_navigation():
        director.locator(f"form[action='/phones/1/{role}/code'] button").click()
    phone = browser.new_context()
    picture = encode_picture(np.asarray(empty_gate(np.random.default_rng(1)), np.uint8))
    with_pictures(phone, {"empty": picture}, tells_time=True)
    page = phone.new_page()
    page.goto(director.locator(".invitation code").inner_text())
    said = "takes no keys now" if role == "keys" else "camera works"  # a table without an event takes no keys
    expect(page.locator("#state")).to_contain_text(said, timeout=PATIENCE_MS)


def test_phones_are_all_that_a_guided_table_lacks(browser: Browser, said: str) -> None:
    link = re.search(r"(http://[^/\s]+)/invitation/\S+", said)
    assert link is not None
    assert re.search(r"whoever builds at table 1 looks at http://127\.0\.0\.1:\d+/", said)
    director = browser.new_page()
    director.goto(link[0])
    for field in ("password", "again"):
        director.fill(f"[name={field}]", PASSWORD)
    director.click("button.main")
    director.fill("[name=name]", "Saturday")
    director.click("button.main")
    expect(director.locator("a[href='/phones']")).to_be_visible(timeout=PATIENCE_MS)

    def tables() -> str:
        director.goto(f"{link[1]}/event/tables")
        return director.locator("main").inner_text()

    eventually(lambda: "No reading camera" in tables(), "the table has joined the hall")
    for role in ("gate", "table", "keys"):
        let_in(browser, director, link[1], role)
    eventually(lambda: "No reading camera" not in tables() and "No table camera" not in tables(), "the table has its cameras")
