"""The firmware in C in simulated time: its core in a shared library, its pins wired to the same mechanics as the Python firmware's.

``CoreFirmware`` takes the virtual firmware's place in any test that has a machine in memory.
"""

from __future__ import annotations

import ctypes
import heapq
import subprocess
from functools import cache
from pathlib import Path

from firmware_bridge.messages import FeederState, ResetReason
from twinwall.simulator.electrics.eeprom import table_record
from twinwall.simulator.electrics.electrics import Electrics
from twinwall.simulator.electrics.wires import Change
from twinwall.simulator.electrics.wiring import OUTPUT_BYTES
from twinwall.simulator.mechanics import Mechanics

FIRMWARE = Path(__file__).parents[3] / "firmware"
UID = b"TWCORE01"
_SEATS = 4
_POLL_S = 0.001
_LINE_BYTES = 16384


def built(target: str, product: str) -> Path:
    """A product of the firmware's Makefile, brought up to date first."""
    subprocess.run(["make", "--silent", "-C", str(FIRMWARE), target], check=True)
    return FIRMWARE / "build" / product


@cache
def library() -> ctypes.CDLL:
    """The core as a library, with its functions' types (firmware/hal_memory/board.h)."""
    core = ctypes.CDLL(str(built("memory", "libtwinwall-feeder.so")))
    board, octets, numbers = ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(ctypes.c_int32)
    for name, answer, arguments in (
        ("new", board, []),
        ("free", None, [board]),
        ("boot", None, [board, octets, ctypes.c_uint32, ctypes.c_uint8, ctypes.c_uint64, numbers, ctypes.c_int32]),
        ("receive", None, [board, octets, ctypes.c_size_t]),
        ("take", ctypes.c_size_t, [board, octets, ctypes.c_size_t]),
        ("run", ctypes.c_uint64, [board, ctypes.c_uint64]),
        ("image", None, [board, octets]),
        ("input", None, [board, ctypes.c_uint16, ctypes.c_uint8]),
        ("outputs", None, [board, octets, ctypes.POINTER(ctypes.c_uint32), numbers]),
        ("state", ctypes.c_uint8, [board]),
        ("line", None, [board, ctypes.POINTER(ctypes.c_uint32), ctypes.POINTER(ctypes.c_uint32)]),
    ):
        function = getattr(core, f"memory_board_{name}")
        function.restype, function.argtypes = answer, arguments
    return core


class CoreFirmware:
    """One boot of the C core on wires that outlast it; calls and their meaning are those of ``VirtualFirmware``."""

    def __init__(self, wires: Electrics, mechanics: Mechanics, boot_id: int, now_s: float) -> None:
        self._core = library()
        self._board = self._core.memory_board_new()
        self._wires = wires
        self._began_s = now_s
        self._now_us = 0
        self._coming: list[tuple[int, int, Change]] = []
        self._order = 0
        self._outputs = bytes(OUTPUT_BYTES)
        self._servo_us = 0
        wires.actuators.cut(now_s)
        self._plan(wires.advance(now_s))
        steps = (ctypes.c_int32 * _SEATS)(*wires.actuators.steps)
        record = table_record(mechanics.settings, UID)
        self._core.memory_board_boot(
            self._board, record, boot_id, int(ResetReason.POWER_ON), self._now_us, steps, wires.actuators.most_steps
        )
        self._core.memory_board_image(self._board, wires.image())

    def __del__(self) -> None:
        self._core.memory_board_free(self._board)

    def receive(self, received: bytes, now_s: float) -> None:
        """Take bytes from the host."""
        self.handle_timer(now_s)
        self._core.memory_board_receive(self._board, received, len(received))

    def handle_timer(self, now_s: float) -> None:
        """Let board and machine run until now."""
        end_us = self._us(now_s)
        while self._now_us < end_us:
            self._take_changes(self._wires.advance(self._s(self._now_us)))
            due_s = self._wires.next_s()
            until_us = min([end_us, *(at_us for at_us, _, _ in self._coming[:1]), *([self._us(due_s)] if due_s is not None else [])])
            self._now_us = int(self._core.memory_board_run(self._board, max(until_us, self._now_us + 1)))
            self._take_outputs()
        self._take_changes(self._wires.advance(now_s))

    def next_timer(self) -> float:
        """The board has a look at its inputs every millisecond."""
        return self._s(self._now_us) + _POLL_S

    def data_to_send(self) -> bytes:
        """Bytes for the host."""
        line = ctypes.create_string_buffer(_LINE_BYTES)
        count = self._core.memory_board_take(self._board, line, _LINE_BYTES)
        return line.raw[:count]

    @property
    def state(self) -> FeederState:
        """What the firmware as a whole is doing."""
        return FeederState(self._core.memory_board_state(self._board))

    def shows(self, output: int) -> bool:
        """Whether an output (its number in BOARD.md) is on."""
        return bool(self._outputs[output // 8] >> output % 8 & 1)

    def touch(self, number: int, level: bool) -> None:
        """Set an input (its number in BOARD.md) at the board itself, whatever the machine says."""
        self._core.memory_board_input(self._board, number, level)

    # ------------------------------------------------------------------------------------------------

    def _us(self, time_s: float) -> int:
        return round((time_s - self._began_s) * 1_000_000)

    def _s(self, time_us: int) -> float:
        return self._began_s + time_us / 1_000_000

    def _plan(self, changes: list[Change]) -> None:
        for change in changes:
            self._order += 1
            heapq.heappush(self._coming, (self._us(change.at_s), self._order, change))

    def _take_changes(self, changes: list[Change]) -> None:
        self._plan(changes)
        while self._coming and self._coming[0][0] <= self._now_us:
            _, _, change = heapq.heappop(self._coming)
            self._core.memory_board_input(self._board, change.bit, change.level)

    def _take_outputs(self) -> None:
        outputs = ctypes.create_string_buffer(OUTPUT_BYTES)
        servo_us, steps = ctypes.c_uint32(), (ctypes.c_int32 * _SEATS)()
        self._core.memory_board_outputs(self._board, outputs, servo_us, steps)
        now_s = self._s(self._now_us)
        self._wires.actuators.take_steps(list(steps))
        if servo_us.value != self._servo_us:
            self._servo_us = servo_us.value
            self._wires.actuators.take_servo(self._servo_us, now_s)
        if outputs.raw != self._outputs:
            self._outputs = outputs.raw
            self._wires.actuators.take_outputs(self._outputs, now_s)
