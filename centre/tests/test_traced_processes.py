"""One discard and one result through all processes at once: table, dashboard, gateway, consumer and publisher send the same traces."""

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest

import config
from centre.deploy.venue_account import VenueAccount
from centre.store.centre_reading import CentreReader
from centre.store.venue_contents import STATEMENT
from centre.tests.support.field_processes import ClearCentre
from centre.tests.support.playing_venue import EVENT
from centre.tests.support.traced_table import SCRIPT, TABLE, TILE
from config import DashboardSettings, MqttSettings
from config.centre import CentreMqtt, CentreSection, CentreSettings
from config.connections import DatabaseSection
from config.services import DashboardSection, EventSection
from tests.support.dashboard.staff import new_staff
from tests.support.patience import PATIENCE_S
from tests.support.wire.brokers import MOSQUITTO, eventually
from tests.support.wire.collector import Collector, collecting
from tools.rehearsal.programs import LOOPBACK, ExternalProgram, listens
from tools.rehearsal.rehearsal import CONNECTED
from tools.rehearsal.venue_brokers import VenueBrokers
from twinwall.event.store.databases.port import PostgresAddress
from twinwall.free_ports import free_ports
from twinwall.wire.line_traces import COLLECTOR, TraceStep
from twinwall.wire.mqtt.access import SERVER_USER

pytestmark = [
    pytest.mark.slow,
    pytest.mark.nightly,
    pytest.mark.skipif(not MOSQUITTO.exists(), reason=f"{MOSQUITTO} is not installed (apt-get install mosquitto)"),
]
TOP = Path(__file__).parents[2]
VENUE = "Kyoto"
DISCARD_STEPS = {
    "twinwall-table": {TraceStep.TABLE, TraceStep.LEDGER, TraceStep.PUBLISH},
    "twinwall-dashboard": {TraceStep.HALL_RECEIVE, TraceStep.HALL_STORE, TraceStep.HALL_SHOW},
    "twinwall-consumer": {TraceStep.CENTRE_RECEIVE, TraceStep.CENTRE_STORE},
}
RESULT_STEPS = {**DISCARD_STEPS, "twinwall-publisher": {TraceStep.CENTRE_RANKING, TraceStep.CENTRE_PAGE}}


class TracedProcesses:
    """The processes of a venue and of a centre, all of which know the collector."""

    def __init__(self, folder: Path, store: PostgresAddress, collector: Collector, running: ExitStack) -> None:
        self._folder, self._running = folder, running
        self._environment = {COLLECTOR[0]: collector.address, "OTEL_BSP_SCHEDULE_DELAY": "100", "PYTHONPATH": str(TOP)}
        self._store = store
        centre = ClearCentre(folder / "centre")
        running.callback(centre.close)
        (port,) = free_ports(1)
        account = VenueAccount(VENUE)
        self.brokers = VenueBrokers(account, folder / "venue", port, [TABLE])
        gateway = self.brokers.add_gateway(centre.gateway_end(account, centre.port))
        self._settings = self._write_centre(centre.port)
        log = folder / "consumer.log"
        self._begin("consumer", lambda: CONNECTED in log.read_text(), "centre", "consume", "--settings", self._settings)
        for each in (self.brokers.hall, gateway):
            self._start(each)

    def start_centre_pages(self) -> None:
        pages = self._folder / "pages"
        words = ("--settings", self._settings, "--out", str(pages), "--nginx", str(pages / "no.sock"))
        self._begin("publisher", (pages / "world.en.html").exists, "centre", "publish", *words)

    def start_dashboard(self) -> None:
        """The dashboard; what it says of the venue comes to the centre's store, so the way from the hall to the centre stands."""
        folder, (port,) = self._folder / "dashboard", free_ports(1)
        folder.mkdir()
        (folder / "password").write_text(self.brokers.password)
        new_staff(folder / "staff.sqlite").close()
        settings = DashboardSettings(
            DashboardSection(folder / "staff.sqlite", folder / "secret", port=port, venue=VENUE),
            MqttSettings(f"mqtt://{LOOPBACK}:{self.brokers.port}", SERVER_USER, folder / "password"),
            EventSection(EVENT, (TABLE,), folder / "event.sqlite"),
        )
        config.write(folder / "dashboard.toml", settings)
        self._begin("dashboard", lambda: listens(port), "hall", "dashboard", "--settings", str(folder / "dashboard.toml"))
        reader = CentreReader(self._store, EVENT)
        eventually(lambda: VENUE in reader.documents(STATEMENT), "the centre has the venue's statement")
        reader.close()

    def start_table(self) -> None:
        folder = self._folder / "table"
        folder.mkdir()
        words = ("-m", "centre.tests.support.traced_table", str(self.brokers.port), self.brokers.password, str(folder))
        self._start(ExternalProgram("table", (sys.executable, *words), folder, lambda: True, self._environment))

    def _write_centre(self, port: int) -> str:
        settings = CentreSettings(
            CentreSection(EVENT, (f"west: {VENUE}",)),
            CentreMqtt(f"mqtt://{LOOPBACK}:{port}", "consumer"),
            DatabaseSection(self._store.url, schema=self._store.schema),
        )
        file = self._folder / "centre.toml"
        config.write(file, settings)
        return str(file)

    def _begin(self, name: str, ready: Callable[[], bool], *words: str) -> None:
        command = (sys.executable, "-P", "-m", "cli", *words)
        self._start(ExternalProgram(name, command, self._folder, ready, self._environment))

    def _start(self, program: ExternalProgram) -> None:
        self._running.callback(program.stop)
        program.start()
        program.wait(PATIENCE_S)


