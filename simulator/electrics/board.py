"""Board in a process of its own, wired to the machine: the host build of the firmware, or an emulated microcontroller.

Killing the process is a power cut; power comes back by itself soon. While a board has power the table's time is the board's, else the
wall's. One thread serves the physics; it sleeps until the board writes, hands act, or the machine moves without a board.

Physics and board speak in lines of ASCII, as ``firmware/emulation/PHYSICS.md`` defines them. The board's clock is the table's: the board
says how far its time has come, the physics advances as far and answers when it will next move something. Neither runs ahead of the other,
however busy the computer is.
"""

import contextlib
import selectors
import shutil
import socket
import tempfile
import threading
import time
from collections.abc import Iterable
from pathlib import Path

from firmware_bridge.board.table_record import EEPROM_BYTES, RecordError
from firmware_bridge.electrics.wired_core import Electrics
from firmware_bridge.electrics.wired_machine import CollisionError, record_of
from firmware_bridge.electrics.wires import Change
from firmware_bridge.electrics.wiring import OUTPUT_BYTES
from firmware_bridge.messages import ResetReason
from firmware_bridge.wakeup import Wakeup
from simulator.electrics.program import PoweredProgram, Program
from simulator.feeder_simulator import UID, Workbench
from simulator.mechanics import MechanicsSettings


def board_record(settings: MechanicsSettings, uid: bytes) -> bytes:
    """``record_of`` for the board of BOARD.md; raises RecordError, also where it has not the pins for the machine."""
    if (settings.gates, settings.shuttles) != (1, 1):
        raise RecordError(f"the board drives one gate and one shuttle a seat, not {settings.gates} and {settings.shuttles}")
    return record_of(settings, uid)


def write_memory(file: Path, record: bytes) -> None:
    """Put a table's record into an EEPROM's file; what else it holds, such as the count of boots, stays."""
    kept = file.read_bytes() if file.exists() else b""
    file.write_bytes((record + kept[len(record) :]).ljust(EEPROM_BYTES, b"\xff"))


VERSION = 1
SENSE_S = 0.003
"""Delay of an input after its sensor's change: more than a board may be ahead of the physics, so that no change comes late."""
HANDS_S = 0.015
"""The same delay after hands have moved something, which a board learns without having asked."""
_MOST_PENDING = 65536


class BoardLineError(ValueError):
    """A board said something that PHYSICS.md does not know; the message holds the line."""


def greeting(electrics: Electrics, speed: float, now_s: float) -> bytes:
    """The two lines that begin a board's session: the machine's sizes, and all inputs."""
    actuators = electrics.actuators
    steps = " ".join(str(step) for step in actuators.steps)
    head = f"TWP {VERSION} {speed:g} {actuators.steps_per_position} {actuators.most_steps} {steps}\n"
    return f"{head}I {_microseconds(now_s)} {electrics.image().hex()}\n".encode()


