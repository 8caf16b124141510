"""Glyph sets: reads the committed outlines of characters (``glyphs/*.json``) into paths of the vector model.

A set is one font's hand; its glyphs share one scale: the four winds are about 900 units high around the origin, y
down. The design names the set.
"""

from __future__ import annotations

import json
import re
from functools import cache, lru_cache
from pathlib import Path as FilePath

from twinwall.art.shapes import Cubic, LineSegment, Move, Path, Quad, Step, Style

FORMAT = "twinwall-glyphs-1"
GLYPH_FOLDER = FilePath(__file__).parent / "glyphs"
_STEP = re.compile(r"([Mlqc])([-\d ]*)")


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
    return {str(character): _outline(str(text)) for character, text in document["glyphs"].items()}


@cache
def _named(name: str) -> dict[str, Path]:
    file = GLYPH_FOLDER / f"{name}.json"
    if not file.is_file():
        raise KeyError(f"there is no glyph set {name!r} in {GLYPH_FOLDER}")
    return read_set(file)


def _outline(text: str) -> Path:
    """Path text of absolute ``M`` and relative steps as a path."""
    steps: list[Step] = []
    at = (0.0, 0.0)
    for verb, numbers in _STEP.findall(text):
        values = [float(number) for number in numbers.split()]
        origin = (0.0, 0.0) if verb == "M" else at
        points = [(origin[0] + x, origin[1] + y) for x, y in zip(values[::2], values[1::2], strict=True)]
        match verb:
            case "M":
                steps.append(Move(points[0]))
            case "l":
                steps.append(LineSegment(points[0]))
            case "q":
                steps.append(Quad(*points))
            case "c":
                steps.append(Cubic(*points))
        at = points[-1]
    return Path(tuple(steps), Style())
