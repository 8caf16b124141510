"""The rivers that a table's page shows, compared with what its ledger says."""

import contextlib
import threading
import time
from html.parser import HTMLParser
from typing import Any

from tests.support.demo.harness import DemoRun, ask, logged_in, of_type
from tests.support.patience import PATIENCE_S


class Rivers(HTMLParser):
    """The symbols of the tiles in the four rivers of a table's page, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.tiles: dict[str, list[str]] = {}
        self._seat = ""
        self._depth = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Enter a river, or note the tile that a river shows."""
        named = dict(attrs)
        if tag == "g":
            identity = named.get("id") or ""
            if identity.startswith("river-"):
                self._seat, self._depth = identity.removeprefix("river-"), 0
                self.tiles[self._seat] = []
            self._depth += 1
        elif tag == "use" and self._seat:
            self.tiles[self._seat].append((named.get("href") or "").partition("#t-")[2])

    def handle_endtag(self, tag: str) -> None:
        """Leave it."""
        if tag == "g" and self._seat:
            self._depth -= 1
            self._seat = self._seat if self._depth else ""


def rivers_on(page: str) -> dict[str, list[str]]:
    reader = Rivers()
    reader.feed(page)
    reader.close()
    return reader.tiles


def rivers_of(events: list[dict[str, Any]]) -> dict[str, list[str]]:
    """What every seat has discarded, by the ledger."""
    discards = of_type(events, "tile-discarded")
    return {seat: [event["tile"] for event in discards if event["seat"] == seat] for seat in "ESWN"}


def wait_for_page(demo: DemoRun) -> bool:
    """Whether the table's page, once the dashboard answers again, comes to show all that has been discarded by then."""
    done, jar = threading.Event(), None
    end_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < end_s:
        with contextlib.suppress(OSError):
            jar = jar or logged_in(demo)
            before = rivers_of(demo.events())
            page = rivers_on(ask(jar, f"http://127.0.0.1:{demo.port}/table/1")[0])
            after = rivers_of(demo.events())
            if all(begins(after[seat], page.get(seat, [])) and begins(page.get(seat, []), before[seat]) for seat in "ESWN"):
                return True
        done.wait(0.1)
    return False


def begins(tiles: list[str], first: list[str]) -> bool:
    """Whether the tiles begin with the first ones."""
    return tiles[: len(first)] == first
