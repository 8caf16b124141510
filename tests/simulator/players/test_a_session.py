"""Hands in sequence with two sets: everything goes into the well, and the next hand is played."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from simulator.mechanics import FaultPlan
from simulator.physical_tiles import tile_set
from tests.support.simulator.toy_table import rehearse, seated, toy_table, toy_world, walls_of
from tests.support.tiers import some
from twinwall.game.play_events import TileDiscarded
from twinwall.game.session import place_of

pytestmark = pytest.mark.slow

BOX = tile_set(2)
FIRST_HAND = 4
WALLS = [walls_of(seed) for seed in (7, 16, 28)]
"""Hands that are won early when they are the fourth to sixth."""


def pushed_in(walls_left: int) -> int:
    """Of 136 tiles those that do not fall from the magazines."""
    return 136 - walls_left


@pytest.mark.nightly
def test_a_session_is_played_hand_by_hand_with_the_winds_moving_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with toy_table(tmp_path, monkeypatch, box=BOX, first_hand=FIRST_HAND) as (table, _):
        controller = table.controller()
        controller.clear(wanted=136)
        assert {tile.back for tile in table.feeder.well} == {2}, "before the first hand nothing but the box goes in"
        for hand, walls in enumerate(some(WALLS, 2), FIRST_HAND):
            if hand > FIRST_HAND:
                controller.clear(wanted=pushed_in(sum(table.feeder.view().draws_left)))
                assert {tile.back for tile in table.feeder.well} == {1 if hand % 2 else 2}
            controller.play(hand, walls)
            rehearsed = rehearse(walls, hand)
            assert controller.events == list(rehearsed.events)
            assert controller.score == rehearsed.win
            truth = table.service.world.truth()["hands"][hand - FIRST_HAND]
            assert (truth.hand, truth.set) == (hand, 2 if hand % 2 else 1)
            laid = [
                [event.tile.text for event in controller.events if isinstance(event, TileDiscarded) and place_of(event.seat, hand) == place]
                for place in range(4)
            ]
            assert truth.laid == laid
            assert all([tile.text for tile in wall][: len(taken)] == taken for wall, taken in zip(walls, truth.taken, strict=True))


@pytest.mark.nightly
@pytest.mark.parametrize("found", some([False, True], 1))
def test_a_tile_under_the_table_is_looked_for_when_the_fault_lamp_lights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, found: bool
) -> None:
    with toy_table(tmp_path, monkeypatch, faults=FaultPlan(lost_in_hand=FIRST_HAND, lost_is_found=found), first_hand=FIRST_HAND) as (
        table,
        _,
    ):
        controller = table.controller()
        controller.play(FIRST_HAND, WALLS[0])
        wanted = pushed_in(sum(table.feeder.view().draws_left))
        confirmed = controller.clear(wanted, fault_after=wanted - 1)
        assert confirmed is not found
        assert len(table.feeder.well) == wanted - (not found)
        controller.play(FIRST_HAND + 1, WALLS[1])
        assert controller.events == list(rehearse(WALLS[1], FIRST_HAND + 1).events)


def test_a_fault_from_before_the_clearing_is_not_confirmed_by_players(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with toy_table(tmp_path, monkeypatch, box=BOX) as (table, _):
        table.pins.fault(True)
        controller = table.controller()
        controller.clear(wanted=136)
        looked_for = time.monotonic() + 0.3
        table.feeder.clear()
        while time.monotonic() < looked_for:
            assert not table.pins.pressed()


def test_a_well_that_opens_while_a_hand_is_played_gets_nothing_from_the_players(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Staff adds a missing tile of the next wall while people play on."""
    with toy_table(tmp_path, monkeypatch, box=BOX, first_hand=FIRST_HAND) as (table, _):
        assert table.feeder.view().well_open
        controller = table.controller()
        controller.play(FIRST_HAND, WALLS[0])
        assert table.feeder.well == []


@pytest.mark.nightly
def test_players_who_are_replaced_now_and_then_clear_the_table_and_play_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In ``make test`` test_a_whole_hand.py replaces players in a hand."""
    with toy_table(tmp_path, monkeypatch, box=BOX, first_hand=FIRST_HAND) as (table, crew):
        controller = table.controller(disturb=crew.restart_now_and_then)
        controller.clear(wanted=136)
        controller.play(FIRST_HAND, WALLS[0])
        controller.clear(wanted=pushed_in(sum(table.feeder.view().draws_left)))
        controller.play(FIRST_HAND + 1, WALLS[1])
        assert controller.events == list(rehearse(WALLS[1], FIRST_HAND + 1).events)


@pytest.mark.nightly
def test_one_process_seats_several_tables_and_each_table_plays_in_its_own_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders = [tmp_path / name for name in ("A", "B")]
    for folder in folders:
        folder.mkdir()
    with (
        toy_world(folders[0], monkeypatch, first_hand=FIRST_HAND) as first,
        toy_world(folders[1], monkeypatch, first_hand=FIRST_HAND) as second,
        seated({"A": first, "B": second}),
    ):
        controllers = {"A": first.controller(), "B": second.controller()}
        threads = [threading.Thread(target=controller.play, args=(FIRST_HAND, WALLS[0])) for controller in controllers.values()]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    played = {name: controller.events for name, controller in controllers.items()}
    assert played == {name: list(rehearse(WALLS[0], FIRST_HAND, name).events) for name in controllers}
    assert played["A"] != played["B"]
