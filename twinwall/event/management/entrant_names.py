"""Names of people, teams and clubs as they are entered: in one form, with all signs that belong to them, and told apart.

Letters of any script, combining marks and emoji stay. What cannot be seen is taken out or refused: it would make two names look
alike, or turn the text that stands beside the name.
"""

from __future__ import annotations

import re
import unicodedata
from enum import Enum

LONGEST_NAME = 80
_TAKEN_OUT = re.compile("[\u00ad\u200b\u200e\u200f\u2060\ufeff]")
"""Soft hyphen, spaces without width and direction marks, which come with pasted text."""
_JOINERS = "\u200c\u200d"
"""Persian and Indian names and many emoji are written with these."""
_UNSEEN = ("Cc", "Cf", "Co", "Cs")
"""Controls, formats such as the change of direction, private signs, halves of signs."""
_ACCENTS = re.compile("[\u0300-\u036f]")


class NameProblem(Enum):
    """Why a text is no name."""

    MISSING = "missing"
    LONG = "long"
    UNSEEN = "unseen"


def cleaned(text: str) -> str:
    """The text composed (NFC), with single blanks, without signs that have no width."""
    return " ".join(unicodedata.normalize("NFC", _TAKEN_OUT.sub("", text)).split())


def name_problem(name: str) -> NameProblem | None:
    """What is wrong with a cleaned name; None where nothing is."""
    if not any(unicodedata.category(char)[0] in "LNS" for char in name):
        return NameProblem.MISSING
    if any(unicodedata.category(char) in _UNSEEN and char not in _JOINERS for char in name):
        return NameProblem.UNSEEN
    return NameProblem.LONG if len(name) > LONGEST_NAME else None


def looks_like(name: str) -> str:
    """What names that screens do not tell apart have in common: letters without case, width, accents, blanks and order of words."""
    plain = _ACCENTS.sub("", unicodedata.normalize("NFKD", name)).casefold()
    words = re.split(r"[\W_]+", unicodedata.normalize("NFC", plain))
    return "".join(sorted(filter(None, words))) or name
