"""Frames: what is written is read again, and what is not a frame is skipped."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.frames import (
    MAX_ENCODED,
    MAX_PAYLOAD,
    Decoder,
    Frame,
    FrameError,
    encode_frame,
    pack_frame,
    stuff,
    unpack_frame,
    unstuff,
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


@given(frames)
def test_a_frame_fits_the_decoders_buffer(frame: Frame) -> None:
    assert len(encode_frame(frame)) <= MAX_ENCODED + 1


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
