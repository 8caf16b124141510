"""``/metrics``: in the form that Prometheus reads, for this machine and the staff's tokens, and telling nothing of play."""

from dataclasses import replace
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families
from werkzeug.test import TestResponse

from dashboard.access.api_tokens import TokenScope
from dashboard.access.seat_codes import seat_code
from dashboard.app import HallLinks, create_app
from dashboard.metrics import LINES_ROUNDED_TO
from tests.support.dashboard.api import Program, api_token
from tests.support.dashboard.example import closed_hand
from tests.support.dashboard.hall import OPEN, Hall

Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def ask(hall: Hall, address: str = "127.0.0.1", token: str = "", host: str = "localhost:8080") -> TestResponse:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return hall.new_client().get("/metrics", headers=headers, environ_base={"REMOTE_ADDR": address}, base_url=f"http://{host}")


def samples(hall: Hall) -> Samples:
    answer = ask(hall)
    assert answer.content_type.startswith("text/plain; version=0.0.4")
    found = (sample for family in text_string_to_metric_families(answer.text) for sample in family.samples)
    return {(sample.name, tuple(sorted(sample.labels.items()))): sample.value for sample in found}


@pytest.fixture
def hall() -> Hall:
    hall = Hall(settings=OPEN)
    hall.feed([*closed_hand("1"), ("referee-called", {"seat": "S"})])
    hall.heartbeat()
    return hall


def test_tables_calls_and_lines_are_measured(hall: Hall) -> None:
    hall.seconds = 4
    found = samples(hall)
    assert found["twinwall_tables", (("stage", "finished"),)] == 1
    assert found["twinwall_tables", (("stage", "playing"),)] == 0
    assert found["twinwall_table_heard_age_seconds", (("table", "1"),)] == 4
    assert found["twinwall_calls_open", (("kind", "referee"), ("taken", "no"))] == 1
    assert found["twinwall_broker_connected", ()] == 1
    assert found["twinwall_webhook_deliveries_waiting", ()] == 0
    assert any(name == "twinwall_info" for name, _labels in found)
    lines = hall.desk.hall.lines
    assert lines % LINES_ROUNDED_TO
    assert found["twinwall_lines", ()] == lines - lines % LINES_ROUNDED_TO


def test_requests_are_timed_by_what_answers_them_and_streams_are_counted_while_they_are_open(hall: Hall) -> None:
    hall.client.get("/")
    hall.client.get("/nothing")
    Program(hall, TokenScope.VIEWER).read("/event")
    hall.turns_left = 2
    stream = hall.client.get("/events")
    code = seat_code(OPEN.secret, OPEN.event, "1", 0)
    phone = hall.client.get(f"/seat/1/0?code={code}") and hall.client.get("/seat/1/0/events")
    found = samples(hall)
    assert found["twinwall_request_seconds_count", (("endpoint", "hall"), ("status", "2xx"))] == 1
    assert found["twinwall_request_seconds_count", (("endpoint", "none"), ("status", "4xx"))] == 1
    assert found["twinwall_request_seconds_count", (("endpoint", "api.readEvent"), ("status", "2xx"))] == 1
    assert found["twinwall_streams_open", ()] == 2
    phone.close()
    stream.close()
    assert samples(hall)["twinwall_streams_open", ()] == 0


def test_the_store_s_size_is_that_of_its_files(hall: Hall, tmp_path: Path) -> None:
    store = tmp_path / "event.sqlite"
    store.write_bytes(b"x" * 100)
    (tmp_path / "event.sqlite-wal").write_bytes(b"x" * 20)
    assert ("twinwall_store_bytes", ()) not in samples(hall)
    hall.app = create_app(replace(OPEN), hall.store, hall.desk, hall.staff, HallLinks(store_file=store))
    assert samples(hall)["twinwall_store_bytes", ()] == 120


@pytest.mark.parametrize(
    ("address", "host", "scope", "status"),
    [
        ("127.0.0.1", "localhost:8080", None, 200),
        ("::1", "[::1]:8080", None, 200),
        ("127.0.0.1", "hall.example", None, 401),
        ("192.168.1.9", "localhost:8080", None, 401),
        ("192.168.1.9", "hall.example", TokenScope.VIEWER, 401),
        ("192.168.1.9", "hall.example", TokenScope.SCORER, 200),
    ],
)
def test_metrics_are_for_this_machine_and_the_staff(hall: Hall, address: str, host: str, scope: TokenScope | None, status: int) -> None:
    hall.app = create_app(replace(OPEN, address="http://hall.example", host="0.0.0.0"), hall.store, hall.desk, hall.staff)
    assert ask(hall, address, "" if scope is None else api_token(hall, scope), host).status_code == status
