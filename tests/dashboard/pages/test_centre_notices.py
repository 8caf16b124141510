"""What a centre of many venues tells a hall's staff: on the list of calls and on the hall's page, for the staff alone."""

from __future__ import annotations

from datetime import timedelta

import pytest

from dashboard.projections.store import EVERYBODY, MOST_NOTICES, NOTICE_S, STAFF, Store
from tests.support.dashboard.hall import OPEN, Hall
from tests.support.wire.streams import START

SENTENCE = "venue 'Kyoto' plays by another <b>plan</b>"
SHOWN = "From the centre of all venues: venue &#39;Kyoto&#39; plays by another &lt;b&gt;plan&lt;/b&gt;"


@pytest.mark.parametrize("path", ["/calls", "/"])
def test_the_staff_read_what_the_centre_says(path: str) -> None:
    hall = Hall()
    hall.log_in()
    hall.store.tell_staff(SENTENCE, START)
    assert SHOWN in hall.ask(path).text


def test_nobody_else_reads_it() -> None:
    hall = Hall(settings=OPEN)
    hall.store.tell_staff(SENTENCE, START)
    assert "Kyoto" not in hall.ask("/").text


def test_a_sentence_stays_as_long_as_the_centre_says_it() -> None:
    store = Store("boot")
    store.tell_staff(SENTENCE, START)
    again = START + timedelta(seconds=NOTICE_S)
    store.tell_staff(SENTENCE, again)
    store.tick(again + timedelta(seconds=NOTICE_S))
    assert [each.at for each in store.notices] == [again]
    before = store.sequence(STAFF)
    store.tick(again + timedelta(seconds=NOTICE_S + 1))
    assert store.notices == ()
    assert store.sequence(STAFF) > before


def test_the_latest_sentences_are_shown_and_only_the_staffs_pages_change() -> None:
    store = Store("boot")
    for number in range(MOST_NOTICES + 2):
        store.tell_staff(f"sentence {number}", START)
    assert [each.sentence for each in store.notices] == [f"sentence {number}" for number in range(2, MOST_NOTICES + 2)]
    assert store.sequence(EVERYBODY) == 0
