"""Simulated players of Sichuan: they give up a suit, come nearer to a win and take every win that they can."""

import random
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.players.strategies.player import ClaimAnswer, Kong, Taste
from simulator.players.strategies.shanten import distance_in_two
from simulator.players.strategies.sichuan import SichuanStrategy
from tests.support.simulator.players import seen, tiles_near_a_win
from twinwall.game.play_events import Claim, Meld, MeldType
from twinwall.game.rule_set import Win, WinningHand
from twinwall.game.rules import rule_set
from twinwall.game.tiles import SEATS, Tile, parse_tile, parse_tiles

E, S, W, N = SEATS
RULES = rule_set("sichuan")
PLAYER = SichuanStrategy(RULES, Taste())
KINDS = 27


def counted(tiles: list[Tile]) -> list[int]:
    held = Counter(tiles)
    return [held[tile] for tile in map(Tile, range(KINDS))]


def wins(tiles: tuple[Tile, ...], tile: Tile) -> bool:
    return isinstance(RULES.score(WinningHand(E, E, tiles, (), tile, S)), Win)


@st.composite
def hands(draw: st.DrawFn) -> tuple[Tile, ...]:
    """Thirteen tiles, often near to a win: some sets, and the rest at random in two suits."""
    chance = random.Random(draw(st.integers(0, 10**9)))
    tiles = tiles_near_a_win(chance, kinds=18, sets=4, size=13)
    return tuple(tiles)


@given(hands())
def test_a_hand_is_ready_exactly_when_a_tile_completes_it_by_the_rules(tiles: tuple[Tile, ...]) -> None:
    completing = [tile for tile in map(Tile, range(18)) if tiles.count(tile) < 4 and wins(tiles, tile)]
    away = distance_in_two(counted(list(tiles)), 0, (0, 1))
    assert (away == 0) is bool(completing)
    nearer = [tile for tile in map(Tile, range(18)) if distance_in_two(counted([*tiles, tile]), 0, (0, 1)) < away]
    assert all(distance_in_two(counted([*tiles, tile]), 0, (0, 1)) == away - 1 for tile in nearer)
    assert away != 0 or set(completing) == {tile for tile in nearer if tiles.count(tile) < 4}


@pytest.mark.parametrize(
    ("hand", "melds", "away"),
    [
        ("1m 2m 3m 4m 5m 6m 7p 8p 9p 2p 2p 5p 6p 7p", 0, -1),
        ("1m 2m 3m 4m 5m 6m 7p 8p 9p 2p 2p 5p 6p", 0, 0),
        ("1m 2m 3m 4m 5m 6m 7p 8p 9p 2p 5p 6p 9m", 0, 1),
        ("1m 1m 3m 3m 6m 6m 2p 2p 5p 5p 8p 8p 9p", 0, 0),
        ("1m 1m 1m 1m 6m 6m 2p 2p 5p 5p 8p 8p 9p", 0, 0),
        ("1m 4m 7m 9m 2p 5p 8p 1s 2s 3s 4s 5s 6s", 0, 6),
        ("5m 6m 2p 2p", 3, 0),
        ("5m 5m", 4, -1),
    ],
)
def test_the_distance_of_known_hands(hand: str, melds: int, away: int) -> None:
    assert distance_in_two(counted(list(parse_tiles(hand))), melds, (0, 1)) == away


def test_the_shortest_suit_goes_first() -> None:
    assert PLAYER.choose_discard(seen("1m 2m 3m 5m 6m 7m 2p 3p 4p 6p 8p 5s 5s 9p")) is Tile.S5
    assert PLAYER.choose_discard(seen("1m 2m 3m 4p 5p 6p 7p 8p 9p 2p 2p 8m 9m 5s")) is Tile.S5


def test_a_ready_hand_keeps_the_wait_of_which_more_tiles_are_unseen() -> None:
    hand = "1m 2m 3m 4m 5m 6m 7p 8p 9p 2p 2p 5p 6p 2p"
    assert PLAYER.choose_discard(seen(hand)) is Tile.P2
    dead = seen(hand, rivers={S: "4p 4p 4p 4p 7p 7p 7p"})
    assert PLAYER.choose_discard(dead) is not Tile.P2


def test_every_win_is_taken() -> None:
    view = seen("1m 2m 3m 4m 5m 6m 7p 8p 9p 2p 2p 5p 6p", rivers={S: "7p"})
    assert PLAYER.answer_discard(view, parse_tile("7p"), S) == ClaimAnswer(Claim.WIN)
    assert PLAYER.answer_added(view, parse_tile("4p"), W) == ClaimAnswer(Claim.WIN)
    drawn = replace(view, concealed=(*view.concealed, Tile.P4))
    assert PLAYER.wants_win(drawn, Tile.P4)
    assert not PLAYER.wants_win(replace(view, concealed=(*view.concealed, Tile.M9)), Tile.M9)


def test_a_pung_is_claimed_that_brings_the_hand_nearer_and_none_of_a_third_suit() -> None:
    nearer = seen("1m 2m 3m 4m 5m 6m 7p 7p 9p 9p 2p 5p 6p", rivers={S: "7p"})
    assert PLAYER.answer_discard(nearer, Tile.P7, S) == ClaimAnswer(Claim.PUNG, (Tile.P7, Tile.P7))
    third = Meld(MeldType.PUNG, parse_tiles("1m 1m 1m"), S), Meld(MeldType.PUNG, parse_tiles("9p 9p 9p"), S)
    assert PLAYER.answer_discard(seen("4m 5m 6m 2p 2p 5s 5s", *third, rivers={S: "5s"}), Tile.S5, S) is None


def test_a_kong_that_sets_nothing_back_is_made_while_there_is_a_tile_to_replace_it() -> None:
    view = seen("1m 2m 3m 4m 5m 6m 9p 9p 9p 9p 2p 2p 5p 6p")
    assert PLAYER.choose_kong(view) == Kong(Tile.P9, added=False)
    assert PLAYER.choose_kong(seen("1m 2m 3m 4m 5m 6m 9p 9p 9p 9p 2p 2p 5p 6p", draws=0)) is None
    claimed = seen("1m 2m 3m 4m 5m 6m 9p 9p 9p 2p 2p 5p 8p", rivers={S: "9p"})
    assert PLAYER.answer_discard(claimed, Tile.P9, S) == ClaimAnswer(Claim.KONG, (Tile.P9,) * 3)
    needed = seen("1m 1m 1m 1m 2m 3m 4p 5p 6p 7p 8p 2p 2p 5p")
    assert PLAYER.choose_kong(needed) is None
