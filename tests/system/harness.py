"""Harness of a demo under test: started as a user starts it, watched through its files, disturbed from outside."""

from __future__ import annotations

import http.client
import http.cookiejar
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

POLL_S = 0.02


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as opened:
        port: int = opened.getsockname()[1]
        return port


class DemoRun:
    """``twinwall demo --fast --headless --json`` with a folder and a port of its own: one table and one hand unless told."""

    def __init__(self, folder: Path, *words: str, seed: int = 1) -> None:
        self.folder = folder
        self.port = free_port()
        self._errors = folder.with_suffix(".stderr").open("w+")
        words = words if "--tables" in words else ("--tables", "1", "--hands", "1", *words)
        command = ["demo", "--fast", "--headless", "--json", "--seed", str(seed), "--port", str(self.port), "--folder", str(folder), *words]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "twinwall.cli", *command], stdout=subprocess.PIPE, stderr=self._errors, text=True
        )

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
        """The folder of a table."""
        return self.folder / f"table-{name}"

    def journal(self, table: str = "1") -> list[dict[str, Any]]:
        """What a table has written for itself."""
        return _lines(self.table(table) / "ledger" / "table.journal")

    def events(self, table: str = "1") -> list[dict[str, Any]]:
        """What a table has published to the server."""
        return _lines(self.table(table) / "ledger" / "events.jsonl")

    def wait(self, seen: Callable[[list[dict[str, Any]]], bool], timeout_s: float = 60.0, *, table: str = "1") -> None:
        """Wait until a table's public ledger satisfies ``seen``."""
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

    def world(self, deed: str) -> None:
        """Let an accident happen in the simulated world."""
        port = re.search(r"^port = (\d+)", self.settings("world").read_text(), re.MULTILINE)
        assert port is not None
        connection = http.client.HTTPConnection("127.0.0.1", int(port[1]), timeout=10)
        connection.request("POST", "/faults", json.dumps({"do": deed}), {"Content-Type": "application/json"})
        assert connection.getresponse().status == 200
        connection.close()

    def report(self, timeout_s: float = 120.0) -> dict[str, Any]:
        """Wait for the end; the JSON document, and exit 0."""
        out, _ = self.process.communicate(timeout=timeout_s)
        assert self.process.returncode == 0, self.errors()
        report: dict[str, Any] = json.loads(out)
        return report

    def ends_with(self, code: int, timeout_s: float = 60.0) -> str:
        """Wait for the end with this exit code; what it said on standard error."""
        self.process.communicate(timeout=timeout_s)
        assert self.process.returncode == code, self.errors()
        return self.errors()

    def errors(self) -> str:
        self._errors.flush()
        self._errors.seek(0)
        return self._errors.read()

    def password(self) -> str:
        found = re.search(r"password (\S+)", self.errors())
        assert found is not None
        return found[1]

    def page(self, path: str) -> str:
        """A page of the dashboard, logged in as a person would."""
        with logged_in(self).open(f"http://127.0.0.1:{self.port}{path}", timeout=10) as opened:
            answer: str = opened.read().decode()
        return answer


def logged_in(demo: DemoRun) -> urllib.request.OpenerDirector:
    """A browser's jar of cookies after the director has come through the door."""
    jar = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
    address = f"http://127.0.0.1:{demo.port}/login"
    with jar.open(address, timeout=10) as opened:
        form = opened.read().decode()
    token = re.search(r'name="(\w*token\w*)"[^>]*value="([^"]+)"', form)
    assert token is not None, form[:500]
    fields = {"name": "Director", "password": demo.password(), token[1]: token[2]}
    jar.open(address, urllib.parse.urlencode(fields).encode(), timeout=10).close()
    return jar


def processes_with(word: str) -> list[int]:
    """Processes whose command line holds this word."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if word.encode() in (entry / "cmdline").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
            except OSError:
                continue
    return found


def processes_in(folder: Path) -> list[int]:
    """Processes with any settings file below a folder."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if str(folder).encode() in (entry / "cmdline").read_bytes():
                    found.append(int(entry.name))
            except OSError:
                continue
    return found


def of_type(events: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [event for event in events if event["type"] == kind]


def _lines(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        return []
    content = path.read_bytes()
    return [json.loads(line) for line in content[: content.rfind(b"\n") + 1].splitlines()]
