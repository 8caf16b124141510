"""Strategies that aim at patterns, and whole hands of them."""

import hashlib
import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.players.hand_in_memory import HandAsPlayed, HandInMemory
from simulator.players.player_view import PlayerView, SeatView
from simulator.players.strategies.fan_patterns import CHOW_SETS, PATTERNS, SET_COUNTS, SETS, chow_set, pung_set, rows_with, set_of_meld
from simulator.players.strategies.player import ClaimAnswer, Kong, PatternStrategy, Taste, taste_of
from simulator.players.strategies.targets import OUT_OF_REACH, Measure, Situation, missing_costs
from tests.support.tiers import examples, some
from twinwall.game.play_events import Claim, Meld, MeldType
from twinwall.game.rule_set import Win, WinningHand
from twinwall.game.rules import rule_set
from twinwall.game.tiles import ALL_TILES, SEATS, Seat, Tile, parse_tile, parse_tiles

RULES = rule_set("mcr-duplicate")
PLAYER = PatternStrategy(RULES, Taste())


def view_of(
    concealed: str, melds: tuple[Meld, ...] = (), rivers: tuple[str, str, str, str] = ("", "", "", ""), draws: int = 15
) -> PlayerView:
    """South in the East round; ``rivers`` from East on."""
    seats = [SeatView(parse_tiles(river), melds if seat is Seat.SOUTH else (), draws) for seat, river in zip(SEATS, rivers, strict=True)]
    return PlayerView(Seat.SOUTH, Seat.EAST, parse_tiles(concealed), (seats[0], seats[1], seats[2], seats[3]))


