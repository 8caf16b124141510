"""The search: an observation weighs no more paths than it may, and what is left to go on from is gone on with at the next one."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from controller.recorder.decoder import DecoderLimits, HandDecoder
from controller.recorder.places import all_seats
from controller.recorder.signals import Decoded, GateEdge
from twinwall.game.play_events import TileDiscarded
from twinwall.game.rules import rule_set
from twinwall.game.tiles import SEATS, Tile
from vision.mat import Area, Mat, Slot
from vision.mat_observation import MatObservation, ObservedTile

KINDS = [kind for kind in Tile if not kind.is_honour][:12]
FRAMES = 60


@dataclass
class Followed:
    """What became of twelve discards that came to light together."""

    decoder: HandDecoder
    weighed: list[int]
    """By observation since they have, how many paths were weighed."""
    told: list[tuple[Decoded, ...]]
    searching: list[bool]

    @property
    def discarded(self) -> list[Tile]:
        return [event.event.tile for event in self.decoder.best() if isinstance(event.event, TileDiscarded)]


def followed(limits: DecoderLimits | None = None) -> Followed:
    """Twelve discards, one of them aside, that lay under something for all that time."""
    mat = Mat()
    decoder = HandDecoder(rule_set("mcr-duplicate"), all_seats(0), SEATS[0], None, limits=limits)
    everything = frozenset((column, row) for column in range(-20, 21) for row in range(-20, 21))
    tiles = []
    for turn, kind in enumerate(KINDS):
        spot = mat.spot(Slot(turn % 4, Area.RIVER, turn // 4))
        aside_mm = 20.0 if turn == 7 else 0.0
        tiles.append(ObservedTile(spot.x_mm - aside_mm, spot.y_mm - aside_mm, spot.turn_deg % 180, shares={kind: 0.995}, sure=True))
        decoder.draw_sensed(GateEdge(1000 + 4000 * turn, turn % 4))
        decoder.see(MatObservation(3000 + 4000 * turn, covered=everything))
    found = Followed(decoder, [], [], [])
    for number in range(FRAMES):
        found.told.append(decoder.see(MatObservation(50_000 + 250 * number, tuple(tiles))))
        found.weighed.append(decoder.weighed)
        found.searching.append(decoder.searching)
    return found


def test_discards_that_come_to_light_together_are_told_in_the_order_of_their_slots() -> None:
    assert followed().discarded == KINDS


@pytest.mark.parametrize("most", [40, 100])
def test_an_observation_that_has_weighed_enough_leaves_the_rest_to_the_next_one(most: int) -> None:
    whole, parts = followed(DecoderLimits(weighed=10_000)), followed(DecoderLimits(weighed=most))
    assert max(whole.weighed) > 4 * most
    assert max(parts.weighed) < 2 * most
    assert parts.discarded == whole.discarded == KINDS


def test_nothing_is_told_before_what_was_left_has_been_gone_on_with() -> None:
    parts = followed(DecoderLimits(weighed=40))
    assert any(parts.searching)
    assert not any(told for told, searching in zip(parts.told, parts.searching, strict=True) if searching)
    tiles = [event.event.tile for told in parts.told for event in told if isinstance(event.event, TileDiscarded)]
    assert sorted(tiles) == sorted(KINDS)
