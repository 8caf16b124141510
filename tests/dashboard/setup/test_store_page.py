"""The store's page: a backup to take away, and the decision about a store that was put back to an earlier state."""

from dashboard.access.staff_schema import Role
from dashboard.actions.change_sentences import change_sentence
from dashboard.i18n.words import Words
from tests.support.dashboard.setup import SetUp, says
from tests.support.dashboard.staff import enrol
from tests.support.event.ledgers import closing, playing, preparing, starting
from tests.support.wire.streams import START
from twinwall.event.management.changes import Announced
from twinwall.event.player_names import PlayerNames
from twinwall.event.store.store_records import Record
from twinwall.game.documents import write_time

AT = write_time(START)
MISSING = (
    Record(7, "management", {"change": {"type": "announced", "texts": {"en": "Lunch at one"}}, "staff": "Li Na", "at": AT}),
    Record(8, "ruling", {"table": "3", "staff": "Ota", "at": AT, "ruling": {}}),
    Record(9, "deals", {"step": {}, "at": AT}),
    Record(10, "management", {"change": {"type": "no change that there is"}, "staff": "Li Na", "at": AT}),
)


def take(director: SetUp) -> tuple[int, bytes]:
    answer = director.hall.submit("/event/backup")
    content = answer.data
    answer.close()
    assert answer.cache_control.no_store
    assert not answer.cache_control.public
    return answer.status_code, content


def test_a_director_takes_a_backup_away(director: SetUp) -> None:
    assert take(director) == (200, b"a copy of the store")
    assert director.hall.desk.looks == []


def test_while_tables_play_a_backup_is_a_look_at_each_of_them_and_needs_a_referee(director: SetUp) -> None:
    for table in ("1", "2"):
        director.hall.feed([*preparing(1), *starting(1, table), *playing()], table)
    assert take(director)[0] == 200
    assert sorted((look.table, look.n, look.by) for look in director.hall.desk.looks) == [("1", 1, "Ota"), ("2", 1, "Ota")]
    enrol(director.hall.staff, "Li Na", "another password", {Role.DIRECTOR})
    director.hall.client = director.hall.new_client()
    director.hall.log_in("Li Na", "another password")
    status, page = take(director)
    assert (status, says(page.decode(), "store.backup.playing")) == (409, True)


def test_after_the_release_a_backup_is_no_look(director: SetUp) -> None:
    director.hall.feed([*preparing(1), *starting(1, "1"), *playing(), *closing(1, (24, -8, -8, -8))])
    director.hall.release(1)
    assert take(director)[0] == 200
    assert director.hall.desk.looks == []


def test_what_is_missing_stands_on_every_page_of_the_staff_and_is_named_until_a_director_decides(director: SetUp) -> None:
    director.hall.desk.lost = MISSING
    assert says(director.page("/"), "store.lost.notice", count=4)
    page = director.page("/event/store")
    announced = change_sentence(Words("en"), Announced({"en": "Lunch at one"}), PlayerNames({}))
    for seen in (announced, "Li Na", "ruled at table 3", "a step towards", "record 10"):
        assert seen in page
    answer = director.hall.submit("/event/restored")
    assert answer.status_code == 303
    assert not director.hall.desk.lost
    assert not says(director.page("/event/store"), "store.lost.notice", count=4)
