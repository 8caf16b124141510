"""The whole station: the firmware behind a pseudo-terminal, the manual feeder at its wires, and the screen. Any thread may call: every
change takes one lock and wakes the firmware."""

import secrets
import threading
from collections.abc import Callable
from dataclasses import replace
from enum import Enum
from pathlib import Path
from queue import SimpleQueue

import msgspec

from firmware_bridge.board.table_record import LANE_SIZES
from firmware_bridge.electrics.wired_core import Electrics, WiredCore
from firmware_bridge.electrics.wired_machine import BY_HAND, MachineSizes, capabilities_of, record_of
from firmware_bridge.feeder_connection import FeederConnection
from firmware_bridge.link.events import FeederEvent
from firmware_bridge.link.session import LinkSettings
from firmware_bridge.pty import PtyServer
from tableside.station.camera_worker import Misplaced, WallWatch
from tableside.station.confirmed_places import ConfirmedPlacesFile
from tableside.station.lane_machine import LaneMachine
from tableside.station.manual_feeder import ManualFeeder
from tableside.station.tasks import Do, Task, Unread, spoken_place
from twinwall.values import frozen
from vision.table.building_mat import Position, SeenPositions

UID = b"TWHAND01"
_BAUD = 115_200
_Json = dict[str, object]
_LANES = LinkSettings(expected=capabilities_of(replace(BY_HAND, lanes=True, **LANE_SIZES)))
"""A board with another record would put tiles where no person takes them."""
_TASKS = 1 << 50
"""Task numbers begin below this, so that a browser counts them exactly."""


class Walls(Enum):
    """Whether a camera sees the walls being built. The values are the screen's names."""

    UNWATCHED = "unwatched"
    WATCHED = "watched"
    LOST = "lost"


@frozen
class Screen:
    """The screen's content; equal screens look alike. ``building`` is the back of the set being built."""

    task: Task
    beside: tuple[Task, ...]
    placed: int
    building: int
    in_frame: bool
    may_undo: bool
    blind: bool = False
    """Whether the camera gives no picture."""
    misplaced: Misplaced | None = None
    """A tile in a wrong place."""
    walls: Walls = Walls.UNWATCHED
    why: Unread | None = None
    """What kept the tile in hand from being read, or keeps any tile from being seen, if the picture alone says so."""
    machine: bool = False
    """Whether a machine brings the tiles."""

    def to_json(self, sizes: MachineSizes) -> _Json:
        """The page's form, with places in people's terms."""
        shown: _Json = msgspec.to_builtins(self)
        at = self.misplaced and {"lies": _place_json(self.misplaced.lies, sizes), "belongs": _place_json(self.misplaced.belongs, sizes)}
        tasks = {"task": _task_json(self.task, sizes), "beside": [_task_json(task, sizes) for task in self.beside]}
        return shown | tasks | {"misplaced": at}


def boot_station(person: ManualFeeder, boot_id: int, now_s: float, firmware: type[WiredCore] = WiredCore) -> WiredCore:
    """The feeder's firmware with a person at its wires; ``boot_id`` is random at each start and not 0."""
    record = record_of(person.machine.settings, UID, manual=True)
    return firmware(Electrics(person.machine, boot_id, now_s, in_step=True), record, boot_id, now_s)


