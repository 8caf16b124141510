"""The world of one table: feeder, tabletop, keys and lamps, and the clock that play goes by.

Everything that hands can do and eyes can see is a method here; each may be called from any
thread. It knows no rules. Play time passes ``speed`` times as fast as the wall clock, and the end
of a claim window waits until all four people have answered it: window k belongs to the k-th tile
laid into a river or on a pung, so an answer can neither be lost nor count for a later window.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from twinwall.art.mat import Area, Slot
from twinwall.simulator.panel.file import Key, PanelFile
from twinwall.simulator.scene import GateScene, GateTile, TableScene
from twinwall.simulator.tabletop import PLACES, Tabletop
from twinwall.simulator.tiles import PhysicalTile
from twinwall.simulator.world.sight import Sight

CLAIM_TIMER = "claim-window"
HAND_PLACES = 13
REFRESH_S = 0.005


class WorldStoppedError(RuntimeError):
    """The world has ended while somebody waited for it."""


class ImpossibleError(ValueError):
    """Hands cannot do this now; the message says why."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a key is held: for so many looks of the controller at least, and at most so long (wall time)."""

    scans: int = 8
    limit_s: float = 3.0


DEFAULT_PATIENCE = Patience()


@dataclass(frozen=True, slots=True)
class Press:
    """What came of a press: whether the key was looked at, whether the call lamp was lit when it was let go, and
    whether the claim window in which it began had gone dark by then."""

    seen: bool
    call: bool
    window_went_out: bool


class Feeder(Protocol):
    """What people can see of the feeder and do at it; every method may be called from any thread."""

    def gate_tile(self) -> GateTile | None: ...
    def hand_tile(self, place: int, index: int) -> PhysicalTile | None: ...
    def draws_left(self, place: int) -> int: ...
    def draw_open(self, place: int) -> bool: ...
    def take_hand_tile(self, place: int, index: int) -> PhysicalTile: ...
    def lift_draw(self, place: int) -> PhysicalTile | None: ...
    def put_back(self, place: int, tile: PhysicalTile) -> None: ...
    def drop_into_well(self, tiles: Iterable[PhysicalTile]) -> None: ...


