"""Viewers' streams through a real nginx with nchan: the delay of a change, and its cost.

Viewers are connections of this process, from as many loopback addresses as the limit for one address requires, so the times include its
reading. A change is a ranking of 200 rows, some of them moved, as long as that of all venues.
"""

import asyncio
import resource
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles

from benchmarks.support.measuring import process_cpu_s, process_pss_kib
from centre.pages.world_pages import MOST_SHOWN
from centre.tests.support.viewers import ViewerRig, ranking
from tools.rehearsal.programs import LOOPBACK

VIEWERS = (1000, 5000, 10000)
CHANGES = 10
BETWEEN_S = 3.0
IDLE_S = 10.0
ROWS, ROW_BYTES = MOST_SHOWN, 115
"""Rows of the page of all venues, and the mean bytes of one with its markup."""
EACH_ADDRESS = 400
OPENED_AT_ONCE = 200


@dataclass(slots=True)
class ViewerLog(asyncio.Protocol):
    """One viewer, and when each message came."""

    came_s: list[float] = field(default_factory=list)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for the stream."""
        assert isinstance(transport, asyncio.WriteTransport)
        transport.write(f"GET /stream/world.en HTTP/1.1\r\nHost: {LOOPBACK}\r\nAccept: text/event-stream\r\n\r\n".encode())

    def data_received(self, data: bytes) -> None:
        """Note the messages that begin in ``data``."""
        self.came_s += [time.monotonic()] * data.count(b"data:")


def measure() -> dict[str, object]:
    """Measure each number of viewers in turn, with a new nginx."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    runs = [asyncio.run(_run(count)) for count in VIEWERS]
    return {"changes": CHANGES, "rows": ROWS, "runs": runs}


async def _run(count: int) -> dict[str, object]:
    with tempfile.TemporaryDirectory(prefix="twinwall-viewers-") as folder:
        rig = ViewerRig(Path(folder), streams_each=EACH_ADDRESS)
        rig.start()
        try:
            return await _measured(rig, count)
        finally:
            rig.nginx.stop()


async def _measured(rig: ViewerRig, count: int) -> dict[str, object]:
    rows = [f"Team {number} · {1000 - number} IMP".ljust(ROW_BYTES - len("<li></li>"), ".") for number in range(ROWS)]
    rig.pages.publish(ranking(*rows))
    loop = asyncio.get_running_loop()
    viewers: list[ViewerLog] = []
    for first in range(0, count, OPENED_AT_ONCE):
        opened = [
            loop.create_connection(ViewerLog, LOOPBACK, rig.server.port, local_addr=(_address(each), 0))
            for each in range(first, min(first + OPENED_AT_ONCE, count))
        ]
        viewers += [viewer for _, viewer in await asyncio.gather(*opened)]
    while any(not viewer.came_s for viewer in viewers):
        await asyncio.sleep(0.1)
    idle = await _idle(rig)
    before_s, own_s, published_s = _nginx_s(rig), 0.0, []
    for _ in range(CHANGES):
        rows.insert(0, rows.pop(ROWS // 2))
        began_s = time.process_time()
        published_s.append(time.monotonic())
        rig.pages.publish(ranking(*rows))
        own_s += time.process_time() - began_s
        await asyncio.sleep(BETWEEN_S)
    spent_s = _nginx_s(rig) - before_s - idle * (time.monotonic() - published_s[0])
    late = _late(viewers, published_s)
    shares = quantiles(late, n=100)
    return {
        "viewers": count,
        "missing": count * CHANGES - len(late),
        "late_ms": {name: round(1000 * each) for name, each in (("p50", shares[49]), ("p99", shares[98]), ("most", max(late)))},
        "nginx_ms_a_change_and_1000_viewers": round(1e6 * spent_s / CHANGES / count, 1),
        "nginx_idle_ms_a_second_and_1000_viewers": round(1e6 * idle / count, 2),
        "nginx_mib": round(sum(process_pss_kib(pid) for pid in _nginx(rig)) / 1024),
        "publisher_ms_a_change": round(1000 * own_s / CHANGES, 2),
    }


async def _idle(rig: ViewerRig) -> float:
    """Return processor seconds a second while nothing changes."""
    before_s, began_s = _nginx_s(rig), time.monotonic()
    await asyncio.sleep(IDLE_S)
    return (_nginx_s(rig) - before_s) / (time.monotonic() - began_s)


def _late(viewers: Sequence[ViewerLog], published_s: Sequence[float]) -> list[float]:
    """Return how long after its publication each change came to each viewer; the first message of a new stream does not count."""
    return [came - published for viewer in viewers for came, published in zip(viewer.came_s[1:], published_s, strict=False)]


def _nginx(rig: ViewerRig) -> list[int]:
    """Return the master's and its workers' process numbers."""
    assert rig.nginx.pid is not None
    children = Path(f"/proc/{rig.nginx.pid}/task/{rig.nginx.pid}/children").read_text().split()
    return [rig.nginx.pid, *map(int, children)]


def _nginx_s(rig: ViewerRig) -> float:
    return sum(process_cpu_s(pid) for pid in _nginx(rig))


def _address(viewer: int) -> str:
    number = 1 + viewer // EACH_ADDRESS
    return f"127.0.{number // 256}.{number % 256}"
