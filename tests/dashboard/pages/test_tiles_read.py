"""Tiles drawn for the public value, on the director's page, in the API and on the page of trust: read by cameras, typed, or both."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Barrier

import pytest

from dashboard.access.api_tokens import TokenScope
from dashboard.assignments import SILENT_S, HallTables
from dashboard.pages.trust.trust_routes import SHOWN_READINGS
from dashboard.web_settings import WebSettings
from tests.support.dashboard.api import Program
from tests.support.dashboard.custody.vaults import CommittingVaults
from tests.support.dashboard.guided_tables import TileCameras
from tests.support.dashboard.hall import OPEN, Hall, must_say
from tests.support.dashboard.joined_tile_table import TileHall
from tests.support.dashboard.tables.tables_in_play import words_of
from tests.support.event.managed import PREPARED
from tests.support.patience import PATIENCE_S
from tests.support.wire.brokers import free_port
from twinwall.event.deal_state import MOST_READINGS, MadeDeals, tile_readings
from twinwall.event.drawn_tiles import contradictions
from twinwall.event.management.changes import EventChange, SessionStarted, TablesChosen
from twinwall.game.deals import StartedPlan
from twinwall.wire.messages.assignment import TableKind
from twinwall.wire.messages.tile_reading import open_tile_reading

PASSPHRASE = "correct horse battery"
ONE, TWO, THREE, FOUR = "1m 2m 3m 4m 5m 6m 7m 8m", "1p 2p 3p 4p 5p 6p 7p 8p", "1s 2s 3s 4s 5s 6s 7s 8s", "E S W N C F P 9m"


@pytest.fixture
def cameras() -> TileCameras:
    """Of three tables; the fourth has a computer of its own."""
    return TileCameras({"1": ONE, "2": TWO, "3": THREE})


@pytest.fixture
def vaults() -> CommittingVaults:
    return CommittingVaults()


def prepared(settings: WebSettings, vaults: CommittingVaults, hall_tables: HallTables | None = None, *more: EventChange) -> Hall:
    made = Hall(settings=settings, deals=vaults, hall_tables=hall_tables)
    made.manage(*PREPARED, *more)
    made.log_in()
    return made


def read_at(address: str) -> WebSettings:
    return replace(OPEN, readiness=address, tables=("1", "2", "3", "4"))


@pytest.fixture
def hall(cameras: TileCameras, vaults: CommittingVaults) -> Iterator[Hall]:
    with cameras.served() as address:
        yield prepared(read_at(address), vaults)


def started(vaults: CommittingVaults) -> StartedPlan:
    assert isinstance(vaults.state, MadeDeals)
    assert vaults.state.start is not None
    return StartedPlan(vaults.state.plan, vaults.state.start)


def refused(hall: Hall, do: str, said: str, **fields: object) -> None:
    status, page = order(hall, do, **fields)
    assert status == 409
    assert said in page


def order(hall: Hall, do: str, **fields: object) -> tuple[int, str]:
    known = re.search(r'name="readings" value="(\d+)"', hall.client.get("/event/deals").text)
    answer = hall.submit("/event/deals", {"do": do, "readings": known[1] if known else "0", **fields})
    return answer.status_code, "" if answer.status_code == 303 else words_of(answer.text)


def post(hall: Hall, do: str, **fields: object) -> str:
    """The page that answers a form of which the test says all fields."""
    return hall.submit("/event/deals", {"do": do, **fields}).text


def make(hall: Hall, source: str = "tiles: 32") -> None:
    assert order(hall, "make", source="", other=source, passphrase=PASSPHRASE, again=PASSPHRASE)[0] == 303


def shown(hall: Hall, path: str = "/event/deals") -> str:
    return words_of(hall.client.get(path).text)


def test_tables_are_read_the_table_without_a_camera_is_typed_and_a_person_confirms(hall: Hall, vaults: CommittingVaults) -> None:
    make(hall)
    assert "Table 1: 8 tiles · Table 2: 8 tiles" in shown(hall)
    assert order(hall, "read")[0] == 303
    assert "Table 4 0 of 8 tiles This table has no camera that is asked here: type its tiles." in shown(hall)
    rows = [ONE, TWO, THREE, f" {FOUR} "]
    refused(hall, "start", "Compare the tiles with those on the tables", public=rows)
    assert order(hall, "start", public=rows, seen="yes")[0] == 303
    assert started(vaults).start.public == " ".join((ONE, TWO, THREE, FOUR))


def test_what_is_not_read_is_named_with_what_to_do(hall: Hall, cameras: TileCameras) -> None:
    make(hall)
    cameras.tiles["1"] = ONE.removesuffix(" 8m")
    cameras.unread["1"] = [{"place": 4, "number": 2, "why": "unsure"}]
    cameras.tiles["2"] = TWO.removesuffix(" 8p")
    cameras.refused["3"] = "this table plays: wait until its hands are over"
    order(hall, "read")
    page = shown(hall)
    must_say(page, "Place 4, river, tile 2 : The reader is not sure. Lay the tile anew", "8 tiles should lie in the rivers: count them")
    assert "Nothing was read. this table plays" in page
    for language in ("ja", "zh-Hans"):
        assert hall.client.get(f"/event/deals?lang={language}").status_code == 200


def test_rows_that_were_typed_stay_when_the_value_is_refused(hall: Hall) -> None:
    make(hall)
    order(hall, "read")
    refused(hall, "start", "Table 1: 13 tiles where 8 are drawn", public=[f"{ONE} E S W N C", TWO, THREE, "E S W"], seen="yes")
    assert "Table 4: 3 tiles where 8 are drawn" in order(hall, "start", public=[ONE, TWO, THREE, "E S W"], seen="yes")[1]
    assert 'value="E S W"' in post(hall, "start", public=[ONE, TWO, THREE, "E S W"], readings="1")


def test_shares_that_do_not_divide_give_the_first_tables_one_more_and_one_at_which_a_hand_may_lie_is_not_asked(
    hall: Hall, cameras: TileCameras, vaults: CommittingVaults
) -> None:
    make(hall, "tiles: 30")
    order(hall, "read")
    assert [seen.wanted for seen in tile_readings(vaults.state)[0].tables] == [8, 8, 7, 7]
    cameras.asked.clear()
    hall.manage(SessionStarted(1))
    order(hall, "read")
    assert cameras.asked == []
    assert "A hand may lie at this table" in shown(hall)


def test_tables_without_a_share_need_no_row_and_are_not_asked(hall: Hall, cameras: TileCameras, vaults: CommittingVaults) -> None:
    tables = tuple(str(number) for number in range(1, 13))
    hall.manage(TablesChosen(tables))
    make(hall, "tiles: 8")
    cameras.tiles = dict.fromkeys(tables, "1m")
    assert order(hall, "read")[0] == 303
    assert sorted(cameras.asked) == list("12345678")
    page = hall.client.get("/event/deals").text
    assert (page.count('name="public" autocomplete="off" required'), page.count('name="public"')) == (8, 12)
    drawn = ["1m", "2m", "3m", "3m", "E", "E", "9p", "1m"]
    assert order(hall, "start", public=[*drawn, *[""] * 4], seen="yes")[0] == 303
    assert started(vaults).start.public == " ".join(drawn)


def test_reading_again_keeps_the_rows_of_tables_without_a_camera_and_a_value_of_an_older_reading_is_refused(
    hall: Hall, cameras: TileCameras
) -> None:
    make(hall)
    order(hall, "read")
    old = [ONE, TWO, THREE, FOUR]
    cameras.tiles["1"] = "9m " + ONE.removeprefix("1m ")
    for page in (post(hall, "read", public=old, readings="1"), post(hall, "start", public=old, seen="yes", readings="1")):
        must_say(page, f'value="{FOUR}"', f'value="{cameras.tiles["1"]}"')
        assert ONE not in page, "a row of the older reading is not offered as the last one's"
        assert 'name="readings" value="2"' in page
    assert "The tiles were read again meanwhile" in words_of(page)
    page = post(hall, "start", public=" ".join(old))
    assert "The tiles were read again meanwhile" in words_of(page)
    assert order(hall, "start", public=[cameras.tiles["1"], *old[1:]], seen="yes")[0] == 303


def test_after_so_many_readings_no_more_is_kept_and_the_last_ones_are_shown(hall: Hall, vaults: CommittingVaults) -> None:
    make(hall)
    for _ in range(MOST_READINGS):
        assert order(hall, "read")[0] == 303
    refused(hall, "read", "The tiles were read as often as they may be")
    assert len(tile_readings(vaults.state)) == MOST_READINGS
    trust = shown(hall, "/trust")
    assert f"The tables' tiles were read {MOST_READINGS} times." in trust
    assert trust.count(ONE) == SHOWN_READINGS


def test_a_reading_without_any_camera_is_refused_and_binds_nothing(hall: Hall, cameras: TileCameras, vaults: CommittingVaults) -> None:
    make(hall)
    cameras.tiles = {"of another hall": ONE}
    refused(hall, "read", "No table of this event has a camera that is asked here")
    assert tile_readings(vaults.state) == ()


def unread(hall: Hall, cameras: TileCameras, why: str) -> None:
    refused(hall, "read", why)
    assert cameras.asked == []


def test_nothing_is_read_before_the_commitments_or_with_another_source_or_once_the_value_is_fixed(hall: Hall, cameras: TileCameras) -> None:
    unread(hall, cameras, "The public value comes after the commitments")
    make(hall, "the mayor throws dice")
    assert "Read the tiles on the tables" not in shown(hall)
    unread(hall, cameras, "another source of the public value than tiles")
    make(hall)
    order(hall, "start", public=" ".join((ONE, TWO, THREE, FOUR)))
    unread(hall, cameras, "The public value is fixed")


def test_everybody_sees_each_reading_and_which_part_was_typed(hall: Hall, cameras: TileCameras, vaults: CommittingVaults) -> None:
    spectator = hall.new_client()
    make(hall)
    assert "Tiles drawn" not in words_of(spectator.get("/trust").text)
    order(hall, "read")
    assert "The tables' tiles were read once." in words_of(spectator.get("/trust").text)
    cameras.tiles["1"] = "9m " + ONE.removeprefix("1m ")
    order(hall, "read")
    order(hall, "read")
    assert "The tables' tiles were read 3 times." in shown(hall)
    order(hall, "start", public=[cameras.tiles["1"], TWO, "9s " + THREE.removeprefix("1s "), FOUR], seen="yes")
    hall.desk.hall.programme = replace(hall.desk.hall.programme, event="Autumn", custody=started(vaults))
    page = words_of(spectator.get("/trust").text)
    must_say(page, f"Table 1 {cameras.tiles['1']} read by the table's camera", "8s entered by a director")
    assert "The tables' tiles were read 3 times." in page
    assert page.count(ONE) == 1, "the reading that was replaced is still seen"
    for language in ("ja", "zh-Hans"):
        assert spectator.get(f"/trust?lang={language}").status_code == 200


def test_a_hall_without_cameras_types_the_value_as_one_text(vaults: CommittingVaults) -> None:
    hall = prepared(OPEN, vaults)
    make(hall)
    page = hall.client.get("/event/deals").text
    assert 'id="public"' in page
    assert "Table 1: 8 tiles" in words_of(page)
    assert "Read the tiles on the tables" not in page


def test_a_program_lets_tables_be_read_and_fixes_the_value_that_it_composed(hall: Hall, cameras: TileCameras) -> None:
    director, visitor = Program(hall), Program(hall, TokenScope.VIEWER)
    refused = director.ask("POST", "/custody/tiles", {})
    assert (refused.status_code, refused.get_json()["reason"]) == (409, "not-made")
    director.do("/custody/deals", {"source": "tiles: 24", "passphrase": PASSPHRASE})
    cameras.tiles = {"1": ONE[:17], "2": TWO[:17], "3": THREE[:17], "4": FOUR[:11]}
    director.do("/custody/tiles", {})
    readings = visitor.read("/custody")["readings"]
    assert isinstance(readings, list)
    assert [(seen["table"], seen["wanted"], seen["tiles"]) for seen in readings[-1]] == [
        (table, 6, tiles) for table, tiles in cameras.tiles.items()
    ]
    assert visitor.ask("POST", "/custody/tiles", {}).status_code == 403
    value = " ".join(seen["tiles"] for seen in readings[-1])
    director.do("/custody/tiles", {})
    refused = director.ask("POST", "/custody/start", {"public": value, "readings": 1})
    assert (refused.status_code, refused.get_json()["reason"]) == (409, "other-reading")
    readings = visitor.read("/custody")["readings"]
    assert director.do("/custody/start", {"public": value, "readings": 2})["readings"] == readings


@pytest.fixture
def tables(tmp_path: Path) -> TileHall:
    """Table 3 has a camera of its own computer's, table 4 none; the first two are of this computer."""
    tables = TileHall(tmp_path)
    tables.join("3", tiles=THREE)
    tables.join("4", tiles=None)
    return tables


