"""What a camera above the walls makes of what lies there: a tile put wrongly, a hand, and what nobody can know."""

import queue
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.electrics.wired_machine import BY_HAND, capabilities_of
from simulator.cameras.table import TableCamera, TileSet, usual_look
from simulator.scene import LaidTile, TableScene
from tableside.station.camera_worker import Misplaced, WallsWatcher, WallWatch
from tableside.station.confirmed_places import NOTHING, Four
from tableside.station.tasks import spoken_place
from tests.support.tiers import one_in
from tests.support.vision.cameras import ShownPictures
from twinwall.art.mat import Area, Mat, Slot, WallMat
from vision.cameras.port import CameraFrame
from vision.reading import ReadRefusal
from vision.table.building_mat import BuildingMatCamera, Position, SeenPositions

MAT = WallMat()
EVERYWHERE = frozenset((seat, place) for seat in range(4) for place in range(37))


def seen(*taken: Position) -> SeenPositions:
    return SeenPositions(frozenset(taken), EVERYWHERE - set(taken))


class Watching:
    """A watch that gets ten frames a second."""

    def __init__(self) -> None:
        self.watch, self.now_s = WallWatch(0.5), 0.0
        self.look(seen())

    def look(
        self, what: SeenPositions, seconds: float = 0.0, *, walls: Four = NOTHING, due: tuple[Position, ...] = (), told: bool = True
    ) -> None:
        end_s = self.now_s + seconds
        while True:
            self.watch.look(what, walls, due, self.now_s, known=told)
            if self.now_s >= end_s:
                break
            self.now_s += 0.1

    @property
    def said(self) -> Misplaced | None:
        return self.watch.misplaced


AT, BESIDE = (1, 30), (1, 31)
DUE, PLACED = (AT,), (0, 1 << 30, 0, 0)
WRONG = Misplaced(BESIDE, AT)
LOOKS: dict[str, tuple[Four, tuple[Position, ...], list[tuple[tuple[Position, ...], float, Misplaced | None]]]] = {
    "a tile at its place is nothing to say": (NOTHING, DUE, [(DUE, 2.0, None)]),
    "a tile beside its place is said once it rests, until it is moved": (
        NOTHING,
        DUE,
        [((BESIDE,), 0.3, None), ((BESIDE,), 0.5, WRONG), (DUE, 0.0, None)],
    ),
    "the tile before is meant when the next one is in hand already": (PLACED, (AT, (2, 4)), [((BESIDE,), 1.0, WRONG)]),
    "a tile at the place of the next one is not taken for it": (
        PLACED,
        (AT, BESIDE),
        [((BESIDE,), 1.0, WRONG), (DUE, 1.0, None), ((AT, BESIDE), 1.0, None)],
    ),
    "a tile that should have gone back to the heap belongs nowhere": (NOTHING, (), [(((0, 3),), 1.0, Misplaced((0, 3), None))]),
    "a hand over several places is no tile": (NOTHING, DUE, [((AT, BESIDE, (1, 32)), 5.0, None)]),
}
"""By what is shown: the walls, the places that are due, and each look with its seconds and what is said after it."""


@pytest.mark.parametrize(("walls", "due", "looks"), LOOKS.values(), ids=LOOKS)
def test_what_is_said_of_the_walls(
    walls: Four, due: tuple[Position, ...], looks: list[tuple[tuple[Position, ...], float, Misplaced | None]]
) -> None:
    watching = Watching()
    for taken, seconds, said_then in looks:
        watching.look(seen(*taken), seconds, walls=walls, due=due)
        assert watching.said == said_then


def test_nothing_is_said_of_a_place_that_a_person_has_called_right() -> None:
    watching = Watching()
    watching.look(seen((1, 31)), 1.0, due=((1, 30),))
    watching.watch.leave_alone()
    watching.look(seen((1, 31)), 1.0, due=((1, 30),))
    assert watching.said is None
    watching.look(seen(), due=((1, 30),))
    watching.look(seen((1, 31)), 1.0, due=((1, 30),))
    assert watching.said is not None, "once it has been free, the place counts again"


def test_what_lay_there_before_anybody_could_know_is_left_alone() -> None:
    watching = Watching()
    watching.look(seen((3, 3), (3, 4)), 1.0, told=False)
    watching.look(seen((3, 3)), 1.0)
    assert watching.said is None


@given(st.sets(st.sampled_from(sorted(EVERYWHERE)), max_size=20), st.sampled_from(sorted(EVERYWHERE)))
def test_whatever_lies_where_it_was_confirmed_is_never_called_wrong(lying: set[Position], due: Position) -> None:
    masks = [sum(1 << place for seat, place in lying if seat == each) for each in range(4)]
    watching = Watching()
    for taken in (lying, lying | {due}):
        watching.look(seen(*taken), 1.0, walls=(masks[0], masks[1], masks[2], masks[3]), due=(due,))
    assert watching.said is None


