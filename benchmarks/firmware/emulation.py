"""Latency and cost of the firmware on its emulated board: answers over 115200 baud, start of motion, processor time, size.

``python -m benchmarks.firmware.emulation --json`` runs the emulated board (``--firmware host``: the host build) at the wires of the
simulated table. It prints milliseconds from a HEARTBEAT of 16 bytes to the last byte of its BEAT, and from before the first byte of PLACE
to the diverter or ejector, and of RETURN to the carriage's first step, as received by the table's physics. Then the processor time of the
board's process as a share of one core, idle and building, and the size of the emulated board's firmware.
"""

import itertools
import os
import select
import statistics
import subprocess
import time
import tty
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from benchmarks.support.measuring import process_cpu_s, run_measure
from firmware_bridge.frames import Decoder, Frame, encode_frame, wire_time_us
from firmware_bridge.messages import (
    Command,
    Config,
    ConfigAck,
    DoneReport,
    EventAck,
    Feed,
    GetCapabilities,
    Heartbeat,
    Hello,
    HelloAck,
    Hold,
    Message,
    MessageError,
    Nak,
    Place,
    Result,
    Return,
    TileAtGate,
    decode_message,
    encode_message,
)
from simulator.electrics.board import BoardFirmware
from simulator.feeder_simulator import FeederSimulator
from simulator.firmware_choice import FIRMWARE_NAMES, board_named
from simulator.mechanics import FaultPlan, MechanicsSettings
from simulator.workbench import Workbench

LIMIT_S = 10.0
BEAT_EVERY_S = 0.08
SILENCE_S = 0.1
SILENT_LINES = 100
FLASH_SECTIONS, RAM_SECTIONS = (".text", ".data"), (".data", ".bss", ".noinit")


class EmulatedSerialLine:
    """One end of the serial line: sends messages, and waits for answers while it keeps the session alive."""

    def __init__(self, path: str) -> None:
        self._fd = os.open(path, os.O_RDWR | os.O_NOCTTY)
        tty.setraw(self._fd)
        self._decoder = Decoder()
        self._came: list[tuple[Message, int]] = []
        self._beat_at_s = 0.0

    def close(self) -> None:
        os.close(self._fd)

    def send(self, message: Message, operation: int = 0) -> None:
        kind, payload = encode_message(message)
        os.write(self._fd, encode_frame(Frame(kind, 0, operation, wire_time_us(time.monotonic()), payload)))

    def wait(self, wanted: Callable[[Message, int], bool], *, beats: bool = True) -> Message:
        """Return the next such message and drop others; raises TimeoutError after ``LIMIT_S``."""
        deadline_s = time.monotonic() + LIMIT_S
        while time.monotonic() < deadline_s:
            while self._came:
                message, operation = self._came.pop(0)
                if isinstance(message, TileAtGate):
                    self.send(EventAck(message.number))
                if wanted(message, operation):
                    return message
            if beats and time.monotonic() >= self._beat_at_s:
                self._beat_at_s = time.monotonic() + BEAT_EVERY_S
                self.send(Heartbeat())
            self._read(0.01)
        raise TimeoutError("the board did not answer")

    def drain(self) -> None:
        """Drop messages until none comes any more."""
        while self._read(0.02):
            self._came.clear()

    def _read(self, wait_s: float) -> bool:
        if not select.select([self._fd], [], [], wait_s)[0]:
            return False
        for frame in self._decoder.feed(os.read(self._fd, 4096)):
            try:
                self._came.append((decode_message(frame.type, frame.payload), frame.operation))
            except MessageError as problem:
                raise AssertionError(f"the board sent what is no message: {problem}") from None
        return True


class BoardListener:
    """Hears the board at its wires: each line's kind and time (seconds of the monotonic clock)."""

    def __init__(self) -> None:
        self._pending = b""
        self.lines: list[tuple[str, float]] = []

    def hear(self, said: bytes) -> None:
        *lines, self._pending = (self._pending + said).split(b"\n")
        for line in lines:
            self.lines.append((line[:1].decode(), time.monotonic()))

    def wait_for_silence(self) -> None:
        """Wait until nothing has moved for a while."""
        while any(at_s > time.monotonic() - SILENCE_S for kind, at_s in self.lines[-SILENT_LINES:] if kind != "T"):
            time.sleep(SILENCE_S / 4)

    def first(self, kinds: str, since_s: float) -> float | None:
        """Return when the first line of one of these kinds came after a moment."""
        return min((at_s for kind, at_s in self.lines if kind in kinds and at_s > since_s), default=None)


def open_session(line: EmulatedSerialLine) -> None:
    """Greet until motion is allowed; raises TimeoutError."""
    line.send(Hello(1, 1, 1))
    hello = line.wait(lambda message, _: isinstance(message, HelloAck))
    assert isinstance(hello, HelloAck)
    line.send(GetCapabilities())
    deadline_s = time.monotonic() + LIMIT_S
    while time.monotonic() < deadline_s:
        line.send(Config(hello.capabilities_digest))
        time.sleep(0.1)
        answer = line.wait(lambda message, _: not isinstance(message, TileAtGate))
        if isinstance(answer, ConfigAck):
            return
    raise TimeoutError("the board has not opened the session")


