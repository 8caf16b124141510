"""Machines that cut or count frames wrongly."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from dataclasses import replace

from firmware_bridge.frames import MAX_ENCODED, Frame, FrameError, stuff, unstuff
from firmware_bridge.messages import (
    Message,
)
from tests.support.conformance.line import Line
from tests.support.conformance.machine import Tamperer

_HEAD = 12


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


class Mending(Bytes):
    """Tries every first code for a piece whose stuffing is broken, and takes the one whose checksum is right."""

    def piece(self, piece: bytes) -> bytes:
        if _is_stuffed(piece):
            return piece
        guesses = (bytes([code]) + piece[1:] for code in range(1, min(len(piece), 255) + 1))
        return next((guess for guess in guesses if _is_whole(guess)), piece)


class FillingUp(Bytes):
    """Fills a frame that is too short with zeros, and does not look for its checksum."""

    def piece(self, piece: bytes) -> bytes:
        if not piece or not _is_stuffed(piece) or len(begun := unstuff(piece)) >= _HEAD + 4:
            return piece
        filled = begun[:_HEAD].ljust(_HEAD, b"\x00")
        return stuff(filled + zlib.crc32(filled).to_bytes(4, "little"))


class OutOfStep(Bytes):
    """Loses the frame behind a long piece with a wrong checksum."""

    def piece(self, piece: bytes) -> bytes:
        skip, self._skip = self._skip, 40 <= len(piece) <= MAX_ENCODED and not _is_whole(piece)
        return b"" if skip else piece


class StandingStill(Line):
    """Its clock stops where it should wrap."""

    latest_us = 0

    def to_host(self, frame: Frame) -> Iterator[Frame]:
        self.latest_us = max(self.latest_us, frame.time_us)
        yield from (replace(each, time_us=self.latest_us) for each in super().to_host(frame))


def _is_stuffed(piece: bytes) -> bool:
    try:
        unstuff(piece)
    except FrameError:
        return False
    return True


def _is_whole(piece: bytes) -> bool:
    """Whether a piece is a frame with the right checksum."""
    if not _is_stuffed(piece):
        return False
    frame = unstuff(piece)
    return len(frame) >= _HEAD + 4 and zlib.crc32(frame[:-4]) == int.from_bytes(frame[-4:], "little")
