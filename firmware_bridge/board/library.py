"""The feeder's firmware as a shared library: the C core of ``firmware/core`` with a board whose time and pins are calls.

What its pins are wired to, and when its time passes, is left to the owner of a ``CoreBoard``. Times are microseconds of the
holder's clock. The functions are those of ``firmware/hal_memory/board.h``.
"""

import ctypes
from collections.abc import Sequence
from enum import IntEnum
from functools import cache
from pathlib import Path

from firmware_bridge.messages import FeederState, ResetReason

_FILE = "libtwinwall-feeder.so"
_INSTALLED = Path(__file__).with_name(_FILE)
LIBRARY = _INSTALLED if _INSTALLED.exists() else Path(__file__).parents[2] / "firmware" / "build" / _FILE
"""In an installed program beside this module, in a clone where ``make -C firmware memory`` builds it."""
_LINE_BYTES = 16384
_MOVED, _CHANGED, _SAID = 0xFF, 0x100, 0x200
"""Bits of what a run tells, as in ``board.h``."""


class PinReading(IntEnum):
    LOW = 0
    HIGH = 1
    AS_WIRED = 2


class CarriageDrive(IntEnum):
    RUNS = 0
    BLOCKED = 1
    UNPLUGGED = 2
    REVERSED = 3


class LibraryMissingError(RuntimeError):
    """The firmware has not been built for this computer; the message says how."""


@cache
def library(path: Path = LIBRARY) -> ctypes.CDLL:
    """A library with its functions' types; raises LibraryMissingError."""
    try:
        core = ctypes.CDLL(str(path))
    except OSError as problem:
        raise LibraryMissingError(
            f"the feeder's firmware has not been built for this computer ({problem}): run make -C firmware memory, which needs gcc, "
            "or make setup, which says what else is missing"
        ) from None
    board, octets, time_us = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint64
    numbers, count = ctypes.POINTER(ctypes.c_int32), ctypes.POINTER(ctypes.c_uint32)
    for name, answer, arguments in (
        ("sizes", None, [ctypes.POINTER(ctypes.c_uint16)]),
        ("new", board, []),
        ("free", None, [board]),
        ("boot", None, [board, octets, ctypes.c_uint32, ctypes.c_uint8, time_us, numbers, ctypes.c_int32, octets]),
        ("receive", ctypes.c_size_t, [board, octets, ctypes.c_size_t]),
        ("take", ctypes.c_size_t, [board, octets, ctypes.c_size_t]),
        ("run", time_us, [board, time_us, ctypes.POINTER(ctypes.c_uint16)]),
        ("foresee", time_us, [board, time_us]),
        ("plan", ctypes.c_bool, [board, time_us, ctypes.c_uint16, ctypes.c_uint8]),
        ("image", None, [board, octets]),
        ("input", None, [board, ctypes.c_uint16, ctypes.c_uint8]),
        ("stick", None, [board, ctypes.c_uint16, ctypes.c_uint8]),
        ("carriage", None, [board, ctypes.c_uint8, ctypes.c_uint8, ctypes.c_uint8, ctypes.c_int32]),
        ("outputs", None, [board, octets, count, numbers]),
        ("state", ctypes.c_uint8, [board]),
        ("line", None, [board, count, count]),
    ):
        function = getattr(core, f"memory_board_{name}")
        function.restype, function.argtypes = answer, arguments
    return core


class CoreBoard:
    def __init__(
        self,
        record: bytes,
        boot_id: int,
        reason: ResetReason,
        steps: Sequence[int],
        most_steps: int,
        *,
        kept: bytearray,
        clock_us: int = 0,
        program: Path = LIBRARY,
    ) -> None:
        """``record`` is the table's (``table_record``), ``steps`` where the carriages stand, ``most_steps`` how far they can go, ``kept``
        what the board's memory keeps in bytes 69 to 73, ``clock_us`` what the board's clock shows now, ``program`` the library."""
        self._core = library(program)
        sizes = (ctypes.c_uint16 * 5)()
        self._core.memory_board_sizes(sizes)
        self._outputs = ctypes.create_string_buffer(sizes[1])
        self._servos_us, self._steps = (ctypes.c_uint32 * sizes[2])(), (ctypes.c_int32 * sizes[3])()
        self._news = ctypes.c_uint16()
        self._news_at = ctypes.byref(self._news)
        self._go_on = self._core.memory_board_run
        self.moved = 0
        """Bit per carriage that has moved during the last run."""
        self._said = False
        self._line = ctypes.create_string_buffer(_LINE_BYTES)
        self._board = self._core.memory_board_new()
        stand = (ctypes.c_int32 * sizes[3])(*steps)
        self._kept = (ctypes.c_char * sizes[4]).from_buffer(kept)
        self._core.memory_board_boot(self._board, record, boot_id, int(reason), clock_us, stand, most_steps, self._kept)

    def __del__(self) -> None:
        if hasattr(self, "_board"):
            self._core.memory_board_free(self._board)

    def receive(self, received: bytes) -> None:
        self._said = self._core.memory_board_receive(self._board, received, len(received)) > 0

    def take(self) -> bytes:
        """Bytes for the host; they are forgotten here."""
        if not self._said:
            return b""
        self._said = False
        count = self._core.memory_board_take(self._board, self._line, _LINE_BYTES)
        return ctypes.string_at(self._line, count)

    def run(self, until_us: int) -> tuple[int, bool]:
        """Let time pass until then, or until an output has changed or something was said; return the time reached, and whether it
        was an output."""
        reached_us: int = self._go_on(self._board, until_us, self._news_at)
        news = self._news.value
        self.moved, self._said = news & _MOVED, news & _SAID != 0
        return reached_us, news & _CHANGED != 0

    def foresee(self, until_us: int) -> int:
        """The time that ``run`` would reach."""
        return int(self._core.memory_board_foresee(self._board, until_us))

    def plan(self, at_us: int, number: int, level: bool) -> None:
        """An input (its number in BOARD.md) goes to a level at a time to come."""
        if not self._core.memory_board_plan(self._board, at_us, number, level):
            raise OverflowError(f"input {number} cannot be planned: too many changes wait, or the board has no such input")

    def image(self, inputs: bytes) -> None:
        self._core.memory_board_image(self._board, inputs)

    def input(self, number: int, level: bool) -> None:
        self._core.memory_board_input(self._board, number, level)

    def stick(self, number: int, how: PinReading) -> None:
        self._core.memory_board_stick(self._board, number, how)

    def carriage(self, shuttle: int, driven_by: int, drive: CarriageDrive, slips: int = 0) -> None:
        """From now on another axis drives this carriage, or its own, which turns as ``drive`` says; its belt slips by ``slips`` steps."""
        self._core.memory_board_carriage(self._board, shuttle, driven_by, drive, slips)

    def outputs(self) -> tuple[bytes, tuple[int, ...], tuple[int, ...]]:
        """The image of the outputs, each diverter's pulse in µs, and where each carriage stands in steps."""
        self._core.memory_board_outputs(self._board, self._outputs, self._servos_us, self._steps)
        return self._outputs.raw, tuple(self._servos_us), tuple(self._steps)

    @property
    def state(self) -> FeederState:
        return FeederState(self._core.memory_board_state(self._board))
