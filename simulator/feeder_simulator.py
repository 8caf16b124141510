"""Simulated feeder for one process: the machine, and any firmware that drives it behind a serial port.

Its methods may be called from several threads. What a hand does takes the lock, happens at the firmware's present moment and wakes
the firmware at once, so that a lifted tile is reported when it is lifted.

The feeder's firmware in this process: the C core at the wires of a simulated table, and behind a pseudo-terminal of its own.
"""

import secrets
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from firmware_bridge.board.library import LIBRARY
from firmware_bridge.electrics.wired_core import Electrics, WiredCore
from firmware_bridge.electrics.wired_machine import record_of
from firmware_bridge.messages import ResetReason
from firmware_bridge.pty import PtyServer
from simulator.mechanics import FaultPlan, FeederView, Mechanics, MechanicsSettings, Stuck
from simulator.mechanics.hands import MachineHands
from simulator.scene import WindowTile
from simulator.tabletop import PhysicalTile, tile_set
from twinwall.values import frozen


@frozen
class Workbench:
    """What firmware is given: the machine, which has stood until now, and its lock, where to put a symbolic link to the serial
    port (or None), the seed of whatever is random in its wiring, and whom to call, with no lock held, after every exchange."""

    mechanics: Mechanics
    lock: threading.RLock
    link: Path | None
    seed: int
    exchanged: Callable[[], None]


class Firmware(Protocol):
    """What drives the machine, behind a serial port. It takes the workbench's lock whenever it touches the machine."""

    @property
    def path(self) -> str:
        """Where the port is: the link if there is one, else the port's own path."""

    def now_s(self) -> float:
        """The machine's present moment, in seconds: that of ``time.monotonic``, or behind it by what firmware and machine have lost."""

    def start(self) -> None:
        """Begin to serve the port."""

    def stop(self) -> None:
        """Close the port and end whatever was started."""

    def settle(self, now_s: float) -> None:
        """Take notice of what has happened by now; the lock is held."""

    def wake(self) -> None:
        """Something has happened at the machine: take notice soon."""

    def reboot(self, reason: ResetReason) -> None:
        """Lose power and get it back; the lock is not held."""

    def unplug(self) -> None:
        """Pull the serial cable."""

    def plug(self) -> None:
        """Put it back."""


BootFirmware = Callable[[Workbench], Firmware]


UID = b"TWSIM001"


class CoreFirmware(WiredCore):
    """One boot of the C core for a simulated table."""

    def __init__(
        self,
        wires: Electrics,
        mechanics: Mechanics,
        boot_id: int,
        now_s: float,
        reason: ResetReason = ResetReason.POWER_ON,
        *,
        clock_us: int = 0,
        program: Path = LIBRARY,
    ) -> None:
        super().__init__(wires, record_of(mechanics.settings, UID), boot_id, now_s, reason, clock_us=clock_us, program=program)


