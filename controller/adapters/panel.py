"""Panel through RPi.GPIO: a 4 × 7 key matrix, and one pin for each lamp.

This module scans keys and sets levels. The controller's state decides what a key means and which lamps are lit. All
rows rest low, so one read of the columns shows that no key is down; only when one is, the rows are driven one by one.
No other module touches GPIO; it can be imported on a Raspberry Pi alone, or where the simulator provides the pins.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import lgpio
from RPi import GPIO

from controller.state.keys import KEYS, Debouncer, Key, KeyPressed, Lamps, PanelPins

BUZZ_S = 0.6
"""How long the buzzer sounds when somebody is called for."""


class Panel:
    """Scans the keys in a thread of its own and sets lamps when told."""

    def __init__(self, pins: PanelPins, scan_period_s: float, debounce_s: float, post: Callable[[KeyPressed], None]) -> None:
        """``post`` is called from the scanning thread with each press."""
        self._pins = pins
        self._scan_period_s = scan_period_s
        self._debouncer = Debouncer(debounce_s)
        self._post = post
        self._closed: frozenset[tuple[int, Key]] = frozenset()
        self._wanted = False
        self._sound_until_s: float | None = None
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="panel", daemon=True)

    def start(self) -> None:
        """Claim the pins, all lamps out, and begin to scan; raises RuntimeError when there is no GPIO to be had."""
        try:
            self._claim()
        except lgpio.error as error:
            raise RuntimeError(str(error)) from error
        self._thread.start()

    def show(self, lamps: Lamps) -> None:
        """Light exactly these lamps; the buzzer sounds once, when it begins to be wanted."""
        for pin, lit in self._levels(lamps):
            GPIO.output(pin, GPIO.HIGH if lit else GPIO.LOW)
        if lamps.buzzer and not self._wanted:
            self._sound_until_s = time.monotonic() + BUZZ_S
            GPIO.output(self._pins.buzzer, GPIO.HIGH)
        self._wanted = lamps.buzzer

    def stop(self) -> None:
        """All lamps out, pins released."""
        self._stopped.set()
        self._thread.join()
        self.show(Lamps())
        GPIO.output(self._pins.buzzer, GPIO.LOW)
        GPIO.cleanup()

    def _claim(self) -> None:
        GPIO.setwarnings(False)
        GPIO.setmode(GPIO.BCM)
        GPIO.setup(list(self._pins.rows), GPIO.OUT, initial=GPIO.LOW)
        GPIO.setup(list(self._pins.columns), GPIO.IN, pull_up_down=GPIO.PUD_UP)
        GPIO.setup([*(pin for pin, _ in self._levels(Lamps())), self._pins.buzzer], GPIO.OUT, initial=GPIO.LOW)

    def _run(self) -> None:
        while not self._stopped.wait(self._scan_period_s):
            now_s = time.monotonic()
            if self._sound_until_s is not None and now_s >= self._sound_until_s:
                self._sound_until_s = None
                GPIO.output(self._pins.buzzer, GPIO.LOW)
            if self._closed or self._low_columns():
                self._closed = self._scanned()
            for press in self._debouncer.scanned(self._closed, now_s):
                self._post(press)

    def _scanned(self) -> frozenset[tuple[int, Key]]:
        """Which keys are down, row by row; afterwards all rows rest low again."""
        rows = list(self._pins.rows)
        closed: set[tuple[int, Key]] = set()
        GPIO.output(rows, GPIO.HIGH)
        for place, row in enumerate(rows):
            GPIO.output(row, GPIO.LOW)
            closed |= {(place, key) for key in self._low_columns()}
            GPIO.output(row, GPIO.HIGH)
        GPIO.output(rows, GPIO.LOW)
        return frozenset(closed)

    def _low_columns(self) -> tuple[Key, ...]:
        """The keys of which one is down in a row that is driven low."""
        return tuple(key for key, column in zip(KEYS, self._pins.columns, strict=True) if GPIO.input(column) == GPIO.LOW)

    def _levels(self, lamps: Lamps) -> list[tuple[int, bool]]:
        pins = self._pins
        by_place = [(pin, place in lit) for lit, row in ((lamps.turn, pins.turn), (lamps.call, pins.call)) for place, pin in enumerate(row)]
        walls = [(pin, place == lamps.wall) for place, pin in enumerate(pins.wall)]
        return [*by_place, *walls, (pins.window, lamps.window), (pins.fault, lamps.fault)]
