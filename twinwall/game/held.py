"""The concealed tiles of each seat at any moment of a hand, computed from the walls and the events."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from twinwall.game.melds import own_tiles
from twinwall.game.play_events import Claimed, HandShown, KongDeclared, MeldType, PlayEvent, TileDiscarded, TileDrawn
from twinwall.game.tiles import COPIES, SEATS, Seat, Tile, TileRow
from twinwall.game.walls import SeatWall


class NotHeldError(ValueError):
    """A seat gave away a tile that it cannot hold by its wall and the events so far."""


class HeldTiles:
    """What each seat conceals as a hand goes on: its hand tiles, then its draws, less what it discarded or exposed.

    The order is that of the wall, so a tile drawn last stands last. The tiles of a concealed kong that
    lies face down count, since which they are is known to its owner alone.
    """

    def __init__(self, walls: Mapping[Seat, SeatWall], seats: Iterable[Seat] = SEATS) -> None:
        """``seats`` are those that are followed; what the others give away is not looked at."""
        self.of: dict[Seat, TileRow] = {seat: walls[seat].hand for seat in seats}
        self.draws = {seat: walls[seat].draws for seat in self.of}
        """What is left of the walls."""
        self._last_discards: dict[Seat, Tile] = {}

    def copy(self) -> "HeldTiles":
        """The same tiles, to go on from separately."""
        other = HeldTiles.__new__(HeldTiles)  # once an event: the module copy takes five times as long
        other.of, other.draws, other._last_discards = dict(self.of), dict(self.draws), dict(self._last_discards)
        return other

    def happen(self, event: PlayEvent) -> None:
        """Follow an event; raises NotHeldError, and changes nothing, for a tile that a seat gives away without having it."""
        match event:
            case TileDrawn(seat, from_end) if seat in self.of:
                left = self.draws[seat]
                if not left:
                    raise NotHeldError(f"{seat.value} has no tile left to draw")
                self.of[seat] = (*self.of[seat], left[-1] if from_end else left[0])
                self.draws[seat] = left[:-1] if from_end else left[1:]
            case TileDiscarded(seat, tile):
                self._give(seat, (tile,))
                self._last_discards[seat] = tile
            case Claimed(seat, meld):
                self._give(seat, own_tiles(meld, None if meld.source is None else self._last_discards.get(meld.source)))
            case KongDeclared(seat, meld):
                self._give(seat, meld.tiles if meld.type is MeldType.CONCEALED_KONG else meld.tiles[:1])

    def _give(self, seat: Seat, tiles: Iterable[Tile]) -> None:
        if seat not in self.of:
            return
        held = list(self.of[seat])
        for tile in tiles:
            if tile not in held:
                raise NotHeldError(f"{seat.value} does not hold {tile.text}")
            held.remove(tile)
        self.of[seat] = tuple(held)


def concealed(walls: Mapping[Seat, SeatWall], events: Iterable[PlayEvent], seat: Seat) -> TileRow:
    """A seat's tiles that the others have not seen after the events (``HeldTiles``).

    Raises NotHeldError for a tile that the seat gave away without having it, or a draw from an empty wall.
    """
    held = HeldTiles(walls, (seat,))
    for event in events:
        held.happen(event)
    return held.of[seat]


def face_down_kind(seat: Seat, held: Sequence[Tile], laid: Collection[Tile], events: Sequence[PlayEvent]) -> Tile:
    """The kind of the kong that a seat lays face down after those of ``laid``, in a hand whose events are ``events``.

    It is as it was turned up at the end (``HandShown``, in the order made), or else four equal tiles of ``held`` of which the seat
    gives none away later, where that leaves any; first those with the tile drawn last.
    """
    shown = next((event.kongs for event in events if isinstance(event, HandShown) and event.seat is seat), ())
    if len(shown) > len(laid):
        return shown[len(laid)]
    kongs = [
        number for number, event in enumerate(events, 1) if isinstance(event, KongDeclared) and event.seat is seat and event.meld.face_down
    ]
    given = _given_away(seat, events[kongs[len(laid)] :])
    fours = [kind for kind, count in Counter(held).items() if count == COPIES and kind not in laid]
    kept = [kind for kind in fours if kind not in given] or fours
    return held[-1] if held[-1] in kept else kept[0]


def _given_away(seat: Seat, events: Iterable[PlayEvent]) -> Collection[Tile]:
    """The kinds of which a seat discards or exposes a tile."""
    given = set[Tile]()
    for event in events:
        match event:
            case TileDiscarded(who, tile) if who is seat:
                given.add(tile)
            case Claimed(who, meld) | KongDeclared(who, meld) if who is seat:
                given.update(meld.tiles)
    return given
