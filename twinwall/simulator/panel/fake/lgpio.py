"""A stand-in for the lgpio library whose chip is a shared file: what rpi-lgpio asks of it, and no more.

The folder of this file goes first on PYTHONPATH of the process that is to have simulated pins;
``TWINWALL_PANEL`` names the file, which the simulated world makes (``twinwall.simulator.panel.panel_file``).
Pins that the file calls rows and columns form a key matrix with a diode at every key: a column
reads low while a row of a closed key in it is driven low. Every such reading is counted in the
file, so that whoever holds a key knows that it was looked at. When the level of a pin that is no row
changes, a byte goes into the fifo beside the file (its name with ``.bell``), so that whoever looks
at lamps can sleep. Names and meanings are lgpio's (abyz.me.uk/lg/py_lgpio.html); this module
imports nothing but the standard library.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

MAGIC = b"TWPANEL1"
GPIOS = 54
ROWS, COLUMNS = 4, 7
CHANGES_AT, ROWS_AT, COLUMNS_AT, LEVELS_AT, KEYS_AT, SCANS_AT = 8, 16, 20, 32, 96, 128
SIZE = SCANS_AT + 2 * 4 * ROWS * COLUMNS
"""Magic; u64 count of level changes; row and column pins; a level per GPIO; a byte per key (1 = closed), row by row;
u32 counts of readings per key, first all that found it open, then all that found it closed. Native byte order."""
FLOATING = 2
"""Level of a pin that nothing drives; 0 and 1 are driven low and high."""
BELL = ".bell"

SET_ACTIVE_LOW, SET_OPEN_DRAIN, SET_OPEN_SOURCE, SET_PULL_UP, SET_PULL_DOWN, SET_PULL_NONE = 4, 8, 16, 32, 64, 128
SET_BIAS_PULL_UP, SET_BIAS_PULL_DOWN, SET_BIAS_DISABLE = SET_PULL_UP, SET_PULL_DOWN, SET_PULL_NONE
RISING_EDGE, FALLING_EDGE, BOTH_EDGES = 1, 2, 3
LOW, HIGH, TIMEOUT = 0, 1, 2
OKAY = 0
BAD_HANDLE, BAD_GPIO_NUMBER, BAD_WRITE, CANNOT_OPEN_CHIP, GPIO_BUSY = -5, -73, -77, -78, -79
GPIO_NOT_ALLOCATED, BAD_DEBOUNCE_MICS, BAD_PWM_FREQ, BAD_PWM_DUTY, GPIO_NOT_AN_OUTPUT = -80, -98, -102, -103, -104
_TEXTS = {
    BAD_HANDLE: "unknown handle",
    BAD_GPIO_NUMBER: "bad GPIO number",
    BAD_WRITE: "bad GPIO write",
    CANNOT_OPEN_CHIP: "can not open gpiochip",
    GPIO_BUSY: "GPIO busy",
    GPIO_NOT_ALLOCATED: "GPIO not allocated",
    BAD_DEBOUNCE_MICS: "bad debounce microseconds",
    BAD_PWM_FREQ: "bad PWM frequency",
    BAD_PWM_DUTY: "bad PWM dutycycle",
    GPIO_NOT_AN_OUTPUT: "GPIO not set as an output",
}
_PULLS = SET_PULL_UP | SET_PULL_DOWN | SET_PULL_NONE
_INPUT, _OUTPUT, _ALERT = 0x100, 0x200, 0x400
_KERNEL_OUTPUT, _EDGE_SHIFT = 0x2, 17
_ALERT_PERIOD_S = 0.001

exceptions = True
"""Whether errors are raised (lgpio's default) or returned as negative numbers."""

Listener = Callable[[int, int, int, int], object]


class error(Exception):  # noqa: N801, N818 - lgpio's own name
    """What lgpio raises for a negative status."""


def error_text(errnum: int) -> str:
    """The sentence of a negative status."""
    return _TEXTS.get(errnum, "unknown error")


def _failed(status: int) -> int:
    if exceptions:
        raise error(error_text(status))
    return status


class _Chip:
    """The opened file: levels out, keys in."""

    def __init__(self, path: Path) -> None:
        with path.open("r+b") as opened:
            self._map = mmap.mmap(opened.fileno(), SIZE)
        if self._map[: len(MAGIC)] != MAGIC:
            self._map.close()
            raise OSError(f"{path} is not a panel file")
        self._bell = -1
        with contextlib.suppress(OSError):  # nobody listens, and nobody needs to
            self._bell = os.open(f"{path}{BELL}", os.O_WRONLY | os.O_NONBLOCK)
        self._view = memoryview(self._map)
        self._changes = self._view[CHANGES_AT : CHANGES_AT + 8].cast("Q")
        self._levels = self._view[LEVELS_AT : LEVELS_AT + GPIOS]
        self._keys = self._view[KEYS_AT : KEYS_AT + ROWS * COLUMNS]
        self._scans = self._view[SCANS_AT:SIZE].cast("I")
        self._rows = tuple(self._map[ROWS_AT : ROWS_AT + ROWS])
        self._columns = {pin: index for index, pin in enumerate(self._map[COLUMNS_AT : COLUMNS_AT + COLUMNS])}
        self.modes: dict[int, int] = {}
        self.debounce_s: dict[int, float] = {}

    def close(self) -> None:
        for view in (self._changes, self._levels, self._keys, self._scans, self._view):
            view.release()
        self._map.close()
        if self._bell >= 0:
            os.close(self._bell)

    def drive(self, gpio: int, level: int) -> None:
        if self._levels[gpio] != level:
            self._levels[gpio] = level
            self._changes[0] += 1
            if self._bell >= 0 and gpio not in self._rows:
                with contextlib.suppress(OSError):  # full: whoever listens has not woken yet; broken: nobody listens any more
                    os.write(self._bell, b"!")

    def sample(self, gpio: int) -> int:
        """The level of a pin; a column's is made by the matrix, and each key that it looks at is counted."""
        driven = self._levels[gpio]
        if driven != FLOATING:
            return driven
        level = 1 if self.modes.get(gpio, 0) & SET_PULL_UP else 0
        column = self._columns.get(gpio)
        if column is None:
            return level
        for row, pin in enumerate(self._rows):
            if self._levels[pin] == 0:
                key = row * COLUMNS + column
                closed = self._keys[key]
                self._scans[key + ROWS * COLUMNS * closed] += 1
                if closed:
                    level = 0
        return level


_lock = threading.RLock()
_chips: dict[int, _Chip] = {}


def _chip(handle: int, gpio: int = 0) -> _Chip | int:
    """The chip, or the status that is wrong with the handle or the number."""
    chip = _chips.get(handle)
    if chip is None:
        return BAD_HANDLE
    return chip if 0 <= gpio < GPIOS else BAD_GPIO_NUMBER


def gpiochip_open(gpiochip: int) -> int:
    """Open the panel file; raises an error that names it when there is none."""
    path = os.environ.get("TWINWALL_PANEL", "")
    try:
        chip = _Chip(Path(path))
    except (OSError, ValueError) as problem:
        if exceptions:
            wanted = f"TWINWALL_PANEL={path!r}: {problem}" if path else "TWINWALL_PANEL must name the simulated world's panel file"
            raise error(f"{error_text(CANNOT_OPEN_CHIP)} {gpiochip}: {wanted}") from problem
        return CANNOT_OPEN_CHIP
    with _lock:
        handle = max(_chips, default=-1) + 1
        _chips[handle] = chip
    return handle


def gpiochip_close(handle: int) -> int:
    """Close the file; outputs keep their levels, as lines of a Pi do."""
    with _lock:
        chip = _chips.pop(handle, None)
        if chip is None:
            return _failed(BAD_HANDLE)
        chip.close()
    return OKAY


def gpio_get_chip_info(handle: int) -> list[int | str]:
    """Status, number of GPIOs, name and label."""
    chip = _chip(handle)
    if isinstance(chip, int):
        return [_failed(chip), 0, "", ""]
    return [OKAY, GPIOS, "gpiochip0", "twinwall-panel"]


def gpio_get_mode(handle: int, gpio: int) -> int:
    """Mode bits of a GPIO: pulls, direction, who claimed it, and the edges of an alert."""
    chip = _chip(handle, gpio)
    return _failed(chip) if isinstance(chip, int) else chip.modes.get(gpio, 0)


def gpio_claim_input(handle: int, gpio: int, lFlags: int = 0) -> int:  # noqa: N803 - lgpio's own name
    """Make a GPIO an input with the pulls of ``lFlags``."""
    return _claim(handle, gpio, _INPUT | lFlags & _PULLS, FLOATING)


def gpio_claim_output(handle: int, gpio: int, level: int = 0, lFlags: int = 0) -> int:  # noqa: N803
    """Make a GPIO an output at ``level``."""
    return _claim(handle, gpio, _OUTPUT | _KERNEL_OUTPUT | lFlags & _PULLS, int(bool(level)))


def gpio_claim_alert(handle: int, gpio: int, eFlags: int, lFlags: int = 0, notify_handle: int | None = None) -> int:  # noqa: ARG001, N803
    """Make a GPIO an input whose edges are told to the callbacks."""
    return _claim(handle, gpio, _ALERT | lFlags & _PULLS | eFlags << _EDGE_SHIFT, FLOATING)


def _claim(handle: int, gpio: int, mode: int, level: int) -> int:
    with _lock:
        chip = _chip(handle, gpio)
        if isinstance(chip, int):
            return _failed(chip)
        chip.modes[gpio] = mode
        chip.drive(gpio, level)
    return OKAY


def gpio_free(handle: int, gpio: int) -> int:
    """Give a GPIO back; its level stays as it was."""
    with _lock:
        chip = _chip(handle, gpio)
        if isinstance(chip, int):
            return _failed(chip)
        if gpio not in chip.modes:
            return _failed(GPIO_NOT_ALLOCATED)
        del chip.modes[gpio]
        chip.debounce_s.pop(gpio, None)
    return OKAY


def gpio_read(handle: int, gpio: int) -> int:
    """The level of a GPIO, 0 or 1; a free one becomes an input first."""
    with _lock:
        chip = _chip(handle, gpio)
        if isinstance(chip, int):
            return _failed(chip)
        if gpio not in chip.modes:
            gpio_claim_input(handle, gpio, SET_PULL_NONE)
        return chip.sample(gpio)


def gpio_write(handle: int, gpio: int, level: int) -> int:
    """Drive an output; a GPIO that is not one is refused."""
    with _lock:
        chip = _chip(handle, gpio)
        if isinstance(chip, int):
            return _failed(chip)
        if not chip.modes.get(gpio, 0) & _OUTPUT:
            return _failed(GPIO_NOT_AN_OUTPUT)
        chip.drive(gpio, int(bool(level)))
    return OKAY


def tx_pwm(handle: int, gpio: int, pwm_frequency: float, pwm_duty_cycle: float, pulse_offset: int = 0, pulse_cycles: int = 0) -> int:  # noqa: ARG001, PLR0917
    """A wave on an output: the file shows it as high while it runs. Returns the free places of the queue."""
    if not 0 <= pwm_frequency <= 10_000:
        return _failed(BAD_PWM_FREQ)
    if not 0 <= pwm_duty_cycle <= 100:
        return _failed(BAD_PWM_DUTY)
    status = gpio_write(handle, gpio, int(pwm_frequency > 0 and pwm_duty_cycle > 0))
    return status if status < 0 else 1


def gpio_set_debounce_micros(handle: int, gpio: int, debounce_micros: int) -> int:
    """How long a level must last to count as an edge, in µs up to 5 s."""
    chip = _chip(handle, gpio)
    if isinstance(chip, int):
        return _failed(chip)
    if not 0 <= debounce_micros <= 5_000_000:
        return _failed(BAD_DEBOUNCE_MICS)
    chip.debounce_s[gpio] = debounce_micros / 1e6
    return OKAY


@dataclass(slots=True)
class _Callback:
    """A listener for a GPIO's edges: the level now, since when, and the level last told."""

    handle: int
    gpio: int
    func: Listener | None
    level: int = 0
    since_s: float = 0.0
    told: int = 0
    count: int = 0

    def cancel(self) -> None:
        """Stop listening."""
        with _lock:
            _listeners[:] = [listener for listener in _listeners if listener is not self]

    def tally(self) -> int:
        """How many edges there were."""
        return self.count

    def reset_tally(self) -> None:
        """Count from 0 again."""
        self.count = 0

    def tell(self, level: int) -> None:
        """One edge."""
        self.count += 1
        if self.func is not None:
            self.func(self.handle, self.gpio, level, time.time_ns())


_listeners: list[_Callback] = []


def callback(handle: int, gpio: int, edge: int = RISING_EDGE, func: Listener | None = None) -> _Callback:  # noqa: ARG001
    """Call ``func(chip, gpio, level, time in ns)`` at each edge for which the GPIO was claimed."""
    level = gpio_read(handle, gpio)
    listener = _Callback(handle, gpio, func, level, time.monotonic(), level)
    with _lock:
        _listeners.append(listener)
        if len(_listeners) == 1:
            threading.Thread(target=_watch_edges, name="lgpio alerts", daemon=True).start()
    return listener


def _watch_edges() -> None:
    """Sample the pins that somebody listens to until nobody does."""
    while True:
        with _lock:
            if not _listeners:
                return
            told = [(listener, listener.level) for listener in _listeners if _has_edge(listener)]
        for listener, level in told:
            listener.tell(level)
        time.sleep(_ALERT_PERIOD_S)


def _has_edge(listener: _Callback) -> bool:
    """Whether the pin has changed to a level that it was claimed for, and that has lasted long enough."""
    chip = _chips.get(listener.handle)
    mode = 0 if chip is None else chip.modes.get(listener.gpio, 0)
    if chip is None or not mode & _ALERT:
        return False
    level, now_s = chip.sample(listener.gpio), time.monotonic()
    if level != listener.level:
        listener.level, listener.since_s = level, now_s
    if level == listener.told or now_s - listener.since_s < chip.debounce_s.get(listener.gpio, 0.0):
        return False
    listener.told = level
    return bool(mode >> _EDGE_SHIFT & (RISING_EDGE if level else FALLING_EDGE))
