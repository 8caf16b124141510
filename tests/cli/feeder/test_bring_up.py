"""``twinwall feeder bring-up`` at a real terminal: a person takes a board from bare pins to ``feeder check``.

The board is the firmware's library at the simulated electrics. Two wires touch, an end stop is at the input of another, and an output
leads nowhere, until the person has repaired what the wizard names.
"""

import re
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest

from cli import main
from cli.feeder.bring_up import BringUpRecord, record_at, write_record
from cli.feeder.bring_up_lines import lines_of
from cli.feeder.wires import wires_at
from cli.usage import UsageError
from firmware_bridge.board.library import CarriageDrive, PinReading
from firmware_bridge.board.table_record import NAMELESS
from firmware_bridge.conformance.bench_line import ANSWER_S
from firmware_bridge.electrics.wired_machine import STEPS_PER_POSITION, capabilities_of
from firmware_bridge.electrics.wiring import DRIVE_OUTWARD, INPUT_BYTES, Input, Output, inputs_of, outputs_of
from firmware_bridge.frames import Decoder
from firmware_bridge.messages import BringUp, Capabilities, FeederState, decode_message
from firmware_bridge.serial_port import DEFAULT_BAUD
from simulator.feeder_simulator import UID, FeederSimulator
from simulator.mechanics import MechanicsSettings
from tests.support.firmware.variants import Replacement, variant
from tests.support.simulator.wired_bench import QUICK, MiswiredCore, OtherFirmware, Terminal, WiredBench
from tests.support.wire.brokers import eventually

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "table" / "bring-up.md"
CAPABILITIES = capabilities_of(QUICK)
LINES = lines_of(CAPABILITIES)
ABSENT = "RETURN_LANE"
DRIVES = {line.name: bool(line.drives) for line in LINES}
NUMBERS = {each.name: each.number for each in (*outputs_of(CAPABILITIES), *inputs_of(CAPABILITIES))}
EARLIER = datetime(2026, 11, 26, 18, tzinfo=UTC)
MISWIRED: dict[int, tuple[int, ...]] = {Input.CHUTE: (Input.CHUTE, Input.CHUTE + 1), Input.HOME: (Input.HOME + 1,)}
"""A short between two wires, and one in the place of another."""
DEAD = (Output.BELT,)
ASKED = re.compile(r"\[\d+/\d+\] (.+) \(")


class Person:
    """Does what each line asks, and repairs what the wizard finds."""

    def __init__(self, bench: WiredBench, terminal: Terminal) -> None:
        self._bench, self._terminal = bench, terminal
        self._name = ""
        self.repaired: list[str] = []

    def work(self, *, stops_at: str = "") -> None:
        board = self._bench.board
        for line in self._terminal.lines():
            number = NUMBERS.get(self._name, -1)
            if asked := ASKED.match(line):
                self._name = asked[1]
                if self._name == ABSENT:
                    self._terminal.type("x")
                elif self._name == stops_at:
                    self._terminal.type("q")
                else:
                    self._do()
            elif "did it? y, n" in line:
                self._terminal.type("y" if number >= DRIVE_OUTWARD or board.reached >> number & 1 else "n")
            elif "changed instead" in line:
                self.repaired.append(line.strip())
                self._bench.miswired.pop(number)
                self._do()
            elif "Enter drives it again" in line:
                self.repaired.append(f"{self._name}: {line.strip()}")
                board.dead -= {number}
                self._do()

    def _do(self) -> None:
        if DRIVES[self._name]:
            self._bench.board.reached = 0
            self._terminal.type("\n")
            return
        for pressed in (True, False):
            self._bench.press(NUMBERS[self._name], pressed)
            eventually(partial(has_asked, self._bench, self._bench.board.heard + 2), "the host has asked", every_s=0.002)


