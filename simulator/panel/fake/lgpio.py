"""A stand-in for the lgpio library whose chip is a shared file: what rpi-lgpio asks of it for a panel, and no more.

The folder of this file goes first on PYTHONPATH of the process that is to have simulated pins; ``TWINWALL_PANEL`` names the file, which the
simulated world makes (``simulator.panel.panel_file``). Pins that the file calls rows and columns form a key matrix with a diode at every
key: a column reads low while a row of a closed key in it is driven low. Every such reading is counted in the file, so that the holder of a
key knows that it was looked at. When the level of a pin that is no row changes, a byte goes into the fifo beside the file (its name with
``.bell``), so that a reader who looks at lamps can sleep. Names and meanings are lgpio's (abyz.me.uk/lg/py_lgpio.html); this module imports
nothing but the standard library.
"""

import contextlib
import mmap
import os
import threading
from collections.abc import Callable
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
LOW, HIGH, TIMEOUT = 0, 1, 2
OKAY = 0
BAD_HANDLE, BAD_GPIO_NUMBER, BAD_WRITE, CANNOT_OPEN_CHIP, GPIO_BUSY = -5, -73, -77, -78, -79
GPIO_NOT_ALLOCATED, GPIO_NOT_AN_OUTPUT = -80, -104
_TEXTS = {
    BAD_HANDLE: "unknown handle",
    BAD_GPIO_NUMBER: "bad GPIO number",
    BAD_WRITE: "bad GPIO write",
    CANNOT_OPEN_CHIP: "can not open gpiochip",
    GPIO_BUSY: "GPIO busy",
    GPIO_NOT_ALLOCATED: "GPIO not allocated",
    GPIO_NOT_AN_OUTPUT: "GPIO not set as an output",
}
_PULLS = SET_PULL_UP | SET_PULL_DOWN | SET_PULL_NONE
_INPUT, _OUTPUT, _KERNEL_OUTPUT = 0x100, 0x200, 0x2

exceptions = True
"""Whether errors are raised (lgpio's default) or returned as negative numbers."""


class error(Exception):  # noqa: N801, N818 - lgpio's own name
    """What lgpio raises for a negative status."""


def error_text(errnum: int) -> str:
    return _TEXTS.get(errnum, "unknown error")


class _Chip:
    """The opened file: levels out, keys in."""

    def __init__(self, path: Path) -> None:
        with path.open("r+b") as opened:
            self._map = mmap.mmap(opened.fileno(), SIZE)
        if self._map[: len(MAGIC)] != MAGIC:
            self._map.close()
            raise OSError(f"{path} is not a panel file")
        self._bell = -1
        with contextlib.suppress(OSError):  # no listener is there, and none is needed
            self._bell = os.open(f"{path}{BELL}", os.O_WRONLY | os.O_NONBLOCK)
        self._view = memoryview(self._map)
        self._changes = self._view[CHANGES_AT : CHANGES_AT + 8].cast("Q")
        self._levels = self._view[LEVELS_AT : LEVELS_AT + GPIOS]
        self._keys = self._view[KEYS_AT : KEYS_AT + ROWS * COLUMNS]
        self._scans = self._view[SCANS_AT:SIZE].cast("I")
        self._rows = tuple(self._map[ROWS_AT : ROWS_AT + ROWS])
        self._columns = {pin: index for index, pin in enumerate(self._map[COLUMNS_AT : COLUMNS_AT + COLUMNS])}
        self.modes: dict[int, int] = {}

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
                with contextlib.suppress(OSError):  # full: the listener has not woken yet; broken: there is none any more
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


def _done(handle: int, gpio: int, do: Callable[[_Chip], int]) -> int:
    """What comes of something with a chip, or the status that is wrong with the handle or the number; a negative status is an error."""
    with _lock:
        chip = _chips.get(handle)
        status = BAD_HANDLE if chip is None else do(chip) if 0 <= gpio < GPIOS else BAD_GPIO_NUMBER
    if status < 0 and exceptions:
        raise error(error_text(status))
    return status


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

    def close(chip: _Chip) -> int:
        del _chips[handle]
        chip.close()
        return OKAY

    return _done(handle, 0, close)


def gpio_get_chip_info(handle: int) -> list[int | str]:
    """Status, number of GPIOs, name and label."""
    status = _done(handle, 0, lambda _chip: OKAY)
    return [status, 0, "", ""] if status else [OKAY, GPIOS, "gpiochip0", "twinwall-panel"]


def gpio_get_mode(handle: int, gpio: int) -> int:
    return _done(handle, gpio, lambda chip: chip.modes.get(gpio, 0))


def gpio_claim_input(handle: int, gpio: int, lFlags: int = 0) -> int:  # noqa: N803 - lgpio's own name
    return _claim(handle, gpio, _INPUT | lFlags & _PULLS, FLOATING)


def gpio_claim_output(handle: int, gpio: int, level: int = 0, lFlags: int = 0) -> int:  # noqa: N803
    return _claim(handle, gpio, _OUTPUT | _KERNEL_OUTPUT | lFlags & _PULLS, int(bool(level)))


def _claim(handle: int, gpio: int, mode: int, level: int) -> int:
    def claim(chip: _Chip) -> int:
        chip.modes[gpio] = mode
        chip.drive(gpio, level)
        return OKAY

    return _done(handle, gpio, claim)


def gpio_free(handle: int, gpio: int) -> int:
    """Give a GPIO back; its level stays as it was."""
    return _done(handle, gpio, lambda chip: GPIO_NOT_ALLOCATED if chip.modes.pop(gpio, None) is None else OKAY)


def gpio_read(handle: int, gpio: int) -> int:
    """The level of a GPIO, 0 or 1; a free one becomes an input first."""

    def read(chip: _Chip) -> int:
        if gpio not in chip.modes:
            gpio_claim_input(handle, gpio, SET_PULL_NONE)
        return chip.sample(gpio)

    return _done(handle, gpio, read)


def gpio_write(handle: int, gpio: int, level: int) -> int:
    """Drive an output; a GPIO that is not one is refused."""

    def write(chip: _Chip) -> int:
        if not chip.modes.get(gpio, 0) & _OUTPUT:
            return GPIO_NOT_AN_OUTPUT
        chip.drive(gpio, int(bool(level)))
        return OKAY

    return _done(handle, gpio, write)
