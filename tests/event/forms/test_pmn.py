"""PMN: example files of another program, that program itself, and texts that are wrong. Every form: what it writes reads back, and the
commands that export and import it."""

import json
import random
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from majiang import Board
from majiang.game_tile_manager import GameTileManager
from riichienv import MjaiReplay

from tests.event.forms.pmn_examples import ONE_WINNER, TWO_KONGS, TWO_WINNERS
from tests.support.commands import Twinwall
from tests.support.event.form_laws import PLAY_COMES_BACK, as_in_an_event, through
from tests.support.game.random_hands import HAND_BY_NUMBER, TIME_S, hands_of, mcr, seigo, sichuan, yangzhou
from tests.support.game.tables import Table
from twinwall.event.forms import pmn
from twinwall.event.forms.following import IllegalMoveError, record_of
from twinwall.event.forms.pmn import CODES
from twinwall.event.forms.registry import FORMS, PMN
from twinwall.event.forms.sheet import FormTextError, HandSheet, released_hand
from twinwall.game.deals import Deal
from twinwall.game.held import HeldTiles
from twinwall.game.play_events import ClaimsPassed, EndReason, HandEnded, WinDeclared
from twinwall.game.record import HandRecord
from twinwall.game.replay import replay
from twinwall.game.rules import rule_set
from twinwall.game.tiles import SEATS, Seat
from twinwall.given_files import LARGEST

WON_SEEDS = (3, 4)
"""Hands of duplicate MCR that are won without a kong: the published python-majiang takes a kong's replacement for another seat's turn."""


def sheet(text: str) -> HandSheet:
    return next(pmn.read(text))


def changed(tag: str, value: str | None, text: str = ONE_WINNER) -> str:
    """The text with a tag changed, or taken out."""
    lines = [line for line in text.splitlines() if not line.startswith(f"[{tag} ")]
    return "\n".join(lines if value is None else [*lines, f'[{tag} "{value}"]'])


@pytest.mark.parametrize(("text", "options"), [(ONE_WINNER, {}), (TWO_WINNERS, {"several_winners": "each-full"}), (TWO_KONGS, {})])
def test_an_example_of_the_form_comes_back_letter_by_letter(text: str, options: dict[str, object]) -> None:
    read = replace(sheet(text), options=options)
    rebuilt, _ = record_of(read)
    assert replay(rebuilt).legal
    assert PMN.write(rebuilt, read.tags).startswith(text)


def test_fans_are_found_by_the_rules_and_numbered_as_the_example_does() -> None:
    fan = next(line for line in PMN.write(record_of(sheet(ONE_WINNER))[0]).splitlines() if line.startswith("[Fan"))
    assert fan == '[Fan "None None 55/1.59/1.70/1.73/1.78/1 None"]'


def won(seed: int) -> HandRecord:
    record = mcr(seed, {"minimum": 0}, eager=True, with_kongs=False).record()
    assert any(isinstance(event, WinDeclared) for event in record.events)
    return replace(record, players=dict(zip(SEATS, ("李娜", "Müller", "鈴木", "O'Neil"), strict=True)))


@pytest.mark.parametrize("seed", WON_SEEDS)
def test_python_majiang_reads_a_won_hand_as_it_was_played(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GameTileManager, "_instance", {})  # it keeps the tiles of one board in a process
    record = won(seed)
    path = tmp_path / "hand.pmn"
    path.write_text(PMN.write(record, {"Date": "2026.11.21"}), encoding="utf-8")
    board = Board(str(path))
    board.to_last_action()
    assert board.get_result() == [record.scores[seat] for seat in SEATS]
    assert record.walls is not None
    held = HeldTiles(record.walls)
    for event in record.events:
        held.happen(event)
    played = replay(record)
    for index, seat in enumerate(SEATS):
        river = [CODES[laid.tile] for laid in played.state.seat(seat).river if laid.claimed_by is None]
        assert board.get_discard_tile_list(index) == river
        assert len(board.get_meld_tile_list(index)) == len(played.state.seat(seat).melds)
        assert len(board.get_fan()[index]) == (len(played.wins[seat].fans) if seat in played.wins else 0)


def test_names_scripts_dates_and_tags_of_other_programs_are_kept_and_most_tags_may_be_missing() -> None:
    record = replace(won(WON_SEEDS[0]), players=dict(zip(SEATS, ("李娜", "Müller", "鈴木", 'Ann "Ace" \\'), strict=True)))
    read = sheet(PMN.write(record, {"Date": "2026.11.21", "Site": "München"}))
    assert (read.players, read.tags["Date"]) == (record.players, "2026.11.21")
    assert read.tags["Site"] == "München"
    read = sheet(changed("Annotator", "somebody"))
    assert '[Annotator "somebody"]' in PMN.write(record_of(read)[0], read.tags)
    record = record_of(sheet("\n".join(line for line in ONE_WINNER.splitlines() if line.startswith(("[Deal", "[Play")))))[0]
    assert (record.players[Seat.EAST], record.scores[Seat.WEST]) == ("?", 33)


def test_tiles_that_nobody_drew_are_made_up_the_same_way_each_time() -> None:
    first, second = (record_of(sheet(ONE_WINNER)) for _ in range(2))
    assert first == second
    assert "59 undrawn tiles" in first[1][0]


