"""Two people who build a wall at one frame by turns: each picks a tile, shows it, and puts it while the other shows the next.

They look at a screen, or hear places in headphones. Who hears takes the tile when its place begins to be said, and puts it once it has
been said; a place is said after the last one.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from simulator.tabletop import PhysicalTile
from tableside.station.tasks import IN_HAND, Do, Task
from tests.support.station.hands import HandBench, Mishaps, Pace, any_heap

_LOOK_S = 0.1


@dataclass(frozen=True, slots=True)
class Spoken:
    """A place heard instead of read: how long its words take, and from its last word to the tile's lying there."""

    say_s: float = 0.90
    last_s: float = 0.20


@dataclass(slots=True)
class OneOfTwo:
    """What one of the two does."""

    busy: bool = False
    tile: PhysicalTile | None = None
    """In hand, to be shown next."""
    shows: bool = False
    """The tile in the frame is his."""


class TwoPeople(HandBench):
    """A table at which two people build; a tile put wrongly by a slip is moved to its place by whoever put it."""

    builders = 2

    spoken: Spoken | None = None
    """None: they look at a screen."""
    _begun = 0
    """The number of the last task that one of them has taken on."""
    _spoken_s = _free_s = 0.0
    """When the last place has been said, and when the hand that takes a tile has left the frame."""

    @cached_property
    def _pair(self) -> tuple[OneOfTwo, OneOfTwo]:
        return OneOfTwo(), OneOfTwo()

    def _look(self) -> None:
        task = self.person.task
        self._note_screen(task)
        if task.number and task.number != self._begun:
            self._take_on(task)
        elif task.number and not self._more_to_show():
            self._touch_done(task)
        elif task.do is Do.SHOW and not self.person.state.in_frame and not self._more_to_show():
            free = next((one for one in self._pair if not one.busy and not one.shows), None)
            self._with(free, self.pace.touch_s, lambda: self.person.none_left(self.now_s))
        for one in self._pair:
            self._go_on(one, task)

    def _more_to_show(self) -> bool:
        return bool(self.heap or self.frame is not None or any(one.busy or one.tile is not None for one in self._pair))

    def _with(self, one: OneOfTwo | None, seconds: float, action: Callable[[], object]) -> None:
        """Have one of the two busy for so long, more or less; nobody does it while both are busy."""
        if one is None:
            return
        one.busy = True

        def act() -> None:
            one.busy = False
            action()

        self._after(self._about(seconds), act)

    def _go_on(self, one: OneOfTwo, task: Task) -> None:
        """Pick the next tile, and lay it into the frame when that is free."""
        if one.busy or one.shows:
            return
        if one.tile is None and self.heap:
            one.tile = self.heap.pop(self._random.randrange(len(self.heap)))
            self._with(one, self.pace.pick_s / 2, lambda: None)
        elif one.tile is not None and self._is_free(task):
            tile, one.tile, one.shows = one.tile, None, True
            self._with(one, max(self._free_s - self.now_s, 0.0) + self.pace.pick_s / 2, lambda: self._lay(tile))

    def _is_free(self, task: Task) -> bool:
        """Whether a tile may be laid into the frame: none lies there, and the one before it was taken on."""
        taken_on = not task.number or (task.do in IN_HAND and task.number == self._begun)
        return taken_on and self.frame is None and not any(each.shows for each in self._pair)

    def _notice_slip(self, task: Task) -> None:
        """The tile is moved to its place at once; what that takes follows in ``_arrive``."""

    def _take_on(self, task: Task) -> None:
        if task.do in IN_HAND:
            one = next((each for each in self._pair if each.shows and not each.busy), None)
            if one is not None:
                self._take_from_frame(one, task)
            return
        if any(one.busy for one in self._pair):
            return
        self._begun = task.number
        if task.do in (Do.FROM_ASIDE, Do.RECOVER):
            self._with(self._pair[0], self.pace.read_s + self.pace.put_s, lambda: self._beside(task))
        elif task.do is Do.FETCH:
            self._pair[0].shows, self._pair[1].shows = True, False
            self._take_frame_back()
            self._with(self._pair[0], self.pace.read_s + self.pace.pick_s, lambda: self._fetch(task))
        else:
            raise AssertionError(f"these two only build, and the screen says {task}")

    def _take_from_frame(self, one: OneOfTwo, task: Task) -> None:
        self._begun, one.shows = task.number, False
        tile, self.frame = self.frame, None
        self._after(self.pace.notice_s, lambda: self.person.cleared(self.now_s) if self.frame is None else None)
        self._free_s = self.now_s + self.pace.read_s
        self._with(one, self._way_s(), lambda: self._arrive(one, task, tile))

    def _beside(self, task: Task) -> None:
        if task.do is Do.RECOVER:
            self._recover(task)
        else:
            self._put(task, self.spots.pop(task.spot))
        self._with(self._pair[0], self.pace.touch_s, lambda: self.person.confirm(task.number, self.now_s))

    def _way_s(self) -> float:
        """From the moment at which a place is told to the tile's lying there."""
        if self.spoken is None:
            return self.pace.read_s + self.pace.put_s
        self._spoken_s = max(self._spoken_s, self.now_s) + self.spoken.say_s
        return max(self.pace.put_s, self._spoken_s - self.now_s + self.spoken.last_s)

    def _arrive(self, one: OneOfTwo, task: Task, tile: PhysicalTile | None) -> None:
        """Put the tile, once the one that goes below it lies there."""
        below = task.place + 1
        needs_below = task.do is Do.PUT and task.place >= 13 and (task.place - 13) % 2 == 0 and below < 34
        if needs_below and below not in self.walls[task.seat]:
            self._with(one, _LOOK_S, lambda: self._arrive(one, task, tile))
            return
        self._put(task, tile)
        if self._slipped:
            self._slipped = False
            self.slips += 1
            self._with(one, self.pace.put_s, lambda: None)

    def _touch_done(self, task: Task) -> None:
        if not any(one.busy for one in self._pair):
            self._with(self._pair[0], self.pace.touch_s, lambda: self.person.confirm(task.number, self.now_s))


def two_people(seed: int, *, mishaps: Mishaps | None = None, spoken: Spoken | None = None) -> TwoPeople:
    """A table at which two people build."""
    setup, deal, tiles = any_heap(seed)
    table = TwoPeople(setup, deal, tiles, seed, pace=Pace(), mishaps=mishaps or Mishaps())
    table.spoken = spoken
    return table