@pytest.fixture
def mixed(cameras: TileCameras, vaults: CommittingVaults, tables: TileHall) -> Iterator[Hall]:
    del cameras.tiles["3"]
    with cameras.served() as address:
        made = prepared(read_at(address), vaults, tables.tables)
        make(made)
        yield made


def test_a_table_with_a_computer_of_its_own_signs_what_it_has_read(mixed: Hall, vaults: CommittingVaults, tables: TileHall) -> None:
    order(mixed, "read")
    (reading,) = tile_readings(vaults.state)
    seen = {each.table: each for each in reading.tables}
    assert [seen[table].tiles for table in "123"] == [ONE, TWO, THREE]
    assert (seen["1"].signed, seen["3"].key) == ("", tables.joined["3"].identity.public.hex())
    assert isinstance(vaults.state, MadeDeals)
    assert list(contradictions("Autumn", 32, vaults.state.readings)) == []
    ordered = open_tile_reading(seen["3"].signed.encode(), "3", tables.joined["3"].identity.public).order
    assert (ordered.event, ordered.root) == ("Autumn", vaults.state.commitments.root.hex())
    must_say(shown(mixed), "Table 3 8 of 8 tiles", "Nothing was read. this table has no camera above its mat: type its tiles")
    assert order(mixed, "start", public=[ONE, TWO, THREE, FOUR], seen="yes")[0] == 303


