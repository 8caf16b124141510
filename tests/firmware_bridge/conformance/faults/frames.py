"""Machines that cut or count frames wrongly."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from dataclasses import replace

from firmware_bridge.frames import MAX_ENCODED, Frame, FrameError, stuff, unstuff
from firmware_bridge.messages import (
    Message,
)
from tests.firmware_bridge.conformance.line import Line
from tests.firmware_bridge.conformance.machine import Tamperer


class Bytes(Tamperer):
    """A machine whose decoder does something wrong with the pieces between zeros."""

    def __init__(self) -> None:
        self._piece = bytearray()
        self._skip = False

    def bytes_to_machine(self, sent: bytes) -> bytes:
        out = bytearray()
        for byte in sent:
            if byte:
                self._piece.append(byte)
                continue
            out += self.piece(bytes(self._piece)) + b"\x00"
            self._piece.clear()
        return bytes(out)

    def piece(self, piece: bytes) -> bytes:
        return piece


class NoChecksum(Bytes):
    def piece(self, piece: bytes) -> bytes:
        try:
            checked = unstuff(piece)[:-4]
        except FrameError:
            return piece
        return stuff(checked + zlib.crc32(checked).to_bytes(4, "little")) if len(checked) >= 12 else piece


class Choking(Bytes):
    """Loses the frame behind a piece that is too long."""

    def piece(self, piece: bytes) -> bytes:
        skip, self._skip = self._skip, len(piece) > MAX_ENCODED
        return b"" if skip else piece


class AfraidOfZeros(Bytes):
    """Loses the frame behind an empty piece."""

    def piece(self, piece: bytes) -> bytes:
        skip, self._skip = self._skip, not piece
        return b"" if skip else piece


class WholeOnly(Tamperer):
    """Understands only what comes in one piece."""

    def bytes_to_machine(self, sent: bytes) -> bytes:
        return sent if sent.endswith(b"\x00") and len(sent) > 1 else b""


class AnyVersion(Line):
    def hear(self, message: Message | None, frame: Frame) -> Iterable[Frame]:
        return (replace(frame, version=1),)


class Timed(Line):
    """Takes a frame whose time goes back for an old one."""

    last_us = 0

    def hear(self, message: Message | None, frame: Frame) -> Iterable[Frame]:
        old = (frame.time_us - self.last_us) % (1 << 32) > 1 << 31
        self.last_us = self.last_us if old else frame.time_us
        return () if old else (frame,)


class Renumbering(Line):
    def to_host(self, frame: Frame) -> Iterator[Frame]:
        yield from (replace(each, seq=0) for each in super().to_host(frame))


class Milliseconds(Line):
    def to_host(self, frame: Frame) -> Iterator[Frame]:
        yield from (replace(each, time_us=each.time_us // 1000) for each in super().to_host(frame))
