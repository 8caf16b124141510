"""Latency from a tile lifted at its draw gate to the referee's page.

``python -m benchmarks.latency [--draws N] [--fast] [--json]`` (needs chromium-headless-shell). A demo runs, in real time unless
``--fast``; a browser shows the table's page, and a script in it notes when the number of tiles left in the walls
changes. The start is the moment at which the simulated hand lifts the tile. Between them lie sensor, serial line,
controller with its fsync, broker, dashboard, event stream and the browser.
"""

from __future__ import annotations

import argparse
import json
import statistics
from itertools import pairwise

from benchmarks.running import browser_page, running_demo

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
DRAWS_OF_ALL = 84


def main() -> None:
    """Run, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=30)
    parser.add_argument("--fast", action="store_true")
    parser.add_argument("--port", type=int, default=8091)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    words = ["--seed", "1", *(["--fast"] if options.fast else [])]
    with running_demo(*words, port=options.port) as demo, browser_page(demo, 1440, 900, "/table/1") as page:
        page.evaluate(WATCH)
        demo.wait_for("tile-drawn", options.draws)
        page.wait_for_timeout(1000)
        shown = {int(left): at for left, at in page.evaluate("window.shown").items()}
        lifted = demo.truth()["hands"][0]["drawn_at_s"]
    delays = [shown[DRAWS_OF_ALL - number] - at for number, at in enumerate(lifted, 1) if DRAWS_OF_ALL - number in shown]
    delays.sort()
    report = {
        "draws": len(delays),
        "real_time": not options.fast,
        "edge_to_page_ms": {
            "p50": round(1000 * statistics.median(delays)),
            "p95": round(1000 * delays[max(0, round(0.95 * len(delays)) - 1)]),
            "max": round(1000 * delays[-1]),
        },
        "shortest_time_between_draws_ms": round(1000 * min(after - before for before, after in pairwise(lifted))),
    }
    print(json.dumps(report, indent=1) if options.json else report)


if __name__ == "__main__":
    main()
