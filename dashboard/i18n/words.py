"""The texts of the pages in three languages, from gettext catalogues, and the language that a browser is answered in.

A text is known by its key (``translations/<language>/LC_MESSAGES/messages.po``; msgid is the key). A catalogue is
read when its language is first used, so no compiled file lies beside it.

Writes exact numbers: a mean of 43/4 is 10.75, a third stays a third.
"""

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
from twinwall.game.session import HANDS
from twinwall.game.tiles import SEATS, Seat, Tile
from twinwall.values import frozen

TRANSLATIONS = Path(__file__).parent / "translations"

DEFAULT_LANGUAGE: Language = "en"
NATIVE_NAMES: Mapping[Language, str] = {"en": "EN", "ja": "日本語", "zh-Hans": "中文"}
WIND_CHARACTERS: Mapping[Seat, str] = dict(zip(SEATS, "東南西北", strict=True))
Values = dict[str, object]
"""What a template or a sentence is given, by name."""


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


class _Texts:
    """The texts of a catalogue by key, each in its plural forms; a key without a text is an error, not its own text."""

    def __init__(self, catalogue: Catalog) -> None:
        keyed = ((message.id, message.string) for message in catalogue if message.id and message.string and not message.fuzzy)
        self._forms = {key if isinstance(key, str) else key[0]: (text,) if isinstance(text, str) else text for key, text in keyed}
        self._plural = gettext.c2py(catalogue.plural_expr)

    def gettext(self, key: str) -> str:
        return self._forms[key][0]

    def ngettext(self, one: str, _more: str, count: int) -> str:
        return self._forms[one][self._plural(count)]


def read_catalogue(language: Language) -> Catalog:
    """The catalogue of a language as its file has it, with comments."""
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
    """The texts in one language; called with a key and the values that its text names."""

    language: Language

    def __call__(self, key: str, **values: object) -> str:
        """The text; raises KeyError for a key that the catalogue lacks."""
        return _texts(self.language).gettext(key).format(**values)

    def markup(self, key: str, **values: object) -> Markup:
        """The text for a page; values are escaped, but for those that are markup themselves."""
        return escape(_texts(self.language).gettext(key)).format(**values)

    def english(self, text: str) -> Markup:
        """An English sentence of a table or program for a page, marked as English on pages in other languages."""
        return escape(text) if self.language == "en" else Markup('<span lang="en">{}</span>').format(text)

    def counted(self, one: str, more: str, count: int) -> str:
        """The text for a number of things, in the language's plural form; the keys are those of one thing and of more."""
        return _texts(self.language).ngettext(one, more, count).format(count=count)

    def first(self, *keys: str, **values: object) -> str:
        """The text of the first of these keys that the catalogue has."""
        return self(next(key for key in keys if key in self), **values)

    def or_name(self, key: str, name: str) -> str:
        """The text, or the name itself where the catalogues have none, as of a rule set that somebody has added."""
        return self(key) if key in self else name

    def __contains__(self, key: str) -> bool:
        """Whether there is a text of that key."""
        try:
            return bool(_texts(self.language).gettext(key))
        except KeyError:
            return False

    def seat(self, seat: Seat) -> str:
        """A seat by its wind, as a word."""
        return self(f"seat.{seat.value}")

    def wind(self, seat: Seat) -> str:
        """A seat's wind as its tile has it, in English with the word: 東 East."""
        character = WIND_CHARACTERS[seat]
        return f"{character} {self.seat(seat)}" if self.language == "en" else character

    def announced(self, texts: Mapping[str, str]) -> str:
        """What was announced in several languages, in this one; in English or whatever there is where this one is missing."""
        return texts.get(self.language) or texts.get(DEFAULT_LANGUAGE) or next(iter(texts.values()))

    def hand(self, number: int) -> str:
        """A hand of a session by round and number: 5 is S1, in Japanese and Chinese 南1; beyond 16 simply its number."""
        if not 1 <= number <= HANDS:
            return str(number)
        wind = SEATS[(number - 1) // 4]
        return f"{wind.value if self.language == 'en' else WIND_CHARACTERS[wind]}{(number - 1) % 4 + 1}"

    def tile(self, tile: Tile | None) -> str:
        """What a tile (or, for None, a back) is called aloud."""
        return tile_name("back" if tile is None else tile, self.language)


def signed(amount: int) -> str:
    """A score with its sign: +48, −8, 0 (with a real minus)."""
    return f"+{amount}" if amount > 0 else f"−{-amount}" if amount < 0 else "0"


MINUS = "−"
_EXACT = Context(prec=100, traps=[Inexact])
"""A third has no end, and no sum of shares of forty sessions has as many digits."""


def exact(value: Fraction | int, *, plus: bool = False) -> str:
    """A number without any rounding: as a decimal where that ends, as a fraction otherwise.

    Args:
        value: the number.
        plus: whether a positive one has its sign.
    """
    size = abs(Fraction(value))
    sign = MINUS if value < 0 else "+" if plus and value else ""
    try:
        return f"{sign}{_EXACT.divide(Decimal(size.numerator), Decimal(size.denominator)):f}"
    except Inexact:
        return f"{sign}{size}"


def brief(value: int | Fraction, plus: bool = False) -> str:
    """The number as in ``exact`` where two places behind the point are enough; otherwise rounded to two, half to even."""
    return exact(Fraction(round(Fraction(value) * 100), 100), plus=plus)


IN_TEMPLATES = {"signed": signed, "exact": exact, "brief": brief, "winds": WIND_CHARACTERS, "seats": SEATS}
"""With what every template writes numbers and winds."""
