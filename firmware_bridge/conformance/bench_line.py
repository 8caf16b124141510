"""The bench's serial line: sends and receives frames, lets time pass, and keeps every message that arrived.

It sends heartbeats and acknowledges events, unless a rule tests what happens without them. It does not use ``link``: the link
hides lost frames and repeats, and the rules test those.

The two ports of the conformance suite: ``Wire`` for bytes and time, ``Hands`` for what a person does at the machine.

Through them the same rules run on a serial port in wall time with a person, and in memory in simulated time.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from typing import Protocol, TypeVar

from firmware_bridge.frames import TRACE, VERSION, Decoder, Frame, LineCounts, encode_frame, wire_time_us
from firmware_bridge.messages import (
    Capabilities,
    DeviceEvent,
    EventAck,
    Heartbeat,
    HelloAck,
    Message,
    MessageError,
    decode_message,
    encode_message,
    limits,
)
from twinwall.values import frozen


class Wire(Protocol):
    """A line to one machine, opened for the suite alone."""

    def write(self, sent: bytes) -> None:
        """Send bytes; raises OSError when the line has gone."""

    def read(self, wait_s: float) -> bytes:
        """Bytes that have come, after waiting ``wait_s`` seconds at most for the first; empty when none came."""

    def now_s(self) -> float:
        """The clock by which ``wait_s`` is counted."""


class HandsAct(Enum):
    """All that the suite may ask of a person at the machine, as he is asked, some at one ``seat``. Behind an act for
    ``Bench.held`` stands what undoes it."""

    PRESS_ESTOP = "Press the emergency stop."
    RELEASE_ESTOP = "Release the emergency stop."
    OPEN_LID = "Open the drum's lid."
    CLOSE_LID = "Close the drum's lid."
    TAKE_HAND = "Take all tiles from the hand places of {seat}, and keep them."
    LIFT_DRAW = "Lift the tile at the draw gate of {seat}; if it is locked, pull at it and let go."
    LIFT_REAR = "Lift the tile at the rear gate of {seat}."
    PUT_BACK_DRAW = "Put the tile that you lifted last back into the draw gate of {seat}."
    DROP_INTO_WELL = "Drop all tiles that you hold into the well, one after the other."
    HOLD_GATE_TILE = "Hold the tile in the gate with a wooden stick, so that it cannot leave; no finger."
    TAKE_GATE_TILE = "Take stick and tile out of the gate, and put the tile into the drum; shut the lid again."
    BLOCK_DRUM = "Open the lid, lay a cloth between drum and gate so that no tile comes out, and shut the lid."
    FREE_DRUM = "Open the lid, take the cloth out, and shut the lid."
    PULL_END_SWITCH = "Pull the plug of the end switch of the shuttle of {seat} (HOME)."
    PLUG_END_SWITCH = "Put the plug of that end switch back."
    PULL_PLACE_FLAG = "Pull the plug of the place flag of the shuttle of {seat} (AT_PLACE)."
    PLUG_PLACE_FLAG = "Put the plug of that place flag back."
    PULL_GRIPPER = "Pull the plug of the switch that sees the gripper of {seat} up (GRIPPER_UP)."
    PLUG_GRIPPER = "Put the plug of that gripper's switch back."
    BRIDGE_GRIPPER = "Pull that plug at {seat}, and bridge the wires to the board, so that the gripper always reads as up."
    FREE_GRIPPER = "Take the bridge out, and put that plug back."
    PULL_DRIVER_LINE = "Pull the plug of the line of the drivers' faults (DRIVER_FAULT)."
    PLUG_DRIVER_LINE = "Put the plug of that line back."
    PULL_DRUM_MONITOR = "Pull the plug of the drum's monitor (DRUM_TURNS)."
    PLUG_DRUM_MONITOR = "Put the plug of that monitor back."
    BRIDGE_DRUM_MONITOR = "Pull that plug, and bridge the wires to the board, so that the drum always reads as turning."
    FREE_DRUM_MONITOR = "Take that bridge out, and put the plug back."
    PULL_LIFT_SWITCH = "Pull the plug of the switch that sees the lift down (LIFT_DOWN)."
    PLUG_LIFT_SWITCH = "Put the plug of the lift's switch back."
    BRIDGE_LIFT_SWITCH = "Pull that plug, and bridge the wires to the board, so that the lift always reads as down."
    FREE_LIFT_SWITCH = "Take the bridge of the lift out, and put its plug back."
    PULL_HAND_SWITCH = "Pull the plug of the switch of the first hand place of seat 0 (MAGAZINE_0_0)."
    PLUG_HAND_SWITCH = "Put the plug of that hand place's switch back."
    DRAW_BOLT = "Draw the bolt of the draw gate of {seat} with a finger, or move its shutter, so that it stands open, and hold it."
    LET_BOLT_GO = "Let that bolt or shutter go."
    PULL_DOOR_SWITCH = "Pull the plug of the switch that sees the well shut (DOOR_IS_SHUT)."
    PLUG_DOOR_SWITCH = "Put the plug of that switch back."
    RESTART = "Press the reset button of the feeder's controller, or cut its power and bring it back."


class Hands(Protocol):
    """The person at the machine. The line is kept alive during an action."""

    def begin(self, act: HandsAct, seat: int) -> None:
        """Begin to do it; returns at once."""

    def finished(self) -> bool:
        """Whether what was begun last is done."""


ANSWER_S = 0.5
"""An answer that has not come after this long will not come: the host asks five times in it."""
_HEARTBEAT_S = limits.HEARTBEAT_MS / 1000

Wanted = TypeVar("Wanted", bound=Message)


class Broken(Exception):  # noqa: N818 - it is a finding, not an error of this program
    """The machine has broken the rule; the message says what it did."""


class NotTriedError(Exception):
    """The rule cannot be tried here; the message says why."""


@frozen
class Heard:
    """A frame from the machine, what it says (None when it cannot be read), and when it came."""

    at_s: float
    frame: Frame
    message: Message | None


class BenchLine:
    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._decoder = Decoder()
        self._seq = 0
        self._heartbeat_at_s = 0.0
        self._beating = True
        self._acknowledging = True
        self._acknowledged = 0
        self.heard: list[Heard] = []
        """Everything since the last ``forget``."""
        self.last_operation = 0
        """The highest number that was sent, or that the machine says it has seen."""
        self.highest_event = 0
        """The highest event number heard since the machine's boot: what is below is repeated."""
        self.capabilities = Capabilities()
        self.boot_id = 0

    # Time and bytes -----------------------------------------------------------------------------------

    @property
    def now_s(self) -> float:
        return self._wire.now_s()

    @property
    def counts(self) -> LineCounts:
        return self._decoder.counts

    def forget(self) -> None:
        self.heard.clear()

    def send_bytes(self, sent: bytes) -> None:
        self._wire.write(sent)

    def send(self, message: Message, operation: int = 0) -> None:
        self._wire.write(self.frame_of(message, operation))

    def frame_of(self, message: Message, operation: int = 0) -> bytes:
        """A message as it goes over the wire, under the next sequence number."""
        type_, payload = encode_message(message)
        return self.wire_bytes(type_, payload, operation)

    def wire_bytes(self, type_: int, payload: bytes = b"", operation: int = 0, version: int = VERSION) -> bytes:
        """Any frame, also one that no message has."""
        frame = Frame(type_, self._seq, operation, wire_time_us(self.now_s), payload, version)
        self._seq = (self._seq + 1) % (1 << 16)
        TRACE.debug("-> %r", frame)
        return encode_frame(frame)

    def pass_time(self, seconds: float) -> None:
        end_s = self.now_s + seconds
        while self._step(end_s):
            pass

    def until(self, reached: Callable[[], bool], within_s: float) -> bool:
        """Let time pass until something holds; False when it does not within ``within_s``."""
        end_s = self.now_s + within_s
        while not reached():
            if not self._step(end_s):
                return reached()
        return True

    @contextmanager
    def silent(self) -> Iterator[None]:
        """Send no heartbeats meanwhile; the last one goes out as this begins."""
        self._beat()
        self._beating = False
        try:
            yield
        finally:
            self._beating = True
            self._heartbeat_at_s = self.now_s

    @contextmanager
    def not_acknowledging(self) -> Iterator[None]:
        """Take no event over meanwhile."""
        self._acknowledging = False
        try:
            yield
        finally:
            self.acknowledge_all()

    def acknowledge_all(self) -> None:
        """Take over every event heard, and those to come."""
        self._acknowledging = True
        if self._acknowledged:
            self.send(EventAck(self._acknowledged))

    # Hearing --------------------------------------------------------------------------------------------

    def wait(
        self, kind: type[Wanted], within_s: float = ANSWER_S, *, since: int = 0, when: Callable[[Wanted], bool] | None = None
    ) -> Wanted:
        """The first message of a kind among what was heard since a mark; raises Broken when none comes in time."""

        def found() -> Wanted | None:
            messages = (heard.message for heard in self.heard[since:])
            return next((each for each in messages if isinstance(each, kind) and (when is None or when(each))), None)

        self.until(lambda: found() is not None, within_s)
        message = found()
        if message is None:
            raise Broken(f"no {kind.__name__} came within {within_s:g} s")
        return message

    def mark(self) -> int:
        """Where ``heard`` stands now, for ``since``."""
        return len(self.heard)

    def messages(self, kind: type[Wanted], since: int = 0) -> list[Wanted]:
        return [heard.message for heard in self.heard[since:] if isinstance(heard.message, kind)]

    # --------------------------------------------------------------------------------------------------

    def _step(self, end_s: float) -> bool:
        """Listen once; False when ``end_s`` has come."""
        now_s = self.now_s
        if self._beating and now_s >= self._heartbeat_at_s:
            self._beat()
        if now_s >= end_s:
            return False
        due_s = min(end_s, self._heartbeat_at_s) if self._beating else end_s
        received = self._wire.read(max(due_s - now_s, 0.0))
        for frame in self._decoder.feed(received):
            self._take(frame)
        return True

    def _beat(self) -> None:
        self._heartbeat_at_s = self.now_s + _HEARTBEAT_S
        self.send(Heartbeat())

    def _take(self, frame: Frame) -> None:
        try:
            message = decode_message(frame.type, frame.payload)
        except MessageError:
            message = None
        TRACE.debug("<- %r %r", frame, message)
        self.heard.append(Heard(self.now_s, frame, message))
        if isinstance(message, HelloAck):
            if message.boot_id != self.boot_id:
                self._acknowledged = self.highest_event = self.last_operation = 0
            self.boot_id = message.boot_id
            self._acknowledged = max(self._acknowledged, message.next_event - 1)
        elif isinstance(message, DeviceEvent):
            self._take_event(message)

    def _take_event(self, event: DeviceEvent) -> None:
        self.highest_event = max(self.highest_event, event.number)
        if event.number == self._acknowledged + 1:
            self._acknowledged = event.number
        if self._acknowledging:
            self.send(EventAck(self._acknowledged))
