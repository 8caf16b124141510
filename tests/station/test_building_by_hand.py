"""Walls built by hand through the controller: whole, after every kind of mishap, and without a word too many on the screen."""

import pytest

from tableside.station.tasks import Do
from tests.support.station.hands import HandBench, Mishaps, Overhead, Pace, seigo_without_a_feeder, table_without_a_feeder
from tests.support.station.two_people import Spoken, two_people
from tests.support.tiers import some

PART_OR_WHOLE = [60, pytest.param(None, id="whole", marks=pytest.mark.nightly)]
"""Operations after which a comparison or a watch over a build ends: a third of a wall; without a number, when the wall stands ready."""


def run_to(bench: HandBench, operations: int | None, seconds: float = 0.0) -> None:
    """Until so many operations have been issued, and so long after that; until the wall stands ready where no number is given."""
    if operations is None:
        bench.build()
        return
    bench.run(lambda: bench.operations >= operations)
    end_s = bench.now_s + seconds
    bench.run(lambda: bench.now_s >= end_s)


def test_a_wall_built_by_hand_is_the_wall_of_the_deal() -> None:
    bench = table_without_a_feeder(1)
    bench.build()
    assert bench.wrong_positions() == []


@pytest.mark.nightly
@pytest.mark.parametrize("seed", some([4, 5], 1))
def test_the_stations_power_may_go_at_any_moment_of_a_build(seed: int) -> None:
    bench = table_without_a_feeder(seed)
    for cut in range(1, 5):
        run_to(bench, cut * 25 + seed, 0.3 * cut)
        bench.feeder_power_cut()
    bench.build(900.0)
    assert any(screen.task.do is Do.RECOVER for screen in bench.screens)
    assert bench.wrong_positions() == []


@pytest.mark.parametrize("seed", some([7, 8], 1))
def test_the_controller_may_be_killed_at_any_moment_of_a_build(seed: int) -> None:
    bench = table_without_a_feeder(seed)
    bench.lines_together = 4
    for cut in range(1, 5):
        run_to(bench, cut * 25 + seed, 0.3 * cut)
        bench.controller_power_cut(seed % 4)
    bench.build(900.0)
    assert bench.wrong_positions() == []


@pytest.mark.parametrize("operations", PART_OR_WHOLE)
def test_the_screen_shows_the_same_whatever_kinds_the_tiles_are(operations: int | None) -> None:
    """Two worlds: in the other one kinds have changed places, in the deal and in the set alike."""
    swap = {"1m": "9s", "9s": "1m", "5p": "E", "E": "5p", "F": "7s", "7s": "F"}
    one, other = table_without_a_feeder(20), table_without_a_feeder(20, swap=swap)
    for bench in (one, other):
        run_to(bench, operations, 2.0)
    assert one.screens == other.screens
    assert one.walls != other.walls


@pytest.mark.nightly
def test_staff_are_told_the_missing_tiles_after_good_tiles_of_all_seats_were_asked_back() -> None:
    bench = table_without_a_feeder(21, missing=("4p",))
    bench.run(lambda: any("4p" in fault.sentence for fault in bench.state.faults), 900.0)
    fetched = [screen.task for screen in bench.screens if screen.task.do is Do.FETCH]
    assert {task.seat for task in fetched} == {0, 1, 2, 3}
    assert len({(task.seat, task.place) for task in fetched}) >= 8


def test_a_slow_person_is_waited_for() -> None:
    bench = table_without_a_feeder(22, pace=Pace(read_s=20.0, put_s=20.0, pick_s=20.0))
    run_to(bench, 3)
    assert bench.now_s > 60.0
    assert not bench.state.faults


CARELESS = Mishaps(misplace=0.05)


@pytest.mark.nightly
def test_tiles_put_into_places_near_by_are_seen_from_above_and_moved_before_the_wall_is_ready() -> None:
    bench = table_without_a_feeder(30, mishaps=CARELESS, overhead=Overhead())
    bench.build(900.0)
    assert bench.misplaced > 3
    assert bench.moved == bench.misplaced
    assert bench.wrong_positions() == []


@pytest.mark.parametrize("operations", PART_OR_WHOLE)
def test_careful_hands_under_the_camera_are_told_nothing(operations: int | None) -> None:
    bench = table_without_a_feeder(31, overhead=Overhead())
    run_to(bench, operations)
    assert not any(screen.misplaced for screen in bench.screens)


@pytest.mark.nightly
def test_a_wall_of_seigo_is_built_with_the_shared_tiles_behind_it() -> None:
    bench = seigo_without_a_feeder(5)
    bench.build()
    assert bench.wrong_positions() == []
    assert all(len(wall) == 34 for wall in bench.walls)


@pytest.mark.parametrize("spoken", [pytest.param(None, id="by a screen", marks=pytest.mark.nightly), pytest.param(Spoken(), id="by voice")])
def test_a_wall_built_by_two_people_by_turns_is_the_wall_of_the_deal(spoken: Spoken | None) -> None:
    bench = two_people(40, mishaps=Mishaps(unread=0.03, slip=0.03), spoken=spoken)
    bench.build(900.0)
    assert bench.slips > 0
    assert bench.wrong_positions() == []
