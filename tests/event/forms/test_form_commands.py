"""``twinwall results export`` in forms of other programs, and ``twinwall results import``."""

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest
from riichienv import MjaiReplay

from tests.event.forms.pmn_examples import ONE_WINNER, TWO_KONGS, TWO_WINNERS
from tests.support.commands import Twinwall
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


@pytest.fixture
def two_hands(example: Path, twinwall: Twinwall) -> Path:
    """The records of two hands, one of which Botzone's own rules end otherwise."""
    both, records = example.with_name("both.pmn"), example.with_name("records.json")
    both.write_text(f"{ONE_WINNER}\n{TWO_KONGS}", encoding="utf-8")
    twinwall("results", "import", both, "--out", records)
    return records


def hand() -> HandRecord:
    return mcr(3, {"minimum": 0}, eager=True, with_kongs=False).record()


def written(folder: Path, *records: HandRecord) -> Path:
    path = folder / "record.json"
    path.write_text(json.dumps([record.to_json() for record in records]), encoding="utf-8")
    return path


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_hand_comes_in_is_judged_and_leaves_as_it_came_and_its_deal_is_played_at_a_simulated_table(
    example: Path, twinwall: Twinwall
) -> None:
    records, tags, deals = (example.with_name(name) for name in ("records.json", "tags.json", "deals"))
    assert (
        "59 undrawn tiles are not in the file"
        in twinwall("results", "import", example, "--out", records, "--tags", tags, "--deals", deals).err
    )
    assert "the deal is imported, not committed" in twinwall("replay", records).out
    assert "The deal is imported: nobody committed to its walls" in twinwall("export", records, "--format", "html").out
    out, err = twinwall("export", records, "--format", "pmn", "--tags", tags)
    assert out.startswith(ONE_WINNER)
    assert err == ""
    deal = Deal.from_json((deals / "deal-0002.json").read_text(encoding="utf-8"))
    assert deal.hand == 2
    table = Table(rule_set(deal.rules), deal.walls, random.Random(1), eager=True, hand=deal.hand)
    assert [event for event in table.play() if isinstance(event, HandEnded)]
    assert replay(replace(table.record(), digest=deal.digest)).legal


@pytest.mark.parametrize("form_name", FORMS)
def test_several_hands_leave_as_one_file_that_is_read_or_a_file_each(form_name: str, two_hands: Path, twinwall: Twinwall) -> None:
    out = two_hands.with_name(f"hands{FORMS[form_name].suffix}")
    words = ("export", two_hands, "--format", form_name, "--out", out)
    if FORMS[form_name].together is None:
        assert f"a file of {form_name} holds one: name a folder, such as --out {form_name}/" in twinwall(*words, code=2).err
        assert not out.exists()
        return
    twinwall(*words)
    if form_name == "mjai":
        assert len(list(MjaiReplay.from_jsonl(str(out)).take_kyokus())) == 2
    elif FORMS[form_name].read is not None:
        assert len(json.loads(twinwall("results", "import", out, "--format", form_name, "--lenient").out)) == 2


@pytest.mark.parametrize("name", ["hands/", "hands", "deep/er/"])
def test_a_folder_is_made_where_the_name_or_the_number_of_hands_says_so(name: str, two_hands: Path, twinwall: Twinwall) -> None:
    out = f"{two_hands.parent}/{name}"
    twinwall("export", two_hands, "--format", "tenhou6", "--out", out)
    assert names(Path(out)) == ["deal-0002-table-1.json", "deal-0011-table-1.json"]
    twinwall("export", two_hands, "--format", "json", "--out", f"{two_hands.parent}/records/")
    assert names(two_hands.with_name("records")) == ["records.json"]


