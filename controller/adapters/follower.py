"""Follower: compares the wanted outputs with what the adapters do, and asks the adapters for the difference.

It remembers only what it has asked of the adapters in this process. Nothing of that is kept on disk, because
the adapters permit every request to be repeated after a restart.
"""

import time
from collections.abc import Callable
from dataclasses import field
from functools import partial
from typing import Protocol

from controller.adapters.clock import Clock, SystemClock
from controller.core.outputs import Outputs
from controller.state.messages import GateLook, StatusTimer, Timer, TimerFired, WantedTimer, timer_id
from controller.state.questions import AskedNow
from controller.state.watches import HandToDecode, Watch
from firmware_bridge.link.events import OperationRequest
from twinwall.values import frozen
from twinwall.wire.shapes.panel import Lamps

STATUS_POLL_S = 0.2
STATUS_DUE = TimerFired(StatusTimer())


class FeederPort(Protocol):
    """The serial link, as far as the follower needs it."""

    def submit(self, request: OperationRequest) -> None: ...
    def request_status(self) -> None: ...


def nothing(*_wanted: object) -> None:
    """In place of an adapter that a table does not have."""


@frozen
class Adapters:
    """Everything that the outputs reach; ``clock`` tells play time, ``wall`` safety times. Cameras look at frames begun after a ns."""

    feeder: FeederPort
    lamps: Callable[[Lamps], None]
    gate: Callable[[GateLook, int], None]
    """Reads the cameras of the gates; the answer comes as GateSeen."""
    table: Callable[[Watch | None, int], None]
    """Watches the mat until stopped; the answer comes as SlotsSeen."""
    clock: Clock
    wall: Clock = field(default_factory=SystemClock)
    questions: Callable[[AskedNow], None] = nothing
    """Asks the referee until stopped; the answer comes as AnswerTile, about records as AnswerRecord."""
    decoding: Callable[[HandToDecode | None], None] = nothing
    """Decodes the hand in play until stopped."""


class Follower:
    """Keeps the adapters doing what the outputs say."""

    def __init__(self, adapters: Adapters, post: Callable[[TimerFired], None]) -> None:
        self._to, self._post = adapters, post
        self._submitted: set[int] = set()
        self._timers: dict[Timer, int] = {}
        self._timers_started = 0
        self._lit: Lamps | None = None
        self._looks: tuple[GateLook, ...] = ()
        self._watch: Watch | None = None
        self._asked = AskedNow()
        self._hand: HandToDecode | None = None
        self._status_asked = False

    def carry_out(self, outputs: Outputs) -> None:
        if outputs.lamps != self._lit:
            self._to.lamps(outputs.lamps)
            self._lit = outputs.lamps
        if outputs.decoded != self._hand:  # before a gate opens: a draw belongs to the hand that is followed by then
            self._hand = outputs.decoded
            self._to.decoding(self._hand)
        for pending in outputs.operations:
            if pending.operation not in self._submitted:
                self._to.feeder.submit(OperationRequest(pending.operation, pending.command))
        self._submitted = {pending.operation for pending in outputs.operations}
        for look in outputs.gate_looks:
            if look not in self._looks:
                self._to.gate(look, time.monotonic_ns())
        self._looks = outputs.gate_looks
        if outputs.watch != self._watch:
            self._watch = outputs.watch
            self._to.table(self._watch, time.monotonic_ns())
        if outputs.asked != self._asked:
            self._asked = outputs.asked
            self._to.questions(self._asked)
        self._time(outputs.timers)
        if outputs.status and not self._status_asked:
            self._status_asked = True
            self._to.feeder.request_status()

    def status_came(self) -> None:
        """An account of the sensors has come (or the link that was to bring it is lost): ask again a little later, if still wanted."""
        if self._status_asked:
            self._to.wall.start(timer_id(STATUS_DUE.timer), STATUS_POLL_S, partial(self._post, STATUS_DUE))

    def status_due(self) -> None:
        self._status_asked = False

    def _time(self, timers: tuple[WantedTimer, ...]) -> None:
        """Start what is new; one that is no longer wanted stays silent, also when an equal one runs by then."""
        wanted = {each.timer for each in timers}
        self._timers = {timer: start for timer, start in self._timers.items() if timer in wanted}
        for each in timers:
            if each.timer not in self._timers:
                self._timers_started += 1
                self._timers[each.timer] = self._timers_started
                fire = partial(self._fire_if_wanted, each.timer, self._timers_started)
                (self._to.wall if each.wall else self._to.clock).start(timer_id(each.timer), each.seconds, fire)

    def _fire_if_wanted(self, timer: Timer, start: int) -> None:
        if self._timers.get(timer) == start:
            self._post(TimerFired(timer))
