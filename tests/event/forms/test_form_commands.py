"""``twinwall results export`` in forms of other programs, and ``twinwall results import``."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest
from riichienv import MjaiReplay

from cli import main
from tests.event.forms.pmn_examples import ONE_WINNER, TWO_KONGS, TWO_WINNERS
from tests.support.game.random_hands import mcr
from tests.support.game.tables import Table
from twinwall.event.forms.registry import FORMS
from twinwall.game.deals import Deal
from twinwall.game.play_events import ClaimsPassed, EndReason, HandEnded
from twinwall.game.record import HandRecord
from twinwall.game.replay import replay
from twinwall.game.rules import rule_set
from twinwall.game.tiles import SEATS
from twinwall.given_files import LARGEST


@pytest.fixture
def example(tmp_path: Path) -> Path:
    path = tmp_path / "example.pmn"
    path.write_text(ONE_WINNER, encoding="utf-8")
    return path


def record_file(folder: Path, record: HandRecord) -> Path:
    path = folder / "record.json"
    path.write_text(json.dumps(record.to_json()), encoding="utf-8")
    return path


def test_a_hand_comes_in_is_judged_and_leaves_as_it_came(example: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = example.parent
    records, tags = folder / "records.json", folder / "tags.json"
    assert main(["results", "import", str(example), "--out", str(records), "--tags", str(tags), "--deals", str(folder / "deals")]) == 0
    assert "59 undrawn tiles are not in the file" in capsys.readouterr().err
    assert main(["replay", str(records)]) == 0
    assert "the deal is imported, not committed" in capsys.readouterr().out
    assert main(["export", str(records), "--format", "html"]) == 0
    assert "The deal is imported: nobody committed to its walls" in capsys.readouterr().out
    assert Deal.from_json((folder / "deals" / "deal-0002.json").read_text()).hand == 2
    assert main(["export", str(records), "--format", "pmn", "--tags", str(tags)]) == 0
    said = capsys.readouterr()
    assert said.out.startswith(ONE_WINNER)
    assert said.err == ""


def test_a_folder_gets_a_file_for_each_hand(example: Path) -> None:
    records, out = two_hands(example), example.parent / "out"
    out.mkdir()
    assert main(["export", str(records), "--format", "pmn", "--out", str(out)]) == 0
    assert sorted(path.name for path in out.iterdir()) == ["deal-0002-table-1.pmn", "deal-0011-table-1.pmn"]


def two_hands(example: Path) -> Path:
    """The records of two hands, one of which Botzone's own rules end otherwise."""
    example.write_text(f"{ONE_WINNER}\n{TWO_KONGS}", encoding="utf-8")
    records = example.parent / "records.json"
    assert main(["results", "import", str(example), "--out", str(records)]) == 0
    return records


