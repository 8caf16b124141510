"""Pictures of the places of discards and melds while a hand is played: of the place where the tile lies, from before and after."""

from __future__ import annotations

import numpy as np
import pytest

from controller.adapters.cameras.hand_pictures import HandPictures, NextPlaces
from controller.state.decoding import HandToDecode
from controller.state.questions import RecordPictures
from controller.state.watches import AwaitedDiscard, AwaitedHand, AwaitedMeld, Watch
from tests.support.controller.game import walls_of
from tests.support.controller.rigs import opened
from twinwall.game.play_events import Claimed, ClaimsPassed, Meld, MeldType, PlayEvent, TileDiscarded, TileDrawn
from twinwall.game.tiles import Seat, Tile, parse_tiles
from vision.cameras.port import CameraFrame
from vision.mat import Area, Slot

DREW = TileDrawn(Seat.EAST)
DISCARD = TileDiscarded(Seat.EAST, Tile.S5)
CHOW = Claimed(Seat.SOUTH, Meld(MeldType.CHOW, parse_tiles("456s"), Seat.EAST))
DUE, MELD = Slot(0, Area.RIVER, 0), tuple(Slot(1, Area.MELD, index) for index in range(3))
OF_EAST, OF_SOUTH = Watch(AwaitedDiscard(Seat.EAST, 0), (DUE,)), Watch(AwaitedMeld(Seat.SOUTH, 0), MELD)


class Looks:
    """Frames in which a hand comes to so many events; a picture is the frame's number and what it shows."""

    def __init__(self) -> None:
        self.number = 0
        self.near: dict[int, Slot] = {}
        self.pictures = HandPictures(self._picture, self.near.get)

    def see(self, *events: PlayEvent, awaited: Watch | None = None, n: int = 1) -> Looks:
        self.number += 1
        self.pictures.see(CameraFrame(np.zeros((2, 2, 3), np.uint8), 0, 0), HandToDecode(opened(walls_of({}), n=n), 1, events, awaited))
        return self

    def _picture(self, _frame: CameraFrame, slot: Slot) -> bytes:
        return f"{self.number}: {slot}".encode()


@pytest.fixture
def looks() -> Looks:
    return Looks()


def test_a_discard_is_shown_from_before_and_after_in_the_place_where_it_was_due(looks: Looks) -> None:
    looks.see(DREW, awaited=OF_EAST).see(DREW, awaited=OF_EAST).see(DREW, DISCARD)
    assert looks.pictures.of(1) == {2: RecordPictures(1, 2, f"1: {DUE}".encode(), f"3: {DUE}".encode())}
    assert looks.pictures.of(1) == {}


def test_of_a_discard_that_lies_elsewhere_no_picture_from_before_is_shown(looks: Looks) -> None:
    looks.near[1] = Slot(2, Area.RIVER, 5)
    looks.see(DREW, awaited=OF_EAST).see(DREW, DISCARD)
    assert looks.pictures.of(1) == {2: RecordPictures(1, 2, b"", f"2: {looks.near[1]}".encode())}


def test_a_meld_is_shown_as_it_lies(looks: Looks) -> None:
    looks.see(DREW, DISCARD, awaited=OF_SOUTH).see(DREW, DISCARD, CHOW)
    assert looks.pictures.of(1) == {3: RecordPictures(1, 3, b"", f"2: {MELD[1]}".encode())}


def test_what_was_awaited_and_did_not_come_and_a_shown_hand_are_not_shown(looks: Looks) -> None:
    """The row of a hand may show concealed tiles until its seat lays them open."""
    looks.see(DREW, DISCARD, awaited=OF_SOUTH).see(DREW, DISCARD, ClaimsPassed())
    looks.see(DREW, DISCARD, ClaimsPassed(), awaited=Watch(AwaitedHand(Seat.SOUTH, 0), (Slot(1, Area.HAND, 0),)))
    looks.see(DREW, DISCARD, ClaimsPassed(), DREW)
    assert looks.pictures.of(1) == {}


def test_the_next_hand_begins_without_pictures(looks: Looks) -> None:
    looks.see(DREW, awaited=OF_EAST).see(DREW, DISCARD).see(DREW, awaited=OF_EAST, n=2)
    assert looks.pictures.of(2) == {}


OF_SOUTHS_RIVER = Slot(1, Area.RIVER, 3)
FRAME_MS = 100


class NextLooks:
    """Frames 100 ms apart in which certain places are the next ones; a picture is the frame's number and what it shows."""

    def __init__(self) -> None:
        self.number = 0
        self.next = NextPlaces(lambda _frame, slot: f"{self.number}: {slot}".encode())

    def see(self, *places: Slot, frames: int = 1) -> NextLooks:
        for _ in range(frames):
            self.number += 1
            self.next.see(CameraFrame(np.zeros((2, 2, 3), np.uint8), 0, 0), self.number * FRAME_MS, places)
        return self


def test_the_next_place_of_a_river_is_shown_as_it_was_when_it_became_that() -> None:
    looks = NextLooks().see(DUE, OF_SOUTHS_RIVER, frames=20)
    assert looks.next.before(DUE, 20 * FRAME_MS) == f"1: {DUE}".encode()
    assert looks.next.before(OF_SOUTHS_RIVER, 20 * FRAME_MS) == f"2: {OF_SOUTHS_RIVER}".encode()


@pytest.mark.parametrize(("since_ms", "shown"), [(600, False), (601, True)])
def test_a_place_is_not_shown_from_so_late_that_the_tile_may_have_been_under_way(since_ms: int, shown: bool) -> None:
    assert bool(NextLooks().see(DUE, frames=20).next.before(DUE, since_ms)) is shown


def test_a_place_that_was_never_the_next_or_is_no_longer_is_not_shown() -> None:
    looks = NextLooks().see(DUE).see(OF_SOUTHS_RIVER, frames=20)
    assert looks.next.before(DUE, 5000) == b""
    assert looks.next.before(Slot(2, Area.RIVER, 0), 5000) == b""