class Station:
    """A manual feeder behind a port that a controller opens."""

    def __init__(
        self,
        link: Path,
        memory: ConfirmedPlacesFile,
        backs: tuple[int, int],
        sizes: MachineSizes,
        *,
        settle_s: float = 0.5,
        builders: int = 1,
        machine: Path | None = None,
    ) -> None:
        """``link`` becomes a symbolic link to the port, ``settle_s`` is as in ``WallWatch``. ``builders`` people show tiles in turn, or the
        machine with lanes at ``machine`` brings them. Raises PlacesFileDamagedError."""
        self._sizes, self._memory, self._backs, self._builders = sizes, memory, backs, builders
        self._changed = threading.Condition()
        self._line = None if machine is None else FeederConnection(str(machine), _BAUD, self._hear, settings=_LANES)
        self._heard: SimpleQueue[FeederEvent] = SimpleQueue()
        self._machine = None if self._line is None else LaneMachine(self._line.submit, self._line.request_status)
        memory.load()  # before there is a port
        self._server = PtyServer(self._exchange, link)
        self._begin()
        self._blind = False
        self._trouble: Unread | None = None
        self._watch = WallWatch(settle_s)
        self._walls = Walls.UNWATCHED
        self._screen = self._look()
        self._version = 1
        self._stopped = False

    def _begin(self) -> None:
        first_task = secrets.randbelow(_TASKS) + 1
        order = None if self._machine is None else self._machine.order
        known, keep = self._memory.load().with_spots(self._sizes.bypass_cells), self._memory.keep
        self._person = ManualFeeder(self._sizes, known, self._backs, keep, first_task=first_task, builders=self._builders, order=order)
        self._firmware = boot_station(self._person, secrets.randbelow((1 << 32) - 1) + 1, self._server.now_s())

    def start(self) -> None:
        self._server.start()
        if self._line is not None:
            self._line.start()

    def stop(self) -> None:
        """Close the port, and release waiting pages."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
        self._server.stop()
        if self._line is not None:
            self._line.stop()

    def screen(self, after: int, timeout_s: float) -> tuple[int, Screen]:
        """The screen and its version once it is newer than ``after``, or after the timeout."""
        with self._changed:
            self._changed.wait_for(lambda: self._stopped or self._version > after, timeout_s)
            return self._version, self._screen

    def is_read(self) -> bool:
        """Whether the controller has the tile in the frame and has not said yet where it goes."""
        with self._changed:
            return self._person.task.do is Do.READING

    def look_again(self) -> None:
        """Let every waiting page ask again, although the screen is the same."""
        with self._changed:
            self._version += 1
            self._changed.notify_all()

    def saw(self, occupied: bool, why: Unread | None = None) -> None:
        """A tile has come to rest in the frame (``why``: it cannot be read, if its picture alone says so); or the frame is empty."""
        if self._machine is None:
            self._act(lambda person, now_s: person.shown(now_s, why) if occupied else person.cleared(now_s))

    def troubled(self, why: Unread | None) -> None:
        """What keeps the camera from seeing any tile, or None."""
        with self._changed:
            self._trouble = why
            self._refresh()

    def sees(self, good: bool) -> None:
        with self._changed:
            self._blind = not good
            self._refresh()

    def saw_walls(self, seen: SeenPositions | None) -> None:
        """The view of the camera above the walls; None if it does not see them."""

        def take(person: ManualFeeder, now_s: float) -> None:
            self._walls = Walls.LOST if seen is None else Walls.WATCHED
            if seen is None:
                self._watch.blind()
            else:
                self._watch.look(seen, person.state.memory.trays, person.due, now_s, known=not person.moves_walls)
            if person.state.misplaced != self._watch.misplaced:
                person.watched(self._watch.misplaced, now_s)

        self._act(take)

    def lies_right(self) -> bool:
        """The reported tile is in its right place; False if none is reported."""

        def leave(person: ManualFeeder, now_s: float) -> bool:
            said = self._watch.misplaced is not None
            self._watch.leave_alone()
            person.watched(None, now_s)
            return said

        return self._act(leave)

    def confirm(self, number: int, missing: int) -> bool:
        """As ``ManualFeeder.confirm``, or ``LaneMachine.confirm`` with a machine."""
        confirm = ManualFeeder.confirm if self._machine is None else self._machine.confirm
        return self._act(lambda person, now_s: confirm(person, number, now_s, missing))

    def none_left(self) -> bool:
        """As ``ManualFeeder.none_left``."""
        return self._act(ManualFeeder.none_left)

    def undo(self) -> bool:
        """As ``ManualFeeder.undo``."""
        return self._act(ManualFeeder.undo)

    def _act(self, deed: Callable[[ManualFeeder, float], bool | None]) -> bool:
        with self._changed:
            now_s = self._server.now_s()
            self._firmware.handle_timer(now_s)
            good = deed(self._person, now_s) is not False
            self._refresh()
            self._firmware.handle_timer(self._server.now_s())
            self._refresh()
        self._server.wake()
        return good

    def _hear(self, event: FeederEvent) -> None:
        """An event of the machine's board, on its line's thread, which has heartbeats to send and must not wait for a disk."""
        self._heard.put(event)
        self._server.wake()

    def _exchange(self, received: bytes) -> tuple[bytes, float]:
        with self._changed:
            self._firmware.receive(received, self._server.now_s())
            while self._machine is not None and not self._heard.empty():
                self._machine.take(self._heard.get())
                self._refresh()
            answer, due_s = self._firmware.data_to_send(), self._firmware.next_timer()
            self._refresh()
            return answer, max(due_s - self._server.now_s(), 0.0)

    def _look(self) -> Screen:
        person, state, machine = self._person, self._person.state, self._machine
        task = person.task if machine is None else machine.task(person, self._server.now_s())
        why = person.unreadable or (self._trouble if person.task.do is Do.SHOW else None)
        lies = state.memory.placed, state.building, state.in_frame, person.may_undo
        return Screen(task, person.beside, *lies, self._blind, state.misplaced, self._walls, why, machine is not None)

    def _refresh(self) -> None:
        if self._machine is not None and self._machine.attend(self._person, self._server.now_s()):
            self._memory.keep(replace(self._person.state.memory, in_hand=True))
            self._begin()
        screen = self._look()
        if screen != self._screen:
            self._screen = screen
            self._version += 1
            self._changed.notify_all()


def _place_json(position: Position | None, sizes: MachineSizes) -> _Json | None:
    if position is None:
        return None
    seat, place = position
    spot: _Json = msgspec.to_builtins(spoken_place(place, capabilities_of(sizes)))
    return {"seat": seat} | spot


def _task_json(task: Task, sizes: MachineSizes) -> _Json:
    own: _Json = msgspec.to_builtins(task)
    at = (task.seat, task.place) if task.place >= 0 else None
    return own | (_place_json(at, sizes) or {"row": "", "count": 0})
