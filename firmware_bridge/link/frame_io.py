"""Messages into frames and out of them, each traced: which version and direction a frame must have, and why it is dropped.

Every frame goes to the log ``firmware_bridge.trace`` at level DEBUG. It names places and numbers, as TWF does, and never a kind.
"""

from enum import Enum

from firmware_bridge.frames import TRACE, VERSIONS, Frame, encode_frame, wire_time_us
from firmware_bridge.messages import HelloAck, Message, MessageError, decode_message, encode_message, layout_of

_FIRST_FIRMWARE_TYPE = 0x80


class Dropped(Enum):
    """Why an intact frame is not for this link."""

    FOREIGN_VERSION = "its protocol version is not spoken here"
    ECHO = "only a host sends it"
    UNREADABLE = "it is no message of its type"
    OTHER_VERSION = "the session is of another protocol version"


def read_frame(frame: Frame, version: int) -> Message | Dropped:
    """What a frame of a session in this protocol version says."""
    message = _read(frame, version)
    if isinstance(message, Dropped):
        TRACE.debug("<- type 0x%02x seq %d operation %d dropped: %s", frame.type, frame.seq, frame.operation, message.value)
    else:
        TRACE.debug("<- %s seq %d operation %d %r", layout_of(message).name, frame.seq, frame.operation, message)
    return message


def _read(frame: Frame, version: int) -> Message | Dropped:
    if frame.version not in VERSIONS:
        return Dropped.FOREIGN_VERSION
    if frame.type < _FIRST_FIRMWARE_TYPE:
        return Dropped.ECHO
    try:
        message = decode_message(frame.type, frame.payload, frame.version)
    except MessageError:
        return Dropped.UNREADABLE
    return message if frame.version == version or isinstance(message, HelloAck) else Dropped.OTHER_VERSION


class FrameWriter:
    """Numbers frames and keeps their bytes until they are fetched."""

    def __init__(self) -> None:
        self._waiting = bytearray()
        self.count = 0
        """Frames so far."""

    def write(self, message: Message, version: int, now_s: float, operation: int = 0) -> None:
        type_, payload = encode_message(message, version)
        seq = self.count % (1 << 16)
        self.count += 1
        TRACE.debug("-> %s seq %d operation %d %r", layout_of(message).name, seq, operation, message)
        self._waiting += encode_frame(Frame(type_, seq, operation, wire_time_us(now_s), payload, version))

    def take(self) -> bytes:
        """The bytes since the last time. A zero goes first, so that noise on the line costs no frame."""
        taken = b"\x00" + self._waiting if self._waiting else b""
        self._waiting.clear()
        return taken

    def forget(self) -> None:
        self._waiting.clear()
