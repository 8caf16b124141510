"""Metrics of the dashboard in the text format of Prometheus, for operators of the server. Only this machine and tokens of the staff get
them. They reveal nothing of play: a table's age counts heartbeats too, and the number of lines is rounded down, so that it does not reveal
a discard."""

from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from urllib.parse import urlsplit

from flask import Flask, Response, g, request
from prometheus_client import CollectorRegistry, Gauge, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.registry import Collector

from config.connections import is_loopback
from dashboard.access.access_policy import Viewer
from dashboard.access.api_tokens import ApiToken
from dashboard.access.page_table import PAGES
from dashboard.access.staff_schema import Role
from dashboard.api.operations import ApiHall
from dashboard.projections.open_view import OpenStage
from dashboard.web_app import LOOPBACK_NAMES

LINES_ROUNDED_TO = 100
BUCKETS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
_STAFF = Viewer(frozenset({Role.SCORER}))


class HallCollector(Collector):
    """Measures the hall on request; ``store_file`` is its store's file, None if it is in a database server."""

    def __init__(self, hall: ApiHall, now: Callable[[], datetime], store_file: Path | None) -> None:
        self._hall, self._now, self._store_file = hall, now, store_file

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield every metric of the hall."""
        yield _one("twinwall_info", "The program that serves.", 1, version=version("twinwall"))
        yield from self._tables()
        yield self._calls()
        lines = self._hall.desk.hall.lines // LINES_ROUNDED_TO * LINES_ROUNDED_TO
        yield _one("twinwall_lines", f"Lines of tables' ledgers, rounded down to {LINES_ROUNDED_TO}.", lines)
        waiting = self._hall.webhooks.waiting()
        yield _one("twinwall_webhook_deliveries_waiting", "Deliveries to webhooks that are still tried.", waiting)
        if self._store_file is not None:
            files = self._store_file.parent.glob(f"{self._store_file.name}*")
            yield _one("twinwall_store_bytes", "Size of the store's files.", sum(each.stat().st_size for each in files if each.is_file()))

    def _tables(self) -> Iterator[GaugeMetricFamily]:
        scope, now = self._hall.policy.scope(_STAFF), self._now()
        tables = scope.tables()
        yield _one("twinwall_broker_connected", "Whether the broker is connected.", int(scope.connected))
        stages = GaugeMetricFamily("twinwall_tables", "Tables by what they do.", labels=["stage"])
        counted = Counter(table.view.stage for table in tables)
        for stage in OpenStage:
            stages.add_metric([stage.value], counted[stage])
        yield stages
        yield _one("twinwall_tables_silent", "Tables that have not been heard for too long.", sum(t.silent for t in tables))
        ages = GaugeMetricFamily("twinwall_table_heard_age_seconds", "Time since a table's last line or heartbeat.", labels=["table"])
        for table in tables:
            if table.heard is not None:
                ages.add_metric([table.name], max(0.0, (now - table.heard).total_seconds()))
        yield ages
        versions = GaugeMetricFamily("twinwall_table_info", "The program of a table that has joined the hall.", labels=["table", "version"])
        for joined in self._hall.joined():
            versions.add_metric([joined.name, joined.heartbeat.version], 1)
        yield versions

    def _calls(self) -> GaugeMetricFamily:
        family = GaugeMetricFamily("twinwall_calls_open", "Open calls by what they ask for.", labels=["kind", "taken"])
        calls = self._hall.policy.scope(_STAFF).calls()
        for (kind, taken), count in Counter((call.kind.value, call.acknowledged is not None) for call in calls).items():
            family.add_metric([kind, "yes" if taken else "no"], count)
        return family


def _one(name: str, documentation: str, value: float, **labels: str) -> GaugeMetricFamily:
    family = GaugeMetricFamily(name, documentation, labels=list(labels))
    family.add_metric(list(labels.values()), value)
    return family


def add_metrics(app: Flask, collector: HallCollector, token: Callable[[], ApiToken | None], monotonic_s: Callable[[], float]) -> None:
    """Measure every request from now on, and add ``/metrics``; ``token`` returns the request's token."""
    registry = CollectorRegistry()
    registry.register(collector)
    streams = Gauge("twinwall_streams_open", "Open live streams of pages.", registry=registry)
    durations = Histogram(
        "twinwall_request_seconds", "Time until an answer was ready.", ["endpoint", "status"], buckets=BUCKETS_S, registry=registry
    )

    @app.before_request
    def begin() -> None:
        g.began_s = monotonic_s()

    @app.after_request
    def measure(response: Response) -> Response:
        page = PAGES.get(request.endpoint or "")
        if page is not None and page.live and response.status_code == 200:  # a stream has no duration
            streams.inc()
            response.call_on_close(streams.dec)
        elif "began_s" in g:
            took_s = max(0.0, monotonic_s() - g.began_s)
            durations.labels(request.endpoint or "none", f"{response.status_code // 100}xx").observe(took_s)
        return response

    @app.get("/metrics")
    def metrics() -> Response:
        if not _from_this_machine() and ((sent := token()) is None or not sent.viewer.staff):
            problem = "Metrics are given to this machine, and with Authorization: Bearer and a token of the staff.\n"
            return Response(problem, 401, {"WWW-Authenticate": 'Bearer realm="twinwall"'}, mimetype="text/plain")
        return Response(generate_latest(registry), content_type=CONTENT_TYPE_PLAIN_0_0_4)


def _from_this_machine() -> bool:
    """Whether the request comes from this machine and names it: a proxy here passes on the requested name."""
    return is_loopback(request.remote_addr or "") and urlsplit(f"//{request.host}").hostname in LOOPBACK_NAMES
