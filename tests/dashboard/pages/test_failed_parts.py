"""What pages say to staff: advice for every fault, parts that cannot be made, what travels in clear, and that it is a rehearsal."""

from dataclasses import replace

import pytest

from controller.state import faults
from controller.state.waits import Wait, stands
from dashboard.access.shown_results import ShownResults
from dashboard.access.staff_file import StaffFile
from dashboard.i18n.words import NATIVE_NAMES, Words, known_language
from dashboard.pages.hall import hall_cards
from dashboard.pages.page_routes import Pages
from dashboard.pages.table import table_pieces
from dashboard.pages.table.presentation import place_name, trouble
from firmware_bridge.messages import FaultCode, Where
from tests.support.dashboard.example import whole_hand
from tests.support.dashboard.hall import OPEN, Hall
from tests.support.dashboard.setup import says
from tests.support.event.managed import PREPARED, TABLES
from twinwall.art.names import LANGUAGES
from twinwall.event.management.changes import TablesChosen
from twinwall.wire.messages.assignment import TableKind

SECRET = "the tile 5m"


def fail(*_values: object, **_named: object) -> None:
    raise KeyError(SECRET)


@pytest.fixture
def hall() -> Hall:
    hall = Hall(settings=OPEN)
    hall.feed(whole_hand())
    hall.log_in()
    return hall


def test_the_rest_of_the_hall_is_shown_and_the_staff_read_what_failed(
    hall: Hall, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(ShownResults, "standings", fail)
        broken.setattr(hall_cards, "summary", fail)
        for client in (hall.client, hall.new_client()):
            page = client.get("/")
            assert page.status_code == 200
            assert says(page, "failed.part")
            assert 'id="card-0"' in page.text
            assert 'id="leaders"' in page.text, "its place is there, so that the stream fills it again"
    assert {record.getMessage() for record in caplog.records} >= {"leaders cannot be shown", "summary cannot be shown"}
    elsewhere = hall.client.get("/calls")
    assert says(elsewhere, "failed.notice", what="summary: KeyError, leaders: KeyError")
    assert SECRET not in elsewhere.text, "an error may name a tile"
    assert "KeyError" not in hall.new_client().get("/seats").text
    hall.views.touch()
    assert not says(hall.client.get("/"), "failed.part"), "it is shown again as soon as it can be made"
    assert "KeyError" not in hall.client.get("/").text


def test_a_page_that_fails_as_a_whole_is_a_page_and_is_named_to_the_staff(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(ShownResults, "standings", fail)
        for language in ("en", "ja", "zh-Hans"):
            failed = hall.client.get(f"/print/standings.pdf?lang={language}")
            assert (failed.status_code, failed.mimetype) == (500, "text/html")
            assert 'href="/standings"' in failed.text
        assert hall.client.get("/api/v1/standings").mimetype == "application/problem+json"
    assert "/print/standings.pdf: KeyError" in hall.client.get("/calls").text
    assert hall.client.get("/print/standings.pdf").status_code == 404
    assert "KeyError" not in hall.client.get("/calls").text


@pytest.mark.parametrize(("broken", "named"), [("/table/1", "result: KeyError"), ("/table/1/hand/1", "KeyError")])
def test_only_a_page_of_the_same_address_says_that_it_can_be_made(
    hall: Hall, monkeypatch: pytest.MonkeyPatch, broken: str, named: str
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(table_pieces, "_result", fail)
        patched.setattr(Pages, "earlier_hand", fail)
        hall.client.get(broken)
    hall.feed(whole_hand(), "2")
    for other in ("/table/2", "/table/1/hand/2", "/calls"):
        assert named in hall.client.get(other).text
    hall.views.touch()
    hall.client.get(f"{broken}?lang=ja")
    assert "KeyError" not in hall.client.get("/calls").text


def test_a_page_whose_address_is_a_secret_is_named_by_its_route(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(StaffFile, "invited", fail)
    assert hall.new_client().get("/invitation/the-secret-of-a-link").status_code == 500
    page = hall.client.get("/calls").text
    assert "/invitation/&lt;token&gt;: KeyError" in page
    assert "the-secret" not in page


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
    hall.log_in()
    hall.manage(*PREPARED)
    spectator = hall.new_client()
    assert not any(Words("en")("rehearsal") in spectator.get(page).text for page in PAGES)
    assert "--event" in hall.client.get("/event/sessions").text
    hall.manage(TablesChosen(TABLES, {"2": TableKind.SIMULATED}))
    assert all(Words("en")("rehearsal") in spectator.get(page).text for page in PAGES)


def test_no_report_of_the_feeder_and_no_wait_is_without_a_sentence_in_the_pages_language() -> None:
    reported = [faults.feeder_fault(code, where) for code in set(FaultCode) - {FaultCode.NONE} for where in Where]
    for event in [*reported, *(faults.overdue(stands(wait)) for wait in Wait)]:
        fault = replace(event, sentence="only the table's own words")
        for words in map(Words, LANGUAGES):
            sentence, _, hand = trouble(fault, words)
            assert "only" not in sentence
            assert "0x" not in place_name(fault, words)
            if fault.code == "feeder-jam":
                assert hand, f"nobody is told how to reach {event.where}"
