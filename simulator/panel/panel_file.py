"""Simulated pins, the world's side: keys that hands hold closed, and lamps that people see.

The controller's process shares the file; there ``fake/lgpio.py`` answers rpi-lgpio from it. The world writes keys,
the controller's process levels and the counts of readings. A fifo beside the file tells that a lamp has changed. The
meaning of the lamps is in docs/reference/panel.md.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import select
import struct
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from simulator.panel.fake import lgpio

POLL_S = 0.004
SETTLING_S = 0.002
"""Lamps that change together do so within this time."""
_MOST_RINGS = 4096


class PanelKey(StrEnum):
    """The keys before every place, in the order of the matrix columns."""

    CHOW = "chow"
    PUNG = "pung"
    KONG = "kong"
    WIN = "win"
    CONFIRM = "confirm"
    REFEREE = "referee"
    RIICHI = "riichi"


KEYS: tuple[PanelKey, ...] = tuple(PanelKey)


@dataclass(frozen=True, slots=True)
class SimulatedPanelPins:
    """BCM numbers: a matrix row for each place, a column for each key, and lamps that a high level lights."""

    rows: tuple[int, int, int, int] = (5, 6, 13, 19)
    columns: tuple[int, int, int, int, int, int, int] = (12, 16, 20, 21, 26, 25, 11)
    turn: tuple[int, int, int, int] = (4, 17, 27, 22)
    call: tuple[int, int, int, int] = (23, 24, 18, 15)
    window: int = 14
    fault: int = 8
    buzzer: int = 7


@dataclass(frozen=True, slots=True)
class LitLamps:
    """Which lamps are lit; ``turn`` and ``call`` by place."""

    turn: tuple[bool, ...] = (False,) * 4
    call: tuple[bool, ...] = (False,) * 4
    window: bool = False
    fault: bool = False
    buzzer: bool = False


class PanelFile:
    """One panel; every method may be called from any thread."""

    def __init__(self, path: Path, pins: SimulatedPanelPins) -> None:
        """Make the file at ``path``: no pin driven, every key open."""
        self.pins = pins
        head = struct.pack("=8sQ4B7B", lgpio.MAGIC, 0, *pins.rows, *pins.columns).ljust(lgpio.LEVELS_AT, b"\0")
        content = (head + bytes([lgpio.FLOATING]) * lgpio.GPIOS).ljust(lgpio.SIZE, b"\0")
        path.write_bytes(content)
        with path.open("r+b") as opened:
            self._map = mmap.mmap(opened.fileno(), lgpio.SIZE)
        self._lock = threading.Lock()
        bell = Path(f"{path}{lgpio.BELL}")
        bell.unlink(missing_ok=True)
        os.mkfifo(bell)
        self._bell = os.open(bell, os.O_RDWR | os.O_NONBLOCK)
        self._watching: threading.Thread | None = None
        self._closing = threading.Event()

    def close(self) -> None:
        """Let the file go; it stays on disk for whoever still has it open."""
        self._closing.set()
        if self._watching is not None:
            with contextlib.suppress(BlockingIOError):
                os.write(self._bell, b"!")
            self._watching.join()
        with self._lock:
            self._map.close()
            os.close(self._bell)

    def watch(self, watcher: Callable[[], None]) -> None:
        """Call ``watcher`` from a thread of its own, soon after lamps have changed."""
        self._watching = threading.Thread(target=self._watch, args=(watcher,), name="panel", daemon=True)
        self._watching.start()

    def _watch(self, watcher: Callable[[], None]) -> None:
        while not self._closing.is_set():
            select.select([self._bell], [], [])
            self._closing.wait(SETTLING_S)
            with contextlib.suppress(BlockingIOError):
                os.read(self._bell, _MOST_RINGS)
            watcher()

    def press(self, place: int, key: PanelKey) -> None:
        """Close a key's contact."""
        self._set(place, key, 1)

    def release(self, place: int, key: PanelKey) -> None:
        """Open a key's contact."""
        self._set(place, key, 0)

    def scans(self, place: int, key: PanelKey) -> tuple[int, int]:
        """How often the controller has looked at a key and found it open, and closed."""
        index = _key_index(place, key)
        with self._lock:
            counts: tuple[int, ...] = struct.unpack_from(f"={2 * lgpio.ROWS * lgpio.COLUMNS}I", self._map, lgpio.SCANS_AT)
        return counts[index], counts[index + lgpio.ROWS * lgpio.COLUMNS]

    def lamps(self) -> LitLamps:
        """The lamps at one moment: never half of a change of one pin and half of the next."""
        pins, levels = self.pins, self._levels()
        return LitLamps(
            turn=tuple(levels[pin] == 1 for pin in pins.turn),
            call=tuple(levels[pin] == 1 for pin in pins.call),
            window=levels[pins.window] == 1,
            fault=levels[pins.fault] == 1,
            buzzer=levels[pins.buzzer] == 1,
        )

    def wait(self, reached: Callable[[], bool], timeout_s: float) -> bool:
        """Look every 4 ms until ``reached`` holds; whether it did within ``timeout_s`` of wall time."""
        deadline = time.monotonic() + timeout_s
        while not reached():
            if time.monotonic() >= deadline:
                return False
            time.sleep(POLL_S)
        return True

    def _set(self, place: int, key: PanelKey, closed: int) -> None:
        with self._lock:
            self._map[lgpio.KEYS_AT + _key_index(place, key)] = closed

    def _levels(self) -> bytes:
        """All levels, read again while a change came in between."""
        with self._lock:
            while True:
                before = self._map[lgpio.CHANGES_AT : lgpio.CHANGES_AT + 8]
                levels = self._map[lgpio.LEVELS_AT : lgpio.LEVELS_AT + lgpio.GPIOS]
                if self._map[lgpio.CHANGES_AT : lgpio.CHANGES_AT + 8] == before:
                    return levels


def _key_index(place: int, key: PanelKey) -> int:
    if not 0 <= place < lgpio.ROWS:
        raise ValueError(f"there is no place {place}: places are 0 to 3")
    return place * lgpio.COLUMNS + KEYS.index(key)
