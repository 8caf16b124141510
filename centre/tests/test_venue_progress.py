"""``twinwall centre progress``: what it says of each venue, and when a venue has caught up."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

import config
from centre.commands.progress import FRESH, caught_up, metrics, sentences
from centre.store.centre_rows import CentreRows
from centre.store.venue_contents import VenueBatch, VenueProgress
from cli import main
from config.centre import CentreMqtt, CentreSection, CentreSettings
from config.connections import DatabaseSection
from tests.support.wire.streams import START
from twinwall.event.store.databases.port import PostgresAddress

SAID = {
    "Kyoto": VenueProgress(10, 3120, {}, START),
    "Sendai": VenueProgress(8, 2950, {"10": 30, "9": 10}, START),
    "Haus 7": VenueProgress(2, 200, {}, START - timedelta(minutes=3)),
    "Nara": VenueProgress(1, 7, {}, None),
    "Osaka": None,
}


def test_a_venue_has_caught_up_by_a_fresh_heartbeat_alone() -> None:
    assert [caught_up(each, START + FRESH) for each in SAID.values()] == [True, False, False, False, False]
    assert not caught_up(SAID["Kyoto"], START + FRESH + timedelta(seconds=1))


def test_it_says_of_each_venue_how_far_it_is() -> None:
    at = f"{START:%H:%M:%S} UTC"
    assert list(sentences(SAID, START)) == [
        f"Kyoto: caught up; by its heartbeat of {at} 3120 lines of 10 tables are stored",
        f"Sendai: behind; by its heartbeat of {at} 2950 lines of 8 tables are stored, 40 are missing, of tables 9, 10",
        f"Haus 7: not heard lately; by its heartbeat of {START - timedelta(minutes=3):%H:%M:%S} UTC 200 lines of 2 tables are stored",
        "Nara: not heard lately; no heartbeat has come, 7 lines of 1 tables are stored",
        "Osaka: not heard yet",
    ]


def test_prometheus_reads_the_metrics_whatever_a_venue_is_called() -> None:
    name = 'Haus "7" \\ am See'
    text = "\n".join(metrics({name: SAID["Sendai"]})) + "\n"
    found = {sample.name: (sample.labels, sample.value) for family in text_string_to_metric_families(text) for sample in family.samples}
    assert found == {
        "twinwall_venue_lines": ({"venue": name}, 2900.0),
        "twinwall_venue_lines_missing": ({"venue": name}, 100.0),
        "twinwall_venue_heartbeat_timestamp_seconds": ({"venue": name}, START.timestamp()),
    }


def test_a_venue_that_was_never_heard_has_metrics_too() -> None:
    text = "\n".join(metrics({"Nara": SAID["Nara"], "Osaka": None, "Kyoto": VenueProgress(9, 450, {"1": 101}, None)})) + "\n"
    found = {(each.name, each.labels["venue"]): each.value for family in text_string_to_metric_families(text) for each in family.samples}
    of_each = {
        measured.removeprefix("twinwall_venue_"): [found[measured, venue] for venue in ("Nara", "Osaka", "Kyoto")]
        for measured in {name for name, _ in found}
    }
    assert of_each == {"lines": [0, 0, 400], "lines_missing": [0, 0, 200], "heartbeat_timestamp_seconds": [0, 0, 0]}


def test_the_command_reads_what_consumers_have_stored(
    postgres_store: PostgresAddress, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = CentreSettings(
        CentreSection("Autumn", ("west: Kyoto", "east: Sendai")),
        CentreMqtt("mqtt://127.0.0.1:1"),
        DatabaseSection(postgres_store.url, schema=postgres_store.schema),
    )
    config.write(tmp_path / "centre.toml", settings)
    command = ["centre", "progress", "--settings", str(tmp_path / "centre.toml")]
    assert main(command) == 1
    assert "there is no such store" in capsys.readouterr().err
    rows, now = CentreRows(postgres_store, "Autumn", ["Kyoto", "Sendai"]), datetime.now(UTC)
    for progress in (VenueProgress(1, 2, {"1": 3}, None), VenueProgress(1, 5, {}, now)):
        rows.store({"Kyoto": VenueBatch(progress=progress)}, now)
    assert main([*command, "--json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert (said["Kyoto"]["stored"], said["Kyoto"]["caught_up"], said["Sendai"]) == (5, True, None)
    rows.store({"Sendai": VenueBatch(progress=VenueProgress(1, 1, {}, now))}, now)
    rows.close()
    assert main(command) == 0
    assert capsys.readouterr().out.count("caught up") == 2
