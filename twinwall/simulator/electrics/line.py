"""What is said between the physics and a board, as ``firmware/emulation/PHYSICS.md`` has it: lines of ASCII, no I/O."""

from __future__ import annotations

from collections.abc import Iterable

from twinwall.simulator.electrics.electrics import Electrics
from twinwall.simulator.electrics.lines import Change
from twinwall.simulator.electrics.wiring import OUTPUT_BYTES

VERSION = 1
_MOST_PENDING = 65536


class BoardLineError(ValueError):
    """A board said something that PHYSICS.md does not know; the message holds the line."""


def greeting(electrics: Electrics, speed: float, now_s: float) -> bytes:
    """The two lines that a board is greeted with: what the machine is like, and all inputs."""
    actuators = electrics.actuators
    steps = " ".join(str(step) for step in actuators.steps)
    head = f"TWP {VERSION} {speed:g} {actuators.steps_per_position} {actuators.most_steps} {steps}\n"
    return f"{head}I {_us(now_s)} {electrics.image().hex()}\n".encode()


def told(changes: Iterable[Change]) -> bytes:
    """Changes of inputs as lines."""
    return "".join(f"i {_us(change.at_s)} {change.bit} {change.level:d}\n" for change in changes).encode()


class BoardEar:
    """Takes what a board says in pieces of any size, and does it."""

    def __init__(self, electrics: Electrics) -> None:
        self._actuators = electrics.actuators
        self._pending = b""

    def hear(self, received: bytes, now_s: float) -> None:
        """Take bytes; a moment that lies ahead of ``now_s`` counts as now.

        Raises BoardLineError for lines that are none, and CollisionError where a real machine would break.
        """
        *lines, self._pending = (self._pending + received).split(b"\n")
        for line in lines:
            try:
                self._obey(line.decode("ascii").split(), now_s)
            except (UnicodeDecodeError, ValueError) as problem:
                raise BoardLineError(f"a board said {line[:80]!r}: {problem}") from None
        if len(self._pending) > _MOST_PENDING:
            raise BoardLineError("a board said a line without an end")

    def _obey(self, words: list[str], now_s: float) -> None:
        match words:
            case ["O", at_us, image] if len(image) == 2 * OUTPUT_BYTES:
                self._actuators.take_outputs(bytes.fromhex(image), _seconds(at_us, now_s))
            case ["A", _, *steps] if len(steps) == len(self._actuators.steps):
                self._actuators.take_steps([int(step) for step in steps])
            case ["S", at_us, pulse_us]:
                self._actuators.take_servo(int(pulse_us), _seconds(at_us, now_s))
            case _:
                raise ValueError("O, A and S are known")


def _us(seconds: float) -> int:
    return round(1e6 * seconds)


def _seconds(at_us: str, now_s: float) -> float:
    return min(int(at_us) / 1e6, now_s)
