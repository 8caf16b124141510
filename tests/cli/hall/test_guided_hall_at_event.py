"""The processes of a hall: a guided one at an event simulates nothing, and in a rehearsal tables are simulated beside real ones."""

import os
import re
import socket
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

import config
from cli.hall.guided_tables import GuidedTables, Rehearsal, paper_process, without_machine
from cli.hall.hall_folder import HallFolder
from cli.hall.held_ports import held_ports
from cli.run_settings import load_to_run
from config import SettingsError, load, write
from controller.device_settings import CameraSection
from controller.settings import TableSettings
from dashboard.hall_requests import RehearsalFile, RehearsedTables
from tableside.station.settings import StationSettings
from tests.support.wire.brokers import eventually, free_port
from twinwall.wire.messages.assignment import TableKind

NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
PHONES = "http://127.0.0.1:8120"
SIMULATOR = "http://127.0.0.1:8102"
FORMS = {
    "broker": config.BrokerSettings,
    "vault": config.VaultSettings,
    "dashboard": config.DashboardSettings,
    "phones": config.PhonesSettings,
    "table-1-station": StationSettings,
    "table-1": TableSettings,
    "paper-table-3": TableSettings,
}


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> HallFolder:
    """A hall of three tables, whose first is guided and whose last is on paper; all its settings are written."""
    folder, readiness, tables = tmp_path_factory.mktemp("hall"), "http://127.0.0.1:8121", ("1", "2", "3")
    written = HallFolder(folder, folder / "memory", tables, 1883, 8080, trusting=True, phones=PHONES, readiness=readiness, mode="event")
    written.invite_first_director()
    for process in (written.broker, written.vault, written.dashboard):
        process()
    list(GuidedTables(written, ("1",), 8443, (8105,)).processes(NOW))
    paper_process(written, ("3",), NOW)
    return written


@pytest.mark.parametrize("name", FORMS)
def test_each_process_takes_what_the_hall_wrote_for_an_event(name: str, hall: HallFolder, caplog: pytest.LogCaptureFixture) -> None:
    assert load_to_run(hall.folder / f"{name}.toml", FORMS[name]) is not None
    assert "rehearsal" not in caplog.text


def test_the_vault_of_an_event_asks_a_person_about_new_keys(hall: HallFolder) -> None:
    assert load_to_run(hall.folder / "vault.toml", config.VaultSettings).vault.new_keys == "ask"


@pytest.mark.parametrize(
    ("camera", "source"),
    [
        ("gate", f"{SIMULATOR}/1/gate.jpg"),
        ("gate", "files:tiles"),
        ("gate", f"{PHONES}/2/gate.jpg"),
        ("gate", f"{PHONES}/1/../../gate.jpg/"),
        ("gate", "http://localhost:8120/1/gate.jpg"),
        ("table", f"{SIMULATOR}/1/table.jpg"),
        ("table", f"{PHONES}/table.jpg"),
        ("table", f"{PHONES}/1/table.jpg?simulated"),
        ("table", f"{PHONES}0/1/table.jpg"),
        ("table", "http://127.0.0.1:8106/gate.jpg"),
    ],
)
def test_a_camera_that_is_not_below_the_phones_server_is_refused_by_name(
    camera: str, source: str, hall: HallFolder, tmp_path: Path
) -> None:
    file, settings = tmp_path / "changed.toml", load_to_run(hall.folder / "table-1.toml", TableSettings)
    section = replace(getattr(settings.camera, camera), source=source)
    write(file, replace(settings, camera=replace(settings.camera, **{camera: section})))
    with pytest.raises(SettingsError, match=rf"camera\.{camera}\.source is {re.escape(source)}, .*below \[panel\] phones"):
        load_to_run(file, TableSettings)


@pytest.mark.parametrize(
    ("camera", "source"), [("camera", f"{SIMULATOR}/1/gate.jpg"), ("walls", f"{SIMULATOR}/1/table.jpg"), ("walls", "files:walls")]
)
def test_a_station_takes_no_simulated_camera_either(camera: str, source: str, hall: HallFolder, tmp_path: Path) -> None:
    file, settings = tmp_path / "changed.toml", load_to_run(hall.folder / "table-1-station.toml", StationSettings)
    write(file, replace(settings, **{camera: replace(getattr(settings, camera), source=source)}))
    with pytest.raises(SettingsError, match=rf"\b{camera}\.source is {re.escape(source)}, .*below \[station\] phones"):
        load_to_run(file, StationSettings)


