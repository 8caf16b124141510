"""The two forms of Botzone's games: the text of the IJCAI competition, and the log of a match."""

from __future__ import annotations

import json
from functools import cache

import pytest

from tests.support.game.random_hands import mcr
from twinwall.event.forms import botzone, botzone_tiles, ijcai
from twinwall.event.forms.following import IllegalMoveError
from twinwall.event.forms.rebuilding import record_of
from twinwall.event.forms.registry import BOTZONE, IJCAI
from twinwall.event.forms.sheet import FormTextError
from twinwall.game.play_events import EndReason, HandEnded, TileDrawn
from twinwall.game.record import HandRecord
from twinwall.game.tiles import Seat, Tile

EXCERPT = """Match 61602cb45ddc087351c04367
Wind 3
Player 0 Deal T8 B7 B1 W7 B2 F2 F4 T9 T5 B1 W8 W8 B7
Player 1 Deal B6 T9 T4 B4 F3 J2 T6 B2 F3 T7 T2 J1 B7
Player 2 Deal J1 B5 F1 B2 T9 W3 W9 T1 T5 T3 B1 B8 B6
Player 3 Deal B9 B4 W6 W9 B7 T7 B6 B8 T2 F3 W1 F4 B9
Player 0 Draw T5
Player 0 Play F4
Player 1 Draw B5
"""
"""The beginning of a match of Botzone as it stands in public code."""


@cache
def drawn_hand() -> HandRecord:
    """A hand under Botzone's rules that nobody won."""
    record = mcr(1, {"minimum": 8, **botzone_tiles.RULES}, eager=False, with_kongs=False).record()
    assert isinstance(record.events[-1], HandEnded)
    assert record.events[-1].reason is EndReason.DRAWN
    return record


def test_the_excerpt_of_a_match_is_read_as_far_as_it_goes() -> None:
    (sheet,) = ijcai.read(EXCERPT)
    rebuilt = record_of(sheet)
    assert sheet.hand == 13
    assert sheet.hands[Seat.SOUTH][5] is Tile.GREEN
    assert len([event for event in rebuilt.record.events if isinstance(event, TileDrawn)]) == 2
    assert "the record ends with its last move" in rebuilt.notes[-1] or "made up" in rebuilt.notes[0]


def test_the_excerpt_is_written_as_it_was_read() -> None:
    (sheet,) = ijcai.read(EXCERPT)
    assert IJCAI.write(record_of(sheet).record, sheet.tags) == EXCERPT


def test_calls_that_another_call_went_before_are_passed_over() -> None:
    (sheet,) = ijcai.read(EXCERPT + "Player 1 Play B7 Ignore Player 0 PENG B7 Ignore Player 3 CHI B8\n")
    assert sheet.moves[-1].tile is Tile.P7


def test_a_drawn_hand_ends_with_huang() -> None:
    assert IJCAI.write(drawn_hand()).endswith("Huang\nScore 0 0 0 0\n")
    assert json.loads(BOTZONE.write(drawn_hand()))["logs"][-1]["output"]["display"]["action"] == "HUANG"


def test_a_log_has_what_the_judge_showed_and_what_the_players_answered() -> None:
    logs = json.loads(BOTZONE.write(drawn_hand()))["logs"]
    drawn, answers, played = logs[4:7]
    assert drawn["output"]["display"]["action"] == "DRAW"
    tile = played["output"]["display"]["tile"]
    assert played["output"]["display"] == {"action": "PLAY", "player": 0, "tile": tile}
    assert [answers[str(seat)]["response"] for seat in range(4)] == [f"PLAY {tile}", "PASS", "PASS", "PASS"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "there is no hand"),
        ("Match a\nWind 0\n", "has no line 'Player 0 Deal"),
        (EXCERPT + "Player 1 Pla", "line 10 is 'Player 1 Pla'"),
        (EXCERPT + "Player 1 Play H3", "line 10 has 'H3', which is a flower"),
        (EXCERPT + "Player 1 Play X3", "line 10 has 'X3', which is no tile"),
        (EXCERPT + "Player 1 Chi W9", "line 10 is a chow around W9"),
        (EXCERPT.replace(" B7\n", "\n", 1), "line 3 deals 12 tiles"),
    ],
)
def test_a_wrong_text_is_refused_by_its_line(text: str, sentence: str) -> None:
    with pytest.raises(FormTextError, match=sentence):
        list(ijcai.read(text))


def test_an_illegal_move_is_refused_by_its_number() -> None:
    with pytest.raises(IllegalMoveError, match="move 4 is not legal: S does not hold 9m"):
        record_of(next(ijcai.read(EXCERPT + "Player 1 Play W9\n")))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"action": "PLAY", "player": 9, "tile": "W1"}, "entry 7 of logs names no player"),
        ({"action": "PLAY", "player": 0, "tile": "Q1"}, "entry 7 of logs has 'Q1', which is no tile"),
    ],
)
def test_a_log_that_breaks_the_rules_is_refused_by_its_entry(change: dict[str, object], sentence: str) -> None:
    match = json.loads(BOTZONE.write(drawn_hand()))
    match["logs"][6]["output"]["display"] = change
    with pytest.raises(FormTextError, match=sentence):
        list(botzone.read(json.dumps(match)))


@pytest.mark.parametrize("action", ["WA", "BUHUA"])
def test_a_match_that_a_fault_or_a_flower_ended_is_refused_by_its_entry_or_read_up_to_there(action: str) -> None:
    match = json.loads(BOTZONE.write(drawn_hand()))
    match["logs"][10]["output"]["display"] = {"action": action, "player": 2, "tile": "H1"}
    (sheet,) = botzone.read(json.dumps(match))
    with pytest.raises(FormTextError, match=f"entry 11 of logs is '{action}', which is no move .* --lenient reads the hand up to there"):
        record_of(sheet)
    rebuilt = record_of(sheet, lenient=True)
    assert len([event for event in rebuilt.record.events if isinstance(event, TileDrawn)]) == 2
    assert "the record ends before it" in rebuilt.notes[0]


@pytest.mark.parametrize("text", ["", "{}", '{"logs": 3}', "[[]]", '{"logs": []}'])
def test_what_is_no_match_is_refused(text: str) -> None:
    with pytest.raises(FormTextError, match=r"it is no match|it has no entry"):
        list(botzone.read(text))


def test_a_log_without_the_walls_is_read_with_made_up_ones() -> None:
    match = json.loads(BOTZONE.write(drawn_hand()))
    match["initdata"] = "something else"
    (sheet,) = botzone.read(json.dumps(match))
    assert sheet.walls is None
    assert len(sheet.moves) > 80


@pytest.mark.parametrize(("seed", "name"), [(4, "嵌张"), (5, "单钓将"), (28, "边张")])
def test_waits_are_called_as_the_published_judge_calls_them(seed: int, name: str) -> None:
    record = mcr(seed, {"minimum": 0, **botzone_tiles.RULES}, eager=True, with_kongs=False).record()
    shown = [entry["output"]["display"] for entry in json.loads(BOTZONE.write(record))["logs"] if "output" in entry]
    assert name in {fan["name"] for display in shown for fan in display.get("fan", ())}
    assert f"{name}*1" in IJCAI.write(record)
