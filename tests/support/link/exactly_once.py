"""Exactly once over a bad line: how often each operation was carried out, and each event told.

A host link and the firmware are joined by a line that damages bytes, stalls, and loses whole seconds; the
host's program begins anew from time to time, and so does the firmware. The machine behind is one that only
counts: every DUMP is one turn of one floor, after every tenth a tile is taken. No time passes but the simulated.
"""

import math
from collections import deque
from dataclasses import dataclass, replace
from random import Random

from firmware_bridge.board.library import CoreBoard
from firmware_bridge.board.table_record import TableRecord
from firmware_bridge.electrics.wiring import ALL_INPUT_BYTES, PLACES_A_SEAT, SEATS, Input, Output
from firmware_bridge.link.events import Done, LinkUp, OperationRefused, OperationRequest
from firmware_bridge.link.session import FeederLink, KnownBoot, LinkSettings
from firmware_bridge.messages import Command, Container, DeviceEvent, Dump, ResetReason

_RECORD = TableRecord(b"TWSIM001", speed_percent=1000).encode()
_CARRIAGES = (0,) * 8
_MOST_STEPS = 2000
_OPENS_US, _SHUTS_US = 1_000, 16_000
"""When a floor's switch lets go and closes again, after its pulse has begun."""
_TAKEN_EVERY = 10
_TAKEN_US = 20_000
_LOOK_AHEAD_US = 100_000
_TURNS = {
    Output.PURGE: Input.PURGE_SHUT,
    **{Output.TRAY_FLOOR + seat: Input.TRAY_FLOOR_SHUT + seat for seat in range(SEATS)},
    **{Output.MAGAZINE_FLOOR + seat: Input.MAGAZINE_FLOOR_SHUT + seat for seat in range(SEATS)},
}
_PLUGGED = (*range(Input.HOME, Input.HOME + SEATS), *range(Input.AT_PLACE, Input.GRIPPER_UP + SEATS))
_AT_REST = (*_TURNS.values(), Input.LIFT_DOWN, Input.DOOR_IS_SHUT, Input.DRIVER_FAULT, *_PLUGGED)
_FLOORS = {
    output: Dump(container, seat)
    for container, first in ((Container.TRAY, Output.TRAY_FLOOR), (Container.MAGAZINE, Output.MAGAZINE_FLOOR))
    for seat, output in enumerate(range(first, first + SEATS))
}
FLOORS = tuple(_FLOORS.values())


