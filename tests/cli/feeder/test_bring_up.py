"""``twinwall feeder bring-up`` at a real terminal: a person takes a board from bare pins to ``feeder check``.

The board is the firmware's library at the simulated electrics. Two wires touch, an end stop is at the input of another, and two outputs
lead nowhere, until the person has repaired what the wizard names.
"""

import re
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest

from cli import main
from cli.errors import UsageError
from cli.feeder.bring_up_lines import lines_of
from cli.feeder.bring_up_record import BringUpRecord, record_at, write_record
from firmware_bridge.electrics.signals import inputs_of, outputs_of
from firmware_bridge.electrics.sizes import capabilities_of
from firmware_bridge.electrics.wiring import DRIVE_OUTWARD, Input, Output
from firmware_bridge.messages import Capabilities
from simulator.electrics.core import UID
from tests.support.simulator.wired_bench import QUICK, Terminal, WiredBench

CAPABILITIES = capabilities_of(QUICK)
LINES = lines_of(CAPABILITIES)
ABSENT = "RETURN_LANE"
DRIVES = {line.name: bool(line.drives) for line in LINES}
NUMBERS = {each.name: each.number for each in (*outputs_of(CAPABILITIES), *inputs_of(CAPABILITIES))}
EARLIER = datetime(2026, 11, 26, 18, tzinfo=UTC)
MISWIRED: dict[int, tuple[int, ...]] = {Input.CHUTE: (Input.CHUTE, Input.CHUTE + 1), Input.HOME: (Input.HOME + 1,)}
"""A short between two wires, and one in the place of another."""
DEAD = (Output.TRAY_FLOOR + 2, Output.BELT)
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
            until(partial(self._has_asked, self._bench.board.heard + 4))

    def _has_asked(self, pieces: int) -> bool:
        return self._bench.board.heard >= pieces


def until(reached: Callable[[], bool]) -> None:
    end_s = time.monotonic() + 90
    while not reached():
        assert time.monotonic() < end_s
        time.sleep(0.002)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[WiredBench]:
    bench = WiredBench(tmp_path / "feeder", MISWIRED, DEAD)
    bench.feeder.start()
    yield bench
    bench.feeder.stop()


def record_of_an_evening(file: Path) -> None:
    """The places and what is at seats 1 to 3 have passed before, but for what is miswired."""
    record = BringUpRecord(UID.hex())
    for line in LINES:
        if re.search(r"_[1-7]( |$)|_\d_[1-9]", line.name) and line.name not in ("HOME_1", "TRAY_FLOOR_2"):
            record = record.with_attempt(line.name, True, EARLIER, "Bo", ())
    write_record(file, record)


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
        "TRAY_FLOOR_2",
    ]
    record = record_at(file, UID.hex())
    assert record.passed == {line.name for line in LINES}
    assert {each.line: (each.by, each.notes) for each in record.tried if each.notes} == {
        ABSENT: ("Aiko", ("the table has not got it",)),
        "CHUTE_0": ("Chen", ("CHUTE_1 changed instead",)),
        "HOME_0": ("Chen", ("HOME_1 changed instead",)),
        "TRAY_FLOOR_2": ("Chen", ("its switch did not change: look at the motor and both wires.",)),
        "BELT": ("Chen", ("it did not move.",)),
    }

    bench.fill()
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


def test_a_record_is_of_one_board_and_a_line_that_fails_later_is_open_again(tmp_path: Path) -> None:
    file = tmp_path / "record.json"
    record = record_at(file, "aa").with_attempt("ESTOP", True, EARLIER, "Bo", ()).with_attempt("WELL", True, EARLIER, "Bo", ())
    record = record.with_attempt("ESTOP", False, EARLIER, "Aiko", ("LID_OPEN changed instead",))
    write_record(file, record)
    assert record_at(file, "aa") == record
    assert record.passed == {"WELL"}
    with pytest.raises(UsageError, match="is the record of board aa, and board bb is at this port"):
        record_at(file, "bb")
    file.write_text('{"uid": "aa"')
    with pytest.raises(UsageError, match="is not JSON"):
        record_at(file, "aa")


def test_it_asks_a_person_at_a_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["feeder", "bring-up", "simulator", "--record", str(tmp_path / "r.json"), "--by", "Aiko"]) == 2
    assert "run it at a terminal" in capsys.readouterr().err
