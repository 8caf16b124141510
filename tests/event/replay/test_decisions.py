"""The data set of decisions: every decision of a hand, with what was legal and what was done."""

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import msgspec
import pytest

from cli import main
from cli.forms.export import dataset
from tests.support.game.random_hands import mcr, seigo, sichuan, yangzhou
from tests.support.game.tables import RandomTable
from twinwall.event.replay.decisions import PlayedDecision, decisions
from twinwall.game.play_events import Claimed, KongDeclared, TileDiscarded, WinDeclared
from twinwall.game.record import HandRecord

HANDS: dict[str, Callable[[], RandomTable]] = {
    "mcr": lambda: mcr(310, {"minimum": 0}, eager=True, with_kongs=True),
    "seigo": lambda: seigo(57),
    "sichuan": lambda: sichuan(3),
    "yangzhou": lambda: yangzhou(50),
}


@cache
def decided(name: str) -> tuple[HandRecord, tuple[PlayedDecision, ...]]:
    record = HANDS[name]().record()
    return record, tuple(decisions(record))


@pytest.mark.parametrize("name", HANDS)
def test_every_discard_kong_claim_and_win_is_a_decision_for_a_legal_move(name: str) -> None:
    record, found = decided(name)
    done = [decision for decision in found if decision.choice not in (None, "pass")]
    events = [event for event in record.events if isinstance(event, TileDiscarded | KongDeclared | Claimed | WinDeclared)]
    assert [decision.seat for decision in done] == [event.seat.value for event in events]
    assert all(decision.choice in decision.legal for decision in done)
    assert [decision.decision for decision in found] == list(range(1, len(found) + 1))


@pytest.mark.parametrize("name", HANDS)
def test_a_seat_at_its_turn_chooses_among_its_own_tiles(name: str) -> None:
    _, found = decided(name)
    for decision in found:
        assert all(move.split()[1] in decision.tiles.split() for move in decision.legal if move.startswith(("discard", "riichi")))
        assert decision.kind == "turn" or decision.discarder != decision.seat


def test_the_data_set_is_a_line_of_json_for_each_decision(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record, found = decided("mcr")
    path = tmp_path / "hand.json"
    path.write_text(json.dumps(record.to_json()), encoding="utf-8")
    assert main(["export", str(path), "--format", "dataset"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["choice"] for row in rows] == [decision.choice for decision in found]
    assert {row["score"] for row in rows if row["seat"] == "E"} == {next(iter(record.scores.values()))}


def test_the_columns_are_those_of_the_page() -> None:
    page = (Path(__file__).parents[3] / "docs/reference/forms.md").read_text(encoding="utf-8")
    assert all(f"`{column}`" in page for column in PlayedDecision.__struct_fields__)


def export_parquet(folder: Path, record: HandRecord) -> tuple[int, Path]:
    """The exit code of an export as Parquet, and its file."""
    path, out = folder / "hand.json", folder / "decisions.parquet"
    path.write_text(json.dumps(record.to_json()), encoding="utf-8")
    return main(["export", str(path), "--format", "dataset", "--out", str(out)]), out


def test_a_parquet_file_without_its_extra_asks_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    record, _ = decided("mcr")
    assert export_parquet(tmp_path, record)[0] == 2
    assert "install twinwall[dataset]" in capsys.readouterr().err


@pytest.mark.nightly
def test_a_parquet_file_has_the_rows_of_the_json_lines_and_the_same_columns_in_every_file(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed (the extra dataset)")
    record, found = decided("mcr")
    code, out = export_parquet(tmp_path, record)
    assert code == 0
    whole = parquet.read_table(out)
    assert whole.to_pylist() == [msgspec.to_builtins(decision) for decision in found]
    first_draw = next(number for number, event in enumerate(record.events, 1) if isinstance(event, TileDiscarded))
    short = out.with_name("short.parquet")
    short.write_bytes(dataset([replace(record, events=record.events[:first_draw])], short))
    assert parquet.read_table(short).schema == whole.schema
