"""``twinwall feeder pins``: one reading for scripts, and a table that fills a terminal."""

import json
from pathlib import Path

import pytest

from cli import main
from cli.feeder import feeder_link
from cli.feeder.pins import PinsScreen, SeenInputs
from firmware_bridge.electrics.wiring import DRIVE_DIVERTER, DRIVE_OUTWARD, INPUT_BYTES, Input, Output, inputs_of, outputs_of
from firmware_bridge.messages import Capabilities
from simulator.feeder_simulator import CoreFirmware, FeederSimulator
from tests.support.commands import Twinwall
from tests.support.firmware.variants import Replacement, variant
from tests.support.simulator.wired_bench import QUICK, OtherFirmware, Terminal, WiredBench

INPUTS, OUTPUTS = inputs_of(Capabilities()), outputs_of(Capabilities())
LOW = bytes(INPUT_BYTES)


@pytest.fixture
def seen() -> SeenInputs:
    return SeenInputs(INPUTS, LOW)


@pytest.fixture
def screen(seen: SeenInputs) -> PinsScreen:
    return PinsScreen(seen, OUTPUTS)


def test_one_reading_is_a_json_document(twinwall: Twinwall) -> None:
    rows = {row["name"]: row for row in json.loads(twinwall("feeder", "pins", "simulator", "--json").out)["inputs"]}
    assert len(rows) == len(INPUTS)
    assert rows["CHUTE_2"] == {"number": 2, "name": "CHUTE_2", "on": False, "at": "controller, 74HC165 no. 1, C"}
    resting = rows["GRIPPER_UP_2"]["on"], rows["TRAY_3_36"]["on"], rows["ESTOP"]["on"]  # switches that no homing moves
    assert (*resting, rows["AT_PLACE_1"]["at"]) == (True, False, False, "PF1, Mega pin A1")


def test_where_there_is_no_terminal_one_reading_is_printed_a_line_for_each_input(twinwall: Twinwall) -> None:
    lines = twinwall("feeder", "pins", "simulator").out.splitlines()
    assert len(lines) == len(INPUTS)
    assert lines[0].split() == ["0", "CHUTE_0", "0", "controller,", "74HC165", "no.", "1,", "A"]


@pytest.mark.parametrize("number", [Input.CHUTE, Input.HOME + 2, Input.MAGAZINE + 40, Input.AT_PLACE + 3])
def test_the_row_of_a_switch_that_changes_comes_on_the_screen_and_stands_out(screen: PinsScreen, seen: SeenInputs, number: int) -> None:
    screen.choose_changed(seen.take((1 << number).to_bytes(INPUT_BYTES, "little")))
    screen.choose_changed(seen.take(LOW))
    (row,) = (text for text, stands_out in screen.lines(24, "") if stands_out)
    name = next(each.name for each in INPUTS if each.number == number)
    assert row.split()[:5] == [">", str(int(number)), name, "0", "2"]
    assert screen.lines(24, "")[-2][0] == f"changed last: {name} 0, {name} 1"
    screen.press("r")
    assert not any(stands_out for _, stands_out in screen.lines(24, ""))


def test_the_lines_of_each_list_fit_80_columns_and_the_screens_height(screen: PinsScreen) -> None:
    for rows in (len(INPUTS), len(OUTPUTS)):
        for key in ("page up", "page down"):
            for _ in range(40):
                screen.press(key, 20)
            for height in (1, 5, 24, 60):
                lines = screen.lines(height, "nothing was driven")
                assert len(lines) == min(height, rows + 4)
                assert max(len(text) for text, _ in lines) < 80
        screen.press("\t")


def test_enter_drives_the_output_that_is_chosen_for_the_time_that_is_set(screen: PinsScreen) -> None:
    assert screen.press("\n") is None, "inputs are not driven"
    screen.press("\t")
    assert screen.press("\n") == (Output.PICKER, 100)
    screen.press("down")
    screen.press("+")
    assert screen.press("\n") == (Output.PICKER + 1, 200)
    for _ in range(60):
        screen.press("-")
    assert screen.press("\n") == (Output.PICKER + 1, 100)


@pytest.mark.parametrize(("ups", "number", "least", "most"), [(0, DRIVE_DIVERTER, 1000, 2000), (8, DRIVE_OUTWARD, 1, 64)])
def test_steppers_and_the_diverter_have_limits_of_their_own(screen: PinsScreen, ups: int, number: int, least: int, most: int) -> None:
    screen.press("\t")
    screen.press("page down", 100)
    for _ in range(ups):
        screen.press("up")
    assert screen.press("\n") == (number, least)
    for _ in range(100):
        screen.press("+")
    assert screen.press("\n") == (number, most)


@pytest.mark.slow
def test_at_a_terminal_a_pressed_switch_is_seen_and_a_lock_is_driven(bench: WiredBench) -> None:
    terminal = Terminal("feeder", "pins", bench.feeder.path)
    terminal.wait_for("inputs 1-20 of 342")
    bench.press(Input.TRAY + 45, True)
    terminal.wait_for("TRAY_1_5")
    terminal.type("\t")
    terminal.wait_for("outputs 1-20 of ")
    bench.board.reached = 0
    terminal.type("\x1bOB\x1bOB\x1bOB\x1bOB+++++++++\n")  # for 1 s: under load 100 ms can pass between two readings
    terminal.wait_for("LOCK_IS_OPEN_0")
    terminal.type("q")
    terminal.wait_for("The machine stands now")
    assert terminal.ended() == 0, terminal.seen
    assert bench.board.reached == 1 << Output.LOCK, "no motor had current"


@pytest.mark.parametrize("term", ["dumb", "no-such-terminal"])
def test_a_terminal_that_cannot_place_a_cursor_is_refused_before_the_machine_is_touched(term: str) -> None:
    terminal = Terminal("feeder", "pins", "/dev/no-such-feeder", term=term)
    assert [line.strip() for line in terminal.lines()] == ["twinwall: feeder pins: this terminal cannot show a table; use --once"]
    assert terminal.ended() == 2


class OldCore(CoreFirmware):
    """Firmware of before, whose carriages' places are others."""

    def __init__(self, *arguments: object, **settings: object) -> None:
        program = variant(Replacement("twf_layout.h", "#define TWF_VERSION 3u", "#define TWF_VERSION 1u"))
        super().__init__(*arguments, **settings, program=program)  # type: ignore[arg-type]  # those of CoreFirmware


class OldFirmware(OtherFirmware):
    kind = OldCore


@pytest.mark.slow
@pytest.mark.parametrize("words", [["pins", "--once"], ["check"], ["link"]])
def test_firmware_that_is_too_old_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    monkeypatch.setattr(feeder_link, "FIRST_ANSWER_S", 2.0)
    feeder = FeederSimulator(QUICK, 1, link=tmp_path / "feeder", firmware=OldFirmware)
    feeder.start()
    try:
        assert main(["feeder", *words, feeder.path]) == 1
    finally:
        feeder.stop()
    assert "speaks TWF/1, not TWF/3 or TWF/4: its firmware is older than this program: flash the one" in capsys.readouterr().err
