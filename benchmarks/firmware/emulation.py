"""Latency of the firmware on its emulated board: answers over 115200 baud.

``python -m benchmarks.firmware.emulation --json`` runs the emulated board (``--firmware host``: the host build) at the wires of the
simulated table, and prints milliseconds from a HEARTBEAT of 16 bytes to the last byte of its BEAT.
"""

import os
import select
import statistics
import time
import tty
from collections.abc import Callable
from typing import Annotated

from benchmarks.support.measuring import run_measure
from firmware_bridge.frames import Decoder, Frame, encode_frame, wire_time_us
from firmware_bridge.messages import (
    Config,
    ConfigAck,
    EventAck,
    GetCapabilities,
    Heartbeat,
    Hello,
    HelloAck,
    Message,
    MessageError,
    TileAtGate,
    decode_message,
    encode_message,
)
from simulator.electrics.board import BoardFirmware
from simulator.feeder_simulator import FeederSimulator
from simulator.firmware_choice import BOARDS, FIRMWARE_NAMES
from simulator.mechanics import FaultPlan, MechanicsSettings

LIMIT_S = 10.0
BEAT_EVERY_S = 0.08


class EmulatedSerialLine:
    """One end of the serial line: sends messages, and waits for answers while it keeps the session alive."""

    def __init__(self, path: str) -> None:
        self._fd = os.open(path, os.O_RDWR | os.O_NOCTTY)
        tty.setraw(self._fd)
        self._decoder = Decoder()
        self._came: list[Message] = []
        self._beat_at_s = 0.0

    def close(self) -> None:
        os.close(self._fd)

    def send(self, message: Message) -> None:
        kind, payload = encode_message(message)
        os.write(self._fd, encode_frame(Frame(kind, 0, 0, wire_time_us(time.monotonic()), payload)))

    def wait(self, wanted: Callable[[Message], bool], *, beats: bool = True) -> Message:
        """Return the next such message and drop others; raises TimeoutError after ``LIMIT_S``."""
        deadline_s = time.monotonic() + LIMIT_S
        while time.monotonic() < deadline_s:
            while self._came:
                message = self._came.pop(0)
                if isinstance(message, TileAtGate):
                    self.send(EventAck(message.number))
                if wanted(message):
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
                self._came.append(decode_message(frame.type, frame.payload))
            except MessageError as problem:
                raise AssertionError(f"the board sent what is no message: {problem}") from None
        return True


def open_session(line: EmulatedSerialLine) -> None:
    """Greet until motion is allowed; raises TimeoutError."""
    line.send(Hello(1, 1, 1))
    hello = line.wait(lambda message: isinstance(message, HelloAck))
    assert isinstance(hello, HelloAck)
    line.send(GetCapabilities())
    deadline_s = time.monotonic() + LIMIT_S
    while time.monotonic() < deadline_s:
        line.send(Config(hello.capabilities_digest))
        time.sleep(0.1)
        answer = line.wait(lambda message: not isinstance(message, TileAtGate))
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
        line.wait(lambda message: not isinstance(message, TileAtGate), beats=False)
        times.append(1000 * (time.monotonic() - began_s))
    return times


def spread(times: list[float]) -> dict[str, float]:
    """Return median, 99th percentile and maximum of some milliseconds."""
    ranked = sorted(times)
    return {
        "p50": round(statistics.median(ranked), 2),
        "p99": round(ranked[min(len(ranked) - 1, int(0.99 * len(ranked)))], 2),
        "most": round(ranked[-1], 2),
        "n": len(ranked),
    }


def measure(firmware: Annotated[str, FIRMWARE_NAMES[1:]] = "avr", trips: int = 500, speed: float = 4.0) -> dict[str, object]:
    """Measure one board."""
    program = BOARDS[firmware]
    feeder = FeederSimulator(MechanicsSettings(speed=speed), 1, FaultPlan(unread=0.0), firmware=lambda bench: BoardFirmware(program, bench))
    line = EmulatedSerialLine(feeder.start())
    try:
        open_session(line)
        return {"firmware": firmware, "round_trip_ms": spread(round_trips_ms(line, trips))}
    finally:
        line.close()
        feeder.stop()


if __name__ == "__main__":
    run_measure(measure)
