"""A running demo with a browser at its pages, for figures and pictures of the real program."""

import json
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from tests.support.browser import CHROMIUM, QUIET
from twinwall.values import frozen
from twinwall.web.http_request import ask


@frozen
class RunningDemo:
    """A demo's address, password and folder."""

    url: str
    password: str
    folder: Path

    def events(self, table: str = "1") -> list[dict[str, Any]]:
        """Return the public ledger of a table so far."""
        ledger = self.folder / f"table-{table}" / "ledger" / "events.jsonl"
        content = ledger.read_bytes() if ledger.exists() else b""
        return [json.loads(line) for line in content[: content.rfind(b"\n") + 1].splitlines()]

    def wait_for(self, kind: str, count: int, timeout_s: float = 600.0) -> None:
        """Wait until the ledger has ``count`` events of a kind."""
        deadline = time.monotonic() + timeout_s
        while sum(event["type"] == kind for event in self.events()) < count:
            if time.monotonic() > deadline:
                raise TimeoutError(f"{count} × {kind} did not come within {timeout_s:.0f} s")
            time.sleep(0.05)

    def truth(self) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(ask(f"127.0.0.1:{self._port('world')}", "GET", "/truth", patience_s=10.0)[1])
        return answer

    def screen(self) -> str:
        """Return the address of the builder's screen of the first table."""
        return f"http://127.0.0.1:{self._port('station')}/"

    def _port(self, part: str) -> int:
        found = re.search(r"^port = (\d+)", (self.folder / "table-1" / f"{part}.toml").read_text(), re.MULTILINE)
        assert found is not None
        return int(found[1])


@contextmanager
def running_demo(*words: str, port: int) -> Iterator[RunningDemo]:
    """Start ``twinwall demo`` with these words; its pages stay up until the block ends."""
    folder = Path(tempfile.mkdtemp(prefix="twinwall-")) / "demo"
    size = ("--tables", "1", "--hands", "1")
    command = [sys.executable, "-m", "cli", "demo", *size, "--port", str(port), "--folder", str(folder), *words]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        said = process.stderr.readline()
        found = re.search(r"(http://\S+)\s+name Director\s+password (\S+)", said)
        if found is None:
            raise RuntimeError(f"the demo did not start: {said}{process.stderr.read()}")
        demo = RunningDemo(found[1], found[2], folder)
        demo.wait_for("controller-started", 1)
        yield demo
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30)
        process.stderr.close()


@contextmanager
def browser_page(demo: RunningDemo, width: int, height: int, path: str) -> Iterator[Page]:
    """Open a logged-in browser of this size at a page."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(QUIET))
        page = browser.new_page(viewport={"width": width, "height": height})
        page.goto(f"{demo.url}/login")
        page.fill("input[name=name]", "Director")
        page.fill("input[name=password]", demo.password)
        page.click("button.main")
        page.goto(f"{demo.url}{path}")
        page.wait_for_selector("svg.board" if path.startswith("/table") else "main")
        yield page
        browser.close()
