"""Parts of the C core alone, against what Python says of the same thing."""

import ctypes
import hashlib
import struct
import zlib
from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from typing import Self

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from firmware_bridge.board.library import library
from firmware_bridge.board.table_record import RecordError, decode
from firmware_bridge.electrics.wired_machine import capabilities_of, record_of
from firmware_bridge.frames import MAX_PAYLOAD, Decoder, Frame, encode_frame
from firmware_bridge.messages import (
    Bypass,
    Capabilities,
    Command,
    Container,
    Dump,
    FaultCode,
    OpenWell,
    Place,
    Raise,
    Return,
    capabilities_digest,
    encode_message,
)
from simulator.feeder_simulator import UID
from simulator.mechanics import MechanicsSettings
from tests.support.tiers import examples

_ROOM = 4096
"""More than any of the core's structs needs."""


class CFrame(ctypes.Structure):
    """struct twf_frame."""

    _fields_ = (
        ("version", ctypes.c_uint8),
        ("type", ctypes.c_uint8),
        ("size", ctypes.c_uint8),
        ("seq", ctypes.c_uint16),
        ("operation", ctypes.c_uint32),
        ("time_us", ctypes.c_uint32),
        ("payload", ctypes.c_uint8 * MAX_PAYLOAD),
    )

    def frame(self) -> Frame:
        """The same as the host's codec has it."""
        return Frame(self.type, self.seq, self.operation, self.time_us, bytes(self.payload[: self.size]), self.version)


class CPulses(ctypes.Structure):
    """struct twf_pulses."""

    _fields_ = (("step", ctypes.c_uint8), ("outward", ctypes.c_uint8))


def frames_in_c(received: bytes) -> list[Frame]:
    """What the core's decoder makes of a stream of bytes."""
    decoder, found, frames = ctypes.create_string_buffer(_ROOM), CFrame(), []
    take = library().twf_decoder_take
    take.restype, take.argtypes = ctypes.c_bool, [ctypes.c_void_p, ctypes.c_uint8, ctypes.c_void_p]
    library().twf_decoder_init(decoder)
    for byte in received:
        if take(decoder, byte, ctypes.byref(found)):
            frames.append(found.frame())
    return frames


