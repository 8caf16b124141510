"""Pseudo-locale: catalogues whose every text stands in brackets, so that a text from elsewhere stands outside."""

import html
import re

import dashboard.i18n.words
from twinwall.art.names import Language

NOT_TRANSLATED = {
    "Twinwall",
    "Autumn",
    "friends",
    "Ota",
    "IMP",
    *("Plum", "Orchid", "Bamboo", "Chrysanthemum"),
    *("Moretti", "Ida", "Petit", "Jean"),
    *("twinwall", "deals", "verify", "plan", "json", "root", "slip"),
}
"""Names, and a command."""
TEXTS = dashboard.i18n.words._texts


def left_over(page: str) -> set[str]:
    """The words of a page, labels included, that stand outside the brackets.

    A title is the citation of a scale; a machine's own sentence says that it is English.
    """
    labels = re.findall(r'(?:aria-label|alt|placeholder|data-text)="([^"]*)"', page)
    body = re.sub(r"<(script|code)[^>]*>.*?</\1>|<(small|span) lang=\"en\">.*?</\2>", "", page, flags=re.DOTALL)
    text = html.unescape(" ".join([re.sub(r"<[^>]+>", " ", body), *labels]))
    while (inner := re.sub(r"⟦[^⟦⟧]*⟧", " ", text)) != text:
        text = inner
    return set(re.findall(r"[A-Za-z]{3,}", text)) - NOT_TRANSLATED


class Bracketed:
    """The catalogue of a language whose texts stand in brackets."""

    def __init__(self, language: Language) -> None:
        self._texts = TEXTS(language)

    def gettext(self, key: str) -> str:
        return f"⟦{self._texts.gettext(key)}⟧"

    def ngettext(self, one: str, more: str, count: int) -> str:
        return f"⟦{self._texts.ngettext(one, more, count)}⟧"
