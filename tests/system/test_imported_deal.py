"""A deal of another program is dealt again at a simulated table of a demo, and played."""

import json
from pathlib import Path

import pytest

from cli import main
from tests.support.commands import Twinwall
from tests.support.demo.harness import DemoRun
from tests.support.game.random_hands import mcr
from twinwall.game.deals import Deal
from twinwall.game.record import HandRecord


def imported(folder: Path) -> Path:
    """The deal file of a hand that left as PMN and came back."""
    record, played = folder / "record.json", mcr(3, {"minimum": 0}, eager=True, with_kongs=False).record()
    record.write_text(json.dumps(played.to_json()))
    assert main(["export", str(record), "--format", "pmn", "--out", str(folder / "hand.pmn")]) == 0
    assert main(["results", "import", str(folder / "hand.pmn"), "--out", str(folder / "back.json"), "--deals", str(folder / "deals")]) == 0
    (deal,) = (folder / "deals").iterdir()
    return deal


@pytest.mark.nightly
@pytest.mark.timeout(900)
def test_an_imported_deal_is_dealt_at_a_simulated_table_and_played(tmp_path: Path, twinwall: Twinwall) -> None:
    file = imported(tmp_path)
    deal = Deal.from_json(file.read_text())
    with DemoRun(tmp_path / "demo", "--deal", str(file)) as demo:
        (hand,) = demo.report()["tables"][0]["hands"]
        assert "a rehearsal: these walls have no commitment" in demo.errors()
    assert hand["digest"] == deal.digest.hex()
    played = HandRecord.from_json(Path(hand["record"]).read_text())
    assert (played.hand, played.walls) == (deal.hand, deal.walls)
    assert "the deal is imported, not committed" in twinwall("replay", hand["record"]).out
