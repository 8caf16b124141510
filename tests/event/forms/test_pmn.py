"""PMN: example files of another program, that program itself, and texts that are wrong. Every form: what it writes reads back."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from majiang import Board
from majiang.game_tile_manager import GameTileManager

from tests.event.forms.pmn_examples import ONE_WINNER, TWO_KONGS, TWO_WINNERS
from tests.support.event.form_laws import PLAY_COMES_BACK, as_in_an_event, through
from tests.support.game.random_hands import HAND_BY_NUMBER, TIME_S, hands_of, mcr, seigo, sichuan, yangzhou
from twinwall.event.forms import pmn
from twinwall.event.forms.following import IllegalMoveError, record_of
from twinwall.event.forms.pmn import CODES
from twinwall.event.forms.registry import FORMS, PMN
from twinwall.event.forms.sheet import FormTextError, HandSheet, released_hand
from twinwall.game.held import HeldTiles
from twinwall.game.play_events import HandEnded, WinDeclared
from twinwall.game.record import HandRecord
from twinwall.game.replay import replay
from twinwall.game.tiles import SEATS, Seat

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
    rebuilt = record_of(read)
    assert replay(rebuilt.record).legal
    assert PMN.write(rebuilt.record, read.tags).startswith(text)


def test_fans_are_found_by_the_rules_and_numbered_as_the_example_does() -> None:
    fan = next(line for line in PMN.write(record_of(sheet(ONE_WINNER)).record).splitlines() if line.startswith("[Fan"))
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


def test_names_scripts_and_dates_survive() -> None:
    record = replace(won(WON_SEEDS[0]), players=dict(zip(SEATS, ("李娜", "Müller", "鈴木", 'Ann "Ace" \\'), strict=True)))
    read = sheet(PMN.write(record, {"Date": "2026.11.21", "Site": "München"}))
    assert read.players == record.players
    assert read.tags["Date"] == "2026.11.21"
    assert read.tags["Site"] == "München"


def test_tags_of_other_programs_are_kept() -> None:
    read = sheet(changed("Annotator", "somebody"))
    assert '[Annotator "somebody"]' in PMN.write(record_of(read).record, read.tags)


def test_a_file_without_most_tags_is_read() -> None:
    bare = "\n".join(line for line in ONE_WINNER.splitlines() if line.startswith(("[Deal", "[Play")))
    record = record_of(sheet(bare)).record
    assert record.players[Seat.EAST] == "?"
    assert record.scores[Seat.WEST] == 33


def test_tiles_that_nobody_drew_are_made_up_the_same_way_each_time() -> None:
    first, second = (record_of(sheet(ONE_WINNER)) for _ in range(2))
    assert first == second
    assert "59 undrawn tiles" in first.notes[0]


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
    rebuilt = record_of(sheet(changed("Play", "T0r3D0z1T1d3D1d6T1d1")), lenient=True)
    assert "move 5 is not legal" in rebuilt.notes[0]
    assert replay(rebuilt.record).legal
    assert not any(isinstance(event, HandEnded) for event in rebuilt.record.events)


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
def test_the_page_says_of_a_form_what_it_keeps_and_loses_and_who_read_it(name: str) -> None:
    form = FORMS[name]
    assert f"## {form.title} " in PAGE
    assert f"`--format {name}`" in PAGE
    for said in (form.keeps, form.loses, form.tried):
        assert said in PAGE
