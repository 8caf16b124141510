"""The architecture picture equals the one drawn from the code."""

from tests.architecture.test_rooms import ROOMS
from tools.architecture import FILE, NOT_DRAWN, PURPOSES, picture


def test_the_picture_of_the_architecture_is_up_to_date() -> None:
    assert FILE.read_text(encoding="utf-8") == picture(), "draw it anew: python -m tools.architecture"


def test_every_room_has_a_box_with_its_purpose() -> None:
    assert set(PURPOSES) == set(ROOMS) - NOT_DRAWN
