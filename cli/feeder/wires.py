"""A feeder's wires from the table's computer: all inputs, and one output at a time while the machine is in bring-up."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from typing import TypeVar

from firmware_bridge.conformance.bench import Bench
from firmware_bridge.conformance.bench_line import Broken
from firmware_bridge.conformance.preparing import NoMachineError, greet, meet
from firmware_bridge.electrics.wiring import Signal, inputs_of, outputs_of
from firmware_bridge.messages import (
    Beat,
    BringUp,
    Capabilities,
    DoneReport,
    Drive,
    FeederState,
    GetCapabilities,
    HelloAck,
    Nak,
    NakCode,
    Pins,
    PinsRequest,
    Result,
    Stop,
)
from firmware_bridge.serial_port import LastingPort

DRIVEN = "driven"
_EVERY_S = 0.03
_REST_S = 5.0
_DRIVEN_S = 3.0
_QUESTIONS = 4
_Answered = TypeVar("_Answered")


class BoardWires:
    """One machine that has answered; ``driven`` says how the last driven output ended, empty while it is driven."""

    def __init__(self, bench: Bench, hello: HelloAck) -> None:
        self._bench = bench
        self._operation, self._due_s, self._in_bring_up = 0, 0.0, False
        self.driven = "nothing was driven"
        self.uid = hello.uid
        self.inputs: tuple[Signal, ...] = inputs_of(bench.capabilities)
        self.outputs: tuple[Signal, ...] = outputs_of(bench.capabilities)
        self.capabilities: Capabilities = bench.capabilities

    def begin(self) -> None:
        """Put the machine into bring-up; raises NoMachineError unless it is at rest."""
        end_s = self._bench.now_s + _REST_S
        while (answer := _again(lambda: self._bench.attempt(BringUp()))) == Nak(NakCode.BUSY) and self._bench.now_s < end_s:
            self._bench.pass_time(10 * _EVERY_S)
        if isinstance(answer, Nak):
            moving = "the machine is not at rest: wait until nothing moves, or press the emergency stop, and try again"
            raise NoMachineError(moving if answer.code is NakCode.BUSY else f"the machine refuses the bring-up: {answer.code}")
        self._in_bring_up = True
        self._bench.forget()  # beats of before

    def read(self) -> bytes:
        """The image of all inputs, a moment after the last one; raises Broken for a silent machine, NoMachineError after bring-up."""
        self._bench.pass_time(_EVERY_S)
        image = _again(lambda: self._bench.ask(PinsRequest(), Pins)).inputs
        for answer in self._bench.answers(self._operation) if self._operation else ():
            self._note(answer)
        if not self.driven and self._bench.now_s > self._due_s:
            self.driven = "not answered: the line has lost it"
        beats = self._bench.messages(Beat)
        self._bench.forget()
        if self._in_bring_up and beats and beats[-1].state is not FeederState.BRING_UP:
            self._in_bring_up = False
            raise NoMachineError("the machine has left the bring-up: its board has started again, or the line was silent for a second")
        return image

    def drive(self, output: int, amount: int) -> None:
        """Begin to drive an output; meanwhile ``read`` must be called."""
        self.driven, self._due_s = "", self._bench.now_s + _DRIVEN_S
        self._operation = self._bench.order(Drive(output, amount))

    def end(self) -> None:
        """Leave bring-up: the machine stands until somebody clears STOP, and then homes."""
        if self._in_bring_up:
            self._in_bring_up = False
            with suppress(Broken):  # silence ends it too
                self._bench.attempt(Stop())

    def _note(self, answer: object) -> None:
        if isinstance(answer, Nak):
            stopped = answer.code is NakCode.STOPPED
            self.driven = "not driven: the emergency stop is pressed or the lid open" if stopped else f"refused: {answer.code.name}"
        elif isinstance(answer, DoneReport):
            self.driven = DRIVEN if answer.result is Result.OK else "cut by emergency stop, lid or silence"


@contextmanager
def wires_at(path: str, baud: int, *, driving: bool, allow: Callable[[str], object] = str) -> Iterator[BoardWires]:
    """The wires of the feeder at a device, for ``driving`` in bring-up until this ends. ``allow`` checks the board's uid before anything
    else, and may raise. Raises NoMachineError and OSError."""
    with closing(LastingPort(path, baud)) as port:
        bench = Bench(port)
        try:
            hello = meet(bench)
            allow(hello.uid.hex())
            if driving:
                _again(lambda: greet(bench))
            else:
                bench.capabilities = _again(lambda: bench.ask(GetCapabilities(), Capabilities))
            wires = BoardWires(bench, hello)
            if driving:
                wires.begin()
            try:
                yield wires
            finally:
                wires.end()
        except Broken as problem:
            raise NoMachineError(str(problem)) from None


def _again(ask: Callable[[], _Answered]) -> _Answered:
    """Ask, and repeat if a frame was lost or the machine is busy; raises Broken without an answer."""
    for _ in range(_QUESTIONS - 1):
        with suppress(Broken):
            return ask()
    return ask()
