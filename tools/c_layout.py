"""TWF for firmware in C: one header, written from the same table that the host's codec follows.

``python -m tools.c_layout`` writes ``firmware/core/link/twf_layout.h``; a test holds the
committed file to it. The header has the message types and sizes, every code, and for each
message a struct with the one function that firmware needs: it reads what the host sends and
writes what it says itself. How frames are cut, and what a message does, is the firmware's own. What has
another layout in version 4, that of several gates, stands there a second time, named ``_of_gates``.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from enum import IntEnum, IntFlag
from pathlib import Path

from firmware_bridge import frames
from firmware_bridge.messages import (
    ALL_SEATS,
    COMMAND_TYPES,
    EVENT_TYPES,
    LAYOUTS,
    PLACE_EDGES,
    REAR_GATE,
    REAR_PLACES,
    RELEASE_EDGES,
    Capabilities,
    Container,
    FaultCode,
    FeederState,
    Flags,
    Layout,
    NakCode,
    ResetReason,
    Result,
    Sensors,
    Where,
    limits,
)
from firmware_bridge.messages.codec import Field

HEADER = Path(__file__).parents[1] / "firmware" / "core" / "link" / "twf_layout.h"

_FROM_FIRMWARE = 0x80

_CODES: tuple[tuple[str, type[IntEnum]], ...] = (
    ("result", Result),
    ("nak", NakCode),
    ("fault", FaultCode),
    ("where", Where),
    ("state", FeederState),
    ("reset", ResetReason),
    ("container", Container),
)
_BITS: tuple[tuple[str, type[IntFlag], int], ...] = (("flag", Flags, 8), ("sensor", Sensors, 16))

_TOP = """/* TWF: message types, payload layouts and codes.
 *
 * Written by `python -m tools.c_layout` from the table in firmware_bridge/messages; change it there.
 * PROTOCOL.md says what each message means.
 *
 * Numbers on the wire are little-endian. A u40 is kept as its five bytes: bit p of a seat's places is bit p % 8 of
 * byte p / 8. twf_read_* takes a payload of exactly TWF_SIZE_* bytes and returns false for a code that does not
 * exist; twf_write_* fills TWF_SIZE_* bytes.
 */
#ifndef TWF_LAYOUT_H
#define TWF_LAYOUT_H

/* clang-format off */

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
"""

_NUMBERS = """
static inline uint16_t twf_get_u16(const uint8_t *at) {
    return (uint16_t)((uint16_t)at[0] | (uint16_t)((uint16_t)at[1] << 8));
}

static inline uint32_t twf_get_u32(const uint8_t *at) {
    return (uint32_t)at[0] | ((uint32_t)at[1] << 8) | ((uint32_t)at[2] << 16) | ((uint32_t)at[3] << 24);
}

static inline void twf_put_u16(uint8_t *at, uint16_t number) {
    at[0] = (uint8_t)(number & 0xffu);
    at[1] = (uint8_t)(number >> 8);
}

static inline void twf_put_u32(uint8_t *at, uint32_t number) {
    at[0] = (uint8_t)(number & 0xffu);
    at[1] = (uint8_t)((number >> 8) & 0xffu);
    at[2] = (uint8_t)((number >> 16) & 0xffu);
    at[3] = (uint8_t)(number >> 24);
}
"""


def header() -> str:
    """The header as it must stand in ``firmware/core/link/twf_layout.h``."""
    parts = [_TOP, *_frame_constants(), *_limits(), *_capabilities(), *_codes(), *_types(), _NUMBERS]
    parts += [text for layout in LAYOUTS if layout.fields for text in _message(layout, c_name(layout), layout.fields)]
    parts += [text for layout in LAYOUTS if layout.gates_fields for text in _message(layout, _of_gates(layout), layout.gates_fields)]
    parts.append("\n/* clang-format on */\n\n#endif\n")
    return "".join(parts)


def c_name(layout: Layout) -> str:
    """A message's name as C has it, in lower case."""
    return layout.name.replace("?", "_REQUEST").lower()


def _of_gates(layout: Layout) -> str:
    return f"{c_name(layout)}_of_gates"


def _define(name: str, value: int, bits: int = 0) -> str:
    number = f"0x{value:0{bits // 4}x}u" if bits else f"{value}u"
    return f"#define TWF_{name} {number}\n"


