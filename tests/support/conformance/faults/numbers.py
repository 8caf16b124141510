"""Machines that are wrong about sessions, digests and operation numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from firmware_bridge.frames import Frame
from firmware_bridge.messages import (
    Beat,
    Bypass,
    Command,
    Config,
    ConfigAck,
    DoneReport,
    Hello,
    HelloAck,
    Message,
    Nak,
    NakCode,
    Recirculate,
)
from tests.support.conformance.line import Line


class HelloKeepsSession(Line):
    """HELLO leaves the session open."""

    digest = b""

    def hear(self, message: Message | None, frame: Frame) -> Iterable[Frame]:
        if isinstance(message, Config):
            self.digest = message.digest if message.digest != bytes(8) else self.digest
        return (frame,)

    def say(self, message: Message, command: Message | None) -> Message | None:
        if isinstance(message, HelloAck) and self.digest:
            self.answer(message, 0)
            self.hide(Config(self.digest))
            return None
        return message


class RemembersNoSession(Line):
    def hear(self, message: Message | None, frame: Frame) -> Iterable[Frame]:
        if self.answers.get(frame.operation) == Nak(NakCode.NO_SESSION):
            self.answer(Nak(NakCode.NO_SESSION), frame.operation)
            return ()
        return (frame,)


class HelloForgetsAnswers(Line):
    forgotten = 0

    def hear(self, message: Message | None, frame: Frame) -> Iterable[Frame]:
        if isinstance(message, Hello):
            self.forgotten = self.highest
        if 0 < frame.operation <= self.forgotten and self.answers.get(frame.operation) != Nak(NakCode.NO_SESSION):
            self.answer(Nak(NakCode.STALE), frame.operation)
            return ()
        return (frame,)


class OtherDigest(Line):
    """HELLO_ACK and CONFIG know another digest than that of CAPS."""

    def hear(self, message: Message | None, frame: Frame) -> Iterable[Frame]:
        return (replace(frame, payload=_flipped(frame.payload)),) if isinstance(message, Config) else (frame,)

    def say(self, message: Message, command: Message | None) -> Message | None:
        match message:
            case HelloAck():
                return replace(message, capabilities_digest=_flipped(message.capabilities_digest))
            case ConfigAck():
                return replace(message, digest=_flipped(message.digest))
            case _:
                return message


def _flipped(digest: bytes) -> bytes:
    return bytes([digest[0] ^ 1]) + digest[1:]


class AnyDigest(Line):
    digest = bytes(8)

    def hear(self, message: Message | None, frame: Frame) -> Iterable[Frame]:
        return (replace(frame, payload=self.digest),) if isinstance(message, Config) else (frame,)

    def say(self, message: Message, command: Message | None) -> Message | None:
        if isinstance(message, HelloAck):
            self.digest = message.capabilities_digest
        return message


class LazyHeart(Line):
    beats = 0

    def say(self, message: Message, command: Message | None) -> Message | None:
        self.beats += isinstance(message, Beat)
        return None if isinstance(message, Beat) and self.beats % 3 == 0 else message


class Talkative(Line):
    def hear(self, message: Message | None, frame: Frame) -> Iterable[Frame]:
        if message is None and frame.type < 0x10:
            self.answer(Nak(NakCode.UNKNOWN_COMMAND), frame.operation)
        return (frame,)


class MovesTwice(Line):
    """A repeated RECIRCULATE is carried out once more."""

    def hear(self, message: Message | None, frame: Frame) -> Iterable[Frame]:
        if isinstance(message, Recirculate) and frame.operation in self.commands:
            self.once_more(frame)
            return ()
        return (frame,)


class DeafWhileRunning(Line):
    def hear(self, message: Message | None, frame: Frame) -> Iterable[Frame]:
        ended = isinstance(self.answers.get(frame.operation), Nak | DoneReport)
        return () if frame.operation in self.commands and not ended else (frame,)


class ForgetsRefusals(Line):
    def hear(self, message: Message | None, frame: Frame) -> Iterable[Frame]:
        if isinstance(message, Bypass) and isinstance(self.answers.get(frame.operation), Nak):
            self.once_more(frame)
            return ()
        return (frame,)


class KeepsSixtyThree(Line):
    def hear(self, message: Message | None, frame: Frame) -> Iterable[Frame]:
        later = [number for number in self.commands if number > frame.operation]
        if frame.operation in self.commands and len(later) >= 63:
            self.answer(Nak(NakCode.STALE), frame.operation)
            return ()
        return (frame,)


class KeepsForever(Line):
    def hear(self, message: Message | None, frame: Frame) -> Iterable[Frame]:
        later = [number for number in self.commands if number > frame.operation]
        if frame.operation in self.answers and len(later) >= 64:
            self.answer(self.answers[frame.operation], frame.operation)
            return ()
        return (frame,)


class TakesAnyNumber(Line):
    def hear(self, message: Message | None, frame: Frame) -> Iterable[Frame]:
        if isinstance(message, Command) and frame.operation < self.highest and frame.operation not in self.commands:
            self.once_more(frame)
            return ()
        return (frame,)


class LooksAtNumbersOnly(Line):
    def hear(self, message: Message | None, frame: Frame) -> Iterable[Frame]:
        return (self.commands.get(frame.operation, frame),) if isinstance(message, Command) else (frame,)
