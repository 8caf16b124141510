"""Panel through RPi.GPIO: a 4 × 7 key matrix, and one pin for each lamp.

This module scans keys and sets levels; the controller decides what a key means and which lamps are lit. All rows are normally low, so one
read of the columns shows that no key is down; only otherwise are the rows driven one by one. Only this module uses GPIO; it can be imported
only on a Raspberry Pi, or with the simulator's pins.
"""

import contextlib
import logging
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping

import lgpio
from RPi import GPIO

from controller.state.messages import Debouncer, PanelMessage, PartFound, PartLost
from controller.state.table_state import PANEL
from twinwall.wire.shapes.panel import KEYS, Key, Lamps, PanelPins

BUZZ_S = 0.6
"""How long the buzzer sounds for a call."""
IDLE_S = 0.02
"""Least time between two reads of the columns while no key is down: seven pins take a processor 0.1 ms and more."""
RETRY_S = 1.0
"""How often failing pins are claimed again."""
_HOLDERS: Mapping[int, str] = {
    **dict.fromkeys((0, 1), "the EEPROM of a HAT (dtparam=i2c_vc=on)"),
    **dict.fromkeys((2, 3), "I2C (raspi-config, Interface Options; dtparam=i2c_arm=on)"),
    4: "1-Wire (raspi-config, Interface Options; dtoverlay=w1-gpio)",
    **dict.fromkeys(range(7, 12), "SPI (raspi-config, Interface Options; dtparam=spi=on)"),
    **dict.fromkeys((12, 13), "sound or a fan by PWM (dtoverlay=audremap, dtoverlay=pwm)"),
    **dict.fromkeys((14, 15), "the serial port (raspi-config, Interface Options; enable_uart=1, console=serial0 in cmdline.txt)"),
    **dict.fromkeys(range(16, 22), "SPI 1 (dtoverlay=spi1-…cs) or digital sound (dtparam=i2s=on)"),
}
"""The usual user of a pin on Raspberry Pi OS, by BCM number, with its switch and its line in config.txt."""
_HEADER = (27, 28, 3, 5, 7, 29, 31, 26, 24, 21, 19, 23, 32, 33, 8, 10, 36, 11, 12, 35, 38, 40, 15, 16, 18, 22, 37, 13)
"""The header's pin, by BCM number."""
_KERNELS = re.compile("spi|i2c|w1|onewire|serial|uart|pwm|fan", re.IGNORECASE)
"""Matches the names under which the kernel itself holds a pin for an overlay."""

log = logging.getLogger(__name__)


