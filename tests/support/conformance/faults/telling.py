"""Machines that tell events, statuses and silence wrongly."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from firmware_bridge.frames import Frame
from firmware_bridge.messages import (
    Beat,
    Clear,
    Config,
    DeviceEvent,
    DoneReport,
    EventAck,
    FaultCode,
    Feed,
    Flags,
    Heartbeat,
    Hold,
    Message,
    Sense,
    StatusCounters,
    StatusPlaces,
    StatusState,
    TileAtGate,
)
from tests.support.conformance.line import Line


class ChangesWhatItTold(Line):
    """A tile's width changes when it is told again."""

    def __init__(self) -> None:
        super().__init__()
        self._told: set[int] = set()

    def say(self, message: Message, command: Message | None) -> Message | None:
        if not isinstance(message, TileAtGate):
            return message
        again = message.number in self._told
        self._told.add(message.number)
        return replace(message, width=message.width + 1) if again else message


class TakesEveryEventAsAcknowledged(Line):
    highest_event = 0

    def hear(self, message: Message | None, frame: Frame) -> Iterable[Frame]:
        return (replace(frame, payload=self.highest_event.to_bytes(4, "little")),) if isinstance(message, EventAck) else (frame,)

    def say(self, message: Message, command: Message | None) -> Message | None:
        if isinstance(message, DeviceEvent):
            self.highest_event = max(self.highest_event, message.number)
        return message


class ManyAtOnce(Line):
    events_at_once = 32


class Overwrites(Line):
    """Drops the oldest event as soon as 32 are kept."""

    acknowledged = 0
    highest_event = 0

    def hear(self, message: Message | None, frame: Frame) -> Iterable[Frame]:
        if isinstance(message, EventAck):
            self.acknowledged = max(self.acknowledged, message.event)
        return (frame,)

    def say(self, message: Message, command: Message | None) -> Message | None:
        if isinstance(message, DeviceEvent):
            self.highest_event = max(self.highest_event, message.number)
            if self.highest_event - self.acknowledged >= 32:
                self.acknowledged += 1
                self.hide(EventAck(self.acknowledged))
        return message


class DoesNotMindSilence(Line):
    """Goes on as if the host were heard."""

    due_s = 0.0

    def tick(self) -> float:
        now_s = self.machine.now_s()
        if self.beaten_s and now_s >= self.due_s:
            self.due_s = now_s + 0.1
            self.hide(Heartbeat())
        return self.due_s

    def say(self, message: Message, command: Message | None) -> Message | None:
        return None if isinstance(message, Beat) and self.silent_s > 0.05 else message


class Disagrees(Line):
    """SENSE finds something every time."""

    found = False

    def say(self, message: Message, command: Message | None) -> Message | None:
        if isinstance(message, DoneReport) and isinstance(command, Sense | Clear):
            self.found = isinstance(command, Sense)
        if isinstance(message, StatusState) and self.found:
            return replace(message, faults=message.faults | 1 << FaultCode.SENSORS_DISAGREE)
        return message


class FeedsAgain(Line):
    """FEED outlives the session in which it was ordered."""

    feeding = False
    shown = False
    last_beat_s = 0.0
    lost = False

    def hear(self, message: Message | None, frame: Frame) -> Iterable[Frame]:
        match message:
            case Heartbeat():
                self.lost |= self.machine.now_s() - self.last_beat_s > 1.0
                self.last_beat_s = self.machine.now_s()
            case Feed():
                self.feeding, self.shown = True, False
            case Hold():
                self.feeding = self.shown = False
            case Config():
                self.shown, self.lost = self.feeding and self.lost, False
            case _:
                pass
        return (frame,)

    def say(self, message: Message, command: Message | None) -> Message | None:
        return replace(message, flags=message.flags | Flags.FEEDING) if isinstance(message, StatusState) and self.shown else message


class WhileWaiting(Line):
    """Counters are wrong as long as a tile is on its way."""

    def __init__(self, altered: Callable[[StatusCounters], StatusCounters]) -> None:
        super().__init__()
        self._altered = altered
        self._waiting = False

    def say(self, message: Message, command: Message | None) -> Message | None:
        if isinstance(message, StatusState):
            self._waiting = any(message.waiting)
        return self._altered(message) if isinstance(message, StatusCounters) and self._waiting else message


class OneSnapshot(Line):
    def say(self, message: Message, command: Message | None) -> Message | None:
        return replace(message, snapshot=7) if isinstance(message, StatusState | StatusPlaces | StatusCounters) else message
