"""Spoken names of tiles in the pages' languages, for screen readers."""

from typing import Literal, get_args

from twinwall.art.faces import Face
from twinwall.game.tiles import Suit, Tile

Language = Literal["en", "ja", "zh-Hans"]
LANGUAGES: tuple[Language, ...] = get_args(Language)

_NUMERALS = "一二三四五六七八九"
_NUMBERED: dict[Language, tuple[str, dict[Suit, str]]] = {
    "en": ("123456789", {Suit.CHARACTERS: " of characters", Suit.DOTS: " of dots", Suit.BAMBOOS: " of bamboos"}),
    "ja": (_NUMERALS, {Suit.CHARACTERS: "萬", Suit.DOTS: "筒", Suit.BAMBOOS: "索"}),
    "zh-Hans": (_NUMERALS, {Suit.CHARACTERS: "万", Suit.DOTS: "饼", Suit.BAMBOOS: "条"}),
}
"""The numerals from 1 to 9, and the suits' words."""
_HONOURS: dict[Language, tuple[str, ...]] = {
    "en": ("East wind", "South wind", "West wind", "North wind", "red dragon", "green dragon", "white dragon"),
    "ja": tuple("東南西北中發白"),
    "zh-Hans": ("东风", "南风", "西风", "北风", "红中", "发财", "白板"),
}
_BACKS: dict[Language, str] = {"en": "tile face down", "ja": "裏向きの牌", "zh-Hans": "暗牌"}


def tile_name(face: Face, language: Language) -> str:
    """The name of a face, or of a face-down tile; raises KeyError for a language that is not in ``LANGUAGES``."""
    if not isinstance(face, Tile):
        return _BACKS[language]
    if face.is_honour:
        return _HONOURS[language][face.rank - 1]
    numerals, suits = _NUMBERED[language]
    return numerals[face.rank - 1] + suits[face.suit]
