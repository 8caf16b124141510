"""Onlookers with a browser: every byte served to them is kept, with what was sealed at that moment."""

from __future__ import annotations

import contextlib
import http.client
import threading
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from tests.support.demo.harness import DemoRun, browser_end, logged_in
from tests.support.tiers import TIER, Tier

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
    """The deals whose slips are out."""
    return frozenset(int(slip.stem.rpartition("-")[2]) for slip in (folder / "released").glob("slip-*.json"))
