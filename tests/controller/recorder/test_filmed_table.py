"""A whole table among people who disturb, by rendered frames: slot reader and decoder together accuse nobody of what nobody did."""

from pathlib import Path

import pytest

from simulator.disturbances.draws import Disturbances
from tests.support.controller.filmed_table import FilmedTable
from tests.support.recorder.played_hands import played
from tests.support.simulator.swept_tables import good_table

UNFOUND = pytest.mark.xfail(strict=True, reason="the referee is called for a kong that no frame shows")
pytestmark = [pytest.mark.slow, pytest.mark.nightly, pytest.mark.timeout(1800)]

FAULTED = [("sichuan", 5002), ("seigo", 5205), ("sichuan", 18198), ("seigo", 18185), pytest.param("seigo", 21007, marks=UNFOUND)]
"""Hands in which three tiles of a kong far off its places are found, in which the tile of one that lies face up beside others face
down is not, in which two seats win on one tile: one waited until the other had called, and the window closed; in which the place of a
claimed tile is not seen bare, and in which no tile of a kong is found."""


@pytest.mark.parametrize(("rules", "number"), FAULTED)
def test_nobody_is_accused_and_play_goes_on(tmp_path: Path, rules: str, number: int) -> None:
    """In ``make test`` tests/controller/hand/test_left_to_decoder.py names its tiles."""
    hand = FilmedTable(tmp_path, played(rules, number), Disturbances(1, 1.0), good_table(number)).play()
    assert (hand.invented, hand.stopped, hand.exact) == ((), "", True)
