"""The concealed tiles of each seat at any moment (``concealed``), computed from walls and events."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from twinwall.game.play import own_tiles
from twinwall.game.play_events import Claimed, HandShown, KongDeclared, MeldType, PlayEvent, TileDiscarded, TileDrawn
from twinwall.game.tiles import COPIES, SEATS, Seat, Tile, TileRow
from twinwall.game.walls import SeatWall


class NotHeldError(ValueError):
    """By its wall and the events, a seat cannot hold a tile that it gave away."""


class HeldTiles:
    """Each seat's concealed tiles during a hand: hand tiles and draws, less discarded and exposed tiles. In the order of the wall: the tile
    drawn last is last. The tiles of a face-down kong are included, because only their owner knows them."""

    def __init__(self, walls: Mapping[Seat, SeatWall], seats: Iterable[Seat] = SEATS) -> None:
        """Follow ``seats``; the tiles of others are ignored."""
        self.of: dict[Seat, TileRow] = {seat: walls[seat].hand for seat in seats}
        self.draws = {seat: walls[seat].draws for seat in self.of}
        """The draws left in each wall."""
        self._last_discards: dict[Seat, Tile] = {}

    def copy(self) -> "HeldTiles":
        """A copy that follows other events."""
        other = HeldTiles.__new__(HeldTiles)  # called for each event: copy.copy takes five times as long
        other.of, other.draws, other._last_discards = dict(self.of), dict(self.draws), dict(self._last_discards)
        return other

    def happen(self, event: PlayEvent) -> None:
        """Follow an event; raises NotHeldError and changes nothing if a seat does not hold a tile that it gives away."""
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
    """A seat's concealed tiles after the events (see ``HeldTiles``); raises NotHeldError, also for a draw from an empty wall."""
    held = HeldTiles(walls, (seat,))
    for event in events:
        held.happen(event)
    return held.of[seat]


def face_down_kind(seat: Seat, held: Sequence[Tile], laid: Collection[Tile], events: Sequence[PlayEvent]) -> Tile:
    """The kind of the face-down kong that a seat declares after those of ``laid``; ``events`` are those of the whole hand. If the seat
    turned its kongs up (``HandShown``), the event names it. Otherwise: four equal tiles of ``held``, preferably a kind that the seat never
    gives away later, and first the kind drawn last."""
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
    given = set[Tile]()
    for event in events:
        match event:
            case TileDiscarded(who, tile) if who is seat:
                given.add(tile)
            case Claimed(who, meld) | KongDeclared(who, meld) if who is seat:
                given.update(meld.tiles)
    return given
