"""The firmware on its boards: the host build under sanitizers, the AVR build in its emulator, the core on a Cortex-M3.

Both boards are at the wires of the same physics as everything else; killing their process is a power cut.
"""

import os
import random
import select
import shutil
import signal
import subprocess
import threading
import time
import tty
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from firmware_bridge.board.table_record import RecordError
from firmware_bridge.conformance.bench import Bench
from firmware_bridge.conformance.preparing import feed_one, greet
from firmware_bridge.electrics.wired_machine import capabilities_of, record_of
from firmware_bridge.electrics.wiring import Output
from firmware_bridge.frames import VERSION, Decoder, Frame, encode_frame
from firmware_bridge.link.events import Done, FeederStatus, LinkDown, LinkUp
from firmware_bridge.messages import (
    PLACE_EDGES,
    BringUp,
    Clear,
    Drive,
    Estop,
    FaultCode,
    Feed,
    FeederState,
    Flags,
    Hello,
    HelloAck,
    Hold,
    Place,
    Raise,
    Recirculate,
    ResetReason,
    Result,
    Return,
    StatusCounters,
    StatusRequest,
    TileAtGate,
    Unlock,
    decode_message,
    encode_message,
)
from firmware_bridge.messages.limits import EVENTS_AT_ONCE
from firmware_bridge.serial_port import DEFAULT_BAUD, LastingPort
from simulator.electrics.board import BoardFirmware, write_memory
from simulator.electrics.program import BoardError, Program
from simulator.feeder_simulator import FeederSimulator, Workbench
from simulator.mechanics import FaultPlan, MechanicsSettings
from tests.support.firmware.core_board import built
from tests.support.link.desk import Desk
from tests.support.narrowed import present
from tests.support.patience import PATIENCE_S
from tests.support.tiers import TIER, Tier, some

TOOLS = {"avr": ("avr-gcc", "avr-size"), "cortex": ("arm-none-eabi-gcc", "qemu-system-arm")}
SPEED = {"host": 8.0, "avr": 4.0}
READABLE = FaultPlan(unread=0.0)
PLACES = [(0, 33), (1, 0), (2, 20), (3, 12), (1, 33), (2, 0)]
"""Places that may be filled at once."""
REPEATS_S = 0.1
MOMENTS = 40
"""Three milliseconds apart they are more than what is between two repeats."""
FLOOD = 300
"""Requests whose answers leave no room between them."""
FIRST_NONCE, LAST_NONCE = 0xFFFF_FFFE, 0xFFFF_FFFF


def need(target: str) -> None:
    """Skip, with the reason, what this machine has no tools for; `make firmware` brings them."""
    missing = [tool for tool in TOOLS.get(target, ()) if shutil.which(tool) is None]
    if missing:
        pytest.skip(f"{missing[0]} is not here: `make firmware` installs it")


def program_of(target: str) -> Program:
    """A board's program, brought up to date; the host's with sanitizers."""
    need(target)
    if target == "host":
        return Program("the checked host build", built("checked", "twinwall-feeder-host-checked"))
    return Program("the emulated board", built("avr", "twinwall-feeder-avr"), firmware=built("avr", "twinwall-feeder-avr.elf"))


@dataclass(frozen=True, slots=True)
class Table:
    """A feeder that a board drives, and a program at its port."""

    feeder: FeederSimulator
    board: BoardFirmware
    desk: Desk


@contextmanager
def powered(program: Program, machine: MechanicsSettings, link: Path, record: bytes | None = None) -> Iterator[Table]:
    """A board with power, whose port is open."""
    boards: list[BoardFirmware] = []

    def boot(bench: Workbench) -> BoardFirmware:
        boards.append(BoardFirmware(program, bench, record=record))
        return boards[0]

    feeder = FeederSimulator(machine, 3, READABLE, link=link, firmware=boot)
    feeder.start()
    try:
        with Desk(feeder.path) as desk:
            yield Table(feeder, boards[0], desk)
    finally:
        feeder.stop()


@pytest.fixture(params=some(["avr", "host"], 1))
def table(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Table]:
    with powered(program_of(request.param), MechanicsSettings(speed=SPEED[request.param]), tmp_path / "feeder") as table:
        yield table


