"""Hands at a machine with lanes: no tile that a screen asks back or has taken out of a lane is lost."""

from collections.abc import Iterator

import pytest

from firmware_bridge.board.table_record import LANE_SIZES
from simulator.by_hand.builders import StationScreen
from simulator.by_hand.hand_table import Asked
from simulator.by_hand.lane_hands import LaneHands
from simulator.feeder_simulator import FeederSimulator
from simulator.mechanics import FaultPlan, MechanicsSettings
from simulator.physical_tiles import NotPossibleError, tile_set


class _Screen(StationScreen):
    def __init__(self) -> None:
        super().__init__("http://127.0.0.1:1")
        self.done: list[int] = []

    def touch(self, path: str, **fields: int) -> None:
        assert path == "/done"
        self.done.append(fields["number"])


@pytest.fixture
def machine() -> Iterator[FeederSimulator]:
    """Its well is shut."""
    machine = FeederSimulator(MechanicsSettings(speed=20.0, lanes=True, **LANE_SIZES), 1, FaultPlan(unread=0.0))
    machine.start()
    yield machine
    machine.stop()


def test_a_tile_that_is_asked_back_while_the_well_is_shut_stays_in_hand(machine: FeederSimulator) -> None:
    screen, tile = _Screen(), tile_set(1)[0]
    hands = LaneHands(machine, screen)
    hands.walls[0, 0] = tile
    for _ in range(2):
        with pytest.raises(NotPossibleError):
            hands._do(Asked("recover", number=7, seat=0, place=0))
    assert (hands.aside, screen.done) == ([tile], [])


def test_a_lane_that_is_to_be_emptied_is_looked_into(machine: FeederSimulator) -> None:
    with pytest.raises(NotPossibleError):
        LaneHands(machine, _Screen())._do(Asked("machine-empty-lane", seat=0, place=3))
