"""A hall under load: tables play through broker, vault and server, and viewers hold streams of its pages.

No tile moves at these tables, but they send what real ones send. They play ``SPEED`` times as fast as people, so the server takes that many
times the lines. A deal's result is due when its last table has closed the hand, by the ledgers; its delay is measured at each viewer.
"""

import asyncio
import contextlib
import time
from collections.abc import Sequence
from statistics import fmean, quantiles

from benchmarks.event.running_hall import RunningHall, running_hall
from benchmarks.event.viewers import STREAMS_EACH, PageView, Viewers
from twinwall.wire.ledger import PublicEvent

TABLES, VIEWERS, HANDS = 64, 200, 1
SPEED = 2.0
PATIENCE_S = 900.0
LOOK_S = 2.0
"""Time between two looks at memory, each with a request for a page."""
NEW_PAGES = ("/", "/standings", "/deal/1", "/table/1", "/projector", "/seats")


def measure() -> dict[str, object]:
    """Measure a hall of 64 tables with 200 viewers."""
    with running_hall(TABLES, HANDS, SPEED) as hall:
        return {"speed": SPEED, "hands": HANDS, **asyncio.run(_watched(hall))}


async def _watched(hall: RunningHall) -> dict[str, object]:
    viewers = Viewers(hall.port)
    watching = [asyncio.create_task(viewers.watch(_view(hall, number))) for number in range(VIEWERS)]
    while not all(view.sizes for view in viewers.views) or len(viewers.views) < VIEWERS:
        await asyncio.sleep(0.2)
    before, began_s = hall.cpu_s(), time.monotonic()
    await asyncio.to_thread(hall.director.start, 1)
    largest, peaks = await _until_the_end(hall, viewers)
    lasted_s, after = time.monotonic() - began_s, hall.cpu_s()
    await asyncio.sleep(LOOK_S)
    for task in watching:
        task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await asyncio.gather(*watching)
    ledger = hall.ledger()
    closed = _last_closed(ledger)
    took = [at - closed[int(name)] for view in viewers.views for name, at in view.came.items()]
    largest = max(largest, *(size for view in viewers.views for size in view.sizes))
    return {
        "tables": hall.tables,
        "viewers": VIEWERS,
        "lasted_s": round(lasted_s, 1),
        "lines_a_second": round(len(ledger) / lasted_s, 1),
        "cpu_a_second": {part: round((after[part] - before[part]) / lasted_s, 4) for part in after},
        "peak_mib": {part: round(peak) for part, peak in peaks.items()},
        "results": len(took),
        "result_ms": spread_ms(took),
        "released_ms": [round(1000 * (at - closed[n])) for n, at in hall.released().items()],
        "results_missing": sum(len(view.wanted) for view in viewers.views) - len(took),
        "first_byte_ms": spread_ms(viewers.first_bytes_s),
        "largest_page_kib": round(largest / 1024, 1),
    }


def _last_closed(ledger: Sequence[PublicEvent]) -> dict[int, float]:
    """Return when the last table closed its hand of each deal, in seconds since 1970."""
    last: dict[int, float] = {}
    for event in ledger:
        if event.type == "hand-closed":
            n = int(str(event.fields["n"]))
            last[n] = max(last.get(n, 0.0), event.at.timestamp())
    return last


async def _until_the_end(hall: RunningHall, viewers: Viewers) -> tuple[int, dict[str, float]]:
    """Look at memory and ask for pages until every viewer has seen every result; return the largest page and each part's highest memory."""
    largest, peaks, end_s, turn = 0, dict[str, float](), time.monotonic() + PATIENCE_S, 0
    while not all(len(view.came) == len(view.wanted) for view in viewers.views) and time.monotonic() < end_s:
        hall.supervisor.look_after()
        for part, now in hall.resident_mib().items():
            peaks[part] = max(peaks.get(part, 0.0), now)
        largest = max(largest, await viewers.ask(NEW_PAGES[turn % len(NEW_PAGES)]))
        turn += 1
        await asyncio.sleep(LOOK_S)
    return largest, peaks


def _view(hall: RunningHall, number: int) -> PageView:
    """Return a viewer: of ten, three look at the standings, two at a deal, one at the projector, two at the hall, two at a table."""
    address = f"127.0.2.{1 + number // STREAMS_EACH}"
    deal = hall.deals[number % len(hall.deals)]
    wanted = {str(n): f"{n} of {hall.hands} deals released" for n in hall.deals}
    match number % 10:
        case 0 | 1 | 2:
            return PageView("/standings", address, wanted)
        case 3 | 4:
            return PageView(f"/deal/{deal}", address, {str(deal): f"/deal/{deal}/slip.json"})
        case 5:
            return PageView("/projector", address, wanted)
        case 6 | 7:
            return PageView("/", address, wanted)
        case _:
            return PageView(f"/table/{1 + number % hall.tables}", address, {})


def spread_ms(seconds: Sequence[float]) -> dict[str, float]:
    """Return mean, median, 95th percentile and maximum, in milliseconds."""
    if len(seconds) < 2:
        return {}
    cuts = quantiles(seconds, n=20)
    spread = {"mean": fmean(seconds), "p50": cuts[9], "p95": cuts[18], "most": max(seconds)}
    return {name: round(1000 * value, 1) for name, value in spread.items()}
