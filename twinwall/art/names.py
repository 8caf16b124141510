"""Spoken names of tiles in the pages' languages, for labels that a screen reader speaks."""

from typing import Literal, get_args

from twinwall.art.faces import Face
from twinwall.game.tiles import Suit, Tile

Language = Literal["en", "ja", "zh-Hans"]
LANGUAGES: tuple[Language, ...] = get_args(Language)

_SUITS: dict[Language, dict[Suit, tuple[str, ...]]] = {
    "en": {
        Suit.CHARACTERS: tuple(f"{rank} of characters" for rank in range(1, 10)),
        Suit.DOTS: tuple(f"{rank} of dots" for rank in range(1, 10)),
        Suit.BAMBOOS: tuple(f"{rank} of bamboos" for rank in range(1, 10)),
        Suit.HONOURS: ("East wind", "South wind", "West wind", "North wind", "red dragon", "green dragon", "white dragon"),
    },
    "ja": {
        Suit.CHARACTERS: tuple(f"{rank}萬" for rank in "一二三四五六七八九"),
        Suit.DOTS: tuple(f"{rank}筒" for rank in "一二三四五六七八九"),
        Suit.BAMBOOS: tuple(f"{rank}索" for rank in "一二三四五六七八九"),
        Suit.HONOURS: ("東", "南", "西", "北", "中", "發", "白"),
    },
    "zh-Hans": {
        Suit.CHARACTERS: tuple(f"{rank}万" for rank in "一二三四五六七八九"),
        Suit.DOTS: tuple(f"{rank}饼" for rank in "一二三四五六七八九"),
        Suit.BAMBOOS: tuple(f"{rank}条" for rank in "一二三四五六七八九"),
        Suit.HONOURS: ("东风", "南风", "西风", "北风", "红中", "发财", "白板"),
    },
}
_BACKS: dict[Language, str] = {"en": "tile face down", "ja": "裏向きの牌", "zh-Hans": "暗牌"}


def tile_name(face: Face, language: Language) -> str:
    """The name of a face, or of a tile that shows its back, in one of ``LANGUAGES``.

    Raises KeyError for a language that is not one of them.
    """
    if isinstance(face, Tile):
        return _SUITS[language][face.suit][face.rank - 1]
    return _BACKS[language]
