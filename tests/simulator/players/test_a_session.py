"""Hands in sequence with two sets: what lies on the table goes into the well, and the next hand is played as if nothing had been before."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.simulator.players.toy_table import rehearse, toy_table, walls_of
from twinwall.simulator.mechanics import FaultPlan
from twinwall.simulator.tiles import tile_set

BOX = tile_set(2)
WALLS = [walls_of(seed) for seed in (20, 31, 7)]


def pushed_in(walls_left: int) -> int:
    """Of 136 tiles those that do not fall from the magazines."""
    return 136 - walls_left


def test_a_session_is_played_hand_by_hand_with_the_winds_moving_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with toy_table(tmp_path, monkeypatch, box=BOX, first_hand=4) as table:
        controller = table.controller()
        controller.clear(wanted=136)
        assert {tile.back for tile in table.feeder.well} == {2}, "before the first hand nothing but the box goes in"
        for hand, walls in enumerate(WALLS, 4):
            if hand > 4:
                controller.clear(wanted=pushed_in(sum(table.feeder.sight().draws_left)))
                assert {tile.back for tile in table.feeder.well} == {1 if hand % 2 else 2}
            controller.play(hand, walls)
            rehearsed = rehearse(walls, hand)
            assert controller.events == list(rehearsed.events)
            assert controller.score == rehearsed.win
        truth = table.truth()
    assert [(hand["hand"], hand["set"]) for hand in truth] == [(4, 1), (5, 2), (6, 1)]


def test_the_truth_of_each_hand_is_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with toy_table(tmp_path, monkeypatch) as table:
        controller = table.controller()
        for hand, walls in enumerate(WALLS[:2], 1):
            if hand > 1:
                controller.clear(wanted=pushed_in(sum(table.feeder.sight().draws_left)))
            controller.play(hand, walls)
            truth = table.truth()[hand - 1]
            taken, laid = truth["taken"], truth["laid"]
            assert isinstance(taken, list)
            assert isinstance(laid, list)
            for place, wall in enumerate(walls):
                assert taken[place] == [tile.text for tile in wall][: len(taken[place])]
                assert set(laid[place]) <= {tile.text for other in walls for tile in other}


@pytest.mark.parametrize("found", [True, False])
def test_a_tile_under_the_table_is_looked_for_when_the_fault_lamp_lights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, found: bool
) -> None:
    with toy_table(tmp_path, monkeypatch, faults=FaultPlan(lost_in_hand=1, lost_is_found=found)) as table:
        controller = table.controller()
        controller.play(1, WALLS[0])
        wanted = pushed_in(sum(table.feeder.sight().draws_left))
        confirmed = controller.clear(wanted, fault_after=wanted - 1)
        assert confirmed is not found
        assert len(table.feeder.well) == wanted - (not found)
        controller.play(2, WALLS[1])
        assert controller.events == list(rehearse(WALLS[1], 2).events)


def test_a_well_that_opens_while_a_hand_is_played_gets_nothing_from_the_players(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Staff adds a missing tile of the next wall while people play on."""
    with toy_table(tmp_path, monkeypatch, box=BOX) as table:
        assert table.feeder.sight().well_open
        controller = table.controller()
        controller.play(1, WALLS[0])
        assert table.feeder.well == []


def test_players_who_are_replaced_now_and_then_clear_the_table_and_play_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with toy_table(tmp_path, monkeypatch, box=BOX) as table:
        controller = table.controller(disturb=table.crew.restart_now_and_then)
        controller.clear(wanted=136)
        controller.play(1, WALLS[0])
        controller.clear(wanted=pushed_in(sum(table.feeder.sight().draws_left)))
        controller.play(2, WALLS[1])
        assert controller.events == list(rehearse(WALLS[1], 2).events)