def place_one(desk: Desk, operation: int, place: tuple[int, int]) -> tuple[TileAtGate, Done]:
    """Feed one tile and place it under ``operation`` + 2; return what was told of it."""
    desk.submit(operation, Feed())
    tile = desk.wait(TileAtGate)
    desk.submit(operation + 1, Hold())
    return tile, desk.ended(operation + 2, Place(*place))


def test_tiles_come_to_their_places_by_pulses_and_switches(table: Table) -> None:
    table.desk.wait(LinkUp)
    for number, place in enumerate(PLACES[:6]):
        tile, done = place_one(table.desk, 1 + 3 * number, place)
        assert (tile.edges, tile.back) == (1, 1)
        assert tile.width == pytest.approx(260, abs=30), "a clock that the emulator shares with a busy computer runs unevenly"
        assert done.sensors == PLACE_EDGES
    assert (len(table.feeder.census()["trays"]), table.board.process.ends) == (6, [])


def test_a_board_that_is_killed_in_a_build_comes_back_as_after_a_power_cut_and_nothing_is_lost(table: Table) -> None:
    before = table.desk.wait(LinkUp).hello.boot_id
    place_one(table.desk, 1, PLACES[0])
    place_one(table.desk, 4, PLACES[1])
    table.desk.submit(7, Feed())
    table.desk.wait(TileAtGate)
    table.desk.submit(8, Place(*PLACES[2]))
    os.kill(present(table.board.process.pid), signal.SIGKILL)
    table.desk.wait(LinkDown)
    up = table.desk.wait(LinkUp)
    assert not up.same_boot
    assert up.hello.boot_id != before
    assert up.hello.reset_reason is ResetReason.POWER_ON
    assert 8 in up.unknown
    table.desk.port.request_status()
    trays = table.desk.wait(FeederStatus).trays
    standing = {(seat, position) for seat, places in enumerate(trays) for position in places}
    assert standing - {PLACES[2]} == set(PLACES[:2])
    assert sum(map(len, table.feeder.census().values())) == 136
    if table.feeder.gate_tile() is None:  # its tile had left the gate and fell into the drum
        table.desk.submit(9, Feed())
        table.desk.wait(TileAtGate)
    table.desk.submit(10, Place(*PLACES[3]))
    assert table.desk.wait(Done, lambda done: done.operation == 10).sensors == PLACE_EDGES
    assert table.board.process.ends == [-signal.SIGKILL]


def killed(table: Table) -> FeederStatus:
    """What a board tells after a power cut, once its first second is over: it would move by then if it homed."""
    os.kill(present(table.board.process.pid), signal.SIGKILL)
    table.desk.wait(LinkDown)
    table.desk.wait(LinkUp)
    time.sleep(1.0)
    table.desk.port.request_status()
    return table.desk.wait(FeederStatus)


def test_a_board_that_restarts_in_a_bring_up_stands_until_a_person_lets_it_home(table: Table) -> None:
    table.desk.wait(LinkUp)
    table.desk.ended(1, BringUp())
    table.desk.ended(2, Drive(Output.LOCK, 300))
    for _ in range(2):  # a second cut changes nothing
        status = killed(table)
        assert (status.state, status.faults) == (FeederState.STOPPED, frozenset({FaultCode.STOP}))
        assert Flags.MOTORS_ON not in status.flags
    table.desk.ended(3, Clear(FaultCode.STOP))
    table.desk.submit(4, Feed())
    table.desk.wait(TileAtGate)
    assert killed(table).faults == frozenset()


@pytest.mark.parametrize("target", ["avr", "host"])
def test_a_board_keeps_the_places_of_its_blinds_over_a_power_cut(target: str, tmp_path: Path) -> None:
    def kept() -> bytes:
        return (tmp_path / "feeder.eeprom").read_bytes()[69:73]

    with powered(program_of(target), MechanicsSettings(speed=SPEED[target], blinds=True), tmp_path / "feeder") as table:
        table.desk.wait(LinkUp)
        assert kept() == b"\xff" * 4
        place_one(table.desk, 1, (1, 14))
        table.desk.ended(4, Raise())
        assert table.desk.ended(5, Unlock(1, 10_000)).result is Result.OK, "after two steps"
        assert kept() == bytes([13, 15, 13, 13])
        killed(table)
        assert kept() == bytes([13, 15, 13, 13])


