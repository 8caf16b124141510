"""``twinwall feeder`` ``check``, ``link``, ``record`` and ``test-deal``, most over a real pseudo-terminal: tables, JSON and exit codes."""

import json
import os
import re
import sys
import threading
import time
import tty
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from subprocess import PIPE, Popen

import pytest

import config
from cli import main
from cli.feeder import feeder_test_deal
from cli.feeder.feeder_check import PersonsHands, in_words
from cli.feeder.feeder_test_deal import test_deal as random_deal
from controller.trial import TrialReport
from firmware_bridge.board.table_record import BOOTS_AT, TableRecord, boots_of, decode
from firmware_bridge.conformance.bench_line import HandsAct
from firmware_bridge.intel_hex import loads
from firmware_bridge.messages import Feed, TileAtGate
from firmware_bridge.serial_port import SerialPort
from simulator.feeder_simulator import FeederSimulator
from simulator.mechanics import MechanicsSettings
from tests.support.commands import Twinwall
from tests.support.controller.rigs import set_up
from tests.support.link.desk import Desk
from tests.support.narrowed import of_type
from tests.support.patience import PATIENCE_S
from tests.support.wire.brokers import eventually
from vision.cameras.opening import open_camera
from vision.gate.presence import Outline, find_thing
from vision.reading import ReadRefusal, Reason

FEW = ["--only", "frame-damage", "--only", "place-edges", "--only", "one-tile-per-unlock", "--only", "two-high-support"]


def test_a_good_machine_passes_and_the_exit_code_is_good(twinwall: Twinwall) -> None:
    out = twinwall("feeder", "check", "simulator", *FEW).out
    assert "4 passed, 0 failed, 0 left out" in out
    assert "STATUS? with one bit wrong" in out


def test_the_outcome_is_one_json_document(twinwall: Twinwall) -> None:
    outcome = json.loads(twinwall("feeder", "check", "simulator", "--json", "--only", "tile-at-gate", "--only", "frame-time-wraps").out)
    assert (outcome["passed"], outcome["failed"], outcome["left_out"]) == (1, 0, 1)
    rows = {row["name"]: row for row in outcome["rules"]}
    assert "mm wide" in rows["tile-at-gate"]["reason"]
    assert rows["frame-time-wraps"]["outcome"] == "left out"


def test_the_rules_can_be_listed_without_a_machine(twinwall: Twinwall) -> None:
    assert "sixty-four-answers" in twinwall("feeder", "check", "--list").out


def test_a_simulated_machine_with_lanes_shows_its_gate() -> None:
    words = [sys.executable, "-m", "cli", "feeder", "simulate", "--lanes", "--unread", "0", "--json"]
    with Popen(words, stdout=PIPE, text=True) as served:
        assert served.stdout is not None
        addresses = json.loads(served.stdout.readline())
        with Desk(addresses["path"]) as desk, closing(open_camera(addresses["gate"], PATIENCE_S, local_only=True)) as gate:
            assert of_type(ReadRefusal, find_thing(gate.frame_after(time.monotonic_ns()).image)).reason is Reason.EMPTY
            desk.submit(1, Feed())
            desk.wait(TileAtGate)
            assert isinstance(find_thing(gate.frame_after(time.monotonic_ns()).image), Outline)
        served.terminate()


def test_a_port_that_another_program_has_open_is_told_as_that(twinwall: Twinwall) -> None:
    master, slave = os.openpty()
    tty.setraw(slave)
    first = SerialPort(os.ttyname(slave))
    try:
        assert "another program has it open" in twinwall("feeder", "check", os.ttyname(slave), code=2).err
    finally:
        first.close()
        os.close(master)
        os.close(slave)


def test_a_person_is_asked_for_every_deed_in_a_sentence_and_waited_for() -> None:
    asked: list[str] = []
    done = threading.Event()

    def ask(what: str) -> None:
        asked.append(what)
        done.wait(PATIENCE_S)

    hands = PersonsHands(ask)
    hands.begin(HandsAct.LIFT_DRAW, 2)
    assert not hands.finished(), "the person is still at it"
    done.set()
    eventually(hands.finished, "the person is ready")
    assert asked == [in_words(HandsAct.LIFT_DRAW, 2)]
    assert "seat 2" in asked[0]


@pytest.fixture
def simulator() -> Iterator[FeederSimulator]:
    feeder = FeederSimulator(MechanicsSettings(speed=100.0), 3)
    feeder.start()
    yield feeder
    feeder.stop()


@pytest.mark.parametrize("stands", [FeederSimulator.set_estop, FeederSimulator.set_lid])
def test_a_machine_that_a_person_has_stopped_has_not_passed(
    stands: Callable[[FeederSimulator, bool], None], simulator: FeederSimulator, twinwall: Twinwall
) -> None:
    stands(simulator, True)
    words = ["feeder", "check", simulator.path, "--only", "tile-at-gate", "--only", "hello-identity"]
    assert "0 passed, 0 failed, 0 left out, 2 not ready" in twinwall(*words, code=1).out
    stands(simulator, False)
    eventually(lambda: main(words) == 0, "the board has seen it released, and passes")


