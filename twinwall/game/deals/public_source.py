"""Source of the public value, as a plan's ``public`` text names it, and the form of a value that comes from there.

Two texts have a form: ``beacon: NAME, ROUND`` (a published random beacon and the pulse, by number or time) and ``tiles: N`` (N
tiles, drawn face up in the room). Any other text is a sentence for people, and fits every value. Whether a value is the one that the
beacon published, or that the room drew, is for people to compare.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from twinwall.game.deals.encoding import DealError
from twinwall.game.tiles import ALL_TILES, NotationError, Tile, format_tiles, parse_tiles

BEACON, TILES = "beacon:", "tiles:"
FEWEST_TILES = 8
"""Eight tiles are some 40 bits: more values than anybody can try in the time between the draw and the start."""


class TilesError(DealError):
    """Typed tiles that are no public value: ``why`` is a stable word, ``values`` what a sentence in any language names."""

    def __init__(self, sentence: str, why: str, values: Mapping[str, int | str]) -> None:
        super().__init__(sentence)
        self.why, self.values = why, values


_BEACON = re.compile(r"beacon: [^,]*[^,\s][^,]*, .*\d.*")
_TILES = re.compile(r"tiles: ([1-9]\d{0,3})")
_PULSE = re.compile(r"[0-9a-f]{64}|[0-9a-f]{128}")


def check_source(source: str) -> None:
    """Refuse the text of a plan that begins as one of the two forms and is not; raises DealError."""
    if source.startswith(BEACON) and not _BEACON.fullmatch(source):
        raise DealError(f"{source!r} must name a beacon and its pulse, such as 'beacon: drand quicknet, round 12345678'")
    if source.startswith(TILES) and tiles_drawn(source) < FEWEST_TILES:
        raise DealError(f"{source!r} must say how many tiles are drawn, {FEWEST_TILES} or more, such as 'tiles: 32'")


def tiles_drawn(source: str) -> int:
    """How many tiles the room draws by the text of a plan; 0 for another source."""
    match = _TILES.fullmatch(source)
    return 0 if match is None else int(match[1])


def check_drawn(source: str, value: str) -> None:
    """Refuse a public value that cannot come from the source that the plan names; raises DealError."""
    check_source(source)
    if source.startswith(BEACON) and not _PULSE.fullmatch(value):
        raise DealError(
            f"the plan names {source!r} as the source, whose values are 64 or 128 lower-case hex digits, not {value!r}: "
            "give the pulse as the beacon published it, in lower case"
        )
    if source.startswith(TILES):
        tiles, drawn = _read(value, tiles_drawn(source)), tiles_drawn(source)
        if len(tiles) != drawn:
            sentence = f"the plan says that {drawn} tiles are drawn, these are {len(tiles)}: give all, table by table in the hall's order"
            raise TilesError(sentence, "count", {"count": len(tiles), "wanted": drawn})
        if format_tiles(tiles) != value:
            raise DealError(f"write the tiles one by one with one blank between: {format_tiles(tiles)!r}")


def check_random(source: str, value: str) -> None:
    """Refuse tiles that no draw shows, before they are fixed as the public value; raises DealError. Someone who knows the value beforehand
    knows the deals; of 32 tiles drawn from whole sets fewer than eleven kinds come in less than one draw of 10⁸."""
    drawn = tiles_drawn(source)
    kinds = len(set(_read(value, drawn))) if drawn else 0
    if 3 * kinds < min(drawn, len(ALL_TILES)):
        sentence = f"{drawn} tiles with {kinds} different ones are no draw: turn up tiles of a mixed set, and write what they show"
        raise TilesError(sentence, "kinds", {"kinds": kinds, "wanted": drawn})


def one_by_one(value: str) -> str:
    """Typed tiles in their one spelling, with one blank between; what cannot be read stays as it is."""
    try:
        return format_tiles(parse_tiles(value))
    except NotationError:
        return value


def _read(value: str, drawn: int) -> tuple[Tile, ...]:
    tiles: list[Tile] = []
    for word in value.split():
        try:
            tiles += parse_tiles(word)
        except NotationError as error:
            raise TilesError(f"the plan says that {drawn} tiles are drawn: {error}", "tile", {"text": word}) from None
    return tuple(tiles)