def test_a_tile_is_brought_back_to_the_gate_under_its_own_operation(table: Table) -> None:
    table.desk.wait(LinkUp)
    place_one(table.desk, 1, PLACES[0])
    table.desk.submit(4, Return(*PLACES[0]))
    assert table.desk.wait(TileAtGate).operation == 4
    assert table.feeder.census()["trays"] == ()


@contextmanager
def emulated_board(link: Path) -> Iterator[tuple[FeederSimulator, Bench]]:
    """The emulated board of a feeder, greeted."""
    program = program_of("avr")
    feeder = FeederSimulator(
        MechanicsSettings(speed=SPEED["avr"]), 3, READABLE, link=link, firmware=lambda bench: BoardFirmware(program, bench)
    )
    feeder.start()
    try:
        with closing(LastingPort(feeder.path, DEFAULT_BAUD)) as wire:
            bench = Bench(wire)
            greet(bench)
            yield feeder, bench
    finally:
        feeder.stop()


def test_a_status_comes_whole_in_every_moment_between_two_repeats_of_eight_events(tmp_path: Path) -> None:
    with emulated_board(tmp_path / "feeder") as (_, bench), bench.not_acknowledging():
        for _ in range(EVENTS_AT_ONCE):
            feed_one(bench)
            bench.do(Recirculate())
        mark = bench.mark()
        for _ in range(MOMENTS):
            bench.send(StatusRequest())
            bench.pass_time(REPEATS_S + 0.003)
        for _ in range(MOMENTS):  # on a busy computer the last ones come late
            if len(bench.messages(StatusCounters, mark)) < MOMENTS:
                bench.pass_time(REPEATS_S)
    assert len(bench.messages(StatusCounters, mark)) == MOMENTS


def test_a_host_that_asks_without_pause_is_sent_new_events_at_once_and_the_oldest_again(tmp_path: Path) -> None:
    with emulated_board(tmp_path / "feeder") as (feeder, bench):
        mark = bench.mark()
        with bench.not_acknowledging():
            feeder.set_estop(True)
            for _ in range(FLOOD):
                bench.send(StatusRequest())
                bench.pass_time(0.003)
    assert len(bench.messages(Estop, mark)) > 1


def test_a_cable_that_is_pulled_and_put_back_costs_nothing(tmp_path: Path) -> None:
    with powered(program_of("host"), MechanicsSettings(speed=8.0), tmp_path / "feeder") as table:
        table.desk.wait(LinkUp)
        place_one(table.desk, 1, PLACES[0])
        table.feeder.unplug()
        table.desk.wait(LinkDown)
        table.feeder.plug()
        assert table.desk.wait(LinkUp).same_boot


def test_a_board_tells_the_sizes_of_the_table_that_it_is_built_into(tmp_path: Path) -> None:
    sizes = MechanicsSettings(speed=8.0, tray_places=31, wall_places=28, hand_places=13, bypass_cells=2, shuttle_queue=1, two_high=False)
    with powered(program_of("host"), sizes, tmp_path / "feeder") as table:
        assert table.desk.wait(LinkUp).capabilities == capabilities_of(sizes)


def test_a_memory_keeps_its_count_of_boots_when_the_record_is_written_anew(tmp_path: Path) -> None:
    file = tmp_path / "eeprom"
    file.write_bytes(bytes(range(200)))
    write_memory(file, record_of(MechanicsSettings(), b"TWTEST01"))
    assert file.read_bytes()[:40] == record_of(MechanicsSettings(), b"TWTEST01")
    assert file.read_bytes()[40:200] == bytes(range(40, 200))


@pytest.mark.parametrize("sizes", [MechanicsSettings(bypass_cells=9), MechanicsSettings(shuttle_queue=3), MechanicsSettings(speed=900.0)])
def test_a_machine_that_the_board_has_no_room_for_is_refused(sizes: MechanicsSettings) -> None:
    with pytest.raises(RecordError):
        record_of(sizes, b"TWTEST01")


