"""The two forms that were made for riichi: mjai, and the JSON of tenhou's viewer."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from riichienv import MjaiReplay

from tests.support.game.random_hands import mcr, seigo, sichuan, yangzhou
from twinwall.event.forms import tenhou6
from twinwall.event.forms.moves import sheet_of
from twinwall.event.forms.registry import MJAI, TENHOU6
from twinwall.event.forms.sheet import HandMove, MoveType
from twinwall.game.play_events import Claimed, KongDeclared, TileDiscarded, TileDrawn
from twinwall.game.record import HandRecord
from twinwall.game.replay import replay
from twinwall.game.rules.seigo.state import SeigoState
from twinwall.game.session import place_of, seat_at
from twinwall.game.tiles import SEATS, Seat, Tile

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
    ("move", "source", "written"),
    [
        (MoveType.PUNG, NORTH, "p111111"),
        (MoveType.PUNG, WEST, "11p1111"),
        (MoveType.PUNG, SOUTH, "1111p11"),
        (MoveType.KONG, NORTH, "m11111111"),
        (MoveType.KONG, WEST, "11m111111"),
        (MoveType.KONG, SOUTH, "111111m11"),
    ],
)
def test_tenhou_shows_by_its_place_from_whom_a_tile_was_claimed(move: MoveType, source: Seat, written: str) -> None:
    """As @kobalab/tenhou-url-log 1.0.3 (npm) writes melds: `-` is the player before, `=` the one opposite, `+` the next."""
    draws: list[int | str] = []
    tenhou6.note(HandMove(move, EAST, Tile.M1, source=source), draws, [], {})
    assert draws == [written]


@pytest.mark.parametrize(("source", "written"), [(NORTH, "k11111111"), (WEST, "11k111111"), (SOUTH, "1111k1111")])
def test_tenhou_adds_to_a_pung_where_its_claimed_tile_lies(source: Seat, written: str) -> None:
    discards: list[int | str] = []
    tenhou6.note(HandMove(MoveType.ADDED_KONG, EAST, Tile.M1), [], discards, {(EAST, Tile.M1): source})
    assert discards == [written]
