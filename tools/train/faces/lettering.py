"""Characters for training faces, from the fonts of a folder.

A font that can write every numeral and honour becomes one hand. Only training uses fonts, the folder is optional, and
nothing of a font goes into the project.
"""

import warnings
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from twinwall.values import frozen

NUMERALS = "一二三四五六七八九"
MUST_WRITE = NUMERALS + "西南北中"
_EITHER = (("萬", "万"), ("東", "东"), ("發", "发"))
_GLYPH_PX = 112
_LEFT_OUT = ("lxgw", "klee", "kouzanbrushfontsousyo")
"""Fonts never trained on: the family that letters the simulator's set, which must stay unknown to the model,
and cursive grass script, which no maker cuts into tiles."""
_BRUSHES = ("kai", "kouzan", "aoyagi")
_LATIN = ("DejaVuSans-Bold.ttf", "DejaVuSerif-Bold.ttf")


@frozen
class LetteringFont:
    """One font by its file; ``mahjong`` fonts hold whole tile faces instead of characters."""

    path: Path

    @property
    def is_brush(self) -> bool:
        """Whether it follows the brush, as most makers' characters do."""
        name = self.path.name.lower()
        return any(part in name for part in _BRUSHES)

    def draw(self, text: str) -> NDArray[np.uint8]:
        """The text's ink, cut tight: h × w uint8, 0 for none to 255 for full; raises ValueError where nothing is drawn."""
        font = ImageFont.truetype(str(self.path), _GLYPH_PX)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            left, top, right, bottom = font.getbbox(text)
        width, height = int(right - left) + 8, int(bottom - top) + 8
        if width <= 8 or height <= 8:
            raise ValueError(f"{self.path.name} does not write {text!r}")
        image = Image.new("L", (width, height), 0)
        ImageDraw.Draw(image).text((4 - left, 4 - top), text, font=font, fill=255)
        ink = np.asarray(image, dtype=np.uint8)
        ys, xs = np.nonzero(ink > 40)
        if not len(xs):
            raise ValueError(f"{self.path.name} does not write {text!r}")
        return np.ascontiguousarray(ink[ys.min() : ys.max() + 1, xs.min() : xs.max() + 1])

    def writes(self, text: str) -> bool:
        """Whether every character has a glyph of its own."""
        try:
            missing = self.draw("\U000f1234")
        except (ValueError, OSError):
            missing = None
        for character in text:
            try:
                ink = self.draw(character)
            except (ValueError, OSError):
                return False
            if missing is not None and ink.shape == missing.shape and np.array_equal(ink, missing):
                return False
        return True


@frozen
class Fonts:
    """The hands found: for characters, for latin indices, and those with whole mahjong faces."""

    characters: tuple[LetteringFont, ...]
    latin: tuple[LetteringFont, ...]
    faces: tuple[LetteringFont, ...]


def find_fonts(folder: Path) -> Fonts:
    """Look through a folder for fonts that can letter tiles; raises FileNotFoundError when there is no such folder."""
    if not folder.is_dir():
        raise FileNotFoundError(f"{folder} is not a folder of fonts")
    hands = [LetteringFont(path) for path in sorted(folder.rglob("*")) if _is_font(path)]
    characters = tuple(hand for hand in hands if _letters_tiles(hand))
    latin = tuple(hand for hand in hands if hand.path.name.startswith(_LATIN))
    faces = tuple(hand for hand in hands if hand not in characters and hand.writes("\U0001f010\U0001f000"))
    return Fonts(characters, latin, faces)


def _is_font(path: Path) -> bool:
    return path.suffix.lower() in {".ttf", ".ttc", ".otf"} and not path.name.lower().startswith(_LEFT_OUT)


def _letters_tiles(hand: LetteringFont) -> bool:
    return hand.writes(MUST_WRITE) and all(any(hand.writes(one) for one in pair) for pair in _EITHER)


def first_written(hand: LetteringFont, choices: str) -> NDArray[np.uint8]:
    """The ink of the first of several forms that the hand can write; raises ValueError when it writes none."""
    for character in choices:
        if hand.writes(character):
            return hand.draw(character)
    raise ValueError(f"{hand.path.name} writes none of {choices!r}")


def reshape(ink: NDArray[np.uint8], width: int, height: int, weight: int) -> NDArray[np.uint8]:
    """The ink stretched to a size in px, its strokes thickened (weight > 0) or thinned (< 0) by that many px."""
    out = np.asarray(cv2.resize(ink, (max(width, 3), max(height, 3)), interpolation=cv2.INTER_AREA), dtype=np.uint8)
    if weight:
        kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (abs(weight) + 1, abs(weight) + 1))
        out = np.asarray(cv2.dilate(out, kernel) if weight > 0 else cv2.erode(out, kernel), dtype=np.uint8)
    return out
