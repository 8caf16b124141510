"""Pictures of hands and of what may be a violation are kept while the hand is played, and go with the question about it."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from controller.adapters.cameras.hand_pictures import MOST_A_FRAME, HandPictures, RiverPlaces, picture_of
from controller.state.watches import Awaited, Awaits, HandToDecode, Watch
from tests.support.controller.game import walls_of
from tests.support.controller.rigs import opened
from twinwall.game.play_events import Claimed, ClaimsPassed, Meld, MeldType, PlayEvent, TileDiscarded, TileDrawn
from twinwall.game.tiles import Seat, Tile, parse_tiles
from twinwall.wire.events.hand_events import RecordDoubt
from twinwall.wire.messages.tile_question import AskedRecord, ShownViolation
from vision.cameras.port import CameraFrame
from vision.mat import Area, Mat, Slot

MAT = Mat()
DREW = TileDrawn(Seat.EAST)
DISCARD = TileDiscarded(Seat.EAST, Tile.S5)
CHOW = Claimed(Seat.SOUTH, Meld(MeldType.CHOW, parse_tiles("456s"), Seat.EAST))
DUE, MELD = Slot(0, Area.RIVER, 0), tuple(Slot(1, Area.MELD, index) for index in range(3))
OF_EAST, OF_SOUTH = Watch(Awaited(Awaits.DISCARD, Seat.EAST, 0), (DUE,)), Watch(Awaited(Awaits.MELD, Seat.SOUTH, 0), MELD)


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
    assert looks.pictures.of(1) == {2: AskedRecord(1, 2, after=f"3: {DUE}".encode(), before=f"1: {DUE}".encode())}
    assert looks.pictures.of(1) == {}


def test_of_a_discard_that_lies_elsewhere_no_picture_from_before_is_shown(looks: Looks) -> None:
    looks.near[1] = Slot(2, Area.RIVER, 5)
    looks.see(DREW, awaited=OF_EAST).see(DREW, DISCARD)
    assert looks.pictures.of(1) == {2: AskedRecord(1, 2, after=f"2: {looks.near[1]}".encode())}


def test_a_meld_is_shown_as_it_lies(looks: Looks) -> None:
    looks.see(DREW, DISCARD, awaited=OF_SOUTH).see(DREW, DISCARD, CHOW)
    assert looks.pictures.of(1) == {3: AskedRecord(1, 3, after=f"2: {MELD[1]}".encode())}


def test_what_was_awaited_and_did_not_come_and_a_shown_hand_are_not_shown(looks: Looks) -> None:
    """The row of a hand may show concealed tiles until its seat lays them open."""
    looks.see(DREW, DISCARD, awaited=OF_SOUTH).see(DREW, DISCARD, ClaimsPassed())
    looks.see(DREW, DISCARD, ClaimsPassed(), awaited=Watch(Awaited(Awaits.HAND, Seat.SOUTH, 0), (Slot(1, Area.HAND, 0),)))
    looks.see(DREW, DISCARD, ClaimsPassed(), DREW)
    assert looks.pictures.of(1) == {}


def test_the_next_hand_begins_without_pictures(looks: Looks) -> None:
    looks.see(DREW, awaited=OF_EAST).see(DREW, DISCARD).see(DREW, awaited=OF_EAST, n=2)
    assert looks.pictures.of(2) == {}


OF_SOUTHS_RIVER = Slot(1, Area.RIVER, 3)
RIVERS = MAT.all_slots(Area.RIVER)
ALL = -(-len(RIVERS) // MOST_A_FRAME)
"""In so many frames each place of the rivers is cut."""
FRAME_MS = 100


class RiverLooks:
    """Frames 100 ms apart in which certain places are the next ones; a picture is the frame's number and what it shows."""

    def __init__(self) -> None:
        self.number = 0
        self.cut: list[Slot] = []
        self.rivers = RiverPlaces(self._picture, MAT)

    def see(self, *places: Slot, frames: int = 1) -> RiverLooks:
        for _ in range(frames):
            self.number += 1
            self.rivers.see(CameraFrame(np.zeros((2, 2, 3), np.uint8), 0, 0), self.number * FRAME_MS, places)
        return self

    def shown_from(self, slot: Slot) -> int | None:
        """The frame of which the picture from before is now; None where there is none."""
        picture = self.rivers.before(slot, self.number * FRAME_MS + 1000)
        return int(picture.split(b":")[0]) if picture else None

    def _picture(self, _frame: CameraFrame, slot: Slot) -> bytes:
        self.cut.append(slot)
        return f"{self.number}: {slot}".encode()


