"""Every notation in which tiles could leave the program, to plant leaks with."""

import base64
import json
from collections.abc import Callable
from urllib.parse import quote

from twinwall.art.names import LANGUAGES, tile_name
from twinwall.game.tiles import ALL_TILES, Tile, format_tiles


def joined(tiles: tuple[Tile, ...]) -> str:
    return "".join(tile.text for tile in tiles)


def grouped(tiles: tuple[Tile, ...]) -> str:
    """A hand as players write it: 123m55pEE."""
    text = ""
    for place, tile in enumerate(tiles):
        following = tiles[place + 1].text if place + 1 < len(tiles) else ""
        same = len(tile.text) == 2 and len(following) == 2 and following[1] == tile.text[1]
        text += tile.text[0] if same else tile.text
    return text


NOTATIONS: list[Callable[[tuple[Tile, ...]], str]] = [
    format_tiles,
    joined,
    grouped,
    lambda tiles: json.dumps([tile.text for tile in tiles]),
    lambda tiles: json.dumps(format_tiles(tiles)).replace("m", "\\u006d"),
    lambda tiles: "".join(f'<use href="/tiles.svg#t-{tile.text}" x="12.5" width="38"/>' for tile in tiles),
    lambda tiles: quote(format_tiles(tiles)),
    lambda tiles: "&#32;".join(tile.text for tile in tiles),
    lambda tiles: json.dumps([ALL_TILES.index(tile) for tile in tiles]),
    lambda tiles: base64.b64encode(format_tiles(tiles).encode()).decode(),
    *(
        lambda tiles, language=language: "".join(f'<svg role="img" aria-label="{tile_name(tile, language)}"></svg>' for tile in tiles)
        for language in LANGUAGES
    ),
]