def has_asked(bench: WiredBench, pieces: int) -> bool:
    """Whether the host has sent so many pieces: it has read the inputs meanwhile."""
    return bench.board.heard >= pieces


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[WiredBench]:
    bench = WiredBench(tmp_path / "feeder", MISWIRED, DEAD)
    bench.feeder.start()
    yield bench
    bench.feeder.stop()


def write_passed(file: Path, has_passed: Callable[[str], bool]) -> None:
    record = BringUpRecord(UID.hex())
    for line in LINES:
        if has_passed(line.name):
            record = record.with_attempt(line.name, True, EARLIER, "Bo", ())
    write_record(file, record)


def record_of_an_evening(file: Path) -> None:
    """The places, the carriages, what is at seats 1 to 3, and all cams but the lift's have passed before, but for what is miswired."""
    passed = re.compile(r"_[1-7]( |$)|_\d_[1-9]|_[1-3]_0|PURGE|PICKER|FLOOR|EJECT|STEP")
    write_passed(file, lambda name: name != "HOME_1" and bool(passed.search(name)))


@pytest.mark.slow
@pytest.mark.parametrize("begun", [True, pytest.param(False, marks=pytest.mark.nightly)])
def test_a_person_brings_a_board_up_from_bare_pins_until_feeder_check_passes(bench: WiredBench, tmp_path: Path, begun: bool) -> None:
    file = tmp_path / "table-07.json"
    if begun:
        record_of_an_evening(file)
    words = ("feeder", "bring-up", bench.feeder.path, "--record", str(file), "--by")

    first = Terminal(*words, "Aiko")
    Person(bench, first).work(stops_at="GATE_FULL")
    assert first.ended() == 1, first.seen
    assert {"ESTOP", "LID_OPEN", "GATE_BEAM", ABSENT} <= record_at(file, UID.hex()).passed
    assert "GATE_FULL" not in record_at(file, UID.hex()).passed

    second = Terminal(*words, "Chen")
    person = Person(bench, second)
    person.work()
    assert second.ended() == 0, second.seen
    assert "] ESTOP" not in second.seen, "what has passed is not asked again"
    assert [line.partition(" (")[0].partition(". ")[0].partition(":")[0] for line in person.repaired] == [
        "CHUTE_1 changed instead",
        "HOME_1 changed instead",
        "BELT",
    ]
    record = record_at(file, UID.hex())
    assert record.passed == {line.name for line in LINES}
    assert {each.line: (each.by, each.notes) for each in record.tried if each.notes} == {
        ABSENT: ("Aiko", ("the table has not got it",)),
        "CHUTE_0": ("Chen", ("CHUTE_1 changed instead",)),
        "HOME_0": ("Chen", ("HOME_1 changed instead",)),
        "BELT": ("Chen", ("it did not move.",)),
    }

    bench.fill()
    eventually(lambda: main(["feeder", "check", bench.feeder.path, "--only", "hello-identity"]) == 0, "the board has seen its lid shut")
    few = [word for name in ("place-edges", "two-high-support", "one-tile-per-unlock", "bring-up") for word in ("--only", name)]
    assert main(["feeder", "check", bench.feeder.path, *few]) == 0


@pytest.mark.parametrize("capabilities", [Capabilities(), Capabilities(tray_places=28, wall_places=27, bypass_cells=0)])
def test_every_wire_of_a_table_has_its_line(capabilities: Capabilities) -> None:
    lines = lines_of(capabilities)
    assert {number for line in lines for number in line.goes} == {each.number for each in inputs_of(capabilities)}
    assert {number for line in lines for number, _ in line.drives} == {each.number for each in outputs_of(capabilities)}
    assert len({line.name for line in lines}) == len(lines)
    assert all(
        0 < amount <= each.amounts[-1]
        for line in lines
        for number, amount in line.drives
        for each in outputs_of(capabilities)
        if each.number == number
    )


def with_one_line_open(file: Path, open_line: str) -> None:
    """A record in which every line but this one has passed."""
    write_passed(file, lambda name: name != open_line)