def test_what_the_line_has_been_through_is_counted(simulator: FeederSimulator, twinwall: Twinwall) -> None:
    """A machine with much other work may lose the line and repeat; how many frames it takes is measured by ``benchmarks.firmware.link``."""
    measured = json.loads(twinwall("feeder", "link", simulator.path, "--seconds", "0.5", "--json").out)
    assert measured["uid"] == b"TWSIM001".hex()
    assert measured["line"]["frames"] >= 1
    assert measured.keys() >= {"times_lost", "repeats"}
    assert 0 < measured["round_trip_p50_ms"] <= measured["round_trip_p99_ms"]


def test_the_figures_are_told_in_words(simulator: FeederSimulator, twinwall: Twinwall) -> None:
    out = twinwall("feeder", "link", simulator.path, "--seconds", "0.3").out
    assert "feeder 545753494d303031" in out
    assert "0 damaged" in out
    assert re.search(r"lost \d+ times", out)


DEFAULT_TABLE = Path(config.__path__[0]) / "default" / "table.toml"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "table.eep"


def written(file: Path, *words: str) -> bytes:
    """The memory that the command writes to a file."""
    assert main(["feeder", "record", *words, "--out", str(file)]) == 0
    return loads(file.read_text())


def test_a_record_is_written_for_the_table_as_it_is_drawn_and_read_back(file: Path, twinwall: Twinwall) -> None:
    assert decode(written(file, "--uid", "0011223344556677")) == TableRecord(bytes.fromhex("0011223344556677"), bypass_cells=0, blinds=True)
    told = json.loads(twinwall("feeder", "record", "--read", file, "--json").out)
    assert (told["uid"], told["tray_places"], told["boots"], told["usable"]) == ("0011223344556677", 37, None, True)


def test_a_record_is_written_for_a_machine_with_lanes(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = decode(written(file, "--lanes", "--uid", "TABLE-07", "--gate-period-ms", "700"))
    assert record.gate_period_ms == 700
    assert (record.lanes, record.tray_places, record.hand_places, record.bypass_cells, record.two_high) == (True, 1, 0, 0, False)
    assert not record.blinds
    assert "people take the tiles from lanes" in capsys.readouterr().out


def test_a_machine_with_rear_gates_has_no_blinds(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert not decode(written(file, "--uid", "TABLE-07", "--rear-gates")).blinds
    assert "blinds" not in capsys.readouterr().out
    assert decode(written(file, "--uid", "TABLE-07", "--force")).blinds
    assert "blinds with shutters and bolts" in capsys.readouterr().out


def test_the_number_is_taken_from_the_tables_settings(tmp_path: Path, file: Path) -> None:
    settings = tmp_path / "table.toml"
    settings.write_text(DEFAULT_TABLE.read_text(encoding="utf-8").replace('uid = ""', 'uid = "a1b2c3d4e5f60718"'), encoding="utf-8")
    assert decode(written(file, "--settings", str(settings))).uid.hex() == "a1b2c3d4e5f60718"


def test_a_count_of_starts_is_written_only_when_it_is_asked_for(file: Path) -> None:
    assert boots_of(written(file, "--uid", "TABLE-07", "--boots", "41")) == 41
    assert len(written(file, "--uid", "TABLE-07", "--force")) < BOOTS_AT


@pytest.mark.parametrize("content", [b"\xff" * 4096, b":00000001FF\n", b":08000000545746\n", b"no record at all" * 10])
def test_a_file_that_no_board_would_start_with_is_a_no_with_the_reason(content: bytes, tmp_path: Path, twinwall: Twinwall) -> None:
    file = tmp_path / "memory.bin"
    file.write_bytes(content)
    assert "would start without this record, as TWF-NEW0: " in twinwall("feeder", "record", "--read", file, code=1).out


REPORT = TrialReport(83.5, 240.0, 138, 2, 136, 134, ((2, 17),), ((0, 4),), ("unreadable",))


def test_a_test_deal_holds_the_whole_set_and_is_the_same_for_the_same_seed() -> None:
    deal = random_deal("mcr-duplicate", set_up(), 1, 5)
    assert set(Counter(deal.wanted(position) for position in deal.positions).values()) == {4}
    assert len(deal.positions) == 136
    assert random_deal("mcr-duplicate", set_up(), 1, 5) == deal
    assert random_deal("mcr-duplicate", set_up(), 1, 6).digest != deal.digest
    later = set_up(session=2)
    assert not later.leaves(random_deal("mcr-duplicate", later, 1, 5)), "a table of any session builds it"


def test_a_difference_is_told_by_its_place_and_never_by_its_tile() -> None:
    said = feeder_test_deal.in_words(3, REPORT)
    assert "test deal 3: built in 83.5 s from 138 showings (2 not read at the first look), 134 of 136 read again as built" in said
    assert "seat 2, place 17: read otherwise the second time" in said
    assert "seat 0, place 4: could not be read again" in said
    assert "staff were called: unreadable" in said
