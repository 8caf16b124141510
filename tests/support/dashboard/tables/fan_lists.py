"""Reads the lists of fans out of a page: of a seat's page and of a referee's page of a table."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tests.support.dashboard.tables.at_seat import text_of

_LIST = re.compile(
    r'<ul class="fan-list" aria-label="(?P<label>[^"]*)">(?P<items>.*?)</ul>'
    r'|<table class="fans">\s*<caption class="unseen">(?P<caption>.*?)</caption>(?P<rows>.*?)</table>',
    re.DOTALL,
)
_LINE = re.compile(r"<(?:li|tr)(?: class=\"fan-total\")?>(.*?)</(?:li|tr)>", re.DOTALL)


@dataclass(frozen=True)
class ShownFans:
    """A list of fans as it is read: its name, each fan with what it is worth, and the line of its total."""

    name: str
    fans: tuple[str, ...]
    total: str


def fans_shown(page: str) -> list[ShownFans]:
    """The lists of a page in their order."""
    found = []
    for shown in _LIST.finditer(page):
        *fans, total = (text_of(line) for line in _LINE.findall(shown["items"] or shown["rows"]))
        found.append(ShownFans(text_of(shown["label"] or shown["caption"]), tuple(fans), total))
    return found
