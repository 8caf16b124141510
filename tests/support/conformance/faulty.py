"""Machines that break one rule each: mutants of the firmware's C source, or somebody on the line who alters, drops or adds frames."""

import tomllib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from cli.feeder.feeder_hands import SimulatedHands
from firmware_bridge.conformance import suite
from firmware_bridge.conformance.bench import Rule
from firmware_bridge.conformance.rules import RULES
from firmware_bridge.conformance.suite import RuleOutcome
from firmware_bridge.frames import Frame
from firmware_bridge.messages import (
    Command,
    DeviceEvent,
    DoneReport,
    EventAck,
    Fault,
    Feed,
    Heartbeat,
    HelloAck,
    Hold,
    Message,
    MessageError,
    Recirculate,
    StatusState,
    TileAtGate,
    decode_message,
    encode_message,
)
from tests.support.conformance.machine import MemoryMachine, Tamperer
from tests.support.firmware.variants import Replacement, variant


@dataclass(frozen=True, slots=True)
class Mutation:
    """A fault: what it does, and the rules that it breaks."""

    does: str
    breaks: frozenset[str]
    source: tuple[Replacement, ...] = ()
    """How the firmware's source differs."""
    line: Callable[[], Tamperer] | None = None
    """Who sits on the line; nobody sees it otherwise, bytes pass as they are."""
    slow: bool = False
    """It shows only in rules that take long."""


def source_mutations() -> Iterator[Mutation]:
    """Those of ``mutants.toml``."""
    for mutant in tomllib.loads(Path(__file__).with_name("mutants.toml").read_text(encoding="utf-8"))["mutant"]:
        source = tuple(Replacement(each["file"], each["old"], each["new"]) for each in mutant.get("source", [mutant]))
        yield Mutation(mutant["does"], frozenset(mutant["breaks"].split()), source, slow=mutant.get("slow", False))


class Line(Tamperer):
    """Passes everything on as it is; faults override ``hear`` and ``say``."""

    def __init__(self) -> None:
        self._boot_id = 0
        self._forget()

    def _forget(self) -> None:
        """A new boot remembers nothing."""
        self.commands: dict[int, Frame] = {}
        """The first frame of each operation, by the host's number."""
        self.highest = 0
        """The highest number of the host's."""
        self._theirs: dict[int, int] = {}
        self._ours: dict[int, int] = {}
        self._hidden = 0

    def hear(self, message: Message | None, frame: Frame) -> Iterable[Frame]:
        """What the machine gets of a frame from the host; ``message`` is None when it cannot be read."""
        return (frame,)

    def say(self, message: Message, command: Message | None) -> Message | None:
        """What the host gets instead of a message, None for nothing; ``command`` is what an answer belongs to."""
        return message

    # For faults -----------------------------------------------------------------------------------------

    def answer(self, message: Message, operation: int) -> None:
        """Answer the host in the machine's place."""
        type_, payload = encode_message(message)
        self.machine.tell(Frame(type_, 0, operation, 0, payload))

    def hide(self, message: Message) -> None:
        """Send the machine something of our own; what it answers to an operation is not passed on."""
        number = self._next() if isinstance(message, Command) else 0
        type_, payload = encode_message(message)
        self.machine.order(Frame(type_, 0, number, 0, payload))

    # As a tamperer --------------------------------------------------------------------------------------

    def to_machine(self, frame: Frame) -> Iterator[Frame]:
        message = read(frame)
        for passed in self.hear(message, frame):
            yield self._renumbered(passed)
        if isinstance(message, Command):
            self.commands.setdefault(frame.operation, frame)
            self.highest = max(self.highest, frame.operation)

    def to_host(self, frame: Frame) -> Iterator[Frame]:
        message = decode_message(frame.type, frame.payload)
        if isinstance(message, HelloAck) and message.boot_id != self._boot_id:
            self._forget()
            self._boot_id = message.boot_id
        if frame.operation and frame.operation not in self._ours:
            return
        operation = self._ours.get(frame.operation, 0)
        ordered = self.commands.get(operation)
        said = self.say(self._renumbered_within(message), None if ordered is None else read(ordered))
        if said is None:
            return
        type_, payload = encode_message(said)
        yield replace(frame, type=type_, operation=operation, payload=payload)

    def _next(self) -> int:
        self._hidden += 1
        return self.highest + self._hidden

    def _renumbered(self, frame: Frame) -> Frame:
        if not frame.operation:
            return frame
        number = self._theirs.setdefault(frame.operation, frame.operation + self._hidden)
        self._ours.setdefault(number, frame.operation)
        return replace(frame, operation=number)

    def _renumbered_within(self, message: Message) -> Message:
        if isinstance(message, HelloAck | StatusState) and self._hidden:
            return replace(message, last_operation=self.highest)
        if isinstance(message, TileAtGate | Fault) and message.operation:
            return replace(message, operation=self._ours[message.operation])
        return message


