"""A power cut at any operation of a build ends in the right wall: a sample here, every operation by ``benchmarks.feeder --full``."""

import pytest

from controller.ledger.journal_events import PositionsDoubted
from firmware_bridge.messages import Return
from tests.support.building.cuts import MOMENTS_S, Cut, Moment, build_with_cut
from tests.support.building.deals import MACHINES, table_that_builds
from tests.support.tiers import pairs, some


@pytest.mark.parametrize("machine", ["one gate", pytest.param("four gates, two exchangers", marks=pytest.mark.nightly)])
@pytest.mark.parametrize(("operation", "cut"), pairs(some([1, 40, 138, 2, 75, 111], 2), Cut))
def test_wherever_the_power_goes_the_wall_is_right_in_the_end(operation: int, cut: Cut, machine: str) -> None:
    bench = build_with_cut(operation, cut, Moment(operation, MOMENTS_S[operation % len(MOMENTS_S)]), MACHINES.get(machine))
    assert bench.wrong_positions() == []


def test_a_place_that_was_filled_without_a_line_in_the_journal_is_read_again() -> None:
    """The journal has lost that it was to be filled: what lies there proves nothing until it has been read."""
    bench = table_that_builds(5)
    bench.run(lambda: len(bench.state.making.build.placed) >= 60)
    bench.controller_power_cut(8)
    bench.build()
    doubted = {position for event in bench.events if isinstance(event, PositionsDoubted) for position in event.positions}
    returned = {(c.seat, c.position) for event in bench.events if isinstance(c := getattr(event, "command", None), Return)}
    assert doubted
    assert doubted <= returned
    assert bench.wrong_positions() == []
