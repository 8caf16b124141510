"""The pins of one board and its one driven output, for the terminal and the page of ``feeder pins``. One thread reads; any other may look
and ask for an output."""

import threading
from collections import Counter
from collections.abc import Sequence

from cli.feeder.wires import BoardWires
from firmware_bridge.conformance.bench_line import Broken
from firmware_bridge.conformance.preparing import NoMachineError
from firmware_bridge.electrics.wiring import Signal, is_on

_LAST = 5


class SeenInputs:
    """The last reading of the inputs, and the number of changes of each since ``forget``."""

    def __init__(self, inputs: Sequence[Signal], image: bytes) -> None:
        self.all, self._image = inputs, image
        self.changes: Counter[int] = Counter()
        self.last: list[str] = []
        """The last changes, the newest first."""

    def take(self, image: bytes) -> list[Signal]:
        """Take a new reading; return the inputs that changed."""
        changed = [each for each in self.all if is_on(image, each.number) is not self.is_on(each)]
        self._image = image
        self.changes.update(each.number for each in changed)
        self.last = [*(f"{each.name} {self.is_on(each):d}" for each in reversed(changed)), *self.last][:_LAST]
        return changed

    def is_on(self, each: Signal) -> bool:
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
        """How the last driven output ended; empty while one is driven."""
        return "" if self._wanted else self._wires.driven

    def read(self) -> list[Signal]:
        """Read once and start a drive that was asked for; return the inputs that changed. Raises what ``BoardWires.read`` raises."""
        try:
            image = self._wires.read()
        except (NoMachineError, Broken, OSError) as problem:
            self.end(str(problem))
            raise
        with self._turn:
            if self._wanted:
                output, amount = self._wanted
                self._wires.drive(output.number, amount)
                self._wanted = None
            changed = self.seen.take(image)
            if changed or self.driven != self._driven:
                self._notify()
            return changed

    def drive(self, number: int, amount: int) -> str:
        """Ask to drive an output for an amount (ms or steps); return the refusal, or an empty string."""
        output = next((each for each in self.outputs if each.number == number), None)
        if output is None:
            return f"this table has no output {number}"
        if amount not in output.amounts:
            return f"{output.name} takes {output.amounts[0]} to {output.amounts[-1]} {output.unit}, in steps of {output.amounts.step}"
        with self._turn:
            if self._ended or not self.driven:
                return self._ended or f"{output.name} is refused: one output at a time, wait until the other has ended"
            self._wanted = output, amount
            self._notify()
        return ""

    def forget(self) -> None:
        """Count changes from now on."""
        with self._turn:
            self.seen.forget()
            self._notify()

    def end(self, why: str) -> None:
        """Stop: refuse every later drive with this sentence."""
        with self._turn:
            self._ended = self._ended or why
            self._notify()

    def now(self, after: int, wait_s: float) -> dict[str, object]:
        """Return the present state as soon as its version is above ``after``, or after ``wait_s`` at the latest."""
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

    def _notify(self) -> None:
        self._version, self._driven = self._version + 1, self.driven
        self._turn.notify_all()
