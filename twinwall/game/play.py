"""The public state of a hand: rivers, melds, draws left, and whose turn it is. A rule set applies play events to a ``PlayState``. It holds
nothing concealed; concealed tiles follow from the deal (``held``). States are msgspec structs, because each event copies one, and a struct
is copied in a tenth of a dataclass's time.

The form of melds: which tiles are a chow, a pung or a kong, and how they combine with a discard. The rule set decides from whom and when
a meld may be claimed. Nothing here looks at a concealed hand.
"""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Self

from msgspec.structs import replace

from twinwall.game.play_events import Claim, HandEnded, Meld, MeldType, PenaltyRuled
from twinwall.game.tiles import COPIES, Seat, Suit, Tile, TileRow
from twinwall.values import FrozenStruct


class RiverTile(FrozenStruct):
    """A discard; ``claimed_by`` is the seat that took it (its place stays empty)."""

    tile: Tile
    claimed_by: Seat | None = None
    riichi: bool = False
    """Whether it was laid sideways to declare riichi."""


class SeatState(FrozenStruct):
    """The public part of one seat."""

    draws_left: int
    river: tuple[RiverTile, ...] = ()
    melds: tuple[Meld, ...] = ()
    shown: TileRow | None = None
    dead: bool = False
    """Whether the hand was ruled dead."""
    gaps: tuple[int, ...] = ()
    """Places of the river, from 0, of turns without a discard, in rules that leave them empty."""

    @property
    def next_place(self) -> int:
        """The place in the river, from 0, of the next discard."""
        return len(self.river) + len(self.gaps)

    def place_of(self, discard: int) -> int:
        """The place in the river of the discard with this index in ``river``."""
        place = discard
        for gap in self.gaps:
            place += gap <= place
        return place


class Phase(StrEnum):
    """What the table waits for."""

    DRAW = "draw"
    """``turn`` may draw."""
    DISCARD = "discard"
    """``turn`` has drawn or claimed and must discard; after a draw it may declare a win or a kong."""
    CLAIMS = "claims"
    """``turn`` has discarded ``last_discard`` or added it to a pung; others may claim until the window closes."""
    SHOW = "show"
    """``winner`` has declared a win and must show the hand."""
    ENDED = "ended"


class PlayState(FrozenStruct):
    """The public state of one hand; ``seats`` is indexed by ``Seat.index``."""

    rules: str
    seats: tuple[SeatState, SeatState, SeatState, SeatState]
    phase: Phase
    turn: Seat
    last_discard: Tile | None = None
    """The tile that can be claimed, or last could: a discard, or the fourth tile of an added kong (``robbing``)."""
    drew: bool = False
    """Whether ``turn`` holds a tile drawn this turn, so that it may declare a self-drawn win."""
    after_kong: bool = False
    """Whether ``turn`` has made a kong this turn, so that it draws or has drawn a replacement."""
    robbing: bool = False
    """Whether ``last_discard`` was added to a kong: it can only be won on."""
    winner: Seat | None = None
    """The seat that declared a win last. Earlier winners on the same tile have ``shown`` their hands."""
    final_lap_from: Seat | None = None
    """The seat whose wall ran out first (end rule ``lap``)."""
    lap_turns: int = 0
    """Turns since ``final_lap_from`` drew its last tile; a claim counts the seats that it skips."""
    refused: frozenset[Seat] = frozenset()
    """Seats whose declared win on this tile was refused; they may not call on it again."""
    penalties: tuple[PenaltyRuled, ...] = ()
    """Penalties ruled in this hand, in order."""
    excluded: bool = False
    """Whether a ruling excludes the result from the comparison."""
    ended: HandEnded | None = None

    @classmethod
    def beginning(cls, rules: str, draws: int) -> Self:
        """The state before East's first draw, with this many draws in each wall."""
        seat = SeatState(draws_left=draws)
        return cls(rules=rules, seats=(seat, seat, seat, seat), phase=Phase.DRAW, turn=Seat.EAST)

    @property
    def turn_taken(self) -> bool:
        """Whether any tile was drawn, discarded or melded."""
        return self.drew or self.phase is not Phase.DRAW or any(seat.river or seat.melds for seat in self.seats)

    def seat(self, seat: Seat) -> SeatState:
        return self.seats[seat.index]

    def with_seat(self, seat: Seat, changed: SeatState) -> Self:
        east, south, west, north = (changed if index == seat.index else own for index, own in enumerate(self.seats))
        return replace(self, seats=(east, south, west, north))


