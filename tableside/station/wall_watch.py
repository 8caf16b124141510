"""Decides whether a tile was put where the screen said, by the places that a camera above the walls sees taken or free over time.

One place that should be free but has been taken for ``settle_s`` has a misplaced tile. Several at once are a hand above the mat, which is
not reported. A place that was taken when its proper state was unknown is ignored until it has been seen free.
"""

from collections.abc import Iterable

from tableside.station.confirmed_places import Four
from twinwall.values import frozen
from vision.table.building_mat import Position, SeenPositions


@frozen
class Misplaced:
    """A tile at ``lies`` that belongs to ``belongs``; None if it belongs to no wall, or that is unknown."""

    lies: Position
    belongs: Position | None


class WallWatch:
    """Takes frame after frame; ``misplaced`` is the present report."""

    def __init__(self, settle_s: float = 0.5) -> None:
        """A place counts as taken after ``settle_s``."""
        self._settle_s = settle_s
        self._left_alone: frozenset[Position] | None = None
        """Taken places to ignore; None before the first frame."""
        self._strange: frozenset[Position] = frozenset()
        self._since_s = 0.0
        self.misplaced: Misplaced | None = None

    def look(self, seen: SeenPositions, confirmed: Four, due: Iterable[Position], now_s: float, *, known: bool) -> Misplaced | None:
        """Take a frame; returns ``misplaced``.

        ``confirmed`` are the tiles in the walls as people have confirmed, ``due`` the places that a tile should come to, the longest due
        first. With ``known`` False the proper state is unknown: walls are lifted or emptied.
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
        """Withdraw the report, because a person says that it is wrong."""
        if self.misplaced is not None:
            self._left_alone = (self._left_alone or frozenset()) | {self.misplaced.lies}
            self.misplaced = None

    def blind(self) -> None:
        """The camera sees nothing now; start again with the next view."""
        self.misplaced, self._strange, self._left_alone = None, frozenset(), None


def _reached(due: tuple[Position, ...], free: frozenset[Position]) -> frozenset[Position]:
    """The due places that may have a tile by now: while one is empty, a tile at a later one is the earlier one's."""
    first_free = next((number for number, place in enumerate(due) if place in free), len(due))
    return frozenset(due[: first_free + 1])
