"""Claims whose own tiles lie where the camera sees nothing: the claimed tile before the seat tells of the meld."""

from __future__ import annotations

from controller.recorder import costs
from controller.recorder.decoder import HandDecoder
from controller.recorder.places import all_seats
from controller.recorder.signals import GateEdge, KeyEdge
from controller.state.keys import Key
from tests.controller.recorder.test_second_claims import lying
from tests.support.recorder.played_hands import FRAME_MS
from twinwall.game.play_events import Claimed, MeldType, TileDiscarded
from twinwall.game.rules import rule_set
from twinwall.game.tiles import Seat, Tile
from vision.mat import Area, Mat, Slot
from vision.mat_observation import COVER_MM, MatObservation

PLACES = all_seats(0)
OWN = (0, 1)
"""Where in its row of melds the seat lays its own tiles."""


def claimed_by(seat: Seat, key: Key, *, hidden: bool) -> HandDecoder:
    """East's 3p is taken and lies before a seat that has pressed a key, and the seat discards a wind; nothing is seen where its own tiles
    belong, which is ``hidden``, or bare cloth."""
    decoder = HandDecoder(rule_set("mcr-duplicate"), PLACES, Seat.EAST, None)
    discard = lying(Slot(Seat.EAST.index, Area.RIVER, 0), Tile.P3)
    taken = lying(Slot(seat.index, Area.MELD, len(OWN)), Tile.P3)
    own = lying(Slot(seat.index, Area.RIVER, 0), Tile.WEST)
    shown = {2000: (discard,), 4000: (), 4500: (taken,), 6500: (taken, own)}
    spots = [Mat().spot(Slot(seat.index, Area.MELD, index)) for index in OWN]
    covered = frozenset((round(spot.x_mm / COVER_MM), round(spot.y_mm / COVER_MM)) for spot in spots)
    decoder.draw_sensed(GateEdge(1000, PLACES[Seat.EAST]))
    for at_ms in range(1000, 12_000, FRAME_MS):
        if at_ms == 3500:
            decoder.key_pressed(KeyEdge(at_ms, PLACES[seat], key))
        if at_ms == 9000:
            decoder.draw_sensed(GateEdge(at_ms, PLACES[seat.next]))
        tiles = next((shown[since] for since in reversed(shown) if since <= at_ms), ())
        decoder.see(MatObservation(at_ms, tiles, covered if hidden else frozenset()))
    return decoder


def test_a_pung_of_which_the_claimed_tile_alone_is_in_sight_is_recorded_and_the_discard_after_it_is_none_of_its_tiles() -> None:
    claimed, discarded = claimed_by(Seat.WEST, Key.PUNG, hidden=True).best()[2:4]
    assert isinstance(claimed.event, Claimed)
    assert (claimed.event.seat, claimed.event.meld.tiles) == (Seat.WEST, (Tile.P3,) * 3)
    assert discarded.event == TileDiscarded(Seat.WEST, Tile.WEST)
    assert min(claimed.margin, discarded.margin) >= costs.PUBLISH


def test_which_chow_it_is_is_a_question_where_its_own_tiles_are_out_of_sight() -> None:
    decoder = claimed_by(Seat.SOUTH, Key.CHOW, hidden=True)
    claimed, discarded = decoder.best()[2:4]
    assert isinstance(claimed.event, Claimed)
    assert claimed.event.meld.type is MeldType.CHOW
    assert discarded.event == TileDiscarded(Seat.SOUTH, Tile.WEST)
    assert discarded.margin >= costs.PUBLISH
    decoder.finish()
    assert claimed.number in [question.number for question in decoder.questions]


def test_nobody_has_claimed_with_tiles_that_would_lie_on_cloth_in_full_sight() -> None:
    assert not any(isinstance(each.event, Claimed) for each in claimed_by(Seat.WEST, Key.PUNG, hidden=False).best())
