"""Watches: what the table camera is asked to look for, in which slots of the mat, and for which moment of the hand.

``controller.hand.watching`` decides the next watch, ``controller.hand.table_observations`` what an observation means.
"""

from __future__ import annotations

from dataclasses import dataclass

from twinwall.game.tiles import Seat
from vision.mat import Slot


@dataclass(frozen=True, slots=True)
class AwaitedDiscard:
    """The next tile in a seat's river."""

    seat: Seat
    river_place: int


@dataclass(frozen=True, slots=True)
class AwaitedMeld:
    """The meld that a seat has called, as its ``group``-th."""

    seat: Seat
    group: int


@dataclass(frozen=True, slots=True)
class AwaitedKong:
    """The fourth tile of a kong that a seat has called at its own turn, or its next discard."""

    seat: Seat
    river_place: int


@dataclass(frozen=True, slots=True)
class AwaitedWinningTile:
    """The tile that a seat has drawn and wins with, laid apart, or its next discard."""

    seat: Seat
    river_place: int


@dataclass(frozen=True, slots=True)
class AwaitedHand:
    """The whole hand of a seat; ``windows`` claim windows have been opened before."""

    seat: Seat
    windows: int


@dataclass(frozen=True, slots=True)
class AwaitedSharedTile:
    """A shared tile that the seat behind whose wall it stood lays in the middle."""

    seat: Seat
    shared: int


@dataclass(frozen=True, slots=True)
class AwaitedLastDiscard:
    """The last tile of a seat's river, which lay there before the controller was away."""

    seat: Seat
    river_place: int


Awaited = AwaitedDiscard | AwaitedMeld | AwaitedKong | AwaitedWinningTile | AwaitedHand | AwaitedSharedTile | AwaitedLastDiscard


@dataclass(frozen=True, slots=True)
class WatchVersion:
    """When a watch was asked for: deal, events of its hand so far, which look in a row, and rulings so far. An answer that comes
    late is recognised by it; after an observation that does not count, an answer about one of several tiles, and a ruling, the camera votes
    anew."""

    deal: int
    events: int
    look: int
    rulings: int


@dataclass(frozen=True, slots=True)
class Watch:
    """Answered when all ``slots`` hold a tile, or with ``any_of`` when one of them does. The answer also names the slots of ``also``
    in which something lies. Of ``answered`` slots the referee has said what lies there: they need no pictures. ``back`` is the number
    of the backs of the set in play, where that is known."""

    awaited: Awaited
    slots: tuple[Slot, ...]
    any_of: bool = False
    also: tuple[Slot, ...] = ()
    answered: frozenset[Slot] = frozenset()
    back: int | None = None
    version: WatchVersion | None = None

    @property
    def label(self) -> str:
        """The watch as journal and log write it."""
        label = _label(self.awaited)
        if self.version is None:
            return label
        at = self.version
        return f"{label} at {at.deal}.{at.events} look {at.look}{f' ruled {at.rulings}' if at.rulings else ''}"


def _label(awaited: Awaited) -> str:
    match awaited:
        case AwaitedDiscard(seat, number):
            return f"discard {seat.value} {number}"
        case AwaitedMeld(seat, number):
            return f"meld {seat.value} {number}"
        case AwaitedKong(seat, number):
            return f"kong {seat.value} {number}"
        case AwaitedWinningTile(seat, number):
            return f"win {seat.value} {number}"
        case AwaitedHand(seat, number):
            return f"show {seat.value} {number}"
        case AwaitedSharedTile(seat, number):
            return f"shared {seat.value} {number}"
        case AwaitedLastDiscard(seat, number):
            return f"still {seat.value} {number}"
