"""A hall without an event: a director begins one in the browser, asks for the demo championship, opens another, and leaves it."""

import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from cli.hall.hall_serve import DemoOnRequest
from dashboard.app import create_start_app
from dashboard.events_folder import EventNameError, EventsFolder
from dashboard.hall_requests import REQUEST, DemoRequest, DemoStanding, DemoState
from dashboard.pages.events.event_choice import EventChoice
from tests.support.dashboard.hall import OPEN, must_say
from tests.support.dashboard.served import Served
from tests.support.dashboard.staff import NAME, form_token, log_in, new_staff, submit
from tests.support.demo.harness import processes_with
from tests.support.event.databases import run_beside
from tests.support.narrowed import present
from tests.support.wire.brokers import eventually, free_port
from twinwall.event.field import EventField
from twinwall.event.results import EntrantKind
from twinwall.event.store.databases.port import PostgresAddress, StoreError
from twinwall.event.store.programme import Programme

AT = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)


def new_programme(name: str) -> Programme:
    return Programme(name, EventField(EntrantKind.INDIVIDUAL, ()))


@pytest.fixture
def folder(tmp_path: Path) -> EventsFolder:
    return EventsFolder(tmp_path / "events", ("1", "2"), new_programme)


def test_an_event_is_begun_opened_and_left(folder: EventsFolder) -> None:
    assert (folder.opened(), folder.events()) == (None, ())
    spring = folder.begin("Spring 麻雀", AT, None)
    autumn = folder.begin("Autumn", AT, None)
    assert folder.opened() == autumn
    assert [event.name for event in folder.events()] == ["Autumn", "Spring 麻雀"]
    assert folder.programme(spring).event == "Spring 麻雀"
    folder.open(spring)
    assert folder.opened() == spring
    folder.open(None)
    assert folder.opened() is None


def test_with_a_database_each_new_event_has_a_schema_and_those_with_a_file_keep_it(
    folder: EventsFolder, postgres_store: PostgresAddress, tmp_path: Path
) -> None:
    filed = folder.begin("Spring", AT, None)
    with_database = EventsFolder(folder.path, ("1", "2"), new_programme, postgres_store)
    try:
        autumn = with_database.begin("Autumn", AT, None)
        assert (filed.store, autumn.store) == (folder.path / "0001" / "event.sqlite", replace(postgres_store, schema="event_0002"))
        assert [with_database.programme(event).event for event in with_database.events()] == ["Autumn", "Spring"]
        another_hall = EventsFolder(tmp_path / "another hall", (), new_programme, postgres_store)
        another_hall.begin("Spring", AT, None)
        with pytest.raises(StoreError, match="a database of its own"):
            another_hall.begin("Autumn", AT, None)
    finally:
        run_beside(postgres_store, "DROP SCHEMA IF EXISTS event_0001 CASCADE", "DROP SCHEMA event_0002 CASCADE")


@pytest.mark.parametrize("name", ["", " Autumn", "x" * 81, "two\x07lines", "autumn", "Ａｕｔｕｍｎ", "Au\u200btumn", "a\u202eb"])
def test_a_name_that_no_new_event_can_have_is_refused_and_nothing_is_begun(folder: EventsFolder, name: str) -> None:
    autumn = folder.begin("Autumn", AT, None)
    with pytest.raises(EventNameError):
        folder.begin(name, AT, None)
    assert folder.events() == (autumn,)


def test_a_folder_that_was_left_half_made_keeps_nobody_from_another_event(folder: EventsFolder) -> None:
    (folder.begin("Autumn", AT, None).folder / "event.json").unlink()
    folder.open(None)
    assert folder.begin("Winter", AT, None).folder.name == "0002"


def test_a_folder_that_cannot_be_written_is_said_and_no_event_has_begun(tmp_path: Path) -> None:
    (tmp_path / "events").write_text("a file stands where the folder should")
    folder = EventsFolder(tmp_path / "events", ("1",), new_programme)
    with pytest.raises(StoreError, match="cannot be"):
        folder.begin("Autumn", AT, None)


def test_a_heading_that_was_damaged_is_named(folder: EventsFolder) -> None:
    (folder.begin("Autumn", AT, None).folder / "event.json").write_text("{}")
    with pytest.raises(StoreError, match=r"event\.json"):
        folder.opened()


@pytest.mark.parametrize("path", ["/standings", "/seat/1/0", "/projector", "/table/1"])
def test_the_address_of_an_event_s_page_says_that_no_event_is_open_and_not_that_there_is_no_such_page(
    folder: EventsFolder, path: str
) -> None:
    client = create_start_app(replace(OPEN, event=""), new_staff(), EventChoice(folder, lambda: AT, None, lambda: None)).test_client()
    for _ in ("everybody", "a director"):
        answer = client.get(path)
        assert (answer.status_code, "No event is open" in answer.text, "no such page" in answer.text) == (404, True, False)
        log_in(client)


