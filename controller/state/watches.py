"""Watches: what the table camera is asked to look for, in which slots of the mat, and for which moment of the hand.

``controller.hand.watching`` decides the next watch, ``controller.hand.table_observations`` what an observation means. Events that were
decoded wherever their tiles lie are brought into the slots here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from twinwall.game.play import PlayState
from twinwall.game.play_events import Claimed, HandLaidOpen, HandShown, KongDeclared, MeldType, PlayEvent, TileDiscarded, WinDeclared
from twinwall.game.tiles import COPIES, Seat, Tile
from vision.mat import MELD_SLOTS, Area, Slot


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
    again."""

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


def in_slots(watch: Watch, play: PlayState, place: int, event: PlayEvent) -> dict[Slot, Tile]:
    """The slots of a watch with the tiles that would lie there, had people laid them as the mat wants it; none for another event."""
    return dict(_in_slots(watch, play, place, event))


def _in_slots(watch: Watch, play: PlayState, place: int, event: PlayEvent) -> Iterator[tuple[Slot, Tile]]:
    match watch.awaited, event:
        case AwaitedMeld(seat), Claimed(claiming, meld) if seat is claiming and len(meld.tiles) == len(watch.slots):
            yield from zip(watch.slots, meld.tiles, strict=True)
        case AwaitedKong(seat), KongDeclared(declaring, meld) if seat is declaring and meld.tiles:
            melds = play.seat(seat).melds
            added = meld.type is MeldType.ADDED_KONG
            group = next((n for n, pung in enumerate(melds) if pung.tiles[:1] == meld.tiles[:1]), len(melds)) if added else len(melds)
            slot = Slot(place, Area.MELD, MELD_SLOTS * group + MELD_SLOTS - 1)
            yield from ((each, meld.tiles[-1]) for each in watch.slots if each == slot)
        case AwaitedWinningTile(seat), WinDeclared(declaring, None, Tile() as tile) if seat is declaring:
            yield Slot(place, Area.WIN, 0), tile
        case ((AwaitedKong(seat, number) | AwaitedWinningTile(seat, number)), TileDiscarded(discarding, tile)) if seat is discarding:
            yield Slot(place, Area.RIVER, number), tile
        case AwaitedHand(seat), HandLaidOpen(showing, concealed) if seat is showing:
            yield from _hand_in_slots(watch, concealed, None, ())
        case AwaitedHand(seat), HandShown(showing, concealed, winning, kongs) if seat is showing:
            yield from _hand_in_slots(watch, concealed, winning, kongs)
        case _:
            pass


def _hand_in_slots(watch: Watch, concealed: tuple[Tile, ...], winning: Tile | None, kongs: tuple[Tile, ...]) -> Iterator[tuple[Slot, Tile]]:
    """A shown hand in the slots of its watch: row, tile apart, kongs turned up."""
    yield from zip((slot for slot in watch.slots if slot.area is Area.HAND), concealed, strict=False)
    turned_up = (kind for kind in kongs for _ in range(COPIES))
    yield from zip((slot for slot in watch.slots if slot.area is Area.MELD), turned_up, strict=False)
    if winning is not None:
        yield from ((slot, winning) for slot in watch.slots if slot.area is Area.WIN)