class Panel:
    """Scans the keys in its own thread, and sets lamps."""

    def __init__(self, pins: PanelPins, scan_period_s: float, debounce_s: float, post: Callable[[PanelMessage], None]) -> None:
        """``post`` is called from the scanning thread with each press, and when the pins fail or work again."""
        self._pins = pins
        self._scan_period_s = scan_period_s
        self._debouncer = Debouncer(debounce_s)
        self._post = post
        self._closed: frozenset[tuple[int, Key]] = frozenset()
        self._wanted = False
        self._lamps = Lamps()
        self._failed: str | None = None
        """Why the pins fail, or None."""
        self._sound_until_s: float | None = None
        self._of_pins = threading.Lock()
        """Held to set lamps or the buzzer, and to report failing or working pins."""
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="panel", daemon=True)

    def start(self) -> None:
        """Claim the pins with all lamps off, and begin to scan; raises RuntimeError, which names an unavailable pin."""
        self._claim()
        self._thread.start()

    def show(self, lamps: Lamps) -> None:
        """Light exactly these lamps; the buzzer sounds once, when it is first wanted."""
        with self._of_pins:
            self._lamps = lamps
            if self._failed is not None:
                return
            try:
                self._light(lamps)
            except lgpio.error as error:
                self._failed = str(error)

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join()
        self.show(Lamps())
        with contextlib.suppress(lgpio.error):
            GPIO.output(self._pins.buzzer, GPIO.LOW)
            GPIO.cleanup()

    def _light(self, lamps: Lamps) -> None:
        for pin, lit in self._levels(lamps):
            GPIO.output(pin, GPIO.HIGH if lit else GPIO.LOW)
        if lamps.buzzer and not self._wanted:
            self._sound_until_s = time.monotonic() + BUZZ_S
            GPIO.output(self._pins.buzzer, GPIO.HIGH)
        self._wanted = lamps.buzzer

    def _claim(self) -> None:
        GPIO.setwarnings(False)
        pin, of = -1, ""
        try:
            GPIO.setmode(GPIO.BCM)
            for pin, what in self._wired():
                of = f"BCM {pin} (pin {_HEADER[pin]} of the header), the pin of {what}: "
                if pin in self._pins.columns:
                    GPIO.setup(pin, GPIO.IN, pull_up_down=GPIO.PUD_UP)
                else:
                    GPIO.setup(pin, GPIO.OUT, initial=GPIO.LOW)
        except (lgpio.error, RuntimeError) as error:
            advice = _advice(pin) if "busy" in str(error).lower() else ""
            with contextlib.suppress(lgpio.error, RuntimeError):
                GPIO.cleanup()
            raise RuntimeError(f"{of}{error}{advice}") from error

    def _wired(self) -> Iterator[tuple[int, str]]:
        pins = self._pins
        for name, row in (("rows", pins.rows), ("turn", pins.turn), ("call", pins.call), ("wall", pins.wall)):
            yield from ((pin, f"{name}, place {place}") for place, pin in enumerate(row))
        yield from ((pin, f"columns, {key.upper()}") for key, pin in zip(KEYS, pins.columns, strict=True))
        yield from ((pins.window, "window"), (pins.fault, "fault"), (pins.buzzer, "buzzer"))

    def _run(self) -> None:
        reported = False
        while not self._stopped.wait(self._pause_s()):
            try:
                if self._failed is not None:
                    if not reported:
                        log.warning("the panel's pins fail (%s): they are tried again every %g s", self._failed, RETRY_S)
                        self._post(PartLost(PANEL))
                    reported = True
                    with self._of_pins:
                        self._claim()
                        self._light(self._lamps)
                        self._failed, reported = None, False
                    self._post(PartFound(PANEL))
                self._scan()
            except (lgpio.error, RuntimeError) as error:
                with self._of_pins:
                    self._failed = str(error)

    def _pause_s(self) -> float:
        if self._failed is not None:
            return RETRY_S
        return self._scan_period_s if self._debouncer.is_busy else max(self._scan_period_s, IDLE_S)

    def _scan(self) -> None:
        now_s = time.monotonic()
        with self._of_pins:
            if self._sound_until_s is not None and now_s >= self._sound_until_s:
                self._sound_until_s = None
                GPIO.output(self._pins.buzzer, GPIO.LOW)
        if self._closed or self._low_columns():
            self._closed = self._scanned()
        for press in self._debouncer.scanned(self._closed, now_s):
            self._post(press)

    def _scanned(self) -> frozenset[tuple[int, Key]]:
        """The keys that are down, row by row; afterwards all rows are low again."""
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
        """The keys of which one is down in the low row."""
        return tuple(key for key, column in zip(KEYS, self._pins.columns, strict=True) if GPIO.input(column) == GPIO.LOW)

    def _levels(self, lamps: Lamps) -> list[tuple[int, bool]]:
        pins = self._pins
        by_place = [(pin, place in lit) for lit, row in ((lamps.turn, pins.turn), (lamps.call, pins.call)) for place, pin in enumerate(row)]
        walls = [(pin, place == lamps.wall) for place, pin in enumerate(pins.wall)]
        return [*by_place, *walls, (pins.window, lamps.window), (pins.fault, lamps.fault)]


def _advice(pin: int) -> str:
    """Who holds a taken pin, by the kernel or usually, and what to switch off."""
    usual, user = _HOLDERS.get(pin, "an overlay of config.txt"), ""
    with contextlib.suppress(lgpio.error):
        user = lgpio.gpio_get_line_info(GPIO._chip, pin)[4]  # the handle that rpi-lgpio opened
    if not user:
        held = f"{usual} usually holds it, or another program: gpioinfo names it"
    else:
        held = f"{user!r} holds it: {usual if _KERNELS.search(user) else 'another program or an overlay of config.txt'}"
    return f"; {held}; switch that off, or choose another pin in [panel]"
