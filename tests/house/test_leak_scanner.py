"""The leak scanner finds a secret in every notation, and reports nothing else."""

import base64
import gzip
import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.leak_scanner import NOTATIONS, WINDOW, Secret, concealed, find_leaks, scan
from twinwall.game.deals.deal import deal_tiles
from twinwall.game.rules import wall_layout
from twinwall.game.tiles import Seat, Tile, format_tiles

LAYOUT = wall_layout("mcr-duplicate")
WALLS, _ = deal_tiles(tuple(random.Random(3).sample(LAYOUT.tiles, len(LAYOUT.tiles))), LAYOUT.wall_size)
SECRET = concealed(1, WALLS)
EAST = WALLS[Seat.EAST]


@pytest.mark.parametrize("write", NOTATIONS)
@pytest.mark.parametrize("tiles", [EAST.draws[5 : 5 + WINDOW + 1], tuple(sorted(EAST.hand))[2:12]], ids=["draws", "sorted hand"])
def test_a_planted_window_is_found_in_every_notation(write: Callable[[tuple[Tile, ...]], str], tiles: tuple[Tile, ...]) -> None:
    page = f"<p>East 3 of 16, 10:02:03</p><p>{write(tiles)}</p><p>S 5</p>"
    assert [leak.secret for leak in find_leaks(page.encode(), [SECRET])][:1] == ["the walls of deal 1"]


@pytest.mark.parametrize("write", NOTATIONS[:3])
def test_fewer_tiles_than_a_window_say_nothing(write: Callable[[tuple[Tile, ...]], str]) -> None:
    assert find_leaks(write(EAST.hand[: WINDOW - 1]).encode(), [SECRET]) == []


@pytest.mark.parametrize("before", ["", "a", "ab", "abc"])
def test_base64_is_opened_wherever_it_begins_in_a_run_of_its_letters(before: str) -> None:
    packed = base64.b64encode(format_tiles(EAST.draws).encode()).decode()
    assert [leak.notation for leak in find_leaks(f"{before}{packed}".encode(), [SECRET])] == ["base64, notation"]


@given(st.permutations(LAYOUT.tiles))
def test_another_deal_is_no_leak(tiles: list[Tile]) -> None:
    assert find_leaks(format_tiles(tiles).encode(), [SECRET]) == []


def test_scores_and_keys_are_found_and_packed_content_is_opened() -> None:
    secret = Secret("deal 2", scores=((75, -25, -25, -25),), texts=("c0ffee" * 10,))
    page = "<td>+75</td><td>−25</td><td>−25</td><td>−25</td>".encode()
    assert [leak.notation for leak in find_leaks(page, [secret])] == ["scores"]
    assert [leak.notation for leak in find_leaks(gzip.compress(b'{"E": 75, "S": -25, "W": -25, "N": -25}'), [secret])] == ["gzip, scores"]
    assert [leak.notation for leak in find_leaks(b"key " + b"c0ffee" * 10, [secret])] == ["text"]
    assert find_leaks(b"75 -25 -25 -24", [secret]) == []


def test_events_and_scores_of_a_json_document_are_found_in_whatever_order_its_keys_stand() -> None:
    secret = Secret("deal 2", (EAST.draws,), ((75, -25, -30, -20),))
    events = [{"fields": {"tile": tile.text}, "line": line, "type": "tile-discarded"} for line, tile in enumerate(EAST.draws)]
    assert [leak.notation for leak in find_leaks(json.dumps(events).encode(), [secret])] == ["JSON, notation"]
    scores = b'{"scores":{"E":75,"N":-20,"S":-25,"W":-30}}'
    assert [leak.notation for leak in find_leaks(scores, [secret])] == ["JSON, scores"]
    assert find_leaks(scores.replace(b"75", b"74"), [secret]) == []


def test_a_folder_is_searched_but_for_what_may_hold_secrets(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    for name in ("a/journal.jsonl", "a/log.txt"):
        (tmp_path / name).write_text(format_tiles(EAST.draws))
    assert list(scan(tmp_path, [SECRET], ["*.jsonl"])) == ["a/log.txt"]
