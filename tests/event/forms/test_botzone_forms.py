"""The two forms of Botzone's games: the text of the IJCAI competition, and the log of a match. The forms of riichi: tenhou and mjai."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from riichienv import MjaiReplay

from tests.support.game.random_hands import mcr, seigo, sichuan, yangzhou
from twinwall.event.forms import botzone, ijcai, tenhou6
from twinwall.event.forms.following import IllegalMoveError, record_of
from twinwall.event.forms.registry import BOTZONE, IJCAI, MJAI, TENHOU6
from twinwall.event.forms.sheet import FormTextError, HandMove, MoveType, sheet_of
from twinwall.game.play_events import Claimed, EndReason, HandEnded, KongDeclared, TileDiscarded, TileDrawn
from twinwall.game.record import HandRecord
from twinwall.game.replay import replay
from twinwall.game.rules.seigo.state import SeigoState
from twinwall.game.tiles import SEATS, Seat, Tile, place_of, seat_at

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
    record = mcr(1, {"minimum": 8, **botzone.RULES}, eager=False, with_kongs=False).record()
    assert isinstance(record.events[-1], HandEnded)
    assert record.events[-1].reason is EndReason.DRAWN
    return record


def test_the_excerpt_of_a_match_is_read_as_far_as_it_goes_and_written_as_it_was_read() -> None:
    (sheet,) = ijcai.read(EXCERPT)
    rebuilt, notes = record_of(sheet)
    assert sheet.hand == 13
    assert sheet.hands[Seat.SOUTH][5] is Tile.GREEN
    assert len([event for event in rebuilt.events if isinstance(event, TileDrawn)]) == 2
    assert "the record ends with its last move" in notes[-1] or "made up" in notes[0]
    assert IJCAI.write(rebuilt, sheet.tags) == EXCERPT


def test_calls_that_another_call_went_before_are_passed_over() -> None:
    (sheet,) = ijcai.read(EXCERPT + "Player 1 Play B7 Ignore Player 0 PENG B7 Ignore Player 3 CHI B8\n")
    assert sheet.moves[-1].tile is Tile.P7


def test_a_log_has_what_the_judge_showed_and_what_the_players_answered_and_a_drawn_hand_ends_with_huang() -> None:
    assert IJCAI.write(drawn_hand()).endswith("Huang\nScore 0 0 0 0\n")
    logs = json.loads(BOTZONE.write(drawn_hand()))["logs"]
    assert logs[-1]["output"]["display"]["action"] == "HUANG"
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
    rebuilt, notes = record_of(sheet, lenient=True)
    assert len([event for event in rebuilt.events if isinstance(event, TileDrawn)]) == 2
    assert "the record ends before it" in notes[0]


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
    record = mcr(seed, {"minimum": 0, **botzone.RULES}, eager=True, with_kongs=False).record()
    shown = [entry["output"]["display"] for entry in json.loads(BOTZONE.write(record))["logs"] if "output" in entry]
    assert name in {fan["name"] for display in shown for fan in display.get("fan", ())}
    assert f"{name}*1" in IJCAI.write(record)


NAMES = dict(zip(SEATS, ("李娜", "Müller", "鈴木", "Ann"), strict=True))
EAST, SOUTH, WEST, NORTH = SEATS


@cache
def seigo_hand() -> HandRecord:
    """A hand of Seigo that is won on the last discard, with a chow, a pung and kongs; its hand is W2, so East sits at place 1."""
    return replace(seigo(57).record(), players=NAMES)


def test_mjai_has_a_line_for_each_move_and_its_players_by_place() -> None:
    lines = [json.loads(line) for line in MJAI.write(seigo_hand()).splitlines()]
    assert lines[0] == {"type": "start_game", "names": ["Ann", "李娜", "Müller", "鈴木"]}
    assert (lines[1]["bakaze"], lines[1]["kyoku"], lines[1]["oya"]) == ("W", 2, 1)
    assert [line["type"] for line in lines[-3:]] == ["hora", "end_kyoku", "end_game"]
    count = {kind: sum(line["type"] == kind for line in lines) for kind in ("tsumo", "dahai", "ankan", "kakan")}
    events = seigo_hand().events
    assert count["tsumo"] == sum(isinstance(event, TileDrawn) for event in events)
    assert count["dahai"] == sum(isinstance(event, TileDiscarded) for event in events)
    assert count["ankan"] + count["kakan"] == sum(isinstance(event, KongDeclared) for event in events)
    claims = [line for line in lines if line["type"] in ("chi", "pon", "daiminkan")]
    assert [len(line["consumed"]) for line in claims] == [len(event.meld.tiles) - 1 for event in events if isinstance(event, Claimed)]
    assert {"type": "chi", "actor": 0, "target": 3, "pai": "7s", "consumed": ["8s", "9s"]} in lines


def test_a_drawn_hand_of_mjai_ends_with_ryukyoku() -> None:
    lines = [json.loads(line) for line in MJAI.write(mcr(1, {}, eager=False, with_kongs=False).record()).splitlines()]
    assert lines[-3] == {"type": "ryukyoku", "deltas": [0, 0, 0, 0]}
    assert lines[1]["dora_marker"] == "?"


RIICHI_HONOURS = dict(zip("ESWNPFC", ("1z", "2z", "3z", "4z", "5z", "6z", "7z"), strict=True))
HANDS: Mapping[str, Callable[[], HandRecord]] = {
    "mcr-duplicate, a chow and a pung": lambda: mcr(3, {"minimum": 0}, eager=True, with_kongs=False).record(),
    "mcr-duplicate, a kong": lambda: mcr(310, {"minimum": 0}, eager=True, with_kongs=True).record(),
    "seigo, every kong": seigo_hand,
    "seigo, drawn": lambda: seigo(54).record(),
    "sichuan": lambda: sichuan(3).record(),
    "yangzhou": lambda: yangzhou(50).record(),
}


def move_read(name: str, move: dict[str, Any]) -> tuple[object, ...]:
    """A move as riichienv tells it: what, whose, its tiles, and from whom and what was claimed."""
    match name:
        case "ChiPengGang":
            return (("chow", "pung", "kong")[move["type"]], move["seat"], sorted(move["tiles"]), move["froms"][0], move["tiles"][0])
        case "AnGangAddGang":
            return ({3: "concealed kong", 2: "added kong"}[move["type"]], move["seat"], move["tiles"])
        case _:
            return (name, move["seat"], move["tile"])


def move_played(move: HandMove, hand: int) -> tuple[object, ...]:
    """The same of a move of ours."""
    seat, tile = place_of(move.seat, hand), riichi_code(move.tile)
    match move.type:
        case MoveType.CHOW | MoveType.PUNG | MoveType.KONG:
            assert move.source is not None
            tiles = [riichi_code(own) for own in move.run] or [tile] * (4 if move.type is MoveType.KONG else 3)
            return (move.type.name.lower(), seat, sorted(tiles), place_of(move.source, hand), tile)
        case MoveType.CONCEALED_KONG | MoveType.ADDED_KONG:
            return (move.type.name.lower().replace("_", " "), seat, tile)
        case _:
            return ("DealTile" if move.type is MoveType.DRAW else "DiscardTile", seat, tile)


def riichi_code(tile: Tile) -> str:
    """A tile as riichi programs write it."""
    return RIICHI_HONOURS.get(tile.text, tile.text)


@pytest.mark.parametrize("name", HANDS)
def test_riichienv_reads_each_move_of_a_hand(name: str, tmp_path: Path) -> None:
    record = HANDS[name]()
    path = tmp_path / "hand.mjson"
    path.write_text(MJAI.write(record), encoding="utf-8")
    (kyoku,) = MjaiReplay.from_jsonl(str(path)).take_kyokus()
    first, *events = kyoku.events()
    sheet = sheet_of(record)
    for seat in SEATS:
        assert sorted(first["data"][f"tiles{place_of(seat, record.hand)}"]) == sorted(map(riichi_code, sheet.hands[seat]))
    moves = ("DealTile", "DiscardTile", "ChiPengGang", "AnGangAddGang")
    read = [move_read(event["name"], event["data"]) for event in events if event["name"] in moves]
    assert read == [move_played(move, record.hand) for move in sheet.moves if move.type is not MoveType.WIN]
    won = [place_of(move.seat, record.hand) for move in sheet.moves if move.type is MoveType.WIN]
    assert [hule["seat"] for event in events if event["name"] == "Hule" for hule in event["data"]["hules"]] == won


def test_tenhou_has_three_rows_a_player_and_the_result() -> None:
    document = json.loads(TENHOU6.write(seigo_hand(), {"Date": "2026.11.21"}))
    (rows,) = document["log"]
    assert document["name"] == ["Ann", "李娜", "Müller", "鈴木"]
    assert document["title"] == ["test", "W2 2026.11.21"]
    assert rows[0] == [9, 0, 0]
    assert [len(rows[4 + 3 * place]) for place in range(4)] == [13] * 4
    assert rows[5][1] == "c373839"
    assert rows[16] == ["和了", [0, 0, 2000, -2000], [2, 3, 2, "60符1飜2000点", "河底撈魚(1飜)"]]


@pytest.mark.parametrize("number", [54, *range(313, 340), 358, 367, 379, 394])
def test_riichi_forms_keep_indicators_apart_from_those_below_and_their_gains_add_up_to_the_scores(number: int) -> None:
    """A reader takes a thousand for each stick from its owner; what comes after must give the scores of the record."""
    record = seigo(number).record()
    state = replay(record).state
    assert isinstance(state, SeigoState)
    lines = [json.loads(line) for line in MJAI.write(record).splitlines()]
    dora = [line["dora_marker"] for line in lines if line["type"] in ("start_kyoku", "dora")]
    ends = [line for line in lines if line["type"] in ("hora", "ryukyoku")]
    assert dora == [tile.text for tile in state.turned]
    assert {tuple(line.get("uradora_markers", ())) for line in ends} == {tuple(tile.text for tile in state.below)}
    (rows,) = json.loads(TENHOU6.write(record))["log"]
    assert rows[2:4] == [[tenhou6.CODES[tile] for tile in tiles] for tiles in (state.turned, state.below)]
    laid = [-1000 * [line["type"] for line in lines if line.get("actor") == place].count("reach_accepted") for place in range(4)]
    scores = [record.scores[seat_at(place, record.hand)] for place in range(4)]
    assert [sum(gained) for gained in zip(laid, *(line["deltas"] for line in ends), strict=True)] == scores
    assert [sum(gained) for gained in zip(laid, *rows[16][1::2], strict=True)] == scores


@pytest.mark.parametrize(
    ("number", "cell"),
    [
        (331, [3, 3, 3, "30符4飜3900点∀", "門前清自摸和(1飜)", "立直(1飜)", "ドラ(1飜)", "裏ドラ(1飜)"]),
        (316, [1, 3, 1, "30符3飜3900点", "立直(1飜)", "平和(1飜)", "裏ドラ(1飜)"]),
        (343, [2, 2, 2, "30符2飜500-1000点", "自風 北(1飜)", "場風 南(1飜)"]),
        (322, [2, 2, 2, "三倍満12000点∀", "門前清自摸和(1飜)", "両立直(2飜)", "平和(1飜)", "一盃口(1飜)", "清一色(6飜)"]),
    ],
)
def test_tenhou_says_fu_han_and_points_of_a_win_in_its_own_words(number: int, cell: list[int | str]) -> None:
    """As @kobalab/tenhou-url-log 1.0.3 (npm) writes them."""
    assert json.loads(TENHOU6.write(seigo(number).record()))["log"][0][16][2] == cell


@pytest.mark.parametrize(
    ("source", "pung", "kong", "added"),
    [
        (NORTH, "p111111", "m11111111", "k11111111"),
        (WEST, "11p1111", "11m111111", "11k111111"),
        (SOUTH, "1111p11", "111111m11", "1111k1111"),
    ],
)
def test_tenhou_shows_by_its_place_from_whom_a_tile_was_claimed(source: Seat, pung: str, kong: str, added: str) -> None:
    """As @kobalab/tenhou-url-log 1.0.3 (npm) writes melds: `-` is the player before, `=` the one opposite, `+` the next."""
    draws, discards = list[int | str](), list[int | str]()
    for move in (MoveType.PUNG, MoveType.KONG):
        tenhou6.note(HandMove(move, EAST, Tile.M1, source=source), draws, [], {})
    tenhou6.note(HandMove(MoveType.ADDED_KONG, EAST, Tile.M1), [], discards, {(EAST, Tile.M1): source})
    assert (draws, discards) == ([pung, kong], [added])
