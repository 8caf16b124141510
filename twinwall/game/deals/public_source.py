"""Source of the public value, as a plan's ``public`` text names it, and the form of a value that comes from there.

Two texts have a form: ``beacon: NAME, ROUND`` (a published random beacon and the pulse, by number or time) and ``tiles: N`` (so many
tiles, drawn face up in the room). Any other text is a sentence for people, and fits every value. Whether a value is the one that the
beacon published, or that the room drew, is for people to compare.
"""

from __future__ import annotations

import re

from twinwall.game.deals.encoding import DealError
from twinwall.game.tiles import NotationError, format_tiles, parse_tiles

BEACON, TILES = "beacon:", "tiles:"
FEWEST_TILES = 8
"""Eight tiles are some 40 bits: more values than anybody can try in the time between the draw and the start."""

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
        _check_tiles(tiles_drawn(source), value)


def _check_tiles(drawn: int, value: str) -> None:
    try:
        tiles = parse_tiles(value)
    except NotationError as error:
        raise DealError(f"the plan says that {drawn} tiles are drawn: {error}") from None
    if len(tiles) != drawn:
        raise DealError(f"the plan says that {drawn} tiles are drawn, these are {len(tiles)}: give all, table by table in the hall's order")
    if format_tiles(tiles) != value:
        raise DealError(f"write the tiles one by one with one blank between: {format_tiles(tiles)!r}")
