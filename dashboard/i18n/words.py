"""The texts of the pages in three languages, from gettext catalogues, the language of a browser, and exact numbers. A text is identified by
its key (``translations/<language>/LC_MESSAGES/messages.po``; msgid is the key). A catalogue is read when its language is first used, so
there is no compiled file. A mean of 43/4 is written 10.75; a third stays a fraction."""

import gettext
from collections.abc import Mapping
from decimal import Context, Decimal, Inexact
from fractions import Fraction
from functools import cache
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po
from markupsafe import Markup, escape

from twinwall.art.names import LANGUAGES, Language, tile_name
from twinwall.game.tiles import HANDS, SEATS, Seat, Tile
from twinwall.values import frozen

TRANSLATIONS = Path(__file__).parent / "translations"

DEFAULT_LANGUAGE: Language = "en"
NATIVE_NAMES: Mapping[Language, str] = {"en": "EN", "ja": "日本語", "zh-Hans": "中文"}
WIND_CHARACTERS: Mapping[Seat, str] = dict(zip(SEATS, "東南西北", strict=True))
Values = dict[str, object]
"""Named values for a template or a sentence."""


def known_language(text: str | None) -> Language | None:
    """The language of that tag; None if the pages do not have it."""
    return next((language for language in LANGUAGES if language == text), None)


def accepted_language(header: str) -> Language:
    """The first language of an ``Accept-Language`` header that the pages have; otherwise English."""
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


class _Texts:
    """The texts of a catalogue by key, each in its plural forms; a missing text is an error."""

    def __init__(self, catalogue: Catalog) -> None:
        keyed = ((message.id, message.string) for message in catalogue if message.id and message.string and not message.fuzzy)
        self._forms = {key if isinstance(key, str) else key[0]: (text,) if isinstance(text, str) else text for key, text in keyed}
        self._plural = gettext.c2py(catalogue.plural_expr)

    def gettext(self, key: str) -> str:
        return self._forms[key][0]

    def ngettext(self, one: str, _more: str, count: int) -> str:
        return self._forms[one][self._plural(count)]


def read_catalogue(language: Language) -> Catalog:
    """The catalogue file of a language, with comments."""
    with catalogue_file(language).open("rb") as file:
        return read_po(file, locale=language.replace("-", "_"))


def catalogue_file(language: Language) -> Path:
    """The file of a language's texts."""
    return TRANSLATIONS / language.replace("-", "_") / "LC_MESSAGES" / "messages.po"


@cache
def _texts(language: Language) -> _Texts:
    return _Texts(read_catalogue(language))


@frozen
class Words:
    """The texts in one language; call it with a key and the values in its text."""

    language: Language

    def __call__(self, key: str, **values: object) -> str:
        """The text; raises KeyError for an unknown key."""
        return _texts(self.language).gettext(key).format(**values)

    def markup(self, key: str, **values: object) -> Markup:
        """The text for a page; values are escaped unless they are markup."""
        return escape(_texts(self.language).gettext(key)).format(**values)

    def english(self, text: str) -> Markup:
        """An English sentence of a table or program, marked as English on pages in other languages."""
        return escape(text) if self.language == "en" else Markup('<span lang="en">{}</span>').format(text)

    def counted(self, one: str, more: str, count: int) -> str:
        """The text for a number of things, in the language's plural form; the keys are for one and for more."""
        return _texts(self.language).ngettext(one, more, count).format(count=count)

    def first(self, *keys: str, **values: object) -> str:
        """The text of the first key that the catalogue has."""
        return self(next(key for key in keys if key in self), **values)

    def or_name(self, key: str, name: str) -> str:
        """The text, or ``name`` if the catalogues lack it, for example for an added rule set."""
        return self(key) if key in self else name

    def __contains__(self, key: str) -> bool:
        try:
            return bool(_texts(self.language).gettext(key))
        except KeyError:
            return False

    def seat(self, seat: Seat) -> str:
        return self(f"seat.{seat.value}")

    def wind(self, seat: Seat) -> str:
        """A seat's wind as its tile has it, in English with the word: 東 East."""
        character = WIND_CHARACTERS[seat]
        return f"{character} {self.seat(seat)}" if self.language == "en" else character

    def announced(self, texts: Mapping[str, str]) -> str:
        """This language's text of an announcement; otherwise English, or any."""
        return texts.get(self.language) or texts.get(DEFAULT_LANGUAGE) or next(iter(texts.values()))

    def hand(self, number: int) -> str:
        """A hand of a session by round and number: 5 is S1, in Japanese and Chinese 南1; beyond 16 only its number."""
        if not 1 <= number <= HANDS:
            return str(number)
        wind = SEATS[(number - 1) // 4]
        return f"{wind.value if self.language == 'en' else WIND_CHARACTERS[wind]}{(number - 1) % 4 + 1}"

    def tile(self, tile: Tile | None) -> str:
        """The spoken name of a tile, or of a back for None."""
        return tile_name("back" if tile is None else tile, self.language)


def signed(amount: int) -> str:
    """A score with its sign: +48, −8, 0 (with a real minus)."""
    return exact(amount, plus=True)


MINUS = "−"
_EXACT = Context(prec=100, traps=[Inexact])
"""Enough digits: no sum of shares of forty sessions has more, and a third, which never ends, raises."""


def exact(value: Fraction | int, *, plus: bool = False) -> str:
    """A number without rounding: as a decimal if that ends, otherwise as a fraction. ``plus``: whether a positive one has its sign."""
    size = abs(Fraction(value))
    sign = MINUS if value < 0 else "+" if plus and value else ""
    try:
        return f"{sign}{_EXACT.divide(Decimal(size.numerator), Decimal(size.denominator)):f}"
    except Inexact:
        return f"{sign}{size}"


def brief(value: int | Fraction, plus: bool = False) -> str:
    """The number as in ``exact`` if two decimal places are enough; otherwise rounded to two, half to even."""
    return exact(Fraction(round(Fraction(value) * 100), 100), plus=plus)


IN_TEMPLATES = {"signed": signed, "exact": exact, "brief": brief, "winds": WIND_CHARACTERS, "seats": SEATS}
"""Names with which all templates write numbers and winds."""
