"""The host's side of TWF: sends HELLO, heartbeat and STATUS again when lost (``_run_timer``). No I/O: bytes and time go in, bytes and
events come out.

It decides when the link is up or lost and which events are new; ``operations`` repeats commands, ``transitions`` holds the phases.
Where bytes come from is left to ``feeder_port``, what to do with the table to the user.
"""

from collections import deque
from collections.abc import Iterable
from math import inf
from typing import assert_never

from firmware_bridge.frames import TRACE, Decoder, Frame
from firmware_bridge.link.events import FeederEvent, LinkDown, LinkUp, NotAFeeder, OperationRequest, StatusParts
from firmware_bridge.link.frame_io import Dropped, FrameWriter, read_frame
from firmware_bridge.link.handshake import Handshake, wrong_version
from firmware_bridge.link.operations import Operations
from firmware_bridge.link.statistics import LinkStatistics, RoundTrips
from firmware_bridge.link.transitions import GREETING, TIMERS, TRANSITIONS, LinkInput, LinkPhase, LinkTimer
from firmware_bridge.messages import (
    Ack,
    Beat,
    Capabilities,
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
    limits,
)
from twinwall.values import frozen


@frozen
class KnownBoot:
    """What the user remembers of the feeder (in its journal): the boot, and the last event taken over."""

    boot_id: int
    last_event: int


@frozen
class LinkSettings:
    """Times of the host's side in seconds of wall time; none of them is scaled in a fast simulation."""

    heartbeat_s: float = limits.HEARTBEAT_MS / 1000
    answer_timeout_s: float = limits.QUESTION_REPEAT_MS / 1000
    """A question without an answer is asked again after this."""
    probe_after_s: float = 0.15
    """An operation that should have ended is asked after this much later."""
    silence_s: float = 1.0
    """Nothing intelligible for this long: the link is lost."""
    expected: Capabilities | None = None
    """What the feeder must have (its gate period may differ); None takes any."""
    uid: bytes | None = None
    """Which feeder it must be; None takes any."""


_SESSION_CLOSED = "the feeder has closed the session, having heard nothing from this side"