def test_all_joined_tables_are_ordered_at_once(vaults: CommittingVaults, tables: TileHall) -> None:
    names = tuple(str(number) for number in range(1, 9))
    all_look = Barrier(len(names))
    for name in names:
        tables.join(name, tiles="1m 2m 3m 4m").looking = lambda: all_look.wait(PATIENCE_S)
    hall = prepared(replace(OPEN, tables=names), vaults, tables.tables, TablesChosen(names))
    make(hall)
    assert order(hall, "read")[0] == 303
    assert [seen.tiles for seen in tile_readings(vaults.state)[0].tables] == ["1m 2m 3m 4m"] * 8


def test_without_the_tables_of_this_computer_those_that_have_joined_are_read(vaults: CommittingVaults, tables: TileHall) -> None:
    hall = prepared(read_at(f"http://127.0.0.1:{free_port()}"), vaults, tables.tables)
    make(hall)
    assert order(hall, "read")[0] == 303
    (reading,) = tile_readings(vaults.state)
    seen = {each.table: each for each in reading.tables}
    assert seen["3"].tiles == THREE
    assert {seen[table].trouble for table in "12"} == {"refused"}
    assert "does not answer" in seen["1"].sentence


def test_a_mat_with_no_too_few_or_too_many_tiles_is_to_be_counted_and_what_is_no_tile_is_told(mixed: Hall, tables: TileHall) -> None:
    tables.joined["3"].tiles = "1s 2x"
    order(mixed, "read")
    assert "Nothing was read. '2x' in '1s 2x' is not tile notation" in shown(mixed)
    for tiles, count in (("", 0), ("1s 2s 3s", 3), (f"{THREE} 9s", 9)):
        tables.joined["3"].tiles = tiles
        order(mixed, "read")
        must_say(shown(mixed), f"Table 3 {count} of 8 tiles", "8 tiles should lie in the rivers: count them")
        refused = order(mixed, "start", public=[ONE, TWO, tiles or "1s", FOUR], seen="yes")[1]
        assert f"Table 3: {count or 1} tiles where 8 are drawn" in refused


def test_a_table_that_is_not_heard_or_has_no_camera_by_its_kind_is_not_ordered(mixed: Hall, tables: TileHall) -> None:
    tables.join("4", tiles=FOUR, kind=TableKind.PAPER)
    tables.now_s += SILENT_S + 1
    tables.joined["4"].member.beat()
    order(mixed, "read")
    page = shown(mixed)
    assert "Table 3 0 of 8 tiles This table's program is not heard: switch the table on and read again, or type its tiles." in page
    assert "Table 4 0 of 8 tiles This table has no camera that is asked here: type its tiles." in page
    assert tables.joined["3"].orders == tables.joined["4"].orders == []
