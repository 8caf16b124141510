"""Glyph sets: reads the outlines of characters (``glyphs/*.json``) as paths. A set is cut from one font; the winds are about 900 units high
around the origin, y down. The design names the set."""

import json
from functools import cache, lru_cache
from pathlib import Path as FilePath

from twinwall.art.shapes import Path, Style, path_of

FORMAT = "twinwall-glyphs-1"
GLYPH_FOLDER = FilePath(__file__).parent / "glyphs"


def glyph(name: str, character: str) -> Path:
    """The unstyled outline of a character around the origin, in units of about 1/1000 em; raises KeyError."""
    outlines = _named(name)
    if character not in outlines:
        raise KeyError(f"glyph set {name!r} has no {character}")
    return outlines[character]


@lru_cache(maxsize=512)
def extent(name: str, character: str) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of a glyph's outline in its units."""
    return glyph(name, character).bounds()


def read_set(file: FilePath) -> dict[str, Path]:
    """The outlines in a set's file by character; raises ValueError for another file."""
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
