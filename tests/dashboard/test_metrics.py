"""Monitoring: ``/metrics``, the files of ``config/monitoring`` that ask for them, and spans of a discard; nothing tells of play."""

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families
from werkzeug.test import TestResponse

import config
from centre.commands.progress import metrics
from dashboard.access.api_tokens import TokenScope
from dashboard.access.seat_codes import seat_code
from dashboard.app import HallLinks, create_app
from dashboard.hall_intake import HallIntake, ListenerClock
from dashboard.metrics import LINES_ROUNDED_TO
from dashboard.projections.hall_views import HallViews
from tests.support.dashboard.api import Program, api_token
from tests.support.dashboard.example import building, closed_hand
from tests.support.dashboard.hall import OPEN, Hall
from tests.support.event.databases import make_read_only
from tests.support.wire.streams import START, ledger_lines
from twinwall.event.field import field_of
from twinwall.event.results import EntrantKind
from twinwall.event.store.databases.port import StoreAddress
from twinwall.event.store.programme import Programme
from twinwall.event.store.store_rows import read_store
from twinwall.event.store.store_writer import StoreWriter
from twinwall.wire.line_traces import LineSpan, LineTraces, TraceStep
from twinwall.wire.mqtt.topics import Channel, Topic

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
    hall.app = create_app(replace(OPEN), hall.views, hall.desk, hall.staff, HallLinks(store_file=store))
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
    hall.app = create_app(replace(OPEN, address="http://hall.example", host="0.0.0.0"), hall.views, hall.desk, hall.staff)
    assert ask(hall, address, "" if scope is None else api_token(hall, scope), host).status_code == status


FILES = Path(config.__path__[0]) / "monitoring"
_METRIC = re.compile(r"\btwinwall_[a-z_]+")
_MATCHED, _SHOWN = re.compile(r"(\w+)\s*(?:=|!=|=~|!~)\s*\""), re.compile(r"\{\{(\w+)\}\}")
_GROUPED = re.compile(r"\b(?:by|without)\s*\(([^)]*)\)")
OF_PROMETHEUS = {"up": {"job", "instance"}}
"""What Prometheus itself measures of a program that it asks."""


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """The names of the metrics that a dashboard gives, and ``twinwall centre progress``, each with the labels of its samples."""
    hall = Hall(settings=OPEN)
    hall.feed([*closed_hand("1"), ("referee-called", {"seat": "S"})])
    hall.client.get("/")
    store = tmp_path_factory.mktemp("store") / "event.sqlite"
    store.touch()
    hall.app = create_app(hall.settings, hall.views, hall.desk, hall.staff, HallLinks(store_file=store))
    client = hall.new_client()
    client.get("/")
    text = client.get("/metrics", environ_base={"REMOTE_ADDR": "127.0.0.1"}, base_url="http://localhost").text
    text += "\n".join(metrics({"Kyoto": None})) + "\n"
    labels: dict[str, set[str]] = {}
    for family in text_string_to_metric_families(text):
        labels |= {name: set() for name in _names(family.name, family.type)}
        for sample in family.samples:
            labels.setdefault(sample.name, set()).update(sample.labels)
    return labels


def _names(family: str, kind: str) -> tuple[str, ...]:
    return (f"{family}_bucket", f"{family}_count", f"{family}_sum") if kind == "histogram" else (family,)


@pytest.mark.parametrize("file", ["twinwall.rules.yml", "twinwall.rules.test.yml", "grafana-hall.json", "grafana-centre.json"])
def test_only_metrics_that_there_are_are_asked_for(file: str, given: dict[str, set[str]]) -> None:
    asked = set(_METRIC.findall((FILES / file).read_text()))
    assert asked
    assert asked <= given.keys()


@pytest.mark.parametrize("file", ["grafana-hall.json", "grafana-centre.json"])
def test_each_expression_of_a_dashboard_asks_for_a_metric_by_labels_that_its_samples_have(file: str, given: dict[str, set[str]]) -> None:
    known = given | OF_PROMETHEUS
    for panel in json.loads((FILES / file).read_text())["panels"]:
        for target in panel["targets"]:
            expression = target["expr"]
            names = [name for name in known if re.search(rf"\b{name}\b", expression)]
            assert names, expression
            grouped = {label.strip() for found in _GROUPED.findall(expression) for label in found.split(",")}
            asked = {*_MATCHED.findall(expression), *grouped, *_SHOWN.findall(target.get("legendFormat", ""))}
            assert asked <= set[str]().union(*(known[name] for name in names)), expression


def test_every_expression_of_a_dashboard_can_be_asked(tmp_path: Path) -> None:
    if shutil.which("promtool") is None:
        pytest.skip("promtool is not there: it comes with the package prometheus")
    asked = [
        target["expr"]
        for file in FILES.glob("grafana-*.json")
        for panel in json.loads(file.read_text())["panels"]
        for target in panel["targets"]
    ]
    rules = [{"record": f"panel:{number}", "expr": expression} for number, expression in enumerate(asked)]
    (tmp_path / "rules.yml").write_text(json.dumps({"groups": [{"name": "panels", "rules": rules}]}))
    done = subprocess.run(["promtool", "check", "rules", "rules.yml"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_alert_is_raised_by_what_it_is_for() -> None:
    if shutil.which("promtool") is None:
        pytest.skip("promtool is not there: it comes with the package prometheus")
    for words in (("check", "config", "prometheus.yml"), ("test", "rules", "twinwall.rules.test.yml")):
        done = subprocess.run(["promtool", *words], cwd=FILES, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


LINES = ledger_lines([*building(), ("tile-discarded", {"seat": "E", "tile": "1m"})])


def stored_hall(address: StoreAddress, send: Callable[[LineSpan], object], *, refuses: bool = False) -> int:
    """What a hall sends that stores these lines, or whose store ``refuses`` them; how many lines are stored at last."""
    desk = StoreWriter(address, Programme("e", field_of(EntrantKind.INDIVIDUAL, ["1"])), START)
    clock = ListenerClock(lambda: START, lambda: 0.0)
    intake = HallIntake(HallViews("boot"), desk, clock, lambda _table, _command: True, traces=LineTraces("e", send))
    make_read_only(desk, on=refuses)
    for line in LINES:
        intake.take(str(Topic("e", "1", Channel.EVENTS)), line)
    intake.keep_accepted()
    make_read_only(desk, on=False)
    intake.tick()
    desk.close()
    return len(read_store(address).journals[0].lines)


def test_a_discard_has_a_span_for_each_step_in_the_hall_and_no_other_line_has_one(store_address: StoreAddress) -> None:
    spans: list[LineSpan] = []
    stored_hall(store_address, spans.append)
    assert [span.name for span in spans] == [TraceStep.HALL_RECEIVE, TraceStep.HALL_STORE, TraceStep.HALL_SHOW]
    assert len({span.trace for span in spans}) == 1
    assert spans[0].end_ns == spans[1].start_ns <= spans[1].end_ns == spans[2].start_ns <= spans[2].end_ns
    assert spans[0].named["twinwall.line"] == len(LINES)


def test_lines_that_the_store_refused_have_no_span_of_their_storing(store_address: StoreAddress) -> None:
    spans: list[LineSpan] = []
    assert stored_hall(store_address, spans.append, refuses=True) == len(LINES)
    assert spans == []


def test_a_library_that_fails_at_a_span_ends_nothing(store_address: StoreAddress) -> None:
    def fail(span: LineSpan) -> None:
        raise ValueError(span.name)

    assert stored_hall(store_address, fail) == len(LINES)
