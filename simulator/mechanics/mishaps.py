"""Random faults of single tiles, and stuck parts.

Each kind of fault draws from random numbers of its own, so that a run with one more fault equals the run without it until that fault.
"""

from collections.abc import Callable
from random import Random

from simulator.mechanics.schedule import Schedule
from simulator.mechanics.settings import FaultPlan

ATTEMPTS = 3
"""Attempts of the firmware (reverse, reverse, jog) after one of which a part comes free that needs no hand."""
ONLY_BY_HAND = 1 << 30
"""Attempts after which a part comes free that needs a hand."""


class Mishaps:
    def __init__(self, plan: FaultPlan, seed: int) -> None:
        self._plan = plan
        kinds = ("read", "jam", "stall", "double", "face down")
        self._rows = {what: Random(f"{what} {seed}") for what in kinds}  # noqa: S311 - a simulated machine must be repeatable

    def unread(self) -> bool:
        """Whether this showing of a tile cannot be read."""
        return self._happens("read", self._plan.unread)

    def doubles(self) -> bool:
        """Whether a second tile slides into the window with this one."""
        return self._happens("double", self._plan.double_feed)

    def face_down(self) -> bool:
        """Whether the magnets fail to turn this tile."""
        return self._happens("face down", self._plan.face_down)

    def jam(self) -> int:
        """How many attempts it takes until the tile that is led away now comes free; 0 if it does not stick."""
        if not self._happens("jam", self._plan.jam):
            return 0
        return ONLY_BY_HAND if self._happens("jam", self._plan.jam_needs_hand) else self._rows["jam"].randint(1, ATTEMPTS)

    def before_leaving(self) -> bool:
        """Whether a tile sticks before it has moved at all, and not halfway."""
        return self._rows["jam"].random() < 0.5

    def stall(self) -> int:
        """How many attempts it takes until the shuttle that sets out now moves on; 0 if it does not stall."""
        return self._rows["stall"].randint(2, ATTEMPTS) if self._happens("stall", self._plan.shuttle) else 0

    def _happens(self, what: str, chance: float) -> bool:
        return chance > 0 and self._rows[what].random() < chance


class Snag:
    """Whether a part is stuck, and what goes on once it comes free."""

    def __init__(self, schedule: Schedule, loosen_s: float) -> None:
        """An attempt to loosen the part lasts ``loosen_s`` of machine time."""
        self._schedule = schedule
        self._loosen_s = loosen_s
        self._attempts_left = 0
        self._go_on: Callable[[], None] = _nothing

    @property
    def stuck(self) -> bool:
        return self._attempts_left > 0

    def begin(self, go_on: Callable[[], None], mishap: Callable[[], int]) -> None:
        """The part is to do something: now, once it comes free, or after it was stuck for as many attempts as ``mishap`` says."""
        if self.stuck:
            self.then(go_on)
        elif attempts := mishap():
            self.catch(attempts, go_on)
        else:
            go_on()

    def catch(self, attempts: int, go_on: Callable[[], None]) -> None:
        """The part gets stuck for a number of attempts; ``go_on`` is what it was about to do."""
        self._attempts_left, self._go_on = attempts, go_on

    def then(self, go_on: Callable[[], None]) -> None:
        """The stuck part was commanded to do something else as well, which follows when it comes free."""
        before = self._go_on

        def both() -> None:
            before()
            go_on()

        self._go_on = both

    def loosen(self) -> None:
        """The part is moved to and fro, which may free it."""
        if self._attempts_left:
            self._schedule.after(self._loosen_s, self._attempted)

    def forget(self, go_on: Callable[[], None]) -> None:
        """Whatever the part was about to do, only ``go_on`` happens when it comes free."""
        self._go_on = go_on

    def free(self) -> None:
        self._attempts_left = 0
        go_on, self._go_on = self._go_on, _nothing
        go_on()

    def _attempted(self) -> None:
        self._attempts_left = max(self._attempts_left - 1, 0)
        if not self._attempts_left:
            self.free()


def _nothing() -> None:
    """A part that is not stuck is about to do nothing."""
