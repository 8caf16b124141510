"""The one table of message types and payload layouts, and the code that follows it.

A layout is written as PROTOCOL.md writes it: ``seat u8, position u8``. ``u8``, ``u16``, ``u32`` and ``u40`` are unsigned little-endian
numbers, ``b8`` is eight raw bytes, ``4*u40`` is four numbers in a row. A few messages have another layout in the version of several gates,
which says which; what the other leaves out has the value that it has on a machine with one gate.
"""

import re
import struct
from collections.abc import Callable
from dataclasses import MISSING, field, fields
from functools import cache
from struct import Struct
from typing import Any

from firmware_bridge.frames import VERSION
from firmware_bridge.messages import commands, reports, session
from firmware_bridge.messages.codes import Container, FaultCode, FeederState, Flags, NakCode, ResetReason, Result, Sensors
from twinwall.values import frozen

Message = (
    session.Hello | session.HelloAck | session.GetCapabilities | session.Capabilities | session.Config | session.ConfigAck
    | session.Heartbeat | session.Beat | session.EventAck | session.StatusRequest | session.StatusState
    | session.StatusPlaces | session.StatusCounters | session.PinsRequest | session.Pins
    | commands.Command | reports.Answer | reports.DeviceEvent
)  # fmt: skip
"""Everything that can travel in a frame."""

Value = int | bytes | tuple[int, ...]


class MessageError(ValueError):
    """A payload that is not the message that its type says, or a field that does not fit its layout."""


@frozen
class Field:
    """One field: its name, how many numbers it is (0 for raw bytes) and the bytes of each."""

    name: str
    count: int
    size: int

    @property
    def length(self) -> int:
        return max(self.count, 1) * self.size


@frozen
class Layout:
    type: int
    name: str
    message: Callable[..., Message]
    text: str
    fields: tuple[Field, ...]
    kinds: dict[str, Callable[[int], int]]
    """Fields that are a code, a flag or a truth value."""
    gates_text: str = ""
    """The layout for several gates where it is another one."""
    gates_fields: tuple[Field, ...] = ()
    implied: dict[str, object] = field(default_factory=dict)
    """What the layout for one gate leaves out, with the value that it has there."""

    @property
    def size(self) -> int:
        return self.size_in(VERSION)

    def fields_in(self, version: int) -> tuple[Field, ...]:
        return self.gates_fields if self.gates_fields and version != VERSION else self.fields

    def size_in(self, version: int) -> int:
        return sum(each.length for each in self.fields_in(version))


_FIELD = re.compile(r"(\w+) (?:(\d+)\*)?([ub])(\d+)")


def _layout(
    type_: int, name: str, message: type[Message], text: str = "", *, with_gates: str = "", **kinds: Callable[[int], int]
) -> Layout:
    written, later = _fields(name, text), _fields(name, with_gates)
    only_later = {each.name for each in later} - {each.name for each in written}
    implied = {each.name: each.default for each in fields(message) if each.name in only_later and each.default is not MISSING}
    return Layout(type_, name, message, text, written, kinds, with_gates, later, implied)


