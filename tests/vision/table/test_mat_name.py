"""Names of mats on rendered frames: each mat tells its table, and frames of a mat that names another table are refused."""

from collections.abc import Callable
from functools import cache

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.cameras.ground import PX_PER_MM
from simulator.cameras.optics import Picture
from simulator.cameras.table import TableCamera
from simulator.scene import LaidTile, TableScene
from tests.support.dashboard.printed import grey_pages
from tests.support.narrowed import of_type, present
from tests.support.tiers import pairs
from twinwall.art.mat import Area, Mat, Slot, Spot
from twinwall.art.mat_prints.mat_pages import mat_pdf
from twinwall.art.mat_prints.name_marker import MOST, name_place, white_cells
from twinwall.game.tiles import Tile
from vision.cameras.port import CameraFrame
from vision.mat_observation import MatObservation
from vision.model.classifier import Classifier
from vision.reading import Reason
from vision.table.lens import MatView
from vision.table.markers import marker_corners
from vision.table.mat_name import FORGOTTEN_AFTER, named_table
from vision.table.placement import MatPlacement
from vision.table.sweeper import MatSweeper
from vision.table.table_reader import TableReader

pytestmark = pytest.mark.slow

LAID = {
    Slot(0, Area.RIVER, 0): Tile.M5,
    Slot(1, Area.RIVER, 3): Tile.P7,
    Slot(2, Area.MELD, 0): Tile.S2,
    Slot(3, Area.RIVER, 8): Tile.EAST,
}
SLOTS = tuple(LAID)
SCENE = TableScene(
    1, tuple(LaidTile(tile.text, slot.place, slot.area.value, slot.index, False, (1.0, -1.5), 4.0) for slot, tile in LAID.items())
)
NAME = name_place(Mat())


def mat_of(table: str) -> Mat:
    return Mat(table=table)


@cache
def seen(table: str, seed: int = 0, scene: TableScene = SCENE) -> Picture:
    """What a camera over the mat of a table sees."""
    picture = TableCamera(seed, mat_of(table)).render(scene)
    picture.flags.writeable = False
    return picture


def frame(picture: Picture, number: int = 0) -> CameraFrame:
    at_ns = number * 600_000_000
    return CameraFrame(picture, at_ns, at_ns + 1)


def covered(picture: Picture, place: Spot) -> Picture:
    """With a hand over the name."""
    spoilt = picture.copy()
    x, y = (round(len(picture) / 2 + at * PX_PER_MM) for at in (place.x_mm, place.y_mm))
    spoilt[y - 30 : y + 45, x - 40 : x + 12] = (120, 150, 205)
    return spoilt


@pytest.fixture
def name() -> Spot:
    assert NAME is not None
    return NAME


def test_the_cameras_of_two_tables_exchanged_are_refused_with_both_names(classifier: Classifier) -> None:
    own = {table: seen(table, seed) for table, seed in (("1", 0), ("12", 8))}
    for table, other in (("1", "12"), ("12", "1")):
        reader = TableReader(mat_of(table), classifier)
        assert [one.tile for one in reader.read(frame(own[table]), SLOTS)] == list(LAID.values())
        assert reader.read(frame(own[other], 1), SLOTS) == ()
        assert reader.trouble is not None
        assert (reader.trouble.reason, reader.trouble.named) == (Reason.OTHER_TABLE, other)
        assert f"table {table}," in reader.trouble.detail
        assert f"table {other}:" in reader.trouble.detail
        assert [one.tile for one in reader.read(frame(own[table], 2), SLOTS)] == list(LAID.values())


def test_the_sweep_sees_nothing_in_frames_of_another_tables_mat(classifier: Classifier) -> None:
    sweeper = MatSweeper(mat_of("1"), classifier, TableReader(mat_of("1"), classifier).follower)
    assert sweeper.observe(frame(seen("512")), 0) is None
    assert sweeper.trouble is not None
    assert sweeper.trouble.reason is Reason.OTHER_TABLE


def test_a_mat_without_a_name_is_that_of_any_table(classifier: Classifier) -> None:
    reader = TableReader(mat_of("1"), classifier)
    assert len(reader.read(frame(seen("")), SLOTS)) == len(SLOTS)
    assert reader.trouble is None


def test_a_table_whose_name_is_no_number_has_a_mat_without_a_name_and_refuses_one_that_has_one(classifier: Classifier) -> None:
    reader = TableReader(mat_of("red-2"), classifier)
    assert len(reader.read(frame(seen("red-2")), SLOTS)) == len(SLOTS)
    assert reader.read(frame(seen("1"), 1), SLOTS) == ()


def test_a_hand_over_the_name_stops_no_table(classifier: Classifier, name: Spot) -> None:
    reader, picture = TableReader(mat_of("1"), classifier), seen("1")
    for number, one in enumerate((covered(picture, name), picture, covered(picture, name))):
        assert len(reader.read(frame(one, number), SLOTS)) == len(SLOTS)


