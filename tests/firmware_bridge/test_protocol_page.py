"""PROTOCOL.md is law: its tables and examples are the program's, and what no rule of the suite tries is tried here."""

import ast
import re
import shutil
import subprocess
from enum import IntEnum, IntFlag
from pathlib import Path

import pytest

import firmware_bridge
from firmware_bridge import messages
from firmware_bridge.conformance.rules import RULES
from firmware_bridge.electrics.wiring import PLACES_A_SEAT, Input
from firmware_bridge.frames import VERSION, VERSION_OF_GATES, Decoder, Frame, encode_frame, pack_frame, unpack_frame
from firmware_bridge.link.events import Acked, Done, LinkDown, LinkUp
from firmware_bridge.messages import (
    ALL_SEATS,
    LAYOUTS,
    PLACE_EDGES,
    REAR_GATE,
    CloseWell,
    Container,
    Drawn,
    Dump,
    FaultCode,
    Feed,
    FeederState,
    Flags,
    Layout,
    Message,
    NakCode,
    OpenWell,
    Place,
    Raise,
    Recirculate,
    ResetReason,
    Result,
    Sensors,
    TileAtGate,
    Unlock,
    Well,
    Where,
    decode_message,
    encode_message,
    layout_of,
)
from firmware_bridge.messages.codec import Field, Value
from simulator.mechanics import MechanicsSettings
from simulator.tabletop import PhysicalTile
from tests.support.link.pair import FAST, Pair, fill_trays, raised
from tests.support.narrowed import of_type, present
from tools import c_layout
from tools.c_layout import c_name

PAGE = (Path(firmware_bridge.__path__[0]) / "PROTOCOL.md").read_text(encoding="utf-8")
EXAMPLES = [dict(line.split(maxsplit=1) for line in part.strip().splitlines()) for part in re.findall(r"```twf\n(.*?)```", PAGE, re.DOTALL)]


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
    row = present(re.search(rf"^\| {re.escape(field)} \| (.+) \|$", PAGE, re.MULTILINE))
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
    call = of_type(ast.Call, ast.parse(text, mode="eval").body)
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
    return f"    {{ struct twf_{name} m = {{{values}}}; uint8_t p[TWF_SIZE_{name.upper()}]; twf_write_{name}(p, &m); show(p, sizeof p);}}\n"


def _literal(field: Field, value: Value) -> str:
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


def test_a_reboot_is_reported_with_the_operations_that_it_has_made_unknown() -> None:
    fed = Pair().fed()
    operation = fed.submit(Place(3, 33))
    fed.run_until(lambda: bool(fed.all(Acked)))
    fed.reboot()
    fed.wait(LinkDown)
    up = fed.wait(LinkUp)
    assert (up.same_boot, up.unknown, up.last_operation) == (False, (operation,), 0)
    fed.run_for(5.0)
    assert not [event for event in fed.all(Done) if event.operation == operation]


def test_after_a_reboot_what_was_on_its_way_is_in_the_drum_and_the_status_agrees_with_the_trays() -> None:
    fed = Pair().fed()
    fed.done(Place(1, 33))
    fed.run_until(lambda: len(fed.all(TileAtGate)) == 2)
    fed.submit(Place(3, 33))
    fed.run_for(0.02)
    fed.reboot()
    fed.wait(LinkUp)
    status, census = fed.status(), fed.mechanics.census()
    assert status.trays == (frozenset(), frozenset({33}), frozenset(), frozenset())
    assert status.counters.placed == 0
    assert not census["shuttles"]
    assert sum(len(tiles) for tiles in census.values()) == 136


def test_a_host_that_comes_back_within_a_second_finds_the_table_feeding_on() -> None:
    pair = Pair(machine=MechanicsSettings(speed=1.0)).fed()
    pair.submit(Recirculate())
    pair.cut = True
    pair.run_for(0.6)
    pair.cut = False
    pair.wait(TileAtGate)
    assert not pair.all(LinkDown)


def test_a_draw_that_is_forced_through_a_locked_gate_is_reported_all_the_same() -> None:
    playing = raised()
    playing.firmware.touch(Input.MAGAZINE + 2 * PLACES_A_SEAT + 13, False)
    assert playing.wait(Drawn).seat == 2


