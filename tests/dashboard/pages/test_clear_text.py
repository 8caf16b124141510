"""Every page says when something travels in clear beyond this machine, and when the event is a rehearsal."""

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
    clear_text, rehearsal = Words(known)("clear-text"), Words(known)("rehearsal")
    for said in (True, False):
        settings = replace(OPEN, clear_text=said, rehearsal=not said, language=language)
        shown = Hall(settings=settings).client.get(page).get_data(as_text=True)
        assert (clear_text in shown) is said
        assert (rehearsal in shown) is not said
