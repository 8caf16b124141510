"""Every page says when something travels in clear beyond this machine, and when the event is a rehearsal."""

from dataclasses import replace

import pytest

from dashboard.i18n.words import NATIVE_NAMES, Words, known_language
from tests.support.dashboard.hall import OPEN, Hall
from tests.support.dashboard.staff import log_in
from tests.support.event.managed import PREPARED, TABLES
from twinwall.event.management.changes import TablesChosen
from twinwall.wire.messages.table_kind import TableKind

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


def test_a_hall_of_real_tables_is_no_rehearsal_until_one_of_them_is_simulated_and_the_director_reads_what_event_mode_adds() -> None:
    hall = Hall(settings=replace(OPEN, rehearsal=True, simulated=False))
    log_in(hall.client)
    hall.manage(*PREPARED)
    spectator = hall.new_client()
    assert not any(Words("en")("rehearsal") in spectator.get(page).text for page in PAGES)
    assert "--event" in hall.client.get("/event/sessions").text
    hall.manage(TablesChosen(TABLES, {"2": TableKind.SIMULATED}))
    assert all(Words("en")("rehearsal") in spectator.get(page).text for page in PAGES)
