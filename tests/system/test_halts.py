"""Faults that stop a table: the fault is named, and no hand is played with it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.support.demo.harness import DemoRun, of_type
from twinwall.game.deals import Start
from twinwall.game.deals.encoding import Sha256

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("words", "named"),
    [(("--extra", "5m"), "fifth 5m"), (("--foreign", "1"), "none of the 34 kinds")],
    ids=["137 tiles", "a foreign tile"],
)
def test_a_tile_too_many_is_named_and_the_hand_does_not_start(tmp_path: Path, words: tuple[str, ...], named: str) -> None:
    """In ``make test`` tests/controller/wall names what is too many."""
    with DemoRun(tmp_path / "demo", *words) as demo:
        said = demo.ends_with(1)
        assert named in said
        assert not of_type(demo.events(), "wall-ready")
        assert not of_type(demo.events(), "hand-started")


@pytest.mark.nightly
def test_a_missing_kind_is_named_only_after_eight_places_over_all_seats_are_open_and_the_hand_does_not_start(tmp_path: Path) -> None:
    """In ``make test`` tests/controller/wall/test_build.py empties eight places of a table with 135 tiles, and
    tests/station/test_building_by_hand.py one that is built by hand."""
    with DemoRun(tmp_path / "demo", "--missing", "3p") as demo:
        said = demo.ends_with(1)
        journal = demo.journal()
        assert "3p" in said
        assert not of_type(demo.events(), "wall-ready")
    named = next(index for index, event in enumerate(journal) if event["type"] == "tiles-named")
    emptied = [tuple(position) for event in journal[:named] if event["type"] == "positions-doubted" for position in event["positions"]]
    returned = [event for event in journal[:named] if event["type"] == "operation-issued" and event["command"]["type"] == "return"]
    assert len(set(emptied)) >= 8
    assert {place for place, _ in emptied} == {0, 1, 2, 3}
    assert len(returned) >= 8


@pytest.mark.nightly
def test_a_deal_that_is_not_of_the_published_root_is_refused_before_a_tile_moves(tmp_path: Path) -> None:
    """The table was told another root than the vault's: what it is given is not the deal that was committed.

    In ``make test`` tests/custody/test_vault.py refuses such a deal, and tests/controller/wall/test_build.py moves no tile for it.
    """
    with DemoRun(tmp_path / "demo") as demo:
        while not (demo.folder / "vault").exists():  # all settings are written, and no table runs yet
            assert demo.process.poll() is None
        settings = demo.settings("table")
        another = demo.folder / "another-start.json"
        another.write_bytes(replace(Start.from_bytes((demo.folder / "start.json").read_bytes()), root=Sha256(b"\xab" * 32)).canonical)
        text, changed = re.subn(r'(?m)^start = ".*"$', f'start = "{another}"', settings.read_text())
        assert changed == 1
        settings.write_text(text)
        said = demo.ends_with(1)
        assert "must not be played" in said
        assert not [event for event in demo.journal() if event["type"] == "operation-issued"]
