"""Wins on a discard that no frame saw: the whole hand may tell on which tile a seat has won, and then nobody is asked."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from controller.recorder import costs
from controller.recorder.hypothesis import Hypothesis, TableContext
from controller.recorder.margins.event_margins import decoded
from controller.recorder.signals import MarginBound
from tests.controller.recorder.test_whole_hand import followed
from tests.support.recorder.played_hands import PlayedHand, played
from twinwall.game.play_events import HandLaidOpen, HandShown, TileDiscarded, WinDeclared
from twinwall.game.tiles import Tile
from vision.mat_observation import MatObservation, ObservedTile

Shares = Mapping[Tile, float]


def won_unseen(hand: PlayedHand, events: int) -> tuple[TableContext, Hypothesis, int]:
    """So many events of a hand that is over, on whose first win on a discard no frame saw that discard; and the index of the win."""
    won = next(index for index, each in enumerate(hand.events) if isinstance(each, WinDeclared) and each.source is not None)
    assert isinstance(hand.events[won - 1], TileDiscarded)
    table, path = followed(hand, hand.events[:events], {})
    unseen = replace(path.grounds[won - 1], tracks=(), costs=((costs.CostReason.NEVER_SEEN, costs.AGAINST_SIGHT),))
    return replace(table, over=True), replace(path, grounds=(*path.grounds[: won - 1], unseen, *path.grounds[won:])), won


def laid_to_the_hand(table: TableContext, path: Hypothesis, won: int, shares: Shares, *, sure: bool) -> Hypothesis:
    """The path whose winner has laid the tile on which it won to its shown hand, where the camera reads it so."""
    shown = path.events[won + 1]
    assert isinstance(shown, HandShown)
    before = set(table.tracks.all)
    for at_ms in (60_000, 60_250):
        table.tracks.see(MatObservation(at_ms, (ObservedTile(0.0, 600.0, 0.0, shares=shares, sure=sure),)))
    (lies,) = set(table.tracks.all) - before
    grounds = replace(path.grounds[won + 1], tracks=(*path.grounds[won + 1].tracks, lies))
    kinds = {**path.kinds, lies: shown.winning}
    return replace(path, grounds=(*path.grounds[: won + 1], grounds, *path.grounds[won + 2 :]), kinds=kinds)


def doubted(table: TableContext, path: Hypothesis, won: int) -> bool:
    """Whether it is a question on which tile the seat has won."""
    found = decoded(table, [path], [0.0], {}, smoothed_below=costs.PUBLISH)[won]
    assert found.margin >= costs.ASK or found.bound is MarginBound.WON_ON_A_GUESS
    return found.margin < costs.ASK


@pytest.mark.parametrize(
    ("number", "asked"),
    [
        pytest.param(1, False, id="the hand wins with one kind that its discarder can have had"),
        pytest.param(11, True, id="it wins with two"),
    ],
)
def test_on_which_unseen_tile_a_seat_has_won_is_a_question_where_two_kinds_would_win(number: int, asked: bool) -> None:
    hand = played("mcr-duplicate", number)
    assert doubted(*won_unseen(hand, len(hand.events))) is asked


@pytest.mark.parametrize(("read", "asked"), [("surely", False), ("as either", True), ("by no frame", True)])
def test_it_is_no_question_where_the_winning_tile_is_read_in_the_shown_hand(read: str, asked: bool) -> None:
    hand = played("mcr-duplicate", 11)
    table, path, won = won_unseen(hand, len(hand.events))
    shares: dict[str, Shares] = {"surely": {Tile.M6: 0.995}, "as either": {Tile.M6: 0.4, Tile.M3: 0.4}, "by no frame": {}}
    path = laid_to_the_hand(table, path, won, shares[read], sure=read == "surely")
    assert doubted(table, path, won) is asked


@pytest.mark.parametrize("laid_open", [False, True])
def test_it_is_no_question_once_the_hand_of_its_discarder_lies_open_and_has_the_other_tile(laid_open: bool) -> None:
    hand = played("sichuan", 15)
    opened = next(index for index, event in enumerate(hand.events) if isinstance(event, HandLaidOpen))
    assert doubted(*won_unseen(hand, len(hand.events) if laid_open else opened)) is not laid_open


@pytest.mark.parametrize(("read", "asked"), [("surely", False), ("as either", True)])
def test_of_two_such_tiles_in_the_shown_hand_the_less_certain_one_may_be_the_other_kind(read: str, asked: bool) -> None:
    """The seat holds an 8s, and has won on a second one or on a 7s."""
    hand = played("yangzhou", 65)
    table, path, won = won_unseen(hand, len(hand.events))
    shares = {Tile.S8: 0.995} if read == "surely" else {Tile.S8: 0.4, Tile.S7: 0.4}
    path = laid_to_the_hand(table, path, won, shares, sure=read == "surely")
    assert [path.kinds[track] for track in path.grounds[won + 1].tracks].count(Tile.S8) == 2
    assert doubted(table, path, won) is asked
