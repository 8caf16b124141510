"""A correction of hand 1 of 16: the time from the referee's press to every open page that shows the result.

The ruling goes through server and broker to the table's ledger, and back through broker, store and streams to the pages of the standings
and the deal. A hall of four tables without physics has played the session.
"""

import asyncio
import contextlib
import time

from benchmarks.event.hall import spread_ms
from benchmarks.event.running_hall import RunningHall, running_hall
from benchmarks.event.viewers import STREAMS_EACH, PageView, Viewers

TABLES, HANDS, VIEWERS = 4, 16, 20
SPEED = 40.0
"""The session before the correction is not measured."""
REASON = "A tile lay on the floor."
PATIENCE_S = 60.0


def measure() -> dict[str, object]:
    """Measure one correction, at all pages."""
    with running_hall(TABLES, HANDS, SPEED) as hall:
        hall.director.start(1)
        for deal in hall.deals:
            hall.director.wait_for_release(deal)
        return asyncio.run(_corrected(hall))


async def _corrected(hall: RunningHall) -> dict[str, object]:
    viewers = Viewers(hall.port)
    watching = [asyncio.create_task(viewers.watch(_view(number))) for number in range(VIEWERS)]
    while not (len(viewers.views) == VIEWERS and all(view.opened and view.heard for view in viewers.views)):
        await asyncio.sleep(0.2)
    ready = await asyncio.to_thread(hall.director.write_ruling, "1", 1, REASON)
    pressed, end_s = time.time(), time.monotonic() + PATIENCE_S
    await asyncio.to_thread(ready)
    while not all(view.came for view in viewers.views) and time.monotonic() < end_s:
        await asyncio.sleep(0.05)
    for task in watching:
        task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await asyncio.gather(*watching)
    took = [view.came[REASON] - pressed for view in viewers.views if view.came]
    return {"tables": TABLES, "hands": HANDS, "pages": len(took), "missing": VIEWERS - len(took), "shown_ms": spread_ms(took)}


def _view(number: int) -> PageView:
    path = ("/standings", "/deal/1", "/standings?session=1")[number % 3]
    return PageView(path, f"127.0.2.{1 + number // STREAMS_EACH}", {REASON: REASON})
