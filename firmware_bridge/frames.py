"""TWF frames on the serial line: header, checksum (CRC-32, ``pack_frame``), COBS, and a decoder that never gives up.

This module decides where a frame begins and ends and whether its bytes are intact. What a frame's payload means is left to ``messages``,
when to send or repeat one to ``link``. The layout is law in PROTOCOL.md, sections "Bytes" and "Header".
"""

import logging
import struct
import zlib
from dataclasses import fields

from twinwall.values import frozen

TRACE = logging.getLogger("firmware_bridge.trace")
"""Frames in and out at level DEBUG, and why one was dropped; off until a program sets the level."""
TRACE.setLevel(logging.INFO)

VERSION = 3
"""The protocol's version for a machine with one gate; HELLO is the same in every version and is sent in this one. Older boards, of
versions 1 and 2, have their carriages' places elsewhere."""

VERSION_OF_GATES = 4
"""Its version for a machine with several gates: messages about a gate say which."""

VERSIONS = (VERSION, VERSION_OF_GATES)
"""The versions that this package speaks."""

MAX_PAYLOAD = 48
"""Payload bytes that a frame may carry at most."""

TIME_MODULUS = 1 << 32
"""Header time is microseconds of the sender's clock modulo this; it wraps after 71.6 minutes."""

_HEADER = struct.Struct("<BBHII")
_CRC = struct.Struct("<I")
HEADER_OFFSETS = {"version": 0, "type": 1, "seq": 2, "operation": 4, "time": 8}
"""Where each field of the header begins."""
HEADER_SIZE = _HEADER.size
CRC_SIZE = _CRC.size
_MIN_FRAME = HEADER_SIZE + CRC_SIZE
_MAX_FRAME = _MIN_FRAME + MAX_PAYLOAD
MAX_ENCODED = _MAX_FRAME + 1
"""A frame of at most 64 bytes needs one COBS byte more; the delimiter is not counted."""

_DELIMITER = b"\x00"
_LONGEST_RUN = 254
"""Bytes without a zero that one code byte can announce."""


class FrameError(ValueError):
    """Bytes that are not one intact frame, or a frame that cannot be written; the message says why."""


@frozen
class Frame:
    """One frame: the header's fields and the payload.

    ``type`` is a message type of PROTOCOL.md, ``seq`` counts the sender's frames modulo 2¹⁶, ``operation`` is the operation that the frame
    belongs to (0 for none) and ``time_us`` the sender's clock in microseconds modulo 2³².
    """

    type: int
    seq: int
    operation: int
    time_us: int
    payload: bytes = b""
    version: int = VERSION


@frozen
class LineCounts:
    """What a decoder has seen since it was made: good frames, and what was thrown away and why."""

    frames: int = 0
    bytes_received: int = 0
    bad_stuffing: int = 0
    bad_length: int = 0
    bad_checksum: int = 0
    overlong: int = 0

    @property
    def errors(self) -> int:
        """Pieces between delimiters that were not frames."""
        return self.bad_stuffing + self.bad_length + self.bad_checksum + self.overlong


def wire_time_us(now_s: float) -> int:
    """A clock reading in seconds as the header carries it."""
    return int(now_s * 1_000_000) % TIME_MODULUS


def stuff(plain: bytes) -> bytes:
    """Consistent overhead byte stuffing (Cheshire and Baker, SIGCOMM 1997): no zero byte is left; no delimiter is added."""
    blocks = plain.split(b"\x00")
    if len(plain) < _LONGEST_RUN:
        return b"".join(bytes((len(block) + 1,)) + block for block in blocks)
    stuffed = bytearray()
    for index, block in enumerate(blocks):
        start = 0
        while len(block) - start >= _LONGEST_RUN:
            stuffed.append(_LONGEST_RUN + 1)
            stuffed += block[start : start + _LONGEST_RUN]
            start += _LONGEST_RUN
            if start == len(block) and index == len(blocks) - 1:
                return bytes(stuffed)
        stuffed.append(len(block) - start + 1)
        stuffed += block[start:]
    return bytes(stuffed)


