"""Frames: what is dropped, what is understood, and how the decoder comes back into step (PROTOCOL.md, "Bytes").

A piece that must be dropped asks for a status; GET_CAPS behind it shows when it has been dealt
with, and that the machine is in step again, so that nothing waits for an answer that must not come.
"""

from itertools import pairwise
from zlib import crc32

from firmware_bridge.conformance.bench import Bench, rule
from firmware_bridge.conformance.bench_line import ANSWER_S, Broken, Heard, NotTriedError
from firmware_bridge.frames import MAX_PAYLOAD, TIME_MODULUS, VERSION, Frame, pack_frame, stuff
from firmware_bridge.messages import (
    Beat,
    Capabilities,
    Flags,
    GetCapabilities,
    Heartbeat,
    Hello,
    HelloAck,
    Message,
    StatusRequest,
    StatusState,
    encode_message,
    layout_of,
)
from firmware_bridge.messages.limits import QUESTION_REPEAT_MS

_SECTION = "Bytes"
_STATUS_TYPE = layout_of(StatusRequest()).type
_HELLO_TYPE = layout_of(Hello(0, VERSION, VERSION)).type
_STATUS = pack_frame(Frame(_STATUS_TYPE, 77, 0, 1000))
_CLOCK_TOLERANCE = 0.02
_CLOCK_JITTER_S = 0.02


def _dropped(bench: Bench, piece: bytes, what: str) -> None:
    """Raise Broken when a piece is answered, or keeps the frame behind it from being answered."""
    mark = bench.mark()
    bench.send_bytes(piece)
    bench.send(GetCapabilities())
    try:
        bench.wait(Capabilities, since=mark)
    except Broken:
        raise Broken(f"an intact frame after {what} was not answered") from None
    if bench.messages(StatusState, mark):
        raise Broken(f"{what} was answered")


@rule(_SECTION)
def frame_damage(bench: Bench) -> None:
    """A damaged frame is dropped without an answer.

    Tried: STATUS? with one bit wrong, in each of its bytes in turn, each followed by an intact frame.
    """
    for index in range(len(_STATUS)):
        damaged = bytearray(_STATUS)
        damaged[index] ^= 1 << index % 8
        _dropped(bench, stuff(bytes(damaged)) + b"\x00", f"a frame with a wrong bit in byte {index}")


@rule(_SECTION)
def frame_stuffing(bench: Bench) -> None:
    """A badly stuffed piece is dropped.

    Tried: STATUS? with a first code byte that points beyond its end.
    """
    stuffed = bytearray(stuff(_STATUS))
    stuffed[0] = 0xF0
    _dropped(bench, bytes(stuffed) + b"\x00", "a piece whose stuffing is broken")


@rule(_SECTION)
def frame_short(bench: Bench) -> None:
    """A piece that is too short for a frame is dropped.

    Tried: the first 1 to 15 bytes of STATUS?, each followed by an intact frame.
    """
    for length in range(1, len(_STATUS)):
        _dropped(bench, stuff(_STATUS[:length]) + b"\x00", f"a piece of {length} bytes")


@rule(_SECTION)
def frame_oversize(bench: Bench) -> None:
    """A piece that is too long for a frame is dropped, however long it is, and costs the frame behind it nothing.

    Tried: an intact frame with a payload of 49 bytes; 300 bytes without a zero, then a zero.
    """
    checked = _STATUS[:12] + bytes(MAX_PAYLOAD + 1)
    _dropped(bench, stuff(checked + crc32(checked).to_bytes(4, "little")) + b"\x00", f"a frame with {MAX_PAYLOAD + 1} bytes of payload")
    _dropped(bench, b"\x55" * 300 + b"\x00", "300 bytes without a zero")


