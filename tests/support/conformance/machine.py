"""A machine in memory and in simulated time, as a wire and as a table: the firmware's C core behind a place to tamper."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from firmware_bridge.board.library import LIBRARY
from firmware_bridge.electrics.wired_core import Electrics
from firmware_bridge.frames import Decoder, Frame, encode_frame
from firmware_bridge.messages import (
    Command,
    Fault,
    HelloAck,
    Message,
    MessageError,
    StatusState,
    TileAtGate,
    decode_message,
    encode_message,
)
from simulator.feeder_simulator import CoreFirmware
from simulator.mechanics import FaultPlan, Mechanics, MechanicsSettings
from simulator.mechanics.hands import MachineHands
from simulator.tabletop import tile_set

QUICK = MechanicsSettings(speed=40.0)
_DELAY_S = 0.001


class Tamperer:
    """Sits on the line to a good machine and makes a bad one of it; this one leaves everything as it is."""

    machine: MemoryMachine

    def tick(self) -> float | None:
        """Called as time passes; returns when it wants to be called again."""
        return None

    def to_machine(self, frame: Frame) -> Iterable[Frame]:
        """What the machine gets of a frame from the host."""
        return (frame,)

    def to_host(self, frame: Frame) -> Iterable[Frame]:
        """What the host gets of a frame from the machine."""
        return (frame,)


class MemoryMachine:
    """Wire and table in one; time passes in ``read`` alone."""

    def __init__(
        self,
        tamperer: Tamperer | None = None,
        machine: MechanicsSettings = QUICK,
        tiles: int = 136,
        begun_s: float = 50.0,
        program: Path = LIBRARY,
    ) -> None:
        """``program`` is the firmware's library.

        ``begun_s`` is where both ends' clocks stand to begin with: header times wrap at 4,294.97 s.
        """
        self._now_s = begun_s
        self._program = program
        self.settings = machine
        self.mechanics = Mechanics(machine, FaultPlan(unread=0.0), tile_set(0)[:tiles], 1, self._now_s)
        self.wires = Electrics(self.mechanics, 1, self._now_s, in_step=True)
        self.boot_id = 100
        self.tamperer = tamperer
        self.firmware = self._boot()
        if tamperer is not None:
            tamperer.machine = self
        self._from_host = Decoder()
        self._from_machine = Decoder()
        self._to_host = bytearray()

    # As a wire ------------------------------------------------------------------------------------------

    def now_s(self) -> float:
        return self._now_s

    def write(self, sent: bytes) -> None:
        self._now_s += _DELAY_S
        if self.tamperer is None:
            self.firmware.receive(sent, self._now_s)
            return
        for frame in self._from_host.feed(sent):
            for other in self.tamperer.to_machine(frame):
                self.order(other)

    def read(self, wait_s: float) -> bytes:
        end_s = self._now_s + wait_s
        while not self._collect() and self._now_s < end_s:
            wanted = (self.firmware.next_timer(), self.tamperer.tick() if self.tamperer else None)
            due_s = min((time_s for time_s in wanted if time_s is not None), default=end_s)
            self._now_s = min(max(due_s, self._now_s), end_s)
            self.firmware.handle_timer(self._now_s)
        received = bytes(self._to_host)
        self._to_host.clear()
        return received

    # For tamperers --------------------------------------------------------------------------------------

    def order(self, frame: Frame) -> None:
        self.firmware.receive(encode_frame(frame), self._now_s)

    def tell(self, frame: Frame) -> None:
        self._to_host += encode_frame(frame)

    # As a table -----------------------------------------------------------------------------------------

    @contextmanager
    def acting(self) -> Iterator[tuple[MachineHands, float]]:
        yield self.mechanics.hands, self._now_s

    def reboot(self) -> None:
        self.boot_id += 1
        self.firmware = self._boot()

    # ----------------------------------------------------------------------------------------------------

    def _boot(self) -> CoreFirmware:
        return CoreFirmware(
            self.wires, self.mechanics, self.boot_id, self._now_s, clock_us=round(1_000_000 * self._now_s), program=self._program
        )

    def _collect(self) -> bool:
        """Take what the machine has sent; whether anything has come for the host."""
        sent = self.firmware.data_to_send()
        if self.tamperer is None:
            self._to_host += sent
        else:
            for frame in self._from_machine.feed(sent):
                for other in self.tamperer.to_host(frame):
                    self.tell(other)
        return bool(self._to_host)


class Line(Tamperer):
    """Reads every frame and passes it on as it is; faults override ``hear`` and ``say``, and can alter, drop or add some.

    Operations that are added go under numbers that the host does not see: both ends keep the row of numbers that they would have without.
    """

    def __init__(self) -> None:
        self._boot_id = 0
        self._forget()

    def _forget(self) -> None:
        """A new boot remembers nothing."""
        self.commands: dict[int, Frame] = {}
        """The first frame of each operation, by the host's number."""
        self.highest = 0
        """The highest number of the host's."""
        self._theirs: dict[int, int] = {}
        self._ours: dict[int, int] = {}
        self._hidden = 0

    def hear(self, message: Message | None, frame: Frame) -> Iterable[Frame]:
        """What the machine gets of a frame from the host; ``message`` is None when it cannot be read."""
        return (frame,)

    def say(self, message: Message, command: Message | None) -> Message | None:
        """What the host gets instead of a message, None for nothing; ``command`` is what an answer belongs to."""
        return message

    # For faults -----------------------------------------------------------------------------------------

    def answer(self, message: Message, operation: int) -> None:
        """Answer the host in the machine's place."""
        type_, payload = encode_message(message)
        self.machine.tell(Frame(type_, 0, operation, 0, payload))

    def hide(self, message: Message) -> None:
        """Send the machine something of our own; what it answers to an operation is not passed on."""
        number = self._next() if isinstance(message, Command) else 0
        type_, payload = encode_message(message)
        self.machine.order(Frame(type_, 0, number, 0, payload))

    # As a tamperer --------------------------------------------------------------------------------------

    def to_machine(self, frame: Frame) -> Iterator[Frame]:
        message = read(frame)
        for passed in self.hear(message, frame):
            yield self._renumbered(passed)
        if isinstance(message, Command):
            self.commands.setdefault(frame.operation, frame)
            self.highest = max(self.highest, frame.operation)

    def to_host(self, frame: Frame) -> Iterator[Frame]:
        message = decode_message(frame.type, frame.payload)
        if isinstance(message, HelloAck) and message.boot_id != self._boot_id:
            self._forget()
            self._boot_id = message.boot_id
        if frame.operation and frame.operation not in self._ours:
            return
        operation = self._ours.get(frame.operation, 0)
        ordered = self.commands.get(operation)
        answer = self.say(self._renumbered_within(message), None if ordered is None else read(ordered))
        if answer is None:
            return
        type_, payload = encode_message(answer)
        yield replace(frame, type=type_, operation=operation, payload=payload)

    def _next(self) -> int:
        self._hidden += 1
        return self.highest + self._hidden

    def _renumbered(self, frame: Frame) -> Frame:
        if not frame.operation:
            return frame
        number = self._theirs.setdefault(frame.operation, frame.operation + self._hidden)
        self._ours.setdefault(number, frame.operation)
        return replace(frame, operation=number)

    def _renumbered_within(self, message: Message) -> Message:
        if isinstance(message, HelloAck | StatusState) and self._hidden:
            return replace(message, last_operation=self.highest)
        if isinstance(message, TileAtGate | Fault) and message.operation:
            return replace(message, operation=self._ours[message.operation])
        return message


def read(frame: Frame) -> Message | None:
    """What a frame says, None when it cannot be read."""
    try:
        return decode_message(frame.type, frame.payload)
    except MessageError:
        return None
