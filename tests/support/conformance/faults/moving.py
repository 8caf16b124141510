"""Machines that feed, judge and number wrongly, and answer late."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from firmware_bridge.firmware.settings import capabilities_of
from firmware_bridge.frames import Frame
from firmware_bridge.messages import (
    Ack,
    Bypass,
    Capabilities,
    Config,
    ConfigAck,
    DeviceEvent,
    DoneReport,
    EventAck,
    Fault,
    Feed,
    Heartbeat,
    HelloAck,
    Hold,
    Message,
    Nak,
    NakCode,
    Recirculate,
    Release,
    Result,
    Sensors,
    TileAtGate,
    capabilities_digest,
    encode_message,
)
from tests.support.conformance.line import Line, read


class Slow(Line):
    """Thinks about GET_CAPS for longer than the host waits before it asks again."""

    thinks_s = 0.12

    def __init__(self) -> None:
        super().__init__()
        self._due: list[tuple[float, Message]] = []

    def say(self, message: Message, command: Message | None) -> Message | None:
        if not isinstance(message, Capabilities):
            return message
        self._due.append((self.machine.now_s() + self.thinks_s, message))
        return None

    def tick(self) -> float | None:
        while self._due and self._due[0][0] <= self.machine.now_s():
            self.answer(self._due.pop(0)[1], 0)
        return self._due[0][0] if self._due else None


class ImpossibleSizes(Line):
    """Its CAPS, digest and all, promise other times than the protocol's."""

    def hear(self, message: Message | None, frame: Frame) -> Iterable[Frame]:
        if isinstance(message, Config) and message.digest == _digest(self._told):
            return (replace(frame, payload=_digest(self._has)),)
        return (frame,)

    def say(self, message: Message, command: Message | None) -> Message | None:
        match message:
            case Capabilities():
                return self._told
            case HelloAck():
                return replace(message, capabilities_digest=_digest(self._told))
            case ConfigAck():
                return replace(message, digest=_digest(self._told))
            case _:
                return message

    @property
    def _has(self) -> Capabilities:
        return capabilities_of(self.machine.settings)

    @property
    def _told(self) -> Capabilities:
        return replace(self._has, motors_off_after_ms=900)


def _digest(capabilities: Capabilities) -> bytes:
    return capabilities_digest(encode_message(capabilities)[1])


class OneMore(Line):
    """Brings a further tile when HOLD has been the last word on feeding and the gate has long been empty."""

    waits_s = 0.15

    def __init__(self) -> None:
        super().__init__()
        self._due_s: float | None = None
        self._feeding = False

    def hear(self, message: Message | None, frame: Frame) -> Iterable[Frame]:
        self._due_s = self._due_s if isinstance(message, Heartbeat | EventAck) else None
        return (frame,)

    def say(self, message: Message, command: Message | None) -> Message | None:
        if isinstance(message, DoneReport) and isinstance(command, Recirculate):
            self._due_s = self.machine.now_s() + self.waits_s
        elif isinstance(message, TileAtGate) and self._feeding:
            self._feeding = False
            self.hide(Hold())
        return message

    def tick(self) -> float | None:
        if self._due_s is not None and self._due_s <= self.machine.now_s():
            self._due_s, self._feeding = None, True
            self.hide(Feed())
        return self._due_s


class JudgesNow(Line):
    """Takes a cell for full until its tile has left, whatever has been ordered."""

    def hear(self, message: Message | None, frame: Frame) -> Iterable[Frame]:
        if isinstance(message, Bypass) and any(self._about_to_empty(operation, message.cell) for operation in self.commands):
            self.answer(Nak(NakCode.OCCUPIED), frame.operation)
            return ()
        return (frame,)

    def _about_to_empty(self, operation: int, cell: int) -> bool:
        ordered = read(self.commands[operation])
        ended = isinstance(self.answers.get(operation), DoneReport | Nak)
        return isinstance(ordered, Release) and ordered.cell == cell and not ended


class ForgetsWhoseTile(Line):
    """Tells a returned tile as one from the drum while it feeds."""

    feeding = False

    def hear(self, message: Message | None, frame: Frame) -> Iterable[Frame]:
        if isinstance(message, Feed | Hold):
            self.feeding = isinstance(message, Feed)
        return (frame,)

    def say(self, message: Message, command: Message | None) -> Message | None:
        return replace(message, operation=0) if isinstance(message, TileAtGate) and self.feeding else message


class FailsEverything(Line):
    """Lets a tile that sticks take down whatever else has been ordered."""

    def say(self, message: Message, command: Message | None) -> Message | None:
        if isinstance(message, Fault):
            for operation in self.commands:
                if operation != message.operation and isinstance(self.answers.get(operation), Ack):
                    self.answer(DoneReport(Result.FAILED, Sensors(0), 1), operation)
        return message


class TellsTwice(Line):
    """Tells every event under two numbers, one after the other."""

    def hear(self, message: Message | None, frame: Frame) -> Iterable[Frame]:
        return (replace(frame, payload=(message.event // 2).to_bytes(4, "little")),) if isinstance(message, EventAck) else (frame,)

    def say(self, message: Message, command: Message | None) -> Message | None:
        if isinstance(message, HelloAck):
            return replace(message, next_event=2 * message.next_event - 1)
        if isinstance(message, DeviceEvent):
            self.answer(replace(message, number=2 * message.number - 1), 0)
            return replace(message, number=2 * message.number)
        return message


class TellsOnceMore(Line):
    """Tells the latest event again when it has been acknowledged and the host has had nothing to say for a while."""

    after_s = 0.4

    def __init__(self) -> None:
        super().__init__()
        self._latest: DeviceEvent | None = None
        self._due_s: float | None = None

    def hear(self, message: Message | None, frame: Frame) -> Iterable[Frame]:
        if isinstance(message, EventAck) and self._latest is not None and message.event >= self._latest.number:
            self._due_s = self.machine.now_s() + self.after_s
        elif not isinstance(message, Heartbeat | EventAck):
            self._due_s = None
        return (frame,)

    def say(self, message: Message, command: Message | None) -> Message | None:
        if isinstance(message, DeviceEvent):
            self._latest, self._due_s = message, None
        return message

    def tick(self) -> float | None:
        if self._due_s is not None and self._due_s <= self.machine.now_s() and self._latest is not None:
            self._due_s = None
            self.answer(self._latest, 0)
        return self._due_s
