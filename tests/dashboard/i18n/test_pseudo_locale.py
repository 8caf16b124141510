"""Pseudo-locale: every text of every page comes out of the catalogue, so none is outside its brackets."""

import pytest

import dashboard.i18n.words
from tests.support.dashboard.desks import MemoryDesk, teams_of_four
from tests.support.dashboard.example import building, closed_hand, play, whole_hand
from tests.support.dashboard.hall import OPEN, Hall
from tests.support.dashboard.pseudo_locale import Bracketed, left_over
from tests.support.wire.streams import Line

JAM: Line = ("fault", {"code": "feeder-jam", "where": "0x21", "part": "tray", "number": 1, "sentence": "A tile is stuck."})


@pytest.fixture
def wrapped(monkeypatch: pytest.MonkeyPatch) -> Hall:
    """A hall whose every text stands in brackets, in the language whose tiles and fans have no Latin letters."""
    monkeypatch.setattr(dashboard.i18n.words, "_texts", Bracketed)
    hall = Hall(desk=MemoryDesk(teams_of_four()), settings=OPEN)
    for table in "123":
        hall.feed([*closed_hand(table), *[*building(2)][1:], *play("E2p", 2), ("referee-called", {"seat": "S"}), JAM], table)
    hall.feed([*closed_hand("4")], "4")
    hall.release()
    hall.client.get("/login?lang=ja")
    return hall


@pytest.mark.parametrize("path", ["/", "/standings", "/deal/1", "/deal/2", "/table/1", "/login", "/nothing", "/table/99"])
def test_a_spectators_page_says_nothing_that_is_not_in_the_catalogue(wrapped: Hall, path: str) -> None:
    page = wrapped.client.get(path).text
    assert "⟦" in page
    assert left_over(page) == set()


@pytest.mark.parametrize(
    "path", ["/", "/calls", "/staff", "/event", "/event/description", "/event/file", "/event/store", "/table/1", "/table/4", "/deal/2"]
)
def test_a_page_of_the_staff_says_nothing_that_is_not_in_the_catalogue(wrapped: Hall, path: str) -> None:
    wrapped.log_in()
    assert left_over(wrapped.client.get(path).text) == set()


def test_a_settled_hand_is_told_in_the_catalogues_words(wrapped: Hall) -> None:
    wrapped.log_in()
    wrapped.feed(whole_hand(), "5")
    assert left_over(wrapped.client.get("/table/5").text) == set()
