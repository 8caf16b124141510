"""What goes on between host and feeder: phases, timers and frames, and what each of them makes the other do.

``transitions`` holds the phases; ``session`` is what the user calls.

Device events have numbers: one is the next that the user has not had, others the user has taken over.
"""

from collections import deque
from collections.abc import Iterable
from enum import Enum, auto
from math import inf
from typing import assert_never

from firmware_bridge.frames import TRACE, Decoder, Frame
from firmware_bridge.link.events import FeederEvent, LinkDown, LinkUp, NotAFeeder
from firmware_bridge.link.frame_io import Dropped, FrameWriter, read_frame
from firmware_bridge.link.handshake import Handshake, wrong_version
from firmware_bridge.link.operations import Operations
from firmware_bridge.link.settings import KnownBoot, LinkSettings
from firmware_bridge.link.statistics import RoundTrips
from firmware_bridge.link.status_parts import StatusParts
from firmware_bridge.link.transitions import GREETING, TIMERS, TRANSITIONS, LinkInput, LinkPhase, LinkTimer
from firmware_bridge.messages import (
    Ack,
    Beat,
    DeviceEvent,
    DoneReport,
    EventAck,
    Flags,
    Heartbeat,
    Message,
    Nak,
    NakCode,
    StatusCounters,
    StatusPlaces,
    StatusRequest,
    StatusState,
)


class EventArrival(Enum):
    """What an event is by its number."""

    NEXT = auto()
    TAKEN_OVER = auto()
    """The user has it for good, and the feeder does not know that yet."""
    OTHER = auto()
    """One that the user has had, or one after a gap: the feeder tells it again."""


class EventNumbers:
    """Counts on from the last event that the user took over."""

    def __init__(self, taken_over: int) -> None:
        self.taken_over = taken_over
        self._next = taken_over + 1

    def arrived(self, number: int) -> EventArrival:
        """An event has come."""
        if number == self._next:
            self._next += 1
            return EventArrival.NEXT
        return EventArrival.TAKEN_OVER if number <= self.taken_over else EventArrival.OTHER

    def take_over(self, number: int) -> bool:
        """The user has taken over every event up to this one; whether that is news."""
        news = number > self.taken_over
        self.taken_over = max(self.taken_over, number)
        return news

    def resume(self, next_of_feeder: int) -> bool:
        """The same boot answers again; whether it still keeps events that the user has taken over."""
        self._next = max(self._next, next_of_feeder)
        return self.taken_over >= next_of_feeder

    def begin(self, next_of_feeder: int) -> None:
        """Another boot answers: its numbers count."""
        self._next, self.taken_over = next_of_feeder, next_of_feeder - 1


_SESSION_CLOSED = "the feeder has closed the session, having heard nothing from this side"


