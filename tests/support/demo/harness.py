"""A demo under test: started as a user starts it, watched through its files and by people with browsers, disturbed from outside."""

from __future__ import annotations

import contextlib
import http.client
import http.cookiejar
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.support.children import ends_with_parent
from tests.support.narrowed import present
from tests.support.tiers import TIER, Tier
from tests.support.wire.brokers import free_port

POLL_S = 0.1
SHORT_HAND = 43
"""A seed of the demo whose only hand at table 1 has 20 discards; most have 40 to 70."""
PATIENCE_S = 600.0
"""Far more than anything takes: a machine that is busy with other things is not a fault."""


class DemoRun:
    """``twinwall demo --fast --headless --json`` with a folder and a port of its own: one table and one hand unless told."""

    def __init__(self, folder: Path, *words: str, seed: int = SHORT_HAND) -> None:
        self.folder = folder
        self.port = free_port()
        self._ledgers: dict[str, GrowingLedger] = {}
        self._errors = folder.with_suffix(".stderr").open("w+")
        words = words if "--tables" in words else ("--tables", "1", "--hands", "1", *words)
        asked = ["demo", "--fast", "--headless", "--json", "--seed", str(seed), "--port", str(self.port), "--folder", str(folder), *words]
        command = ends_with_parent([sys.executable, "-m", "cli", *asked])
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self._errors, text=True)

    def __enter__(self) -> DemoRun:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()
        self._errors.close()

    def table(self, name: str = "1") -> Path:
        return self.folder / f"table-{name}"

    def events(self, table: str = "1") -> list[dict[str, Any]]:
        return list(self._ledgers.setdefault(table, GrowingLedger(self.table(table) / "ledger" / "events.jsonl")).lines())

    def wait(self, seen: Callable[[list[dict[str, Any]]], bool], timeout_s: float = PATIENCE_S, *, table: str = "1") -> None:
        deadline = time.monotonic() + timeout_s
        while not seen(self.events(table)):
            assert self.process.poll() is None, f"the demo ended: {self.errors()}"
            assert time.monotonic() < deadline, f"not seen within {timeout_s} s; last: {self.events(table)[-3:]}"
            time.sleep(POLL_S)

    def settings(self, part: str, table: str = "1") -> Path:
        """The settings file of a process of the hall (``broker``, ``dashboard``, ``vault`` …) or of a table (``table``, ``world`` …)."""
        of_hall = self.folder / f"{part}.toml"
        return of_hall if of_hall.exists() else self.table(table) / f"{part}.toml"

    def kill(self, part: str, table: str = "1") -> None:
        """kill −9 one process, named by its settings file."""
        settings = str(self.settings(part, table))
        for pid in processes_with(settings):
            if pid != self.process.pid:
                os.kill(pid, signal.SIGKILL)
                return
        raise AssertionError(f"no process runs with {settings}")

    def replace(self, part: str, table: str = "1") -> None:
        """kill −9 one process, and return when the demo has started another one in its place."""
        settings = str(self.settings(part, table))
        before = set(processes_with(settings))
        self.kill(part, table)
        self.wait(lambda _events: not before.issuperset(processes_with(settings)))

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Stop the demo's own process for a while, so that it does not end meanwhile; the processes that it has started go on."""
        self.process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)

    def counts(self) -> dict[str, int]:
        """What has happened in the simulated world since the start, disturbances among it, while the demo runs."""
        found: dict[str, int] = json.loads(self._ask_world("GET", "/stats"))
        return found

    def world(self, fault: str) -> None:
        self._ask_world("POST", "/faults", json.dumps({"do": fault}))

    def _ask_world(self, method: str, path: str, body: str | None = None) -> bytes:
        connection = http.client.HTTPConnection("127.0.0.1", self._world_port(), timeout=PATIENCE_S)
        connection.request(method, path, body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        assert answer.status == 200, content
        return content

    def _world_port(self) -> int:
        return int(present(re.search(r"^port = (\d+)", self.settings("world").read_text(), re.MULTILINE))[1])

    def report(self, timeout_s: float = PATIENCE_S) -> dict[str, Any]:
        """Wait for the end; the JSON document, and exit 0."""
        out, _ = self.process.communicate(timeout=timeout_s)
        assert self.process.returncode == 0, self.errors()
        report: dict[str, Any] = json.loads(out)
        return report

    def errors(self) -> str:
        self._errors.flush()
        self._errors.seek(0)
        return self._errors.read()

    def password(self) -> str:
        return present(re.search(r"password (\S+)", self.errors()))[1]


class GrowingLedger:
    """A file of JSON lines that another process appends to; each line is parsed once."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read = 0
        self._lines: list[dict[str, Any]] = []

    def lines(self) -> list[dict[str, Any]]:
        """All whole lines that it has now."""
        if self._path.exists():
            with self._path.open("rb") as file:
                file.seek(self._read)
                content = file.read()
            whole = content[: content.rfind(b"\n") + 1]
            self._lines += [json.loads(line) for line in whole.splitlines()]
            self._read += len(whole)
        return self._lines


def browser_end() -> urllib.request.OpenerDirector:
    """A browser's end, with a jar of cookies."""
    return urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))