def test_a_rear_gate_lets_the_last_tiles_of_the_magazine_pass_from_the_lowest_place_on() -> None:
    playing = raised()
    hands, wall = playing.mechanics.hands, playing.mechanics.census()["magazines"][-34:]
    for tile in wall[-3:]:
        assert hands.lift_at_rear(3, playing.now_s) is None
        playing.done(Unlock(REAR_GATE + 3, 5000))
        assert playing.status().open_locks == {REAR_GATE + 3}
        assert hands.lift_draw(3, playing.now_s) is None
        assert hands.lift_at_rear(3, playing.now_s) == tile
        playing.run_for(0.1)
        assert playing.all(Drawn)[-1].seat == REAR_GATE + 3
    assert playing.refusal(Unlock(REAR_GATE + 3, 5000)) is NakCode.EMPTY
    assert playing.status().magazines[3] == frozenset(range(31))
    playing.done(Unlock(3, 5000))
    assert hands.lift_draw(3, playing.now_s) == wall[13]


def test_with_a_single_row_every_place_is_free_at_once() -> None:
    assert Pair(machine=MechanicsSettings(speed=20.0, two_high=False)).fed().done(Place(0, 13)).sensors == PLACE_EDGES


def test_fast_and_slow_machines_place_the_same_tiles_in_the_same_order() -> None:
    trays = []
    for machine in (FAST, MechanicsSettings(speed=1.0)):
        pair = Pair(machine=machine)
        fill_trays(pair, 12)
        trays.append([pair.mechanics.tray(seat) for seat in range(4)])
    assert trays[0] == trays[1]


@pytest.mark.slow
def test_a_whole_table_pushed_in_at_once_is_told_in_few_events_and_counted_once() -> None:
    """Four people push in 52 tiles while the host takes its time: no event is lost, and the buffer does not fill."""
    playing = raised()
    hands = playing.mechanics.hands
    taken = [[hands.take_hand_tile(seat, index, playing.now_s) for index in range(13)] for seat in range(4)]
    playing.run_for(1.0)
    playing.done(Dump(Container.MAGAZINE, ALL_SEATS))
    playing.done(OpenWell())
    playing.auto_acknowledge = False
    for hand in taken:
        hands.drop_into_well(hand, playing.now_s)
        playing.run_for(0.05)
    playing.run_for(2.0)
    assert [event.count for event in playing.all(Well)] == [52]
    hands.drop_into_well([PhysicalTile(900, "1m", 1)], playing.now_s)
    playing.run_for(1.0)
    assert [event.count for event in playing.all(Well)] == [52, 53]
    census = playing.mechanics.census()
    assert len(census["drum"]) + len(census["gate"]) == 137


@pytest.mark.slow
def test_two_sets_take_turns_between_trays_and_magazines() -> None:
    """The second set is built while the first is in the magazines, and rises once these are empty."""
    playing = raised()
    playing.done(OpenWell())
    playing.mechanics.hands.drop_into_well([PhysicalTile(1000 + number, "1m", 2) for number in range(136)], playing.now_s)
    assert playing.wait(Well).count == 136
    playing.done(CloseWell())
    fill_trays(playing)
    assert playing.refusal(Raise()) is NakCode.OCCUPIED
    playing.done(Dump(Container.MAGAZINE, ALL_SEATS))
    playing.done(Raise())
    census = playing.mechanics.census()
    assert {tile.back for tile in census["magazines"]} == {2}
    assert {tile.back for tile in census["drum"]} == {0}
    assert playing.mechanics.view().walls_raised == 2


@pytest.mark.slow
def test_feeding_waits_for_another_feed_after_the_well_was_told_to_open_with_a_tile_in_the_gate() -> None:
    playing = raised()
    playing.done(Dump(Container.MAGAZINE, ALL_SEATS))
    playing.done(Feed())
    playing.run_until(lambda: playing.mechanics.gate_tile() is not None)
    opening = playing.submit(OpenWell())
    assert playing.refusal(Feed()) is NakCode.WELL_OPEN
    playing.end_of(opening)
    arrived = len(playing.all(TileAtGate))
    for command in (Recirculate(), CloseWell()):
        playing.done(command)
        playing.run_for(2.0)
        assert len(playing.all(TileAtGate)) == arrived