class BoardLine:
    """One board's line: takes what it says in pieces of any size, does it, and says what comes of it."""

    def __init__(self, electrics: Electrics, now_s: float) -> None:
        self._electrics = electrics
        self._pending = b""
        self._reported_s: dict[int, float] = {}
        self.now_s = now_s
        """The board's clock, as far as it has been heard."""

    def hear(self, received: bytes) -> bytes:
        """Take bytes and return the answer.

        Raises BoardLineError for lines that are none, and CollisionError where a real machine would break.
        """
        *lines, self._pending = (self._pending + received).split(b"\n")
        answer = b""
        for line in lines:
            try:
                answer += self._obey(line.decode("ascii").split())
            except (UnicodeDecodeError, ValueError) as problem:
                raise BoardLineError(f"a board said {line[:80]!r}: {problem}") from None
        if len(self._pending) > _MOST_PENDING:
            raise BoardLineError("a board said a line without an end")
        return answer

    def touched(self, now_s: float) -> bytes:
        """What to say after hands have moved something, by ``now_s`` of the board's clock."""
        return self._reported(self._electrics.advance(now_s), HANDS_S) + self._when(self.now_s)

    def _obey(self, words: list[str]) -> bytes:
        match words:
            case ["O", at_us, image] if len(image) == 2 * OUTPUT_BYTES:
                self._electrics.actuators.take_outputs(bytes.fromhex(image), self._come(at_us))
            case ["A", at_us, *steps] if len(steps) == len(self._electrics.actuators.steps):
                self._come(at_us)
                self._electrics.actuators.take_steps([int(step) for step in steps])
            case ["S", at_us, pulse_us]:
                self._electrics.actuators.take_servo(int(pulse_us), self._come(at_us))
            case ["T", at_us]:
                come_s = self._come(at_us)
                return self._reported(self._electrics.advance(come_s), SENSE_S) + self._when(come_s)
            case _:
                raise ValueError("O, A, S and T are known")
        return b""

    def _come(self, at_us: str) -> float:
        self.now_s = max(self.now_s, int(at_us) / 1e6)
        return self.now_s

    def _reported(self, changes: Iterable[Change], later_s: float) -> bytes:
        """Changes of inputs as lines, those of one input in their order."""
        lines = []
        for change in changes:
            at_s = max(change.at_s + later_s, self._reported_s.get(change.bit, 0.0))
            self._reported_s[change.bit] = at_s
            lines.append(f"i {_microseconds(at_s)} {change.bit} {change.level:d}\n")
        return "".join(lines).encode()

    def _when(self, come_s: float) -> bytes:
        due_s = self._electrics.next_s()
        return f"T {_microseconds(come_s)} {-1 if due_s is None else _microseconds(due_s)}\n".encode()


def _microseconds(seconds: float) -> int:
    return round(1e6 * seconds)


_CHUNK = 65536
_SEND_LIMIT_S = 5.0