def rehearse(hand: int, tables: str = "1") -> HandAsPlayed:
    """Hand number ``hand`` of shuffled walls."""
    order = np.random.default_rng([11, hand]).permutation(len(RULES.tiles))
    walls = {seat: [RULES.tiles[index] for index in order[34 * seat.index : 34 * seat.index + 34]] for seat in SEATS}
    players = {seat: PatternStrategy(RULES, taste_of(1, tables, seat.index)) for seat in SEATS}
    return HandInMemory(RULES, walls, players, SEATS[hand // 4 % 4]).play()


views = st.builds(
    lambda order, split: ([RULES.tiles[index] for index in order[:14]], [RULES.tiles[index] for index in order[14 : 14 + split]]),
    st.permutations(range(136)),
    st.integers(0, 40),
)


@settings(max_examples=examples(40))
@given(views, st.randoms(use_true_random=False))
def test_the_discard_is_a_tile_of_the_hand_and_does_not_depend_on_how_the_rack_is_ordered(
    drawn: tuple[list[Tile], list[Tile]], order: object
) -> None:
    hand, thrown = drawn
    rivers = [SeatView(tuple(thrown[place::4]), (), 12) for place in range(4)]
    view = PlayerView(Seat.WEST, Seat.SOUTH, tuple(hand), (rivers[0], rivers[1], rivers[2], rivers[3]))
    chosen = PLAYER.choose_discard(view)
    assert chosen in hand
    assert hasattr(order, "shuffle")
    order.shuffle(hand)
    assert PLAYER.choose_discard(replace(view, concealed=tuple(hand))) is chosen


def test_a_tile_that_no_pattern_needs_is_thrown_before_one_that_completes_a_mixed_straight() -> None:
    view = view_of("1m 2m 3m 4p 5p 6p 7s 8s 2p 3p 5s 5s N 4p")
    assert PLAYER.choose_discard(view) in parse_tiles("N 4p")


def test_a_hand_of_knitted_honours_keeps_its_single_honours() -> None:
    view = view_of("1m 4m 7m 2p 5p 8p 3s 6s E S W N C 8m")
    assert PLAYER.choose_discard(view) is parse_tile("8m")


def test_a_win_is_called_on_a_discard_when_the_hand_is_worth_the_minimum() -> None:
    view = view_of("1m 2m 3m 4p 5p 6p 7s 8s 2p 3p 4p 5s 5s", rivers=("9s", "", "", ""))
    assert PLAYER.answer_discard(view, Tile.S9, Seat.EAST) == ClaimAnswer(Claim.WIN)


def test_a_complete_hand_below_the_minimum_is_not_called() -> None:
    melds = (Meld(MeldType.CHOW, parse_tiles("1m 2m 3m"), Seat.EAST),)
    view = view_of("4p 5p 6p 7s 8s 9p 9p 9p N N", melds, rivers=("6s", "", "", ""))
    assert PLAYER.answer_discard(view, Tile.S6, Seat.EAST) != ClaimAnswer(Claim.WIN)


def test_a_self_drawn_win_counts_what_only_a_self_draw_is_worth() -> None:
    view = view_of("2m 3m 4m 4m 4m 3p 4p 5p 5s 6s 6s 7s 7s 8s")
    assert PLAYER.wants_win(view, Tile.M3)
    assert not PLAYER.wants_win(view_of("S S S N N 3m 4m 5m 6p 7p 8p 6s 7s 8s"), Tile.P6)


def test_a_chow_is_claimed_from_the_left_neighbour_only() -> None:
    concealed = "1m 2m 3m 4p 5p 7s 8s 5s 5s 2p 3p 4p N"
    from_left = PLAYER.answer_discard(view_of(concealed, rivers=("9s", "", "", "")), Tile.S9, Seat.EAST)
    from_right = PLAYER.answer_discard(view_of(concealed, rivers=("", "", "9s", "")), Tile.S9, Seat.WEST)
    assert from_left == ClaimAnswer(Claim.CHOW, parse_tiles("7s 8s"))
    assert from_right is None


def test_the_tiles_that_a_claim_lays_down_are_in_the_hand() -> None:
    claims = 0
    for hand in range(4):
        for seat in SEATS:
            order = np.random.default_rng([3, hand, seat.index]).permutation(len(RULES.tiles))
            tiles = [RULES.tiles[index] for index in order[:40]]
            concealed = tuple(sorted(tiles[:13]))
            for tile in tiles[13:]:
                source = next(other for other in SEATS if other.next is seat)
                seats = [SeatView((tile,) if other is source else (), (), 18) for other in SEATS]
                view = PlayerView(seat, Seat.EAST, concealed, (seats[0], seats[1], seats[2], seats[3]))
                answer = PLAYER.answer_discard(view, tile, source)
                if answer is not None and answer.claim is not Claim.WIN:
                    claims += 1
                    held = list(concealed)
                    for laid in answer.tiles:
                        held.remove(laid)
    assert claims > 5


PUNG_OF_RED = Meld(MeldType.PUNG, (Tile.RED,) * 3, Seat.EAST)


def test_the_fourth_tile_is_added_to_a_pung_where_the_hand_has_no_use_for_it() -> None:
    hand = "2m 3m 4m 4p 5p 6p 6s 7s 5s 5s C"
    assert PLAYER.choose_kong(view_of(hand, (PUNG_OF_RED,))) == Kong(Tile.RED, True)
    assert PLAYER.choose_kong(view_of(hand, (PUNG_OF_RED,), draws=0)) is None


def test_four_of_a_kind_become_a_kong_as_a_set_and_stay_where_chows_need_them() -> None:
    pungs = "C C C C 2m 2m 2m 9p 9p 9p E E 5s 6s"
    chows = "1m 2m 3m 3m 3m 3m 4m 5m 1p 2p 3p 1s 2s 9s"
    assert PLAYER.choose_kong(view_of(pungs)) == Kong(Tile.RED, False)
    assert PLAYER.choose_kong(view_of(chows)) is None


def test_a_replacement_and_a_robbed_tile_are_worth_a_win_that_the_hand_alone_is_not() -> None:
    kong = Meld(MeldType.ADDED_KONG, (Tile.M9,) * 4, Seat.EAST)
    waiting = "2p 3p 4p 6s 7s 8s 4m 5m C C"
    drawn = view_of(waiting + " 3m", (kong,))
    assert not PLAYER.wants_win(drawn, Tile.M3)
    assert PLAYER.wants_win(drawn, Tile.M3, replacement=True)
    claimed = view_of(waiting, (kong,))
    assert PLAYER.answer_discard(claimed, Tile.M3, Seat.WEST) != ClaimAnswer(Claim.WIN)
    assert PLAYER.answer_added(claimed, Tile.M3, Seat.WEST) == ClaimAnswer(Claim.WIN)
    assert PLAYER.answer_added(claimed, Tile.M7, Seat.WEST) is None


def test_three_melds_of_another_make_a_cautious_player_keep_live_tiles() -> None:
    melds = tuple(Meld(MeldType.PUNG, (tile,) * 3, Seat.SOUTH) for tile in parse_tiles("C F 9p"))
    hand = parse_tiles("1m 2m 3m 4p 5p 7s 8s 5s 5s 2p 3p 4p N P")
    threatened = [SeatView(), SeatView((), (), 9), SeatView((Tile.NORTH, Tile.NORTH), melds, 9), SeatView()]
    view = PlayerView(Seat.SOUTH, Seat.EAST, hand, (threatened[0], threatened[1], threatened[2], threatened[3]))
    assert PatternStrategy(RULES, Taste(caution=90)).choose_discard(view) is Tile.NORTH


def test_players_differ_by_place_and_by_table_and_stay_themselves() -> None:
    tastes = {taste_of(1, table, place) for table in ("1", "2") for place in range(4)}
    assert len(tastes) == 8
    assert taste_of(1, "2", 3) == taste_of(1, "2", 3)
    assert taste_of(2, "2", 3) != taste_of(1, "2", 3)
    assert any(rehearse(hand, "1").events != rehearse(hand, "2").events for hand in range(3))


@pytest.mark.nightly
@pytest.mark.slow
def test_a_hand_is_the_same_in_another_process_whatever_its_hashes_are() -> None:
    code = (
        "import hashlib; from tests.simulator.players.strategies.test_pattern_strategy import rehearse; "
        "print(hashlib.sha256(repr(rehearse(0).events).encode()).hexdigest())"
    )
    wanted = hashlib.sha256(repr(rehearse(0).events).encode()).hexdigest()
    for seed in some(("1", "2"), 1):
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": "."},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.strip() == wanted


def tiles_of(counts: np.ndarray) -> list[Tile]:
    return [kind for kind in ALL_TILES for _ in range(counts[kind])]


def scored(concealed: list[Tile], melds: tuple[Meld, ...], winning: Tile) -> int:
    """Fan of a hand won off West's discard by South in the North round, 0 when it does not win."""
    score = RULES.score(WinningHand(Seat.SOUTH, Seat.NORTH, tuple(concealed), melds, winning, Seat.WEST))
    return score.total if isinstance(score, Win) else 0


def test_every_pattern_scores_at_least_its_value() -> None:
    for row, fan in enumerate(PATTERNS.fan):
        for fourth in (chow_set(0, 2), pung_set(Tile.RED)):
            counts = PATTERNS.counts[row] + SET_COUNTS[fourth]
            pair = next(kind for kind in (Tile.S5, Tile.P5, Tile.M5, Tile.WHITE) if counts[kind] == 0)
            counts[pair] += 2
            if (counts <= 4).all():
                concealed = tiles_of(counts)
                concealed.remove(pair)
                assert scored(concealed, (), pair) >= min(8, fan + 2), concealed


def test_a_set_is_three_tiles_and_is_found_again_from_its_meld() -> None:
    for number in range(SETS):
        tiles = tuple(tiles_of(SET_COUNTS[number]))
        assert len(tiles) == 3
        kind = MeldType.CHOW if number < CHOW_SETS else MeldType.PUNG
        assert set_of_meld(Meld(kind, tiles, Seat.EAST)) == number


def test_patterns_that_hold_a_meld_twice_need_it_twice() -> None:
    one, two = (chow_set(1, 3),), (chow_set(1, 3), chow_set(1, 3))
    assert rows_with(PATTERNS, two).sum() < rows_with(PATTERNS, one).sum()
    assert (rows_with(PATTERNS, one) | ~rows_with(PATTERNS, two)).all()


def random_situation(generator: np.random.Generator, melds: tuple[Meld, ...]) -> Situation:
    """Tiles dealt at random beside the melds, nothing else seen."""
    stock = [kind for kind in ALL_TILES for _ in range(4)]
    for meld in melds:
        for tile in meld.tiles:
            stock.remove(tile)
    dealt = generator.permutation(len(stock))[: 13 - 3 * len(melds)]
    held = [0] * len(ALL_TILES)
    for index in dealt:
        held[stock[index]] += 1
    unseen = [stock.count(kind) - held[kind] for kind in ALL_TILES]
    return Situation(tuple(held), tuple(unseen), melds, Seat.SOUTH, Seat.NORTH, 21, 63)


MELDS = (
    (),
    (Meld(MeldType.CHOW, (Tile.M1, Tile.M2, Tile.M3), Seat.EAST),),
    (Meld(MeldType.PUNG, (Tile.RED,) * 3, Seat.NORTH),),
    (Meld(MeldType.CHOW, (Tile.P4, Tile.P5, Tile.P6), Seat.EAST), Meld(MeldType.PUNG, (Tile.P2,) * 3, Seat.WEST)),
)


@pytest.mark.parametrize("melds", MELDS)
def test_every_target_within_reach_wins_when_it_is_completed_off_a_discard(melds: tuple[Meld, ...]) -> None:
    generator = np.random.default_rng(7)
    for _ in range(6):
        targets = Measure(random_situation(generator, melds)).targets()
        assert len(targets.need)
        assert (np.diff(targets.cost) >= 0).all()
        for need in targets.need[::9]:
            tiles = tiles_of(need)
            assert len(tiles) == 14 - 3 * len(melds)
            assert scored(tiles[1:], melds, tiles[0]) >= 8, (tiles, melds)


def test_a_complete_hand_costs_nothing_and_each_missing_copy_costs_more() -> None:
    for percent in (1, 40, 95):
        costs = missing_costs(percent)
        assert (costs[:, 0] == 0).all()
        assert (np.diff(costs[:, :5], axis=1) >= 0).all()
        assert all(costs[unseen, unseen + 1] == OUT_OF_REACH for unseen in range(5))
        assert (np.diff(costs[:, 1]) <= 0).all()