def test_each_place_of_the_rivers_is_cut_once_the_next_ones_and_those_beside_them_first() -> None:
    looks = RiverLooks().see(OF_SOUTHS_RIVER, frames=ALL + 5)
    assert (sorted(looks.cut, key=str), looks.cut[0]) == (sorted(RIVERS, key=str), OF_SOUTHS_RIVER)
    assert set(looks.cut[1:6]) == {Slot(1, Area.RIVER, index) for index in (2, 4, 8, 9, 10)}


def test_no_frame_is_cut_into_many_pictures() -> None:
    assert len(RiverLooks().see().cut) == MOST_A_FRAME


def test_a_place_beside_which_a_tile_was_laid_or_taken_is_cut_anew_and_no_other() -> None:
    looks = RiverLooks().see(frames=ALL)
    first = looks.shown_from(OF_SOUTHS_RIVER)
    looks.rivers.changed(OF_SOUTHS_RIVER)
    looks.see(frames=5)
    assert first is not None
    assert ALL < (looks.shown_from(OF_SOUTHS_RIVER) or 0) <= ALL + 2
    assert ALL < (looks.shown_from(Slot(1, Area.RIVER, 10)) or 0) <= ALL + 2
    assert (looks.shown_from(Slot(1, Area.RIVER, 5)) or 0) <= ALL
    assert (looks.shown_from(DUE) or 0) <= ALL


def test_where_a_meld_changed_no_place_is_cut() -> None:
    looks = RiverLooks().see(frames=ALL)
    looks.rivers.changed(MELD[1])
    assert len(looks.see(frames=3).cut) == len(RIVERS)


@pytest.mark.parametrize(("since_ms", "shown"), [(600, False), (601, True)])
def test_a_place_is_not_shown_from_so_late_that_the_tile_may_have_been_under_way(since_ms: int, shown: bool) -> None:
    assert bool(RiverLooks().see(DUE, frames=20).rivers.before(DUE, since_ms)) is shown


def test_of_melds_and_hands_nothing_is_cut() -> None:
    looks = RiverLooks().see(MELD[1], Slot(0, Area.HAND, 3), frames=ALL + 5)
    assert {slot.area for slot in looks.cut} == {Area.RIVER}
    assert looks.rivers.before(MELD[1], 100_000) == b""


DOUBT = RecordDoubt(1, 9, "", "", 3.0, Seat.WEST, {"discarded-twice": "rule", "exposed-tiles": "rule"})
SEEN = ShownViolation(1, "W", "exposed-tiles", after=b"after", before=b"before")


def test_the_pictures_are_those_of_the_seat_whose_kind_and_moment_fit_best() -> None:
    kept = ((9, SEEN), (20, replace(SEEN, after=b"later")), (9, replace(SEEN, seat="E", after=b"East")))
    assert picture_of(DOUBT, kept) == AskedRecord(1, 9, after=b"after", before=b"before", seat="W")


@pytest.mark.parametrize(
    ("after", "seen"),
    [(30, SEEN), (9, replace(SEEN, what="false-claim")), (9, replace(SEEN, seat="N")), (9, replace(SEEN, n=2))],
    ids=["another-moment", "another-kind", "another-seat", "another-deal"],
)
def test_a_picture_of_something_else_is_not_shown(after: int, seen: ShownViolation) -> None:
    assert picture_of(DOUBT, [(after, seen)]) is None