def test_without_the_server_named_no_phone_is_a_camera(hall: HallFolder, tmp_path: Path) -> None:
    at_station = load_to_run(hall.folder / "table-1-station.toml", StationSettings)
    at_table = load_to_run(hall.folder / "table-1.toml", TableSettings)
    station, table = tmp_path / "station.toml", tmp_path / "table.toml"
    write(station, replace(at_station, station=replace(at_station.station, phones=None)))
    write(table, replace(at_table, panel=replace(at_table.panel, phones=None)))
    with pytest.raises(SettingsError, match=r"camera\.source is "):
        load_to_run(station, StationSettings)
    with pytest.raises(SettingsError, match=r"camera\.table\.source is "):
        load_to_run(table, TableSettings)


def test_a_phone_is_also_the_camera_of_a_table_with_a_feeder(hall: HallFolder, tmp_path: Path) -> None:
    file, settings = tmp_path / "changed.toml", load_to_run(hall.folder / "table-1.toml", TableSettings)
    cameras = CameraSection(
        replace(settings.camera.gate, source=f"{PHONES}/1/gate.jpg"), settings.camera.table, other_gates=(f"{PHONES}/1/gate-1.jpg",)
    )
    feeder = replace(settings.feeder, gates=2, exchangers=1, pocket_places=2)
    write(file, replace(settings, camera=cameras, feeder=feeder, table=replace(settings.table, kind="feeder")))
    assert load_to_run(file, TableSettings).camera == cameras


def test_a_rehearsed_table_is_refused_by_its_kind(hall: HallFolder, tmp_path: Path) -> None:
    file = tmp_path / "rehearsed.toml"
    write(file, without_machine(hall, "2", TableKind.SIMULATED, tmp_path / "ledger"))
    with pytest.raises(SettingsError, match=r"table\.kind is simulated, as in a rehearsal: nobody plays at this table"):
        load_to_run(file, TableSettings)


def test_ports_that_are_held_are_given_to_who_asks_for_them_alone() -> None:
    with held_ports(3) as ports:
        assert len(set(ports)) == 3
        for port in ports:
            for _ in range(2):
                socket.create_server(("127.0.0.1", port)).close()
            with socket.create_server(("127.0.0.1", 0)) as other:
                assert other.getsockname()[1] not in ports


@pytest.fixture
def rehearsing(tmp_path: Path) -> HallFolder:
    made = HallFolder(tmp_path / "hall", tmp_path / "memory", ("1", "2", "3"), free_port(), free_port(), trusting=True)
    made.folder.mkdir()
    made.passwords()
    return made


def children(rehearsing: HallFolder) -> list[str]:
    """The command lines of running processes of this hall."""
    found = []
    for each in Path("/proc").iterdir():
        if each.name.isdecimal() and int(each.name) != os.getpid():
            try:
                words = (each / "cmdline").read_text().replace("\0", " ")
            except OSError:
                continue
            if str(rehearsing.folder) in words:
                found.append(words)
    return found


def test_a_chosen_table_is_simulated_until_it_is_chosen_no_more(rehearsing: HallFolder) -> None:
    file = RehearsalFile(rehearsing.events)
    with Rehearsal(rehearsing, ("2", "3"), rehearsing.folder / "logs") as rehearsal:
        rehearsal.look()
        assert (file.tables(), children(rehearsing)) == (RehearsedTables(("2", "3")), [])
        file.write(file.tables().with_table("3", simulated=True))
        rehearsal.look()
        eventually(lambda: len(children(rehearsing)) == 1, "its program runs")
        (running,) = children(rehearsing)
        assert f"simulate tables {rehearsing.folder}/rehearsed-table-3.toml" in running
        settings = load(rehearsing.folder / "rehearsed-table-3.toml", TableSettings)
        assert (settings.table.name, settings.table.kind, settings.table.is_assigned) == ("3", "simulated", True)
        file.write(file.tables().with_table("3", simulated=False))
        rehearsal.look()
        eventually(lambda: children(rehearsing) == [], "its program has ended")


def test_a_choice_outlasts_the_hall_and_is_offered_by_nobody_meanwhile(rehearsing: HallFolder) -> None:
    file = RehearsalFile(rehearsing.events)
    with Rehearsal(rehearsing, ("2", "3"), rehearsing.folder / "logs"):
        file.write(file.tables().with_table("3", simulated=True))
    assert file.tables() == RehearsedTables((), ("3",))
    with Rehearsal(rehearsing, ("3",), rehearsing.folder / "logs") as rehearsal:
        rehearsal.look()
        eventually(lambda: len(children(rehearsing)) == 1, "its program runs")
    eventually(lambda: children(rehearsing) == [], "its program ends with the hall")
    with Rehearsal(rehearsing, ("2",), rehearsing.folder / "logs"):
        assert file.tables() == RehearsedTables(("2",)), "a table that has a program of its own now is not simulated"
