"""Names and numbers as people type them: names in one form, with all signs that belong to them, and compared.

Every name and label that a person types goes through ``cleaned``, and two are the same where ``name_key`` says so.

Letters of any script, combining marks and emoji stay. What cannot be seen is taken out or refused: it would make two names look
alike, or turn the text that stands beside the name.
"""

import re
import unicodedata
from collections.abc import Iterable
from enum import Enum

from twinwall.game.documents import DocumentError

LONGEST_NAME = 80
_TAKEN_OUT = re.compile("[\u00ad\u200b\u200e\u200f\u2060\ufeff]")
"""Soft hyphen, spaces without width and direction marks, which come with pasted text."""
_JOINERS = "\u200c\u200d"
"""Persian and Indian names and many emoji are written with these."""
_BLANK_LETTERS = "\u115f\u1160\u3164\uffa0\u2800"
"""Fillers of Korean letters and the empty pattern of Braille: no blanks by their category, and nothing is seen."""
_UNSEEN = ("Cc", "Cf", "Co", "Cs")
"""Controls, formats such as the change of direction, private signs, halves of signs."""
_NOT_COMPARED = dict.fromkeys((*map(ord, _JOINERS + _BLANK_LETTERS), 0x34F, *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)))
"""Beside joiners, what joins or selects the form of the sign before it: characters of names in Japan are written with the latter."""
_WHOLE = re.compile(r"[+-]?[0-9]+")
_NUMBERS = re.compile(r"[+-]?[0-9]+([\s,/]+[+-]?[0-9]+)*")
_LONGEST_NUMBER = 12
_ACCENTS = re.compile("[\u0300-\u036f]")


class NameProblem(Enum):
    """Why a text is no name."""

    MISSING = "missing"
    LONG = "long"
    UNSEEN = "unseen"


def cleaned(text: str) -> str:
    """The text composed (NFC), with single blanks, without signs that have no width."""
    return " ".join(unicodedata.normalize("NFC", _TAKEN_OUT.sub("", text)).split())


def composed(value: object) -> object:
    """A JSON document with all its texts composed (NFC), since programs send names in either form; raises DocumentError."""
    try:
        return _composed(value)
    except RecursionError:
        raise DocumentError("its lists and objects stand too deep in each other") from None


def _composed(value: object) -> object:
    match value:
        case str():
            return unicodedata.normalize("NFC", value)
        case list():
            return [_composed(each) for each in value]
        case dict():
            return {_composed(key): _composed(each) for key, each in value.items()}
        case _:
            return value


def name_problem(name: str) -> NameProblem | None:
    """What is wrong with a cleaned name; None where nothing is."""
    if any(char in _BLANK_LETTERS or (unicodedata.category(char) in _UNSEEN and char not in _JOINERS) for char in name):
        return NameProblem.UNSEEN
    if not any(unicodedata.category(char)[0] in "LNS" for char in name):
        return NameProblem.MISSING
    return NameProblem.LONG if len(name) > LONGEST_NAME else None


def name_key(name: str) -> str:
    """The same for a name however it is capitalised, composed (NFC or NFD), spaced, and wide or narrow: one person, team or label."""
    return " ".join(unicodedata.normalize("NFKC", _TAKEN_OUT.sub("", name)).casefold().translate(_NOT_COMPARED).split())


def twins(names: Iterable[str]) -> list[str]:
    """The names that an earlier one of them is the same as."""
    seen: dict[str, str] = {}
    return [name for number, name in enumerate(names) if seen.setdefault(name_key(name), f"{number}") != f"{number}"]


def typed_number(text: str) -> str:
    """Whole numbers, or shares, as people type them, in ASCII: digits of any script, the minus of pages; other texts as they are."""
    plain = "".join(map(_typed, text)).strip()
    return plain if _NUMBERS.fullmatch(plain) else text


def _typed(char: str) -> str:
    """A decimal digit of any script as ASCII has it, and so full-width signs and the minus of pages; raised and circled digits stay."""
    if char.isdecimal():
        return str(unicodedata.decimal(char))
    return chr(ord(char) - 0xFEE0) if "\uff01" <= char <= "\uff5e" else "-" if char in "\u2212\ufe63" else char


def whole_number(text: str) -> int | None:
    """The whole number that a person typed; None where the text is none, or has more digits than any number that is asked for."""
    plain = typed_number(text)
    return int(plain) if _WHOLE.fullmatch(plain) and len(plain) < _LONGEST_NUMBER else None


def looks_like(name: str) -> str:
    """What names that screens do not tell apart have in common: letters without case, width, accents, blanks and order of words."""
    plain = _ACCENTS.sub("", unicodedata.normalize("NFKD", name)).casefold()
    words = re.split(r"[\W_]+", unicodedata.normalize("NFC", plain))
    return "".join(sorted(filter(None, words))) or name


def plain_number(text: str | None, most_digits: int = 9) -> int | None:
    """The number that a form or an address names in ``most_digits`` ASCII digits or fewer; None for anything else."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) <= most_digits else None
