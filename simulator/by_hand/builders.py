"""Simulated people at a station: the person who builds the walls, and the one who touches the real screen when players have drawn.

Each looks at the screen, acts, and touches it. The builder confirms a tile by showing the next one, and touches the screen only if the heap
has none. At a machine with lanes a person takes each tile out of its lane instead.
"""

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from threading import Event
from urllib.parse import urlsplit

import msgspec
from msgspec import MsgspecError

from simulator.by_hand.hand_table import Asked, HandTable, ScreenReading
from simulator.feeder_simulator import FeederSimulator
from simulator.tabletop import PLACES, NotPossibleError, PhysicalTile
from twinwall.web.http_request import ask

_LOOK_S = 0.25
"""Wall time after which people look at the screen even without a change."""
_UNSEEN_S = 1.5
"""Wall time after which a tile that the camera has not noticed is shown again."""
_RETRY_S = 0.2
_TIMEOUT_S = 15.0
_PICK_S = 0.50
"""Play time from the heap into the frame, in seconds."""
_PUT_S = 0.80
"""Play time from the frame to a place, in seconds."""


class StationScreen:
    """The station's page as a browser uses it."""

    def __init__(self, url: str) -> None:
        """Raises ValueError for a text that is no address of a screen."""
        address = urlsplit(url)
        if address.scheme != "http" or not address.hostname or address.port is None:
            raise ValueError(f"a station's screen has an address such as http://127.0.0.1:8105, not {url}")
        self._host = address.netloc

    def now(self, after: int) -> ScreenReading:
        """The screen once it is newer than version ``after``; raises OSError without a server."""
        return msgspec.json.decode(ask(self._host, "GET", f"/now?after={after}", patience_s=_TIMEOUT_S)[1], type=ScreenReading)

    def touch(self, path: str, **fields: int) -> None:
        ask(self._host, "POST", path, fields, patience_s=_TIMEOUT_S)


