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
from simulator.players.strategies.player import ClaimAnswer, PatternStrategy, Taste, taste_of
from tests.support.tiers import examples, some
from twinwall.game.play_events import Claim, Meld, MeldType
from twinwall.game.rules import rule_set
from twinwall.game.tiles import SEATS, Seat, Tile, parse_tiles

RULES = rule_set("mcr-duplicate")
PLAYER = PatternStrategy(RULES, Taste())


def view_of(concealed: str, melds: tuple[Meld, ...] = (), rivers: tuple[str, str, str, str] = ("", "", "", "")) -> PlayerView:
    """South in the East round; ``rivers`` from East on."""
    seats = [SeatView(parse_tiles(river), melds if seat is Seat.SOUTH else (), 15) for seat, river in zip(SEATS, rivers, strict=True)]
    return PlayerView(Seat.SOUTH, Seat.EAST, parse_tiles(concealed), (seats[0], seats[1], seats[2], seats[3]))


def rehearse(hand: int) -> HandAsPlayed:
    """Hand number ``hand`` of shuffled walls."""
    order = np.random.default_rng([11, hand]).permutation(len(RULES.tiles))
    walls = {seat: [RULES.tiles[index] for index in order[34 * seat.index : 34 * seat.index + 34]] for seat in SEATS}
    players = {seat: PatternStrategy(RULES, taste_of(1, "1", seat.index)) for seat in SEATS}
    return HandInMemory(RULES, walls, players, SEATS[hand // 4 % 4]).play()


views = st.builds(
    lambda order, split: ([RULES.tiles[index] for index in order[:14]], [RULES.tiles[index] for index in order[14 : 14 + split]]),
    st.permutations(range(136)),
    st.integers(0, 40),
)


@settings(max_examples=examples(40))
@given(views, st.randoms(use_true_random=False))
def test_the_discard_is_a_tile_of_the_hand_however_the_rack_is_ordered(drawn: tuple[list[Tile], list[Tile]], order: object) -> None:
    hand, thrown = drawn
    rivers = [SeatView(tuple(thrown[place::4]), (), 12) for place in range(4)]
    view = PlayerView(Seat.WEST, Seat.SOUTH, tuple(hand), (rivers[0], rivers[1], rivers[2], rivers[3]))
    chosen = PLAYER.choose_discard(view)
    assert chosen in hand
    assert hasattr(order, "shuffle")
    order.shuffle(hand)
    assert PLAYER.choose_discard(replace(view, concealed=tuple(hand))) is chosen


def test_a_win_is_called_on_a_discard_when_the_hand_is_worth_the_minimum() -> None:
    view = view_of("1m 2m 3m 4p 5p 6p 7s 8s 2p 3p 4p 5s 5s", rivers=("9s", "", "", ""))
    assert PLAYER.answer_discard(view, Tile.S9, Seat.EAST) == ClaimAnswer(Claim.WIN)


def test_a_complete_hand_below_the_minimum_is_not_called() -> None:
    melds = (Meld(MeldType.CHOW, parse_tiles("1m 2m 3m"), Seat.EAST),)
    view = view_of("4p 5p 6p 7s 8s 9p 9p 9p N N", melds, rivers=("6s", "", "", ""))
    assert PLAYER.answer_discard(view, Tile.S6, Seat.EAST) != ClaimAnswer(Claim.WIN)


def test_a_self_drawn_win_counts_what_only_a_self_draw_is_worth() -> None:
    assert PLAYER.wants_win(view_of("2m 3m 4m 4m 4m 3p 4p 5p 5s 6s 6s 7s 7s 8s"), Tile.M3)
    assert not PLAYER.wants_win(view_of("S S S N N 3m 4m 5m 6p 7p 8p 6s 7s 8s"), Tile.P6)


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
