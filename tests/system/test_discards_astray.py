"""A whole table whose people lay discards anywhere: with the decoder play goes on where the slots alone stand still."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.demo.harness import DemoRun, of_type

pytestmark = [pytest.mark.slow, pytest.mark.nightly, pytest.mark.timeout(1800)]

STANDS_STILL = 1
"""A seed of the demo whose first discard lies too far off its slot for the slot reader: without a decoder it is called unread."""
GOES_ON = 4
"""So many discards are taken at least."""


def test_discards_far_off_their_slots_are_taken(tmp_path: Path) -> None:
    """In ``make test`` tests/controller/adapters/test_a_discard_far_off.py lays one before the simulated camera."""
    with DemoRun(tmp_path / "demo", "--disturb", "1", "--recorder", "record", seed=STANDS_STILL) as demo:
        demo.wait(lambda events: len(of_type(events, "tile-discarded")) >= GOES_ON)
        assert not of_type(demo.events(), "deal-fouled")
