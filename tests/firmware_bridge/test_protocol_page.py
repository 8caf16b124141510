"""PROTOCOL.md is law: its tables and examples are the program's."""

import ast
import re
from enum import IntEnum, IntFlag
from pathlib import Path

import pytest

import firmware_bridge
from firmware_bridge import messages
from firmware_bridge.conformance.rules import RULES
from firmware_bridge.frames import VERSION, VERSION_OF_GATES, Decoder, Frame, encode_frame, pack_frame, unpack_frame
from firmware_bridge.messages import (
    LAYOUTS,
    Container,
    FaultCode,
    FeederState,
    Flags,
    Message,
    NakCode,
    ResetReason,
    Result,
    Sensors,
    Where,
    decode_message,
    encode_message,
    layout_of,
)

PAGE = (Path(firmware_bridge.__path__[0]) / "PROTOCOL.md").read_text(encoding="utf-8")
EXAMPLES = [
    dict(line.split(maxsplit=1) for line in block.strip().splitlines()) for block in re.findall(r"```twf\n(.*?)```", PAGE, re.DOTALL)
]


def test_the_page_lists_every_message_with_its_type_payload_and_length() -> None:
    rows = re.findall(r"^\| (0x[0-9a-f]{2}) \| (\S+) \| (.+?) \| (\d+) \|", PAGE, re.MULTILINE)
    assert rows == [(f"0x{layout.type:02x}", layout.name, layout.text or "–", str(layout.size)) for layout in LAYOUTS]


def test_the_page_gives_the_payloads_that_are_others_where_there_are_several_gates() -> None:
    section = PAGE.partition("## Several gates")[2].partition("## Session")[0]
    rows = re.findall(r"^\| ([A-Z_]+) \| (.+?) \| (\d+) \|", section, re.MULTILINE)
    others = [layout for layout in LAYOUTS if layout.gates_fields]
    assert rows == [(layout.name, layout.gates_text, str(layout.size_in(VERSION_OF_GATES))) for layout in others]


@pytest.mark.parametrize(
    ("field", "codes"),
    [
        ("result", Result),
        ("NAK code", NakCode),
        ("fault", FaultCode),
        ("where", Where),
        ("state", FeederState),
        ("reset_reason", ResetReason),
        ("container", Container),
        ("flags (bits)", Flags),
        ("sensors (bits)", Sensors),
    ],
)
def test_the_page_gives_every_code_its_number(field: str, codes: type[IntEnum] | type[IntFlag]) -> None:
    row = re.search(rf"^\| {re.escape(field)} \| (.+) \|$", PAGE, re.MULTILINE)
    assert row is not None
    assert re.findall(r"(\d+) ([A-Z_]+)", row[1]) == [(str(int(code)), code.name) for code in codes]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["message"].split("(")[0])
def test_an_example_of_the_page_is_what_the_program_sends_and_reads(example: dict[str, str]) -> None:
    header = {name: int(value) for name, value in re.findall(r"(\w+)=(\d+)", example["header"])}
    version = header.get("version", VERSION)
    message = _message(example["message"])
    type_, payload = encode_message(message, version)
    frame = Frame(type_, header["seq"], header["operation"], header["time_us"], payload, version)
    assert pack_frame(frame) == bytes.fromhex(example["frame"])
    assert encode_frame(frame) == bytes.fromhex(example["wire"])
    (read,) = Decoder().feed(bytes.fromhex(example["wire"]))
    assert read == unpack_frame(bytes.fromhex(example["frame"])) == frame
    assert decode_message(read.type, read.payload, version) == message


def test_the_page_has_examples_in_both_directions() -> None:
    types = {layout_of(_message(example["message"])).type for example in EXAMPLES}
    assert len(EXAMPLES) >= 8
    assert min(types) < 0x80 <= max(types)


def _message(text: str) -> Message:
    """Read a message as the page writes it: ``Name(field=number, field=Code.NAME, field=Code(bits))``."""
    call = ast.parse(text, mode="eval").body
    assert isinstance(call, ast.Call)
    assert isinstance(call.func, ast.Name)
    values = {keyword.arg or "": _value(keyword.value) for keyword in call.keywords}
    layout = next(layout for layout in LAYOUTS if layout.message is getattr(messages, call.func.id))
    return layout.message(**values)


def _value(node: ast.expr) -> int:
    match node:
        case ast.Constant(value=int(number)):
            return number
        case ast.Attribute(value=ast.Name(id=codes), attr=name):
            return int(getattr(messages, codes)[name])
        case ast.Call(func=ast.Name(), args=[ast.Constant(value=int(bits))]):
            return bits
    raise AssertionError(f"{ast.unparse(node)} is not a number or code")


def test_every_rule_of_the_conformance_suite_names_a_section() -> None:
    headings = set(re.findall(r"^## (.+)$", PAGE, re.MULTILINE))
    assert {rule.section for rule in RULES} <= headings
