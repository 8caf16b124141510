"""The host's side of TWF/1 without any I/O: bytes and time go in, bytes and events come out.

It decides when to send or repeat what, when the link is up or lost, and which events are new.
Where bytes come from is left to ``feeder``, what to do with the table to the user. ::

    CLOSED --connect--> GREETING --handshake established--> UP
                           ^                                |
                           +-- silence, new boot, no session +

``disconnect`` leads to CLOSED from anywhere.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from enum import Enum, auto

from firmware_bridge.frames import VERSIONS, Decoder, Frame, LineCounts, encode_frame, wire_time_us
from firmware_bridge.link.events import FeederEvent, LinkDown, LinkUp, NotAFeeder, OperationRequest
from firmware_bridge.link.handshake import Established, Handshake, HandshakeProgress, wrong_version
from firmware_bridge.link.operations import Operations
from firmware_bridge.link.statistics import LinkStatistics, RoundTrips
from firmware_bridge.link.status_parts import StatusParts
from firmware_bridge.messages import (
    Ack,
    Beat,
    Capabilities,
    DeviceEvent,
    DoneReport,
    EventAck,
    Flags,
    Heartbeat,
    HelloAck,
    Message,
    MessageError,
    Nak,
    NakCode,
    StatusCounters,
    StatusPlaces,
    StatusRequest,
    StatusState,
    decode_message,
    encode_message,
    limits,
)

_FIRST_FIRMWARE_TYPE = 0x80


@dataclass(frozen=True, slots=True)
class KnownBoot:
    """What the user remembers of the feeder (in its journal): the boot, and the last event taken over."""

    boot_id: int
    last_event: int


@dataclass(frozen=True, slots=True)
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


class LinkPhase(Enum):
    """Where the link stands."""

    CLOSED = auto()
    GREETING = auto()
    UP = auto()


class FeederLink:
    """One feeder as its host sees it.

    ``nonce`` begins the row of numbers that tie answers to greetings; draw it at random.
    """

    def __init__(self, settings: LinkSettings, nonce: int, known: KnownBoot | None = None) -> None:
        self._settings = settings
        self._nonce = nonce
        self._boot_id = known.boot_id if known else None
        self._next_event = known.last_event + 1 if known else 1
        self._acknowledged = known.last_event if known else 0
        self._phase = LinkPhase.CLOSED
        self._handshake = Handshake(nonce, settings.expected, settings.uid)
        self._decoder = Decoder()
        self._out = bytearray()
        self._events: deque[FeederEvent] = deque()
        self._seq = 0
        self._operations = Operations(settings.answer_timeout_s, settings.probe_after_s)
        self._parts = StatusParts()
        self._status_wanted = False
        self._status_again_at_s = 0.0
        self._ask_again_at_s = 0.0
        self._heartbeat_at_s = 0.0
        self._heard_s = 0.0
        self._complained = False
        """The user has been told why there is no link; once is enough until something changes."""
        self._wrong_port = False
        self._round_trips = RoundTrips()
        self._frames_sent = self._times_up = self._times_lost = 0

    # What the user calls ------------------------------------------------------------------------------

    @property
    def phase(self) -> LinkPhase:
        """Where the link stands."""
        return self._phase

    @property
    def counts(self) -> LineCounts:
        """What the line has been like."""
        return self._decoder.counts

    @property
    def wrong_port(self) -> bool:
        """Whether whoever is at this port is not the feeder that is wanted, or nobody is."""
        return self._phase is LinkPhase.GREETING and self._wrong_port

    def statistics(self) -> LinkStatistics:
        """What the link has been through."""
        return LinkStatistics(
            up=self._phase is LinkPhase.UP,
            line=self._decoder.counts,
            frames_sent=self._frames_sent,
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
        self._greet(now_s)

    def disconnect(self, reason: str) -> None:
        """The port has gone, or could not be opened."""
        if self._phase is not LinkPhase.CLOSED or not self._complained:
            self._complain(LinkDown(reason))
        self.leave()

    def leave(self) -> None:
        """The port has been closed to try another one."""
        if self._phase is LinkPhase.UP:
            self._times_lost += 1
        self._phase = LinkPhase.CLOSED
        self._round_trips.forget()
        self._out.clear()

    def submit(self, request: OperationRequest, now_s: float) -> None:
        """Send an operation, now or when the link is up; the same number again is safe."""
        self._operations.submit(request)
        self._pump(now_s)

    def request_status(self, now_s: float) -> None:
        """Ask for a ``Status``; requests that cross are answered by one."""
        if not self._status_wanted:
            self._status_wanted = True
            self._status_again_at_s = now_s
        self._pump(now_s)

    def acknowledge(self, number: int, now_s: float) -> None:
        """Every event up to and including this one has been taken over."""
        if number > self._acknowledged:
            self._acknowledged = number
            if self._phase is LinkPhase.UP:
                self._send(EventAck(number), now_s)

    def receive(self, received: bytes, now_s: float) -> None:
        """Take bytes from the port, in pieces of any size."""
        if self._phase is LinkPhase.CLOSED:
            return
        if self._phase is LinkPhase.GREETING:
            self._handshake.hear(received)
        for frame in self._decoder.feed(received):
            self._take_frame(frame, now_s)
        self._pump(now_s)

    def handle_timer(self, now_s: float) -> None:
        """Do what is due by now."""
        silent = now_s >= self._heard_s + self._settings.silence_s
        match self._phase:
            case LinkPhase.UP if silent:
                self._lose(f"nothing heard from the feeder for {self._settings.silence_s:g} s", now_s)
            case LinkPhase.GREETING:
                if silent and not self._complained:
                    nothing = LinkDown(f"nothing has answered on this port for {self._settings.silence_s:g} s")
                    self._complain(self._handshake.stranger() or nothing)
                self._wrong_port |= silent
                if now_s >= self._ask_again_at_s:
                    self._ask(now_s)
            case _:
                pass
        self._pump(now_s)

    def next_timer(self) -> float | None:
        """When ``handle_timer`` wants to be called; None while the port is closed."""
        silent_at_s = self._heard_s + self._settings.silence_s
        match self._phase:
            case LinkPhase.CLOSED:
                return None
            case LinkPhase.GREETING:
                return self._ask_again_at_s if self._complained else min(self._ask_again_at_s, silent_at_s)
            case LinkPhase.UP:
                status_at_s = self._status_again_at_s if self._status_wanted else silent_at_s
                probe_at_s = self._operations.next_s()
                return min(self._heartbeat_at_s, silent_at_s, status_at_s, silent_at_s if probe_at_s is None else probe_at_s)

    def data_to_send(self) -> bytes:
        """Bytes for the port; they are forgotten here. A zero goes first, so that noise since the last ones costs no frame."""
        out = b"\x00" + self._out if self._out else b""
        self._out.clear()
        return out

    def next_event(self) -> FeederEvent | None:
        """The oldest event not yet fetched."""
        return self._events.popleft() if self._events else None

    # Coming up and going down ---------------------------------------------------------------------------

    def _greet(self, now_s: float) -> None:
        self._phase = LinkPhase.GREETING
        self._wrong_port = False
        self._round_trips.forget()
        self._nonce = (self._nonce + 1) % (1 << 32)
        self._handshake = Handshake(self._nonce, self._settings.expected, self._settings.uid)
        self._heard_s = now_s
        self._ask(now_s)

    def _ask(self, now_s: float) -> None:
        self._ask_again_at_s = now_s + self._settings.answer_timeout_s
        self._send(self._handshake.question(), now_s)

    def _lose(self, reason: str, now_s: float) -> None:
        self._times_lost += 1
        self._complain(LinkDown(reason))
        self._greet(now_s)

    def _complain(self, event: LinkDown | NotAFeeder) -> None:
        self._complained = True
        self._events.append(event)

    def _take_handshake(self, message: Message, now_s: float) -> None:
        match self._handshake.take(message):
            case HandshakeProgress.ASK_NEXT:
                self._ask(now_s)
            case Established() as established:
                self._come_up(established, now_s)
            case NotAFeeder() as complaint:
                self._wrong_port = True
                if not self._complained:
                    self._complain(complaint)
            case _:
                pass

    def _come_up(self, established: Established, now_s: float) -> None:
        hello = established.hello
        self._phase = LinkPhase.UP
        self._complained = False
        self._times_up += 1
        self._heartbeat_at_s = self._status_again_at_s = now_s
        same_boot = hello.boot_id == self._boot_id
        unknown: tuple[int, ...] = ()
        if same_boot:
            self._next_event = max(self._next_event, hello.next_event)
            self._operations.resume(now_s)
            if self._acknowledged >= hello.next_event:
                self._send(EventAck(self._acknowledged), now_s)
        else:
            if self._boot_id is not None:
                unknown = self._operations.forget()
            self._next_event = hello.next_event
            self._acknowledged = hello.next_event - 1
        self._boot_id = hello.boot_id
        self._events.append(LinkUp(hello, same_boot, hello.last_operation, established.capabilities, unknown))

    # Frames -------------------------------------------------------------------------------------------

    def _take_frame(self, frame: Frame, now_s: float) -> None:
        if frame.version not in VERSIONS:
            if self._phase is LinkPhase.GREETING and not self._complained:
                self._complain(wrong_version(frame.version))
            return
        if frame.type < _FIRST_FIRMWARE_TYPE:
            self._handshake.hear_echo()
            return
        try:
            message = decode_message(frame.type, frame.payload, frame.version)
        except MessageError:
            return
        if frame.version != self._handshake.version and not isinstance(message, HelloAck):
            return
        self._heard_s = now_s
        if isinstance(message, Beat):
            self._round_trips.answered(now_s)
        if self._phase is LinkPhase.UP:
            self._take_message(frame.operation, message, now_s)
        else:
            self._take_handshake(message, now_s)

    def _take_message(self, operation: int, message: Message, now_s: float) -> None:
        if isinstance(message, DeviceEvent):
            self._take_event(message, now_s)
            return
        match message:
            case Nak(NakCode.NO_SESSION):
                self._lose("the feeder has closed the session, having heard nothing from this side", now_s)
            case Ack() | Nak() | DoneReport():
                event = self._operations.answered(operation, message, now_s)
                if event is not None:
                    self._events.append(event)
            case Beat(boot_id, _, _) if boot_id != self._boot_id:
                self._lose("the feeder has restarted", now_s)
            case Beat(_, _, flags) if Flags.SESSION not in flags:
                self._lose("the feeder has closed the session, having heard nothing from this side", now_s)
            case StatusState() | StatusPlaces() | StatusCounters():
                status = self._parts.take(message)
                if status is not None and self._status_wanted:
                    self._status_wanted = False
                    self._events.append(status)
            case _:
                pass

    def _take_event(self, event: DeviceEvent, now_s: float) -> None:
        if event.number == self._next_event:
            self._next_event += 1
            self._events.append(event)
        elif event.number <= self._acknowledged:
            self._send(EventAck(self._acknowledged), now_s)

    # Sending ------------------------------------------------------------------------------------------

    def _pump(self, now_s: float) -> None:
        """Send what the present state allows and the present time demands."""
        if self._phase is not LinkPhase.UP:
            return
        if now_s >= self._heartbeat_at_s:
            self._heartbeat_at_s = now_s + self._settings.heartbeat_s
            self._send(Heartbeat(), now_s)
            self._round_trips.sent(now_s)
        if self._status_wanted and now_s >= self._status_again_at_s:
            self._status_again_at_s = now_s + 2 * self._settings.answer_timeout_s
            self._send(StatusRequest(), now_s)
        for request in self._operations.due(now_s):
            self._send(request.command, now_s, request.operation)

    def _send(self, message: Message, now_s: float, operation: int = 0) -> None:
        version = self._handshake.version
        type_, payload = encode_message(message, version)
        self._frames_sent += 1
        self._out += encode_frame(Frame(type_, self._seq, operation, wire_time_us(now_s), payload, version))
        self._seq = (self._seq + 1) % (1 << 16)
