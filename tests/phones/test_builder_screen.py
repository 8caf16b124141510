"""A phone as the builder's screen of a table's station: what it shows, what a touch does, and how it is replaced and dismissed."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect
from websockets.sync.connection import Connection

from tableside.phones.local_server import PhoneServers, phone_parts
from tableside.phones.phone_book import PhoneRole, RoleKind
from tableside.phones.table_stations import Deed
from tableside.station.screen_server import IDLE_S, TOUCHES, PhoneScreens
from tests.phones.conftest import TablePhones, heard
from tests.support.patience import PATIENCE_S
from tests.support.station.served import ServedStation, served_station

BUILDER = PhoneRole("1", "builder")
BUILDER_OF_2, SECOND_OF_2 = PhoneRole("2", "builder"), PhoneRole("2", "builder-1")
REPLACED = "Another phone does this now. This page can be closed."
DISMISSED = "Staff dismissed this phone, or its role was taken back at the table. To use it again, ask for a new code."


@pytest.fixture
def table(tmp_path: Path) -> Iterator[ServedStation]:
    with served_station(tmp_path) as served:
        yield served


@pytest.fixture
def phones(tmp_path: Path, table: ServedStation) -> Iterator[TablePhones]:
    parts = phone_parts({"1": 1}, tmp_path / "phones.json", {"1": table.port})
    servers = PhoneServers(parts, ("127.0.0.1", 0), 0)
    servers.start()
    yield TablePhones(parts, servers)
    servers.stop()


def joined(context: BrowserContext, phones: TablePhones, role: PhoneRole = BUILDER) -> Page:
    page = context.new_page()
    page.goto(phones.link(role))
    return page


def own_screen(browser: Browser, table: ServedStation) -> Page:
    page = browser.new_page(locale="en")
    page.goto(table.page.url)
    return page


def test_the_length_of_what_a_builders_screen_gets_tells_no_place(
    context: BrowserContext, phones: TablePhones, table: ServedStation
) -> None:
    page = context.new_page()
    _sent, got = heard(page)
    page.goto(phones.link(BUILDER))
    expect(page.locator("#task")).to_have_text("Show the next blue tile")
    for seat, place, said in ((0, 33, "last of the wall, place 11"), (1, 32, "lower row, place 10"), (2, 12, "hand, place 13")):
        table.put(seat, place)
        expect(page.locator("#task")).to_have_text(said)
    assert len({len(each) for each in got}) == 1
    assert len({str(each).rstrip() for each in got}) > 3


def test_the_phone_shows_where_the_tile_goes_and_the_next_tile_or_a_touch_confirms_it(
    context: BrowserContext, phones: TablePhones, table: ServedStation
) -> None:
    page = joined(context, phones)
    expect(page.locator("#task")).to_have_text("Show the next blue tile")
    table.put(1, 32)
    expect(page.locator("#seat")).to_have_text("South")
    expect(page.locator("#task")).to_have_text("lower row, place 10")
    expect(page.locator("#wall text.lit")).to_have_text("10")
    expect(page.locator("#wall rect.lit")).to_have_count(1)
    table.put(2, 12)
    expect(page.locator("#seat")).to_have_text("West")
    expect(page.locator("#task")).to_have_text("hand, place 13")
    expect(page.locator("#placed")).to_have_text("1 placed")
    page.click("#ok")
    table.wait_confirmed()
    table.station.saw(False)
    page.click("#undo")
    expect(page.locator("#placed")).to_have_text("1 placed")


def test_while_a_phone_has_the_screen_the_tables_own_shows_no_place_and_takes_it_back(
    browser: Browser, context: BrowserContext, phones: TablePhones, table: ServedStation
) -> None:
    own = own_screen(browser, table)
    expect(own.locator("#task")).to_have_text("Show the next blue tile")
    page = joined(context, phones)
    expect(own.locator("#task")).to_have_text("A phone or tablet has this screen")
    table.put(3, 30)
    expect(page.locator("#seat")).to_have_text("North")
    expect(own.locator("#seat")).to_be_empty()
    own.click("#back")
    expect(own.locator("#seat")).to_have_text("North")
    expect(page.locator("#state")).to_have_text(DISMISSED)
    expect(page.locator("#screen")).to_be_empty()
    page.reload()
    expect(page.locator("#state")).to_have_text("Scan the code that the table or the director shows.")
    own.close()


def test_the_next_phone_replaces_the_first_and_a_dismissed_one_gives_the_screen_back(
    browser: Browser, context: BrowserContext, phones: TablePhones, table: ServedStation
) -> None:
    own = own_screen(browser, table)
    first = joined(context, phones)
    expect(first.locator("#task")).to_have_text("Show the next blue tile")
    second_phone = browser.new_context(locale="en")
    second = joined(second_phone, phones)
    expect(second.locator("#task")).to_have_text("Show the next blue tile")
    expect(first.locator("#state")).to_have_text(REPLACED)
    expect(first.locator("#screen")).to_be_empty()
    phones.post("/dismissed", {"table": "1", "name": "builder"})
    expect(second.locator("#state")).to_have_text(DISMISSED)
    expect(own.locator("#task")).to_have_text("Show the next blue tile")
    second_phone.close()
    own.close()


def test_a_station_that_is_gone_is_said_and_comes_again_by_itself(context: BrowserContext, tmp_path: Path) -> None:
    with served_station(tmp_path) as table:
        parts = phone_parts({"1": 1}, tmp_path / "phones.json", {"1": table.port})
        servers = PhoneServers(parts, ("127.0.0.1", 0), 0)
        servers.start()
        page = joined(context, TablePhones(parts, servers))
        expect(page.locator("#task")).to_have_text("Show the next blue tile")
    expect(page.locator("#task")).to_have_text("The table does not answer: wait")
    with served_station(tmp_path, table.port):
        expect(page.locator("#task")).to_have_text("Show the next blue tile")
    servers.stop()


def test_a_table_without_a_station_has_no_builders_screen(tmp_path: Path) -> None:
    parts = phone_parts({"1": 1, "2": 1}, tmp_path / "phones.json", {"2": 8105})
    assert [role for role in parts.book.roles if role.kind is RoleKind.BUILDER] == [BUILDER_OF_2, SECOND_OF_2]


def test_a_phone_may_touch_what_the_stations_page_may_touch() -> None:
    assert set(get_args(Deed)) == set(TOUCHES)


def test_a_screen_is_the_tables_again_after_a_quarter_of_an_hour_or_once_it_is_taken_back_from_that_phone_alone() -> None:
    now_s = [0.0]
    screens = PhoneScreens(clock=lambda: now_s[0])
    assert screens.let_in("builder", "A")
    assert screens.out
    now_s[0] = IDLE_S
    assert not screens.out
    screens.take_back()
    assert not screens.let_in("builder", "A")
    assert screens.let_in("builder", "B")
    screens.gone("builder", "A")
    assert screens.out
    screens.gone("builder", "B")
    assert not screens.out


def hello(phones: TablePhones, **known: str) -> tuple[Connection, dict[str, object]]:
    phone = connect(f"ws://127.0.0.1:{phones.servers.phones.port}/phone")
    phone.send(json.dumps({"type": "hello", **known}))
    return phone, json.loads(phone.recv(PATIENCE_S))


def test_without_the_code_or_the_token_of_the_builders_phone_nobody_is_told_anything(phones: TablePhones, table: ServedStation) -> None:
    phone, entered = hello(phones, code=phones.link(BUILDER).partition("#")[2])
    table.put(0, 33)
    while '"do":"put"' not in str(phone.recv(PATIENCE_S)):
        pass
    for known in ({}, {"code": "0" * 32}, {"token": "0" * 32}, {"token": str(entered["words"])}):
        other, answer = hello(phones, **known)
        assert answer["type"] == "refused"
        with pytest.raises(ConnectionClosed):
            other.recv(PATIENCE_S)
    phone.close()


def test_a_phone_with_another_role_is_told_nothing_of_the_screen(phones: TablePhones, table: ServedStation) -> None:
    keys, entered = hello(phones, code=phones.link(PhoneRole("1", "keys")).partition("#")[2])
    assert entered["type"] == "joined"
    assert json.loads(keys.recv(PATIENCE_S))["type"] == "shown"
    table.put(0, 33)
    keys.send(json.dumps({"type": "touched", "deed": "done", "number": table.station.screen(0, 0.0)[1].task.number}))
    keys.send(json.dumps({"type": "pressed", "name": "a press of mine", "key": "chow", "place": 0}))
    while json.loads(keys.recv(PATIENCE_S))["type"] != "heard":
        pass
    assert table.station.screen(0, 0.0)[1].placed == 0
    keys.close()
