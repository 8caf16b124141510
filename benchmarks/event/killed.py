"""The dashboard and its database killed during a session: when every page is right again, and whether anything is lost.

Tables play over a real broker, with a real table's heartbeats, and finish their hands while the dashboard is away. Timed is from the killed
program's start until the page of every table shows the end of its hand, and the results' pages what they showed before. Then the store is
compared with every table's ledger, byte for byte; a missing line raises. The dashboard starts from compiled files, like an installed one.
"""

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.support.measuring import process_cpu_s
from cli.demo.supervisor import family
from tests.support.dashboard.killed import KilledSession
from tests.support.event.postgres import PostgresServer
from twinwall.event.store.databases.port import PostgresAddress, StoreAddress

TABLES = 64


def measure() -> dict[str, object]:
    """Measure the dashboard on either database, and PostgreSQL itself."""
    with _folder() as folder:
        report: dict[str, object] = {"tables": TABLES, "dashboard_on_sqlite": _dashboard_killed(folder, folder / "event.sqlite")}
    with _folder() as folder, _server() as server:
        report["dashboard_on_postgresql"] = _dashboard_killed(folder, PostgresAddress(server.url))
    with _folder() as folder, _server() as server:
        report["postgresql"] = _database_killed(folder, server)
    return report


def _dashboard_killed(folder: Path, store: StoreAddress) -> dict[str, float]:
    with _session(folder, store) as session:
        session.kill_dashboard()
        session.finish_unheard()
        began_s = time.monotonic()
        session.dashboard.start()
        session.wait_until_right()
        right_s, processor_s = time.monotonic() - began_s, _processor_s(session)
        session.wait_until_stored()
        return {"pages_right_s": round(right_s, 2), "processor_s": processor_s, "lines_lost": 0}


def _database_killed(folder: Path, server: PostgresServer) -> dict[str, float]:
    """Pages go on from memory; measured is how soon the store has every line after the server is back."""
    with _session(folder, PostgresAddress(server.url)) as session:
        server.kill()
        began_s = time.monotonic()
        session.finish_unheard()
        session.wait_until_right()
        right_s = time.monotonic() - began_s
        began_s = time.monotonic()
        server.start()
        session.wait_until_stored()
        return {"pages_right_s": round(right_s, 2), "stored_again_s": round(time.monotonic() - began_s, 2), "lines_lost": 0}


def _processor_s(session: KilledSession) -> float:
    """Return the dashboard's processor time since its start."""
    assert session.dashboard.process is not None
    return round(sum(map(process_cpu_s, family(session.dashboard.process.pid))), 2)


@contextmanager
def _session(folder: Path, store: StoreAddress) -> Iterator[KilledSession]:
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = str(folder / "compiled")  # written by the first start, read by the one that is timed
    session = KilledSession(folder, store, TABLES)
    try:
        session.begin()
        yield session
    finally:
        session.end()


@contextmanager
def _server() -> Iterator[PostgresServer]:
    with _folder() as folder:
        server = PostgresServer(folder, durable=True)
        server.start()
        try:
            yield server
        finally:
            server.stop()


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="twinwall-killed-") as folder:
        yield Path(folder)
