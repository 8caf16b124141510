"""Line protocol between the physics and a board, as ``firmware/emulation/PHYSICS.md`` defines it: lines of ASCII, without I/O.

The board's clock is the table's: the board says how far its time has come, the physics advances as far and answers
when it will next move something. Neither runs ahead of the other, however busy the computer is.
"""

from collections.abc import Iterable

from firmware_bridge.electrics.electrics import Electrics
from firmware_bridge.electrics.wires import Change
from firmware_bridge.electrics.wiring import OUTPUT_BYTES

VERSION = 1
SENSE_S = 0.003
"""Delay of an input after its sensor's change: more than a board may be ahead of the physics, so that no change comes late."""
HANDS_S = 0.015
"""The same delay after hands have moved something, which a board learns without having asked."""
_MOST_PENDING = 65536


class BoardLineError(ValueError):
    """A board said something that PHYSICS.md does not know; the message holds the line."""


def greeting(electrics: Electrics, speed: float, now_s: float) -> bytes:
    """The two lines that begin a board's session: the machine's sizes, and all inputs."""
    actuators = electrics.actuators
    steps = " ".join(str(step) for step in actuators.steps)
    head = f"TWP {VERSION} {speed:g} {actuators.steps_per_position} {actuators.most_steps} {steps}\n"
    return f"{head}I {_us(now_s)} {electrics.image().hex()}\n".encode()


class BoardLine:
    """One board's line: takes what it says in pieces of any size, does it, and says what comes of it."""

    def __init__(self, electrics: Electrics, now_s: float) -> None:
        self._electrics = electrics
        self._pending = b""
        self._told_s: dict[int, float] = {}
        self.now_s = now_s
        """The board's clock, as far as it has been heard."""

    def hear(self, received: bytes) -> bytes:
        """Take bytes and return the answer.

        Raises BoardLineError for lines that are none, and CollisionError where a real machine would break.
        """
        *lines, self._pending = (self._pending + received).split(b"\n")
        answer = b""
        for line in lines:
            try:
                answer += self._obey(line.decode("ascii").split())
            except (UnicodeDecodeError, ValueError) as problem:
                raise BoardLineError(f"a board said {line[:80]!r}: {problem}") from None
        if len(self._pending) > _MOST_PENDING:
            raise BoardLineError("a board said a line without an end")
        return answer

    def touched(self, now_s: float) -> bytes:
        """What to say after hands have moved something, by ``now_s`` of the board's clock."""
        return self._reported(self._electrics.advance(now_s), HANDS_S) + self._when(self.now_s)

    def _obey(self, words: list[str]) -> bytes:
        match words:
            case ["O", at_us, image] if len(image) == 2 * OUTPUT_BYTES:
                self._electrics.actuators.take_outputs(bytes.fromhex(image), self._come(at_us))
            case ["A", at_us, *steps] if len(steps) == len(self._electrics.actuators.steps):
                self._come(at_us)
                self._electrics.actuators.take_steps([int(step) for step in steps])
            case ["S", at_us, pulse_us]:
                self._electrics.actuators.take_servo(int(pulse_us), self._come(at_us))
            case ["T", at_us]:
                come_s = self._come(at_us)
                return self._reported(self._electrics.advance(come_s), SENSE_S) + self._when(come_s)
            case _:
                raise ValueError("O, A, S and T are known")
        return b""

    def _come(self, at_us: str) -> float:
        self.now_s = max(self.now_s, int(at_us) / 1e6)
        return self.now_s

    def _reported(self, changes: Iterable[Change], later_s: float) -> bytes:
        """Changes of inputs as lines, those of one input in their order."""
        lines = []
        for change in changes:
            at_s = max(change.at_s + later_s, self._told_s.get(change.bit, 0.0))
            self._told_s[change.bit] = at_s
            lines.append(f"i {_us(at_s)} {change.bit} {change.level:d}\n")
        return "".join(lines).encode()

    def _when(self, come_s: float) -> bytes:
        due_s = self._electrics.next_s()
        return f"T {_us(come_s)} {-1 if due_s is None else _us(due_s)}\n".encode()


def _us(seconds: float) -> int:
    return round(1e6 * seconds)
