"""The page table: every route × everybody who may ask, and a route that the table does not name."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from dashboard.access import login
from dashboard.access.page_table import NAVIGATION, PAGES, page_at
from dashboard.access.staff_schema import Role
from dashboard.api.api_routes import OPERATIONS
from dashboard.custody.key_slips import KeySlips
from dashboard.events_folder import EventsFolder
from dashboard.pages.events.event_choice import EventChoice
from tests.support.dashboard.api import Program
from tests.support.dashboard.hall import SETTINGS, Hall
from tests.support.dashboard.staff import enrol
from tests.support.wire.assignments import HALL_SERVER
from tests.support.wire.streams import START
from twinwall.event.field import EventField
from twinwall.event.results import EntrantKind
from twinwall.event.store.programme import Programme

ROLES: tuple[Role | None, ...] = (None, *Role)
"""None is somebody who has not logged in."""
FORGOTTEN = {"forgotten": "/forgotten", "api.forgotten": "/api/v1/forgotten"}
DIRECTORS_ALONE = {"event", "hall-events", "ready", "phones", "staff"}
"""First parts of addresses."""
FOR_SOME = {
    **dict.fromkeys(("logout", "calls", "take_call", "machines", "table_history", "player_history", "ruling_texts"), frozenset(Role)),
    **dict.fromkeys(("event_prints", "print_seating", "print_tables", "print_scores"), frozenset(Role)),
    **dict.fromkeys(("question", "answer_question", "record_question", "answer_record"), frozenset({Role.REFEREE})),
    **dict.fromkeys(("earlier_hand", "rule", "violations"), frozenset({Role.REFEREE})),
    **dict.fromkeys(("key_slip_form", "read_key_request", "key_slip"), frozenset({Role.DIRECTOR, Role.REFEREE})),
    **dict.fromkeys(("withdrawal", "withdraw", "withdrawal_order"), frozenset({Role.DIRECTOR, Role.REFEREE})),
    **dict.fromkeys(("replacement", "replace", "replacement_order"), frozenset({Role.DIRECTOR, Role.REFEREE})),
}
"""By its endpoint for whom a page is that is neither for everybody nor for directors alone."""
NOWHERE = "127.0.0.1:1"
"""The address of servers that nobody asks."""
FORM = {"token": "of this session"}


def hall_with(role: Role | None, *, spectators: bool = True) -> tuple[Hall, list[str]]:
    """A hall in which this role has logged in; its views, two of them not in the table, only note that they were reached."""
    folder = EventsFolder(Path("events"), (), lambda name: Programme(name, EventField(EntrantKind.INDIVIDUAL, ())))
    choice = EventChoice(folder, lambda: START, None, lambda: None)
    settings = replace(SETTINGS, spectators=spectators, signer=HALL_SERVER, phones=NOWHERE, readiness=NOWHERE)
    hall = Hall(settings=settings, event_choice=choice, key_slips=KeySlips(settings.event))
    reached = list[str]()
    for endpoint, path in FORGOTTEN.items():
        hall.app.add_url_rule(path, endpoint, lambda: "", methods=["GET", "POST"])
    if role is not None:
        enrol(hall.staff, "Abe", roles={role})
        hall.log_in("Abe")

    def note(endpoint: str) -> str:
        reached.append(endpoint)
        return ""

    for each in hall.app.view_functions:
        hall.app.view_functions[each] = lambda endpoint=each, **_parts: note(endpoint)
    with hall.client.session_transaction() as kept:
        kept["token"] = FORM["token"]
    return hall, reached


def routes(hall: Hall) -> Iterator[tuple[str, str, str]]:
    adapter = hall.app.url_map.bind("localhost")
    for rule in hall.app.url_map.iter_rules():
        parts = dict.fromkeys(rule.arguments, "1") | ({"kind": "record"} if "kind" in rule.arguments else {})
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}:
            yield rule.endpoint, adapter.build(rule.endpoint, parts, method), method


@pytest.mark.parametrize("role", ROLES, ids=str)
def test_every_route_is_for_whom_the_table_says_and_what_it_does_not_name_is_for_nobody(role: Role | None) -> None:
    hall, reached = hall_with(role)
    named = 0
    for endpoint, path, method in routes(hall):
        reached.clear()
        status = hall.client.open(path, method=method, data=FORM).status_code
        if endpoint in PAGES:
            named += 1
            roles = FOR_SOME.get(endpoint, frozenset({Role.DIRECTOR}) if path.split("/")[1] in DIRECTORS_ALONE else None)
            assert PAGES[endpoint].audience.roles == roles, endpoint
            assert bool(reached) is (roles is None or role in roles), (endpoint, method)
            assert status == (200 if reached else 404 if role else 302 if method == "GET" else 401), (endpoint, method)
        else:
            assert (reached, status) == ([], 401 if endpoint.startswith("api.") else 404), (endpoint, method)
    assert named > 100
    operations = {"api.nothing", *(f"api.{each.name}" for each in OPERATIONS)}
    assert {endpoint for endpoint, _path, _method in routes(hall)} == FORGOTTEN.keys() | operations | PAGES.keys()


@pytest.mark.parametrize("role", ROLES, ids=str)
@pytest.mark.parametrize("form", [{}, {"token": ""}, {"token": "of another session"}], ids=str)
def test_no_form_without_its_sessions_token_reaches_a_page_that_does_not_say_so_itself(role: Role | None, form: dict[str, str]) -> None:
    hall, reached = hall_with(role)
    for _endpoint, path, method in routes(hall):
        if method != "GET":
            hall.client.open(path, method=method, data=form)
    assert set(reached) == {"login", "invitation"}


def test_control_where_a_route_without_a_row_counts_as_a_page_of_the_hall_everybody_is_shown_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(login, "PAGES", {**PAGES, **dict.fromkeys(FORGOTTEN, PAGES["hall"])})
    hall, reached = hall_with(None)
    assert hall.client.get("/forgotten").status_code == 200
    assert reached == ["forgotten"]


def test_a_token_does_not_open_an_operation_that_no_table_names() -> None:
    hall, reached = hall_with(None)
    assert Program(hall).ask("GET", "/forgotten").status_code == 404
    assert not reached


def test_where_spectators_are_not_admitted_the_table_names_what_is_open_all_the_same() -> None:
    hall, reached = hall_with(None, spectators=False)
    for _endpoint, path, method in routes(hall):
        hall.client.open(path, method=method, data=FORM)
    assert set(reached) == {
        *("static", "tiles", "alive", "metrics", "api.openapi", "login", "invitation", "seat", "answer_seat", "seat_events")
    }


def test_a_page_that_is_kept_up_to_date_has_a_template_with_its_stream() -> None:
    templates = Path(login.__file__).parents[1] / "templates"
    for template in filter(None, (row.template for row in PAGES.values())):
        text = (templates / template).read_text(encoding="utf-8")
        assert '{% extends "live.html" %}' in text or "{{ stream }}" in text, template
    assert {row[0] for row in NAVIGATION} <= PAGES.keys()


def test_what_streams_is_found_by_its_path() -> None:
    hall = Hall()
    live = {path for _, path, _ in routes(hall) if (found := page_at(hall.app.url_map, path)) is not None and found[0].live}
    assert live == {"/events", "/seat/1/1/events"}
    assert page_at(hall.app.url_map, "/seat/Nord 1/0/events") == (PAGES["seat_events"], "/seat/Nord%201/0/events")
    assert page_at(hall.app.url_map, "/nothing") is None