def test_another_tables_name_counts_while_it_is_covered_and_is_forgotten_at_last(classifier: Classifier, name: Spot) -> None:
    reader = TableReader(mat_of("7"), classifier)
    picture = seen("1")
    assert reader.look(frame(picture), SLOTS) == ()
    hidden = covered(picture, name)
    looked = [len(reader.look(frame(hidden, number), SLOTS[:1])) for number in range(1, FORGOTTEN_AFTER + 1)]
    assert looked == [0] * (FORGOTTEN_AFTER - 1) + [1]


@pytest.mark.parametrize(("table", "seed"), pairs(["1", "2", "27", "512", "812", str(MOST)], range(3)))
def test_a_number_is_read_from_any_camera(table: str, seed: int) -> None:
    assert named_in(seen(table, seed)) == table


def test_half_a_name_names_no_table(name: Spot) -> None:
    """Whatever of the marker is covered: it is read as it is, or not at all."""
    picture = seen("512")
    x, y = (round(len(picture) / 2 + at * PX_PER_MM) for at in (name.x_mm, name.y_mm))
    mat, read = view_of(picture), set()
    for colour in (0, 90, 235):
        for off in range(-36, 37, 4):
            for part in (np.s_[y + off : y + off + 14, x - 40 : x + 40], np.s_[y - 40 : y + 40, x + off : x + off + 9]):
                spoilt = picture.copy()
                spoilt[part] = colour
                read.add(named_table(grey_of(spoilt), Mat(), mat))
    assert read <= {"", "512"}
    assert "" in read


def named_in(picture: Picture) -> str:
    return named_table(grey_of(picture), Mat(), view_of(picture))


def grey_of(picture: Picture) -> NDArray[np.uint8]:
    return np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.uint8)


def view_of(picture: Picture) -> MatView:
    return of_type(MatView, MatPlacement(Mat()).locate(grey_of(picture)))


def test_a_printed_mat_tells_its_table() -> None:
    around = 20
    fine = grey_pages(mat_pdf(mat_of("605")), 1.3 * 4)[0]
    page = cv2.resize(fine, None, fx=1 / 4, fy=1 / 4, interpolation=cv2.INTER_AREA)
    grey = np.asarray(cv2.copyMakeBorder(page, around, around, around, around, cv2.BORDER_CONSTANT, value=(90,)), np.uint8)
    view = of_type(MatView, MatPlacement(Mat()).locate(grey))
    assert named_table(grey, Mat(), view) == "605"


def test_a_name_marker_is_that_of_opencvs_dictionary() -> None:
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_ARUCO_ORIGINAL)
    for number in range(MOST + 1):
        drawn = np.zeros((7, 7), np.uint8)
        for row, column in white_cells(number):
            drawn[row, column] = 255
        assert (drawn == cv2.aruco.generateImageMarker(dictionary, number, 7)).all(), number


def turned(picture: Picture) -> Picture:
    return np.ascontiguousarray(picture[::-1, ::-1])


def test_a_camera_turned_by_180_degrees_reads_the_same_slots_and_the_same_name(classifier: Classifier) -> None:
    reader = TableReader(mat_of("512"), classifier)
    assert [(one.slot, one.tile, one.reason) for one in reader.read(frame(turned(seen("512"))), SLOTS)] == [
        (slot, tile, None) for slot, tile in LAID.items()
    ]
    other = TableReader(mat_of("12"), classifier)
    assert other.read(frame(turned(seen("512"))), SLOTS) == ()


@pytest.mark.parametrize("turn", [False, True])
def test_the_sweep_finds_every_tile_where_it_lies_and_none_in_the_name(classifier: Classifier, turn: bool) -> None:
    swept = {table: sweep(classifier, table, turned if turn else np.asarray) for table in ("", "512")}
    mat, named = Mat(), swept["512"]
    assert len(named.tiles) == len(LAID)
    for slot, kind in LAID.items():
        spot = mat.spot(slot)
        (tile,) = [one for one in named.tiles if np.hypot(one.x_mm - spot.x_mm, one.y_mm - spot.y_mm) < 5]
        assert max(tile.shares, key=lambda one: tile.shares[one]) is kind
    assert named.covered == swept[""].covered


def test_nothing_lies_on_a_bare_mat_with_a_name(classifier: Classifier) -> None:
    bare = sweep(classifier, "512", np.asarray, TableScene(1, ()))
    assert (bare.tiles, bare.covered) == ((), frozenset())


def sweep(classifier: Classifier, table: str, as_seen: Callable[[Picture], Picture], scene: TableScene = SCENE) -> MatObservation:
    mat = mat_of(table)
    sweeper = MatSweeper(mat, classifier, TableReader(mat, classifier).follower)
    return present(sweeper.observe(frame(as_seen(seen(table, scene=scene))), 0))


@pytest.mark.parametrize("off_mm", [(0.0, 0.0), (6.0, -6.0), (-5.0, 3.0), (-6.0, -6.0)])
def test_a_name_on_a_card_that_lies_some_millimetres_off_is_read(off_mm: tuple[float, float]) -> None:
    grey = np.asarray(cv2.cvtColor(seen("512"), cv2.COLOR_BGR2GRAY), np.uint8)
    view = of_type(MatView, MatPlacement(Mat()).locate(grey))
    beside = {number: corners + np.array(off_mm) for number, corners in marker_corners(Mat()).items()}
    assert named_table(grey, Mat(), view, beside) == "512"