def _fields(name: str, text: str) -> tuple[Field, ...]:
    found = []
    for part in filter(None, text.split(", ")):
        match = _FIELD.fullmatch(part)
        if match is None:
            raise ValueError(f"{part!r} in the layout of {name} is not a field")
        called, times, sort, size = match.groups()
        found.append(Field(called, 0, int(size)) if sort == "b" else Field(called, int(times or 1), int(size) // 8))
    return tuple(found)


LAYOUTS: tuple[Layout, ...] = (
    _layout(0x01, "HELLO", session.Hello, "nonce u32, lowest_version u8, highest_version u8"),
    _layout(0x02, "GET_CAPS", session.GetCapabilities),
    _layout(0x03, "CONFIG", session.Config, "digest b8"),
    _layout(0x04, "HEARTBEAT", session.Heartbeat),
    _layout(0x05, "STATUS?", session.StatusRequest),
    _layout(0x06, "EVENT_ACK", session.EventAck, "event u32"),
    _layout(0x07, "PINS?", session.PinsRequest),
    _layout(0x10, "FEED", commands.Feed),
    _layout(0x11, "HOLD", commands.Hold),
    _layout(0x12, "PLACE", commands.Place, "seat u8, position u8", with_gates="seat u8, position u8, gate u8"),
    _layout(0x13, "BYPASS", commands.Bypass, "cell u8"),
    _layout(0x14, "RELEASE", commands.Release, "cell u8, seat u8, position u8"),
    _layout(0x15, "RETURN", commands.Return, "seat u8, position u8"),
    _layout(0x16, "RECIRCULATE", commands.Recirculate, with_gates="gate u8"),
    _layout(0x17, "REJECT", commands.Reject, with_gates="gate u8"),
    _layout(0x18, "DUMP", commands.Dump, "container u8, seat u8", container=Container),
    _layout(0x20, "RAISE", commands.Raise),
    _layout(0x21, "OPEN_WELL", commands.OpenWell),
    _layout(0x22, "CLOSE_WELL", commands.CloseWell),
    _layout(0x23, "UNLOCK", commands.Unlock, "seat u8, lease_ms u32"),
    _layout(0x24, "RENEW", commands.Renew, "seat u8, lease_ms u32"),
    _layout(0x25, "LOCK", commands.Lock, "seat u8"),
    _layout(0x26, "SENSE", commands.Sense),
    _layout(0x28, "CLEAR", commands.Clear, "fault u8", fault=FaultCode),
    _layout(0x29, "STOP", commands.Stop),
    _layout(0x2A, "BRING_UP", commands.BringUp),
    _layout(0x2B, "DRIVE", commands.Drive, "output u8, amount u16"),
    _layout(
        0x81,
        "HELLO_ACK",
        session.HelloAck,
        "nonce u32, protocol_version u8, uid b8, boot_id u32, reset_reason u8, firmware_digest b8, "
        "capabilities_digest b8, last_operation u32, next_event u32",
        reset_reason=ResetReason,
    ),
    _layout(
        0x82,
        "CAPS",
        session.Capabilities,
        "seats u8, tray_places u8, wall_places u8, hand_places u8, bypass_cells u8, shuttle_queue u8, two_high u8, "
        "answers_kept u8, events_kept u8, hold_after_ms u16, motors_off_after_ms u16, gate_period_ms u16",
        with_gates="seats u8, tray_places u8, wall_places u8, hand_places u8, bypass_cells u8, shuttle_queue u8, two_high u8, "
        "answers_kept u8, events_kept u8, hold_after_ms u16, motors_off_after_ms u16, gate_period_ms u16, "
        "gates u8, exchangers u8, pocket_places u8, shuttles u8",
        two_high=bool,
    ),
    _layout(0x83, "CONFIG_ACK", session.ConfigAck, "accepted u8, digest b8", accepted=bool),
    _layout(0x84, "BEAT", session.Beat, "boot_id u32, state u8, flags u8", state=FeederState, flags=Flags),
    _layout(0x85, "ACK", reports.Ack, "expected_ms u32"),
    _layout(0x86, "NAK", reports.Nak, "code u8", code=NakCode),
    _layout(0x87, "DONE", reports.DoneReport, "result u8, sensors u16, ms u32", result=Result, sensors=Sensors),
    _layout(
        0x88,
        "STATUS_STATE",
        session.StatusState,
        "snapshot u16, state u8, flags u8, faults u16, open_locks u8, bypass u8, waiting 4*u8, well u32, last_operation u32, boot_id u32",
        with_gates="snapshot u16, state u8, flags u8, faults u16, open_locks u8, bypass u16, waiting 4*u8, well u32, "
        "last_operation u32, boot_id u32, gates u8",
        state=FeederState,
        flags=Flags,
    ),
    _layout(0x89, "STATUS_PLACES", session.StatusPlaces, "snapshot u16, trays 4*u40, magazines 4*u40"),
    _layout(
        0x8A,
        "STATUS_COUNTERS",
        session.StatusCounters,
        "snapshot u16, arrived u32, placed u32, bypassed u32, released u32, returned u32, recirculated u32, "
        "rejected u32, dumped u32, taken u32, drawn u32, put_back u32",
    ),
    _layout(0x8B, "PINS", session.Pins, "inputs b48"),
    _layout(
        0x90,
        "TILE_AT_GATE",
        reports.TileAtGate,
        "number u32, width u16, edges u8, back u8, operation u32",
        with_gates="number u32, width u16, edges u8, back u8, operation u32, gate u8",
    ),
    _layout(0x91, "TAKEN", reports.Taken, "number u32, seat u8, place u8"),
    _layout(0x92, "DRAWN", reports.Drawn, "number u32, seat u8"),
    _layout(0x93, "PUT_BACK", reports.PutBack, "number u32, seat u8"),
    _layout(0x94, "WELL", reports.Well, "number u32, count u16"),
    _layout(0x95, "LID", reports.Lid, "number u32, open u8", open=bool),
    _layout(0x96, "ESTOP", reports.Estop, "number u32, on u8", on=bool),
    _layout(0x97, "FAULT", reports.Fault, "number u32, code u8, where u8, operation u32", code=FaultCode),
)

_BY_TYPE = {layout.type: layout for layout in LAYOUTS}
_BY_MESSAGE = {layout.message: layout for layout in LAYOUTS}

COMMAND_TYPES = range(0x10, 0x40)
"""Types of operations; 0x30 to 0x3F are kept for changing the firmware, with the service switch only."""

EVENT_TYPES = range(0x90, 0x98)
"""Types of numbered events."""


def layout_of(message: Message) -> Layout:
    return _BY_MESSAGE[type(message)]


def encode_message(message: Message, version: int = VERSION) -> tuple[int, bytes]:
    """A message as (type, payload) in a version of the protocol; raises MessageError when a field does not fit its layout."""
    layout = layout_of(message)
    if version == VERSION:
        for name, value in layout.implied.items():
            if getattr(message, name) != value:
                raise MessageError(f"{name} of {layout.name} cannot be {getattr(message, name)!r} in version {VERSION}, but only {value!r}")
    numbers, names, pieces = _form(layout.type, version)
    values: dict[str, Value] = {name: getattr(message, name) for name in names}
    for each in pieces:
        values[each.name] = _piece(layout, each, values[each.name])
    try:
        return layout.type, numbers.pack(*values.values())
    except struct.error:
        for each in layout.fields_in(version):
            _piece(layout, each, values[each.name])
        raise


def decode_message(type_: int, payload: bytes, version: int = VERSION) -> Message:
    """Read a payload in a version of the protocol; raises MessageError for an unknown type, a wrong length or an unknown code."""
    layout = _BY_TYPE.get(type_)
    if layout is None:
        raise MessageError(f"there is no message of type 0x{type_:02x}")
    numbers, names, pieces = _form(type_, version)
    if len(payload) != numbers.size:
        raise MessageError(f"{layout.name} has {numbers.size} bytes of payload, not {len(payload)}")
    values: dict[str, Any] = dict(zip(names, numbers.unpack(payload), strict=True))
    for each in pieces:
        if each.count:
            piece = values[each.name]
            values[each.name] = tuple(
                int.from_bytes(piece[start : start + each.size], "little") for start in range(0, len(piece), each.size)
            )
    for name, kind in layout.kinds.items():
        try:
            values[name] = kind(values[name])
        except ValueError as error:
            raise MessageError(f"{name} of {layout.name}: {error}") from None
    return layout.message(**values)


_SIZES = {1: "B", 2: "H", 4: "I"}


@cache
def _form(type_: int, version: int) -> tuple[Struct, tuple[str, ...], tuple[Field, ...]]:
    """A payload's struct, its fields' names, and those that are one piece of the struct each: several numbers, and raw bytes."""
    written = _BY_TYPE[type_].fields_in(version)
    numbers = Struct("<" + "".join(_SIZES[each.size] if each.count == 1 else f"{each.length}s" for each in written))
    return numbers, tuple(each.name for each in written), tuple(each for each in written if each.count != 1)


def _piece(layout: Layout, field: Field, value: Value) -> bytes:
    """A field's bytes; raises MessageError where its value does not fit."""
    try:
        numbers = (value,) if isinstance(value, int) else value
        piece = numbers if isinstance(numbers, bytes) else b"".join(number.to_bytes(field.size, "little") for number in numbers)
        if len(piece) != field.length:
            raise OverflowError(f"{len(piece)} bytes")
    except OverflowError as error:
        raise MessageError(f"{field.name} of {layout.name} cannot be {value!r}: {error}") from None
    return piece