def round_trips_ms(line: EmulatedSerialLine, count: int) -> list[float]:
    """Measure from before a HEARTBEAT's first byte to after its BEAT's last, with nothing else on the line."""
    times = []
    for _ in range(count):
        line.drain()
        began_s = time.monotonic()
        line.send(Heartbeat())
        line.wait(lambda message, _: not isinstance(message, TileAtGate), beats=False)
        times.append(1000 * (time.monotonic() - began_s))
    return times


def perform(line: EmulatedSerialLine, command: Command, operation: int) -> None:
    """Send an operation and wait for its good end; raises AssertionError if it is refused or disturbed."""
    line.send(command, operation)
    ended = line.wait(lambda message, of: isinstance(message, DoneReport | Nak) and of == operation)
    assert isinstance(ended, DoneReport) and ended.result is Result.OK, f"{command} came to {ended}"


def motions_ms(line: EmulatedSerialLine, listener: BoardListener, count: int) -> tuple[list[float], list[float]]:
    """Measure delays from PLACE to the diverter or ejector and from RETURN to the first step, one operation at a time."""
    places: list[float] = []
    returns: list[float] = []
    operations = itertools.count(1)
    for number in range(count):
        perform(line, Feed(), next(operations))
        line.wait(lambda message, _: isinstance(message, TileAtGate))
        perform(line, Hold(), next(operations))
        seat, position = number % 4, 12 - number // 4 % 12
        for command, kinds, delays in ((Place(seat, position), "SO", places), (Return(seat, position), "A", returns)):
            line.drain()
            listener.wait_for_silence()
            began_s = time.monotonic()
            perform(line, command, next(operations))
            moved_s = listener.first(kinds, began_s)
            assert moved_s is not None, f"nothing has moved after {command}"
            delays.append(1000 * (moved_s - began_s))
        perform(line, Place(seat, position), next(operations))
    return places, returns


def share_while(pid: int, doing: Callable[[], object]) -> float:
    """Return the processor time of a process as a share of one core while ``doing`` runs."""
    began_s, began_cpu_s = time.monotonic(), process_cpu_s(pid)
    doing()
    return (process_cpu_s(pid) - began_cpu_s) / (time.monotonic() - began_s)


def size_bytes(elf: Path) -> dict[str, int]:
    """Return flash and memory of a build, without its stack."""
    listing = subprocess.run(["avr-size", "-A", elf], check=True, capture_output=True, text=True).stdout
    sections = {words[0]: int(words[1]) for words in map(str.split, listing.splitlines()) if len(words) == 3 and words[1].isdecimal()}
    return {
        "flash": sum(sections.get(name, 0) for name in FLASH_SECTIONS),
        "ram": sum(sections.get(name, 0) for name in RAM_SECTIONS),
    }


def spread(times: list[float]) -> dict[str, float]:
    """Return median, 99th percentile and maximum of some milliseconds."""
    ranked = sorted(times)
    return {
        "p50": round(statistics.median(ranked), 2),
        "p99": round(ranked[min(len(ranked) - 1, int(0.99 * len(ranked)))], 2),
        "most": round(ranked[-1], 2),
        "n": len(ranked),
    }


def measure(
    firmware: Annotated[str, FIRMWARE_NAMES[1:]] = "avr", trips: int = 500, motions: int = 20, speed: float = 4.0
) -> dict[str, object]:
    """Measure all figures of one board, with ``motions`` tiles placed and returned."""
    program, listener = board_named(firmware), BoardListener()
    boards: list[BoardFirmware] = []

    def boot(bench: Workbench) -> BoardFirmware:
        boards.append(BoardFirmware(program, bench, listener.hear))
        return boards[0]

    feeder = FeederSimulator(MechanicsSettings(speed=speed), 1, FaultPlan(unread=0.0), firmware=boot)
    line = EmulatedSerialLine(feeder.start())
    try:
        open_session(line)
        pid = boards[0].process.pid
        assert pid is not None
        trip_times: list[float] = []
        idle = share_while(pid, lambda: trip_times.extend(round_trips_ms(line, trips)))
        delays: list[tuple[list[float], list[float]]] = []
        busy = share_while(pid, lambda: delays.append(motions_ms(line, listener, motions)))
    finally:
        line.close()
        feeder.stop()
    places, returns = delays[0]
    return {
        "firmware": firmware,
        "round_trip_ms": spread(trip_times),
        "place_to_motion_ms": spread(places),
        "return_to_step_ms": spread(returns),
        "core_share": {"answering": round(idle, 3), "moving": round(busy, 3)},
        "size_bytes": size_bytes(program.firmware) if program.firmware else None,
    }


if __name__ == "__main__":
    run_measure(measure)
