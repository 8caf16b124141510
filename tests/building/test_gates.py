"""Four gates, simulated at the level of the planner: the wall is right, and exchangers are what it waits for."""

from __future__ import annotations

from benchmarks.gates import FourGates
from tests.building.deals import any_deal


def test_four_gates_build_the_deals_wall_and_a_second_exchanger_makes_it_faster() -> None:
    lengths = {}
    for exchangers in (1, 2):
        deal = any_deal(3)[1]
        table = FourGates(deal, 3, exchangers)
        lengths[exchangers] = table.run()
        assert all(deal.wanted(position) is tile for position, tile in table.placed.items())
        assert 0.4 < table.exchanged / 136 < 0.75
    assert lengths[2] < lengths[1] < 136 * 0.6
