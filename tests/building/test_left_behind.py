"""Tiles that the lift leaves behind: the table names their places, and waits for a person before anything counts as raised."""

from dataclasses import replace

import pytest

from controller.ledger.journal_events import HandTileTaken, OperationDone, OperationIssued
from controller.state.sides import PlayStage
from firmware_bridge.board.library import PinReading
from firmware_bridge.electrics.wiring import PLACES_A_SEAT, Input
from firmware_bridge.messages import Raise
from simulator.feeder_simulator import CoreFirmware
from simulator.mechanics import FaultPlan
from tests.support.building.bench import BuildBench
from tests.support.building.deals import table_that_builds
from tests.support.narrowed import present
from twinwall.wire.events.trouble_events import TableFault, TablePart
from twinwall.wire.events.wall_events import WallRaised
from twinwall.wire.shapes.panel import Key

HAND, DRAW = (2, 4), (1, 20)


def reads(bench: BuildBench, reading: PinReading, first: Input, place: int, index: int) -> None:
    assert isinstance(bench.firmware, CoreFirmware)
    bench.firmware.board.stick(first + PLACES_A_SEAT * place + index, reading)


def raises(bench: BuildBench) -> int:
    return sum(isinstance(event, OperationIssued) and isinstance(event.command, Raise) for event in bench.events)


def run_to_raise(bench: BuildBench) -> None:
    """Go on until the wall is to rise."""
    bench.run(lambda: any(isinstance(event, OperationIssued) and isinstance(event.command, Raise) for event in bench.events[-50:]))


def called(bench: BuildBench) -> TableFault | None:
    return next((fault for fault in bench.state.faults if fault.code == "tile-not-raised"), None)


def pause(bench: BuildBench, seconds: float) -> None:
    ends_s = bench.now_s + seconds
    bench.run(lambda: bench.now_s >= ends_s)


def stopped_on_the_lifts_turn() -> BuildBench:
    """A table whose lift was stopped half-way, and may go on by a person's word."""
    bench = table_that_builds(3, faults=FaultPlan(unread=0.0), lines_together=1)
    bench.run(lambda: raises(bench) == 1)
    pause(bench, 2.0)
    for pressed in (True, False):
        bench.mechanics.hands.set_estop(pressed, bench.now_s)
        pause(bench, 1.0)
    assert any(isinstance(pending.command, Raise) for pending in bench.state.pending)
    return bench


def raised_without(position: tuple[int, int], *, stays: bool) -> tuple[BuildBench, TableFault]:
    """A wall of which the lift has left one tile in its tray or in neither place; the place is named and nothing counts as raised."""
    bench = table_that_builds(3, faults=FaultPlan(unread=0.0), lines_together=1)
    run_to_raise(bench)
    reads(bench, PinReading.LOW, Input.MAGAZINE, *position)
    if stays:
        reads(bench, PinReading.HIGH, Input.TRAY, *position)
    bench.run(lambda: called(bench) is not None, 30.0)
    fault = present(called(bench))
    assert (fault.part, fault.place, fault.number, fault.tiles) == (TablePart.WALL, *position, None)
    assert f": {bench.deal.seat(position[0]).name.title()} {position[1] + 1}. " in fault.sentence
    pause(bench, 20.0)
    assert raises(bench) == 1
    assert not any(isinstance(event, WallRaised | HandTileTaken) for event in bench.events)
    return bench, fault


