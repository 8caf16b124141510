"""Glyph sets: reads the committed outlines of characters (``glyphs/*.json``) into paths of the vector model.

A set is one font's hand; its glyphs share one scale: the four winds are about 900 units high around the origin, y
down. The design names the set.
"""

import json
from functools import cache, lru_cache
from pathlib import Path as FilePath

from twinwall.art.shapes import Path, Style, path_of

FORMAT = "twinwall-glyphs-1"
GLYPH_FOLDER = FilePath(__file__).parent / "glyphs"


def glyph(name: str, character: str) -> Path:
    """The outline of one character in units of about 1/1000 em around the origin, unstyled.

    Raises KeyError when the set or the character in it does not exist.
    """
    outlines = _named(name)
    if character not in outlines:
        raise KeyError(f"glyph set {name!r} has no {character}")
    return outlines[character]


@lru_cache(maxsize=512)
def extent(name: str, character: str) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of a glyph's outline in its own units."""
    return glyph(name, character).bounds()


def read_set(file: FilePath) -> dict[str, Path]:
    """All outlines of one set's file by character; raises ValueError when it is not such a file."""
    document = json.loads(file.read_text(encoding="utf-8"))
    if document.get("format") != FORMAT:
        raise ValueError(f"{file} is {document.get('format')!r}, not {FORMAT!r}")
    return {str(character): path_of(str(text), Style()) for character, text in document["glyphs"].items()}


@cache
def _named(name: str) -> dict[str, Path]:
    file = GLYPH_FOLDER / f"{name}.json"
    if not file.is_file():
        raise KeyError(f"there is no glyph set {name!r} in {GLYPH_FOLDER}")
    return read_set(file)
