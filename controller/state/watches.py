"""Watches: what the table camera looks for, in which slots of the mat, and at which moment of the hand.

``controller.hand.watching`` decides the next watch, ``controller.hand.table_observations`` what an observation means. Here decoded events
are also assigned to slots, wherever their tiles are. A ``HandToDecode`` is the table's record as its decoders follow it
(``controller.recorder``).
"""

from collections.abc import Iterator, Mapping
from dataclasses import field
from enum import StrEnum
from typing import NamedTuple

from controller.state.sides import KnownViolation, OpenDeal
from twinwall.game.play import PlayState
from twinwall.game.play_events import Claimed, HandLaidOpen, HandShown, KongDeclared, MeldType, PlayEvent, TileDiscarded, WinDeclared
from twinwall.game.tiles import COPIES, Seat, Tile, TileRow
from twinwall.values import frozen
from vision.mat import MELD_SLOTS, Area, Slot


class Awaits(StrEnum):
    """What a watch waits for, as journal and log write it; in brackets what ``number`` counts."""

    DISCARD = "discard"
    """The next tile in a seat's river (its place)."""
    MELD = "meld"
    """The called meld of a seat (its group)."""
    KONG = "kong"
    """The fourth tile of a kong called at the own turn, or the next discard (its place)."""
    WIN = "win"
    """The drawn winning tile of a seat, laid apart, or its next discard (its place)."""
    HAND = "show"
    """A seat's whole hand (the number of claim windows before)."""
    SHARED = "shared"
    """A shared tile that the seat of its wall lays in the middle (its place)."""
    LAST_DISCARD = "still"
    """The last tile of a seat's river, laid before a restart (its place)."""


class Awaited(NamedTuple):
    kind: Awaits
    seat: Seat
    number: int


@frozen
class WatchVersion:
    """The moment of a watch: deal, events of its hand so far, number of the look, rulings so far. Late answers have another version. The
    camera votes again after an observation that does not count, an answer about one of several tiles, and a ruling."""

    deal: int
    events: int
    look: int
    rulings: int


@frozen
class Watch:
    """Answered when all ``slots`` hold a tile, or one of them with ``any_of``. The answer also names the slots of ``also`` that hold
    something. ``answered``: slots that the referee has named, which need no pictures. ``back``: backs of the set in play, if known."""

    awaited: Awaited
    slots: tuple[Slot, ...]
    any_of: bool = False
    also: tuple[Slot, ...] = ()
    answered: frozenset[Slot] = frozenset()
    back: int | None = None
    version: WatchVersion | None = None

    def in_river(self, deal: OpenDeal) -> Slot:
        return Slot(deal.place(self.awaited.seat), Area.RIVER, self.awaited.number)

    @property
    def label(self) -> str:
        label = f"{self.awaited.kind} {self.awaited.seat.value} {self.awaited.number}"
        if self.version is None:
            return label
        at = self.version
        return f"{label} at {at.deal}.{at.events} look {at.look}{f' ruled {at.rulings}' if at.rulings else ''}"


def in_slots(watch: Watch, play: PlayState, place: int, event: PlayEvent) -> dict[Slot, Tile]:
    """Return the slots of a watch with the tiles of an event, as if laid where the mat wants them; empty for another event."""
    return dict(_in_slots(watch, play, place, event))


def _in_slots(watch: Watch, play: PlayState, place: int, event: PlayEvent) -> Iterator[tuple[Slot, Tile]]:
    awaited = watch.awaited
    match awaited.kind, event:
        case Awaits.MELD, Claimed(awaited.seat, meld) if len(meld.tiles) == len(watch.slots):
            yield from zip(watch.slots, meld.tiles, strict=True)
        case Awaits.KONG, KongDeclared(awaited.seat, meld) if meld.tiles:
            melds = play.seat(awaited.seat).melds
            added = meld.type is MeldType.ADDED_KONG
            group = next((n for n, pung in enumerate(melds) if pung.tiles[:1] == meld.tiles[:1]), len(melds)) if added else len(melds)
            slot = Slot(place, Area.MELD, MELD_SLOTS * group + MELD_SLOTS - 1)
            yield from ((each, meld.tiles[-1]) for each in watch.slots if each == slot)
        case Awaits.WIN, WinDeclared(awaited.seat, None, Tile() as tile):
            yield Slot(place, Area.WIN, 0), tile
        case ((Awaits.DISCARD | Awaits.KONG | Awaits.WIN), TileDiscarded(awaited.seat, tile)):
            yield Slot(place, Area.RIVER, awaited.number), tile
        case Awaits.HAND, HandLaidOpen(awaited.seat, concealed):
            yield from _hand_in_slots(watch, concealed, None, ())
        case Awaits.HAND, HandShown(awaited.seat, concealed, winning, kongs):
            yield from _hand_in_slots(watch, concealed, winning, kongs)


def _hand_in_slots(watch: Watch, concealed: TileRow, winning: Tile | None, kongs: TileRow) -> Iterator[tuple[Slot, Tile]]:
    """Yield a shown hand in the slots of its watch: row, tile apart, turned-up kongs."""
    yield from zip((slot for slot in watch.slots if slot.area is Area.HAND), concealed, strict=False)
    turned_up = (kind for kind in kongs for _ in range(COPIES))
    yield from zip((slot for slot in watch.slots if slot.area is Area.MELD), turned_up, strict=False)
    if winning is not None:
        yield from ((slot, winning) for slot in watch.slots if slot.area is Area.WIN)


@frozen
class HandToDecode:
    """A hand for the decoders: ``events`` of the table's record so far.

    - ``awaited``: the present watch, except for shared tiles; ``last_discard``: the watch for the last discard before a restart
    - ``back``: the backs of the set in play
    - ``answers``: tiles in slots of the awaited watch that the referee has named; ``rulings``: number of his rulings so far
    - ``violations``: those that the table has reported of the hand
    """

    deal: OpenDeal
    back: int | None
    events: tuple[PlayEvent, ...]
    awaited: Watch | None = None
    closed: bool = False
    answers: Mapping[Slot, Tile] = field(default_factory=dict)
    rulings: int = 0
    last_discard: Watch | None = None
    violations: tuple[KnownViolation, ...] = ()