@pytest.fixture
def collector() -> Iterator[Collector]:
    pytest.importorskip("opentelemetry.sdk")
    with collecting() as running:
        yield running


def steps_by_process(collector: Collector, numbered: str) -> Mapping[str, set[str]]:
    """The spans' names of the discards (``line``) or of the results (``deal``), by the process that sent them."""
    found: dict[str, set[str]] = {}
    for resource in collector.resources:
        service = next(each.value.string_value for each in resource.resource.attributes if each.key == "service.name")
        for span in (span for scope in resource.scope_spans for span in scope.spans):
            if f"twinwall.{numbered}" in {attribute.key for attribute in span.attributes}:
                found.setdefault(service, set()).add(span.name)
    return found


def test_a_discard_and_a_result_are_one_trace_each_over_all_processes_and_tell_no_tile(
    postgres_store: PostgresAddress, tmp_path: Path, collector: Collector
) -> None:
    with ExitStack() as running:
        processes = TracedProcesses(tmp_path, postgres_store, collector, running)
        processes.start_centre_pages()
        processes.start_dashboard()
        processes.start_table()
        eventually(lambda: steps_by_process(collector, "line") == DISCARD_STEPS, "each process has sent its spans of the discard")
        eventually(lambda: steps_by_process(collector, "deal") == RESULT_STEPS, "each process has sent its spans of the result")
    spans = [span for resource in collector.resources for scope in resource.scope_spans for span in scope.spans]
    discard = 1 + [event_type for event_type, _ in SCRIPT].index("tile-discarded")
    named = [{each.key: each.value.string_value or each.value.int_value for each in span.attributes} for span in spans]
    told = {"twinwall.event": EVENT, "twinwall.table": TABLE, "twinwall.journal": "j"}
    numbers = ({"twinwall.line": discard}, {"twinwall.deal": 1})
    assert all(each in [told | venue | number for venue in ({}, {"twinwall.venue": VENUE}) for number in numbers] for each in named)
    for number in ("twinwall.line", "twinwall.deal"):
        of_one = [span for span, names in zip(spans, named, strict=True) if number in names]
        (first,) = {span.span_id for span in of_one if span.name == TraceStep.TABLE}
        assert len({span.trace_id for span in of_one}) == 1
        assert {span.parent_span_id for span in of_one if span.name != TraceStep.TABLE} == {first}
    assert not [span for span in spans if span.events or span.links or TILE in str(span.attributes)]
