"""Files for Prometheus and Grafana (``config/monitoring``): they ask for metrics that there are, and each alert can be raised."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

import config
from centre.commands.progress import metrics
from dashboard.app import HallLinks, create_app
from tests.support.dashboard.example import closed_hand
from tests.support.dashboard.hall import OPEN, Hall

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
    hall.app = create_app(hall.settings, hall.store, hall.desk, hall.staff, HallLinks(store_file=store))
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
