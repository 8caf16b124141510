"""What a board remembers of its table: every record comes back as it was written, and none that is damaged."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.board.table_record import BOOTS_AT, RECORD_BYTES, RecordError, TableRecord, boots_counted, boots_of, decode
from firmware_bridge.intel_hex import dumps, loads

sizes = st.tuples(st.integers(0, 20), st.integers(0, 10), st.integers(0, 10))
records = sizes.flatmap(
    lambda parts: st.builds(
        TableRecord,
        uid=st.binary(min_size=8, max_size=8),
        hand_places=st.just(parts[0]),
        wall_places=st.just(parts[0] + parts[1]),
        tray_places=st.just(sum(parts)),
        bypass_cells=st.integers(0, 8),
        shuttle_queue=st.integers(1, 2),
        two_high=st.booleans(),
        gate_period_ms=st.integers(1, 65_535),
        speed_percent=st.integers(10, 60_000),
        steps_per_position=st.integers(1, 255),
        blinds=st.booleans(),
    )
)


@given(records)
def test_a_record_comes_back_as_it_was_written(record: TableRecord) -> None:
    assert decode(record.encode()) == record
    assert len(record.encode()) == RECORD_BYTES


@given(records, st.integers(0, 8 * RECORD_BYTES - 1))
def test_a_record_with_any_bit_turned_over_is_refused(record: TableRecord, bit: int) -> None:
    damaged = bytearray(record.encode())
    damaged[bit // 8] ^= 1 << bit % 8
    with pytest.raises(RecordError):
        decode(bytes(damaged))


@pytest.mark.parametrize(
    ("memory", "why"), [(bytes(RECORD_BYTES), "begins with"), (b"\xff" * 4096, "is blank"), (b"TWF1", "has 40 bytes, and here are 4")]
)
def test_what_is_no_record_is_refused_with_the_reason(memory: bytes, why: str) -> None:
    with pytest.raises(RecordError, match=why):
        decode(memory)


@given(st.integers(0, (1 << 32) - 2))
def test_boots_that_are_counted_are_counted_back(boots: int) -> None:
    assert boots_of(bytes(BOOTS_AT) + boots_counted(boots)) == boots


def test_a_blank_memory_has_counted_no_boot_and_a_file_of_the_record_alone_says_nothing_of_them() -> None:
    assert (boots_of(b"\xff" * 4096), boots_of(bytes(RECORD_BYTES))) == (0, None)


pieces = st.dictionaries(st.sampled_from([0, 0x40, 0x100, 0xFFC0]), st.binary(min_size=1, max_size=0x40), max_size=3)


@given(pieces)
def test_pieces_of_memory_come_back_from_intel_hex_with_blanks_between_them(memory: dict[int, bytes]) -> None:
    wanted = bytearray()
    for at, piece in sorted(memory.items()):
        wanted.extend(b"\xff" * (at - len(wanted)))
        wanted += piece
    assert loads(dumps(memory)) == bytes(wanted)


@given(pieces.filter(bool), st.data())
def test_a_digit_that_has_changed_is_found_by_its_lines_checksum(memory: dict[int, bytes], data: st.DataObject) -> None:
    text = dumps(memory)
    at = data.draw(st.sampled_from([at for at, letter in enumerate(text) if letter not in ":\n"]))
    with pytest.raises(ValueError, match="line"):
        loads(text[:at] + ("1" if text[at] == "0" else "0") + text[at + 1 :])


@pytest.mark.parametrize(
    ("text", "why"),
    [("", "last line is missing"), (":00000001FF"[1:], "line 1 is no record"), (":020000021000EC\n:00000001FF\n", "of kind 2")],
)
def test_a_file_that_is_no_intel_hex_of_an_eeprom_is_refused_with_the_reason(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        loads(text)
