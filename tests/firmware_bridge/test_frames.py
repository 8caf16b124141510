"""Frames and messages: their bytes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.frames import (
    MAX_ENCODED,
    MAX_PAYLOAD,
    VERSION_OF_GATES,
    VERSIONS,
    Decoder,
    Frame,
    FrameError,
    encode_frame,
    pack_frame,
    stuff,
    unpack_frame,
    unstuff,
)
from firmware_bridge.messages import (
    EVENT_TYPES,
    LAYOUTS,
    Capabilities,
    Clear,
    DeviceEvent,
    FaultCode,
    Feed,
    Layout,
    Message,
    MessageError,
    Place,
    Recirculate,
    StatusPlaces,
    TileAtGate,
    decode_message,
    encode_message,
)

frames = st.builds(
    Frame,
    type=st.integers(0, 255),
    seq=st.integers(0, 2**16 - 1),
    operation=st.integers(0, 2**32 - 1),
    time_us=st.integers(0, 2**32 - 1),
    payload=st.binary(max_size=MAX_PAYLOAD),
    version=st.integers(0, 255),
)


@given(st.binary(max_size=1200) | st.integers(0, 800).map(lambda length: b"\x07" * length))
def test_stuffed_bytes_hold_no_zero_and_give_the_bytes_again(plain: bytes) -> None:
    stuffed = stuff(plain)
    assert 0 not in stuffed
    assert unstuff(stuffed) == plain


@pytest.mark.parametrize(
    ("plain", "stuffed"),
    [
        (b"", "01"),
        (b"\x00", "01 01"),
        (b"\x11\x22\x00\x33", "03 11 22 02 33"),
        (bytes(range(1, 255)), "ff" + bytes(range(1, 255)).hex()),
        (bytes(range(1, 256)), "ff" + bytes(range(1, 255)).hex() + "02 ff"),
        (b"\x00" + bytes(range(1, 255)), "01 ff" + bytes(range(1, 255)).hex()),
    ],
)
def test_stuffing_gives_the_bytes_of_its_definition(plain: bytes, stuffed: str) -> None:
    assert stuff(plain) == bytes.fromhex(stuffed)


@given(frames)
def test_a_frame_is_read_as_it_was_written(frame: Frame) -> None:
    assert unpack_frame(pack_frame(frame)) == frame
    assert Decoder().feed(encode_frame(frame)) == [frame]
    assert len(encode_frame(frame)) <= MAX_ENCODED + 1, "it fits the decoder's buffer"


@given(st.lists(frames, max_size=5), st.data())
def test_a_stream_may_be_cut_anywhere(sent: list[Frame], data: st.DataObject) -> None:
    stream = b"".join(encode_frame(frame) for frame in sent)
    decoder = Decoder()
    received: list[Frame] = []
    while stream:
        cut = data.draw(st.integers(1, len(stream)))
        received += decoder.feed(stream[:cut])
        stream = stream[cut:]
    assert received == sent


@given(frames, st.integers(0))
def test_a_frame_with_one_wrong_bit_is_never_taken_for_a_frame(frame: Frame, bit: int) -> None:
    wire = bytearray(encode_frame(frame))
    bit %= 8 * len(wire)
    wire[bit // 8] ^= 1 << bit % 8
    decoder = Decoder()
    assert decoder.feed(bytes(wire) + b"\x00") == []
    assert decoder.counts.errors >= 1


@given(st.lists(st.binary(max_size=200), max_size=10))
def test_no_bytes_make_the_decoder_raise_or_hold_more_than_one_frame(pieces: list[bytes]) -> None:
    decoder = Decoder()
    for piece in pieces:
        decoder.feed(piece)
        assert decoder.buffered <= MAX_ENCODED
    assert decoder.counts.bytes_received == sum(len(piece) for piece in pieces)


@given(st.binary(max_size=300), frames)
def test_after_a_disturbance_the_next_delimiter_brings_the_decoder_back(noise: bytes, frame: Frame) -> None:
    decoder = Decoder()
    decoder.feed(noise)
    assert decoder.feed(b"\x00" + encode_frame(frame))[-1] == frame


def test_a_frame_that_follows_a_frame_without_end_is_read() -> None:
    decoder = Decoder()
    frame = Frame(0x04, 1, 0, 0)
    assert decoder.feed(b"\x55" * 10_000) == []
    assert decoder.buffered == 0
    assert decoder.feed(b"\x00" + encode_frame(frame)) == [frame]
    assert decoder.counts.overlong == 1


def test_an_unfinished_frame_is_forgotten_when_the_port_is_opened_anew() -> None:
    decoder = Decoder()
    frame = Frame(0x12, 9, 4, 5, b"\x01\x02")
    decoder.feed(encode_frame(frame)[:7])
    decoder.reset()
    assert decoder.feed(encode_frame(frame)) == [frame]


def test_a_payload_that_is_too_long_is_refused_by_name() -> None:
    with pytest.raises(FrameError, match="49 bytes does not fit: at most 48"):
        pack_frame(Frame(1, 0, 0, 0, bytes(49)))


def test_a_header_field_out_of_range_is_refused() -> None:
    with pytest.raises(FrameError, match="out of range"):
        pack_frame(Frame(1, 1 << 16, 0, 0))


@st.composite
def payloads(draw: st.DrawFn) -> tuple[Layout, int, bytes]:
    """A layout, a version of the protocol, and random bytes of the length that it has there."""
    layout, version = draw(st.sampled_from(LAYOUTS)), draw(st.sampled_from(VERSIONS))
    size = layout.size_in(version)
    return layout, version, draw(st.binary(min_size=size, max_size=size))


@given(payloads())
def test_what_can_be_read_is_written_as_the_same_bytes(case: tuple[Layout, int, bytes]) -> None:
    layout, version, payload = case
    try:
        message = decode_message(layout.type, payload, version)
    except MessageError:
        return
    again, written = encode_message(message, version)
    assert again == layout.type
    truths = [field.name for field in layout.fields if layout.kinds.get(field.name) is bool]
    assert written == payload or truths, "a truth value may be written as any number, all else must come back"
    assert decode_message(again, written, version) == message


def test_what_names_no_other_gate_has_the_same_bytes_in_both_versions_but_for_the_gates_number() -> None:
    assert encode_message(Place(2, 17), VERSION_OF_GATES) == (0x12, encode_message(Place(2, 17))[1] + b"\x00")
    assert encode_message(Feed(), VERSION_OF_GATES) == encode_message(Feed())


@given(st.integers(0, 255), st.binary(max_size=MAX_PAYLOAD))
def test_no_bytes_do_worse_than_a_message_error(type_: int, payload: bytes) -> None:
    try:
        decode_message(type_, payload)
    except MessageError as error:
        assert str(error)


def test_every_payload_fits_a_frame_and_types_and_names_are_unique() -> None:
    assert max(layout.size_in(version) for layout in LAYOUTS for version in VERSIONS) <= MAX_PAYLOAD
    assert len({layout.type for layout in LAYOUTS}) == len({layout.name for layout in LAYOUTS}) == len(LAYOUTS)


def test_exactly_the_event_types_are_numbered_events() -> None:
    assert {layout.type for layout in LAYOUTS if isinstance(_example(layout), DeviceEvent)} == set(EVENT_TYPES)


def test_codes_come_back_as_their_names_and_bitmaps_with_all_37_places_of_four_seats() -> None:
    full = (1 << 37) - 1
    for message in (Clear(FaultCode.ESTOP), StatusPlaces(3, (full, 0, 1, full), (0, 1 << 36, 0, 0))):
        assert decode_message(*encode_message(message)) == message


@pytest.mark.parametrize(
    ("type_", "payload", "words"),
    [(0x7E, b"", "no message of type 0x7e"), (0x12, b"\x01", "PLACE has 2 bytes of payload, not 1"), (0x28, b"\xc8", "fault of CLEAR")],
)
def test_what_cannot_be_read_is_named(type_: int, payload: bytes, words: str) -> None:
    with pytest.raises(MessageError, match=words):
        decode_message(type_, payload)


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (Place(256, 0), "seat of PLACE cannot be 256"),
        (StatusPlaces(0, (1, 2, 3), (0, 0, 0, 0)), "trays of STATUS_PLACES"),
        (TileAtGate(1, -1, 1, 0), "width of TILE_AT_GATE"),
        (Recirculate(gate=3), "gate of RECIRCULATE cannot be 3 in version 3, but only 0"),
        (Capabilities(gates=2), "gates of CAPS cannot be 2 in version 3, but only 1"),
    ],
)
def test_what_cannot_be_written_is_named(message: Message, words: str) -> None:
    with pytest.raises(MessageError, match=words):
        encode_message(message)


def test_in_a_two_high_tray_eleven_draws_lie_below_and_ten_above() -> None:
    tray = Capabilities()
    above = [position for position in range(37) if tray.support_below(position) is not None]
    assert len(above) == 10
    assert all(position >= 13 for position in above)
    below = {tray.support_below(position) for position in above}
    assert len(set(range(13, 34)) - set(above)) == 11
    assert below <= set(range(13, 34)) - set(above)
    assert all(tray.covered_by(tray.support_below(position) or 0) == position for position in above)


def test_a_wall_two_high_stands_in_twenty_four_columns_and_each_tile_over_the_one_that_bears_it() -> None:
    tray = Capabilities()
    assert [tray.column_of(position) for position in (0, 12, 13, 14, 15, 32, 33, 34, 36)] == [0, 12, 13, 13, 14, 22, 23, 24, 26]
    assert [tray.in_column(column) for column in (12, 13, 23, 26, 27)] == [(12,), (14, 13), (33,), (36,), ()]


def test_in_a_single_row_nothing_lies_on_anything() -> None:
    tray = Capabilities(two_high=False)
    assert all(tray.support_below(position) is None and tray.covered_by(position) is None for position in range(37))
    assert all(tray.in_column(position) == (position,) for position in range(37))


def _example(layout: Layout) -> Message:
    for filler in (0, 1):
        try:
            return decode_message(layout.type, bytes([filler]) * layout.size)
        except MessageError:
            continue
    raise AssertionError(f"no example of {layout.name}")
