"""Places: what it costs that a tile lies where it lies."""

import pytest

from controller.recorder.places import MatPlaces, all_seats
from controller.recorder.tracks import Track
from twinwall.game.tiles import Seat
from vision.mat import Area, Mat, Slot


def cost_of_a_discard_at(x_mm: float, y_mm: float) -> float:
    """What the place of the first discard of East costs, who sits at place 0."""
    track = Track(0, x_mm, y_mm, 0.0, face_up=True, appeared_ms=0, seen_ms=0)
    return MatPlaces(all_seats(0)).river(Seat.EAST, 0, track)


def test_a_discard_far_from_its_river_lies_rather_on_another_one_than_anywhere() -> None:
    others = [Mat().spot(Slot(place, Area.RIVER, 10)) for place in (1, 2, 3)]
    assert all(cost_of_a_discard_at(spot.x_mm, spot.y_mm) < cost_of_a_discard_at(0.0, 330.0) - 1.0 for spot in others)
    assert cost_of_a_discard_at(-270.0, -270.0) == pytest.approx(cost_of_a_discard_at(0.0, 330.0), abs=0.1)


def test_a_discard_in_its_own_river_is_likelier_than_one_on_another_wherever_it_lies_there() -> None:
    own = [Mat().spot(Slot(0, Area.RIVER, index)) for index in range(Mat().count(0, Area.RIVER))]
    anothers = [Mat().spot(Slot(2, Area.RIVER, index)) for index in range(Mat().count(0, Area.RIVER))]
    dearest = max(cost_of_a_discard_at(spot.x_mm, spot.y_mm) for spot in own)
    assert dearest < min(cost_of_a_discard_at(spot.x_mm, spot.y_mm) for spot in anothers)
