"""The messages between a phone and its table's server over the WebSocket: JSON texts, and bytes for frames. The first text is the phone's
``PhoneHello``; the answer is ``PhoneJoined`` or ``PhoneRefused``. A camera then gets ``FrameWanted`` texts and answers each with bytes:
four bytes of length (big-endian), a ``FrameTaken`` of that length, the JPEG file. Keys send ``KeyTouched``, each answered by
``TouchHeard``, and get ``LampsShown`` twice a second and when lamps change. A builder's screen sends ``ScreenTouched`` and gets
``ScreenShown`` when the screen changes. Spaces after a text and zeros after a picture pad it, so that its length reveals nothing."""

from typing import Annotated, TypeAlias, TypeVar

import msgspec
from msgspec import Meta

from tableside.phones.table_stations import Deed
from twinwall.values import FrozenStruct
from twinwall.wire.padding import padded_length
from twinwall.wire.shapes.panel import Key, KeyLamps, PhoneState, Place

Secret = Annotated[str, Meta(max_length=64)]
PartNumbers = tuple[Annotated[int, Meta(ge=0)], Annotated[int, Meta(ge=0)], Annotated[int, Meta(ge=1)], Annotated[int, Meta(ge=1)]]
"""A rectangle of the phone's picture in pixels: left and upper edge, width and height."""
_LENGTH = 4
_LEAST = 4096
"""Bytes; the messages include the builder's screen."""


class PhoneHello(FrozenStruct, tag="hello"):
    """A phone connects with a code, or with the token received for one."""

    code: Secret = ""
    token: Secret = ""


class KeyTouched(FrozenStruct, tag="pressed"):
    """A key was touched; ``name`` is the phone's name for this press, ``told`` the number of the last received lamps."""

    name: Annotated[str, Meta(min_length=8, max_length=64)]
    key: Key
    place: Place | None = None
    told: Annotated[int, Meta(ge=0)] = 0


class ScreenTouched(FrozenStruct, tag="touched"):
    """The builder's screen was touched, as the station's page reports it."""

    deed: Deed
    number: Annotated[int, Meta(ge=0)] = 0
    missing: Annotated[int, Meta(ge=0, le=136)] = 0


class FrameTaken(FrozenStruct):
    """A frame's number, and its part of the camera's picture."""

    number: int
    part: PartNumbers | None = None


class PhoneJoined(FrozenStruct, tag="joined"):
    """The phone is admitted: its role, its token for reconnecting, the words that both ends show."""

    table: str
    name: str
    token: str
    words: str


class PhoneRefused(FrozenStruct, tag="refused"):
    """The phone is not admitted by its code (``unknown``, ``used``, ``late``), or no longer: ``replaced`` by the next phone, ``dismissed``,
    or ``out`` when it reconnected."""

    why: str


class FrameWanted(FrozenStruct, tag="wanted"):
    """Take a frame with an exposure from now on."""

    number: int
    part: PartNumbers | None = None


class TouchHeard(FrozenStruct, tag="heard"):
    """Whether a press was accepted; if not, no player at the table may press now."""

    name: str
    good: bool


class LampsShown(FrozenStruct, tag="shown"):
    """The table's lamps, and whether it accepts presses; sent at least twice a second, with a rising number."""

    lamps: KeyLamps
    heard: bool
    number: int


class ScreenShown(FrozenStruct, tag="screen"):
    """The station's screen, as the station gives it; None while it does not answer."""

    screen: msgspec.Raw | None


FromPhone: TypeAlias = PhoneState | KeyTouched | ScreenTouched
ToPhone: TypeAlias = PhoneJoined | PhoneRefused | FrameWanted | TouchHeard | LampsShown | ScreenShown
Document = TypeVar("Document")
_HELLO, _TAKEN = msgspec.json.Decoder(PhoneHello), msgspec.json.Decoder(FrameTaken)
_FROM_PHONE: msgspec.json.Decoder[FromPhone] = msgspec.json.Decoder(FromPhone)


class PhoneMessageError(ValueError):
    """A phone has sent none of these messages."""


def hello(text: str | bytes) -> PhoneHello:
    """Raises PhoneMessageError."""
    return _decoded(text, _HELLO)


def from_phone(text: str) -> FromPhone:
    """Raises PhoneMessageError."""
    return _decoded(text, _FROM_PHONE)


def taken_frame(message: bytes) -> tuple[FrameTaken, bytes]:
    """A frame's head and its picture without padding; raises PhoneMessageError."""
    size = int.from_bytes(message[:_LENGTH], "big")
    if not 0 < size <= len(message) - _LENGTH:
        raise PhoneMessageError(f"a frame of {len(message)} bytes has no head of {size}")
    return _decoded(message[_LENGTH : _LENGTH + size], _TAKEN), message[_LENGTH + size :].rstrip(b"\0")


def to_phone(message: ToPhone) -> str:
    """The text to send, padded to one of few lengths."""
    content = msgspec.json.encode(message)
    return content.ljust(padded_length(len(content), _LEAST)).decode()


def _decoded(text: str | bytes, decoder: msgspec.json.Decoder[Document]) -> Document:
    try:
        return decoder.decode(text)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise PhoneMessageError(str(error)) from None