class LinkExchange:
    """One feeder as its host sees it, between the calls of its user."""

    def __init__(self, settings: LinkSettings, nonce: int, known: KnownBoot | None = None) -> None:
        self._settings = settings
        self._nonce = nonce
        self._boot_id = known.boot_id if known else None
        self.numbers = EventNumbers(known.last_event if known else 0)
        self.phase = LinkPhase.CLOSED
        self.handshake = Handshake(nonce, settings.expected, settings.uid)
        self.decoder = Decoder()
        self.writer = FrameWriter()
        self.events: deque[FeederEvent] = deque()
        self.operations = Operations(settings.answer_timeout_s, settings.probe_after_s)
        self._parts = StatusParts()
        self.due_s: dict[LinkTimer, float] = {}
        """When which timer is due; a status is wanted as long as its timer is here."""
        self.complained = False
        """The user knows why there is no link; once is enough until something changes."""
        self.wrong_port = False
        self.round_trips = RoundTrips()
        self.times_up = self.times_lost = 0

    def open(self, now_s: float, *, another: bool) -> None:
        """A port is open: begin to greet, with new cause for complaint unless it is ``another`` one on the same search."""
        self.decoder.reset()
        self.complained = self.complained and another
        self._greet(LinkInput.PORT_OPENED, now_s)

    def close(self) -> None:
        """The port is closed."""
        self.times_lost += self.phase is LinkPhase.UP
        self._advance(LinkInput.PORT_CLOSED)
        self.round_trips.forget()
        self.writer.forget()

    def _advance(self, cause: LinkInput) -> None:
        before, self.phase = self.phase, TRANSITIONS[self.phase, cause]
        TRACE.debug("link %s -> %s: %s", before, self.phase, cause)

    def _greet(self, cause: LinkInput, now_s: float) -> None:
        self._advance(cause)
        self.wrong_port = False
        self.round_trips.forget()
        self._nonce = (self._nonce + 1) % (1 << 32)
        self.handshake = Handshake(self._nonce, self._settings.expected, self._settings.uid)
        self.due_s[LinkTimer.SILENCE] = now_s + self._settings.silence_s
        self._run_timer(LinkTimer.QUESTION, now_s)

    def _lose(self, cause: LinkInput, reason: str, now_s: float) -> None:
        self.times_lost += 1
        self.complain(LinkDown(reason))
        self._greet(cause, now_s)

    def complain(self, event: LinkDown | NotAFeeder) -> None:
        """Tell the user why there is no link."""
        self.complained = True
        self.events.append(event)

    def run_timers(self, timers: Iterable[LinkTimer], now_s: float) -> None:
        """Do what those of the timers ask for that the phase has and that are due."""
        for timer in timers:
            if timer in TIMERS[self.phase] and now_s >= self.due_s.get(timer, inf):
                self._run_timer(timer, now_s)

    def _run_timer(self, timer: LinkTimer, now_s: float) -> None:
        settings = self._settings
        match timer:
            case LinkTimer.SILENCE if self.phase is LinkPhase.UP:
                self._lose(LinkInput.SILENCE, f"nothing heard from the feeder for {settings.silence_s:g} s", now_s)
            case LinkTimer.SILENCE:
                del self.due_s[timer]
                self.wrong_port = True
                if not self.complained:
                    nothing = LinkDown(f"nothing has answered on this port for {settings.silence_s:g} s")
                    self.complain(self.handshake.stranger() or nothing)
            case LinkTimer.QUESTION:
                self.due_s[timer] = now_s + settings.answer_timeout_s
                self.send(self.handshake.question(self.phase), now_s)
            case LinkTimer.HEARTBEAT:
                self.due_s[timer] = now_s + settings.heartbeat_s
                self.send(Heartbeat(), now_s)
                self.round_trips.sent(now_s)
            case LinkTimer.STATUS:
                self.due_s[timer] = now_s + 2 * settings.answer_timeout_s
                self.send(StatusRequest(), now_s)
            case _:
                assert_never(timer)

    def send_due(self, now_s: float) -> None:
        """Send what the phase allows and the time demands."""
        self.run_timers((LinkTimer.HEARTBEAT, LinkTimer.STATUS), now_s)
        if self.phase is LinkPhase.UP:
            for request in self.operations.due(now_s):
                self.send(request.command, now_s, request.operation)

    def send(self, message: Message, now_s: float, operation: int = 0) -> None:
        """Write one message for the port."""
        self.writer.write(message, self.handshake.version, now_s, operation)

    def take_frame(self, frame: Frame, now_s: float) -> None:
        """Take a frame that has arrived."""
        message = read_frame(frame, self.handshake.version)
        match message:
            case Dropped.FOREIGN_VERSION:
                if self.phase in GREETING and not self.complained:
                    self.complain(wrong_version(frame.version))
            case Dropped.ECHO:
                self.handshake.hear_echo()
            case Dropped():
                pass
            case _:
                self.due_s[LinkTimer.SILENCE] = now_s + self._settings.silence_s
                if isinstance(message, Beat):
                    self.round_trips.answered(now_s)
                if self.phase is LinkPhase.UP:
                    self._take_message(frame.operation, message, now_s)
                else:
                    self._take_answer(message, now_s)

    def _take_answer(self, message: Message, now_s: float) -> None:
        """While greeting: take a message as the answer to the present question."""
        match self.handshake.take(self.phase, message):
            case LinkInput.CONFIG_ACCEPTED:
                self._come_up(now_s)
            case LinkInput() as cause:
                self._advance(cause)
                self._run_timer(LinkTimer.QUESTION, now_s)
            case NotAFeeder() as complaint:
                self.wrong_port = True
                if not self.complained:
                    self.complain(complaint)
            case None:
                pass

    def _come_up(self, now_s: float) -> None:
        hello = self.handshake.hello
        assert hello is not None
        self._advance(LinkInput.CONFIG_ACCEPTED)
        self.complained = False
        self.times_up += 1
        self.due_s[LinkTimer.HEARTBEAT] = now_s
        if LinkTimer.STATUS in self.due_s:
            self.due_s[LinkTimer.STATUS] = now_s
        known, same_boot = self._boot_id is not None, hello.boot_id == self._boot_id
        unknown: tuple[int, ...] = ()
        if same_boot:
            self.operations.resume(now_s)
            if self.numbers.resume(hello.next_event):
                self.send(EventAck(self.numbers.taken_over), now_s)
        else:
            unknown = self.operations.forget() if known else ()
            self.numbers.begin(hello.next_event)
        self._boot_id = hello.boot_id
        self.events.append(LinkUp(hello, same_boot, hello.last_operation, self.handshake.capabilities, unknown))

    def _take_message(self, operation: int, message: Message, now_s: float) -> None:
        """While the link is up: take a message."""
        match message:
            case Nak(NakCode.NO_SESSION):
                self._lose(LinkInput.SESSION_CLOSED, _SESSION_CLOSED, now_s)
            case Ack() | Nak() | DoneReport():
                answered = self.operations.answered(operation, message, now_s)
                if answered is not None:
                    self.events.append(answered)
            case Beat(boot_id, _, _) if boot_id != self._boot_id:
                self._lose(LinkInput.RESTARTED, "the feeder has restarted", now_s)
            case Beat(_, _, flags) if Flags.SESSION not in flags:
                self._lose(LinkInput.SESSION_CLOSED, _SESSION_CLOSED, now_s)
            case StatusState() | StatusPlaces() | StatusCounters():
                status = self._parts.take(message)
                if status is not None and self.due_s.pop(LinkTimer.STATUS, None) is not None:
                    self.events.append(status)
            case _ if isinstance(message, DeviceEvent):
                self._take_event(message, now_s)
            case _:
                pass

    def _take_event(self, event: DeviceEvent, now_s: float) -> None:
        match self.numbers.arrived(event.number):
            case EventArrival.NEXT:
                self.events.append(event)
            case EventArrival.TAKEN_OVER:
                self.send(EventAck(self.numbers.taken_over), now_s)
            case EventArrival.OTHER:
                TRACE.debug("event %d passed over: it was reported, or one before it is missing", event.number)
