"""A disk or a database that takes nothing while the pages are used: they stay readable, say so, and every line is stored afterwards."""

import html
from collections.abc import Iterator
from datetime import timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient

from dashboard.access.staff_file import IDLE_S, SEEN_EVERY_S, TOTAL_S, StaffFile
from dashboard.app import create_app
from dashboard.hall_intake import HallIntake, ListenerClock
from dashboard.i18n.words import Words
from dashboard.projections.store import COMPLAINT_S, Store
from tests.support.dashboard.example import building
from tests.support.dashboard.hall import OPEN
from tests.support.dashboard.staff import NAME, log_in, new_staff, submit
from tests.support.event.databases import make_read_only
from tests.support.event.managed import PREPARED
from tests.support.wire.streams import START, ledger_lines
from twinwall.event.field import EventField, field_of
from twinwall.event.management.changes import Announced
from twinwall.event.results import EntrantKind
from twinwall.event.store.databases.port import StoreAddress
from twinwall.event.store.programme import Programme
from twinwall.event.store.store_contents import ManagementStep
from twinwall.event.store.store_reading import read_store
from twinwall.event.store.store_writer import StoreWriter
from twinwall.wire.mqtt.topics import Channel, Topic

PAGES = ("/", "/event", "/event/sessions", "/event/tables", "/event/entrants/5", "/seats", "/standings", "/calls", "/machines", "/staff")
ANNOUNCED = {"do": "announce", "text-en": "Tea is served", "text-ja": "", "text-zh-Hans": ""}


class Evening:
    """A prepared event in a real store, with its pages; the clock stands still unless a test turns it."""

    def __init__(self, address: StoreAddress, staff: StaffFile) -> None:
        self.address, self.staff, self.seconds = address, staff, 0
        self.desk = StoreWriter(address, Programme("Autumn", EventField(EntrantKind.INDIVIDUAL, ())), START)
        for change in PREPARED:
            self.desk.manage(ManagementStep(change, NAME, START), None)
        self.app: Flask = create_app(OPEN, Store("boot-1"), self.desk, staff, now=lambda: START + timedelta(seconds=self.seconds))
        self.client: FlaskClient = self.app.test_client()
        log_in(self.client)

    def read_only(self, *, on: bool) -> None:
        make_read_only(self.desk, on=on)
        with self.staff.reading() as execute:
            execute(f"PRAGMA query_only = {on}")

    def send(self, path: str, **form: str) -> tuple[int, str]:
        answer = submit(self.client, path, {"seen": str(self.desk.event.version), **form})
        return answer.status_code, html.unescape(answer.text)


@pytest.fixture
def staff() -> Iterator[StaffFile]:
    opened = new_staff()
    yield opened
    opened.close()


@pytest.fixture
def evening(store_address: StoreAddress, staff: StaffFile) -> Iterator[Evening]:
    opened = Evening(store_address, staff)
    yield opened
    opened.desk.close()


def test_pages_stay_readable_and_orders_say_why_they_were_not_done(evening: Evening) -> None:
    before = {path: evening.client.get(path).status_code for path in PAGES}
    assert set(before.values()) == {200}
    evening.read_only(on=True)
    evening.seconds += 2 * SEEN_EVERY_S
    assert {path: evening.client.get(path).status_code for path in PAGES} == before
    version, sentence = evening.desk.event.version, Words("en")("error.store")
    for path, form in (
        ("/event/sessions", ANNOUNCED),
        ("/event/sessions", {"do": "start", "session": "1"}),
        ("/event/tables", {"table": "1"}),
        ("/event/entrants/5", {"do": "absent", "reason": "a wedding"}),
    ):
        status, page = evening.send(path, **form)
        assert status in (409, 503), (path, form)
        assert sentence in page, (path, form)
        assert evening.desk.event.version == version
    assert "Tea is served" in evening.send("/event/sessions", **ANNOUNCED)[1], "what was typed stays"
    evening.read_only(on=False)
    assert evening.send("/event/sessions", **ANNOUNCED)[0] == 303
    evening.desk.close()
    again = StoreWriter(evening.address, read_store(evening.address).programme, START)
    *before_it, announced = [step.change for step in again.steps]
    again.close()
    assert (before_it, announced) == (list(PREPARED), Announced({"en": "Tea is served"}))


def test_while_the_accounts_file_is_read_only_a_session_lasts_while_it_is_used_and_no_longer(staff: StaffFile) -> None:
    account = staff.account(NAME)
    assert account is not None
    used, unused = (staff.begin_session(account, 0) for _ in range(2))
    with staff.reading() as execute:
        execute("PRAGMA query_only = on")
    for now in range(0, TOTAL_S, IDLE_S - 1):
        assert staff.session(used, now) is not None, f"{now} s after the login, used all the time"
    assert staff.session(used, TOTAL_S + 1) is None
    assert staff.session(unused, 10) is not None
    assert staff.session(unused, 11 + IDLE_S) is None


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