@pytest.mark.parametrize("form_name", FORMS)
def test_several_hands_leave_as_one_file_that_is_read_or_a_file_each(
    form_name: str, example: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    records, out = two_hands(example), example.parent / f"hands{FORMS[form_name].suffix}"
    written = main(["export", str(records), "--format", form_name, "--out", str(out)])
    assert (written, out.exists()) == ((2, False) if form_name == "tenhou6" else (0, True))
    if form_name == "tenhou6":
        assert b"a file of tenhou6 holds one: name a folder, such as --out tenhou6/" in capsysbinary.readouterr().err
    elif form_name == "mjai":
        assert len(list(MjaiReplay.from_jsonl(str(out)).take_kyokus())) == 2
    else:
        capsysbinary.readouterr()
        assert main(["results", "import", str(out), "--format", form_name, "--lenient"]) == 0
        assert len(json.loads(capsysbinary.readouterr().out)) == 2


@pytest.mark.parametrize("name", ["hands/", "hands", "deep/er/"])
def test_a_folder_is_made_where_the_name_or_the_number_of_hands_says_so(name: str, example: Path) -> None:
    records, out = two_hands(example), f"{example.parent}/{name}"
    assert main(["export", str(records), "--format", "tenhou6", "--out", out]) == 0
    assert sorted(path.name for path in Path(out).iterdir()) == ["deal-0002-table-1.json", "deal-0011-table-1.json"]
    assert main(["export", str(records), "--format", "json", "--out", f"{example.parent}/records/"]) == 0
    assert (example.parent / "records" / "records.json").is_file()


def test_the_same_deal_and_table_of_two_events_are_two_files_and_nothing_is_written_where_one_exists(example: Path) -> None:
    records, out = two_hands(example), example.parent / "hands"
    played = json.loads(records.read_text(encoding="utf-8"))[0]
    records.write_text(json.dumps([played, {**played, "event": "another"}]), encoding="utf-8")
    assert main(["export", str(records), "--format", "tenhou6", "--out", str(out)]) == 0
    assert sorted(path.name for path in out.iterdir()) == ["deal-0002-table-1-2.json", "deal-0002-table-1.json"]
    (out / "deal-0002-table-1.json").unlink()
    assert main(["export", str(records), "--format", "tenhou6", "--out", str(out)]) == 2
    assert [path.name for path in out.iterdir()] == ["deal-0002-table-1-2.json"]


def test_a_name_of_a_folder_is_refused_where_one_file_is_written(example: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["results", "import", str(example), "--out", f"{example.parent}/records/"]) == 2
    assert "records/ cannot be written: name a file in this folder" in capsys.readouterr().err


def test_options_say_by_which_rules_a_hand_was_played(example: Path, capsys: pytest.CaptureFixture[str]) -> None:
    example.write_text(TWO_WINNERS, encoding="utf-8")
    assert main(["results", "import", str(example)]) == 1
    said = capsys.readouterr().err
    assert "hand 1: move 92 is not legal: N may not declare a win on a discard now: " in said
    assert " has declared a win on this tile, and these rules let one seat win on it" in said
    options = example.parent / "options.toml"
    options.write_text('several_winners = "each-full"\n')
    assert main(["results", "import", str(example), "--options", str(options)]) == 0


def test_a_deal_that_is_not_released_does_not_leave(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    secret = replace(mcr(3, {"minimum": 0}, eager=True, with_kongs=False).record(), walls=None, n=7, check=bytes([7]) * 32)
    assert main(["export", str(record_file(tmp_path, secret)), "--format", "pmn"]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert "deal 7 is not released" in said.err


@pytest.mark.parametrize("form_name", ["pmn", "mjai", "dataset"])
def test_an_illegal_event_is_refused_by_its_number_or_ends_the_export(
    form_name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = mcr(3, {"minimum": 0}, eager=True, with_kongs=False).record()
    events = [event for event in record.events if not isinstance(event, ClaimsPassed)]
    path = record_file(tmp_path, replace(record, events=tuple(events)))
    assert main(["export", str(path), "--format", form_name]) == 1
    said = capsys.readouterr()
    assert "event 3 is not legal" in said.err
    assert said.out == ""
    assert main(["export", str(path), "--format", form_name, "--lenient"]) == 0
    said = capsys.readouterr()
    assert "the hand is taken up to there" in said.err
    assert said.out


@pytest.mark.parametrize("form_name", ["pmn", "mjai", "dataset"])
def test_a_hand_without_play_whose_entered_scores_do_not_hold_is_left_out_and_the_others_leave(
    form_name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    played = mcr(3, {"minimum": 0}, eager=True, with_kongs=False).record()
    entered = replace(played, n=7, events=(HandEnded(EndReason.ENTERED, dict(zip(SEATS, (-10, 0, 0, 0), strict=True))),))
    assert main(["export", str(record_file(tmp_path, played)), "--format", form_name]) == 0
    alone = capsys.readouterr().out
    both = tmp_path / "both.json"
    both.write_text(json.dumps([entered.to_json(), played.to_json()]), encoding="utf-8")
    assert main(["export", str(both), "--format", form_name]) == 0
    said = capsys.readouterr()
    assert said.out == alone
    assert "deal 7" in said.err
    assert "no play was recorded, so there is none to write" in said.err


@pytest.mark.parametrize("command", [["results", "import", "--format", "pmn"], ["export", "--format", "pmn"], ["replay"]])
def test_a_file_that_is_too_large_is_not_read(command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.truncate(LARGEST + 1)
    assert main([*command, str(path)]) == 2
    assert f"{path}: it has more than 64 MiB and is not read" in capsys.readouterr().err


def test_a_file_of_no_known_form_asks_for_its_form(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "hand.log"
    path.write_text("?")
    assert main(["results", "import", str(path)]) == 2
    assert "say --format" in capsys.readouterr().err


def test_an_imported_deal_is_dealt_and_played_at_a_simulated_table(example: Path) -> None:
    deals = example.parent / "deals"
    assert main(["results", "import", str(example), "--out", str(example.parent / "records.json"), "--deals", str(deals)]) == 0
    deal = Deal.from_json((deals / "deal-0002.json").read_text(encoding="utf-8"))
    table = Table(rule_set(deal.rules), deal.walls, random.Random(1), eager=True, hand=deal.hand)
    assert [event for event in table.play() if isinstance(event, HandEnded)]
    assert replay(replace(table.record(), digest=deal.digest)).legal


def test_forms_for_riichi_say_that_these_rules_are_not_standard(example: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = example.parent / "records.json"
    assert main(["results", "import", str(example), "--out", str(records)]) == 0
    for name in ("mjai", "tenhou6"):
        assert main(["export", str(records), "--format", name]) == 0
        said = capsys.readouterr().err
        assert f"mcr-duplicate is not standard in {name}" in said
        assert f"{name} leaves out" in said