class CountingBoard:
    """One boot of the firmware and the floors behind it; ``dumped`` is what they have done and nobody has accounted for."""

    def __init__(self, boot_id: int, now_s: float, turned: int = 0) -> None:
        """``turned`` is how many floors have turned before this boot."""
        self.dumped: deque[Dump] = deque()
        self.turned = turned
        self.taken = 0
        """Tiles that have been taken out of a magazine."""
        self._began_s, self._now_us = now_s, 0
        self._board = CoreBoard(_RECORD, boot_id, ResetReason.POWER_ON, _CARRIAGES, _MOST_STEPS, kept=bytearray(5))
        self._outputs = frozenset[int]()
        image = bytearray(ALL_INPUT_BYTES)
        for number in _AT_REST:
            image[number // 8] |= 1 << number % 8
        self._board.image(bytes(image))

    def receive(self, received: bytes, now_s: float) -> None:
        self.handle_timer(now_s)
        self._board.receive(received)

    def handle_timer(self, now_s: float) -> None:
        end_us = math.ceil((now_s - self._began_s) * 1_000_000 - 1e-3)
        while self._now_us < end_us:
            self._now_us, changed = self._board.run(end_us)
            if changed:
                self._look()

    def next_timer(self) -> float:
        return self._began_s + self._board.foresee(self._now_us + _LOOK_AHEAD_US) / 1_000_000

    def data_to_send(self) -> bytes:
        return self._board.take()

    def _look(self) -> None:
        """Turn what has got its pulse."""
        image = self._board.outputs()[0]
        self._board.plan(self._now_us, Input.DRIVER_FAULT, not image[Output.MOTOR_POWER // 8] >> Output.MOTOR_POWER % 8 & 1)
        outputs = frozenset(number for number in _TURNS if image[number // 8] >> number % 8 & 1)
        for number in sorted(outputs - self._outputs):
            self._board.plan(self._now_us + _OPENS_US, _TURNS[number], False)
            self._board.plan(self._now_us + _SHUTS_US, _TURNS[number], True)
            if number in _FLOORS:
                self._note(_FLOORS[number])
        self._outputs = outputs

    def _note(self, dump: Dump) -> None:
        self.dumped.append(dump)
        self.turned += 1
        if self.turned % _TAKEN_EVERY:
            return
        self.taken += 1
        place = Input.MAGAZINE + PLACES_A_SEAT * ((dump.seat + 1) % SEATS)  # whose floor does not move
        self._board.plan(self._now_us, place, True)
        self._board.plan(self._now_us + _TAKEN_US, place, False)


class NotOnceError(AssertionError):
    """An operation was lost, or carried out twice; or an event was."""


@dataclass(frozen=True, slots=True)
class Badness:
    """What a line does. Shares are of bytes, or of pieces that are written at once."""

    lost: float = 0.0
    flipped: float = 0.0
    doubled: float = 0.0
    inserted: float = 0.0
    stalled: float = 0.0
    """Pieces that come, with all behind them, a quarter of a second late."""
    cut: float = 0.0
    """Pieces with which the line goes dead for 1.5 s."""
    byte_s: float = 0.0
    """What a byte takes: 86.8 µs at 115,200 baud, nothing on USB."""

    @property
    def bytes_share(self) -> float:
        return self.lost + self.flipped + self.doubled + self.inserted


UART_BYTE_S = 10 / 115_200
"""A start bit, eight bits and a stop bit."""
LINE_DELAY_S = 0.002
WORST = Badness(lost=0.0075, flipped=0.0075, doubled=0.0075, inserted=0.0075, stalled=0.001, cut=0.0001)
"""3 % of all bytes are harmed, in every way, and the line stalls and dies besides."""


@dataclass(slots=True)
class Tally:
    """What came of a run."""

    operations: int = 0
    done: int = 0
    unknown: int = 0
    """Operations in flight when the firmware restarted; each was carried out once or not at all."""
    events: int = 0
    host_restarts: int = 0
    firmware_restarts: int = 0
    links_lost: int = 0
    repeats: int = 0
    frames: int = 0
    damaged: int = 0
    simulated_s: float = 0.0


class BadLine:
    """One direction of the line: pieces in, pieces out, in order, with a delay and with damage."""

    def __init__(self, badness: Badness, random: Random) -> None:
        self._badness = badness
        self._random = random
        self._on_the_way: deque[tuple[float, bytes]] = deque()
        self._free_s = 0.0
        self._dead_until_s = 0.0
        self._harming = badness.bytes_share > 0
        self._sound = self._bytes_until_harm() if self._harming else 0

    @property
    def next_s(self) -> float | None:
        return self._on_the_way[0][0] if self._on_the_way else None

    def put(self, piece: bytes, now_s: float) -> None:
        badness, random = self._badness, self._random
        if badness.cut and random.random() < badness.cut:
            self._dead_until_s = now_s + 1.5
        if now_s < self._dead_until_s:
            return
        if badness.stalled and random.random() < badness.stalled:
            self._free_s = now_s + 0.25
        arrival_s = max(now_s + LINE_DELAY_S, self._free_s) + len(piece) * badness.byte_s
        self._free_s = arrival_s
        self._on_the_way.append((arrival_s, self._damaged(piece) if self._harming else piece))

    def take(self, now_s: float) -> bytes:
        out = b""
        while self._on_the_way and self._on_the_way[0][0] <= now_s:
            out += self._on_the_way.popleft()[1]
        return out

    def _damaged(self, piece: bytes) -> bytes:
        out = bytearray()
        begin = 0
        while self._sound < len(piece) - begin:
            end = begin + self._sound
            out += piece[begin:end] + self._harmed(piece[end])
            begin = end + 1
            self._sound = self._bytes_until_harm()
        self._sound -= len(piece) - begin
        return bytes(out + piece[begin:])

    def _bytes_until_harm(self) -> int:
        """How many sound bytes come before the next one to which something happens: geometrically distributed."""
        return int(math.log(1.0 - self._random.random()) / math.log(1.0 - self._badness.bytes_share))

    def _harmed(self, byte: int) -> bytes:
        badness, random = self._badness, self._random
        shares = (badness.lost, badness.flipped, badness.doubled, badness.inserted)
        match random.choices(("lost", "flipped", "doubled", "inserted"), shares)[0]:
            case "lost":
                return b""
            case "flipped":
                return bytes((byte ^ 1 << random.randrange(8),))
            case "doubled":
                return bytes((byte, byte))
            case _:
                return bytes((byte, random.randrange(256)))


class Trial:
    """Operations one after the other, each submitted when the one before has ended; ``run`` raises NotOnceError at the first fault.

    ``host_restart`` and ``firmware_restart`` are the chances per operation that this end begins anew while the operation is
    on its way.
    """

    def __init__(self, badness: Badness, seed: int, *, host_restart: float = 0.0, firmware_restart: float = 0.0) -> None:
        self._random = Random(seed)
        self._host_restart, self._firmware_restart = host_restart, firmware_restart
        self._now_s = 10.0
        self._firmware = CountingBoard(1, self._now_s)
        self._boot_id = 1
        self._link = FeederLink(LinkSettings(), self._random.getrandbits(32))
        self._link.connect(self._now_s)
        self._down, self._up = BadLine(badness, self._random), BadLine(badness, self._random)
        self._in_flight: int | None = None
        self._number = 0
        self._event = 0
        """The last event's number in this boot."""
        self._tally = Tally()
        """What has come of it, but for the present link."""

    def run(self, operations: int) -> Tally:
        """Go on until there have been so many operations, and say what came of all."""
        while self._tally.done + self._tally.unknown < operations:
            if self._in_flight is None:
                self._submit()
            self._step()
        if not self._tally.firmware_restarts and self._tally.events < self._firmware.taken - 1:
            raise NotOnceError(f"{self._firmware.taken} tiles were taken and {self._tally.events} told")
        return replace(self._with_link(), operations=operations, simulated_s=round(self._now_s - 10.0, 1))

    # ------------------------------------------------------------------------------------------------------

    def _submit(self) -> None:
        self._number += 1
        self._in_flight = self._number
        self._link.submit(OperationRequest(self._number, self._command(self._number)), self._now_s)
        if self._random.random() < self._host_restart:
            self._restart_host()
        if self._random.random() < self._firmware_restart:
            self._restart_firmware()

    @staticmethod
    def _command(number: int) -> Command:
        return FLOORS[(number * 2654435761 >> 7) % len(FLOORS)]

    def _carried_out(self) -> list[Command]:
        """What the machine has done since it was last accounted for."""
        done: list[Command] = list(self._firmware.dumped)
        self._firmware.dumped.clear()
        return done

    def _restart_firmware(self) -> None:
        """Power is cut; what the machine did before is still to be accounted for."""
        self._tally.firmware_restarts += 1
        self._boot_id += 1
        before, self._firmware = self._firmware, CountingBoard(self._boot_id, self._now_s, self._firmware.turned)
        self._firmware.dumped.extend(before.dumped)
        self._event = 0

    def _restart_host(self) -> None:
        """The host's program begins anew and knows from its journal what is in flight and which event was last."""
        self._tally = self._with_link()
        self._tally.host_restarts += 1
        self._link = FeederLink(LinkSettings(), self._random.getrandbits(32), KnownBoot(self._boot_id, self._event))
        self._link.connect(self._now_s)
        if self._in_flight is not None:
            self._link.submit(OperationRequest(self._in_flight, self._command(self._in_flight)), self._now_s)

    def _with_link(self) -> Tally:
        """The tally with what came of the present link."""
        tally, link = replace(self._tally), self._link.statistics()
        tally.links_lost += link.times_lost
        tally.repeats += link.repeats
        tally.frames += link.frames_sent + link.line.frames
        tally.damaged += link.line.errors
        return tally

    def _step(self) -> None:
        """Go to the next moment at which anything is due."""
        self._send()
        link_s, firmware_s = self._link.next_timer(), self._firmware.next_timer()
        due = (link_s, firmware_s, self._down.next_s, self._up.next_s)
        now_s = self._now_s = max(self._now_s, min(time_s for time_s in due if time_s is not None))
        down, up = self._down.take(now_s), self._up.take(now_s)
        if down:
            self._firmware.receive(down, now_s)
        elif now_s >= firmware_s:
            self._firmware.handle_timer(now_s)
        if up:
            self._link.receive(up, now_s)
        if link_s is not None and now_s >= link_s:
            self._link.handle_timer(now_s)
        self._take_events()
        self._send()

    def _send(self) -> None:
        for line, sent in ((self._down, self._link.data_to_send()), (self._up, self._firmware.data_to_send())):
            if sent:
                line.put(sent, self._now_s)

    def _take_events(self) -> None:
        while (event := self._link.next_event()) is not None:
            match event:
                case Done(operation=operation):
                    self._account(operation)
                case OperationRefused(operation, code):
                    raise NotOnceError(f"operation {operation} was refused: {code.name}")
                case LinkUp(_, False, _, _, unknown):
                    self._forget(unknown)
                case _ if isinstance(event, DeviceEvent):
                    self._take(event)
                case _:
                    pass

    def _account(self, operation: int) -> None:
        """An operation has ended: it must have been carried out once, and nothing else."""
        if operation != self._in_flight:
            raise NotOnceError(f"operation {operation} ended while {self._in_flight} was on its way")
        done, wanted = self._carried_out(), self._command(operation)
        if done != [wanted]:
            raise NotOnceError(f"operation {operation} should have been {wanted} once; carried out were {done}")
        self._tally.done += 1
        self._in_flight = None

    def _forget(self, unknown: tuple[int, ...]) -> None:
        """The firmware has begun anew: what was in flight was carried out once or not at all."""
        if self._in_flight is None or self._tally.firmware_restarts == 0:
            return
        done = self._carried_out()
        if done not in ([], [self._command(self._in_flight)]):
            raise NotOnceError(f"operation {self._in_flight} was in flight when the firmware restarted; carried out were {done}")
        self._tally.unknown += 1
        self._in_flight = None

    def _take(self, event: DeviceEvent) -> None:
        if event.number != self._event + 1:
            raise NotOnceError(f"event {event.number} came after event {self._event}")
        self._event = event.number
        self._tally.events += 1
        self._link.acknowledge(event.number, self._now_s)
