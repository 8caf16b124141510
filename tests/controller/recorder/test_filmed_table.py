"""A whole table among people who disturb, by rendered frames: slot reader and decoder together accuse nobody of what nobody did."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.disturbances.draws import Disturbances
from tests.support.controller.filmed_table import FilmedTable
from tests.support.recorder.played_hands import played
from tests.support.simulator.swept_tables import good_table

pytestmark = [pytest.mark.slow, pytest.mark.nightly, pytest.mark.timeout(1800)]

HALF_FOUND = [("sichuan", 5002), ("seigo", 5205)]
"""Hands in which three tiles of a kong far off its places are found, and in which the tile of one that lies face up beside others face
down is not."""


@pytest.mark.parametrize(("rules", "number"), HALF_FOUND, ids=[rules for rules, _ in HALF_FOUND])
def test_a_seat_whose_kong_is_found_in_part_is_not_accused(tmp_path: Path, rules: str, number: int) -> None:
    """In ``make test`` tests/controller/hand/test_left_to_decoder.py names its tiles; ``benchmarks.disturbed_tables`` plays more hands."""
    hand = FilmedTable(tmp_path, played(rules, number), Disturbances(1, 1.0), good_table(number)).play()
    assert (hand.invented, hand.stopped, hand.exact) == ((), "", True)
