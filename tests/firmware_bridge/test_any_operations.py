"""Whatever a host orders and whatever people do meanwhile: the machine is never broken, and the status is true."""

from __future__ import annotations

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
from tests.support.link.operations import TILES, commands, do_all, rows_of_deeds, small
from tests.support.link.pair import Pair
from tests.support.tiers import examples


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
