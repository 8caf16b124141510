"""Measures the table's computer for the heartbeat: disk, temperature, power, cameras. From the operating system, some seconds apart."""

import contextlib
import math
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from twinwall.game.values import frozen
from twinwall.wire.messages.machine import CameraCondition, MachineCondition

THERMAL_ZONE = Path("/sys/class/thermal/thermal_zone0/temp")
"""Where Linux tells the processor's temperature, in thousandths of a degree."""
PLATFORM = Path("/sys/devices/platform")
"""Below which a Raspberry Pi's kernel tells what its firmware has found: ``get_throttled``, in hexadecimal digits."""
_WEAK_POWER, _SLOWED = 0x10001, 0xE000E
"""Its bits for now and for since the start: under-voltage; frequency capped, throttled, soft limit of the temperature."""
MEASURE_EVERY_S = 10.0
_MIB, _STEP_MIB = 1 << 20, 100


@frozen
class MachineFacts:
    """What does not change while the controller runs: when it started (CLOCK_MONOTONIC), the operations of the feeder up to then, and the
    journal's folder."""

    version: str
    started_s: float
    operations: int
    folder: Path
    thermal_zone: Path = THERMAL_ZONE
    platform: Path = PLATFORM


class MachineMeter:
    """Tells the machine's condition, measured again every ``MEASURE_EVERY_S``."""

    def __init__(self, facts: MachineFacts, cameras: Sequence[Callable[[int], CameraCondition]], monotonic_s: Callable[[], float]) -> None:
        """``cameras`` tell what is known of each at a moment of CLOCK_MONOTONIC, in ns."""
        self._facts, self._cameras, self._monotonic_s = facts, tuple(cameras), monotonic_s
        self._measured: tuple[float, MachineCondition] | None = None

    def __call__(self) -> MachineCondition | None:
        """The condition; None where the disk cannot be asked."""
        now_s = self._monotonic_s()
        if self._measured is None or now_s - self._measured[0] >= MEASURE_EVERY_S:
            try:
                self._measured = now_s, self._measure(now_s)
            except OSError:
                return None
        return self._measured[1]

    def _measure(self, now_s: float) -> MachineCondition:
        facts = self._facts
        throttled = _throttled(facts.platform)
        free_mib = shutil.disk_usage(facts.folder).free // _MIB
        return MachineCondition(
            facts.version,
            int((now_s - facts.started_s) // 60),
            free_mib // _STEP_MIB * _STEP_MIB,
            _temperature_c(facts.thermal_zone),
            facts.operations,
            tuple(condition(round(now_s * 1e9)) for condition in self._cameras),
            bool(throttled & _WEAK_POWER),
            bool(throttled & _SLOWED),
        )


def _throttled(platform: Path) -> int:
    """What the firmware has found; 0 on another computer."""
    for file in platform.glob("soc*/soc*:firmware/get_throttled"):
        with contextlib.suppress(OSError, ValueError):
            return int(file.read_text(encoding="ascii"), 16)
    return 0


def _temperature_c(zone: Path) -> int | None:
    try:
        return math.floor(int(zone.read_text(encoding="ascii")) / 1000 + 0.5)
    except (OSError, ValueError):
        return None
