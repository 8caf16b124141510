"""Every page says when something travels in clear beyond this machine."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dashboard.i18n.words import NATIVE_NAMES, Words, known_language
from tests.support.dashboard.hall import OPEN, Hall

PAGES = ("/", "/standings", "/login", "/table/1", "/nothing-here")


@pytest.mark.parametrize("language", NATIVE_NAMES)
@pytest.mark.parametrize("page", PAGES)
def test_every_page_says_it_and_none_says_it_otherwise(page: str, language: str) -> None:
    known = known_language(language)
    assert known is not None
    sentence = Words(known)("clear-text")
    for clear_text in (True, False):
        shown = Hall(settings=replace(OPEN, clear_text=clear_text, language=language)).client.get(page).get_data(as_text=True)
        assert (sentence in shown) is clear_text
