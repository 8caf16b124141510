"""Strategies of the rule sets: Seigo, Sichuan and Yangzhou."""

import random
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from mahjong.shanten import Shanten

from simulator.players.strategies.fan_patterns import SET_COUNTS, chow_set, pung_set
from simulator.players.strategies.player import ClaimAnswer, Kong, PatternStrategy, Taste
from simulator.players.strategies.seigo import SeigoStrategy
from simulator.players.strategies.shanten import distance_in_all, distance_in_two
from simulator.players.strategies.sichuan import SichuanStrategy
from simulator.players.strategies.yangzhou import BOOK, YangzhouStrategy
from tests.support.narrowed import of_type
from tests.support.simulator.disturbed_hands import seen, tiles_near_a_win
from twinwall.game.play_events import Claim, Meld, MeldType
from twinwall.game.rule_set import Win, WinningHand
from twinwall.game.rules import rule_set
from twinwall.game.rules.divisions import counts_of
from twinwall.game.tiles import ALL_TILES, SEATS, Seat, Tile, parse_tile, parse_tiles

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
    assert distance_in_all(tuple(counts_of(tiles)), melds) == library


@pytest.mark.parametrize(
    ("useful", "melds", "away"),
    [("", 0, 8), ("", 3, 2), ("5m", 1, 6), ("5m 5m", 1, 5), ("5m 6m", 1, 5), ("5m 5m 5m", 1, 4), ("4p 5p 6p 2s 4s 8s", 1, 3), ("3m", 3, 2)],
)
def test_tiles_that_cannot_be_used_count_as_tiles_to_exchange(useful: str, melds: int, away: int) -> None:
    """Eight exchanges make an empty hand ready, two for each set; a set saves two, a pair or two of a run one."""
    assert distance_in_all(tuple(counts_of(parse_tiles(useful))), melds) == away


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


SICHUAN_RULES = rule_set("sichuan")
SICHUAN_PLAYER = SichuanStrategy(SICHUAN_RULES, Taste())
KINDS = 27


def counted(tiles: list[Tile]) -> list[int]:
    held = Counter(tiles)
    return [held[tile] for tile in map(Tile, range(KINDS))]


def wins(tiles: tuple[Tile, ...], tile: Tile) -> bool:
    return isinstance(SICHUAN_RULES.score(WinningHand(E, E, tiles, (), tile, S)), Win)


@st.composite
def sichuan_hands(draw: st.DrawFn) -> tuple[Tile, ...]:
    """Thirteen tiles, often near to a win: some sets, and the rest at random in two suits."""
    chance = random.Random(draw(st.integers(0, 10**9)))
    tiles = tiles_near_a_win(chance, kinds=18, sets=4, size=13)
    return tuple(tiles)


@given(sichuan_hands())
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
    assert SICHUAN_PLAYER.choose_discard(seen("1m 2m 3m 5m 6m 7m 2p 3p 4p 6p 8p 5s 5s 9p")) is Tile.S5
    assert SICHUAN_PLAYER.choose_discard(seen("1m 2m 3m 4p 5p 6p 7p 8p 9p 2p 2p 8m 9m 5s")) is Tile.S5


def test_a_ready_hand_keeps_the_wait_of_which_more_tiles_are_unseen() -> None:
    hand = "1m 2m 3m 4m 5m 6m 7p 8p 9p 2p 2p 5p 6p 2p"
    assert SICHUAN_PLAYER.choose_discard(seen(hand)) is Tile.P2
    dead = seen(hand, rivers={S: "4p 4p 4p 4p 7p 7p 7p"})
    assert SICHUAN_PLAYER.choose_discard(dead) is not Tile.P2


def test_every_win_is_taken() -> None:
    view = seen("1m 2m 3m 4m 5m 6m 7p 8p 9p 2p 2p 5p 6p", rivers={S: "7p"})
    assert SICHUAN_PLAYER.answer_discard(view, parse_tile("7p"), S) == ClaimAnswer(Claim.WIN)
    assert SICHUAN_PLAYER.answer_added(view, parse_tile("4p"), W) == ClaimAnswer(Claim.WIN)
    drawn = replace(view, concealed=(*view.concealed, Tile.P4))
    assert SICHUAN_PLAYER.wants_win(drawn, Tile.P4)
    assert not SICHUAN_PLAYER.wants_win(replace(view, concealed=(*view.concealed, Tile.M9)), Tile.M9)