@rule(_SECTION)
def frame_resync(bench: Bench) -> None:
    """After noise, or half a frame, the next zero brings the decoder back into step.

    Tried: half of STATUS? without its end, a zero, then an intact frame; the same with noise.
    """
    half = stuff(_STATUS)[: len(_STATUS) // 2]
    _dropped(bench, half + b"\x00", "half a frame")
    _dropped(bench, bytes(range(1, 60)) + b"\x00", "noise")


@rule(_SECTION)
def frame_zeros(bench: Bench) -> None:
    """Further zeros between frames mean nothing.

    Tried: 20 zeros before and after STATUS?.
    """
    mark = bench.mark()
    bench.send_bytes(bytes(20) + bench.frame_of(StatusRequest()) + bytes(20))
    _heard(bench, StatusState, 1, mark, "STATUS? between zeros")


@rule(_SECTION)
def frame_pieces(bench: Bench) -> None:
    """A frame may come in pieces of any size, and several in one.

    Tried: STATUS? byte by byte with 2 ms between; then three GET_CAPS in one piece.
    """
    mark = bench.mark()
    with bench.silent():
        for byte in bench.frame_of(StatusRequest()):
            bench.send_bytes(bytes([byte]))
            bench.pass_time(0.002)
        _heard(bench, StatusState, 1, mark, "a frame that came byte by byte")
    mark = bench.mark()
    bench.send_bytes(b"".join(bench.frame_of(GetCapabilities()) for _ in range(3)))
    _heard(bench, Capabilities, 3, mark, "one of three frames in one piece")


@rule(_SECTION)
def frame_version(bench: Bench) -> None:
    """A machine with one gate speaks version 3, and drops a frame of another one, except HELLO, which is the same in every version.

    Tried: STATUS? in version 4; then HELLO in version 4, which HELLO_ACK must answer with version 3.
    """
    _dropped(bench, bench.wire_bytes(_STATUS_TYPE, version=VERSION + 1), f"STATUS? in version {VERSION + 1}")
    mark = bench.mark()
    bench.send_bytes(bench.wire_bytes(_HELLO_TYPE, encode_message(Hello(5, VERSION, VERSION + 1))[1], version=VERSION + 1))
    _heard(bench, HelloAck, 1, mark, f"HELLO in version {VERSION + 1}")
    if bench.messages(HelloAck, mark)[0].protocol_version != VERSION:
        raise Broken(f"HELLO_ACK does not offer version {VERSION}")


@rule(_SECTION)
def frame_sequence(bench: Bench) -> None:
    """The firmware numbers its frames without gaps, modulo 65,536.

    Tried: 20 times STATUS?, then the row of sequence numbers that came.
    """
    damaged = bench.counts.errors
    mark = bench.mark()
    for _ in range(20):
        bench.status()
    if bench.counts.errors != damaged:
        raise NotTriedError("the line has damaged frames, so that gaps are no proof")
    numbers = [heard.frame.seq for heard in bench.heard[mark:]]
    for before, after in pairwise(numbers):
        if after != (before + 1) % (1 << 16):
            raise Broken(f"frame {after} came after frame {before}")


@rule(_SECTION)
def frame_time(bench: Bench) -> str:
    """The header's time counts microseconds, modulo 2^32.

    Tried: the time that passes between beats 2 s apart, by both clocks.
    """
    first = _beat(bench)
    bench.pass_time(2.0)
    last = _beat(bench)
    there_s = (last.frame.time_us - first.frame.time_us) % TIME_MODULUS / 1_000_000
    here_s = last.at_s - first.at_s
    if abs(there_s - here_s) > _CLOCK_TOLERANCE * here_s + _CLOCK_JITTER_S:
        raise Broken(f"in {here_s:.3f} s its clock went {there_s:.3f} s")
    return f"{100 * (there_s / here_s - 1):+.2f} % fast"


@rule(_SECTION)
def frame_host_time(bench: Bench) -> None:
    """The host's clock may stand anywhere, and wrap: nothing depends on it.

    Tried: STATUS? with header times just before, at and after the wrap, and going backwards.
    """
    for time_us in (TIME_MODULUS - 1, 0, 5, TIME_MODULUS - 1, 1_000_000):
        mark = bench.mark()
        bench.send_bytes(stuff(pack_frame(Frame(_STATUS_TYPE, 9, 0, time_us))) + b"\x00")
        _heard(bench, StatusState, 1, mark, f"a frame of time {time_us}")


@rule(_SECTION, slow=True)
def frame_time_wraps(bench: Bench) -> str:
    """When the firmware's clock wraps after 71.6 minutes, session, beats and times go on.

    Tried: beats until the header's time has wrapped; then the session, the heartbeat and the status.
    """
    begun_s = bench.now_s
    before = _beat(bench).frame.time_us
    left_s = (TIME_MODULUS - before) / 1_000_000
    while bench.now_s < begun_s + left_s + 1.0:
        bench.pass_time(min(10.0, max(begun_s + left_s + 1.0 - bench.now_s, 0.1)))
        bench.forget()
    after = _beat(bench)
    if after.frame.time_us > TIME_MODULUS // 2:
        raise Broken(f"its time is {after.frame.time_us} where it should have wrapped")
    if not isinstance(after.message, Beat) or Flags.SESSION not in after.message.flags:
        raise Broken("the session was closed when the time wrapped")
    bench.status()
    return f"wrapped after {left_s:.0f} s"


@rule("Session")
def answers_in_time(bench: Bench) -> str:
    """Whatever the host asks is answered before it asks again, after 100 ms.

    Tried: 50 times GET_CAPS; the longest time from the last byte sent to the answer.
    """
    longest_s = 0.0
    for _ in range(50):
        mark, sent_s = bench.mark(), bench.now_s
        bench.send(GetCapabilities())
        _heard(bench, Capabilities, 1, mark, "GET_CAPS")
        answered = next(heard for heard in bench.heard[mark:] if isinstance(heard.message, Capabilities))
        longest_s = max(longest_s, answered.at_s - sent_s)
    if longest_s > QUESTION_REPEAT_MS / 1000:
        raise Broken(f"an answer took {1000 * longest_s:.0f} ms")
    return f"at most {1000 * longest_s:.1f} ms"


def _heard(bench: Bench, kind: type[Message], count: int, since: int, what: str) -> None:
    """Wait until a number of messages of a kind have come; raise Broken when they do not."""
    if not bench.until(lambda: len(bench.messages(kind, since)) >= count, ANSWER_S):
        raise Broken(f"{what} was not answered")


def _beat(bench: Bench) -> Heard:
    """Send a heartbeat and return the beat that answers it."""
    mark = bench.mark()
    bench.send(Heartbeat())
    _heard(bench, Beat, 1, mark, "HEARTBEAT")
    return next(heard for heard in bench.heard[mark:] if isinstance(heard.message, Beat))
