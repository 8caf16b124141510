"""Machines that dump too much, or open a gate when they should not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from firmware_bridge.frames import Frame
from firmware_bridge.messages import (
    REAR_GATE,
    DoneReport,
    Drawn,
    Dump,
    Estop,
    EventAck,
    Lock,
    Message,
    Renew,
    Result,
    Sensors,
    Unlock,
)
from tests.support.conformance.line import Line

_DONE = DoneReport(Result.OK, Sensors(0), 1)


class DumpsAll(Line):
    def hear(self, message: Message | None, frame: Frame) -> Iterable[Frame]:
        return (replace(frame, payload=frame.payload[:1] + b"\xff"),) if isinstance(message, Dump) else (frame,)


class LongLeases(Line):
    def hear(self, message: Message | None, frame: Frame) -> Iterable[Frame]:
        if isinstance(message, Unlock):
            lease = (2 * message.lease_ms).to_bytes(4, "little")
            return (replace(frame, payload=frame.payload[:1] + lease),)
        return (frame,)


class Leases(Line):
    """Knows which gates are open, as far as the line tells."""

    def __init__(self) -> None:
        super().__init__()
        self.until_s: dict[int, float] = {}

    def hear(self, message: Message | None, frame: Frame) -> Iterable[Frame]:
        is_open = isinstance(message, Unlock | Renew) and self.until_s.get(message.seat, 0.0) > self.machine.now_s()
        if isinstance(message, Lock):
            self.until_s.clear()
        return self.judge(message, frame, is_open=is_open)

    def judge(self, message: Message | None, frame: Frame, *, is_open: bool) -> Iterable[Frame]:
        return (frame,)

    def say(self, message: Message, command: Message | None) -> Message | None:
        if isinstance(message, Drawn):
            self.until_s.pop(message.seat, None)
        if isinstance(message, Estop):
            self.until_s.clear()
        if isinstance(message, DoneReport) and isinstance(command, Unlock):
            self.until_s[command.seat] = self.machine.now_s() + command.lease_ms / 1000
        return message


class UnlockDoesNotProlong(Leases):
    def judge(self, message: Message | None, frame: Frame, *, is_open: bool) -> Iterable[Frame]:
        if isinstance(message, Unlock) and is_open:
            self.answer(_DONE, frame.operation)
            return ()
        return (frame,)


class RenewDoesNotProlong(Leases):
    def judge(self, message: Message | None, frame: Frame, *, is_open: bool) -> Iterable[Frame]:
        if isinstance(message, Renew) and is_open:
            self.answer(_DONE, frame.operation)
            return ()
        return (frame,)


class RenewOpens(Leases):
    def judge(self, message: Message | None, frame: Frame, *, is_open: bool) -> Iterable[Frame]:
        return (replace(frame, type=0x23),) if isinstance(message, Renew) and not is_open else (frame,)


class LetsTwoPass(Line):
    """Opens the lock again as soon as the host has taken over that a tile was drawn."""

    drawn: Drawn | None = None

    def hear(self, message: Message | None, frame: Frame) -> Iterable[Frame]:
        yield frame
        drawn = self.drawn
        if isinstance(message, EventAck) and drawn is not None and message.event >= drawn.number:
            self.drawn = None
            self.machine.order(frame)
            self.hide(Unlock(drawn.seat, 60_000))

    def say(self, message: Message, command: Message | None) -> Message | None:
        if isinstance(message, Drawn) and message.seat < REAR_GATE:
            self.drawn = message
        return message
