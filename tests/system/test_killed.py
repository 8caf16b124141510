"""The dashboard, or its database, is killed outright in a session: every page is right again, and nothing is lost."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.dashboard.killed import KilledSession
from tests.support.event.postgres import PostgresServer, binaries
from twinwall.event.store.databases.port import PostgresAddress

pytestmark = pytest.mark.nightly


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    """A PostgreSQL server that keeps what was committed when it is killed."""
    if binaries() is None:
        pytest.skip("postgresql is not installed (apt-get install postgresql)")
    folder = Path(tempfile.mkdtemp(prefix="twinwall-postgres-"))
    running = PostgresServer(folder, durable=True)
    running.start()
    yield running
    running.stop()
    shutil.rmtree(folder)


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_a_dashboard_killed_in_a_session_shows_every_page_right_again_and_has_lost_nothing(
    tmp_path: Path, database: str, request: pytest.FixtureRequest
) -> None:
    on_server = database == "postgresql"
    store = PostgresAddress(request.getfixturevalue("server").url) if on_server else tmp_path / "event.sqlite"
    session = KilledSession(tmp_path, store, 4)
    try:
        session.begin()
        session.kill_dashboard()
        session.finish_unheard()
        session.dashboard.start()
        session.wait_until_right()
        session.wait_until_stored()
    finally:
        session.end()


def test_a_database_killed_in_a_session_takes_every_line_when_it_is_back_and_the_pages_are_right_meanwhile(
    tmp_path: Path, server: PostgresServer
) -> None:
    session = KilledSession(tmp_path, PostgresAddress(server.url), 4)
    try:
        session.begin()
        server.kill()
        session.finish_unheard()
        session.wait_until_right()
        session.wait_for(["/table/1"], "not stored yet")
        server.start()
        session.wait_until_stored()
    finally:
        session.end()
