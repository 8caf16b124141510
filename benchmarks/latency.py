"""Latency from a tile lifted at its draw gate to the referee's page.

``python -m benchmarks.latency [--draws N] [--fast] [--json]`` (needs chromium-headless-shell). A demo runs, in real time unless ``--fast``;
a browser shows the table's page, and a script in it notes changes of the number of tiles left in the walls. The start is when the simulated
hand lifts the tile. In between are sensor, serial line, controller with its fsync, broker, dashboard, event stream and browser.

A second connection of the server's account at the broker notes when each line came, and the head that the table signed for it; a second
reader of the page's stream notes when the server sent it. So the ways to broker, stream and page are separated, and a stream faster than
the head would not have waited for the signature.
"""

from __future__ import annotations

import http.client
import json
import re
import statistics
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from itertools import pairwise

from playwright.sync_api import Page

from benchmarks.support.measuring import run_measure
from benchmarks.support.running import RunningDemo, browser_page, running_demo
from config.keys import DEMO_EVENT
from tests.support.wire.brokers import Ear
from twinwall.wire.mqtt.access import SERVER_USER
from twinwall.wire.mqtt.broker_address import BrokerAddress, Credentials
from twinwall.wire.mqtt.link import MqttLink
from twinwall.wire.mqtt.topics import Channel, Topic

WATCH = """
() => {
  window.shown = {};
  const look = () => {
    const text = document.getElementById("centre").textContent;
    const left = text.match(/(\\d+) [^\\d]*wall/);
    if (left && !(left[1] in window.shown)) window.shown[left[1]] = Date.now() / 1000;
  };
  new MutationObserver(look).observe(document.body, {childList: true, subtree: true});
  look();
}
"""
LEFT = re.compile(rb"(\d+) [^\d]*wall")
DRAWS_OF_ALL = 84
EVENT = DEMO_EVENT
TABLE = "1"


class Listener(Ear):
    """A second connection of the server's account: notes when each drawn tile's line came, and the first head that covers it."""

    def __init__(self, demo: RunningDemo) -> None:
        super().__init__()
        found = re.search(r'^url = "mqtt://(.+):(\d+)"', (demo.folder / "table-1" / "table.toml").read_text(), re.MULTILINE)
        assert found is not None
        password = (demo.folder / f"{SERVER_USER}.password").read_text().strip()
        self._topics = {str(Topic(EVENT, TABLE, channel)): channel for channel in (Channel.EVENTS, Channel.HEAD)}
        self._lines: dict[int, float] = {}
        self._heads: dict[int, float] = {}
        credentials = Credentials(SERVER_USER, password, "latency")
        self.link = MqttLink(BrokerAddress(found[1], int(found[2])), credentials, self, subscriptions=tuple(self._topics))

    def message(self, topic: str, payload: bytes) -> None:
        """Note a line or a head."""
        came_s, document = time.time(), json.loads(payload)
        if self._topics[topic] is Channel.HEAD:
            self._heads.setdefault(document["seq"], came_s)
        elif document["type"] == "tile-drawn":
            self._lines.setdefault(document["seq"], came_s)

    def heard(self, seq: int) -> tuple[float, float] | None:
        """Return when the line of a drawn tile came, and the first head that covers it."""
        covering = [at for covered, at in self._heads.items() if covered >= seq]
        return (self._lines[seq], min(covering)) if seq in self._lines and covering else None


class StreamReader(threading.Thread):
    """A second reader of the page's stream: notes when each number of tiles left in the walls came."""

    def __init__(self, demo: RunningDemo, page: Page) -> None:
        super().__init__(daemon=True)
        cookies = "; ".join(f"{each.get('name')}={each.get('value')}" for each in page.context.cookies())
        address = page.evaluate("document.body.dataset.events")
        self._connection = http.client.HTTPConnection(demo.url.removeprefix("http://"))
        self._connection.request("GET", address, headers={"Cookie": cookies})
        self.came: dict[int, float] = {}

    def run(self) -> None:
        """Read until the server ends."""
        stream = self._connection.getresponse()
        with suppress(OSError, http.client.HTTPException):
            for line in stream:
                if found := LEFT.search(line):
                    self.came.setdefault(int(found[1]), time.time())


def measure(draws: int = 30, port: int = 8091, *, fast: bool = False) -> dict[str, object]:
    """Measure ``draws`` draws, with the dashboard at this port."""
    words = ["--seed", "1", *(["--fast"] if fast else [])]
    with running_demo(*words, port=port) as demo, browser_page(demo, 1440, 900, f"/table/{TABLE}") as page:
        listener = Listener(demo)
        listener.link.start()
        stream = StreamReader(demo, page)
        stream.start()
        page.evaluate(WATCH)
        demo.wait_for("tile-drawn", draws)
        page.wait_for_timeout(1000)
        shown = {int(left): at for left, at in page.evaluate("window.shown").items()}
        lifted = demo.truth()["hands"][0]["drawn_at_s"]
        listener.link.close()
        seqs = [event["seq"] for event in demo.events() if event["type"] == "tile-drawn"]
    heard = {
        DRAWS_OF_ALL - number: (lifted_s, listener.heard(seq)) for number, (lifted_s, seq) in enumerate(zip(lifted, seqs, strict=False), 1)
    }
    seen = stream.came.keys() & shown.keys()
    ways = [
        (lifted_s, *came, stream.came[left], shown[left]) for left, (lifted_s, came) in heard.items() if came is not None and left in seen
    ]
    return {
        "draws": len(ways),
        "real_time": not fast,
        "edge_to_page_ms": _spread(page_s - edge_s for edge_s, *_, page_s in ways),
        "edge_to_line_at_broker_ms": _spread(line_s - edge_s for edge_s, line_s, *_ in ways),
        "line_to_signed_head_ms": _spread(head_s - line_s for _, line_s, head_s, *_ in ways),
        "head_to_stream_ms": _spread(stream_s - head_s for *_, head_s, stream_s, _ in ways),
        "stream_to_page_ms": _spread(page_s - stream_s for *_, stream_s, page_s in ways),
        "told_before_the_head_came": sum(stream_s < head_s for *_, head_s, stream_s, _ in ways),
        "shortest_time_between_draws_ms": round(1000 * min(after - before for before, after in pairwise(lifted))),
    }


def _spread(delays_s: Iterable[float]) -> dict[str, int]:
    ordered = [round(1000 * each) for each in sorted(delays_s)]
    return {"p50": round(statistics.median(ordered)), "p95": ordered[max(0, round(0.95 * len(ordered)) - 1)], "max": ordered[-1]}


if __name__ == "__main__":
    run_measure(measure)