def _frame_constants() -> Iterator[str]:
    header_size = frames.HEADER_SIZE
    yield "\n/* Frames: header, payload, CRC-32; stuffed with COBS and ended by 0x00. */\n"
    yield _define("VERSION", frames.VERSION)
    yield _define("VERSION_OF_GATES", frames.VERSION_OF_GATES)
    for field, offset in frames.HEADER_OFFSETS.items():
        yield _define(f"AT_{field.upper()}", offset)
    yield _define("HEADER_SIZE", header_size)
    yield _define("CRC_SIZE", frames.CRC_SIZE)
    yield _define("MAX_PAYLOAD", frames.MAX_PAYLOAD)
    yield _define("MIN_FRAME", header_size + frames.CRC_SIZE)
    yield _define("MAX_FRAME", header_size + frames.MAX_PAYLOAD + frames.CRC_SIZE)
    yield "/* A stuffed frame at most, without the 0x00 that ends it. */\n"
    yield _define("MAX_ENCODED", frames.MAX_ENCODED)


def _limits() -> Iterator[str]:
    yield "\n/* Times in milliseconds of wall time, and counts. */\n"
    yield _define("HEARTBEAT_MS", limits.HEARTBEAT_MS)
    yield _define("EVENT_REPEAT_MS", limits.EVENT_REPEAT_MS)
    yield _define("EVENTS_AT_ONCE", limits.EVENTS_AT_ONCE)
    yield _define("SAFETY_STOP_MS", limits.SAFETY_STOP_MS)
    yield "/* In place of a seat: every seat (DUMP, LOCK). */\n"
    yield _define("ALL_SEATS", ALL_SEATS)
    yield "/* A seat's rear gate has the seat's number plus REAR_GATE; this many of a magazine's last places are behind it. */\n"
    yield _define("REAR_GATE", REAR_GATE)
    yield _define("REAR_PLACES", REAR_PLACES)


def _capabilities() -> Iterator[str]:
    reference = Capabilities()
    yield "\n/* CAPS of the reference table. */\n"
    reported = {field.name for layout in LAYOUTS if layout.message is Capabilities for field in layout.fields}
    for field in fields(reference):
        if field.name in reported:
            yield _define(f"REFERENCE_{field.name.upper()}", int(getattr(reference, field.name)))


def _codes() -> Iterator[str]:
    yield "\n/* Codes. */\n"
    for name, codes in _CODES:
        yield _enum(name, ((code.name, code) for code in codes))
        yield _known(name, codes)
    for name, bits, size in _BITS:
        yield "".join(_define(f"{name.upper()}_{bit.name}", bit, size) for bit in bits if bit.name) + "\n"
    yield "/* Exactly these edges make a position trusted. */\n"
    yield _define("PLACE_EDGES", PLACE_EDGES, 16)
    yield _define("RELEASE_EDGES", RELEASE_EDGES, 16)


def _enum(name: str, numbers: Iterable[tuple[str, int]]) -> str:
    lines = ",\n".join(f"    TWF_{name.upper()}_{member} = {int(number)}" for member, number in numbers)
    return f"enum twf_{name}_code {{\n{lines}\n}};\n"


def _known(name: str, codes: type[IntEnum]) -> str:
    """A test whether a byte is one of the codes; only those that the host sends need one."""
    if codes not in _codes_from_host():
        return "\n"
    cases = "\n".join(f"    case TWF_{name.upper()}_{code.name}:" for code in codes)
    return (
        f"\nstatic inline bool twf_is_{name}(uint8_t code) {{\n    switch (code) {{\n{cases}\n        return true;\n"
        "    default:\n        return false;\n    }\n}\n\n"
    )


def _codes_from_host() -> set[object]:
    return {kind for layout in LAYOUTS if layout.type < _FROM_FIRMWARE for kind in layout.kinds.values()}


