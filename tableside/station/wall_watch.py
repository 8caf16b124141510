"""Decides whether a tile was put where the screen said, from the places that a camera above the walls sees taken and free over time.

One place that should be free and has been taken for ``settle_s`` is a tile put wrongly. Several such places at once are a hand over the
mat, and nothing is said. A place that was taken when it was unknown what belongs there is left alone until it has been seen free.
"""

from collections.abc import Iterable

from tableside.station.confirmed_places import Four
from twinwall.values import frozen
from vision.table.building_mat import Position, SeenPositions


@frozen
class Misplaced:
    """A tile that lies at ``lies`` and belongs to ``belongs``; None where it belongs to no wall, or that is not known."""

    lies: Position
    belongs: Position | None


class WallWatch:
    """Takes frame after frame; ``misplaced`` is what is to be said now."""

    def __init__(self, settle_s: float = 0.5) -> None:
        """A place counts as taken once it has been so for ``settle_s``."""
        self._settle_s = settle_s
        self._left_alone: frozenset[Position] | None = None
        """Taken places of which nothing is said; None before the first frame."""
        self._strange: frozenset[Position] = frozenset()
        self._since_s = 0.0
        self.misplaced: Misplaced | None = None

    def look(self, seen: SeenPositions, confirmed: Four, due: Iterable[Position], now_s: float, *, known: bool) -> Misplaced | None:
        """Take a frame; the answer is ``misplaced``.

        ``confirmed`` are the tiles that lie in the walls as people have said, ``due`` the places that a tile should come to, the
        longest due first. With ``known`` False it is unknown now what belongs there: walls are lifted or emptied.
        """
        belongs = frozenset((seat, place) for seat, mask in enumerate(confirmed) for place in range(mask.bit_length()) if mask >> place & 1)
        places = tuple(due)
        strange = seen.taken - belongs
        if self._left_alone is None or not known:
            self._left_alone = strange
        self._left_alone -= seen.free
        strange = strange - self._left_alone - _reached(places, seen.free)
        if strange != self._strange:
            self._strange, self._since_s = strange, now_s
        if self.misplaced is not None and self.misplaced.lies not in strange:
            self.misplaced = None
        if len(strange) == 1 and now_s - self._since_s >= self._settle_s:
            (lies,) = strange
            self.misplaced = Misplaced(lies, next((place for place in places if place in seen.free), None))
        return self.misplaced

    def leave_alone(self) -> None:
        """A person says that the report is wrong."""
        if self.misplaced is not None:
            self._left_alone = (self._left_alone or frozenset()) | {self.misplaced.lies}
            self.misplaced = None

    def blind(self) -> None:
        """The camera sees nothing now; what is seen next counts from then."""
        self.misplaced, self._strange, self._left_alone = None, frozenset(), None


def _reached(due: tuple[Position, ...], free: frozenset[Position]) -> frozenset[Position]:
    """The due places at which a tile may lie by now: while nothing lies at one, what lies at a later one is the earlier one's tile."""
    first_free = next((number for number, place in enumerate(due) if place in free), len(due))
    return frozenset(due[: first_free + 1])
