"""The two forms that were made for riichi: mjai, and the JSON of tenhou's viewer."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache

import pytest

from tests.support.game.random_hands import mcr, seigo
from twinwall.event.forms import mjai, tenhou6
from twinwall.event.forms.sheet import HandMove, MoveType
from twinwall.game.play_events import Claimed, KongDeclared, TileDiscarded, TileDrawn
from twinwall.game.record import HandRecord
from twinwall.game.tiles import SEATS, Seat, Tile

NAMES = dict(zip(SEATS, ("李娜", "Müller", "鈴木", "Ann"), strict=True))
EAST, SOUTH, WEST, NORTH = SEATS


@cache
def seigo_hand() -> HandRecord:
    """A hand of Seigo that is won on the last discard, with a chow, a pung and kongs; its hand is W2, so East sits at place 1."""
    return replace(seigo(57).record(), players=NAMES)


def test_mjai_has_a_line_for_each_move_and_its_players_by_place() -> None:
    lines = [json.loads(line) for line in mjai.write(seigo_hand()).splitlines()]
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
    lines = [json.loads(line) for line in mjai.write(mcr(1, {}, eager=False, with_kongs=False).record()).splitlines()]
    assert lines[-3] == {"type": "ryukyoku", "deltas": [0, 0, 0, 0]}
    assert lines[1]["dora_marker"] == "?"


def test_tenhou_has_three_rows_a_player_and_the_result() -> None:
    document = json.loads(tenhou6.write(seigo_hand(), {"Date": "2026.11.21"}))
    (rows,) = document["log"]
    assert document["name"] == ["Ann", "李娜", "Müller", "鈴木"]
    assert document["title"] == ["test", "W2 2026.11.21"]
    assert rows[0] == [9, 0, 0]
    assert [len(rows[4 + 3 * place]) for place in range(4)] == [13] * 4
    assert rows[5][1] == "c373839"
    assert rows[16] == ["和了", [0, 0, 2000, -2000], [2, 3, 2, "1", "河底撈魚(1飜)"]]


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