def test_the_mats_rows_are_the_rows_that_people_are_told() -> None:
    sizes = capabilities_of(BY_HAND)
    assert MAT.tray_places == sizes.tray_places
    away = {"hand": MAT.hand_away_mm, "lower": MAT.lower_away_mm, "single": MAT.lower_away_mm, "upper": MAT.upper_away_mm}
    left = MAT.at_own_side(Slot(0, Area.WALL, 0))[0]
    for slot in MAT.slots(0, Area.WALL)[: sizes.wall_places]:
        spot = spoken_place(slot.index, sizes)
        along, far = MAT.at_own_side(slot)
        assert far == away[spot.row]
        assert along == left + (spot.count - 1) * MAT.pitch_mm


def test_no_two_places_of_the_building_mat_touch_and_none_lies_on_a_marker() -> None:
    spots = [MAT.spot(slot) for slot in MAT.all_slots()]
    boxes = []
    for spot in spots:
        wide, high = MAT.tile_at(spot)
        boxes.append((spot.x_mm - wide / 2, spot.y_mm - high / 2, spot.x_mm + wide / 2, spot.y_mm + high / 2))
    clear = MAT.marker_centre_mm - MAT.marker_mm * 2 / 3
    for number, (left, top, right, bottom) in enumerate(boxes):
        assert max(map(abs, (left, top, right, bottom))) < MAT.half_side_mm
        assert min(max(abs(left), abs(right)), max(abs(top), abs(bottom))) < clear
        assert not any(left < other[2] and other[0] < right and top < other[3] and other[1] < bottom for other in boxes[:number])


# Rendered frames ----------------------------------------------------------------------------------------------------


class Lens:
    """A simulated camera over the building mat, and what is made of its frames."""

    def __init__(self, seed: int, back: tuple[int, int, int] | None = None) -> None:
        look = usual_look(np.random.default_rng((seed, 3)))
        tiles = TileSet() if back is None else TileSet(back=back)
        self._camera, self._occupancy = TableCamera(seed, MAT, replace(look, tiles=tiles)), BuildingMatCamera(MAT)
        self._random, self._version = np.random.default_rng(seed), 0

    def look(self, lying: set[Position]) -> SeenPositions:
        self._version += 1
        tiles = tuple(self._tile(seat, place) for seat, place in sorted(lying))
        looked = self._occupancy.look(CameraFrame(self._camera.render(TableScene(self._version, tiles)), 0, self._version))
        assert isinstance(looked, SeenPositions), looked
        return looked

    def _tile(self, seat: int, place: int) -> LaidTile:
        rng = np.random.default_rng((seat, place))
        off = (float(rng.uniform(-2, 2)), float(rng.uniform(-2, 2)))
        return LaidTile("back", seat, Area.WALL.value, place, False, off, float(rng.uniform(-4, 4)))


def test_whoever_looks_at_the_walls_tells_when_it_sees_no_mat_and_goes_on_when_it_does_again() -> None:
    mat = TableCamera(5, MAT).render(TableScene(1, ()))
    told: queue.SimpleQueue[SeenPositions | None] = queue.SimpleQueue()
    watcher = WallsWatcher(ShownPictures(None, np.full((720, 1280, 3), 90, np.uint8), mat), BuildingMatCamera(MAT), 0.0, told.put)
    watcher.start()
    try:
        assert [told.get(timeout=20) for _ in range(3)] == [None, None, SeenPositions(frozenset(), EVERYWHERE)]
    finally:
        watcher.stop()


CLOTH, WHITE, BLUE = (66, 84, 30), (225, 230, 232), (150, 90, 30)


@pytest.mark.parametrize(("share", "back"), one_in(3, [(0.0, BLUE), (0.15, CLOTH), (0.5, BLUE), (0.6, WHITE), (0.95, CLOTH)]))
def test_no_tile_face_down_in_rendered_frames_is_missed_or_imagined(share: float, back: tuple[int, int, int]) -> None:
    rng = np.random.default_rng(round(100 * share))
    lying = frozenset(position for position in sorted(EVERYWHERE) if rng.random() < share)
    assert Lens(3, back).look(set(lying)) == SeenPositions(lying, EVERYWHERE - lying)


def test_a_tile_put_one_place_too_far_is_said_from_rendered_frames() -> None:
    lens, watching = Lens(4), Watching()
    wall = {(0, place) for place in range(14, 24)}
    mask = sum(1 << place for _, place in wall)
    watching.watch.blind()
    for lying in (wall, wall | {(0, 5)}):
        watching.look(lens.look(lying), 1.0, walls=(mask, 0, 0, 0), due=((0, 6),))
    assert watching.said == Misplaced((0, 5), (0, 6))


def test_nothing_but_walls_has_a_place_on_the_building_mat_and_no_other_mat_or_picture_is_taken_for_one() -> None:
    with pytest.raises(ValueError, match="building mat has no slot"):
        MAT.spot(Slot(0, Area.RIVER, 0))
    with pytest.raises(ValueError, match="has no slot"):
        Mat().spot(Slot(0, Area.WALL, 0))
    with pytest.raises(ValueError, match="no squares"):
        BuildingMatCamera(Mat())
    looked = BuildingMatCamera(MAT).look(CameraFrame(np.full((720, 1280, 3), 90, np.uint8), 0, 1))
    assert isinstance(looked, ReadRefusal)
    assert "markers" in looked.detail