def _types() -> Iterator[str]:
    yield "\n/* Message types and the bytes of their payloads. */\n"
    types = ((layout.name.replace("?", "_REQUEST"), layout.type) for layout in LAYOUTS)
    lines = ",\n".join(f"    TWF_TYPE_{name} = 0x{number:02x}" for name, number in types)
    yield f"enum twf_type {{\n{lines}\n}};\n\n"
    yield "".join(_define(f"SIZE_{c_name(layout).upper()}", layout.size) for layout in LAYOUTS)
    several = [layout for layout in LAYOUTS if layout.gates_fields]
    yield "".join(_define(f"SIZE_{_of_gates(layout).upper()}", layout.size_in(frames.VERSION_OF_GATES)) for layout in several)
    yield "\n"
    for name, span in (("COMMAND", COMMAND_TYPES), ("SERVICE", limits.SERVICE_TYPES), ("EVENT", EVENT_TYPES)):
        yield _define(f"FIRST_{name}", span.start, 8)
        yield _define(f"LAST_{name}", span.stop - 1, 8)
    yield "/* Payload bytes of a message from the host; -1 for a type that does not exist. */\n"
    yield "static inline int8_t twf_size_from_host(uint8_t type) {\n    switch (type) {\n"
    for layout in LAYOUTS:
        if layout.type < _FROM_FIRMWARE:
            name = c_name(layout).upper()
            yield f"    case TWF_TYPE_{name}:\n        return (int8_t)TWF_SIZE_{name};\n"
    yield "    default:\n        return -1;\n    }\n}\n"
    yield "\n/* The same in version 4. */\n"
    yield "static inline int8_t twf_size_from_host_of_gates(uint8_t type) {\n    switch (type) {\n"
    for layout in several:
        if layout.type < _FROM_FIRMWARE:
            yield f"    case TWF_TYPE_{c_name(layout).upper()}:\n        return (int8_t)TWF_SIZE_{_of_gates(layout).upper()};\n"
    yield "    default:\n        return twf_size_from_host(type);\n    }\n}\n"


def _message(layout: Layout, name: str, written: Sequence[Field]) -> Iterator[str]:
    yield f"\nstruct twf_{name} {{\n" + "".join(f"    {_declaration(layout, field)};\n" for field in written) + "};\n\n"
    offset = 0
    lines = []
    for field in written:
        lines.append(_read(layout, field, offset) if layout.type < _FROM_FIRMWARE else _write(layout, field, offset))
        offset += max(field.count, 1) * field.size
    if layout.type < _FROM_FIRMWARE:
        yield f"static inline bool twf_read_{name}(const uint8_t *payload, struct twf_{name} *message) {{\n"
        yield "".join(lines)
        checks = [f"twf_is_{code}(message->{field})" for field, kind in layout.kinds.items() for code, codes in _CODES if kind is codes]
        yield f"    return {' && '.join(checks) or 'true'};\n}}\n"
    else:
        yield f"static inline void twf_write_{name}(uint8_t *payload, const struct twf_{name} *message) {{\n"
        yield "".join(lines) + "}\n"


def _declaration(layout: Layout, field: Field) -> str:
    name = field.name
    if field.count == 0:
        return f"uint8_t {name}[{field.size}]"
    if layout.kinds.get(field.name) is bool:
        return f"bool {name}"
    many = f"[{field.count}]" if field.count > 1 else ""
    if field.size == 5:
        return f"uint8_t {name}{many}[5]"
    return f"uint{8 * field.size}_t {name}{many}"


def _read(layout: Layout, field: Field, offset: int) -> str:
    target = f"message->{field.name}"
    source = f"payload[{offset}]" if field.size == 1 else f"payload + {offset}"
    if field.count == 0:
        return f"    memcpy({target}, payload + {offset}, {field.size}u);\n"
    if field.count > 1 or field.size not in (1, 2, 4):
        raise ValueError(f"{field.name} of {layout.name}: the host sends no such field yet; teach this module to read it")
    if layout.kinds.get(field.name) is bool:
        return f"    {target} = {source} != 0u;\n"
    return f"    {target} = {source};\n" if field.size == 1 else f"    {target} = twf_get_u{8 * field.size}({source});\n"


def _write(layout: Layout, field: Field, offset: int) -> str:
    source = f"message->{field.name}"
    whole = max(field.count, 1) * field.size
    if field.count == 0 or field.size == 5 or (field.size == 1 and field.count > 1):
        return f"    memcpy(payload + {offset}, {source}, {whole}u);\n"
    if field.count > 1:
        raise ValueError(f"{field.name} of {layout.name}: firmware sends no such field yet; teach this module to write it")
    if layout.kinds.get(field.name) is bool:
        return f"    payload[{offset}] = {source} ? 1u : 0u;\n"
    if field.size == 1:
        return f"    payload[{offset}] = {source};\n"
    return f"    twf_put_u{8 * field.size}(payload + {offset}, {source});\n"


def main() -> None:
    """Write the header."""
    HEADER.parent.mkdir(parents=True, exist_ok=True)
    HEADER.write_text(header(), encoding="utf-8")


if __name__ == "__main__":
    main()