class SwappedCore(MiswiredCore):
    """At its board the end switch and the place flag of each shuttle have changed places."""

    def __init__(self, *arguments: object, **settings: object) -> None:
        lines = (
            "set_input(is, twf_in_{}(shuttle), end_stop_reads(&is->stops[shuttle], is->now_us));\n        set_input(is, twf_in_{}(shuttle)"
        )
        swapped = Replacement("board.c", lines.format("home", "at_place"), lines.format("at_place", "home"))
        super().__init__(*arguments, **settings, program=variant(swapped))  # type: ignore[arg-type]  # those of CoreFirmware


class SwappedFirmware(OtherFirmware):
    kind = SwappedCore


@pytest.mark.slow
@pytest.mark.parametrize("firmware", [OtherFirmware, SwappedFirmware])
def test_an_end_switch_and_a_place_flag_that_have_changed_places_are_told_apart_when_the_carriage_is_driven(
    tmp_path: Path, firmware: type[OtherFirmware]
) -> None:
    file = tmp_path / "record.json"
    with_one_line_open(file, "STEP_0 out")
    at_true_speed = MechanicsSettings()  # a carriage driven 20 times as fast passes a place between two readings of the host
    feeder = FeederSimulator(at_true_speed, 1, tiles=(), link=tmp_path / "feeder", firmware=firmware)
    feeder.start()
    try:
        terminal = Terminal("feeder", "bring-up", feeder.path, "--record", str(file), "--by", "Aiko")
        terminal.wait_for("Enter: the carriage of seat 0, pushed to its end stop")
        terminal.type("\n")
        if firmware is SwappedFirmware:
            terminal.wait_for("its switches changed, but not as they should: are wires swapped?")
            terminal.type("q")
        assert terminal.ended() == (firmware is SwappedFirmware), terminal.seen
    finally:
        feeder.stop()


class LateFirmware(OtherFirmware):
    """Has no time for its line once when it is to begin a bring-up."""

    late = True

    def _answer(self, received: bytes) -> tuple[bytes, float]:
        if self.late and any(decode_message(each.type, each.payload) == BringUp() for each in Decoder().feed(received)):
            self.late = False
            time.sleep(ANSWER_S + 0.2)
        return super()._answer(received)


def test_a_machine_that_has_no_time_at_once_is_asked_again(tmp_path: Path) -> None:
    feeder = FeederSimulator(QUICK, 1, tiles=(), link=tmp_path / "feeder", firmware=LateFirmware)
    feeder.start()
    try:
        with wires_at(feeder.path, DEFAULT_BAUD, driving=True) as wires:
            assert len(wires.read()) == INPUT_BYTES
    finally:
        feeder.stop()


@pytest.mark.slow
def test_a_cam_whose_switch_is_cut_is_driven_for_a_limited_time_and_holds_up_what_comes_next(bench: WiredBench, tmp_path: Path) -> None:
    file = tmp_path / "record.json"
    with_one_line_open(file, "PURGE")
    with bench.feeder.lock:
        bench.board.stick(Input.PURGE_SHUT, PinReading.LOW)
    terminal = Terminal("feeder", "bring-up", bench.feeder.path, "--record", str(file), "--by", "Aiko")
    terminal.wait_for("Enter: the purge")
    terminal.type("\n")
    terminal.wait_for("its switch did not change: look at the motor and both wires.")
    assert not bench.board.outputs()[0].strip(b"\0"), "nothing is driven any more"
    terminal.type("s")
    terminal.wait_for("not yet: its switch does not rest")
    with bench.feeder.lock:
        bench.board.stick(Input.PURGE_SHUT, PinReading.AS_WIRED)
    eventually(partial(has_asked, bench, bench.board.heard + 2), "the host has asked", every_s=0.002)
    terminal.type("\n")
    assert terminal.ended() == 0, terminal.seen


