"""Simulated pins, the world's side: keys that hands hold closed, and lamps that people see.

The controller's process shares the file; there ``fake/lgpio.py`` answers rpi-lgpio from it. The world writes keys,
the controller's process levels and the counts of readings. A fifo beside the file tells that a lamp has changed. The
meaning of the lamps is in docs/reference/panel.md.
"""

import contextlib
import mmap
import os
import select
import struct
import threading
import time
from collections.abc import Callable
from pathlib import Path

from simulator.panel.fake import lgpio
from twinwall.wire.shapes.panel import KEYS, Key, Lamps, PanelPins

POLL_S = 0.004
SETTLING_S = 0.002
"""Lamps that change together do so within this time."""
_MOST_RINGS = 4096


class PanelFile:
    """One panel; every method may be called from any thread."""

    def __init__(self, path: Path, pins: PanelPins) -> None:
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
        """Let the file go; it stays on disk for a program that still has it open."""
        self._closing.set()
        if self._watching is not None:
            with contextlib.suppress(BlockingIOError):
                os.write(self._bell, b"!")
            self._watching.join()
        with self._lock:
            self._map.close()
            os.close(self._bell)
            self._bell = -1

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

    def press(self, place: int, key: Key) -> None:
        self._set(place, key, 1)

    def release(self, place: int, key: Key) -> None:
        self._set(place, key, 0)

    def scans(self, place: int, key: Key) -> tuple[int, int]:
        """How often the controller has looked at a key and found it open, and closed."""
        index = _key_index(place, key)
        with self._lock:
            counts: tuple[int, ...] = struct.unpack_from(f"={2 * lgpio.ROWS * lgpio.COLUMNS}I", self._map, lgpio.SCANS_AT)
        return counts[index], counts[index + lgpio.ROWS * lgpio.COLUMNS]

    def lamps(self) -> Lamps:
        """The lamps at one moment: never half of a change of one pin and half of the next."""
        pins, levels = self.pins, self._levels()
        return Lamps(
            turn=frozenset(place for place, pin in enumerate(pins.turn) if levels[pin] == 1),
            call=frozenset(place for place, pin in enumerate(pins.call) if levels[pin] == 1),
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

    def _set(self, place: int, key: Key, closed: int) -> None:
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


def _key_index(place: int, key: Key) -> int:
    if not 0 <= place < lgpio.ROWS:
        raise ValueError(f"there is no place {place}: places are 0 to 3")
    return place * lgpio.COLUMNS + KEYS.index(key)
