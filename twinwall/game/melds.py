"""The form of melds: which tiles are a chow, a pung or a kong, and how they combine with a discard. The rule set decides from whom and when
a meld may be claimed. Nothing here looks at a concealed hand."""

from collections.abc import Iterable, Sequence

from twinwall.game.play import PlayState
from twinwall.game.play_events import Claim, Meld, MeldType
from twinwall.game.tiles import COPIES, Seat, Suit, Tile, TileRow

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
