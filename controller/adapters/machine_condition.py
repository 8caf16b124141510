"""Measures the table's computer for the heartbeat: disk, temperature, cameras. Read from the operating system, some seconds apart."""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from twinwall.wire.messages.machine import CameraCondition, MachineCondition

THERMAL_ZONE = Path("/sys/class/thermal/thermal_zone0/temp")
"""Where Linux tells the processor's temperature, in thousandths of a degree."""
MEASURE_EVERY_S = 10.0
_MIB, _STEP_MIB = 1 << 20, 100


@dataclass(frozen=True, slots=True)
class MachineFacts:
    """What does not change while the controller runs: when it started (CLOCK_MONOTONIC), the operations of the feeder up to then, and the
    journal's folder."""

    version: str
    started_s: float
    operations: int
    folder: Path
    thermal_zone: Path = THERMAL_ZONE


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
        free_mib = shutil.disk_usage(facts.folder).free // _MIB
        return MachineCondition(
            facts.version,
            int((now_s - facts.started_s) // 60),
            free_mib // _STEP_MIB * _STEP_MIB,
            _temperature_c(facts.thermal_zone),
            facts.operations,
            tuple(condition(round(now_s * 1e9)) for condition in self._cameras),
        )


def _temperature_c(zone: Path) -> int | None:
    try:
        return math.floor(int(zone.read_text(encoding="ascii")) / 1000 + 0.5)
    except (OSError, ValueError):
        return None
