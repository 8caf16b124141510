"""Dice, dealer and deal of Sichuan at a table with a common wall, against 四川ルール 血戦到底 (revised 29 September 2018)."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.game.sichuan.test_sichuan_play import Hand
from twinwall.game.rules import rule_set
from twinwall.game.rules.sichuan.dealing import counted_from, dealt, first_dealer, next_dealer, wall_break
from twinwall.game.rulings import HandRuledDead
from twinwall.game.tiles import SEATS, Seat

E, S, W, N = SEATS


@pytest.mark.parametrize(("total", "seat"), [(2, S), (3, W), (4, N), (5, E), (6, S), (12, N)])
def test_whoever_rolls_counts_as_1_counter_clockwise(total: int, seat: Seat) -> None:
    """サイコロを振った人を1として,反時計回りに,右隣が2,向かいが3,左隣が4,自分が5."""
    assert counted_from(E, total) is seat


def test_the_total_of_two_dice_names_the_first_dealer() -> None:
    assert first_dealer(W, (2, 3)) is W
    assert first_dealer(W, (1, 1)) is N


@pytest.mark.parametrize(("dice", "wall", "stacks"), [((3, 5), N, 3), ((6, 1), W, 1), ((4, 4), N, 4), ((2, 1), W, 1)])
def test_the_wall_of_the_total_is_broken_after_the_smaller_die(dice: tuple[int, int], wall: Seat, stacks: int) -> None:
    """右端を1として,時計回りに,2つの目のうち小さい方の分だけ数え."""
    assert wall_break(E, dice) == (wall, stacks)


def test_four_tiles_three_times_and_then_one_each_and_two_for_the_dealer() -> None:
    """親は …1枚目と3枚目の2枚の牌を取り,ついで …下の段の牌1枚,次の列の上の段の牌1枚,下の段の牌1枚."""
    tiles = rule_set("sichuan").tiles
    hands, left = dealt(S, tiles)
    assert {seat: len(hand) for seat, hand in hands.items()} == {S: 14, W: 13, N: 13, E: 13}
    assert hands[S][:4] == tiles[:4]
    assert hands[E][8:12] == tiles[44:48]
    assert (hands[S][12:], hands[W][12:], hands[N][12:], hands[E][12:]) == (
        (tiles[48], tiles[52]),
        tiles[49:50],
        tiles[50:51],
        tiles[51:52],
    )
    assert left == tiles[53:]
    assert Counter([*left, *(tile for hand in hands.values() for tile in hand)]) == Counter(tiles)


def test_the_first_winner_deals_next() -> None:
    """前の手で最初に上がった人が親です."""
    hand = Hand().turn(E, "1m").draw(S).discard(S, "7p").win(N).passed().draw(E).win(E, "7p")
    assert next_dealer(E, hand.state) is N


def test_who_dealt_in_to_several_at_once_deals_next() -> None:
    """最初の上がりが2人以上同時の振り込みだった場合は,それに振りこんだ人が親です."""
    hand = Hand().turn(E, "1m").draw(S).discard(S, "7p").win(N).win(W).passed()
    assert next_dealer(E, hand.state) is S


def test_later_wins_off_the_same_seat_are_not_at_once() -> None:
    hand = Hand().turn(E, "1m").draw(S).discard(S, "7p").win(W).passed().turn(N, "2m").turn(E, "3m").draw(S).discard(S, "7p").win(N)
    assert next_dealer(E, hand.state) is W


def test_without_a_winner_the_dealer_stays() -> None:
    """誰も上がらないで流局したときは,前の手の親が引き続き親です: a win that did not stand is none."""
    assert next_dealer(W, Hand().turn(E, "1m").state) is W
    assert next_dealer(W, Hand().draw(E).win(E, "7p").happen(HandRuledDead(E)).state) is W
