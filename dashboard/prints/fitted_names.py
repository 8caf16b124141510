"""Fits a name into a box on paper: as large as possible, on as many lines as needed, and never cut.

No font is measured. A character counts as wide as the widest of its kind in the prints' fonts, so that a line is never wider than the box.
"""

import re
from collections.abc import Sequence
from unicodedata import category, combining, east_asian_width, normalize

from twinwall.values import frozen

MM_A_POINT = 25.4 / 72
BROAD = "mwMW"
NARROW = "fijlrtI .,'-()"


@frozen
class FittedName:
    """The lines of a name, the size of its letters, and the height of a line."""

    lines: tuple[str, ...]
    size_pt: float
    line_mm: float


def fitted_name(name: str, width_mm: float, height_mm: float, sizes: Sequence[tuple[int, float]]) -> FittedName:
    """A name in the first of ``sizes`` (lines, points) in which it fits; if in none, in the last, reduced."""
    for most, size in sizes:
        lines = broken(name, width_mm, size)
        if len(lines) <= most:
            return FittedName(lines, size, height_mm / len(lines))
    most, size = sizes[-1]
    return fitted_name(name, width_mm, height_mm, [(most + 1, size * most / (most + 1))])


def broken(text: str, width_mm: float, size_pt: float) -> tuple[str, ...]:
    """A text broken at blanks and hyphens, and within words that are too long for a line."""
    lines, most_em = [""], width_mm / (size_pt * MM_A_POINT)
    for word in re.findall(r"[^\s-]+-?\s*|-+\s*", text):
        if _width_em(lines[-1] + word.rstrip()) > most_em:
            lines.append("")
        for character in word:
            if _width_em(lines[-1] + character.rstrip()) > most_em:
                lines.append("")
            lines[-1] += character
    return tuple(stripped for line in lines if (stripped := line.strip())) or ("",)


def _width_em(text: str) -> float:
    """The width of a text in letter heights; accents do not count."""
    return sum(map(_character_em, normalize("NFD", text)))


def _character_em(character: str) -> float:
    """At least as wide as in Noto Sans, Noto Sans CJK and DejaVu Sans."""
    if combining(character) or category(character) == "Cf":
        return 0.0
    if east_asian_width(character) in "WF":
        return 1.0
    if character in NARROW:
        return 0.45
    if not character.isascii() or not (character.isalnum() or character == "_") or character in BROAD:
        return 1.1
    return 0.81 if character.isupper() else 0.65
