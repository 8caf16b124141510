"""A dealt wall is built through bytes: a reader that is always right, and a greedy choice of places."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge.link.events import Done, OperationRefused
from firmware_bridge.messages import (
    Clear,
    Command,
    FaultCode,
    Hold,
    Recirculate,
)
from simulator.mechanics import FaultPlan, MechanicsSettings
from tests.support.link.operations import TILES, commands, do_all, rows_of_deeds, small
from tests.support.link.oracle_builder import OracleBuilder
from tests.support.link.pair import Pair
from tests.support.tiers import examples, some


@pytest.mark.parametrize("two_high", [True, False])
def test_a_dealt_wall_stands_as_dealt_behind_steppers_and_bouncing_switches(two_high: bool) -> None:
    pair = Pair(machine=MechanicsSettings(speed=24.0, two_high=two_high), faults=FaultPlan(unread=0.01), seed=2)
    builder = OracleBuilder(pair, seed=2)
    assert 24 * builder.build() < 1.2 * 136 * 0.6
    trays = [pair.mechanics.tray(seat) for seat in range(4)]
    assert {spot: tile.face for spot in builder.wanted if (tile := trays[spot[0]][spot[1]]) is not None} == builder.wanted
    assert not pair.all(OperationRefused)


@pytest.mark.nightly
@pytest.mark.slow
def test_building_at_the_reference_tables_speed_takes_about_as_long_as_the_gate_needs() -> None:
    took = []
    for seed in some(range(4), 2):
        pair = Pair(machine=MechanicsSettings(), faults=FaultPlan(unread=0.01), seed=seed)
        took.append(OracleBuilder(pair, seed).build())
    mean_s = sum(took) / len(took)
    assert 136 * 0.6 < mean_s < 1.08 * 136 * 0.6


@settings(max_examples=examples(60))
@given(rows_of_deeds, st.integers(0, 99))
def test_no_row_of_operations_and_accidents_breaks_the_machine_or_loses_a_tile(deeds: list[tuple[Command | str, float]], seed: int) -> None:
    do_all(Pair(machine=small, tiles=TILES, seed=seed), deeds)


@settings(max_examples=examples(40))
@given(st.lists(commands, min_size=5, max_size=30), st.integers(0, 99))
def test_every_operation_is_answered_in_the_end(row: list[Command], seed: int) -> None:
    pair = Pair(machine=small, tiles=TILES, seed=seed)
    pair.up()
    for command in row:
        pair.submit(command)
    pair.run_for(1.0)
    pair.do(Clear(FaultCode.STOP))
    pair.do(Hold())
    pair.run_for(1.0)
    while pair.status().gate_occupied:
        pair.do(Recirculate())
    pair.run_for(5.0)
    answered = {event.operation for event in pair.all(Done)} | {event.operation for event in pair.all(OperationRefused)}
    assert answered == set(range(1, pair.operation + 1))