class People:
    """All simulated people at a station: ``start`` begins, ``stop`` ends."""

    def __init__(self, table: HandTable, screen: StationScreen, speed: float) -> None:
        """Play time passes ``speed`` times as fast as the wall clock."""
        self._table, self._screen, self._speed = table, screen, speed
        self._stopping = threading.Event()
        self._carried: int | None = None
        """The number of the finished task that must be confirmed."""
        self._shown_s = 0.0
        names = {"eyes": self._look, "hands": self._build, "players": self._play}
        self._threads = [threading.Thread(target=self._over_and_over, args=(step,), name=name) for name, step in names.items()]
        self._version = 0

    def start(self) -> None:
        for thread in self._threads:
            thread.daemon = True
            thread.start()

    def stop(self) -> None:
        self._stopping.set()
        self._table.tell()

    def _over_and_over(self, step: Callable[[], None]) -> None:
        while not self._stopping.is_set():
            try:
                step()
            except OSError:
                self._version = 0
                self._stopping.wait(_RETRY_S)

    def _look(self) -> None:
        seen = self._screen.now(self._version)
        if seen.version != self._version:
            self._version = seen.version
            self._table.see(seen)

    # Players -----------------------------------------------------------------------------------------

    def _play(self) -> None:
        table = self._table
        with table.changed:
            table.changed.wait(_LOOK_S)
            seen = table.screen
        for task in seen.beside:
            if task.do == "hands" and not any(table.view().waiting):
                self._screen.touch("/done", number=task.number)
            elif task.do == "draw" and table.was_drawn(task.seat):
                self._screen.touch("/done", number=task.number)
                self._wait_until_gone(task)
                table.said(task.seat)
            elif task.do == "gather" and _is_gathered(table):
                self._screen.touch("/done", number=task.number)

    def _wait_until_gone(self, task: Asked) -> None:
        with self._table.changed:
            self._table.changed.wait_for(lambda: self._stopping.is_set() or task not in self._table.screen.beside, _TIMEOUT_S)

    # The person at the frame -------------------------------------------------------------------------

    def _build(self) -> None:
        table = self._table
        with table.changed:
            table.changed.wait(_LOOK_S)
            task, in_frame, frame = table.screen.task, table.screen.in_frame, table.frame
        empty = frame is None and not in_frame
        unseen = frame is not None and not in_frame and time.monotonic() - self._shown_s > _UNSEEN_S
        if task.number and task.number == self._carried:
            self._confirm(task, empty, unseen)
        elif task.number:
            self._carry_out(task)
        elif task.do == "show" and empty:
            self._show_next()
        elif task.do == "show" and unseen:
            self._show_again()

    def _carry_out(self, task: Asked) -> None:
        table = self._table
        match task.do:
            case "put" | "aside" | "heap" | "reject":
                self._move_tile(task, table.take_from_frame())
            case "from-aside":
                self._move_tile(task, table.spots.pop(task.spot, None))
            case "fetch":
                self._fetch(task)
            case "empty-wall":
                _sweep(table, table.walls[task.seat])
            case "empty-played":
                _sweep(table, table.played[task.seat])
            case "raise":
                table.raise_walls()
            case "recover":
                self._put_back(task)
            case _:
                return
        self._carried = task.number
        table.tell()

    def _move_tile(self, task: Asked, tile: PhysicalTile | None) -> None:
        self._pause(_PUT_S)
        if tile is None:
            return
        table = self._table
        with table.changed:
            match task.do:
                case "put" | "from-aside":
                    table.walls[task.seat][task.place] = tile
                case "aside":
                    table.spots[task.spot] = tile
                case "reject":
                    table.rejected.append(tile)
                case _:
                    table.heap.append(tile)
        table.tell()

    def _confirm(self, task: Asked, empty: bool, unseen: bool) -> None:
        """Confirm a task by the next tile, or by a touch. The frame is ``empty``, or the camera has not seen its tile."""
        if task.do in ("put", "aside", "heap", "reject", "fetch"):
            if unseen:
                self._show_again()
            elif empty and task.do != "fetch" and not self._show_next(ask=False):
                self._screen.touch("/done", number=task.number)
        else:
            self._screen.touch("/done", number=task.number)
            self._pause(_PICK_S)

    def _fetch(self, task: Asked) -> None:
        table = self._table
        if (other := table.take_from_frame()) is not None:
            with table.changed:
                table.heap.append(other)
        with table.changed:
            table.changed.wait_for(lambda: self._stopping.is_set() or not table.screen.in_frame, _TIMEOUT_S)
            wall = table.walls[task.seat]
            tile, wall[task.place] = wall[task.place], None
        self._pause(_PUT_S)
        if tile is not None:
            self._lay(tile)

    def _put_back(self, task: Asked) -> None:
        """Put a tile that was under way at a power cut, if it is where the screen says, back to the heap."""
        table = self._table
        with table.changed:
            if task.place >= 0 and (tile := table.walls[task.seat][task.place]) is not None:
                table.walls[task.seat][task.place] = None
                table.heap.append(tile)
            if (aside := table.spots.pop(task.spot, None)) is not None:
                table.heap.append(aside)

    def _show_next(self, *, ask: bool = True) -> bool:
        """Lay the next tile into the frame; False if the heap is empty."""
        tile = self._table.take_from_heap()
        if tile is None:
            if ask:
                self._screen.touch("/none-left")
                self._stopping.wait(_LOOK_S)
            return False
        self._pause(_PICK_S)
        self._lay(tile)
        return True

    def _show_again(self) -> None:
        tile = self._table.take_from_frame()
        if tile is not None:
            self._pause(_PICK_S)
            self._lay(tile)

    def _lay(self, tile: PhysicalTile) -> None:
        self._table.show(tile)
        self._shown_s = time.monotonic()

    def _pause(self, seconds: float) -> None:
        self._stopping.wait(seconds / self._speed)


def _is_gathered(table: HandTable) -> bool:
    with table.changed:
        return len(table.heap) >= sum(tile is not None for wall in table.walls for tile in wall)


def _sweep(table: HandTable, row: list[PhysicalTile | None]) -> None:
    with table.changed:
        table.heap.extend(tile for tile in row if tile is not None)
        row[:] = [None] * len(row)
    table.tell()


class LaneHands:
    """``walls`` has the tiles by seat and place. The people at the screen handle whole walls."""

    def __init__(self, machine: FeederSimulator, screen: StationScreen) -> None:
        self._machine, self._screen = machine, screen
        self.walls: dict[tuple[int, int], PhysicalTile] = {}
        self.aside: list[PhysicalTile] = []
        """For the well, once it is open."""

    def work(self, stopping: Event, pause_s: float) -> None:
        """Look at the screen repeatedly, with a pause between, until stopped."""
        while not stopping.wait(pause_s):
            # no station yet, or another server; the tile is under way, the well still shut
            with suppress(OSError, MsgspecError, NotPossibleError):
                self._do(self._screen.now(0).task)

    def _do(self, task: Asked) -> None:
        at = task.seat, task.place
        if task.do == "put" or (task.do == "machine-empty-lane" and at[1] >= 0 and at not in self.walls):
            self.walls[at] = self._machine.take_from_lane(task.seat)
        elif task.do == "machine-empty-lane":
            self.aside.append(self._machine.take_from_lane(task.seat))
        elif task.do == "recover":
            with self._machine.lock:
                self.aside += [self.walls.pop(at)] if at in self.walls else []
                for seat in PLACES:
                    with suppress(NotPossibleError):
                        self.aside.append(self._machine.take_from_lane(seat))
                self._machine.drop_into_well(self.aside)
                self.aside.clear()
            self._screen.touch("/done", number=task.number)
