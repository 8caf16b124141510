"""The C header is the message table: as committed, and as a C compiler understands it."""

import shutil
import subprocess
from pathlib import Path

import pytest

from firmware_bridge.messages import LAYOUTS, Layout, Message, decode_message, encode_message
from firmware_bridge.messages.codec import Field, Value
from tools import c_layout
from tools.c_layout import c_name

COMPILER = shutil.which("cc")
STRICT = ("-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wsign-conversion", "-Werror")


def test_the_committed_header_is_what_the_table_says() -> None:
    assert c_layout.HEADER.read_text(encoding="utf-8") == c_layout.header(), "run python -m tools.c_layout"


@pytest.mark.skipif(COMPILER is None, reason="no C compiler here")
def test_c_reads_and_writes_every_message_as_python_does(tmp_path: Path) -> None:
    messages = [_example(layout) for layout in LAYOUTS if layout.fields]
    printed = _run(tmp_path, "".join(_statements(message) for message in messages))
    assert printed == [line for message in messages for line in _expected(message)]


@pytest.mark.skipif(COMPILER is None, reason="no C compiler here")
def test_c_refuses_a_code_that_does_not_exist(tmp_path: Path) -> None:
    dump = "    { uint8_t p[2] = {7, 0}; struct twf_dump m; puts(twf_read_dump(p, &m) ? "
    clear = "    { uint8_t p[1] = {10}; struct twf_clear m; puts(twf_read_clear(p, &m) ? "
    assert _run(tmp_path, "".join(start + '"read" : "refused"); }\n' for start in (dump, clear))) == ["refused", "read"]


def _run(folder: Path, statements: str) -> list[str]:
    """Compile the statements into a program's ``main`` and return the lines that it prints."""
    source, program = folder / "layout.c", folder / "layout"
    show = 'static void show(const uint8_t *bytes, size_t size) { while (size--) printf("%02x", *bytes++); puts(""); }\n'
    source.write_text(
        f'#include <stdio.h>\n#include "{c_layout.HEADER.name}"\n{show}int main(void) {{\n    (void)show;\n{statements}    return 0;\n}}\n',
        encoding="utf-8",
    )
    assert COMPILER is not None
    subprocess.run([COMPILER, *STRICT, f"-I{c_layout.HEADER.parent}", str(source), "-o", str(program)], check=True)
    return subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout.split("\n")[:-1]


def _example(layout: Layout) -> Message:
    """A message whose bytes all differ, as far as its codes allow."""
    payload = bytearray(range(0x81, 0x81 + layout.size))
    offset = 0
    for field in layout.fields:
        if field.name in layout.kinds:
            payload[offset : offset + field.size] = (1).to_bytes(field.size, "little")
        offset += max(field.count, 1) * field.size
    return decode_message(layout.type, bytes(payload))


def _statements(message: Message) -> str:
    """C that writes the message, or reads it and shows its fields."""
    type_, payload = encode_message(message)
    layout = next(layout for layout in LAYOUTS if layout.type == type_)
    name = c_name(layout)
    bytes_ = ", ".join(str(byte) for byte in payload)
    if type_ < 0x80:
        shown = "".join(f"    show((const uint8_t *)&m.{field.name}, sizeof m.{field.name});\n" for field in layout.fields)
        return f"    {{ uint8_t p[] = {{{bytes_}}}; struct twf_{name} m;\n    if (!twf_read_{name}(p, &m)) return 1;\n{shown}    }}\n"
    values = ", ".join(f".{field.name} = {_literal(field, getattr(message, field.name))}" for field in layout.fields)
    return (
        f"    {{ struct twf_{name} m = {{{values}}}; uint8_t p[TWF_SIZE_{name.upper()}]; twf_write_{name}(p, &m); show(p, sizeof p); }}\n"
    )


def _literal(field: Field, value: Value) -> str:
    """A value as C initialises it."""
    if isinstance(value, bytes):
        return "{" + ", ".join(str(byte) for byte in value) + "}"
    if isinstance(value, tuple):
        return "{" + ", ".join(_literal(Field(field.name, 1, field.size), number) for number in value) + "}"
    if field.size == 5:
        return _literal(field, value.to_bytes(5, "little"))
    return f"{int(value)}u"


def _expected(message: Message) -> list[str]:
    """What the statements print: the payload written, or each field read (this machine, too, is little-endian)."""
    type_, payload = encode_message(message)
    layout = next(layout for layout in LAYOUTS if layout.type == type_)
    if type_ >= 0x80:
        return [payload.hex()]
    ends = [sum(field.size for field in layout.fields[: index + 1]) for index in range(len(layout.fields))]
    return [payload[end - field.size : end].hex() for field, end in zip(layout.fields, ends, strict=True)]
