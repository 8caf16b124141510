"""What the firmware remembers so that a lossy line does no harm: answers given, and events not yet taken over."""

from __future__ import annotations

from collections import OrderedDict, deque
from dataclasses import dataclass, replace

from firmware_bridge.messages import Answer, Command, DeviceEvent, NakCode


@dataclass(frozen=True, slots=True)
class Given:
    """The latest answer to an operation, and the command that it answered."""

    command: Command
    answer: Answer


class AnswerRing:
    """The answers to the last operations: a repeated number is answered from here (rule 1)."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._given: OrderedDict[int, Given] = OrderedDict()
        self.highest = 0
        """The highest operation number seen since the boot."""

    def recall(self, operation: int, command: Command) -> Answer | NakCode | None:
        """The stored answer to a repeated operation, why the number cannot be used, or None when it is new."""
        given = self._given.get(operation)
        if given is not None:
            return given.answer if given.command == command else NakCode.MISMATCH
        return NakCode.STALE if operation <= self.highest else None

    def store(self, operation: int, command: Command, answer: Answer) -> None:
        """Keep an answer, or replace ACK by what followed; the oldest one goes when the ring is full."""
        self._given[operation] = Given(command, answer)
        self.highest = max(self.highest, operation)
        if len(self._given) > self._size:
            self._given.popitem(last=False)


class EventLog:
    """Numbered events, kept until the host has acknowledged them; what finds no room waits, nothing is overwritten."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._kept: deque[DeviceEvent] = deque()
        self._waiting: deque[DeviceEvent] = deque()
        self._last_number = 0
        self._unsent: list[DeviceEvent] = []

    @property
    def kept(self) -> tuple[DeviceEvent, ...]:
        """Numbered events not yet acknowledged, oldest first."""
        return tuple(self._kept)

    @property
    def room(self) -> int:
        """How many more events can be kept; 0 holds motion."""
        return max(self._size - len(self._kept) - len(self._waiting), 0)

    @property
    def oldest(self) -> int:
        """The number of the oldest event kept, or of the next one if none is."""
        return self._kept[0].number if self._kept else self._last_number + 1

    def append(self, event: DeviceEvent) -> None:
        """Number an event and keep it, as soon as there is room."""
        self._waiting.append(event)
        self._admit()

    def acknowledge(self, number: int) -> None:
        """Forget every event up to and including this number."""
        while self._kept and self._kept[0].number <= number:
            self._kept.popleft()
        self._unsent = [event for event in self._unsent if event.number > number]
        self._admit()

    def take_unsent(self) -> list[DeviceEvent]:
        """Events that have been numbered since the last call."""
        unsent, self._unsent = self._unsent, []
        return unsent

    def _admit(self) -> None:
        while self._waiting and len(self._kept) < self._size:
            self._last_number += 1
            event = replace(self._waiting.popleft(), number=self._last_number)
            self._kept.append(event)
            self._unsent.append(event)
