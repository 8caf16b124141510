"""The feeder's firmware as a state machine: bytes and time come in, bytes and drives go out.

Here are the rules of PROTOCOL.md that concern the line: the session, stored answers, events
until they are acknowledged, and the host's silence. Heartbeats are wall time however fast the
machine runs. What an operation does to the table is left to ``machine``.
"""

from __future__ import annotations

from firmware_bridge.firmware.answers import AnswerRing, EventLog
from firmware_bridge.firmware.jobs import Job
from firmware_bridge.firmware.machine import Machine
from firmware_bridge.firmware.port import Plant
from firmware_bridge.firmware.settings import FirmwareSettings, capabilities_of
from firmware_bridge.firmware.sizes import MachineSizes
from firmware_bridge.frames import VERSION, VERSION_OF_GATES, Decoder, Frame, encode_frame, wire_time_us
from firmware_bridge.messages import (
    COMMAND_TYPES,
    Answer,
    Beat,
    Command,
    Config,
    ConfigAck,
    EventAck,
    FeederState,
    GetCapabilities,
    Heartbeat,
    Hello,
    HelloAck,
    Message,
    MessageError,
    Nak,
    NakCode,
    StatusPlaces,
    StatusRequest,
    StatusState,
    capabilities_digest,
    decode_message,
    encode_message,
    layout_of,
    limits,
)

_HELLO_TYPE = layout_of(Hello(0, VERSION, VERSION)).type


