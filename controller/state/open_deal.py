"""Opened deal at a table: its walls by seat, and the kind that each tray position wants."""

from collections.abc import Mapping
from dataclasses import field

from twinwall.game.deals import Deal
from twinwall.game.rule_set import NO_SHARED_TILES
from twinwall.game.session import place_of, round_wind, seat_at
from twinwall.game.tiles import Seat, Tile, TileRow
from twinwall.game.walls import SeatWall
from twinwall.values import frozen

Position = tuple[int, int]
"""A tray position: place 0–3 and index 0–33, hand tiles first and then the draws in order."""

HAND_TILES = 13


@frozen
class OpenDeal:
    """A deal at this table: the one in the making or the one in play. ``positions`` are all tray positions of its walls.

    At a table without cameras it is not opened: it has no walls, check or digest here.
    """

    n: int
    session: int
    hand: int
    rules: str
    check: str
    walls: Mapping[Seat, SeatWall]
    digest: str
    rest: TileRow = ()
    """The tiles of no seat."""
    rows: tuple[tuple[int, ...], ...] = NO_SHARED_TILES
    """Which of them stand behind each seat's wall, in the order in which they come out (``RuleSet.shared_rows``)."""
    positions: tuple[Position, ...] = field(init=False, repr=False, compare=False)
    _wanted: Mapping[Position, Tile] = field(init=False, repr=False, compare=False)
    _wanting: Mapping[Tile, tuple[Position, ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Look the walls up once: a build asks for every tile what wants it."""
        places = range(4) if self.walls else ()
        wanted = {(place, index): tile for place in places for index, tile in enumerate(self._behind(self.seat(place)))}
        wanting: dict[Tile, tuple[Position, ...]] = {}
        for position, tile in wanted.items():
            wanting[tile] = (*wanting.get(tile, ()), position)
        object.__setattr__(self, "positions", tuple(wanted))
        object.__setattr__(self, "_wanted", wanted)
        object.__setattr__(self, "_wanting", wanting)

    @property
    def round(self) -> Seat:
        """The wind of the round."""
        return round_wind(self.hand)

    def place(self, seat: Seat) -> int:
        """Where a seat sits in this hand."""
        return place_of(seat, self.hand)

    def seat(self, place: int) -> Seat:
        """The seat at a place in this hand."""
        return seat_at(place, self.hand)

    def wanted(self, position: Position) -> Tile:
        """The tile that belongs at a tray position."""
        return self._wanted[position]

    def wanting(self, tile: Tile) -> tuple[Position, ...]:
        """The tray positions where tiles of a kind belong."""
        return self._wanting.get(tile, ())

    def shared_row(self, seat: Seat) -> tuple[int, ...]:
        """The shared tiles behind a seat's wall, by their numbers in ``rest``."""
        return self.rows[seat.index]

    def _behind(self, seat: Seat) -> TileRow:
        """A seat's wall and the shared tiles behind it."""
        return (*self.walls[seat].tiles, *(self.rest[shared] for shared in self.shared_row(seat)))


def opened_deal(deal: Deal) -> OpenDeal:
    """A deal that has been checked, as the table holds it; how shared tiles stand behind walls is known once it is opened."""
    return OpenDeal(deal.n, deal.session, deal.hand, deal.rules, deal.check.hex(), deal.walls, deal.digest.hex(), deal.rest)