class ServedFirmware(PtyServer):
    """Serves the port from a thread; ``stop`` ends it. Board and machine come as far as ``now_s`` whenever somebody asks: they stand still
    where this computer has no time for their line."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__(self._answer, bench.link)
        self._bench = bench
        self._wires = Electrics(bench.mechanics, bench.seed, self.now_s(), in_step=True)
        self._firmware = self._boot(ResetReason.POWER_ON)

    def settle(self, now_s: float) -> None:
        """Take notice of what has happened by now; the lock is held."""
        self._firmware.handle_timer(now_s)

    def reboot(self, reason: ResetReason) -> None:
        """Cut the power and bring it back: a new boot id, and nothing remembered."""
        with self._bench.lock:
            self._firmware.handle_timer(self.now_s())
            self._firmware = self._boot(reason)
        self.wake()

    def _boot(self, reason: ResetReason) -> CoreFirmware:
        boot_id = secrets.randbelow((1 << 32) - 1) + 1
        return CoreFirmware(self._wires, self._bench.mechanics, boot_id, self.now_s(), reason)

    def _answer(self, received: bytes) -> tuple[bytes, float]:
        bench = self._bench
        with bench.lock:
            self._firmware.receive(received, self.now_s())
            answer = self._firmware.data_to_send()
            due_s = self._firmware.next_timer()
        bench.exchanged()
        return answer, max(due_s - self.now_s(), 0.0)


class FeederSimulator:
    """The reference table behind a serial port.

    ``tiles`` lie in the drum to begin with; without them it is one set with back 1 as the fault plan wants it. ``seed`` fixes the order in
    which the drum catches tiles and how they lie in the gate. ``link`` is a symbolic link to the port, for a path that stays the same;
    ``firmware`` is what drives the machine.
    """

    def __init__(
        self,
        settings: MechanicsSettings,
        seed: int,
        faults: FaultPlan | None = None,
        tiles: Iterable[PhysicalTile] | None = None,
        *,
        link: Path | None = None,
        firmware: BootFirmware = ServedFirmware,
    ) -> None:
        plan = faults or FaultPlan()
        if tiles is None:
            tiles = tile_set(1, missing=plan.missing, extra=plan.extra, foreign=plan.foreign)
        lock, mechanics = threading.RLock(), Mechanics(settings, plan, tiles, seed, time.monotonic())
        self._watcher: Callable[[], None] = lambda: None
        self._looks_reported = mechanics.looks
        self._mechanics = mechanics
        self.lock = lock
        """Held by every method; hold it to make several calls at one instant."""
        self._firmware = firmware(Workbench(mechanics, lock, link, seed, self._exchanged))
        self.stops_ended = 0
        """Times that the lid was shut or the emergency stop released, after which the feeder waits for a person's CONFIRM."""

    def watch(self, watcher: Callable[[], None]) -> None:
        """Call ``watcher`` from the port's thread, with no lock held, whenever the machine has moved what people see."""
        self._watcher = watcher

    def start(self) -> str:
        self._firmware.start()
        return self._firmware.path

    def stop(self) -> None:
        self._firmware.stop()

    @property
    def path(self) -> str:
        """Where the port is: the link if there is one, else the port's own path."""
        return self._firmware.path

    # What a camera or a person sees -------------------------------------------------------------------

    @property
    def gates(self) -> int:
        return self._mechanics.settings.gates

    def gate_tile(self, gate: int = 0) -> WindowTile | None:
        with self.acting():
            return self._mechanics.gate_tile(gate)

    def view(self) -> FeederView:
        with self.lock:
            return self._mechanics.view()

    def census(self) -> dict[str, tuple[PhysicalTile, ...]]:
        with self.lock:
            return self._mechanics.census()

    # What people do -----------------------------------------------------------------------------------
    def stuck(self) -> tuple[Stuck, ...]:
        with self.lock:
            return self._mechanics.hands.stuck()

    def free(self, stuck: Stuck) -> None:
        with self.acting() as (hands, now_s):
            hands.free(stuck, now_s)

    def empty_reject_cell(self) -> tuple[PhysicalTile, ...]:
        with self.acting() as (hands, now_s):
            return hands.empty_reject_cell(now_s)

    def take_from_lane(self, place: int) -> PhysicalTile:
        with self.acting() as (hands, now_s):
            return hands.take_from_lane(place, now_s)

    def take_hand_tiles(self, place: int, count: int) -> tuple[PhysicalTile, ...]:
        with self.acting() as (hands, now_s):
            return hands.take_hand_tiles(place, count, now_s)

    def lift_draw(self, place: int) -> PhysicalTile | None:
        with self.acting() as (hands, now_s):
            return hands.lift_draw(place, now_s)

    def lift_at_rear(self, place: int) -> PhysicalTile | None:
        with self.acting() as (hands, now_s):
            return hands.lift_at_rear(place, now_s)

    def put_back(self, place: int, tile: PhysicalTile) -> None:
        with self.acting() as (hands, now_s):
            hands.put_back(place, tile, now_s)

    def drop_into_well(self, tiles: Iterable[PhysicalTile]) -> None:
        with self.acting() as (hands, now_s):
            hands.drop_into_well(tiles, now_s)

    def add_to_drum(self, tiles: Iterable[PhysicalTile]) -> None:
        with self.acting() as (hands, now_s):
            hands.add_to_drum(tiles, now_s)

    def set_lid(self, opened: bool) -> None:
        with self.acting() as (hands, now_s):
            hands.set_lid(opened, now_s)
            self.stops_ended += not opened

    def set_estop(self, on: bool) -> None:
        with self.acting() as (hands, now_s):
            hands.set_estop(on, now_s)
            self.stops_ended += not on

    # What accidents do ----------------------------------------------------------------------------------

    def reboot(self, reason: ResetReason = ResetReason.BROWN_OUT) -> None:
        """Cut the firmware's power and bring it back: a new boot id, and nothing remembered."""
        self._firmware.reboot(reason)

    def unplug(self) -> None:
        """Pull the cable; the machine goes on until it misses the heartbeat."""
        self._firmware.unplug()

    def plug(self) -> str:
        """Put the cable back; return the port's path, which may be a new one."""
        self._firmware.plug()
        return self._firmware.path

    def _exchanged(self) -> None:
        with self.lock:
            looks, self._looks_reported = self._looks_reported, self._mechanics.looks
        if looks != self._looks_reported:
            self._watcher()

    @contextmanager
    def acting(self) -> Iterator[tuple[MachineHands, float]]:
        """The hands at the machine and its present moment, at which they act."""
        with self.lock:
            now_s = self._firmware.now_s()
            self._firmware.settle(now_s)
            yield self._mechanics.hands, now_s
        self._firmware.wake()