class BoardFirmware:
    """Firmware on a board; its memory lies beside the port's link, or is forgotten where there is none."""

    def __init__(
        self,
        program: Program,
        bench: Workbench,
        *,
        power_back_s: float = 0.5,
        record: bytes | None = None,
    ) -> None:
        """Power that was lost comes back after ``power_back_s``; ``record`` is what the memory begins with, by default what the machine is.

        Raises RecordError when the machine is none for this board.
        """
        self._bench = bench
        self._program = program
        self.process = PoweredProgram(program.name, bench.link, power_back_s)
        self._folder = Path(tempfile.mkdtemp(prefix="twinwall-board-"))
        self._memory = bench.link.with_name(f"{bench.link.name}.eeprom") if bench.link else self._folder / "eeprom"
        write_memory(self._memory, board_record(bench.mechanics.settings, UID) if record is None else record)
        with bench.lock:
            self._electrics = Electrics(bench.mechanics, bench.seed, time.monotonic())
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(str(self._folder / "physics"))
        self._listener.listen(1)
        self._wakeup = Wakeup()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="board physics", daemon=True)
        self._unsent = bytearray()
        self._line: BoardLine | None = None
        self._heard_s = 0.0
        """When the board was heard last, by the wall's clock."""

    @property
    def path(self) -> str:
        """Where the serial port is: the link if there is one, else the pty's own path."""
        return str(self._bench.link) if self._bench.link else self.process.path

    def start(self) -> None:
        """Give the board power; raises BoardError when it does not come up."""
        self._thread.start()
        self.process.power_on(self._command())

    def stop(self) -> None:
        """Cut the power for good and forget the board."""
        self.process.end()
        self._stopping.set()
        self._wakeup.wake()
        if self._thread.ident is not None:
            self._thread.join()
        self._listener.close()
        self._wakeup.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def now_s(self) -> float:
        """The board's clock, as far as it is known between two of its words; the wall's while it has no power."""
        wall_s = time.monotonic()
        line = self._line
        return wall_s if line is None else line.now_s + min(max(wall_s - self._heard_s, 0.0), HANDS_S)

    def settle(self, now_s: float) -> None:
        """Let the sensors see what has happened by now; the board hears of it when its thread wakes."""
        if self._line is not None:
            self._unsent += self._line.touched(now_s)

    def wake(self) -> None:
        self._wakeup.wake()

    def reboot(self, reason: ResetReason) -> None:  # noqa: ARG002 - a board finds its reason by itself
        """Cut the power in whatever it is doing, and bring it back."""
        self.process.power_off()
        self.process.power_on(self._command())

    def unplug(self) -> None:
        self.process.pull_cable()

    def plug(self) -> None:
        """Put the cable back; raises BoardError when the board does not answer."""
        self.process.put_cable_back()

    def _command(self) -> tuple[str, ...]:
        return self._program.command(self._folder / "physics", self._memory)

    # The wires ----------------------------------------------------------------------------------------

    def _serve(self) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self._listener, selectors.EVENT_READ)
            selector.register(self._wakeup, selectors.EVENT_READ)
            board: socket.socket | None = None
            while not self._stopping.is_set():
                ready = {key.fileobj for key, _ in selector.select(self._idle_s())}
                touched = self._wakeup in ready
                if touched:
                    self._wakeup.drain()
                if self._listener in ready and board is None:
                    board = self._greet()
                    selector.unregister(self._listener)
                    selector.register(board, selectors.EVENT_READ)
                alive = self._exchange(board, board in ready, touched)
                if board is not None and not alive:
                    selector.unregister(board)
                    board.close()
                    board = None
                    selector.register(self._listener, selectors.EVENT_READ)
                self._bench.exchanged()
            if board is not None:
                board.close()

    def _idle_s(self) -> float | None:
        with self._bench.lock:
            if self._line is not None:
                return None
            due_s = self._electrics.next_s()
            return None if due_s is None else max(due_s - time.monotonic(), 0.0)

    def _greet(self) -> socket.socket:
        board, _ = self._listener.accept()
        board.settimeout(_SEND_LIMIT_S)
        with self._bench.lock:
            now_s = time.monotonic()
            self._electrics.advance(now_s)
            self._unsent.clear()
            self._unsent += greeting(self._electrics, self._bench.mechanics.settings.speed, now_s)
            self._line, self._heard_s = BoardLine(self._electrics, now_s), now_s
        return board

    def _exchange(self, board: socket.socket | None, readable: bool, touched: bool) -> bool:
        """Take what the board has said, let time pass, and say what came of it; False when it has lost its power."""
        alive, received = board is not None, b""
        if board is not None and readable:
            with contextlib.suppress(OSError):
                received = board.recv(_CHUNK)
            alive = bool(received)
        with self._bench.lock:
            alive = self._take(received, alive, touched) and alive
            unsent = bytes(self._unsent)
            self._unsent.clear()
        if board is not None and alive and unsent:
            try:
                board.sendall(unsent)
            except OSError:
                alive = False
        return alive

    def _take(self, received: bytes, alive: bool, touched: bool) -> bool:
        """What the board has said, or that it has gone; False when it has broken something. The lock is held."""
        wall_s, line = time.monotonic(), self._line
        try:
            if line is None or not alive:
                self._cut(wall_s)
                return True
            if received:
                self._heard_s = wall_s
                self._unsent += line.hear(received)
            if touched:
                self._unsent += line.touched(self.now_s())
        except (BoardLineError, CollisionError) as problem:
            self._cut(wall_s)
            self.process.fail(str(problem))
            return False
        return True

    def _cut(self, wall_s: float) -> None:
        """Without a board, outputs are low and the machine moves by itself only."""
        if self._line is not None:
            self._line = None
            self._electrics.actuators.cut(wall_s)
        self._electrics.advance(wall_s)