class FeederLink:
    """One feeder as its host sees it.

    ``nonce`` begins the row of numbers that tie answers to greetings; draw it at random.
    """

    def __init__(self, settings: LinkSettings, nonce: int, known: KnownBoot | None = None) -> None:
        self._settings = settings
        self._nonce = nonce
        self._boot_id = known.boot_id if known else None
        self._taken_over = known.last_event if known else 0
        """The last event that the user has taken over."""
        self._next_event = self._taken_over + 1
        self.phase = LinkPhase.CLOSED
        self._handshake = Handshake(nonce, settings.expected, settings.uid)
        self._decoder = Decoder()
        self._writer = FrameWriter()
        self._events: deque[FeederEvent] = deque()
        self._operations = Operations(settings.answer_timeout_s, settings.probe_after_s)
        self._parts = StatusParts()
        self._due_s: dict[LinkTimer, float] = {}
        """When which timer is due; a status is wanted as long as its timer is here."""
        self._complained = False
        """The user knows why there is no link; once is enough until something changes."""
        self._wrong_port = False
        self._round_trips = RoundTrips()
        self._times_up = self._times_lost = 0

    @property
    def wrong_port(self) -> bool:
        return self.phase in GREETING and self._wrong_port

    def statistics(self) -> LinkStatistics:
        return LinkStatistics(
            up=self.phase is LinkPhase.UP,
            line=self._decoder.counts,
            frames_sent=self._writer.count,
            repeats=self._operations.repeats,
            times_up=self._times_up,
            times_lost=self._times_lost,
            round_trip_p50_ms=self._round_trips.quantile_ms(0.5),
            round_trip_p99_ms=self._round_trips.quantile_ms(0.99),
        )

    def connect(self, now_s: float, *, another: bool = False) -> None:
        """A port is open: begin to greet. ``another`` port on the search for the same feeder is no new cause for complaint."""
        self._decoder.reset()
        self._complained = self._complained and another
        self._greet(LinkInput.PORT_OPENED, now_s)

    def disconnect(self, reason: str) -> None:
        if self.phase is not LinkPhase.CLOSED or not self._complained:
            self._complain(LinkDown(reason))
        self.leave()

    def leave(self) -> None:
        """The port has been closed to try another one."""
        self._times_lost += self.phase is LinkPhase.UP
        self._advance(LinkInput.PORT_CLOSED)
        self._round_trips.forget()
        self._writer.forget()

    def submit(self, request: OperationRequest, now_s: float) -> None:
        """Send an operation, now or when the link is up; the same number again is safe."""
        self._operations.submit(request)
        self._send_due(now_s)

    def request_status(self, now_s: float) -> None:
        """Ask for a ``FeederStatus``; requests that cross are answered by one."""
        self._due_s.setdefault(LinkTimer.STATUS, now_s)
        self._send_due(now_s)

    def acknowledge(self, number: int, now_s: float) -> None:
        """Every event up to and including this one has been taken over."""
        if number > self._taken_over:
            self._taken_over = number
            if self.phase is LinkPhase.UP:
                self._send(EventAck(number), now_s)

    def receive(self, received: bytes, now_s: float) -> None:
        """Take bytes from the port, in pieces of any size."""
        if self.phase is LinkPhase.CLOSED:
            return
        if self.phase in GREETING:
            self._handshake.hear(received)
        for frame in self._decoder.feed(received):
            self._take_frame(frame, now_s)
        self._send_due(now_s)

    def handle_timer(self, now_s: float) -> None:
        self._run_timers((LinkTimer.SILENCE, LinkTimer.QUESTION), now_s)
        self._send_due(now_s)

    def next_timer(self) -> float | None:
        """When ``handle_timer`` wants to be called; None while the port is closed."""
        due_s = [due_s for timer, due_s in self._due_s.items() if timer in TIMERS[self.phase]]
        if self.phase is LinkPhase.UP and (probe_s := self._operations.next_s()) is not None:
            due_s.append(probe_s)
        return min(due_s, default=None)

    def data_to_send(self) -> bytes:
        """Bytes for the port; they are forgotten here."""
        return self._writer.take()

    def next_event(self) -> FeederEvent | None:
        return self._events.popleft() if self._events else None

    # --------------------------------------------------------------------------------------------------

    def _advance(self, cause: LinkInput) -> None:
        before, self.phase = self.phase, TRANSITIONS[self.phase, cause]
        TRACE.debug("link %s -> %s: %s", before, self.phase, cause)

    def _greet(self, cause: LinkInput, now_s: float) -> None:
        self._advance(cause)
        self._wrong_port = False
        self._round_trips.forget()
        self._nonce = (self._nonce + 1) % (1 << 32)
        self._handshake = Handshake(self._nonce, self._settings.expected, self._settings.uid)
        self._due_s[LinkTimer.SILENCE] = now_s + self._settings.silence_s
        self._run_timer(LinkTimer.QUESTION, now_s)

    def _lose(self, cause: LinkInput, reason: str, now_s: float) -> None:
        self._times_lost += 1
        self._complain(LinkDown(reason))
        self._greet(cause, now_s)

    def _complain(self, event: LinkDown | NotAFeeder) -> None:
        self._complained = True
        self._events.append(event)

    def _run_timers(self, timers: Iterable[LinkTimer], now_s: float) -> None:
        """Do what those of the timers ask for that the phase has and that are due."""
        for timer in timers:
            if timer in TIMERS[self.phase] and now_s >= self._due_s.get(timer, inf):
                self._run_timer(timer, now_s)

    def _run_timer(self, timer: LinkTimer, now_s: float) -> None:
        settings = self._settings
        match timer:
            case LinkTimer.SILENCE if self.phase is LinkPhase.UP:
                self._lose(LinkInput.SILENCE, f"nothing heard from the feeder for {settings.silence_s:g} s", now_s)
            case LinkTimer.SILENCE:
                del self._due_s[timer]
                self._wrong_port = True
                if not self._complained:
                    nothing = LinkDown(f"nothing has answered on this port for {settings.silence_s:g} s")
                    self._complain(self._handshake.stranger() or nothing)
            case LinkTimer.QUESTION:
                self._due_s[timer] = now_s + settings.answer_timeout_s
                self._send(self._handshake.question(self.phase), now_s)
            case LinkTimer.HEARTBEAT:
                self._due_s[timer] = now_s + settings.heartbeat_s
                self._send(Heartbeat(), now_s)
                self._round_trips.sent(now_s)
            case LinkTimer.STATUS:
                self._due_s[timer] = now_s + 2 * settings.answer_timeout_s
                self._send(StatusRequest(), now_s)
            case _:
                assert_never(timer)

    def _send_due(self, now_s: float) -> None:
        self._run_timers((LinkTimer.HEARTBEAT, LinkTimer.STATUS), now_s)
        if self.phase is LinkPhase.UP:
            for request in self._operations.due(now_s):
                self._send(request.command, now_s, request.operation)

    def _send(self, message: Message, now_s: float, operation: int = 0) -> None:
        self._writer.write(message, self._handshake.version, now_s, operation)

    def _take_frame(self, frame: Frame, now_s: float) -> None:
        message = read_frame(frame, self._handshake.version)
        match message:
            case Dropped.FOREIGN_VERSION:
                if self.phase in GREETING and not self._complained:
                    self._complain(wrong_version(frame.version))
            case Dropped.ECHO:
                self._handshake.hear_echo()
            case Dropped():
                pass
            case _:
                self._due_s[LinkTimer.SILENCE] = now_s + self._settings.silence_s
                if isinstance(message, Beat):
                    self._round_trips.answered(now_s)
                if self.phase is LinkPhase.UP:
                    self._take_message(frame.operation, message, now_s)
                else:
                    self._take_answer(message, now_s)

    def _take_answer(self, message: Message, now_s: float) -> None:
        """While greeting: take a message as the answer to the present question."""
        match self._handshake.take(self.phase, message):
            case LinkInput.CONFIG_ACCEPTED:
                self._come_up(now_s)
            case LinkInput() as cause:
                self._advance(cause)
                self._run_timer(LinkTimer.QUESTION, now_s)
            case NotAFeeder() as complaint:
                self._wrong_port = True
                if not self._complained:
                    self._complain(complaint)
            case None:
                pass

    def _come_up(self, now_s: float) -> None:
        hello = self._handshake.hello
        assert hello is not None
        self._advance(LinkInput.CONFIG_ACCEPTED)
        self._complained = False
        self._times_up += 1
        self._due_s[LinkTimer.HEARTBEAT] = now_s
        if LinkTimer.STATUS in self._due_s:
            self._due_s[LinkTimer.STATUS] = now_s
        known, same_boot = self._boot_id is not None, hello.boot_id == self._boot_id
        unknown: tuple[int, ...] = ()
        if same_boot:
            self._operations.resume(now_s)
            self._next_event = max(self._next_event, hello.next_event)
            if self._taken_over >= hello.next_event:  # the feeder still keeps events that the user has taken over
                self._send(EventAck(self._taken_over), now_s)
        else:
            unknown = self._operations.forget() if known else ()
            self._next_event, self._taken_over = hello.next_event, hello.next_event - 1
        self._boot_id = hello.boot_id
        self._events.append(LinkUp(hello, same_boot, hello.last_operation, self._handshake.capabilities, unknown))

    def _take_message(self, operation: int, message: Message, now_s: float) -> None:
        match message:
            case Nak(NakCode.NO_SESSION):
                self._lose(LinkInput.SESSION_CLOSED, _SESSION_CLOSED, now_s)
            case Ack() | Nak() | DoneReport():
                answered = self._operations.answered(operation, message, now_s)
                if answered is not None:
                    self._events.append(answered)
            case Beat(boot_id, _, _) if boot_id != self._boot_id:
                self._lose(LinkInput.RESTARTED, "the feeder has restarted", now_s)
            case Beat(_, _, flags) if Flags.SESSION not in flags:
                self._lose(LinkInput.SESSION_CLOSED, _SESSION_CLOSED, now_s)
            case StatusState() | StatusPlaces() | StatusCounters():
                status = self._parts.take(message)
                if status is not None and self._due_s.pop(LinkTimer.STATUS, None) is not None:
                    self._events.append(status)
            case _ if isinstance(message, DeviceEvent):
                self._take_event(message, now_s)
            case _:
                pass

    def _take_event(self, event: DeviceEvent, now_s: float) -> None:
        if event.number == self._next_event:
            self._next_event += 1
            self._events.append(event)
        elif event.number <= self._taken_over:  # the user has it for good, and the feeder does not know that yet
            self._send(EventAck(self._taken_over), now_s)
        else:
            TRACE.debug("event %d passed over: it was reported, or one before it is missing", event.number)