@pytest.mark.slow
def test_a_stop_that_is_pressed_already_is_to_be_let_go_and_pressed_again(bench: WiredBench, tmp_path: Path) -> None:
    file = tmp_path / "record.json"
    with_one_line_open(file, "ESTOP")
    bench.feeder.set_estop(True)
    terminal = Terminal("feeder", "bring-up", bench.feeder.path, "--record", str(file), "--by", "Aiko")
    terminal.wait_for("it reads 1 already: let go of it first")
    for pressed in (False, True):
        bench.feeder.set_estop(pressed)
        eventually(partial(has_asked, bench, bench.board.heard + 2), "the host has asked", every_s=0.002)
    bench.feeder.set_estop(False)
    assert terminal.ended() == 0, terminal.seen


@pytest.mark.slow
def test_the_command_that_the_page_names_brings_a_machine_home_that_was_stopped_in_its_bring_up(bench: WiredBench, tmp_path: Path) -> None:
    file = tmp_path / "record.json"
    with_one_line_open(file, "PURGE")
    terminal = Terminal("feeder", "bring-up", bench.feeder.path, "--record", str(file), "--by", "Aiko")
    terminal.wait_for("Enter: the purge")
    bench.feeder.set_estop(True)
    terminal.type("q")
    terminal.wait_for("feeder check --only hello-identity")
    assert terminal.ended() == 1
    assert "`twinwall feeder check … --only hello-identity`" in PAGE.read_text(encoding="utf-8")
    with bench.feeder.lock:
        bench.board.carriage(2, 2, CarriageDrive.RUNS, STEPS_PER_POSITION)
    for pressed in (True, False):
        bench.feeder.set_estop(pressed)
        main(["feeder", "check", bench.feeder.path, "--only", "hello-identity"])
        assert (bench.board.state is FeederState.STOPPED) is pressed
        assert bool(bench.board.outputs()[2][2]) is pressed


@pytest.mark.parametrize(("content", "says"), [('{"uid": "aa"', "is not JSON"), ("", "is the record of board aa")])
def test_a_record_that_cannot_be_gone_on_with_is_named_before_the_machine_is_touched(
    bench: WiredBench, tmp_path: Path, content: str, says: str
) -> None:
    file = tmp_path / "record.json"
    write_record(file, BringUpRecord("aa"))
    file.write_text(content or file.read_text())
    terminal = Terminal("feeder", "bring-up", bench.feeder.path, "--record", str(file), "--by", "Aiko")
    assert says in "\n".join(terminal.lines())
    assert terminal.ended() == 2
    assert bench.board.heard == 0 or content == ""
    assert bench.board.state is not FeederState.STOPPED


def test_a_board_without_a_record_of_its_table_is_told_to_get_one(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="write one with twinwall feeder record"):
        record_at(tmp_path / "record.json", NAMELESS.hex())


def test_a_record_that_another_wizard_has_begun_meanwhile_stays(tmp_path: Path) -> None:
    file = tmp_path / "record.json"
    first, second = record_at(file, "aa"), record_at(file, "bb")
    write_record(file, first.with_attempt("ESTOP", True, EARLIER, "Bo", ()))
    with pytest.raises(UsageError, match="is the record of board aa, and board bb is at this port"):
        write_record(file, second.with_attempt("WELL", True, EARLIER, "Aiko", ()))
    assert record_at(file, "aa").passed == {"ESTOP"}


def test_a_line_that_fails_later_is_open_again(tmp_path: Path) -> None:
    file = tmp_path / "record.json"
    record = record_at(file, "aa").with_attempt("ESTOP", True, EARLIER, "Bo", ()).with_attempt("WELL", True, EARLIER, "Bo", ())
    record = record.with_attempt("ESTOP", False, EARLIER, "Aiko", ("LID_OPEN changed instead",))
    write_record(file, record)
    assert record_at(file, "aa") == record
    assert record.passed == {"WELL"}
