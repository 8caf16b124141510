"""The finder of tiles: its answers as tiles, the tables that it was never trained on, and its answers to a picture that has changed in
part."""

from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.support.narrowed import present
from tests.support.tiers import some
from tools.train.faces.sheets import art_sheet
from tools.train.finder.faces import FaceBank, make_bank
from tools.train.finder.frames import SIDE_PX, TabletopFrame, as_rows, keep_traced, random_eye, stretched, traced_frame
from tools.train.finder.layouts import random_layout
from tools.train.finder.surroundings import lay_ground
from tools.train.finder.tabletop import Eye, Form, Label, Tile3D, draw, label_of
from twinwall.art.designs import SIMULATOR_DESIGN
from vision.cameras.file_camera import picture_in
from vision.finder.found import CELL_PX, LOOKS_IN_TURN, FoundTile, TileForm
from vision.finder.tile_finder import CELL, FORMS, OUTPUTS, SIZE_PX, STEP_PX, Answers, TileFinder, tiles_of

SIZE = 640
FOUND_SHARE = 0.95


@pytest.fixture(scope="module")
def finder() -> TileFinder:
    return TileFinder()


@cache
def _bank() -> FaceBank:
    """The simulator's faces, which the finder was never shown."""
    return make_bank([[*art_sheet(SIMULATOR_DESIGN).faces.values()]], [])


@cache
def _table(seed: int) -> tuple[NDArray[np.uint8], list[Label]]:
    """A table with the simulator's tiles from about above."""
    rng = np.random.default_rng(seed)
    tile_set, faces = _bank().random_set(rng)
    eye = Eye.looking_at((0.0, 0.0), (12.0, 5.0, 1.0), 900.0, 900.0, (SIZE / 2, SIZE / 2))
    image = lay_ground(rng, eye, SIZE, SIZE, tile_set.body)
    labels, _ = draw(image, random_layout(tile_set, faces, rng), tile_set, eye, np.array((0.0, 0.0, 1.0)))
    return image, labels


def _found(labels: list[Label], tiles: tuple[FoundTile, ...]) -> tuple[int, int]:
    """How many of the faces that are surely seen were found, and how many there are."""
    faces = [label for label in labels if label.form is Form.FACE and not label.doubtful]
    middles = np.array([(tile.x_px, tile.y_px) for tile in tiles if tile.form is TileForm.FACE]).reshape(-1, 2)
    near = [bool((np.hypot(*(middles - (label.x, label.y)).T) < 0.25 * label.width).any()) for label in faces]
    return sum(near), len(faces)


def test_faces_of_a_set_that_it_never_saw_are_found_on_any_surface(finder: TileFinder) -> None:
    tables = (_table(seed) for seed in some(range(8), 5))
    counts = np.sum([_found(labels, finder.look(image).tiles) for image, labels in tables], axis=0)
    assert counts[1] > 100
    assert counts[0] / counts[1] >= FOUND_SHARE


def test_tiles_that_fill_a_large_picture_are_found_at_a_smaller_size() -> None:
    image, labels = _table(3)
    larger = np.asarray(cv2.resize(image, None, fx=4, fy=4, interpolation=cv2.INTER_CUBIC), np.uint8)
    tiles = TileFinder().look(larger).tiles
    scaled = [Label(4 * one.x, 4 * one.y, 4 * one.width, 4 * one.height, *_rest(one)) for one in labels]
    found, of = _found(scaled, tiles)
    assert found / of >= FOUND_SHARE