def unstuff(stuffed: bytes) -> bytes:
    """Undo ``stuff``; raises FrameError when the bytes are not stuffed ones."""
    if 0 in stuffed:
        raise FrameError(f"a zero stands at byte {stuffed.index(0)}")
    plain = []
    position, size = 0, len(stuffed)
    while position < size:
        code = stuffed[position]
        end = position + code
        if end > size:
            raise FrameError(f"stuffing is broken at byte {position}")
        plain.append(stuffed[position + 1 : end])
        if code <= _LONGEST_RUN and end < size:
            plain.append(_DELIMITER)
        position = end
    return b"".join(plain)


def pack_frame(frame: Frame) -> bytes:
    """Header, payload and CRC-32 (that of zlib), little-endian, not yet stuffed.

    Raises FrameError when the payload is too long or a header field does not fit.
    """
    if len(frame.payload) > MAX_PAYLOAD:
        raise FrameError(f"a payload of {len(frame.payload)} bytes does not fit: at most {MAX_PAYLOAD}")
    try:
        header = _HEADER.pack(frame.version, frame.type, frame.seq, frame.operation, frame.time_us)
    except struct.error as error:
        raise FrameError(f"a header field is out of range in {frame}: {error}") from None
    checked = header + frame.payload
    return checked + _CRC.pack(zlib.crc32(checked))


def encode_frame(frame: Frame) -> bytes:
    """The frame as it goes over the wire, with the delimiter that ends it."""
    return stuff(pack_frame(frame)) + _DELIMITER


def unpack_frame(plain: bytes) -> Frame:
    """Read an unstuffed frame; raises FrameError for a wrong length or checksum.

    A frame of another protocol version is returned as it is: ``link`` says what it makes of it.
    """
    _check(plain)
    version, type_, seq, operation, time_us = _HEADER.unpack_from(plain)
    return Frame(type_, seq, operation, time_us, bytes(plain[_HEADER.size : -_CRC.size]), version)


def _check(plain: bytes) -> None:
    if not _MIN_FRAME <= len(plain) <= _MAX_FRAME:
        raise FrameError(f"{len(plain)} bytes are not a frame: {_MIN_FRAME} to {_MAX_FRAME}")
    (checksum,) = _CRC.unpack_from(plain, len(plain) - _CRC.size)
    if checksum != zlib.crc32(plain[: -_CRC.size]):
        raise FrameError("the checksum does not fit the bytes")


class Decoder:
    """Cuts a byte stream into frames; broken pieces are counted and skipped, never raised.

    The buffer holds at most one frame's worth of bytes: a stream without delimiters costs no
    memory, and the first delimiter after a disturbance brings the decoder back into step.
    """

    def __init__(self) -> None:
        self._piece = bytearray()
        self._skipping = False
        self._seen = dict.fromkeys((each.name for each in fields(LineCounts)), 0)

    @property
    def counts(self) -> LineCounts:
        return LineCounts(**self._seen)

    @property
    def buffered(self) -> int:
        """Bytes of an unfinished frame held at the moment; never more than ``MAX_ENCODED``."""
        return len(self._piece)

    def feed(self, received: bytes) -> list[Frame]:
        """Take bytes as they come; return the frames that they complete, in order."""
        self._seen["bytes_received"] += len(received)
        frames: list[Frame] = []
        *ended, rest = received.split(_DELIMITER)
        for piece in ended:
            self._append(piece)
            frame = self._finish()
            if frame is not None:
                frames.append(frame)
        self._append(rest)
        return frames

    def reset(self) -> None:
        """Forget an unfinished frame, for a port that was closed and opened again; counters stay."""
        self._piece.clear()
        self._skipping = False

    def _append(self, piece: bytes) -> None:
        if self._skipping:
            return
        if len(self._piece) + len(piece) > MAX_ENCODED:
            self._drop("overlong", f"more than {MAX_ENCODED} bytes without a delimiter")
            self._skipping = True
            self._piece.clear()
            return
        self._piece += piece

    def _finish(self) -> Frame | None:
        piece = bytes(self._piece)
        skipped = self._skipping
        self.reset()
        if skipped or not piece:
            return None
        what = "bad_stuffing"
        try:
            plain = unstuff(piece)
            what = "bad_checksum" if _MIN_FRAME <= len(plain) <= _MAX_FRAME else "bad_length"
            frame = unpack_frame(plain)
        except FrameError as error:
            self._drop(what, error)
            return None
        self._seen["frames"] += 1
        return frame

    def _drop(self, what: str, why: FrameError | str) -> None:
        self._seen[what] += 1
        TRACE.debug("<- dropped: %s", why)
