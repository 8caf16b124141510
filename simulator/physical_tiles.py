"""Physical tiles: each has an identity, a face and the colour of its back.

Only the simulated world knows identities. All other code sees kinds, read from faces by a camera.
"""

from collections.abc import Iterable, Sequence

from twinwall.game.tiles import COPIES, WHOLE_SET, Tile, parse_tile
from twinwall.values import frozen

FLOWER = "flower"
"""The face of a tile that belongs to no set."""

SET_ID_SPAN = 1000
"""Tiles of the set with back ``b`` have ids from ``b`` times this."""


@frozen
class PhysicalTile:
    """One tile: ``face`` is notation or ``flower``, ``back`` the colour number of its set."""

    id: int
    face: str
    back: int


class NotPossibleError(ValueError):
    """Hands cannot do this now: the message says with which tile, slot or part, and why."""


TileSet = tuple[PhysicalTile, ...]


def tile_set(
    back: int, *, tiles: Iterable[Tile] = WHOLE_SET, missing: Iterable[str] = (), extra: Iterable[str] = (), foreign: int = 0
) -> tuple[PhysicalTile, ...]:  # fmt: skip
    """A set of ``tiles`` (the 136 of all kinds) in this order, with some left out, doubled, or strayed in from elsewhere.

    ``missing`` and ``extra`` are faces in notation, each repeated as often as it is meant.
    Raises NotationError for text that is not a tile and ValueError when a fifth copy would be
    missing.
    """
    faces = [tile.text for tile in tiles]
    for face in missing:
        parse_tile(face)
        if face not in faces:
            raise ValueError(f"{face} cannot be missing so often: the set has {COPIES} of each of its kinds")
        faces.remove(face)
    for face in extra:
        parse_tile(face)
        faces.append(face)
    faces += [FLOWER] * foreign
    return tuple(PhysicalTile(back * SET_ID_SPAN + number, face, back) for number, face in enumerate(faces))


def swap_tiles(first: Sequence[PhysicalTile], second: Sequence[PhysicalTile], faces: Iterable[str]) -> tuple[TileSet, TileSet]:
    """Two sets after one tile of each of ``faces`` has got into the other; raises ValueError when a set lacks such a tile."""
    ours, theirs = list(first), list(second)
    for face in faces:
        try:
            here = next(index for index, tile in enumerate(ours) if tile.face == face and tile.back == first[0].back)
            there = next(index for index, tile in enumerate(theirs) if tile.face == face and tile.back == second[0].back)
        except StopIteration:
            raise ValueError(f"{face} cannot be swapped between the sets: one of them has none left") from None
        ours[here], theirs[there] = theirs[there], ours[here]
    return tuple(ours), tuple(theirs)
