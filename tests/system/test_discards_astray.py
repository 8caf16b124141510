"""A whole table whose people disturb: with the decoder and a referee play goes on where the slots alone stand still."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.demo.harness import DemoRun, of_type

pytestmark = [pytest.mark.slow, pytest.mark.nightly, pytest.mark.timeout(1800)]

STANDS_STILL = 1
"""A seed of the demo whose first discard lies too far off its slot for the slot reader: without a decoder it is called unread."""
GOES_ON = 4
"""So many discards are taken at least."""


@pytest.mark.parametrize("people", [("--disturb", "1"), ("--disturb-once",)], ids=["as-usual", "in-each-way-once"])
def test_a_hand_among_people_who_disturb_is_played_to_its_end_and_recorded_as_it_was_played(
    tmp_path: Path, people: tuple[str, ...]
) -> None:
    """Discards, melds and the shown hand lie anywhere; what is in doubt the demo's referee answers on his page. The report compares the
    record with the tiles of the simulated world."""
    with DemoRun(tmp_path / "demo", *people, "--recorder", "record") as demo:
        report = demo.report()
        events = demo.events()
        assert not of_type(events, "deal-fouled")
        assert not of_type(events, "violation")
        assert all(told["by"] == "Referee" for told in of_type(events, "tile-answered"))
        assert report["reads"]["wrong"] == 0


def test_discards_far_off_their_slots_are_taken(tmp_path: Path) -> None:
    """In ``make test`` tests/controller/adapters/test_a_discard_far_off.py lays one before the simulated camera."""
    with DemoRun(tmp_path / "demo", "--disturb", "1", "--recorder", "record", seed=STANDS_STILL) as demo:
        demo.wait(lambda events: len(of_type(events, "tile-discarded")) >= GOES_ON)
        assert not of_type(demo.events(), "deal-fouled")
