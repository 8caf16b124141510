"""The pins of one board as they are read, and the one output that is driven: what the terminal and the page of ``feeder pins`` share.

One thread reads; any other may look, and ask for an output.
"""

import threading
from collections import Counter
from collections.abc import Sequence

from cli.feeder.wires import BoardWires, WiresError
from firmware_bridge.conformance.bench_line import Broken
from firmware_bridge.electrics.signals import Signal, is_on

_LAST = 5


class SeenInputs:
    """The inputs as they were read last, and how often each has changed since somebody forgot the changes."""

    def __init__(self, inputs: Sequence[Signal], image: bytes) -> None:
        self.all, self._image = inputs, image
        self.changes: Counter[int] = Counter()
        self.last: list[str] = []
        """What changed last, the newest first."""

    def take(self, image: bytes) -> list[Signal]:
        """A new reading; return the inputs that have changed."""
        changed = [each for each in self.all if is_on(image, each.number) is not self.is_on(each)]
        self._image = image
        self.changes.update(each.number for each in changed)
        self.last = [*(f"{each.name} {self.is_on(each):d}" for each in reversed(changed)), *self.last][:_LAST]
        return changed

    def is_on(self, each: Signal) -> bool:
        """Whether an input is high."""
        return is_on(self._image, each.number)

    def forget(self) -> None:
        """Count changes from now on."""
        self.changes.clear()
        self.last = []

    def rows(self) -> list[dict[str, object]]:
        """Each input with its level and where its wire ends."""
        return [{"number": each.number, "name": each.name, "on": self.is_on(each), "at": each.at} for each in self.all]


class LivePins:
    """The pins of a board that is in bring-up."""

    def __init__(self, wires: BoardWires) -> None:
        self.uid, self.outputs = wires.uid.hex(), wires.outputs
        self.seen = SeenInputs(wires.inputs, wires.read())
        self._wires = wires
        self._wanted: tuple[Signal, int] | None = None
        self._version, self._driven, self._ended = 1, self.driven, ""
        self._turn = threading.Condition()

    @property
    def driven(self) -> str:
        """How the output ended that was driven last; empty while it is driven."""
        return "" if self._wanted else self._wires.driven

    def read(self) -> list[Signal]:
        """Read once, and begin to drive what was asked for; return the inputs that have changed. Raises as ``BoardWires.read`` does."""
        try:
            image = self._wires.read()
        except (WiresError, Broken, OSError) as problem:
            self.end(str(problem))
            raise
        with self._turn:
            if self._wanted:
                output, amount = self._wanted
                self._wires.drive(output.number, amount)
                self._wanted = None
            changed = self.seen.take(image)
            if changed or self.driven != self._driven:
                self._tell()
            return changed

    def drive(self, number: int, amount: int) -> str:
        """Have an output driven for so long or so far; return why that is refused, empty where it is not."""
        output = next((each for each in self.outputs if each.number == number), None)
        if output is None:
            return f"this table has no output {number}"
        if amount not in output.amounts:
            return f"{output.name} takes {output.amounts[0]} to {output.amounts[-1]} {output.unit}, in steps of {output.amounts.step}"
        with self._turn:
            if self._ended or not self.driven:
                return self._ended or f"{output.name} is refused: one output at a time, wait until the other has ended"
            self._wanted = output, amount
            self._tell()
        return ""

    def forget(self) -> None:
        """Count changes from now on."""
        with self._turn:
            self.seen.forget()
            self._tell()

    def end(self, why: str) -> None:
        """Nothing is read or driven any more."""
        with self._turn:
            self._ended = self._ended or why
            self._tell()

    def now(self, after: int, wait_s: float) -> dict[str, object]:
        """What has changed, as soon as its version is above ``after``."""
        with self._turn:
            self._turn.wait_for(lambda: self._version > after, wait_s)
            return {
                "version": self._version,
                "inputs": [
                    {**row, "changes": self.seen.changes[each.number]} for each, row in zip(self.seen.all, self.seen.rows(), strict=True)
                ],
                "last": self.seen.last,
                "driven": self.driven,
                "ended": self._ended,
            }

    def _tell(self) -> None:
        self._version, self._driven = self._version + 1, self.driven
        self._turn.notify_all()
