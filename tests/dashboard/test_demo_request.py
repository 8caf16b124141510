"""The demo championship: a director asks for it on the page without an event, and the program that serves the hall starts it."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from cli.hall.hall_serve import DemoOnRequest
from dashboard.app import create_start_app
from dashboard.demo_request import REQUEST, DemoRequest, DemoStanding, DemoState
from dashboard.events_folder import EventsFolder
from dashboard.pages.events.event_choice import EventChoice
from tests.support.dashboard.hall import OPEN
from tests.support.dashboard.staff import log_in, new_staff, submit
from tests.support.demo.harness import processes_with
from tests.support.wire.brokers import eventually
from twinwall.event.field import EventField
from twinwall.event.results import EntrantKind
from twinwall.event.store.programme import Programme

AT = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
RUNNING = DemoStanding(DemoState.RUNNING, "http://127.0.0.1:18080", "Director", "throw-away")


@pytest.fixture
def events(tmp_path: Path) -> Path:
    return tmp_path / "events"


@pytest.fixture
def client(events: Path) -> FlaskClient:
    folder = EventsFolder(events, ("1",), lambda name: Programme(name, EventField(EntrantKind.INDIVIDUAL, ())))
    choice = EventChoice(folder, lambda: AT, None, lambda: None, demo=DemoRequest(events))
    return create_start_app(replace(OPEN, event=""), new_staff(), choice).test_client()


def test_statement_01_without_an_event_a_director_sees_a_button_for_one_and_one_for_the_demo(client: FlaskClient, events: Path) -> None:
    log_in(client)
    assert "demo-title" not in client.get("/").text
    DemoRequest(events).write(DemoStanding(DemoState.OFFERED))
    page = client.get("/").text
    assert page.count('<button class="main">New event</button>') == 1
    assert page.count("Open the demo championship") == 1


def test_the_demo_is_asked_for_once_and_its_address_shown_when_it_runs(client: FlaskClient, events: Path) -> None:
    log_in(client)
    request = DemoRequest(events)
    request.write(DemoStanding(DemoState.OFFERED))
    assert submit(client, "/hall-events", {"do": "demo"}).status_code == 303
    assert request.read() == DemoStanding(DemoState.WANTED)
    assert "demo-starts" in client.get("/hall-events").text
    request.write(RUNNING)
    request.ask()
    assert request.read() == RUNNING
    page = client.get("/hall-events").text
    assert RUNNING.address in page
    assert RUNNING.password in page


def test_nobody_but_a_director_sees_the_demo_or_asks_for_it(client: FlaskClient, events: Path) -> None:
    DemoRequest(events).write(RUNNING)
    assert RUNNING.password not in client.get("/").text
    assert client.get("/hall-events").headers["Location"].startswith("/login")
    assert client.post("/hall-events", data={"do": "demo"}).status_code == 401


def test_a_damaged_request_offers_nothing(events: Path) -> None:
    events.mkdir()
    (events / REQUEST).write_text("{")
    assert DemoRequest(events).read() is None


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_demo_that_is_asked_for_runs_beside_the_hall_and_ends_with_it(events: Path, tmp_path: Path) -> None:
    request = DemoRequest(events)
    with DemoOnRequest(events, tmp_path / "logs") as demo:
        demo.look()
        assert request.read() == DemoStanding(DemoState.OFFERED)
        request.ask()
        demo.look()
        started = [int(each.popen.pid) for each in demo.supervisor.processes if each.popen is not None]
        assert len(started) == 1

        def running() -> bool:
            demo.look()
            standing = request.read()
            return standing is not None and standing.state is DemoState.RUNNING

        eventually(running, "the demo says where it is")
    assert request.read() is None
    assert processes_with(str(tmp_path)) == []
