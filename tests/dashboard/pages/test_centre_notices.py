"""What a hall's staff read of a centre of many venues: what it tells them, and which slips have not come from it."""

from datetime import timedelta

import pytest

from dashboard.projections.store import EVERYBODY, MOST_NOTICES, NOTICE_S, STAFF, Store
from tests.support.dashboard.desks import MemoryDesk
from tests.support.dashboard.example import closed_hand
from tests.support.dashboard.hall import OPEN, Hall
from tests.support.wire.streams import START
from twinwall.event.field import field_of
from twinwall.event.results import EntrantKind
from twinwall.game.deals import FieldTerms, ReleaseRule, SessionTimes, Start, StartedPlan, plan_sessions
from twinwall.game.deals.encoding import Sha256

SENTENCE = "venue 'Kyoto' plays by another <b>plan</b>"
SHOWN = "From the centre of all venues: venue &#39;Kyoto&#39; plays by another &lt;b&gt;plan&lt;/b&gt;"


def test_the_staff_alone_read_what_the_centre_says() -> None:
    hall = Hall(settings=OPEN)
    hall.store.tell_staff(SENTENCE, START)
    assert "Kyoto" not in hall.ask("/").text
    hall.log_in()
    for path in ("/calls", "/"):
        assert SHOWN in hall.ask(path).text


def test_a_sentence_stays_as_long_as_the_centre_says_it() -> None:
    store = Store("boot")
    store.tell_staff(SENTENCE, START)
    again = START + timedelta(seconds=NOTICE_S)
    store.tell_staff(SENTENCE, again)
    store.tick(again + timedelta(seconds=NOTICE_S))
    assert list(store.notices.values()) == [again]
    before = store.sequence(STAFF)
    store.tick(again + timedelta(seconds=NOTICE_S + 1))
    assert store.notices == {}
    assert store.sequence(STAFF) > before


def test_the_latest_sentences_are_shown_and_only_the_staffs_pages_change() -> None:
    store = Store("boot")
    for number in range(MOST_NOTICES + 2):
        store.tell_staff(f"sentence {number}", START)
    assert list(store.notices) == [f"sentence {number}" for number in range(2, MOST_NOTICES + 2)]
    assert store.sequence(EVERYBODY) == 0


def venue(rule: ReleaseRule) -> Hall:
    """A venue of a field whose two tables have finished the first deal, the second one later; another session is not open yet."""
    times = SessionTimes(1, "2026-11-22T18:00Z", "2026-11-22T22:00Z" if rule is ReleaseRule.DEADLINE else None)
    plan = plan_sessions("Autumn", "mcr-duplicate", sessions=1, hands=2, holders=["server"], public="", field=FieldTerms(rule, (times,)))
    started = StartedPlan(plan, Start(plan.digest, Sha256(b"\x01" * 32), "1m 2p 3s"))
    hall = Hall(desk=MemoryDesk(field_of(EntrantKind.INDIVIDUAL, ["1", "2"]), custody=started), settings=OPEN)
    for table in ("1", "2"):
        hall.feed(closed_hand(table), table)
    return hall


@pytest.mark.parametrize(
    ("rule", "when"),
    [
        (ReleaseRule.ALL_FINISHED, "The centre releases a slip when every venue has finished the deal."),
        (ReleaseRule.DEADLINE, 'at the deadline: <time data-minute="2026-11-22T22:00:00.000Z"'),
    ],
)
def test_the_staff_read_which_slips_have_not_come_from_the_centre_and_since_when(rule: ReleaseRule, when: str) -> None:
    hall = venue(rule)
    last = max(closed for table in ("1", "2") if (closed := hall.desk.hall.deal(1, for_officials=True).tables[int(table) - 1].since))
    assert "Finished at all tables here" not in hall.ask("/").text, "the staff alone read it"
    assert "Opens when its slip comes from the centre" in hall.ask("/deal/1").text
    hall.log_in()
    shown = hall.ask("/").text
    waited = f'waited for since <time data-minute="{last:%Y-%m-%dT%H:%M}:00.000Z"'
    assert "Finished at all tables here: Deal 1. " in shown
    assert waited in shown
    assert when in shown
    assert "Opens when its slip comes from the centre" in hall.ask("/deal/1").text
    hall.release()
    assert "Finished at all tables here" not in hall.ask("/").text


def test_a_hall_that_is_no_venue_waits_for_no_centre() -> None:
    hall = Hall(desk=MemoryDesk(field_of(EntrantKind.INDIVIDUAL, ["1"])))
    hall.feed(closed_hand("1"))
    hall.log_in()
    assert "Finished at all tables here" not in hall.ask("/").text
