"""Event mode on the machine: what is refused beside the settings, with what to type."""

import argparse
from dataclasses import replace
from pathlib import Path

import pytest

from cli.run_settings import PANEL_FILE, THIS_MACHINE, Machine, prepare_event, prepare_hall
from cli.usage import EXIT_WRONG_USE, UsageError
from config import write
from controller.settings import DealsSection
from tests.support.commands import Twinwall
from tools.default_settings import BROKER, STATION, TABLE

NO_SWAP = "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n"
SWAP = NO_SWAP + "/dev/sda2                               partition\t8388604\t0\t-2\n"
EVENT = replace(BROKER, broker=replace(BROKER.broker, mode="event"))
TABLE_AT_EVENT = replace(TABLE, table=replace(TABLE.table, mode="event"))
GOOD = Machine(swaps=lambda: NO_SWAP, environment={}, leads_to=str, refuse_core_files=lambda: None, wrong_phones=lambda _: None)


def no_core_files() -> None:
    raise OSError("not permitted")


def arguments(**given: bool) -> argparse.Namespace:
    return argparse.Namespace(settings=Path("table.toml"), **{"event": False, "trace": False, "verbose": False} | given)


@pytest.mark.parametrize(
    ("machine", "given", "sentence"),
    [
        (replace(GOOD, swaps=lambda: SWAP), {}, "swap is on (/dev/sda2): keys in memory can be written to it; say swapoff -a, as root"),
        (replace(GOOD, refuse_core_files=no_core_files), {}, "core files are allowed, and cannot be forbidden (not permitted)"),
        (replace(GOOD, environment={PANEL_FILE: "/tmp/panel"}), {}, "TWINWALL_PANEL is in the environment: keys and lamps are simulated"),
        (replace(GOOD, leads_to=lambda _: "/proc/7/fd/9"), {}, "feeder.port /dev/ttyUSB0 leads to /proc/7/fd/9, a simulated feeder"),
        (GOOD, {"trace": True}, "--trace is given: every frame to the feeder names tiles; leave it out"),
        (GOOD, {"verbose": True}, "--verbose is given: the log would tell more than players may know; leave it out"),
    ],
    ids=["swap", "core files", "simulated pins", "simulated feeder", "trace", "verbose"],
)
def test_what_belongs_to_a_rehearsal_is_refused_by_name_at_an_event_and_nothing_in_a_rehearsal(
    machine: Machine, given: dict[str, bool], sentence: str
) -> None:
    with pytest.raises(UsageError) as refused:
        prepare_event(TABLE_AT_EVENT, arguments(**given), machine)
    assert str(refused.value).startswith("table.toml: the mode is 'event', and ")
    assert sentence in str(refused.value)
    prepare_event(TABLE, arguments(**given), machine)


def test_everything_is_named_at_once() -> None:
    machine = replace(GOOD, swaps=lambda: SWAP, leads_to=lambda _: "/dev/pts/7")
    with pytest.raises(UsageError, match=r"--trace .*; feeder\.port .*; swap is on"):
        prepare_event(TABLE_AT_EVENT, arguments(trace=True), machine)


def test_a_stations_pseudo_terminal_is_no_simulated_feeder() -> None:
    gate = replace(TABLE.camera.gate, source="http://127.0.0.1:8105/gate.jpg")
    by_hand = replace(TABLE_AT_EVENT, camera=replace(TABLE.camera, gate=gate))
    prepare_event(by_hand, arguments(), replace(GOOD, leads_to=lambda _: "/dev/pts/7"))


def test_a_simulated_feeder_beside_a_phone_is_refused() -> None:
    phones = "http://127.0.0.1:8120/1"
    gate = replace(TABLE.camera.gate, source=f"{phones}/gate.jpg")
    with_phone = replace(TABLE_AT_EVENT, camera=replace(TABLE.camera, gate=gate), panel=replace(TABLE.panel, phones=phones))
    with pytest.raises(UsageError, match="leads to /dev/pts/7, a simulated feeder"):
        prepare_event(with_phone, arguments(), replace(GOOD, leads_to=lambda _: "/dev/pts/7"))


@pytest.mark.parametrize(
    "settings",
    [
        replace(TABLE_AT_EVENT, panel=replace(TABLE.panel, phones="http://127.0.0.1:8102/1")),
        replace(STATION, station=replace(STATION.station, mode="event", phones="http://127.0.0.1:8102/1")),
    ],
    ids=["table", "station"],
)
def test_what_answers_instead_of_the_phones_server_is_refused(settings: object) -> None:
    prepare_event(settings, arguments(), GOOD)
    with pytest.raises(UsageError, match=r"what answers at http://127\.0\.0\.1:8102/1 is no server of phones"):
        prepare_event(settings, arguments(), replace(GOOD, wrong_phones=lambda phones: f"what answers at {phones} is no server of phones"))


def test_a_hall_asks_its_machine_before_it_starts_anything() -> None:
    prepare_hall(GOOD)
    with pytest.raises(UsageError, match=r"--event: TWINWALL_PANEL is in the environment: .*; swap is on"):
        prepare_hall(replace(GOOD, swaps=lambda: SWAP, environment={PANEL_FILE: "/tmp/panel"}))


def test_a_unit_for_events_refuses_the_settings_of_a_rehearsal_alone() -> None:
    prepare_event(EVENT, arguments(event=True), GOOD)
    with pytest.raises(UsageError, match='write mode = "event" into the file, or start the program without --event'):
        prepare_event(BROKER, arguments(event=True), GOOD)


def test_the_machine_is_asked_where_nothing_else_is_given() -> None:
    assert THIS_MACHINE.swaps().startswith("Filename") or THIS_MACHINE.swaps() == ""


def test_the_readiness_of_a_table_runs_for_an_event_alone_where_that_is_asked(tmp_path: Path, twinwall: Twinwall) -> None:
    rehearsal, simulated, password = tmp_path / "table.toml", tmp_path / "simulated.toml", tmp_path / "password"
    password.write_text("of table one", encoding="utf-8")
    camera = replace(TABLE.camera, table=replace(TABLE.camera.table, source="files:recorded"))
    table = replace(
        TABLE, camera=camera, mqtt=replace(TABLE.mqtt, password_file=password), deals=DealsSection(password, password, tmp_path)
    )
    write(rehearsal, table)
    write(simulated, replace(table, table=TABLE_AT_EVENT.table))
    for file, sentence in ((rehearsal, "this is a rehearsal, and --event"), (simulated, "camera.table.source is files:recorded")):
        assert sentence in twinwall("hall", "readiness", file, "--port", "8121", "--event", code=EXIT_WRONG_USE).err
