"""A table whose wires a person has made, with mistakes, and the terminal at which he works."""

import fcntl
import os
import select
import struct
import subprocess
import sys
import termios
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from firmware_bridge.board.library import CoreBoard, PinReading
from firmware_bridge.electrics.wiring import Input
from firmware_bridge.messages import ResetReason
from simulator.feeder_simulator import CoreFirmware, FeederSimulator, ServedFirmware, Workbench
from simulator.mechanics import MechanicsSettings
from simulator.tabletop import tile_set
from tests.support.children import ends_with_parent
from tests.support.narrowed import of_type
from tests.support.patience import PATIENCE_S

QUICK = MechanicsSettings(speed=20.0)
_RESTS_HIGH = {
    *range(Input.HOME, Input.HOME + 4),
    *range(Input.AT_PLACE, Input.AT_PLACE + 4),
    *range(Input.GRIPPER_UP, Input.GRIPPER_UP + 4),
    Input.DRUM_EMPTY,
}
_COLUMNS, _LINES = 80, 24


class MiswiredBoard(CoreBoard):
    """A board of whose outputs some reach no motor."""

    dead: frozenset[int] = frozenset()
    heard = 0
    """Pieces that have come from the host."""
    reached = 0
    """Outputs that have reached the machine since somebody looked, a bit for each."""

    def receive(self, received: bytes) -> None:
        super().receive(received)
        self.heard += bool(received)

    def outputs(self) -> tuple[bytes, tuple[int, ...], tuple[int, ...]]:
        image, servos_us, steps = super().outputs()
        levels = int.from_bytes(image, "little") & ~sum(1 << number for number in self.dead)
        self.reached |= levels
        return levels.to_bytes(len(image), "little"), servos_us, steps


class MiswiredCore(CoreFirmware):
    board_kind = MiswiredBoard


class OtherFirmware(ServedFirmware):
    """A core of another kind behind a port."""

    kind: type[CoreFirmware] = MiswiredCore

    def _boot(self, reason: ResetReason) -> CoreFirmware:
        return self.kind(self._wires, self._bench.mechanics, 1, self.now_s(), reason)

    @property
    def board(self) -> MiswiredBoard:
        return of_type(MiswiredBoard, self._firmware.board)


class WiredBench:
    """A table without tiles at a port. ``miswired`` has the inputs to which a switch leads, by the one to which it should; ``dead``
    outputs lead nowhere."""

    def __init__(self, link: Path, miswired: Mapping[int, tuple[int, ...]], dead: Iterable[int]) -> None:
        made: list[OtherFirmware] = []

        def boot(bench: Workbench) -> OtherFirmware:
            made.append(OtherFirmware(bench))
            return made[0]

        self.feeder = FeederSimulator(QUICK, 1, tiles=(), link=link, firmware=boot)
        self.board = made[0].board
        self.miswired = dict(miswired)
        self.board.dead = frozenset(dead)

    def press(self, number: int, pressed: bool) -> None:
        """Press the switch that should be at this input, or let go."""
        if number in (Input.ESTOP, Input.LID_OPEN):
            (self.feeder.set_estop if number == Input.ESTOP else self.feeder.set_lid)(pressed)
            return
        reading = PinReading(int(number not in _RESTS_HIGH)) if pressed else PinReading.AS_WIRED
        with self.feeder.lock:
            for reached in self.miswired.get(number, (number,)):
                self.board.stick(reached, reading)

    def fill(self) -> None:
        self.feeder.set_lid(True)
        self.feeder.add_to_drum(tile_set(0))
        self.feeder.set_lid(False)


class Terminal:
    """A command at a terminal of 80 columns and 24 lines."""

    def __init__(self, *words: str, term: str = "xterm") -> None:
        self._master, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", _LINES, _COLUMNS, 0, 0))
        command = ends_with_parent([sys.executable, "-m", "cli", *words])
        self._process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, env={**os.environ, "TERM": term})
        os.close(slave)
        self._text = ""
        self.seen = ""

    def type(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    def lines(self) -> Iterator[str]:
        """Whole lines, until the command has ended."""
        while self._hear():
            *whole, self._text = self._text.split("\n")
            yield from (line.rstrip("\r") for line in whole)

    def wait_for(self, words: str) -> None:
        """Wait until the command has written this, and forget what came before it."""
        while words not in self._text:
            assert self._hear(), f"the command has ended without {words!r}; it said\n{self.seen}"
        self._text = self._text.partition(words)[2]

    def _hear(self) -> bool:
        """Take what the command writes next; False when it has ended."""
        ready, _, _ = select.select([self._master], [], [], PATIENCE_S)
        assert ready, f"the command says no more; it said\n{self.seen[-2000:]}"
        try:
            piece = os.read(self._master, 4096).decode()
        except OSError:  # the other end is closed
            return False
        self._text += piece
        self.seen += piece
        return True

    def ended(self) -> int:
        """Hear the command out; its exit status. Fails with what it said if it goes on to ask."""
        for _ in self.lines():
            pass
        code = self._process.wait(PATIENCE_S)
        os.close(self._master)
        return code