def test_several_hands_stand_in_one_file() -> None:
    assert [read.n for read in pmn.read(ONE_WINNER + "\n" + TWO_WINNERS)] == [2, 1]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "there is no tag"),
        ("hello", "line 1 is no tag"),
        (ONE_WINNER[:-40], "line 16 is no tag"),
        (changed("Deal", None), "the tag Deal is missing"),
        (changed("Play", ""), "the tag Play is empty"),
        (changed("Play", "T0r3D0z1T1d"), "move 3 is cut short"),
        (changed("Play", "T0r3D0z1Q1d3"), "move 3 is 'Q1d3'"),
        (changed("Play", "T0r3D0z1R1f3"), "move 3 replaces a flower"),
        (changed("Play", "T0w9"), "move 1 has w9, which is no tile"),
        (changed("Play", "D0z1"), "move 1 has z1, which is no tile here"),
        (changed("Deal", "c1d2b3w1r1f c1 c1"), "has 3 hands"),
        (changed("Deal", "c111d2b3w1r1f " * 4), "has 7 tiles, not 13"),
        (changed("Result", "1 2 3"), "the tag Result is '1 2 3'"),
        (changed("Board", "two"), "the tag Board is 'two'"),
        (changed("From", "62N nobody"), "the tag From has 'nobody'"),
    ],
)
def test_a_wrong_text_is_refused_with_its_place(text: str, sentence: str) -> None:
    with pytest.raises(FormTextError, match=sentence):
        list(pmn.read(text))


@pytest.mark.parametrize(
    ("play", "number", "sentence"),
    [("T0r3D0z1T2d3", 3, "W"), ("T0r3D0c9", 2, "E does not hold 9m"), ("T0r3D0z1T1d3D1d6P3d6", 5, "N does not hold 6p")],
)
def test_an_illegal_move_is_refused_by_its_number(play: str, number: int, sentence: str) -> None:
    with pytest.raises(IllegalMoveError, match=sentence) as refusal:
        record_of(sheet(changed("Play", play)))
    assert refusal.value.number == number


def test_lenient_reads_up_to_the_illegal_move() -> None:
    rebuilt, notes = record_of(sheet(changed("Play", "T0r3D0z1T1d3D1d6T1d1")), lenient=True)
    assert "move 5 is not legal" in notes[0]
    assert replay(rebuilt).legal
    assert not any(isinstance(event, HandEnded) for event in rebuilt.events)


def test_scores_that_the_rules_do_not_give_are_refused() -> None:
    with pytest.raises(IllegalMoveError, match="the hand pays E -8 S -17 W \\+33 N -8"):
        record_of(sheet(changed("Result", "0 0 0 0")))


def test_a_wall_that_is_not_that_of_the_hand_is_refused() -> None:
    read = sheet(PMN.write(won(WON_SEEDS[0])))
    assert read.walls is not None
    turned = {seat: (*wall[:13], *reversed(wall[13:])) for seat, wall in read.walls.items()}
    with pytest.raises(IllegalMoveError, match="the wall of E has"):
        record_of(replace(read, walls=turned))


MCR_FROM_END = {"minimum": 0, "kong_replacement": "end"}
FEW = (
    lambda: mcr(310, MCR_FROM_END, eager=True, with_kongs=True),
    lambda: mcr(1, {"minimum": 0, "several_winners": "each-full", "self_draw": "rounded"}, eager=False, with_kongs=False),
    lambda: sichuan(3),
    lambda: seigo(57),
    lambda: seigo(180),  # a tile is claimed that another seat has discarded as well, before
    lambda: seigo(503),  # and since
    lambda: yangzhou(50),
    lambda: HAND_BY_NUMBER["mcr-duplicate"](6205),  # a kong lies face down, of a seat that has two kinds four times
)


@cache
def few(number: int) -> HandRecord:
    """One of a few hands that have much in them."""
    return FEW[number]().record()


def check(form_name: str, record: HandRecord, number: int) -> None:
    assert through(form_name, released_hand(as_in_an_event(record, number))).broken == ()


@pytest.mark.parametrize("number", range(len(FEW)))
@pytest.mark.parametrize("form_name", FORMS)
def test_a_form_gives_the_play_back(form_name: str, number: int) -> None:
    record = few(number)
    if record.rules in PLAY_COMES_BACK.get(form_name, (record.rules,)):
        check(form_name, record, number)


@pytest.mark.nightly
@pytest.mark.timeout(TIME_S)
@pytest.mark.parametrize(("form_name", "rules"), [(name, rules) for name in FORMS for rules in PLAY_COMES_BACK.get(name, HAND_BY_NUMBER)])
def test_a_form_gives_the_play_of_every_random_record_back(form_name: str, rules: str) -> None:
    for number, hand in enumerate(hands_of(rules)):
        check(form_name, hand.record(), number)


PAGE = " ".join((Path(__file__).parents[3] / "docs/reference/forms.md").read_text(encoding="utf-8").split())


@pytest.mark.parametrize("name", FORMS)
def test_the_page_says_of_a_form_what_it_loses(name: str) -> None:
    assert f"`--format {name}`" in PAGE
    assert FORMS[name].loses in PAGE


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
