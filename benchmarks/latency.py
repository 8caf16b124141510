"""Latency from a tile lifted at its draw gate to the referee's page.

``python -m benchmarks.latency [--draws N] [--fast] [--json]`` (needs chromium-headless-shell). A demo runs, in real time unless ``--fast``;
a browser shows the table's page, and a script in it notes changes of the number of tiles left in the walls. The start is when the simulated
hand lifts the tile. In between are sensor, serial line, controller with its fsync, broker, dashboard, event stream and browser.
"""

from __future__ import annotations

from itertools import pairwise

from benchmarks.support.measuring import percentiles, run_measure
from benchmarks.support.running import browser_page, running_demo

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
TABLE = "1"


def measure(draws: int = 30, port: int = 8091, *, fast: bool = False) -> dict[str, object]:
    """Measure ``draws`` draws, with the dashboard at this port."""
    words = ["--seed", "1", *(["--fast"] if fast else [])]
    with running_demo(*words, port=port) as demo, browser_page(demo, 1440, 900, f"/table/{TABLE}") as page:
        page.evaluate(WATCH)
        demo.wait_for("tile-drawn", draws)
        page.wait_for_timeout(1000)
        shown = {int(left): at for left, at in page.evaluate("window.shown").items()}
        lifted = demo.truth()["hands"][0]["drawn_at_s"]
    ways = [(lifted_s, shown[DRAWS_OF_ALL - number]) for number, lifted_s in enumerate(lifted, 1) if DRAWS_OF_ALL - number in shown]
    return {
        "draws": len(ways),
        "real_time": not fast,
        "edge_to_page_ms": percentiles(1000 * (page_s - edge_s) for edge_s, page_s in ways),
        "shortest_time_between_draws_ms": round(1000 * min(after - before for before, after in pairwise(lifted))),
    }


if __name__ == "__main__":
    run_measure(measure)
