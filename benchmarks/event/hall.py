"""A hall under load: tables play through broker, vault and server, and viewers hold streams of its pages.

No tile moves at these tables, but they send what real ones send. They play ``SPEED`` times as fast as people, so the server takes that many
times the lines. A deal's result is due when its last table has closed the hand, by the ledgers; its delay is measured at each viewer. The
cost of one more table and one more viewer, in processor seconds a second of server and broker, is fitted over runs of several sizes.
"""

import asyncio
import contextlib
import time
from collections.abc import Mapping, Sequence
from statistics import fmean, quantiles

import numpy as np

from benchmarks.event.running_hall import BROKER, SERVER, RunningHall, running_hall
from benchmarks.event.viewers import STREAMS_EACH, PageView, Viewers
from twinwall.values import frozen
from twinwall.wire.ledger import PublicEvent

SIZES = ((16, 50), (16, 200), (64, 50), (64, 200))
"""Tables and viewers of each run."""
HANDS = 1
SPEED = 2.0
PATIENCE_S = 900.0
LOOK_S = 2.0
"""Time between two looks at memory, each with a request for a page."""
NEW_PAGES = ("/", "/standings", "/deal/1", "/table/1", "/projector", "/seats")


@frozen
class HallRun:
    """One run: processor time of each part, and delays of results and first bytes."""

    tables: int
    viewers: int
    lasted_s: float
    lines_a_second: float
    cpu: Mapping[str, float]
    peak_mib: Mapping[str, float]
    results_s: tuple[float, ...]
    released_s: tuple[float, ...]
    """From the last closed hand of each deal to the server's slip: the part of ``results_s`` due to broker and vault."""
    first_bytes_s: tuple[float, ...]
    largest_page: int
    missing: int
    """Results that never came to a page."""

    @property
    def served(self) -> float:
        """Processor seconds a second of server and broker."""
        return self.cpu[SERVER] + self.cpu[BROKER]

    def to_json(self) -> dict[str, object]:
        """Return its figures."""
        return {
            "tables": self.tables,
            "viewers": self.viewers,
            "lasted_s": round(self.lasted_s, 1),
            "lines_a_second": round(self.lines_a_second, 1),
            "cpu_a_second": {part: round(share, 4) for part, share in self.cpu.items()},
            "peak_mib": {part: round(peak) for part, peak in self.peak_mib.items()},
            "results": len(self.results_s),
            "result_ms": spread_ms(self.results_s),
            "released_ms": [round(1000 * took) for took in self.released_s],
            "results_missing": self.missing,
            "first_byte_ms": spread_ms(self.first_bytes_s),
            "largest_page_kib": round(self.largest_page / 1024, 1),
        }


def measure(sizes: Sequence[tuple[int, int]] = SIZES) -> dict[str, object]:
    """Measure all sizes, and fit the line through them."""
    runs = [_run(tables, viewers) for tables, viewers in sizes]
    return {"speed": SPEED, "hands": HANDS, "runs": [run.to_json() for run in runs], "cost": _line(runs)}


def _line(runs: Sequence[HallRun]) -> dict[str, float]:
    """Fit processor seconds a second of server and broker: ``rest`` + ``table`` × tables + ``viewer`` × viewers (least squares)."""
    if len({run.tables for run in runs}) < 2 or len({run.viewers for run in runs}) < 2:
        return {}
    known = np.array([(1.0, run.tables, run.viewers) for run in runs])
    found, _, _, _ = np.linalg.lstsq(known, np.array([run.served for run in runs]), rcond=None)
    return {name: round(float(value), 6) for name, value in zip(("rest", "table", "viewer"), found, strict=True)}


def _run(tables: int, viewers: int) -> HallRun:
    with running_hall(tables, HANDS, SPEED) as hall:
        return asyncio.run(_watched(hall, viewers))


async def _watched(hall: RunningHall, count: int) -> HallRun:
    viewers = Viewers(hall.port)
    watching = [asyncio.create_task(viewers.watch(_view(hall, number))) for number in range(count)]
    while not all(view.sizes for view in viewers.views) or len(viewers.views) < count:
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
    return HallRun(
        tables=hall.tables,
        viewers=count,
        lasted_s=lasted_s,
        lines_a_second=len(ledger) / lasted_s,
        cpu={part: (after[part] - before[part]) / lasted_s for part in after},
        peak_mib=peaks,
        results_s=tuple(took),
        released_s=tuple(at - closed[n] for n, at in hall.released().items()),
        first_bytes_s=tuple(viewers.first_bytes_s),
        largest_page=max(largest, *(size for view in viewers.views for size in view.sizes)),
        missing=sum(len(view.wanted) for view in viewers.views) - len(took),
    )


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
