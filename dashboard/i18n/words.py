"""The words of the pages in three languages, in one catalogue.

Each key has its English, Japanese and simplified Chinese text; a missing key is an error at once
and a test holds the three complete. Sentences are written for each language, not put together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dashboard.i18n.catalogue import CATALOGUE
from twinwall.art.names import LANGUAGES, Language, tile_name
from twinwall.game.tiles import SEATS, Seat, Tile

DEFAULT_LANGUAGE: Language = "en"
NATIVE_NAMES: Mapping[Language, str] = {"en": "EN", "ja": "日本語", "zh-Hans": "中文"}
WIND_CHARACTERS: Mapping[Seat, str] = dict(zip(SEATS, "東南西北", strict=True))
_ROUNDS = "ESWN"


def known_language(text: str | None) -> Language | None:
    """The language of that tag, or None when the pages are not written in it."""
    return next((language for language in LANGUAGES if language == text), None)


def accepted_language(header: str) -> Language:
    """The first language of an ``Accept-Language`` header that the pages are written in; English otherwise."""
    ranked: list[tuple[float, str]] = []
    for part in header.split(","):
        tag, _, parameters = part.partition(";")
        ranked.append((_quality(parameters.strip().removeprefix("q=")), tag.strip().lower()))
    for quality, tag in sorted(ranked, key=lambda ranking: -ranking[0]):
        for start, language in (("en", "en"), ("ja", "ja"), ("zh", "zh-Hans")):
            if quality > 0 and (tag == start or tag.startswith(f"{start}-")):
                return known_language(language) or DEFAULT_LANGUAGE
    return DEFAULT_LANGUAGE


def _quality(text: str) -> float:
    try:
        return float(text) if text else 1.0
    except ValueError:
        return 0.0


@dataclass(frozen=True, slots=True)
class Words:
    """The catalogue in one language; called with a key and the values that its text names."""

    language: Language

    def __call__(self, key: str, **values: object) -> str:
        """The text; raises KeyError for a key that the catalogue lacks."""
        return CATALOGUE[key][LANGUAGES.index(self.language)].format(**values)

    def seat(self, seat: Seat) -> str:
        """A seat by its wind, as a word."""
        return self(f"seat.{seat.value}")

    def announced(self, texts: Mapping[str, str]) -> str:
        """What was announced in several languages, in this one; in English or whatever there is where this one is missing."""
        return texts.get(self.language) or texts.get(DEFAULT_LANGUAGE) or next(iter(texts.values()))

    def tile(self, tile: Tile | None) -> str:
        """What a tile (or, for None, a back) is called aloud."""
        return tile_name("back" if tile is None else tile, self.language)


def hand_name(number: int) -> str:
    """A hand of a session as it is called: 1 is E1, 16 is N4; beyond that simply its number."""
    if not 1 <= number <= 16:
        return str(number)
    return f"{_ROUNDS[(number - 1) // 4]}{(number - 1) % 4 + 1}"


def signed(amount: int) -> str:
    """A score with its sign: +48, −8, 0 (with a real minus)."""
    return f"+{amount}" if amount > 0 else f"−{-amount}" if amount < 0 else "0"
