"""Machines that break one rule each: mutants of the firmware's C source, and two faults on the line of a good machine.

Every fault names the rules that it breaks; most break one, some cannot help breaking several that say the same of different
moments.
"""

import tomllib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from cli.feeder.feeder_check import SimulatedHands
from firmware_bridge.conformance import suite
from firmware_bridge.conformance.bench import Rule
from firmware_bridge.conformance.rules import RULES
from firmware_bridge.conformance.suite import RuleOutcome
from firmware_bridge.frames import Frame
from firmware_bridge.messages import DeviceEvent, DoneReport, EventAck, Feed, Heartbeat, Hold, Message, Recirculate, TileAtGate
from tests.support.conformance.machine import QUICK, Line, MemoryMachine, Tamperer
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
    blinds: bool = False
    """The machine has blinds and no rear gates."""
    slow: bool = False
    """It shows only in rules that take long."""


def source_mutations() -> Iterator[Mutation]:
    """Those of ``mutants.toml``."""
    for mutant in tomllib.loads(Path(__file__).with_name("mutants.toml").read_text(encoding="utf-8"))["mutant"]:
        source = tuple(Replacement(each["file"], each["old"], each["new"]) for each in mutant.get("source", [mutant]))
        has = {name: mutant.get(name, False) for name in ("blinds", "slow")}
        yield Mutation(mutant["does"], frozenset(mutant["breaks"].split()), source, **has)


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
    kind = replace(QUICK, blinds=mutation.blinds)
    machine = MemoryMachine(mutation.line and mutation.line(), kind, program=variant(*mutation.source))
    tried = tuple(rule for rule in rules if mutation.slow or not rule.slow)
    verdicts = suite.run(machine, rules=tried, hands=SimulatedHands(machine), slow=mutation.slow)
    return {verdict.rule.name: verdict.reason for verdict in verdicts if verdict.outcome is RuleOutcome.FAILED}