frames = st.builds(
    Frame,
    st.integers(0, 255),
    st.integers(0, 0xFFFF),
    st.integers(0, 0xFFFFFFFF),
    st.integers(0, 0xFFFFFFFF),
    st.binary(max_size=MAX_PAYLOAD),
    st.sampled_from([1, 2]),
)
pieces = st.one_of(
    frames.map(encode_frame),
    st.binary(max_size=90),
    st.lists(st.sampled_from([0, 1, 2, 255]), max_size=80).map(bytes),
    st.tuples(frames.map(encode_frame), st.integers(0, 79), st.integers(1, 255)).map(
        lambda damage: bytes(byte ^ (damage[2] if place == damage[1] else 0) for place, byte in enumerate(damage[0]))
    ),
    frames.map(encode_frame).map(lambda sent: sent[: len(sent) // 2]),
)


@settings(max_examples=examples(80))
@given(st.lists(pieces, max_size=12))
def test_any_stream_of_bytes_gives_the_same_frames_in_c_and_in_python(stream: list[bytes]) -> None:
    received = b"".join(stream)
    assert frames_in_c(received) == Decoder().feed(received)


@settings(max_examples=examples(60))
@given(st.binary(max_size=64))
def test_checksum_and_digest_are_those_of_the_standard_library(message: bytes) -> None:
    crc = library().twf_crc32
    crc.restype, crc.argtypes = ctypes.c_uint32, [ctypes.c_char_p, ctypes.c_uint8]
    assert crc(message, len(message)) == zlib.crc32(message)
    digest = ctypes.create_string_buffer(8)
    library().twf_sha256_start(message[:55], min(len(message), 55), digest)
    assert digest.raw == hashlib.sha256(message[:55]).digest()[:8]


machines = st.tuples(st.integers(0, 20), st.integers(0, 10), st.integers(0, 10)).flatmap(
    lambda sizes: st.builds(
        MechanicsSettings,
        speed=st.sampled_from([0.5, 1.0, 7.0, 24.0, 600.0]),
        hand_places=st.just(sizes[0]),
        wall_places=st.just(sizes[0] + sizes[1]),
        tray_places=st.just(sum(sizes)),
        bypass_cells=st.integers(0, 8),
        shuttle_queue=st.integers(1, 2),
        two_high=st.booleans(),
    )
)


def table_of(machine: MechanicsSettings, damage: int | None = None) -> ctypes.Array[ctypes.c_char]:
    """The core's struct twf_table for a record; ``damage`` is a bit of it that is turned over."""
    record = bytearray(record_of(machine, UID))
    if damage is not None:
        record[damage // 8] ^= 1 << damage % 8
    table = ctypes.create_string_buffer(_ROOM)
    read = library().twf_table_read
    read.restype = ctypes.c_bool
    assert read(table, bytes(record)) is (damage is None)
    return table


any_fields = st.tuples(
    *(st.integers(0, most) for most in (42, 42, 42, 9, 3, 2)),
    st.integers(0, 2),
    st.sampled_from([0, 9, 10, 100, 60_000, 60_001]),
    st.integers(0, 1),
    st.integers(0, 3),
    st.integers(0, 2),
)
"""The last two are who works the table, and whether it has blinds."""
_WHOLE, _LANES = (37, 34, 13, 0, 2, 1, 750, 100, 32), (1, 1, 0, 0, 1, 0, 750, 100, 32)


@settings(max_examples=examples(200))
@given(any_fields)
@example((*_WHOLE, 0, 1))
@example((*_WHOLE, 0, 2))
@example((*_LANES, 2, 0))
@example((*_LANES, 2, 1))
def test_a_record_is_refused_in_python_exactly_where_the_firmware_refuses_it(values: tuple[int, ...]) -> None:
    head = struct.pack("<4s8s6BHHB4x2B7x", b"TWF1", UID, *values)
    record = head + zlib.crc32(head).to_bytes(4, "little")
    read = library().twf_table_read
    read.restype = ctypes.c_bool
    refused = False
    try:
        decode(record)
    except RecordError:
        refused = True
    assert read(ctypes.create_string_buffer(_ROOM), record) is not refused


def caps_of(table: ctypes.Array[ctypes.c_char]) -> bytes:
    payload = ctypes.create_string_buffer(15)
    library().twf_table_caps(table, payload)
    return payload.raw


@settings(max_examples=examples(60))
@given(machines)
def test_a_record_gives_the_capabilities_of_its_machine(machine: MechanicsSettings) -> None:
    assert caps_of(table_of(machine)) == encode_message(capabilities_of(machine))[1]


@settings(max_examples=examples(40))
@given(st.integers(0, 40 * 8 - 1))
def test_a_record_with_any_bit_damaged_is_the_reference_table(bit: int) -> None:
    table = table_of(MechanicsSettings(speed=7.0, tray_places=36), bit)
    assert caps_of(table) == encode_message(Capabilities())[1]
    assert capabilities_digest(caps_of(table)) in table.raw


@settings(max_examples=examples(40))
@given(machines, st.integers(0, 39))
def test_trays_are_two_high_where_the_capabilities_say_so(machine: MechanicsSettings, position: int) -> None:
    table, capabilities = table_of(machine), capabilities_of(machine)
    below, above = library().twf_table_below, library().twf_table_above
    below.restype = above.restype = ctypes.c_uint8
    none = 255
    assert below(table, position) == (none if (place := capabilities.support_below(position)) is None else place)
    assert above(table, position) == (none if (place := capabilities.covered_by(position)) is None else place)


@settings(max_examples=examples(60))
@given(machines, st.integers(0, 39), st.sampled_from([1, 2]))
def test_a_carriage_is_sent_to_the_column_of_a_position(machine: MechanicsSettings, position: int, shuttles: int) -> None:
    machine = replace(machine, shuttles=shuttles)
    capabilities = capabilities_of(machine)
    column = capabilities.column_of(position)
    if shuttles > 1:
        column = abs(column - capabilities.column_of(capabilities.middle))
    assert library().twf_table_way(table_of(machine), position) == column


@pytest.mark.parametrize("speed", [1.0, 24.0])
@pytest.mark.parametrize(
    ("command", "seconds"),
    [(Place(0, 0), 7.6), (Return(0, 0), 7.35), (Bypass(0), 0.9), (Dump(Container.TRAY, 0), 1.5), (Raise(), 3.0), (OpenWell(), 0.5)],
)
def test_an_operation_is_promised_for_its_time_at_the_reference_table(command: Command, seconds: float, speed: float) -> None:
    expected = library().twf_table_expected_ms
    expected.restype = ctypes.c_uint32
    table = table_of(MechanicsSettings(speed=speed, gate_period_s=0.9))
    assert abs(expected(table, encode_message(command)[0]) - 1000 * seconds / speed) <= 1


READ_LATE_MS = 14
"""A contact that is 1 ms late bounces for 5 ms, and two readings 4 ms apart agree on it."""


class Axes:
    """The core's steppers at a table, with carriages that stand ``begin`` steps from their end switches and find them."""

    def __init__(self, machine: MechanicsSettings, begin: int = 0) -> None:
        self._core = library()
        self._axes = ctypes.create_string_buffer(_ROOM)
        self._core.twf_axes_init(self._axes, table_of(machine))
        self._core.twf_axes_tick.restype = CPulses
        self._core.twf_axes_there.restype = ctypes.c_bool
        self._core.twf_axes_fault.restype = ctypes.c_uint8
        self._core.twf_axes_power.argtypes = [ctypes.c_void_p, ctypes.c_bool]
        self.steps = [begin] * 4
        self._homes = deque([15 * (begin <= 0)] * READ_LATE_MS, READ_LATE_MS)
        self.power(True)

    def homed(self) -> Self:
        """Let every carriage find its end switch."""
        ways = self.run()
        while not all(map(self.there, range(4))):
            next(ways)
        return self

    def power(self, on: bool) -> None:
        """Switch the motors."""
        self._core.twf_axes_power(self._axes, on)

    def go(self, seat: int, target: int) -> None:
        """Send a carriage."""
        self._core.twf_axes_go(self._axes, seat, target)

    def there(self, seat: int) -> bool:
        """Whether it has arrived."""
        return bool(self._core.twf_axes_there(self._axes, seat))

    def fault(self, seat: int) -> FaultCode:
        """What is wrong with its end switch."""
        return FaultCode(self._core.twf_axes_fault(self._axes, seat))

    def run(self, home: int | None = None) -> Iterator[list[tuple[int, int]]]:
        """Millisecond by millisecond, the step pulses of its ten ticks as (axes, directions); ``home`` is what the switches read,
        by default what they were ``READ_LATE_MS`` ago."""
        while True:
            self._core.twf_axes_ramp(self._axes, self._homes[0] if home is None else home, 0xFF)
            pulses: list[CPulses] = [self._core.twf_axes_tick(self._axes) for _ in range(10)]
            ticks = [(pulse.step, pulse.outward) for pulse in pulses]
            for step, outward in ticks:
                self.steps = [at + (step >> seat & 1) * (1 if outward >> seat & 1 else -1) for seat, at in enumerate(self.steps)]
            self._homes.append(sum((at <= 0) << seat for seat, at in enumerate(self.steps)))
            yield ticks


@settings(max_examples=examples(40))
@given(st.sampled_from([1.0, 4.0, 24.0]), st.lists(st.integers(0, 37), min_size=1, max_size=4))
def test_a_carriage_makes_as_many_steps_as_its_way_has_and_rests_between_two_pulses(speed: float, places: list[int]) -> None:
    machine = MechanicsSettings(speed=speed)
    steps_each = max(1, round(32 / speed))
    axes, position = Axes(machine).homed(), 0
    for place in places:
        target = place * steps_each
        axes.go(1, target)
        before = 0
        for milliseconds, ticks in enumerate(axes.run()):
            for step, outward in ticks:
                assert not (step and before), "a driver must see the pulse fall"
                before = step
                position += (1 if outward >> 1 & 1 else -1) if step >> 1 & 1 else 0
                assert step & ~2 == 0, "no other axis moves"
            if axes.there(1):
                break
            assert milliseconds < 3000
        assert position == target


def test_speed_rises_and_falls_in_a_trapezoid() -> None:
    axes = Axes(MechanicsSettings()).homed()
    axes.go(0, 37 * 32)
    counts = []
    for ticks in axes.run():
        counts.append(sum(step & 1 for step, _ in ticks))
        if axes.there(0):
            break
    steps_per_50_ms = [sum(counts[start : start + 50]) for start in range(0, len(counts), 50)]
    assert max(steps_per_50_ms) == pytest.approx(50 * 32 / 20, abs=1), "50 positions a second at most"
    assert steps_per_50_ms[0] == pytest.approx(0.5 * 32000 * 0.05**2, rel=0.1), "1,000 positions/s² from rest"
    assert steps_per_50_ms[-1] < max(steps_per_50_ms) / 1.5, "and slower again before the end"
    assert len(counts) == pytest.approx(1000 * (37 / 50 + 0.05), rel=0.05)


def test_a_carriage_cut_off_on_its_way_finds_the_end_switch_before_it_goes_on() -> None:
    axes = Axes(MechanicsSettings()).homed()
    axes.go(0, 640)
    ways = axes.run()
    for _ in range(100):
        next(ways)
    axes.power(False)
    assert not any(step for step, _ in next(ways)), "no pulse without power"
    axes.power(True)
    inward = [outward & 1 for ticks in (next(ways) for _ in range(20)) for step, outward in ticks if step & 1]
    assert inward and not any(inward), "towards the end switch"
    assert not axes.there(0)
    axes.homed()
    assert axes.steps[0] == 640


@pytest.mark.parametrize("begin", [-20, 0, 1, 600, 1216])
def test_a_carriage_finds_its_end_switch_with_ramps_and_stays_off_its_buffer(begin: int) -> None:
    axes, furthest = Axes(MechanicsSettings(), begin), begin
    steps: list[tuple[int, int]] = []
    for millisecond, ticks in enumerate(axes.run()):
        steps += [(10 * millisecond + tick, outward & 1) for tick, (step, outward) in enumerate(ticks) if step & 1]
        furthest = min(furthest, axes.steps[0])
        if axes.there(0):
            break
    turns = [index for index in range(1, len(steps)) if steps[index][1] != steps[index - 1][1]]
    assert len(turns) == 2, "in, out, and in again"
    assert all(steps[turn - 1][0] - steps[turn - 2][0] >= 25 for turn in turns if turn > 1), "no turn from above 400 steps a second"
    assert axes.steps == [0] * 4
    assert furthest >= min(begin - 1, -12)


@pytest.mark.parametrize(("home", "code"), [(0, FaultCode.HOME_OPEN), (0xFF, FaultCode.HOME_SHUT)])
def test_an_end_switch_that_never_changes_is_given_up_and_tried_again_with_the_next_power(home: int, code: FaultCode) -> None:
    axes = Axes(MechanicsSettings(), 640)
    ways = axes.run(home)
    for _ in range(3000):
        next(ways)
    assert axes.fault(0) is code
    assert not any(step for ticks in (next(ways) for _ in range(100)) for step, _ in ticks)
    axes.power(False)
    axes.power(True)
    next(ways)
    assert axes.fault(0) is FaultCode.NONE
