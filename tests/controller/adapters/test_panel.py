"""The key matrix as the controller scans it, over the stand-in for the Pi's pins, in a process of its own as in a demo."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from simulator.panel import fake
from simulator.panel.panel_file import PanelFile
from tests.support.patience import PATIENCE_S
from twinwall.wire.shapes.panel import Key, PanelPins

PROGRAM = """
import sys
from controller.adapters.panel import Panel
from twinwall.wire.shapes.panel import PanelPins
panel = Panel(PanelPins(), 0.001, 0.004, lambda press: print(press.place, press.key.value, flush=True))
panel.start()
print("ready", flush=True)
sys.stdin.readline()
panel.stop()
"""


def with_pins(panel: Path) -> dict[str, str]:
    """The environment in which the pins are those of a panel's file."""
    stand_in = {"PYTHONPATH": str(Path(fake.__file__).parent), "RPI_LGPIO_REVISION": "d04170", "TWINWALL_PANEL": str(panel)}
    return os.environ | stand_in


@pytest.fixture
def panel(tmp_path: Path) -> Iterator[PanelFile]:
    made = PanelFile(tmp_path / "panel", PanelPins())
    yield made
    made.close()


@pytest.fixture
def presses(panel: PanelFile, tmp_path: Path) -> Iterator[Iterator[str]]:
    """What the controller's panel posts, line by line."""
    del panel
    command = [sys.executable, "-c", PROGRAM]
    with subprocess.Popen(command, env=with_pins(tmp_path / "panel"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield iter(process.stdout.readline, "")
        process.communicate("\n", timeout=PATIENCE_S)
        assert process.returncode == 0


def test_each_key_pressed_is_told_once_and_as_itself(panel: PanelFile, presses: Iterator[str]) -> None:
    for place in range(4):
        for key in Key:
            panel.press(place, key)
            assert next(presses) == f"{place} {key.value}\n"
            panel.release(place, key)
            wait_until_looked_at(panel, place, key, open_looks=4)


def test_keys_held_together_are_told_each_without_a_ghost(panel: PanelFile, presses: Iterator[str]) -> None:
    held = [(0, Key.CHOW), (0, Key.WIN), (2, Key.CHOW)]
    for place, key in held:
        panel.press(place, key)
    assert sorted(next(presses) for _ in held) == sorted(f"{place} {key.value}\n" for place, key in held)
    panel.press(3, Key.REFEREE)
    assert next(presses) == "3 referee\n"


def test_while_nothing_is_pressed_every_key_is_read_and_a_hundred_times_a_second_at_most(panel: PanelFile, presses: Iterator[str]) -> None:
    del presses
    began_s, before = time.monotonic(), panel.scans(0, Key.WIN)[0]
    wait_until_looked_at(panel, 0, Key.WIN, open_looks=8)
    assert panel.scans(0, Key.WIN)[0] - before <= 1 + 100 * (time.monotonic() - began_s)
    for place in range(4):
        wait_until_looked_at(panel, place, Key.CONFIRM, open_looks=8)


def wait_until_looked_at(panel: PanelFile, place: int, key: Key, open_looks: int) -> None:
    """Until the controller has found a key open so many times more."""
    before = panel.scans(place, key)[0]
    assert panel.wait(lambda: panel.scans(place, key)[0] >= before + open_looks, PATIENCE_S)


TAKEN = """
import lgpio
claim = lgpio.gpio_claim_output

def claimed(handle, gpio, *rest):
    if gpio == {pin}:
        raise lgpio.error("GPIO busy")
    return claim(handle, gpio, *rest)

lgpio.gpio_claim_output = claimed
lgpio.gpio_get_line_info = lambda handle, gpio: [0, gpio, 1, "GPIO" + str(gpio), "{user}"]
"""
FAILING = """
import lgpio
read = lgpio.gpio_read
fails = iter((False, True, True))

def fragile(handle, gpio):
    if next(fails, False):
        raise lgpio.error("bad handle")
    return read(handle, gpio)

lgpio.gpio_read = fragile
"""


@pytest.mark.parametrize(
    ("pin", "user", "said"),
    [
        (9, "", "BCM 9 (pin 21 of the header), the pin of fault: GPIO busy; SPI (raspi-config, Interface Options; dtparam=spi=on) usually"),
        (11, "spi0 CS0", "the pin of turn, place 0: GPIO busy; 'spi0 CS0' holds it: SPI (raspi-config, Interface Options; dtparam=spi=on)"),
        (18, "lg", "BCM 18 (pin 12 of the header), the pin of call, place 2: GPIO busy; 'lg' holds it: another program or an overlay"),
        (5, "", "the pin of rows, place 0: GPIO busy; an overlay of config.txt usually holds it, or another program: gpioinfo names it"),
    ],
)
def test_a_taken_pin_is_named_with_what_holds_it_and_its_switch(panel: PanelFile, tmp_path: Path, pin: int, user: str, said: str) -> None:
    del panel
    command = [sys.executable, "-c", TAKEN.format(pin=pin, user=user) + PROGRAM]
    started = subprocess.run(command, env=with_pins(tmp_path / "panel"), capture_output=True, text=True, check=False)
    assert said in started.stderr.splitlines()[-1]


def test_the_default_pins_need_no_interface_switched_off_but_spi_0_and_1_wire() -> None:
    pins = PanelPins()
    lamps = {*pins.turn, *pins.call, pins.window, pins.fault, pins.buzzer}
    used = {*pins.rows, *pins.columns, *lamps}
    assert len(used) == 22
    assert not used & {0, 1, 2, 3, 14, 15}
    assert min(lamps) > 8, "the buzzer would sound until the program starts"


def test_pins_that_fail_later_are_told_and_claimed_again(panel: PanelFile, tmp_path: Path) -> None:
    del panel
    program = FAILING + PROGRAM.replace(
        "lambda press: print(press.place, press.key.value, flush=True)", "lambda told: print(told, flush=True)"
    )
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, env=with_pins(tmp_path / "panel"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        said = ["ready\n", "PartLost(what='panel', why=None)\n", "PartFound(what='panel')\n"]
        assert [process.stdout.readline() for _ in said] == said
        process.communicate("\n", timeout=PATIENCE_S)
        assert process.returncode == 0


MEETING = """
import threading
from types import SimpleNamespace

import lgpio
from RPi import GPIO
from controller.adapters import panel as adapter
from controller.state.messages import PartFound
from twinwall.wire.shapes.panel import Lamps, PanelPins

pins, levels, clock = PanelPins(), {}, [0.0]
adapter.time, adapter.RETRY_S = SimpleNamespace(monotonic=lambda: clock[0]), 0.001
begun, moved, found = threading.Event(), threading.Event(), threading.Event()

class Lock:
    # The panel's own, which says that the thread of the meeting has to wait for another.
    def __enter__(self):
        if not lock.acquire(blocking=False):
            if threading.current_thread() is meeting.thread:
                moved.set()
            lock.acquire()

    def __exit__(self, *_):
        lock.release()

def show(lamps):
    try:
        panel.show(lamps)
    finally:
        moved.set()

def output(pin, level):
    # Between the scanning thread's look at the state and this level, another thread shows lamps, or has to wait.
    if pin == meeting.pin and threading.current_thread().name == "panel" and begun.is_set() and not moved.is_set():
        meeting.thread.start()
        moved.wait()
    write(pin, level)
    if isinstance(pin, int):
        levels[pin] = level

write, GPIO.output = GPIO.output, output
panel = adapter.Panel(pins, 0.001, 0.004, lambda message: found.set() if isinstance(message, PartFound) else None)
lock, panel._of_pins = panel._of_pins, Lock()
"""
"""Lets the thread that shows lamps meet the scanning thread at ``meeting.pin``: it either waits for the lock or shows them first."""
FOUND_AGAIN = """
read = lgpio.gpio_read

def fragile(handle, gpio):
    lgpio.gpio_read = read
    begun.set()
    raise lgpio.error("bad handle")

meeting = SimpleNamespace(pin=pins.fault, thread=threading.Thread(target=show, args=(Lamps(window=True),)))
panel.start()
lgpio.gpio_read = fragile
found.wait()
meeting.thread.join()
print("lit" if levels[pins.window] else "dark")
panel.stop()
"""
BUZZES_AGAIN = """
meeting = SimpleNamespace(pin=pins.buzzer, thread=threading.Thread(target=show, args=(Lamps(buzzer=True),)))
panel.start()
panel.show(Lamps(buzzer=True))
panel.show(Lamps())
begun.set()
clock[0] = adapter.BUZZ_S
moved.wait()
meeting.thread.join()
panel._stopped.set()
panel._thread.join()
print("sounds" if levels[pins.buzzer] else "silent")
panel.stop()
"""


@pytest.mark.parametrize(("program", "said"), [(FOUND_AGAIN, "lit\n"), (BUZZES_AGAIN, "sounds\n")], ids=["found again", "buzzes again"])
def test_lamps_shown_while_the_scanning_thread_sets_pins_are_on_the_pins(panel: PanelFile, tmp_path: Path, program: str, said: str) -> None:
    del panel
    command = [sys.executable, "-c", MEETING + program]
    shown = subprocess.run(command, env=with_pins(tmp_path / "panel"), capture_output=True, text=True, check=False, timeout=PATIENCE_S)
    assert (shown.stdout, shown.returncode) == (said, 0), shown.stderr


def test_pins_that_cannot_be_had_are_told_as_that_and_not_as_a_defect(tmp_path: Path) -> None:
    started = subprocess.run([sys.executable, "-c", PROGRAM], env=with_pins(tmp_path / "none"), capture_output=True, text=True, check=False)
    assert started.stderr.splitlines()[-1].startswith("RuntimeError: can not open gpiochip")
