"""Moves of a turn: which paths go on from one state of play and what lies unexplained."""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate

from controller.recorder.hypothesis import Hypothesis, TableContext
from controller.recorder.moves import moves
from controller.recorder.places import MatPlaces, all_seats
from controller.recorder.signals import KnownDeal
from controller.recorder.tracks import TrackList
from tests.support.recorder.played_hands import PlayedHand, played
from twinwall.game.held import HeldTiles
from twinwall.game.play import Phase, PlayState
from twinwall.game.play_events import ClaimsPassed, SharedTileTurned, TileDiscarded
from twinwall.game.session import place_of
from twinwall.game.tiles import Seat
from vision.mat import Area, Mat, Slot
from vision.mat_observation import MatObservation, ObservedTile


def test_a_shared_tile_that_lies_open_ends_the_window_in_which_a_kong_could_be_robbed() -> None:
    hand, number, turned = kong_that_could_be_robbed()
    spot = Mat().spot(Slot(0, Area.SHARED, turned.place))
    tracks = TrackList()
    for at_ms in (250, 500):
        tracks.see(MatObservation(at_ms, (ObservedTile(spot.x_mm, spot.y_mm, 0.0, shares={turned.tile: 0.995}, sure=True),)))
    table = TableContext(hand.rules, Seat.EAST, MatPlaces(all_seats(0)), tracks, None, gates=True, now_ms=500)
    path = Hypothesis(states(hand)[number], None, loose=frozenset(tracks.all))
    assert (ClaimsPassed(), turned) in [after.events for after in moves(table, path)]


def test_riichi_with_a_hand_that_is_not_ready_is_unlikely_where_the_deal_is_known() -> None:
    hand = played("seigo", 241)
    before = 5
    discarded = hand.events[before]
    assert isinstance(discarded, TileDiscarded)
    held, tracks = HeldTiles(hand.walls), TrackList()
    for event in hand.events[:before]:
        held.happen(event)
    spot = Mat().spot(Slot(place_of(discarded.seat, hand.to_play.hand), Area.RIVER, 0))
    for at_ms in (250, 500):
        tracks.see(MatObservation(at_ms, (ObservedTile(spot.x_mm, spot.y_mm, 0.0, shares={discarded.tile: 0.995}, sure=True),)))
    table = TableContext(hand.rules, Seat.EAST, MatPlaces(all_seats(hand.east)), tracks, KnownDeal(hand.walls), gates=True, now_ms=500)
    path = Hypothesis(states(hand)[before], held, loose=frozenset(tracks.all))
    costs = {after.events[-1]: dict(after.grounds[-1].costs) for after in moves(table, path)}
    assert "breaks a duty" in costs[replace(discarded, riichi=True)]
    assert "breaks a duty" not in costs[discarded]


def kong_that_could_be_robbed() -> tuple[PlayedHand, int, SharedTileTurned]:
    """A hand, how many of its events end with such a kong, and the shared tile that is turned up once nobody robs it."""
    hand = played("seigo", 201)
    for number, state in enumerate(states(hand)):
        after = hand.events[number + 1] if number + 1 < len(hand.events) else None
        if state.phase is Phase.CLAIMS and isinstance(after, SharedTileTurned):
            return hand, number, after
    raise AssertionError("no kong of the hand can be robbed: choose another hand")


def states(hand: PlayedHand) -> list[PlayState]:
    """The state of play before the first event, and after each."""
    return list(accumulate(hand.events, hand.rules.apply, initial=hand.rules.start()))