def test_a_hands_tile_that_is_taken_before_the_sensors_have_been_asked_proves_no_wall(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = table_that_builds(3, faults=FaultPlan(unread=0.0), lines_together=1)
    run_to_raise(bench)
    reads(bench, PinReading.LOW, Input.MAGAZINE, *DRAW)
    monkeypatch.setattr(bench, "request_status", lambda: None)
    bench.run(lambda: bench.state.has_fault("feeder-sensors-disagree"))
    for _ in ("before a person's word", "and after it"):
        bench.mechanics.hands.take_hand_tiles(HAND[0], 1, bench.now_s)
        pause(bench, 1.0)
        assert not any(isinstance(event, WallRaised | HandTileTaken) for event in bench.events)
        bench.press(Key.CONFIRM)


def test_a_hands_tile_that_is_taken_while_a_stopped_lift_comes_home_is_named_before_it_counts_as_taken() -> None:
    bench = stopped_on_the_lifts_turn()
    bench.press(Key.CONFIRM)
    bench.run(lambda: len(bench.mechanics.census()["magazines"]) == len(bench.deal.positions), 30.0)
    bench.mechanics.hands.take_hand_tile(*HAND, bench.now_s)
    bench.run(lambda: called(bench) is not None, 30.0)
    assert not any(isinstance(event, WallRaised | HandTileTaken) for event in bench.events)
    bench.press(Key.CONFIRM)
    bench.run(lambda: bool(bench.state.playing.hand.taken), 30.0)
    assert bench.state.playing.hand.taken == {(bench.deal.seat(HAND[0]), HAND[1])}


def test_what_is_taken_before_the_answer_to_raise_has_come_counts_once_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = table_that_builds(3, faults=FaultPlan(unread=0.0), lines_together=1)
    bench.run(lambda: raises(bench) == 1)
    with monkeypatch.context() as delayed:
        delayed.setattr(bench, "delays", replace(bench.delays, line_s=0.5))
        bench.run(lambda: len(bench.mechanics.census()["magazines"]) == len(bench.deal.positions), 30.0)
        bench.mechanics.hands.take_hand_tile(*HAND, bench.now_s)
        pause(bench, 1.0)
    bench.run(lambda: bool(bench.state.playing.hand.taken), 10.0)
    assert not bench.state.faults
    assert bench.state.playing.hand.taken == {(bench.deal.seat(HAND[0]), HAND[1])}


def test_a_table_asks_nothing_of_a_machine_that_is_on_its_way_home() -> None:
    bench = stopped_on_the_lifts_turn()
    before = len(bench.events)
    bench.press(Key.CONFIRM)
    bench.run(lambda: bench.state.playing.stage is PlayStage.TAKING, 30.0)
    since = bench.events[before:]
    assert [event.result for event in since if isinstance(event, OperationDone)] == ["disturbed", "ok"]
    assert raises(bench) == 1


def test_a_tile_that_a_person_has_put_into_its_place_is_not_taken() -> None:
    bench, _ = raised_without(HAND, stays=True)
    reads(bench, PinReading.AS_WIRED, Input.TRAY, *HAND)
    reads(bench, PinReading.AS_WIRED, Input.MAGAZINE, *HAND)
    pause(bench, 1.0)
    bench.press(Key.CONFIRM)
    bench.run(lambda: bench.state.playing.stage is PlayStage.TAKING, 60.0)
    pause(bench, 5.0)
    assert not bench.state.faults
    assert not bench.state.playing.hand.taken
    assert raises(bench) == 1


def test_a_hands_tile_that_is_still_in_neither_place_counts_as_taken_once_a_person_has_confirmed_also_after_a_restart() -> None:
    bench, fault = raised_without(HAND, stays=False)
    bench.controller_power_cut(0)
    pause(bench, 20.0)
    assert called(bench) == fault
    assert not any(isinstance(event, WallRaised | HandTileTaken) for event in bench.events)
    bench.press(Key.CONFIRM)
    bench.run(lambda: bool(bench.state.playing.hand.taken), 60.0)
    assert bench.state.playing.hand.taken == {(bench.deal.seat(HAND[0]), HAND[1])}
    assert not bench.state.faults


def test_a_hands_tile_that_is_taken_meanwhile_is_no_word_for_one_that_was_lost() -> None:
    bench, _ = raised_without(DRAW, stays=False)
    bench.mechanics.hands.take_hand_tiles(HAND[0], 1, bench.now_s)
    pause(bench, 2.0)
    assert not any(isinstance(event, WallRaised) for event in bench.events)
    bench.press(Key.CONFIRM)
    bench.run(lambda: called(bench) is not None, 60.0)
    bench.press(Key.CONFIRM)
    bench.run(lambda: bool(bench.state.playing.hand.taken), 60.0)
    assert bench.state.playing.hand.taken == {(bench.deal.seat(HAND[0]), 0)}


def test_a_tile_that_is_still_in_its_tray_is_named_again_at_each_confirm_and_the_lift_is_not_tried() -> None:
    bench, fault = raised_without(DRAW, stays=True)
    for _ in range(2):
        bench.press(Key.CONFIRM)
        assert called(bench) is None
        bench.run(lambda: called(bench) is not None, 60.0)
        pause(bench, 5.0)
        assert called(bench) == fault
    assert raises(bench) == 1
