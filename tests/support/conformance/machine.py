"""A machine in memory and in simulated time, as a wire and as a table: the firmware's C core behind a place to tamper."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from firmware_bridge.board.library import LIBRARY
from firmware_bridge.electrics.electrics import Electrics
from firmware_bridge.frames import Decoder, Frame, encode_frame
from simulator.core_firmware import CoreFirmware
from simulator.mechanics import FaultPlan, Mechanics, MechanicsSettings
from simulator.mechanics.hands import MachineHands
from simulator.physical_tiles import tile_set

QUICK = MechanicsSettings(speed=40.0)
_DELAY_S = 0.001


class Tamperer:
    """Sits on the line to a good machine and makes a bad one of it; this one leaves everything as it is."""

    machine: MemoryMachine

    def tick(self) -> float | None:
        """Called as time passes; returns when it wants to be called again."""
        return None

    def to_machine(self, frame: Frame) -> Iterable[Frame]:
        """What the machine gets of a frame from the host."""
        return (frame,)

    def to_host(self, frame: Frame) -> Iterable[Frame]:
        """What the host gets of a frame from the machine."""
        return (frame,)


class MemoryMachine:
    """Wire and table in one; time passes in ``read`` alone."""

    def __init__(
        self,
        tamperer: Tamperer | None = None,
        machine: MechanicsSettings = QUICK,
        tiles: int = 136,
        begun_s: float = 50.0,
        program: Path = LIBRARY,
    ) -> None:
        """``program`` is the firmware's library.

        ``begun_s`` is where both ends' clocks stand to begin with: header times wrap at 4,294.97 s.
        """
        self._now_s = begun_s
        self._program = program
        self.settings = machine
        self.mechanics = Mechanics(machine, FaultPlan(unread=0.0), tile_set(0)[:tiles], 1, self._now_s)
        self.wires = Electrics(self.mechanics, 1, self._now_s, in_step=True)
        self.boot_id = 100
        self.tamperer = tamperer
        self.firmware = self._boot()
        if tamperer is not None:
            tamperer.machine = self
        self._from_host = Decoder()
        self._from_machine = Decoder()
        self._to_host = bytearray()

    # As a wire ------------------------------------------------------------------------------------------

    def now_s(self) -> float:
        return self._now_s

    def write(self, sent: bytes) -> None:
        self._now_s += _DELAY_S
        if self.tamperer is None:
            self.firmware.receive(sent, self._now_s)
            return
        for frame in self._from_host.feed(sent):
            for other in self.tamperer.to_machine(frame):
                self.order(other)

    def read(self, wait_s: float) -> bytes:
        end_s = self._now_s + wait_s
        while not self._collect() and self._now_s < end_s:
            wanted = (self.firmware.next_timer(), self.tamperer.tick() if self.tamperer else None)
            due_s = min((time_s for time_s in wanted if time_s is not None), default=end_s)
            self._now_s = min(max(due_s, self._now_s), end_s)
            self.firmware.handle_timer(self._now_s)
        received = bytes(self._to_host)
        self._to_host.clear()
        return received

    # For tamperers --------------------------------------------------------------------------------------

    def order(self, frame: Frame) -> None:
        """Give the good machine a frame."""
        self.firmware.receive(encode_frame(frame), self._now_s)

    def tell(self, frame: Frame) -> None:
        """Give the host a frame."""
        self._to_host += encode_frame(frame)

    # As a table -----------------------------------------------------------------------------------------

    @contextmanager
    def acting(self) -> Iterator[tuple[MachineHands, float]]:
        yield self.mechanics.hands, self._now_s

    def reboot(self) -> None:
        self.boot_id += 1
        self.firmware = self._boot()

    # ----------------------------------------------------------------------------------------------------

    def _boot(self) -> CoreFirmware:
        return CoreFirmware(
            self.wires, self.mechanics, self.boot_id, self._now_s, clock_us=round(1_000_000 * self._now_s), program=self._program
        )

    def _collect(self) -> bool:
        """Take what the machine has sent; whether anything has come for the host."""
        sent = self.firmware.data_to_send()
        if self.tamperer is None:
            self._to_host += sent
        else:
            for frame in self._from_machine.feed(sent):
                for other in self.tamperer.to_host(frame):
                    self.tell(other)
        return bool(self._to_host)