_SIZES = {MeldType.CHOW: 3, MeldType.PUNG: 3, MeldType.KONG: 4, MeldType.ADDED_KONG: 4, MeldType.CONCEALED_KONG: 4}


def is_chow(tiles: Sequence[Tile]) -> bool:
    """Whether the tiles, in any order, are three in a row of one suit."""
    if len(tiles) != 3:
        return False
    first, second, third = sorted(tiles)
    return first.suit is not Suit.HONOURS and first.suit is third.suit and (first + 1, first + 2) == (second, third)


def form_error(meld: Meld) -> str | None:
    """Why the tiles do not fit the meld's type, as one clause; None when they do."""
    size = _SIZES[meld.type]
    if len(meld.tiles) != size:
        return f"a {meld.type.value} has {size} tiles, not {len(meld.tiles)}"
    if meld.type is MeldType.CHOW:
        return None if is_chow(meld.tiles) else "a chow is three in a row of one suit"
    if len(set(meld.tiles)) > 1:
        return f"a {meld.type.value} has equal tiles"
    return None


def is_pung_of(meld: Meld, tile: Tile) -> bool:
    """Whether the tile can be added to the meld, a pung."""
    return meld.type is MeldType.PUNG and meld.tiles[0] is tile


def chows_with(tile: Tile) -> tuple[tuple[Tile, Tile, Tile], ...]:
    """All chows with the tile, lowest first; none for an honour."""
    if tile.is_honour:
        return ()
    lowest = range(max(1, tile.rank - 2), min(7, tile.rank) + 1)
    return tuple(_run(Tile(tile - tile.rank + rank)) for rank in lowest)


def melds_of_claim(claim: Claim, discard: Tile, source: Seat) -> tuple[Meld, ...]:
    """The melds that a claim of this discard can make; raises ValueError for a win."""
    if claim is Claim.CHOW:
        return tuple(Meld(MeldType.CHOW, chow, source) for chow in chows_with(discard))
    kind = MeldType(claim.value)
    return (Meld(kind, (discard,) * _SIZES[kind], source),)


def _run(first: Tile) -> tuple[Tile, Tile, Tile]:
    return first, Tile(first + 1), Tile(first + 2)


def turned_up(melds: tuple[Meld, ...], kongs: TileRow) -> tuple[Meld, ...]:
    """The melds with face-down kongs turned up; ``kongs`` are their kinds in the order made."""
    kinds = iter(kongs)
    return tuple(Meld(MeldType.CONCEALED_KONG, (next(kinds),) * COPIES, None) if meld.face_down else meld for meld in melds)


def own_tiles(meld: Meld, claimed: Tile | None) -> TileRow:
    """The meld's tiles from the seat's own hand: all but one copy of the claimed tile."""
    if claimed is None:
        return meld.tiles
    own = list(meld.tiles)
    own.remove(claimed)
    return tuple(own)


def visible_tiles(state: PlayState, *, concealed_kongs: bool = False) -> Iterable[Tile]:
    """Every face-up tile of rivers and melds (a claimed discard counts in its meld); with ``concealed_kongs``, those too."""
    for seat in state.seats:
        for river_tile in seat.river:
            if river_tile.claimed_by is None:
                yield river_tile.tile
        for meld in seat.melds:
            if concealed_kongs or meld.type is not MeldType.CONCEALED_KONG:
                yield from meld.tiles