def logged_in(demo: DemoRun, name: str = "Director", password: str = "") -> urllib.request.OpenerDirector:
    """One of somebody, by default the director, who has logged in; waits for a dashboard that has still to start."""
    jar = browser_end()
    address, form = f"http://127.0.0.1:{demo.port}/login", ""

    def is_served(_events: list[dict[str, Any]]) -> bool:
        nonlocal form
        with contextlib.suppress(OSError, http.client.HTTPException):
            form = ask(jar, address)[0]
        return bool(form)

    demo.wait(is_served)
    ask(jar, address, name=name, password=password or demo.password(), token=hidden(form, "token"))
    return jar


def ask(jar: urllib.request.OpenerDirector, address: str, **form: str) -> tuple[str, str]:
    """What a page answers, to a form if there is one; and where that leads."""
    content = urllib.parse.urlencode(form).encode() if form else None
    with jar.open(address, content, timeout=PATIENCE_S) as answer:
        return answer.read().decode(), answer.url


def hidden(page: str, name: str) -> str:
    found = re.search(rf'name="{name}" value="([^"]+)"', page)
    assert found is not None, page[:2000]
    return found[1]


def processes_with(word: str) -> list[int]:
    """Processes whose command line holds this word or begins one of its words with it."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                if any(part.startswith(word.encode()) for part in (entry / "cmdline").read_bytes().split(b"\0")):
                    found.append(int(entry.name))
    return found


def of_type(events: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [event for event in events if event["type"] == kind]


VIEWERS = ("spectator", "director")
PAUSE_S = 1.0 if TIER is Tier.NIGHTLY else 4.0
"""Between two rounds over the pages, each of which is made anew. Streams are read without a pause."""
CHUNK = 65536


@dataclass(frozen=True, slots=True)
class Served:
    """What an address answered to whom (``spectator`` or ``director``), and the deals whose slips were out when all of it had come."""

    viewer: str
    address: str
    content: bytes
    released: frozenset[int]


class Onlookers:
    """Looks at the pages and streams of a demo, again and again, until the block ends."""

    def __init__(self, demo: DemoRun, tables: tuple[str, ...], hands: int) -> None:
        self._demo = demo
        deals = [f"/deal/{n}" for n in range(1, hands + 1)]
        everybody = ["/", "/standings", "/events", "/events?page=standings", *deals, *(f"/events?deal={n}" for n in range(1, hands + 1))]
        of_tables = [address for name in tables for address in (f"/table/{name}", f"/events?table={name}")]
        self._looks = {"spectator": [*everybody, *of_tables, "/calls"], "director": [*everybody, "/calls", "/events?page=calls"]}
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []
        self.served: list[Served] = []
        self.rounds = 0
        """How often somebody has looked at all pages that there were."""

    def __enter__(self) -> Onlookers:
        for viewer, addresses in self._looks.items():
            browser = logged_in(self._demo) if viewer == "director" else browser_end()
            pages = [address for address in addresses if not address.startswith("/events")]
            self._spawn(viewer, browser, pages)
            for address in addresses:
                if address.startswith("/events"):
                    self._spawn(viewer, browser, [address])
        return self

    def __exit__(self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _spawn(self, viewer: str, browser: urllib.request.OpenerDirector, addresses: list[str]) -> None:
        thread = threading.Thread(target=self._look, args=(viewer, browser, addresses))
        self._threads.append(thread)
        thread.start()

    def _look(self, viewer: str, browser: urllib.request.OpenerDirector, addresses: list[str]) -> None:
        pages = not any(address.startswith("/events") for address in addresses)
        while not self._stop.is_set():
            for address in addresses:
                with contextlib.suppress(OSError, http.client.HTTPException):  # not there just now, killed, or not for this viewer
                    self._read(viewer, browser, address)
            self.rounds += pages
            self._stop.wait(PAUSE_S)

    def _read(self, viewer: str, browser: urllib.request.OpenerDirector, address: str) -> None:
        """Keep what comes, of a stream piece by piece until the end of the looking."""
        with browser.open(f"http://127.0.0.1:{self._demo.port}{address}", timeout=10) as answer:
            while not self._stop.is_set():
                content = answer.read1(CHUNK)
                if not content:
                    return
                self.served.append(Served(viewer, address, content, released(self._demo.folder)))


def released(folder: Path) -> frozenset[int]:
    return frozenset(int(slip.stem.rpartition("-")[2]) for slip in (folder / "released").glob("slip-*.json"))
