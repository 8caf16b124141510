"""Simulated players of Seigo: they come nearer to a hand with a yaku, declare riichi, and win most hands within its duties."""

import random
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from mahjong.shanten import Shanten

from simulator.players.player_view import count_kinds
from simulator.players.strategies.player import ClaimAnswer, Kong, Taste
from simulator.players.strategies.seigo import SeigoStrategy
from simulator.players.strategies.shanten import distance_in_all
from tests.support.simulator.players import seen, tiles_near_a_win
from twinwall.game.play_events import Claim, Meld, MeldType
from twinwall.game.rules import rule_set
from twinwall.game.tiles import SEATS, Seat, Tile, parse_tiles

E, S, W, N = SEATS
RULES = rule_set("seigo")
PLAYER = SeigoStrategy(RULES, Taste())
READY = "2m 3m 4m 5m 6m 7m 2p 3p 4p 8p 8p 6s 7s"


def meld(kind: MeldType, tiles: str, source: Seat | None) -> Meld:
    return Meld(kind, parse_tiles(tiles), source)


@st.composite
def hands(draw: st.DrawFn) -> tuple[tuple[Tile, ...], int]:
    """Some tiles, often in sets, pairs or orphans, and how many melds stand beside them."""
    chance = random.Random(draw(st.integers(0, 10**9)))
    melds = chance.randrange(4)
    tiles = tiles_near_a_win(chance, kinds=34, sets=4 - melds, size=14 - 3 * melds)
    return tuple(tiles[: 14 - 3 * melds - chance.randrange(2)]), melds


@given(hands())
@example((parse_tiles("9p 9p 9p 9p 2s 3s 4s"), 2))
@example((parse_tiles("4m 4m 4m 4m 4p 4p 4p 5p 6p 7p 2s 3s 4s"), 0))
@example((parse_tiles("7m 7m 7m 7m 4p 5p 6p 6p 6p 6p"), 1))
@example((parse_tiles("6p 6p 6p 6s 7s 8s S S S S"), 1))
@example((parse_tiles("6m 6m 6m 6m 6p 6p 6p 6p 6s 7s 7s 8s 8s"), 0))
def test_the_distance_is_that_of_the_library(hand: tuple[tuple[Tile, ...], int]) -> None:
    tiles, melds = hand
    ordered = [tiles.count(tile) for tile in parse_tiles("123456789m 123456789p 123456789s ESWN PFC")]
    library = Shanten.calculate_shanten(ordered, use_chiitoitsu=not melds, use_kokushi=False)
    assert distance_in_all(tuple(count_kinds(tiles)), melds) == library


@pytest.mark.parametrize(
    ("useful", "melds", "away"),
    [("", 0, 8), ("", 3, 2), ("5m", 1, 6), ("5m 5m", 1, 5), ("5m 6m", 1, 5), ("5m 5m 5m", 1, 4), ("4p 5p 6p 2s 4s 8s", 1, 3), ("3m", 3, 2)],
)
def test_tiles_that_cannot_be_used_count_as_tiles_to_exchange(useful: str, melds: int, away: int) -> None:
    """Eight exchanges make an empty hand ready, two for each set; a set saves two, a pair or two of a run one."""
    assert distance_in_all(tuple(count_kinds(parse_tiles(useful))), melds) == away


def test_a_closed_hand_that_is_ready_declares_riichi_and_an_open_one_does_not() -> None:
    view = seen(f"{READY} E")
    assert PLAYER.choose_discard(view) is Tile.EAST
    assert PLAYER.declares_riichi(view, Tile.EAST)
    assert not PLAYER.declares_riichi(view, Tile.M2)
    dead = seen(f"{READY} E", rivers={S: "5s 5s 5s 5s 8s 8s 8s 8s"})
    assert not PLAYER.declares_riichi(dead, Tile.EAST)
    opened = seen("5m 6m 7m 2p 3p 4p 8p 8p 6s 7s E", meld(MeldType.CHOW, "2m 3m 4m", N))
    assert not PLAYER.declares_riichi(opened, Tile.EAST)


def test_a_valued_pair_is_claimed_and_a_worthless_one_left() -> None:
    view = seen("2m 3m 4m 6p 7p C C N N 1s 2s 9s 9s", rivers={W: "C"})
    assert PLAYER.answer_discard(view, Tile.RED, W) == ClaimAnswer(Claim.PUNG, (Tile.RED, Tile.RED))
    assert PLAYER.answer_discard(seen("2m 3m 4m 6p 7p C C N N 1s 2s 9s 9s", rivers={W: "N"}), Tile.NORTH, W) is None


def test_simples_are_claimed_where_all_simples_are_in_view() -> None:
    hand = "2m 3m 4m 6p 7p 3s 4s 6s 6s 8s 8s 5p 2m"
    assert PLAYER.answer_discard(seen(hand, rivers={N: "5s"}), Tile.S5, N) == ClaimAnswer(Claim.CHOW, (Tile.S3, Tile.S4))
    assert PLAYER.answer_discard(seen(hand, rivers={S: "5s"}), Tile.S5, S) is None


def test_in_riichi_nothing_is_claimed_and_every_win_is_taken() -> None:
    view = seen(READY, riichi=(E,))
    assert PLAYER.answer_discard(view, Tile.P8, N) is None
    assert PLAYER.answer_discard(view, Tile.S5, N) == ClaimAnswer(Claim.WIN)
    assert PLAYER.choose_kong(seen(f"{READY[:-5]} C C C C", riichi=(E,))) is None
    assert PLAYER.wants_win(seen(f"{READY} 5s", riichi=(E,)), Tile.S5)


def test_a_wait_that_was_discarded_is_not_declared_on_a_discard() -> None:
    view = seen(READY, rivers={E: "8s"}, riichi=(E,))
    assert PLAYER.answer_discard(view, Tile.S5, N) is None
    assert PLAYER.wants_win(replace(view, concealed=(*view.concealed, Tile.S5)), Tile.S5)


def test_far_from_ready_what_is_safe_against_riichi_is_thrown() -> None:
    hand = "1m 5m 9m 2p 5p 9p 1s 5s 8s E S W N 3m"
    assert PLAYER.choose_discard(seen(hand, rivers={S: "5p 1p"}, riichi=(S,))) is Tile.P5
    assert PLAYER.choose_discard(seen(f"{READY} 9s", rivers={S: "2m"}, riichi=(S,))) is Tile.S9


def test_a_kong_is_made_that_sets_nothing_back() -> None:
    assert PLAYER.choose_kong(seen("2m 3m 4m 5m 6m 7m 9p 9p 9p 9p 8p 8p 6s 7s")) == Kong(Tile.P9, added=False)
    assert PLAYER.choose_kong(seen("2m 3m 4m 5m 6m 7m 6p 6p 6p 6p 7p 8p 2s E")) is None
    added = seen("2m 3m 4m 5m 6m 7m 8p 8p 6s 7s C", meld(MeldType.PUNG, "C C C", S))
    assert PLAYER.choose_kong(added) == Kong(Tile.RED, added=True)
