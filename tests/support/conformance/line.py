"""Somebody on the line between suite and machine, who reads every frame and can alter, drop or add some.

Operations that are added go under numbers that the host does not see: both ends keep the row of
numbers that they would have without.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from firmware_bridge.frames import Frame
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
from tests.support.conformance.machine import Tamperer


class Line(Tamperer):
    """Passes everything on as it is; faults override ``hear`` and ``say``."""

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
        said = self.say(self._renumbered_within(message), None if ordered is None else read(ordered))
        if said is None:
            return
        type_, payload = encode_message(said)
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
