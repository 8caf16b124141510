"""Attack: an organiser lets the tables' cameras read the tiles before the seeds are committed, has other deals made once he knows them,
or lets draw and read until the value pleases him.

Whoever knows the public value before the commitments tries seeds until the deals please him. So no camera is asked before all commitments
are there, a reading binds the deals that were committed, and every reading stays in the signed records for everybody.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from dashboard.custody.tile_draw import TileDraw
from dashboard.readiness.local_servers import TableReadiness
from tests.support.custody.ordered import PASSPHRASE, plan_of
from tests.support.dashboard.custody.vaults import HallOfVaults
from tests.support.dashboard.guided_tables import TileCameras
from twinwall.event.deal_state import AskedDeals, DealProblem, MadeDeals, RefusedStep, tile_readings
from twinwall.event.store.store_records import read_records
from twinwall.game.deals import Plan

ONE, TWO = "5p 3s E 7m", "C 1s 9p 2m"
PLAN = plan_of("server", "witness", public="tiles: 8")


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[HallOfVaults]:
    made = HallOfVaults(tmp_path, "server", "witness")
    made.settle()
    yield made
    made.close()


@pytest.fixture
def cameras() -> TileCameras:
    return TileCameras({"1": ONE, "2": TWO})


@pytest.fixture
def draw(cameras: TileCameras) -> Iterator[TileDraw]:
    with cameras.served() as address:
        yield TileDraw(lambda: ("1", "2"), TableReadiness(address), lambda _table: False)


def make(hall: HallOfVaults, plan: Plan = PLAN) -> RefusedStep | None:
    refused = hall.deals.make_deals(plan, PASSPHRASE, "Ann")
    hall.settle()
    return refused


def problem(refused: RefusedStep | None) -> DealProblem | None:
    return None if refused is None else refused.problem


def test_control_after_all_commitments_every_table_is_read(hall: HallOfVaults, draw: TileDraw) -> None:
    make(hall)
    assert draw.read(hall.deals, "Ann") is None
    assert [seen.tiles for seen in tile_readings(hall.deals.state)[-1].tables] == [ONE, TWO]


def test_no_camera_is_asked_before_every_holder_has_committed(hall: HallOfVaults, draw: TileDraw, cameras: TileCameras) -> None:
    assert problem(draw.read(hall.deals, "Ann")) is DealProblem.NOT_MADE
    hall.off = {"witness"}
    make(hall)
    assert isinstance(hall.deals.state, AskedDeals)
    assert problem(draw.read(hall.deals, "Ann")) is DealProblem.NOT_MADE
    assert cameras.asked == []


def test_whoever_has_read_the_tiles_cannot_have_other_deals_made_also_after_a_restart(hall: HallOfVaults, draw: TileDraw) -> None:
    make(hall)
    committed = hall.deals.state
    assert isinstance(committed, MadeDeals)
    draw.read(hall.deals, "Ann")
    other = plan_of("server", "witness", public="tiles: 8", sessions=3)
    assert problem(make(hall, other)) is DealProblem.TILES_READ
    hall.restart()
    hall.settle()
    assert problem(make(hall, other)) is DealProblem.TILES_READ
    assert isinstance(hall.deals.state, MadeDeals)
    assert hall.deals.state.commitments == committed.commitments


def test_control_before_a_reading_another_plan_makes_other_commitments(hall: HallOfVaults) -> None:
    make(hall)
    committed = hall.deals.state
    assert make(hall, plan_of("server", "witness", public="tiles: 8", sessions=3)) is None
    assert isinstance(hall.deals.state, MadeDeals)
    assert hall.deals.state != committed


def test_control_a_reading_in_which_no_camera_saw_a_tile_binds_nothing(hall: HallOfVaults, draw: TileDraw, cameras: TileCameras) -> None:
    make(hall)
    cameras.refused = {"1": "this camera is away", "2": "this camera is away"}
    assert draw.read(hall.deals, "Ann") is None
    assert len(tile_readings(hall.deals.state)) == 1
    assert make(hall, plan_of("server", "witness", public="tiles: 8", sessions=3)) is None


def test_a_reading_that_ends_after_a_later_one_is_not_the_last_one(hall: HallOfVaults, draw: TileDraw, cameras: TileCameras) -> None:
    make(hall)

    def late(table: str) -> bool:
        if not tile_readings(hall.deals.state) and table == "1":
            draw.read(hall.deals, "Ben")
            cameras.tiles["1"] = "9m 9m 9m 9m"
        return False

    assert problem(replace(draw, may_show_hands=late).read(hall.deals, "Ann")) is DealProblem.OTHER_READING
    assert [reading.tables[0].tiles for reading in tile_readings(hall.deals.state)] == [ONE]


def test_every_reading_stays_in_the_signed_records_with_time_and_account(hall: HallOfVaults, draw: TileDraw, cameras: TileCameras) -> None:
    make(hall)
    for reader, tiles in (("Ann", ONE), ("Ben", "9m 9m 9m 9m"), ("Ann", "1m 1m 1m 1m")):
        cameras.tiles["1"] = tiles
        assert draw.read(hall.deals, reader) is None
    assert hall.deals.fix_start(f"1m 1m 1m 1m {TWO}", "Ann") is None
    assert problem(draw.read(hall.deals, "Ann")) is DealProblem.STARTED
    hall.settle()
    hall.restart()
    assert [reading.tables[0].tiles for reading in tile_readings(hall.deals.state)] == [ONE, "9m 9m 9m 9m", "1m 1m 1m 1m"]
    assert hall.writer is not None
    records = [record for record in read_records(hall.writer._rows.contents().records) if record.kind == "deals"]
    said = [(record.fields["step"], record.text("staff")) for record in records]
    assert [by for step, by in said if isinstance(step, dict) and step["step"] == "tiles-read"] == ["Ann", "Ben", "Ann"]


def test_deals_committed_anew_while_the_cameras_look_are_not_bound_to_that_reading(hall: HallOfVaults, draw: TileDraw) -> None:
    make(hall)

    def late(table: str) -> bool:
        if isinstance(hall.deals.state, MadeDeals) and table == "1":
            make(hall, plan_of("server", "witness", public="tiles: 8", sessions=3))
        return False

    assert problem(replace(draw, may_show_hands=late).read(hall.deals, "Ann")) is DealProblem.NOT_MADE
    assert tile_readings(hall.deals.state) == ()
