"""The players' keys and lamps, through RPi.GPIO: a 4 × 6 key matrix and one pin a lamp.

The scan and the debouncing live here; what a key means and which lamps are lit is decided from
the table's state elsewhere. This is the only module that touches GPIO.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from RPi import GPIO


class Key(StrEnum):
    """The keys in front of every place, in the order of the matrix columns."""

    CHOW = "chow"
    PUNG = "pung"
    KONG = "kong"
    WIN = "win"
    CONFIRM = "confirm"
    REFEREE = "referee"


KEYS = tuple(Key)


@dataclass(frozen=True, slots=True)
class KeyPressed:
    """A key at a place (0–3) has been held down long enough to count; it counts once until let go."""

    place: int
    key: Key


@dataclass(frozen=True, slots=True)
class Lamps:
    """Which lamps are lit; ``turn`` and ``call`` hold places. The language of the lamps is docs/reference/panel.md."""

    turn: frozenset[int] = frozenset()
    call: frozenset[int] = frozenset()
    window: bool = False
    fault: bool = False
    buzzer: bool = False


@dataclass(frozen=True, slots=True)
class PanelPins:
    """BCM numbers: rows are places 0–3, columns the keys in ``KEYS`` order; lamps are lit by a high level."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    turn: tuple[int, ...]
    call: tuple[int, ...]
    window: int
    fault: int
    buzzer: int


class Debouncer:
    """A key counts once when it has been closed for ``hold_s``, and again only after being open for as long."""

    def __init__(self, hold_s: float) -> None:
        """``hold_s`` in seconds; key bounce of common switches ends within 5 ms."""
        self._hold_s = hold_s
        self._changed: dict[tuple[int, Key], float] = {}
        self._down: set[tuple[int, Key]] = set()

    def scanned(self, closed: frozenset[tuple[int, Key]], now: float) -> tuple[KeyPressed, ...]:
        """Take one scan of the matrix (the closed keys) at ``now`` seconds; returns what counts as pressed by it."""
        pressed = []
        for key in closed ^ self._down:
            since = self._changed.setdefault(key, now)
            if now - since >= self._hold_s:
                del self._changed[key]
                self._down ^= {key}
                if key in closed:
                    pressed.append(KeyPressed(*key))
        for key in list(self._changed):
            if (key in closed) == (key in self._down):
                del self._changed[key]
        return tuple(sorted(pressed, key=lambda press: (press.place, KEYS.index(press.key))))


class Panel:
    """Scans the keys in a thread of its own and sets lamps when told."""

    def __init__(self, pins: PanelPins, scan_period_s: float, debounce_s: float, post: Callable[[KeyPressed], None]) -> None:
        """``post`` is called from the scanning thread with each press."""
        self._pins = pins
        self._scan_period_s = scan_period_s
        self._debouncer = Debouncer(debounce_s)
        self._post = post
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="panel", daemon=True)

    def start(self) -> None:
        """Claim the pins, all lamps out, and begin to scan; raises RuntimeError when there is no GPIO to be had."""
        GPIO.setwarnings(False)
        GPIO.setmode(GPIO.BCM)
        GPIO.setup(list(self._pins.rows), GPIO.OUT, initial=GPIO.HIGH)
        GPIO.setup(list(self._pins.columns), GPIO.IN, pull_up_down=GPIO.PUD_UP)
        GPIO.setup([pin for pin, _ in self._levels(Lamps())], GPIO.OUT, initial=GPIO.LOW)
        self._thread.start()

    def show(self, lamps: Lamps) -> None:
        """Light exactly these lamps."""
        for pin, lit in self._levels(lamps):
            GPIO.output(pin, GPIO.HIGH if lit else GPIO.LOW)

    def stop(self) -> None:
        """All lamps out, pins released."""
        self._stopped.set()
        self._thread.join()
        self.show(Lamps())
        GPIO.cleanup()

    def _run(self) -> None:
        while not self._stopped.wait(self._scan_period_s):
            for press in self._debouncer.scanned(self._closed_keys(), time.monotonic()):
                self._post(press)

    def _closed_keys(self) -> frozenset[tuple[int, Key]]:
        closed = set()
        for place, row in enumerate(self._pins.rows):
            GPIO.output(row, GPIO.LOW)
            closed |= {(place, key) for key, column in zip(KEYS, self._pins.columns, strict=True) if GPIO.input(column) == GPIO.LOW}
            GPIO.output(row, GPIO.HIGH)
        return frozenset(closed)

    def _levels(self, lamps: Lamps) -> list[tuple[int, bool]]:
        pins = self._pins
        by_place = [(pin, place in lit) for lit, row in ((lamps.turn, pins.turn), (lamps.call, pins.call)) for place, pin in enumerate(row)]
        return [*by_place, (pins.window, lamps.window), (pins.fault, lamps.fault), (pins.buzzer, lamps.buzzer)]