def test_the_same_deal_and_table_of_two_events_are_two_files_and_nothing_is_written_where_one_exists(
    two_hands: Path, twinwall: Twinwall
) -> None:
    out = two_hands.with_name("hands")
    played = json.loads(two_hands.read_text(encoding="utf-8"))[0]
    two_hands.write_text(json.dumps([played, {**played, "event": "another"}]), encoding="utf-8")
    twinwall("export", two_hands, "--format", "tenhou6", "--out", out)
    assert names(out) == ["deal-0002-table-1-2.json", "deal-0002-table-1.json"]
    (out / "deal-0002-table-1.json").unlink()
    twinwall("export", two_hands, "--format", "tenhou6", "--out", out, code=2)
    assert names(out) == ["deal-0002-table-1-2.json"]


def test_what_is_not_given_right_is_wrong_use(example: Path, tmp_path: Path, twinwall: Twinwall) -> None:
    said = twinwall("results", "import", example, "--out", f"{tmp_path}/records/", code=2).err
    assert "records/ cannot be written: name a file in this folder" in said
    (tmp_path / "hand.log").write_text("?")
    assert "say --format" in twinwall("results", "import", tmp_path / "hand.log", code=2).err


def test_options_say_by_which_rules_a_hand_was_played(example: Path, twinwall: Twinwall) -> None:
    example.write_text(TWO_WINNERS, encoding="utf-8")
    said = twinwall("results", "import", example, code=1).err
    assert "hand 1: move 92 is not legal: N may not declare a win on a discard now: " in said
    assert " has declared a win on this tile, and these rules let one seat win on it" in said
    options = example.with_name("options.toml")
    options.write_text('several_winners = "each-full"\n')
    twinwall("results", "import", example, "--options", options)


def test_a_deal_that_is_not_released_does_not_leave(tmp_path: Path, twinwall: Twinwall) -> None:
    said = twinwall("export", written(tmp_path, replace(hand(), walls=None, n=7, check=bytes([7]) * 32)), "--format", "pmn", code=1)
    assert said.out == ""
    assert "deal 7 is not released" in said.err


@pytest.mark.parametrize("form_name", ["pmn", "mjai", "dataset"])
def test_an_illegal_event_is_refused_by_its_number_or_ends_the_export(form_name: str, tmp_path: Path, twinwall: Twinwall) -> None:
    record = hand()
    without = [event for event in record.events if not isinstance(event, ClaimsPassed)]
    path = written(tmp_path, replace(record, events=tuple(without)))
    said = twinwall("export", path, "--format", form_name, code=1)
    assert "event 3 is not legal" in said.err
    assert said.out == ""
    said = twinwall("export", path, "--format", form_name, "--lenient")
    assert "the hand is taken up to there" in said.err
    assert said.out


@pytest.mark.parametrize("form_name", ["pmn", "mjai", "dataset"])
def test_a_hand_without_play_whose_entered_scores_do_not_hold_is_left_out_and_the_others_leave(
    form_name: str, tmp_path: Path, twinwall: Twinwall
) -> None:
    entered = replace(hand(), n=7, events=(HandEnded(EndReason.ENTERED, dict(zip(SEATS, (-10, 0, 0, 0), strict=True))),))
    alone = twinwall("export", written(tmp_path, hand()), "--format", form_name).out
    said = twinwall("export", written(tmp_path, entered, hand()), "--format", form_name)
    assert said.out == alone
    assert "deal 7" in said.err
    assert "no play was recorded, so there is none to write" in said.err


@pytest.mark.parametrize("command", [["results", "import", "--format", "pmn"], ["export", "--format", "pmn"], ["replay"]])
def test_a_file_that_is_too_large_is_not_read(command: list[str], tmp_path: Path, twinwall: Twinwall) -> None:
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.truncate(LARGEST + 1)
    assert f"{path}: it has more than 64 MiB and is not read" in twinwall(*command, path, code=2).err


def test_forms_for_riichi_say_that_these_rules_are_not_standard(two_hands: Path, twinwall: Twinwall) -> None:
    for name in ("mjai", "tenhou6"):
        said = twinwall("export", two_hands, "--format", name, "--out", f"{two_hands.parent}/{name}/").err
        assert f"mcr-duplicate is not standard in {name}" in said
        assert f"{name} leaves out" in said
