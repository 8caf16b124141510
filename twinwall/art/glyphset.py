"""Reads the committed outlines of characters (``glyphs/*.json``) into paths of the vector model.

A set is one font's hand; its glyphs share one scale: the four winds are about 900 units high and
lie around the origin, y down. Which set a tile uses is the design's business.
"""

from __future__ import annotations

import json
import re
from functools import cache, lru_cache
from pathlib import Path as FilePath

from twinwall.art.shapes import Cubic, Line, Move, Path, Quad, Step, Style

FORMAT = "twinwall-glyphs-1"
GLYPH_FOLDER = FilePath(__file__).parent / "glyphs"
_STEP = re.compile(r"([MlqczQ])([-\d ]*)")


@cache
def _texts(name: str) -> dict[str, str]:
    file = GLYPH_FOLDER / f"{name}.json"
    if not file.is_file():
        raise KeyError(f"there is no glyph set {name!r} in {GLYPH_FOLDER}")
    document = json.loads(file.read_text(encoding="utf-8"))
    if document["format"] != FORMAT:
        raise ValueError(f"{file} is {document['format']!r}, not {FORMAT!r}")
    return {str(character): str(text) for character, text in document["glyphs"].items()}


@lru_cache(maxsize=512)
def glyph(name: str, character: str) -> Path:
    """The outline of one character in units of about 1/1000 em around the origin, unstyled.

    Raises KeyError when the set or the character in it does not exist.
    """
    texts = _texts(name)
    if character not in texts:
        raise KeyError(f"glyph set {name!r} has no {character}")
    steps: list[Step] = []
    at = (0.0, 0.0)
    for verb, numbers in _STEP.findall(texts[character]):
        values = [float(number) for number in numbers.split()]
        points = [(at[0] + x, at[1] + y) for x, y in zip(values[::2], values[1::2], strict=True)]
        match verb:
            case "M":
                steps.append(Move((values[0], values[1])))
                at = (values[0], values[1])
                continue
            case "l":
                steps.append(Line(points[0]))
            case "q":
                steps.append(Quad(*points))
            case "c":
                steps.append(Cubic(*points))
            case _:
                continue
        at = points[-1]
    return Path(tuple(steps), Style())


@lru_cache(maxsize=512)
def extent(name: str, character: str) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of a glyph's outline in its own units."""
    return glyph(name, character).bounds()
