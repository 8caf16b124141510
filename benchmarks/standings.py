"""Latency from the last result of a deal to the standings.

``python -m benchmarks.standings [--hands N] [--json]`` (needs chromium-headless-shell). A fast demo of four tables runs, a browser shows
the standings, and a script in it notes when another deal is counted. The start is when the last of the four tables has written that the
payments stand. In between are the fsync, the broker, the vault that releases the slip, the dashboard that checks and stores it, the
comparison, the event stream and the browser.
"""

import statistics

from benchmarks.support.measuring import run_measure
from benchmarks.support.running import RunningDemo, browser_page, running_demo
from twinwall.game.documents import read_time

TABLES = ("1", "2", "3", "4")
WATCH = """
() => {
  window.counted = {};
  const look = () => {
    const deals = document.querySelectorAll("table.deals thead a").length;
    if (deals && !(deals in window.counted)) window.counted[deals] = Date.now() / 1000;
  };
  new MutationObserver(look).observe(document.body, {childList: true, subtree: true});
  look();
}
"""


def measure(hands: int = 4, port: int = 8093) -> dict[str, object]:
    """Measure ``hands`` hands, with the dashboard at this port."""
    words = ("--fast", "--seed", "1", "--tables", str(len(TABLES)), "--hands", str(hands))
    with running_demo(*words, port=port) as demo, browser_page(demo, 1440, 900, "/standings") as page:
        page.evaluate(WATCH)
        demo.wait_for("deal-released", hands)
        page.wait_for_timeout(2000)
        shown = {int(deals): at for deals, at in page.evaluate("window.counted").items()}
        confirmed = [max(settled_s(demo, table)[hand] for table in TABLES) for hand in range(hands)]
    delays_ms = [round(1000 * (shown[number] - at)) for number, at in enumerate(confirmed, 1)]
    return {"deals": len(delays_ms), "confirmed_to_standings_ms": {"median": statistics.median(delays_ms), "max": max(delays_ms)}}


def settled_s(demo: RunningDemo, table: str) -> list[float]:
    """Return when each hand's payments stood at a table (Unix time, s)."""
    return [read_time(event["at"]).timestamp() for event in demo.events(table) if event["type"] == "settled"]


if __name__ == "__main__":
    run_measure(measure)
