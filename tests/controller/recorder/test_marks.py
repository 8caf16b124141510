"""Marks of events and violations are the same numbers in every process."""

from controller.recorder.marks import mark_of
from controller.recorder.violations import PathViolation, ViolationKind
from twinwall.game.play_events import TileDiscarded
from twinwall.game.tiles import Seat, Tile


def test_an_event_has_the_mark_that_it_had_in_another_process() -> None:
    assert mark_of(TileDiscarded(Seat.EAST, Tile.M1)) == 71615194364059770


def test_another_event_has_another_mark() -> None:
    marks = {mark_of(TileDiscarded(seat, tile)) for seat in Seat for tile in Tile}
    assert len(marks) == len(Seat) * len(Tile)


def test_a_violation_has_the_mark_that_it_had_in_another_process() -> None:
    assert PathViolation(ViolationKind.FALSE_WIN, Seat.SOUTH, "a win is declared on a hand that wins", 12).mark == 7523909513337237
