"""Names and numbers that people type: cleaning and comparing. Every typed name and label is ``cleaned``; two are the same if their
``name_key`` is. Letters of any script, combining marks and emoji stay. Invisible characters are removed or refused, because they would make
two names look alike or change the direction of text beside the name."""

import re
from collections.abc import Callable, Iterable
from functools import partial
from typing import Literal
from unicodedata import category, normalize

from twinwall.game.documents import DocumentError

LONGEST_NAME = 80
_TAKEN_OUT = re.compile("[\u00ad\u200b\u200e\u200f\u2060\ufeff]")
"""Soft hyphens, zero-width spaces and direction marks, which come with pasted text."""
_JOINERS = "\u200c\u200d"
"""Persian and Indian names and many emoji contain these."""
_BLANK_LETTERS = "\u115f\u1160\u3164\uffa0\u2800"
"""Korean fillers and the empty Braille pattern: invisible, but not blanks by category."""
_UNSEEN = ("Cc", "Cf", "Co", "Cs")
"""Categories: controls, formats such as changes of direction, private characters, surrogates."""
_NOT_COMPARED = dict.fromkeys((*map(ord, _JOINERS + _BLANK_LETTERS), 0x34F, *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)))
"""Joiners, and variation selectors, which names in Japan contain."""
_WHOLE = re.compile(r"[+-]?[0-9]+")
_NUMBERS = re.compile(r"[+-]?[0-9]+([\s,/]+[+-]?[0-9]+)*")
_LONGEST_NUMBER = 12
_ACCENTS = re.compile("[\u0300-\u036f]")
_nfc = partial(normalize, "NFC")


NameProblem = Literal["missing", "long", "unseen"]


def cleaned(text: str) -> str:
    """The text composed (NFC), with single blanks, without zero-width characters."""
    return " ".join(_nfc(_TAKEN_OUT.sub("", text)).split())


def composed(value: object, form: Callable[[str], str] = _nfc) -> object:
    """A JSON document with all texts composed (NFC), because programs send either form, or ``cleaned``; raises DocumentError."""
    try:
        match value:
            case str():
                return form(value)
            case list() | tuple():
                return [composed(each, form) for each in value]
            case dict():
                return {composed(key, form): composed(each, form) for key, each in value.items()}
    except RecursionError:
        raise DocumentError("its lists and objects stand too deep in each other") from None
    return value


def name_problem(name: str) -> NameProblem | None:
    """What is wrong with a cleaned name, or None."""
    kinds = {category(char)[0] for char in name}
    if (kinds and kinds <= {*"CMZ"}) or any(
        char in _BLANK_LETTERS or (category(char) in _UNSEEN and char not in _JOINERS) for char in name
    ):
        return "unseen"
    if len(name) > LONGEST_NAME:
        return "long"
    return None if kinds & {*"LNS"} else "missing"


def name_key(name: str) -> str:
    """Equal for names that differ only in case, composition (NFC or NFD), blanks, and width."""
    return " ".join(normalize("NFKC", _TAKEN_OUT.sub("", name)).casefold().translate(_NOT_COMPARED).split())


def twins(names: Iterable[str]) -> list[str]:
    """The names that are the same as an earlier one."""
    seen: dict[str, str] = {}
    return [name for number, name in enumerate(names) if seen.setdefault(name_key(name), f"{number}") != f"{number}"]


def typed_number(text: str) -> str:
    """Typed whole numbers or shares in ASCII (digits of any script, the minus of pages); other text is returned unchanged."""
    plain = "".join(map(_typed, text)).strip()
    return plain if _NUMBERS.fullmatch(plain) else text


def _typed(char: str) -> str:
    """A decimal digit of any script, a full-width character or a minus in ASCII; raised and circled digits stay."""
    if char.isdecimal():
        return str(int(char))
    return chr(ord(char) - 0xFEE0) if "\uff01" <= char <= "\uff5e" else "-" if char in "\u2212\ufe63" else char


def whole_number(text: str) -> int | None:
    """A typed whole number; None for other text or too many digits."""
    plain = typed_number(text)
    return int(plain) if _WHOLE.fullmatch(plain) and len(plain) < _LONGEST_NUMBER else None


def looks_like(name: str) -> str:
    """Equal for names that screens hardly distinguish: letters without case, width, accents, blanks and order of words."""
    plain = _ACCENTS.sub("", normalize("NFKD", name)).casefold()
    words = re.split(r"[\W_]+", _nfc(plain))
    return "".join(sorted(filter(None, words))) or name


def plain_number(text: str | None, most_digits: int = 9) -> int | None:
    """A number in at most ``most_digits`` ASCII digits in a form or address; None for anything else."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) <= most_digits else None
