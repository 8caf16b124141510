"""Progress of a demo in the terminal: nothing of an unreleased deal's play."""

import json
from pathlib import Path

from rich.console import Console

from cli.demo.browser import DemoLogin
from cli.demo.progress import DemoTableProgress, picture

PLAY = (
    {"type": "hand-started", "hand": 1},
    {"type": "tile-discarded", "seat": "E", "tile": "5m"},
    {"type": "claimed", "seat": "S", "meld": "pung", "tiles": "5m 5m 5m"},
    {"type": "violation", "sentence": "South discarded 9p, which was not drawn"},
    {"type": "win-declared", "seat": "S"},
    {"type": "hand-ended", "scores": {"E": -8, "S": 77, "W": -8, "N": -61}},
)


def test_no_tile_claim_or_score_of_a_hand_is_shown(tmp_path: Path) -> None:
    ledger = tmp_path / "events.jsonl"
    console = Console(width=200, record=True, file=(tmp_path / "terminal").open("w", encoding="utf-8"))
    with console.file:
        progress = DemoTableProgress("1", ledger)
        for event in PLAY:
            with ledger.open("a", encoding="utf-8") as file:
                file.write(json.dumps(event) + "\n")
            progress.update()
            console.print(picture("http://127.0.0.1:1", DemoLogin("Director", "a password", tmp_path), [progress], 16))
    shown = console.export_text()
    assert "hand 1/16" in shown
    assert "the referee is needed" in shown
    assert not [told for told in ("5m", "9p", "pung", "77", "-61", "wins", "ended") if told in shown]