@pytest.mark.parametrize(
    ("program", "said"),
    [
        (None, "twinwall-feeder-host has not been built: run `make firmware`"),
        ("#!/bin/sh\nexit 3\n", "a broken board has ended 9 times, with 3 at last"),
    ],
    ids=["not built", "dies again and again"],
)
def test_a_board_that_does_not_run_is_named_with_what_to_do_and_stays_without_power(tmp_path: Path, program: str | None, said: str) -> None:
    file = tmp_path / "twinwall-feeder-host"
    if program is not None:
        file.write_text(program)
        file.chmod(0o755)
    broken = Program("a broken board", file)
    feeder = FeederSimulator(MechanicsSettings(), 1, firmware=lambda bench: BoardFirmware(broken, bench, power_back_s=0.0))
    try:
        with pytest.raises(BoardError, match=said):
            feeder.start()
    finally:
        feeder.stop()


# A second architecture ------------------------------------------------------------------------------------


@pytest.fixture
def cortex() -> Iterator[int]:
    """An open line to the core on an emulated Cortex-M3."""
    need("cortex")
    elf = built("cortex", "twinwall-feeder-cortex.elf")
    command = ["qemu-system-arm", "-M", "stm32vldiscovery", "-display", "none", "-monitor", "none", "-serial", "pty", "-kernel", str(elf)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as emulator:
        assert emulator.stdout is not None
        line = os.open(next(word for word in emulator.stdout.readline().split() if word.startswith("/dev/")), os.O_RDWR | os.O_NOCTTY)
        tty.setraw(line)
        awaken(line)
        yield line
        os.close(line)
        emulator.kill()


def awaken(line: int) -> None:
    """Greet the core until it answers: what is sent before its receiver is on is lost."""
    for _ in range(30):
        os.write(line, b"\0" + hello(FIRST_NONCE))
        if select.select([line], [], [], 1)[0]:
            return
    pytest.fail("the emulated Cortex-M3 has not answered for 30 s")


def hello(nonce: int) -> bytes:
    """A greeting as it goes over the line."""
    kind, payload = encode_message(Hello(nonce, VERSION, VERSION))
    return encode_frame(Frame(kind, nonce % 65536, 0, nonce, payload))


def harmed(chance: random.Random, sent: bytes) -> bytes:
    """Bytes after a bad line: some lost, flipped, doubled or put in."""
    out = bytearray()
    for byte in sent:
        match chance.randrange(160):
            case 0:
                continue
            case 1:
                out.append(byte ^ 1 << chance.randrange(8))
            case 2:
                out += bytes([byte, byte])
            case 3:
                out += bytes([chance.randrange(256), byte])
            case _:
                out.append(byte)
    return bytes(out)


def greeted(frames: Iterable[Frame]) -> list[int]:
    """The nonces of the greetings, or of their answers, among some frames."""
    messages = [decode_message(frame.type, frame.payload) for frame in frames]
    return [message.nonce for message in messages if isinstance(message, Hello | HelloAck)]


GREETINGS = {Tier.QUICK: 50, Tier.TEST: 60, Tier.NIGHTLY: 400}[TIER]


def test_the_core_on_a_cortex_m3_cuts_any_stream_into_the_frames_that_the_host_finds_in_it(cortex: int) -> None:
    chance = random.Random(20261120)
    sent = b"".join(harmed(chance, hello(nonce)) for nonce in range(1, GREETINGS))
    sent += bytes(300 * [7]) + b"\0" + hello(LAST_NONCE)
    expected = greeted(Decoder().feed(sent))
    assert GREETINGS // 4 < len(expected) < GREETINGS * 7 // 8  # the line has been bad, and not hopeless
    writer = threading.Thread(target=lambda: [os.write(cortex, sent[at : at + 64]) for at in range(0, len(sent), 64)])
    writer.start()
    decoder, answered = Decoder(), list[int]()
    while LAST_NONCE not in answered:
        assert select.select([cortex], [], [], PATIENCE_S)[0], f"no answer after {len(answered)} of {len(expected)} greetings"
        answered += greeted(decoder.feed(os.read(cortex, 4096)))
    writer.join()
    assert [nonce for nonce in answered if nonce != FIRST_NONCE] == expected
    assert decoder.counts.frames == len(answered)
