"""Wins on a discard that no frame saw: on which tile a seat has won is a question."""

from __future__ import annotations

from dataclasses import replace

from controller.recorder import costs
from controller.recorder.hypothesis import Hypothesis, TableContext
from controller.recorder.margins.event_margins import decoded
from controller.recorder.signals import MarginBound
from tests.controller.recorder.test_whole_hand import followed
from tests.support.recorder.played_hands import PlayedHand, played
from twinwall.game.play_events import TileDiscarded, WinDeclared


def won_unseen(hand: PlayedHand, events: int) -> tuple[TableContext, Hypothesis, int]:
    """So many events of a hand that is over, on whose first win on a discard no frame saw that discard; and the index of the win."""
    won = next(index for index, each in enumerate(hand.events) if isinstance(each, WinDeclared) and each.source is not None)
    assert isinstance(hand.events[won - 1], TileDiscarded)
    table, path = followed(hand, hand.events[:events], {})
    unseen = replace(path.grounds[won - 1], tracks=(), costs=((costs.CostReason.NEVER_SEEN, costs.AGAINST_SIGHT),))
    return replace(table, over=True), replace(path, grounds=(*path.grounds[: won - 1], unseen, *path.grounds[won:])), won


def doubted(table: TableContext, path: Hypothesis, won: int) -> bool:
    """Whether it is a question on which tile the seat has won."""
    found = decoded(table, [path], [0.0], {}, smoothed_below=costs.PUBLISH)[won]
    assert found.margin >= costs.ASK or found.bound is MarginBound.WON_ON_A_GUESS
    return found.margin < costs.ASK


def test_on_which_unseen_tile_a_seat_has_won_is_a_question() -> None:
    hand = played("mcr-duplicate", 11)
    assert doubted(*won_unseen(hand, len(hand.events)))
