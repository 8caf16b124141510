"""Places: what it costs that a tile lies where it lies."""

from __future__ import annotations

from controller.recorder.places import MatPlaces, all_seats
from controller.recorder.tracks import Track
from twinwall.game.tiles import Seat
from vision.mat import Area, Mat, Slot


def cost_of_a_discard_at(x_mm: float, y_mm: float) -> float:
    """What the place of the first discard of East costs, who sits at place 0."""
    track = Track(0, x_mm, y_mm, 0.0, face_up=True, appeared_ms=0, seen_ms=0)
    return MatPlaces(all_seats(0)).river(Seat.EAST, 0, track)


def test_a_discard_in_its_own_river_is_likelier_than_one_on_another_wherever_it_lies_there() -> None:
    own = [Mat().spot(Slot(0, Area.RIVER, index)) for index in range(Mat().count(0, Area.RIVER))]
    anothers = [Mat().spot(Slot(2, Area.RIVER, index)) for index in range(Mat().count(0, Area.RIVER))]
    dearest = max(cost_of_a_discard_at(spot.x_mm, spot.y_mm) for spot in own)
    assert dearest < min(cost_of_a_discard_at(spot.x_mm, spot.y_mm) for spot in anothers)