class World:
    """One table with what lies on it."""

    def __init__(self, feeder: Feeder, panel: PanelFile, *, seed: int, speed: float, patience: Patience = DEFAULT_PATIENCE) -> None:
        """``seed`` says how tiles lie; play time passes ``speed`` times as fast as the wall clock."""
        self._feeder = feeder
        self._panel = panel
        self._speed = speed
        self._patience = patience
        lock = threading.RLock()
        self._changed, self._seen = threading.Condition(lock), threading.Condition(lock)
        self._tabletop = Tabletop(seed)
        self._answered = [0] * len(PLACES)
        self._hands = [threading.Lock() for _ in PLACES]
        self._stopped = False
        self._on_the_lookout = False
        self._version = 0
        self._stamps: list[object] = [None] * len(PLACES)
        self._versions = [0] * len(PLACES)
        self._refreshed_s = float("-inf")
        self._waiting: tuple[int, ...] = (0,) * 4
        self._taken: tuple[list[str], ...] = tuple([] for _ in PLACES)
        self._laid: tuple[list[str], ...] = tuple([] for _ in PLACES)
        self._drawn_at_s: list[float] = []
        self._counts = {"presses": 0, "unseen_presses": 0, "answers": 0, "timers": 0}

    # What eyes see ------------------------------------------------------------------------------

    def gate_scene(self) -> GateScene:
        """What lies in the gate's window."""
        return GateScene(self._feeder.gate_tile())

    def table_scene(self) -> TableScene:
        """What lies face up on the mat."""
        return self._tabletop.scene()

    def sight(self, place: int, after: int, timeout_s: float) -> Sight:
        """What the person at ``place`` sees, as soon as it is newer than version ``after``, or after ``timeout_s`` of wall time."""
        deadline_s = time.monotonic() + timeout_s
        with self._changed:
            while True:
                self._refresh()
                left_s = deadline_s - time.monotonic()
                if self._stopped:
                    raise WorldStoppedError("the world stopped while somebody looked")
                if self._versions[place] > after or left_s <= 0:
                    if not self._on_the_lookout:
                        self._seen.notify_all()  # whoever stops looking leaves the lookout to another
                    return self._seen_from(place)
                self._wait_for_change(left_s)

    def stats(self) -> dict[str, int]:
        """Counts since the start."""
        with self._changed:
            return {**self._counts, "discards": self._tabletop.discards, "version": self._version}

    def truth(self) -> dict[str, object]:
        """What really happened, for checking what was read and how soon it was shown: the faces that each place
        has taken from its wall and laid into its river, and when each draw lifted its tile (Unix time, s)."""
        with self._changed:
            return {
                "taken": [list(faces) for faces in self._taken],
                "laid": [list(faces) for faces in self._laid],
                "drawn_at_s": list(self._drawn_at_s),
            }

    # What hands do ------------------------------------------------------------------------------

    def take_hand(self, place: int, count: int) -> int:
        """Take up to ``count`` of the tiles that wait in one's hand places; returns how many there were."""
        with self._changed:
            indices = [index for index in range(HAND_PLACES) if self._feeder.hand_tile(place, index) is not None][:count]
            for index in indices:
                tile = self._feeder.take_hand_tile(place, index)
                self._taken[place].append(tile.face)
                self._tabletop = self._tabletop.take(place, tile)
            self._moved()
            return len(indices)

    def draw(self, place: int) -> str:
        """Lift the tile behind one's draw gate; raises ImpossibleError when the gate is locked or the wall is empty."""
        with self._changed:
            tile = self._feeder.lift_draw(place)
            if tile is None:
                why = "its wall is empty" if self._feeder.draws_left(place) == 0 else "its gate is locked"
                raise ImpossibleError(f"place {place} cannot draw: {why}")
            self._drawn_at_s.append(time.time())
            self._taken[place].append(tile.face)
            self._tabletop = self._tabletop.draw(place, tile)
            self._moved()
            return tile.face

    def discard(self, place: int, face: str) -> int:
        """Lay a tile into one's river; returns the number of the window that it opens."""
        with self._changed:
            self._tabletop = self._tabletop.discard(place, face)
            self._laid[place].append(face)
            self._moved()
            return self._tabletop.discards

    def add_to_pung(self, place: int, face: str) -> int:
        """Lay the fourth tile on a pung; returns the number of the window that it opens."""
        with self._changed:
            self._tabletop = self._tabletop.add_to_pung(place, face)
            self._moved()
            return self._tabletop.discards

    def lay_face_down(self, place: int, face: str) -> None:
        """Lay a concealed kong of four equal tiles."""
        with self._changed:
            self._tabletop = self._tabletop.lay_face_down(place, face)
            self._moved()

    def lay(self, place: int, face: str, slot: Slot, sideways: bool, beside_mm: tuple[float, float]) -> None:
        """Lay a tile anywhere, as people wrongly do."""
        with self._changed:
            self._tabletop = self._tabletop.lay(place, face, slot, sideways=sideways, beside_mm=beside_mm)
            self._moved()

    def pick_up(self, place: int, slot: Slot) -> None:
        """Take a tile from the mat into one's rack."""
        with self._changed:
            self._tabletop = self._tabletop.pick_up(place, slot)
            self._moved()

    def expose(self, place: int, faces: tuple[str, ...], claimed: tuple[int, int]) -> None:
        """Make a meld of rack tiles and the tile at (place, slot) of a river."""
        with self._changed:
            self._tabletop = self._tabletop.expose(place, faces, Slot(claimed[0], Area.RIVER, claimed[1]))
            self._moved()

    def show_hand(self, place: int, winning: str | None) -> None:
        """Lay the rack open; ``winning`` is the self-drawn tile, None when it lies in a river."""
        with self._changed:
            self._tabletop = self._tabletop.show(place, winning)
            self._moved()

    def push_in(self, place: int) -> int:
        """Push everything of a place into the open well; returns how many tiles."""
        with self._changed:
            swept, tiles = self._tabletop.sweep(place)
            self._feeder.drop_into_well(tiles)
            self._tabletop = swept
            self._moved()
            return len(tiles)

    def press(self, place: int, key: Key) -> Press:
        """Hold a key until the controller has surely seen it, then let go until that has been seen too.

        CHOW, PUNG, KONG and WIN are held until the call lamp of the place is lit (or an open claim
        window goes dark), CONFIRM and REFEREE for ``Patience.scans`` looks.
        """
        panel = self._panel
        with self._hands[place]:
            in_window = panel.lamps().window
            before = panel.scans(place, key)

            def scanned() -> bool:
                return panel.scans(place, key)[1] - before[1] >= self._patience.scans

            def answered() -> bool:
                lamps = panel.lamps()
                return scanned() and (lamps.call[place] or (in_window and not lamps.window))

            panel.press(place, key)
            self._wait(scanned if key in (Key.CONFIRM, Key.REFEREE) else answered)
            lamps, seen = panel.lamps(), scanned()
            panel.release(place, key)
            if seen:
                opened = panel.scans(place, key)[0]
                self._wait(lambda: panel.scans(place, key)[0] - opened >= self._patience.scans)
        with self._changed:
            self._counts["presses"] += 1
            self._counts["unseen_presses"] += not seen
        return Press(seen, lamps.call[place], in_window and not lamps.window)

    def _wait(self, reached: Callable[[], bool]) -> None:
        """Wait for the controller as long as patience lasts; WorldStoppedError when the world ends meanwhile."""
        self._panel.wait(lambda: self._stopped or reached(), self._patience.limit_s)
        if self._stopped:
            raise WorldStoppedError("the world stopped while a key was held")

    def answer(self, place: int, window: int) -> None:
        """Say that one has decided about the ``window``-th tile to claim (claims are pressed before); saying it again changes nothing."""
        with self._changed:
            if window > self._tabletop.discards:
                raise ImpossibleError(f"there has been no discard number {window}")
            self._answered[place] = max(window, self._answered[place])
            self._counts["answers"] += 1
            self._moved()

    # Time ---------------------------------------------------------------------------------------

    def wait_timer(self, timer: str, seconds: float) -> None:
        """Return when ``seconds`` of play time have passed and, for a claim window's timer, all four have answered the last discard.

        Raises WorldStoppedError when the world ends before.
        """
        deadline_s = time.monotonic() + seconds / self._speed
        with self._changed:
            self._counts["timers"] += 1
            window = self._tabletop.discards if timer.startswith(CLAIM_TIMER) else 0
            while (left_s := deadline_s - time.monotonic()) > 0 or min(self._answered) < window:
                if self._stopped:
                    raise WorldStoppedError(f"the world stopped while timer {timer!r} ran")
                self._changed.wait(left_s if left_s > 0 else None)

    def stop(self) -> None:
        """Let everybody who waits go; their requests end with WorldStoppedError."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
            self._seen.notify_all()

    # --------------------------------------------------------------------------------------------

    def _moved(self) -> None:
        self._refreshed_s = float("-inf")
        self._changed.notify_all()
        self._seen.notify_all()

    def _wait_for_change(self, longest_s: float) -> None:
        """Sleep until something may have changed: one of those who wait keeps looking at feeder and lamps, the others are woken."""
        if self._on_the_lookout:
            self._seen.wait(longest_s)
            return
        self._on_the_lookout = True
        self._seen.wait(min(longest_s, REFRESH_S))
        self._on_the_lookout = False

    def _refresh(self) -> None:
        """Give what each person can see a new version when it has changed; looks at feeder and lamps at most every 5 ms."""
        now_s = time.monotonic()
        if now_s - self._refreshed_s < REFRESH_S:
            return
        self._refreshed_s = now_s
        self._waiting = tuple(self._hand_waiting(place) for place in PLACES)
        common = (self._tabletop.version, self._panel.lamps(), tuple(self._feeder.draws_left(place) for place in PLACES))
        before = self._version
        for place in PLACES:
            stamp = (common, self._waiting[place], self._feeder.draw_open(place), self._answered[place])
            if stamp != self._stamps[place]:
                self._stamps[place] = stamp
                self._version = before + 1
                self._versions[place] = self._version
        if self._version != before:
            self._seen.notify_all()

    def _hand_waiting(self, place: int) -> int:
        """Tiles in the hand places; they come all at once and are taken from the front, so the ends tell when there are none."""
        if self._feeder.hand_tile(place, HAND_PLACES - 1) is None and self._feeder.hand_tile(place, 0) is None:
            return 0
        return sum(self._feeder.hand_tile(place, index) is not None for index in range(HAND_PLACES))

    def _seen_from(self, place: int) -> Sight:
        table = self._tabletop
        rack, last = table.racks[place], table.last_discard
        return Sight(
            version=self._versions[place],
            place=place,
            rack=tuple(tile.face for tile in rack.tiles),
            drawn=None if rack.drawn is None else rack.drawn.face,
            hand_waiting=self._waiting[place],
            gate_open=self._feeder.draw_open(place),
            draws_left=tuple(self._feeder.draws_left(other) for other in PLACES),
            rivers=tuple(table.river(other) for other in PLACES),
            melds=tuple(table.melds(other, place) for other in PLACES),
            shown=tuple(table.shown(other) for other in PLACES),
            lamps=self._panel.lamps(),
            discards=table.discards,
            last_discard=None if last is None or last.area is not Area.RIVER else (last.place, last.index),
            added=None if last is None or last.area is not Area.MELD else (last.place, table.face_at(last)),
            answered=self._answered[place] >= table.discards,
        )
