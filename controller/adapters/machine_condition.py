"""The machine's part of the heartbeat: the computer's disk, temperature, power and cameras, measured every few seconds, and the quality of
the serial line to the feeder, as error ratios and latency, never counts."""

import contextlib
import math
import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from firmware_bridge.link.statistics import LinkStatistics
from twinwall.wire.messages.commands import CameraCondition, FeederLinkQuality, MachineCondition

SYSTEM = Path("/sys")
"""Below it Linux has the findings of a Raspberry Pi's firmware, the temperature in thousandths of a degree, what was written to each disk,
an eMMC's life in tenths, and each file system's errors."""
_WEAK_POWER, _SLOWED = 0x10001, 0xE000E
"""The firmware's bits for now and for since the start: under-voltage; frequency capped, throttled, soft limit of the temperature."""
MEASURE_EVERY_S = 10.0
_MIB, _STEP_MIB = 1 << 20, 100
_SECTORS_WRITTEN, _SECTORS_A_GIB, _DAY_S = 6, 1 << 21, 86400.0


class MachineMeter:
    def __init__(
        self,
        version: str,
        started_s: float,
        operations: int,
        folder: Path,
        *,
        cameras: Sequence[Callable[[int], CameraCondition]],
        monotonic_s: Callable[[], float],
        system: Path = SYSTEM,
    ) -> None:
        """The controller started at ``started_s`` (CLOCK_MONOTONIC), after so many ``operations`` of the feeder; ``folder`` is the
        journal's. ``cameras`` return each camera's condition at a time of CLOCK_MONOTONIC, in ns."""
        self._version, self._started_s, self._operations, self._folder = version, started_s, operations, folder
        self._cameras, self._monotonic_s, self._system = tuple(cameras), monotonic_s, system
        self._measured: tuple[float, MachineCondition] | None = None

    def __call__(self) -> MachineCondition | None:
        """The condition; None if the disk cannot be asked."""
        now_s = self._monotonic_s()
        if self._measured is None or now_s - self._measured[0] >= MEASURE_EVERY_S:
            try:
                self._measured = now_s, self._measure(now_s)
            except OSError:
                return None
        return self._measured[1]

    def _measure(self, now_s: float) -> MachineCondition:
        read = partial(_numbers, self._system)
        throttled = sum(read("devices/platform/soc*/soc*:firmware/get_throttled", 0, 16))
        warmth = read("class/thermal/thermal_zone0/temp", 0)
        written = read("block/mmcblk*/stat", _SECTORS_WRITTEN)
        life = [tenths for end in (0, 1) for tenths in read("block/mmcblk*/device/life_time", end, 16)]
        disk = os.statvfs(self._folder)
        return MachineCondition(
            self._version,
            int((now_s - self._started_s) // 60),
            disk.f_bavail * disk.f_frsize // _MIB // _STEP_MIB * _STEP_MIB,
            round(warmth[0] / 1000) if warmth else None,
            self._operations,
            tuple(condition(round(now_s * 1e9)) for condition in self._cameras),
            bool(throttled & _WEAK_POWER),
            bool(throttled & _SLOWED),
            int(sum(written) / _SECTORS_A_GIB / max(now_s / _DAY_S, 1.0)) if written else None,
            10 * max(life, default=0) or None,
            bool(disk.f_flag & os.ST_RDONLY) or any(read("fs/ext4/*/errors_count", 0)),
        )


def _numbers(system: Path, pattern: str, word: int, base: int = 10) -> list[int]:
    found = []
    for file in system.glob(pattern):
        with contextlib.suppress(OSError, ValueError, IndexError):
            found.append(int(file.read_text(encoding="ascii").split()[word], base))
    return found


def feeder_line(statistics: LinkStatistics) -> FeederLinkQuality | None:
    """The heartbeat's figures of a link; None before the first round trip.

    They are whole numbers, so that a page with them does not change while nothing does.
    """
    p50_ms, p99_ms = statistics.round_trip_p50_ms, statistics.round_trip_p99_ms
    if p50_ms is None or p99_ms is None:
        return None
    line = statistics.line
    return FeederLinkQuality(
        round_trip_p50_ms=math.ceil(p50_ms),
        round_trip_p99_ms=math.ceil(p99_ms),
        damaged_per_10000=_per_10000(line.errors, line.frames + line.errors),
        repeated_per_10000=_per_10000(statistics.repeats, statistics.frames_sent),
        losses=statistics.times_lost,
    )


def _per_10000(some: int, of: int) -> int:
    """A share, rounded up, so that the first damaged frame is visible."""
    return -(-10_000 * some // of) if of else 0
