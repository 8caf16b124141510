"""Estimate of what a path has yet to explain."""

from __future__ import annotations

import pytest

from controller.recorder import costs
from controller.recorder.estimate import estimate
from controller.recorder.hypothesis import Hypothesis, TableContext
from controller.recorder.places import MatPlaces, all_seats
from controller.recorder.signals import GateEdge
from controller.recorder.tracks import TrackList
from twinwall.game.play_events import TileDrawn
from twinwall.game.rules import rule_set
from twinwall.game.tiles import Seat
from vision.mat_observation import MatObservation

EVERYTHING = frozenset((column, row) for column in range(-20, 21) for row in range(-20, 21))


@pytest.mark.parametrize(("covered", "cost"), [(EVERYTHING, costs.EDGE_WAITS), (frozenset[tuple[int, int]](), 3 * costs.EDGE_ALONE)])
def test_draws_that_wait_for_a_covered_discard_wait_for_that_one_alone(covered: frozenset[tuple[int, int]], cost: float) -> None:
    rules, tracks = rule_set("mcr-duplicate"), TrackList()
    tracks.see(MatObservation(60_000, covered=covered))
    table = TableContext(rules, Seat.EAST, MatPlaces(all_seats(0)), tracks, None, gates=True, now_ms=60_000)
    waiting = tuple(GateEdge(1000 * place, place) for place in (1, 2, 3))
    path = Hypothesis(rules.apply(rules.start(), TileDrawn(Seat.EAST, from_end=False)), None, edges=waiting)
    assert estimate(table, path) == cost