def test_tiles_in_a_corner_of_a_picture_are_found_there_at_every_size() -> None:
    image, labels = _table(3)
    wide = np.full((SIZE + 204, 2 * SIZE, 3), 60, np.uint8)
    wide[150 : 150 + SIZE, SIZE - 60 : -60] = image
    there = [Label(one.x + SIZE - 60, one.y + 150, one.width, one.height, *_rest(one)) for one in labels]
    finder = TileFinder()
    for _ in range(1 + LOOKS_IN_TURN):
        look = finder.look(wide)
        found, of = _found(there, look.tiles)
        assert found / of >= FOUND_SHARE
        assert look.covering.shape == (-(-wide.shape[0] // CELL_PX), -(-wide.shape[1] // CELL_PX))


def test_tiles_that_are_seen_as_wide_as_high_are_not_taken_for_tiles_that_lie_across() -> None:
    rng = np.random.default_rng(2)
    tile_set, faces = _bank().random_set(rng)
    eye = Eye.looking_at((0.0, 0.0), (0.0, 0.0, 0.0), 900.0, 900.0, (SIZE / 2, SIZE / 2))
    image = lay_ground(rng, eye, SIZE, SIZE, tile_set.body)
    places = [(30.0 * column - 120, 40.0 * row - 80) for row in range(4) for column in range(8)]
    tiles = [Tile3D(x, y, 0.0, Form.FACE, face) for (x, y), face in zip(places, faces, strict=False)]
    draw(image, tiles, tile_set, eye, np.array((0.0, 0.0, 1.0)))
    wide = np.asarray(cv2.resize(image, None, fx=tile_set.height_mm / tile_set.width_mm, fy=1.0), np.uint8)
    found = [tile for tile in TileFinder().look(wide).tiles if tile.form is TileForm.FACE]
    upright = [tile for tile in found if abs((tile.angle_deg + 90) % 180 - 90) < 20]
    assert len(upright) >= FOUND_SHARE * len(tiles)


@pytest.mark.parametrize("tall", [False, True])
def test_labels_of_a_stretched_frame_lie_on_its_tiles(tall: bool) -> None:
    tiles = [FoundTile(120.0, 150.0, 40.0, 52.0, angle, TileForm.FACE, 1.0, lean) for angle, lean in ((10.0, 0.0), (75.0, 8.0))]
    for tile in tiles:
        image = np.zeros((SIDE_PX, SIDE_PX, 3), np.uint8)
        cv2.fillConvexPoly(image, np.rint(tile.outline_px()).astype(np.int32), (255, 255, 255))
        rows = as_rows([label_of(tile.outline_px(), Form.FACE, doubtful=False)])
        frame = stretched(TabletopFrame(image, rows, np.zeros((SIDE_PX // 8, SIDE_PX // 8), np.float32)), 1.3, tall=tall)
        x, y, width, height, angle, lean, _, state = frame.labels[0].tolist()
        again = FoundTile(x, y, width, height, np.rad2deg(angle), TileForm.FACE, 1.0, np.rad2deg(lean))
        drawn = np.zeros((SIDE_PX, SIDE_PX), np.uint8)
        cv2.fillConvexPoly(drawn, np.rint(again.outline_px()).astype(np.int32), 255)
        assert state == 1
        assert ((drawn > 127) != (frame.image[..., 0] > 127)).sum() < 0.05 * (drawn > 127).sum()


def test_a_path_traced_picture_keeps_its_labels(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    tile_set, faces = _bank().random_set(rng)
    tiles = random_layout(tile_set, faces, rng)
    image = np.zeros((SIDE_PX, SIDE_PX, 3), np.uint8)
    labels, _ = draw(image, tiles, tile_set, random_eye(tiles, rng, SIDE_PX), np.array((0.0, 0.0, 1.0)))
    keep_traced(tmp_path / "000000.npy", image, labels)
    frames = [traced_frame([tmp_path / "000000.npy"], np.random.default_rng(seed)) for seed in range(12)]
    as_kept = [frame for frame in frames if np.allclose(frame.labels, as_rows(labels), atol=1e-3)]
    assert labels
    assert as_kept
    assert any(frame.covering.any() for frame in frames)
    assert not any(frame.covering.any() for frame in as_kept)


def test_halves_of_tiles_that_are_too_large_are_not_taken_for_tiles(photographs: Path) -> None:
    image = present(picture_in(photographs / "tray-108.jpg"))
    larger = np.asarray(cv2.resize(np.asarray(image), None, fx=2, fy=2), np.uint8)
    assert len(TileFinder().look(larger).tiles) == 36


def _rest(label: Label) -> tuple[float, float, Form, bool, NDArray[np.float64]]:
    return label.angle, label.lean, label.form, label.doubtful, 4 * label.quad


def test_an_even_picture_shows_no_tile_and_nothing_covers_it(finder: TileFinder) -> None:
    look = finder.look(np.full((360, 500, 3), (60, 110, 60), np.uint8))
    assert look.tiles == ()
    assert look.covering.shape == (45, 63)
    assert look.covering.max() < 0.5


def test_missing_weights_are_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"none\.onnx"):
        TileFinder(tmp_path / "none.onnx")


SOME_TILE = st.builds(
    FoundTile,
    st.floats(60, 200),
    st.floats(60, 200),
    st.floats(12, 60),
    st.floats(12, 60),
    st.floats(0, 179),
    st.sampled_from(list(TileForm)),
    st.just(1.0),
    st.floats(-20, 20),
)


@given(SOME_TILE)
def test_what_the_network_answers_for_a_tile_is_that_tile(one: FoundTile) -> None:
    answers = np.full((OUTPUTS, 32, 32), -9.0, np.float32)
    column, row = int(one.x_px // CELL), int(one.y_px // CELL)
    turned, lean = np.deg2rad((2 * one.angle_deg, one.lean_deg))
    answers[FORMS.index(one.form), row, column] = 3.0
    place = (one.x_px / CELL - column - 0.5, one.y_px / CELL - row - 0.5)
    sides = (np.log(one.width_px / SIZE_PX), np.log(one.height_px / SIZE_PX))
    answers[len(FORMS) : -1, row, column] = *place, *sides, np.sin(turned), np.cos(turned), lean
    (tile,) = tiles_of(answers, 0.5)
    assert tile.form is one.form
    assert np.abs(tile.outline_px() - one.outline_px()).max() < 0.05 or abs(tile.angle_deg - one.angle_deg) > 179


@given(st.floats(0, 179), st.floats(-35, 35), st.floats(10, 60), st.floats(10, 60))
def test_a_labels_outline_is_that_of_the_tile_that_is_found(angle: float, lean: float, width: float, height: float) -> None:
    quad = FoundTile(100.0, 90.0, width, height, angle, TileForm.FACE, 1.0, lean).outline_px()
    label = label_of(quad, Form.FACE, doubtful=False)
    again = FoundTile(label.x, label.y, label.width, label.height, np.rad2deg(label.angle), TileForm.FACE, 1.0, np.rad2deg(label.lean))
    apart = min(float(np.abs(np.roll(again.outline_px(), turn, axis=0) - quad).max()) for turn in (0, 2))
    assert apart < 1e-6


def test_a_small_tile_that_one_look_misses_is_found_by_another_and_large_tiles_are_looked_at_alike() -> None:
    for factor, alike in ((0.7, False), (2.0, True)):
        image, _ = _table(5)
        finder = TileFinder()
        looks = [finder.look(np.asarray(cv2.resize(image, None, fx=factor, fy=factor), np.uint8)).tiles for _ in range(5)]
        assert all(look == looks[2] for look in looks[3:]) == alike


def test_a_still_picture_is_looked_at_once_in_each_size_and_a_tile_that_is_taken_is_found_no_more() -> None:
    image, _ = _table(5)
    rng, finder = np.random.default_rng(1), TileFinder()

    def looks(shown: NDArray[np.uint8]) -> list[tuple[FoundTile, ...]]:
        noisy = ((shown + rng.normal(0, 3, shown.shape)).clip(0, 255).astype(np.uint8) for _ in range(LOOKS_IN_TURN))
        return [finder.look(each).tiles for each in noisy]

    finder.look(image)
    before = looks(image)
    assert looks(image) == before
    taken, bare = before[0][0], image.copy()
    cv2.circle(bare, (round(taken.x_px), round(taken.y_px)), round(0.7 * taken.height_px), (60, 90, 60), -1)
    for tiles, old in zip(looks(bare), before, strict=True):
        assert all(np.hypot(tile.x_px - taken.x_px, tile.y_px - taken.y_px) > 10 for tile in tiles)
        assert len(old) - len(tiles) in range(1, 4)


def test_a_still_picture_is_looked_at_again_as_a_whole_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    image, _ = _table(5)
    asked, ask, finder = list[NDArray[np.uint8]](), TileFinder._ask, TileFinder()

    def counted(own: TileFinder, picture: NDArray[np.uint8]) -> NDArray[np.float32]:
        asked.append(picture)
        return ask(own, picture)

    monkeypatch.setattr(TileFinder, "_ask", counted)
    looks = [len(asked) for _ in range(100) if finder.look(image)]
    assert len(set(looks[LOOKS_IN_TURN:60])) == 1
    assert looks[-1] - looks[60] == LOOKS_IN_TURN


Picture = NDArray[np.uint8]


class Network:
    """Answers with the mean of the squares that are up to eight away from each, and counts the pixels that it sees."""

    def __init__(self) -> None:
        self.seen_px = 0

    def ask(self, picture: Picture) -> NDArray[np.float32]:
        assert all(side % STEP_PX == 0 for side in picture.shape[:2])
        self.seen_px += picture[..., 0].size
        rows, columns = (side // CELL_PX for side in picture.shape[:2])
        squares = picture.reshape(rows, CELL_PX, columns, CELL_PX, 3).mean(axis=(1, 3, 4))
        return np.asarray(cv2.blur(squares, (17, 17), borderType=cv2.BORDER_REPLICATE), np.float32)[None]


def test_a_picture_that_has_changed_in_part_is_looked_at_there_and_answered_as_a_whole() -> None:
    rng, network, whole = np.random.default_rng(1), Network(), Network()
    picture = rng.integers(0, 256, (480, 640, 3), np.uint8)
    answers = Answers(network.ask)
    for top, left in ((0, 0), (200, 300), (440, 600), (0, 500)):
        picture[top : top + 40, left : left + 30] = rng.integers(0, 256, 3)
        assert np.allclose(answers.to(picture), whole.ask(picture), atol=0.01)
    assert network.seen_px < 0.6 * whole.seen_px


def test_light_that_slowly_grows_is_seen_at_last() -> None:
    network = Network()
    answers = Answers(network.ask)
    for level in range(100, 130):
        found = answers.to(np.full((480, 640, 3), level, np.uint8))
    assert abs(found.max() - 129) < 8


@pytest.mark.parametrize(("level", "by"), [(200, 7), (100, 7), (20, 5)])
def test_a_change_is_seen_in_bright_and_in_dark_pictures(level: int, by: int) -> None:
    answers, picture = Answers(Network().ask), np.full((480, 640, 3), level, np.uint8)
    answers.to(picture)
    picture[200:232, 300:332] += by
    assert answers.to(picture).max() > level


def test_a_change_far_from_all_that_was_asked_about_since_is_seen_though_it_comes_bit_by_bit() -> None:
    answers, picture = Answers(Network().ask), np.full((480, 640, 3), 100, np.uint8)
    answers.to(picture)
    for step in range(10):
        picture[:40, :40] = 100 + 20 * (step % 2)
        picture[400:, 560:] += 1
        found = answers.to(picture)
    assert found[0, -1, -1] > 104


def test_a_picture_of_another_size_is_looked_at_as_a_whole() -> None:
    answers = Answers(Network().ask)
    answers.to(np.full((480, 640, 3), 100, np.uint8))
    assert answers.to(np.full((512, 640, 3), 100, np.uint8)).shape == (1, 64, 80)
