"""Board in a process of its own, wired to the machine: the host build of the firmware, or an emulated microcontroller.

Killing the process is a power cut; power comes back by itself soon. While a board has power the table's time is the
board's, else the wall's. One thread serves the physics; it sleeps until the board writes, hands act, or the machine
moves without a board.
"""

import contextlib
import selectors
import shutil
import socket
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

from firmware_bridge.electrics.electrics import Electrics
from firmware_bridge.electrics.wired_machine import CollisionError
from firmware_bridge.messages import ResetReason
from firmware_bridge.pty import Wakeup
from simulator.electrics.board_line import HANDS_S, BoardLine, BoardLineError, greeting
from simulator.electrics.eeprom import board_record, write_memory
from simulator.electrics.program import PoweredProgram, Program
from simulator.workbench import Workbench

UID = b"TWSIM001"
_CHUNK = 65536
_SEND_LIMIT_S = 5.0


class BoardFirmware:
    """Firmware on a board; its memory lies beside the port's link, or is forgotten where there is none."""

    def __init__(
        self,
        program: Program,
        bench: Workbench,
        heard: Callable[[bytes], None] = lambda _: None,
        *,
        power_back_s: float = 0.5,
        record: bytes | None = None,
    ) -> None:
        """``heard`` receives, with the lock held, the bytes of all that the board says at its wires; power that was lost comes
        back after ``power_back_s``; ``record`` is what the memory begins with, by default what the machine is.

        Raises BoardSizeError when the machine is none for this board.
        """
        self._heard = heard
        self._bench = bench
        self._program = program
        self.process = PoweredProgram(program.name, bench.link, power_back_s)
        self._folder = Path(tempfile.mkdtemp(prefix="twinwall-board-"))
        self._memory = bench.link.with_name(f"{bench.link.name}.eeprom") if bench.link else self._folder / "eeprom"
        write_memory(self._memory, board_record(bench.mechanics.settings, UID) if record is None else record)
        with bench.lock:
            self._electrics = Electrics(bench.mechanics, bench.seed, bench.clock())
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
        wall_s = self._bench.clock()
        line = self._line
        return wall_s if line is None else line.now_s + min(max(wall_s - self._heard_s, 0.0), HANDS_S)

    def settle(self, now_s: float) -> None:
        """Let the sensors see what has happened by now; the board hears of it when its thread wakes."""
        if self._line is not None:
            self._unsent += self._line.touched(now_s)

    def wake(self) -> None:
        """Tell the board soon what has happened."""
        self._wakeup.wake()

    def reboot(self, reason: ResetReason) -> None:  # noqa: ARG002 - a board finds its reason by itself
        """Cut the power in whatever it is doing, and bring it back."""
        self.process.power_off()
        self.process.power_on(self._command())

    def unplug(self) -> None:
        """Pull the cable."""
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
            return None if due_s is None else max(due_s - self._bench.clock(), 0.0)

    def _greet(self) -> socket.socket:
        board, _ = self._listener.accept()
        board.settimeout(_SEND_LIMIT_S)
        with self._bench.lock:
            now_s = self._bench.clock()
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
        wall_s, line = self._bench.clock(), self._line
        try:
            if line is None or not alive:
                self._cut(wall_s)
                return True
            if received:
                self._heard(received)
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
