"""Simulated pins, read by the real RPi.GPIO in a process of its own and by the world."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from simulator.panel import fake
from simulator.panel.fake import lgpio
from simulator.panel.panel_file import PanelFile
from tests.support.patience import PATIENCE_S
from twinwall.wire.shapes.panel import Key, Lamps, PanelPins

PINS = PanelPins()
FAKE_FOLDER = str(Path(fake.__file__).parent)

SERVANT = """
import json, sys
from RPi import GPIO

def scan(rows, columns):
    closed = []
    for row in rows:
        GPIO.output(row, GPIO.LOW)
        closed += [[row, column] for column in columns if GPIO.input(column) == GPIO.LOW]
        GPIO.output(row, GPIO.HIGH)
    return closed

def blink(pin, times):
    for _ in range(times):
        GPIO.output(pin, GPIO.HIGH)
        GPIO.output(pin, GPIO.LOW)

names = {"scan": scan, "blink": blink}
for line in sys.stdin:
    name, *arguments = json.loads(line)
    try:
        answer = names.get(name) or getattr(GPIO, name)
        print(json.dumps([True, answer(*arguments)]), flush=True)
    except Exception as problem:
        print(json.dumps([False, f"{type(problem).__name__}: {problem}"]), flush=True)
"""


class Servant:
    """A process with RPi.GPIO in it that does what it is told, one call a line."""

    def __init__(self, environment: dict[str, str]) -> None:
        paths = {"PYTHONPATH": FAKE_FOLDER, "RPI_LGPIO_REVISION": "d04170", "PATH": os.environ["PATH"]}
        self._process = subprocess.Popen(
            [sys.executable, "-c", SERVANT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=paths | environment
        )

    def call(self, name: str, *arguments: object) -> object:
        done, answer = self.ask(name, *arguments)
        assert done, answer
        return answer

    def ask(self, name: str, *arguments: object) -> tuple[bool, object]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([name, *arguments]) + "\n")
        self._process.stdin.flush()
        done, answer = json.loads(self._process.stdout.readline())
        return done, answer

    def close(self) -> None:
        self._process.communicate()


@pytest.fixture
def panel(tmp_path: Path) -> Iterator[PanelFile]:
    made = PanelFile(tmp_path / "panel", PINS)
    yield made
    made.close()


@pytest.fixture
def controller(panel: PanelFile, tmp_path: Path) -> Iterator[Servant]:
    servant = Servant({"TWINWALL_PANEL": str(tmp_path / "panel")})
    servant.call("setwarnings", False)
    servant.call("setmode", 11)
    servant.call("setup", PINS.rows, 0, 20, 1)
    servant.call("setup", PINS.columns, 1, 22)
    servant.call("setup", [*PINS.turn, *PINS.call, PINS.window, PINS.fault, PINS.buzzer], 0, 20, 0)
    yield servant
    servant.close()


def test_every_look_at_a_key_is_counted_as_open_or_closed(panel: PanelFile, controller: Servant) -> None:
    controller.call("scan", PINS.rows, PINS.columns)
    panel.press(3, Key.CONFIRM)
    controller.call("scan", PINS.rows, PINS.columns)
    controller.call("scan", PINS.rows, PINS.columns)
    assert (panel.scans(3, Key.CONFIRM), panel.scans(3, Key.WIN)) == ((1, 2), (3, 0))


def test_lamps_stay_lit_when_the_controller_dies_and_go_out_when_it_starts(panel: PanelFile, controller: Servant, tmp_path: Path) -> None:
    controller.call("output", PINS.window, 1)
    controller.close()
    assert panel.lamps().window
    again = Servant({"TWINWALL_PANEL": str(tmp_path / "panel")})
    again.call("setmode", 11)
    again.call("setup", PINS.window, 0, 20, 0)
    assert not panel.lamps().window
    again.close()


def test_an_output_is_refused_on_a_pin_that_was_not_set_up(controller: Servant) -> None:
    assert controller.ask("output", 2, 1) == (False, "RuntimeError: The GPIO channel has not been set up as an OUTPUT")
    assert controller.ask("input", 3) == (False, "RuntimeError: You must setup() the GPIO channel first")


@pytest.mark.parametrize(
    ("environment", "named"),
    [
        ({}, "TWINWALL_PANEL must name"),
        ({"TWINWALL_PANEL": "/nowhere/panel"}, "/nowhere/panel"),
        ({"TWINWALL_PANEL": __file__}, "is not a panel file"),
    ],
)
def test_a_missing_or_wrong_panel_file_is_named(environment: dict[str, str], named: str) -> None:
    servant = Servant(environment)
    done, sentence = servant.ask("setmode", 11)
    assert not done
    assert named in str(sentence)
    servant.close()


def test_scans_wake_nobody_who_looks_at_the_lamps(panel: PanelFile, controller: Servant, tmp_path: Path) -> None:
    bell = os.open(f"{tmp_path / 'panel'}{lgpio.BELL}", os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert os.read(bell, 4096), "pins that were set up have rung"
        controller.call("scan", PINS.rows, PINS.columns)
        with pytest.raises(BlockingIOError):
            os.read(bell, 4096)
        controller.call("output", PINS.window, 1)
        assert os.read(bell, 4096)
    finally:
        os.close(bell)


@pytest.mark.slow
def test_lamps_can_be_lit_though_nobody_has_looked_for_long(panel: PanelFile, controller: Servant) -> None:
    """The fifo holds 64 KiB of rings; what finds no room is not missed."""
    for _ in range(3):
        controller.call("blink", PINS.fault, 15_000)
    assert not panel.lamps().fault
    rung = threading.Event()
    panel.watch(rung.set)
    assert rung.wait(PATIENCE_S)


def test_a_snapshot_of_the_lamps_is_never_half_old(panel: PanelFile, controller: Servant) -> None:
    """The controller lights ``turn`` before it puts out ``window``: nobody may see both dark."""
    controller.call("output", PINS.window, 1)
    dark: list[Lamps] = []
    done = threading.Event()

    def watch() -> None:
        while not done.is_set():
            lamps = panel.lamps()
            if not lamps.window and 0 not in lamps.turn:
                dark.append(lamps)

    watcher = threading.Thread(target=watch)
    watcher.start()
    for _ in range(200):
        controller.call("output", [PINS.turn[0], PINS.window], [1, 0])
        controller.call("output", [PINS.window, PINS.turn[0]], [1, 0])
    done.set()
    watcher.join()
    assert not dark