def test_everybody_is_told_that_no_event_is_open_and_a_director_can_begin_one(folder: EventsFolder) -> None:
    restarts = threading.Semaphore(0)
    app = create_start_app(replace(OPEN, event=""), new_staff(), EventChoice(folder, lambda: AT, None, restarts.release))
    client = app.test_client()
    page = client.get("/").text
    assert "No event is open" in page
    assert "New event" not in page
    assert client.get("/hall-events").status_code == 302
    assert (client.get("/api/v1/event").status_code, client.get("/api/v1/event").mimetype) == (503, "application/problem+json")
    log_in(client)
    page = client.get("/").text
    assert page.count("New event") == 2
    refused = submit(client, "/hall-events", {"do": "new", "name": "x\x07"})
    assert refused.status_code == 409
    assert "cannot be the name" in refused.text
    assert not restarts.acquire(blocking=False)
    begun = submit(client, "/hall-events", {"do": "new", "name": "Club  evening"})
    begun.close()
    must_say(begun.text, "being opened", "/event/description")
    scripts = r'<script src="([^"]+)"'
    assert set(re.findall(scripts, begun.text)) <= set(re.findall(scripts, page)), "nobody answers for them now: the browser has them"
    assert restarts.acquire(blocking=False)
    assert present(folder.opened()).name == "Club evening"
    assert client.post("/api/v1/changes").mimetype == "application/problem+json", "a program is told so too"
    assert "being opened" in client.get("/standings").text, "until the process has begun again every page waits"


@pytest.fixture
def served(folder: EventsFolder, tmp_path: Path) -> Iterator[Served]:
    settings = replace(OPEN, event="", port=free_port(), staff=tmp_path / "staff.sqlite")
    new_staff(settings.staff).close()
    dashboard = Served(settings, folder)
    dashboard.start()
    yield dashboard
    if dashboard.process is not None:
        dashboard.stop()


def order(served: Served, do: str, name: str) -> tuple[int, str]:
    return served.ask("POST", "/hall-events", {"token": form_token(served.ask("GET", "/hall-events")[1]), "do": do, "name": name})


@pytest.mark.nightly
def test_the_served_dashboard_goes_over_to_the_event_that_is_begun_and_the_director_stays_logged_in(served: Served) -> None:
    served.log_in()
    assert order(served, "new", "Autumn")[0] == 200
    eventually(lambda: "Autumn" in served.page("/standings") and "being opened" not in served.page("/standings"), "the event is served")
    assert NAME in served.page("/"), "the session still holds"
    assert 'href="/hall-events"' in served.page("/event"), "the set-up leads to the other events of the hall"
    assert order(served, "new", "Winter")[0] == 200
    eventually(lambda: '<p class="where">Winter</p>' in served.page("/"), "the next event is served")
    assert order(served, "leave", "Winter")[0] == 200
    eventually(lambda: "Events of this hall" in served.page("/"), "no event is open")


RUNNING = DemoStanding(DemoState.RUNNING, "http://127.0.0.1:18080", "Director", "throw-away")


@pytest.fixture
def client(folder: EventsFolder) -> FlaskClient:
    choice = EventChoice(folder, lambda: AT, None, lambda: None, demo=DemoRequest(folder.path))
    return create_start_app(replace(OPEN, event=""), new_staff(), choice).test_client()


def test_statement_01_without_an_event_a_director_sees_a_button_for_one_and_one_for_the_demo(
    client: FlaskClient, folder: EventsFolder
) -> None:
    log_in(client)
    assert "demo-title" not in client.get("/").text
    DemoRequest(folder.path).write(DemoStanding(DemoState.OFFERED))
    page = client.get("/").text
    assert page.count('<button class="main">New event</button>') == 1
    assert page.count("Open the demo championship") == 1


def test_the_demo_is_asked_for_once_and_its_address_shown_when_it_runs(client: FlaskClient, folder: EventsFolder) -> None:
    log_in(client)
    request = DemoRequest(folder.path)
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


def test_nobody_but_a_director_sees_the_demo_or_asks_for_it_and_a_damaged_request_offers_nothing(
    client: FlaskClient, folder: EventsFolder
) -> None:
    DemoRequest(folder.path).write(RUNNING)
    assert RUNNING.password not in client.get("/").text
    assert client.get("/hall-events").headers["Location"].startswith("/login")
    assert client.post("/hall-events", data={"do": "demo"}).status_code == 401
    (folder.path / REQUEST).write_text("{")
    assert DemoRequest(folder.path).read() is None


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_demo_that_is_asked_for_runs_beside_the_hall_and_ends_with_it(folder: EventsFolder, tmp_path: Path) -> None:
    request = DemoRequest(folder.path)
    with DemoOnRequest(folder.path, tmp_path / "logs") as demo:
        demo.look()
        assert request.read() == DemoStanding(DemoState.OFFERED)
        request.ask()
        demo.look()
        assert len([int(each.popen.pid) for each in demo.supervisor.processes if each.popen is not None]) == 1

        def running() -> bool:
            demo.look()
            standing = request.read()
            return standing is not None and standing.state is DemoState.RUNNING

        eventually(running, "the demo says where it is")
    assert request.read() is None
    assert processes_with(str(tmp_path)) == []