def read(frame: Frame) -> Message | None:
    """What a frame says, None when it cannot be read."""
    try:
        return decode_message(frame.type, frame.payload)
    except MessageError:
        return None


class OneMore(Line):
    """Brings a further tile when HOLD has been the last word on feeding and the gate has long been empty."""

    waits_s = 0.15

    def __init__(self) -> None:
        super().__init__()
        self._due_s: float | None = None
        self._feeding = False

    def hear(self, message: Message | None, frame: Frame) -> Iterable[Frame]:
        self._due_s = self._due_s if isinstance(message, Heartbeat | EventAck) else None
        return (frame,)

    def say(self, message: Message, command: Message | None) -> Message | None:
        if isinstance(message, DoneReport) and isinstance(command, Recirculate):
            self._due_s = self.machine.now_s() + self.waits_s
        elif isinstance(message, TileAtGate) and self._feeding:
            self._feeding = False
            self.hide(Hold())
        return message

    def tick(self) -> float | None:
        if self._due_s is not None and self._due_s <= self.machine.now_s():
            self._due_s, self._feeding = None, True
            self.hide(Feed())
        return self._due_s


class TellsOnceMore(Line):
    """Tells the latest event again when it has been acknowledged and the host has had nothing to say for a while."""

    after_s = 0.4

    def __init__(self) -> None:
        super().__init__()
        self._latest: DeviceEvent | None = None
        self._due_s: float | None = None

    def hear(self, message: Message | None, frame: Frame) -> Iterable[Frame]:
        if isinstance(message, EventAck) and self._latest is not None and message.event >= self._latest.number:
            self._due_s = self.machine.now_s() + self.after_s
        elif not isinstance(message, Heartbeat | EventAck):
            self._due_s = None
        return (frame,)

    def say(self, message: Message, command: Message | None) -> Message | None:
        if isinstance(message, DeviceEvent):
            self._latest, self._due_s = message, None
        return message

    def tick(self) -> float | None:
        if self._due_s is not None and self._due_s <= self.machine.now_s() and self._latest is not None:
            self._due_s = None
            self.answer(self._latest, 0)
        return self._due_s


LINE_FAULTS: tuple[Mutation, ...] = (
    Mutation("brings a tile more after HOLD", frozenset({"hold-feeds-no-further"}), line=OneMore),
    Mutation("tells an event once more", frozenset({"acknowledged-is-over"}), line=TellsOnceMore),
)
MUTATIONS = (*source_mutations(), *LINE_FAULTS)


def failures(mutation: Mutation, rules: tuple[Rule, ...] = RULES) -> dict[str, str]:
    """The rules that a machine breaks, with what it did; those that take long are tried where its fault shows in nothing else."""
    machine = MemoryMachine(mutation.line and mutation.line(), program=variant(*mutation.source))
    tried = tuple(rule for rule in rules if mutation.slow or not rule.slow)
    verdicts = suite.run(machine, rules=tried, hands=SimulatedHands(machine), slow=mutation.slow)
    return {verdict.rule.name: verdict.reason for verdict in verdicts if verdict.outcome is not RuleOutcome.PASSED}