def test_a_pung_is_claimed_that_brings_the_hand_nearer_and_none_of_a_third_suit() -> None:
    nearer = seen("1m 2m 3m 4m 5m 6m 7p 7p 9p 9p 2p 5p 6p", rivers={S: "7p"})
    assert SICHUAN_PLAYER.answer_discard(nearer, Tile.P7, S) == ClaimAnswer(Claim.PUNG, (Tile.P7, Tile.P7))
    third = Meld(MeldType.PUNG, parse_tiles("1m 1m 1m"), S), Meld(MeldType.PUNG, parse_tiles("9p 9p 9p"), S)
    assert SICHUAN_PLAYER.answer_discard(seen("4m 5m 6m 2p 2p 5s 5s", *third, rivers={S: "5s"}), Tile.S5, S) is None


def test_a_kong_that_sets_nothing_back_is_made_while_there_is_a_tile_to_replace_it() -> None:
    view = seen("1m 2m 3m 4m 5m 6m 9p 9p 9p 9p 2p 2p 5p 6p")
    assert SICHUAN_PLAYER.choose_kong(view) == Kong(Tile.P9, added=False)
    assert SICHUAN_PLAYER.choose_kong(seen("1m 2m 3m 4m 5m 6m 9p 9p 9p 9p 2p 2p 5p 6p", draws=0)) is None
    claimed = seen("1m 2m 3m 4m 5m 6m 9p 9p 9p 2p 2p 5p 8p", rivers={S: "9p"})
    assert SICHUAN_PLAYER.answer_discard(claimed, Tile.P9, S) == ClaimAnswer(Claim.KONG, (Tile.P9,) * 3)
    needed = seen("1m 1m 1m 1m 2m 3m 4p 5p 6p 7p 8p 2p 2p 5p")
    assert SICHUAN_PLAYER.choose_kong(needed) is None


YANGZHOU_RULES = rule_set("yangzhou")
YANGZHOU_PLAYER = YangzhouStrategy(YANGZHOU_RULES, Taste())


def chow(tiles: str) -> Meld:
    return Meld(MeldType.CHOW, parse_tiles(tiles), N)


def test_every_pattern_is_worth_at_least_what_the_book_says() -> None:
    anything = rule_set("yangzhou", {"minimum": 0, "values": 13})
    for row, fan in enumerate(BOOK.patterns.fan):
        for fourth in (chow_set(0, 2), pung_set(Tile.RED)):
            counts = BOOK.patterns.counts[row] + SET_COUNTS[fourth]
            pair = next(kind for kind in (Tile.S5, Tile.P5, Tile.M5, Tile.WHITE) if counts[kind] == 0)
            counts[pair] += 2
            if (counts > 4).any():
                continue
            tiles = [kind for kind in ALL_TILES for _ in range(counts[kind])]
            tiles.remove(pair)
            outcome = of_type(Win, anything.score(WinningHand(E, S, tuple(tiles), (), pair, W)))
            assert outcome.total >= fan, (tiles, outcome)


def test_a_third_chow_of_a_suit_is_left_alone_and_the_second_is_not() -> None:
    """Three would bind the hand to the full flush, which it is far from."""
    two = (chow("1m2m3m"), chow("4m5m6m"))
    view = seen("8m 9m 3p 3p 4p 5s 5s", *two, rivers={N: "7m"})
    assert PatternStrategy(YANGZHOU_RULES, Taste(), BOOK).answer_discard(view, parse_tile("7m"), N) == ClaimAnswer(
        Claim.CHOW, parse_tiles("8m 9m")
    )
    assert YANGZHOU_PLAYER.answer_discard(view, parse_tile("7m"), N) is None
    one = YANGZHOU_PLAYER.answer_discard(seen("4m 6m 7m 8m 1p 3p 3p 4p 5s 5s", chow("1m2m3m"), rivers={N: "5m"}), parse_tile("5m"), N)
    assert one == ClaimAnswer(Claim.CHOW, parse_tiles("4m 6m"))


def test_a_win_below_the_minimum_is_not_called_and_one_that_reaches_it_is() -> None:
    thin = seen("1m 2m 3m 4p 5p 6p 7s 8s 9s 2s 3s E E", rivers={N: "4s"})
    assert YANGZHOU_PLAYER.answer_discard(thin, parse_tile("4s"), N) != ClaimAnswer(Claim.WIN)
    rich = seen("2m 3m 4m 2p 3p 4p 7s 8s 9s 2s 3s E E", rivers={N: "4s"})
    assert YANGZHOU_PLAYER.answer_discard(rich, parse_tile("4s"), N) == ClaimAnswer(Claim.WIN)
