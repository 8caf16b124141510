"""History of each hand as it really happened: the truth that everything read at a table is compared with."""

from collections.abc import Iterable
from copy import deepcopy
from dataclasses import dataclass, field

from simulator.tabletop import PLACES, PhysicalTile


def _lists() -> list[list[str]]:
    return [[] for _ in PLACES]


@dataclass(slots=True)
class PlayedHand:
    """One hand: faces by place, in order. ``set`` is the back of its tiles, ``drawn_at_s`` when each draw was lifted (Unix time),
    ``turned`` the shared tiles that were laid open, each with its slot."""

    hand: int
    set: int
    taken: list[list[str]] = field(default_factory=_lists)
    laid: list[list[str]] = field(default_factory=_lists)
    drawn_at_s: list[float] = field(default_factory=list)
    turned: list[tuple[int, str]] = field(default_factory=list)


class History:
    """The hands so far. A hand begins with the first tile taken from walls that have risen since the last one began."""

    def __init__(self, first_hand: int) -> None:
        self._first = first_hand
        self._walls = 0
        self._hands: list[PlayedHand] = []

    @property
    def hand(self) -> int:
        """The number of the hand in play or played last; one less than the first before any has begun."""
        return self._first - 1 + len(self._hands)

    def took(self, place: int, tiles: Iterable[PhysicalTile], walls_raised: int) -> None:
        """Tiles were taken from the hand places of walls that are the ``walls_raised``-th to have risen."""
        for tile in tiles:
            if walls_raised != self._walls:
                self._walls = walls_raised
                self._hands.append(PlayedHand(self.hand + 1, tile.back))
            self._hands[-1].taken[place].append(tile.face)

    def drew(self, place: int, tile: PhysicalTile, at_s: float) -> None:
        """A tile was lifted behind a draw gate."""
        if self._hands:
            self._hands[-1].taken[place].append(tile.face)
            self._hands[-1].drawn_at_s.append(at_s)

    def laid(self, place: int, face: str) -> None:
        if self._hands:
            self._hands[-1].laid[place].append(face)

    def turned_up(self, slot: int, face: str) -> None:
        if self._hands:
            self._hands[-1].turned.append((slot, face))

    @property
    def hands(self) -> tuple[PlayedHand, ...]:
        """Every hand so far, each as it was at this moment."""
        return tuple(deepcopy(self._hands))
