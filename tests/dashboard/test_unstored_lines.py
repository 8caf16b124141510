"""A database that takes nothing: the pages go on, say so as long as it lasts, and every line is stored afterwards."""

from datetime import timedelta

from dashboard.hall_intake import HallIntake, ListenerClock
from dashboard.projections.store import COMPLAINT_S, Store
from tests.support.dashboard.example import building
from tests.support.event.read_only import make_read_only
from tests.support.wire.streams import START, ledger_lines
from twinwall.event.field import field_of
from twinwall.event.results import EntrantKind
from twinwall.event.store.databases.port import StoreAddress
from twinwall.event.store.programme import Programme
from twinwall.event.store.store_reading import read_store
from twinwall.event.store.store_writer import StoreWriter
from twinwall.wire.mqtt.topics import Channel, Topic

LINES = ledger_lines([*building()])


def test_while_a_database_is_read_only_the_page_says_so_again_and_again_and_nothing_is_lost(store_address: StoreAddress) -> None:
    desk = StoreWriter(store_address, Programme("e", field_of(EntrantKind.INDIVIDUAL, ["1"])), START)
    seconds = 0.0
    pages = Store("boot")
    clock = ListenerClock(lambda: START + timedelta(seconds=seconds), lambda: seconds)
    intake = HallIntake(pages, desk, clock, lambda _table, _command: True)

    def complaint() -> str:
        status = pages.table("1")
        return "" if status is None else status.complaint or ""

    make_read_only(desk, on=True)
    for line in LINES[:4]:
        intake.take(str(Topic("e", "1", Channel.EVENTS)), line)
    intake.keep_accepted()
    status = pages.table("1")
    assert status is not None
    assert len(status.view.log) > 0, "the page goes on"
    for _ in range(int(3 * COMPLAINT_S)):
        seconds += 1.0
        intake.tick()
        assert "table 1: not stored yet" in complaint()
    make_read_only(desk, on=False)
    intake.tick()
    assert desk.waiting_tables == ()
    for _ in range(int(COMPLAINT_S) + 2):
        seconds += 1.0
        intake.tick()
    assert complaint() == ""
    desk.close()
    assert [line for line, _ in read_store(store_address).journals[0].lines] == LINES[:4]