class VirtualFirmware:
    """One boot of the firmware; a reboot is a new object on the same plant."""

    def __init__(self, plant: Plant, machine: MachineSizes, settings: FirmwareSettings, now_s: float) -> None:
        self._settings = settings
        self._capabilities = capabilities_of(machine)
        self._version = VERSION if self._capabilities.gates == 1 else VERSION_OF_GATES
        """A machine with one gate needs no later version of the protocol."""
        self._digest = capabilities_digest(encode_message(self._capabilities, self._version)[1])
        self._hold_after_s = self._capabilities.hold_after_ms / 1000
        self._off_after_s = self._capabilities.motors_off_after_ms / 1000
        self._decoder = Decoder()
        self._out = bytearray()
        self._seq = 0
        self._snapshot = 0
        self._answers = AnswerRing(self._capabilities.answers_kept)
        self._events = EventLog(self._capabilities.events_kept)
        self._repeat_events_at_s: float | None = None
        self._machine = Machine(plant, machine, self._capabilities, self._events, self._finished)
        self._session = False
        self._powered = False
        """The host has been heard lately enough for the motors to run."""
        self._heard_s = now_s
        self._now_s = now_s
        self._machine.boot(now_s)

    # Bytes and time ---------------------------------------------------------------------------------

    def receive(self, received: bytes, now_s: float) -> None:
        """Take bytes from the host, in pieces of any size."""
        self._advance(now_s)
        for frame in self._decoder.feed(received):
            self._take_frame(frame)
        self._settle()

    def handle_timer(self, now_s: float) -> None:
        """Do what is due by now: edges, silence, leases, repeated events."""
        self._advance(now_s)
        self._settle()

    def next_timer(self) -> float | None:
        """When ``handle_timer`` wants to be called, None if nothing will ever be due."""
        due = (self._machine.next_s(), self._silence_at_s(), self._repeat_events_at_s)
        return min((time_s for time_s in due if time_s is not None), default=None)

    def data_to_send(self) -> bytes:
        """Bytes for the host; they are forgotten here."""
        out = bytes(self._out)
        self._out.clear()
        return out

    def _advance(self, now_s: float) -> None:
        self._now_s = max(now_s, self._now_s)
        self._machine.advance(self._now_s)

    def _settle(self) -> None:
        if self._powered and self._now_s >= self._heard_s + self._off_after_s:
            self._powered = self._session = False
            self._machine.motion.feeding = False
            self._machine.disturb()
        self._machine.settle(self._now_s, powered=self._powered, allowed=self._session and not self._holding)
        self._send_events()

    @property
    def _holding(self) -> bool:
        return self._now_s >= self._heard_s + self._hold_after_s

    def _silence_at_s(self) -> float | None:
        if not self._powered:
            return None
        return self._heard_s + (self._off_after_s if self._holding else self._hold_after_s)

    @property
    def state(self) -> FeederState:
        """What the firmware as a whole is doing."""
        if self._machine.stopped:
            return FeederState.STOPPED
        if self._machine.motion.homing:
            return FeederState.HOMING
        if not self._powered:
            return FeederState.OFF
        if not self._session:
            return FeederState.WAITING
        if self._holding or not self._events.room:
            return FeederState.HOLDING
        return FeederState.FEEDING if self._machine.motion.feeding else FeederState.READY

    # Frames -----------------------------------------------------------------------------------------

    def _take_frame(self, frame: Frame) -> None:
        if frame.version != self._version and frame.type != _HELLO_TYPE:
            return
        try:
            message = decode_message(frame.type, frame.payload, self._version)
        except MessageError:
            if frame.type in COMMAND_TYPES:
                code = NakCode.SERVICE_SWITCH if frame.type in limits.SERVICE_TYPES else NakCode.UNKNOWN_COMMAND
                self._send(Nak(code), frame.operation)
            return
        if isinstance(message, Command):
            self._take_operation(frame.operation, message)
        else:
            self._take_session_message(message)

    def _take_session_message(self, message: Message) -> None:
        match message:
            case Hello(nonce):
                self._session = False
                self._send(self._hello_ack(nonce))
            case GetCapabilities():
                self._send(self._capabilities)
            case Config(digest):
                self._take_config(digest)
            case Heartbeat():
                self._heard_s = self._now_s
                self._send(self._beat())
            case StatusRequest():
                self._send_status()
            case EventAck(number):
                self._events.acknowledge(number)
            case _:
                pass

    def _take_config(self, digest: bytes) -> None:
        """Open the session; while the machine is still homing the answer is a beat, and the host asks again."""
        accepted = digest == self._digest
        if accepted and self._machine.motion.homing and not self._machine.stopped:
            self._send(self._beat())
            return
        if accepted:
            self._session = self._powered = True
            self._heard_s = self._now_s
            self._repeat_events_at_s = self._now_s
        self._send(ConfigAck(accepted, self._digest))

    def _beat(self) -> Beat:
        return Beat(self._settings.boot_id, self.state, self._machine.flags(session=self._session))

    def _hello_ack(self, nonce: int) -> HelloAck:
        return HelloAck(
            nonce=nonce,
            protocol_version=self._version,
            uid=self._settings.uid,
            boot_id=self._settings.boot_id,
            reset_reason=self._settings.reset_reason,
            firmware_digest=self._settings.firmware_digest,
            capabilities_digest=self._digest,
            last_operation=self._answers.highest,
            next_event=self._events.oldest,
        )

    def _send_status(self) -> None:
        self._snapshot = (self._snapshot + 1) % (1 << 16)
        machine, motion = self._machine, self._machine.motion
        self._send(
            StatusState(
                snapshot=self._snapshot,
                state=self.state,
                flags=machine.flags(session=self._session),
                faults=sum(1 << fault for fault in machine.faults),
                open_locks=machine.locks.open_mask,
                bypass=motion.places.cells,
                waiting=motion.under_way.waiting(),
                well=machine.well_count,
                last_operation=self._answers.highest,
                boot_id=self._settings.boot_id,
                gates=0 if self._version == VERSION else motion.places.gates_mask,
            )
        )
        self._send(StatusPlaces(self._snapshot, tuple(motion.places.trays), tuple(motion.places.magazines)))
        self._send(machine.counters(self._snapshot))

    def _send_events(self) -> None:
        if not self._session:
            self._repeat_events_at_s = None
            return
        events = self._events.take_unsent()
        if self._repeat_events_at_s is not None and self._now_s >= self._repeat_events_at_s:
            self._repeat_events_at_s = None
            again = self._events.kept[: self._settings.events_at_once]
            events = [*again, *(event for event in events if event not in again)]
        for event in events:
            self._send(event)
        if not self._events.kept:
            self._repeat_events_at_s = None
        elif self._repeat_events_at_s is None:
            self._repeat_events_at_s = self._now_s + self._settings.event_repeat_s

    def _send(self, message: Message, operation: int = 0) -> None:
        type_, payload = encode_message(message, self._version)
        self._out += encode_frame(Frame(type_, self._seq, operation, wire_time_us(self._now_s), payload, self._version))
        self._seq = (self._seq + 1) % (1 << 16)

    # Operations -------------------------------------------------------------------------------------

    def _take_operation(self, operation: int, command: Command) -> None:
        if not self._session:
            self._send(Nak(NakCode.NO_SESSION), operation)
            return
        recalled = self._answers.recall(operation, command)
        if recalled is None:
            self._answer(operation, command, self._machine.perform(Job(operation, command, self._now_s), self._now_s))
        else:
            self._send(Nak(recalled) if isinstance(recalled, NakCode) else recalled, operation)

    def _answer(self, operation: int, command: Command, answer: Answer) -> None:
        self._answers.store(operation, command, answer)
        self._send(answer, operation)

    def _finished(self, job: Job) -> None:
        self._send_events()  # what led to this end goes first
        self._answer(job.operation, job.command, job.report(self._now_s))
