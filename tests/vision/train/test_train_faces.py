"""Faces drawn from descriptions and faces that others drew: canes, roundels, cut lines, published sets, and how they are cut."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import Generator
from numpy.typing import NDArray

from tests.support.tiers import examples
from tools.train.faces.canes import draw_cane, random_cane
from tools.train.faces.engraving import as_lines
from tools.train.faces.marks import ANY_CANE, FACE_H, FACE_W, Face, blank, dots, random_style
from tools.train.faces.published import Published, lent, reworked, svg_set
from tools.train.faces.roundels import draw_roundel, random_roundel
from tools.train.faces.sheets import SHEET_H, SHEET_W, Sheet
from tools.train.faces.sticks import bamboos
from tools.train.scenes import MARGIN, SCENE_H, SCENE_W, tile_scene
from tools.train.shots import cut
from twinwall.game.tiles import ALL_TILES, Tile

needs_resvg = pytest.mark.skipif(importlib.util.find_spec("resvg_py") is None, reason="only the training group draws SVG")
seeds = st.integers(0, 2**32 - 1)


def inked(face: Face) -> NDArray[np.bool_]:
    return np.asarray((face < 200).any(axis=2))


@settings(max_examples=examples(25))
@given(seeds)
def test_a_cane_of_any_form_reaches_from_end_to_end_and_is_never_wider_than_asked(seed: int) -> None:
    face = blank()
    draw_cane(face, random_cane(np.random.default_rng(seed)), ((144, 60), (144, 300)), 60, ((0, 90, 0), (255, 255, 255)))
    rows, columns = np.flatnonzero(inked(face).any(axis=1)), np.flatnonzero(inked(face).any(axis=0))
    assert abs(rows[0] - 60) <= 6
    assert abs(rows[-1] - 300) <= 6
    assert max(144 - columns[0], columns[-1] - 144) <= 60 / 2 + 8, "half its width, and the line around a knot"


@settings(max_examples=examples(25))
@given(seeds, st.booleans())
def test_a_roundel_of_any_form_shows_something_and_stays_inside_its_height(seed: int, large: bool) -> None:
    face, roundel = blank(), random_roundel(np.random.default_rng(seed), large=large)
    draw_roundel(face, roundel, (144, 192), 60, ((120, 40, 0), (0, 0, 160)))
    rows, columns = np.flatnonzero(inked(face).any(axis=1)), np.flatnonzero(inked(face).any(axis=0))
    assert len(rows)
    assert max(192 - rows[0], rows[-1] - 192) <= 60 * roundel.height + 12
    assert max(144 - columns[0], columns[-1] - 144) <= 60 + 12


@settings(max_examples=examples(25))
@given(seeds, st.sampled_from((2, 3, 4, 5, 6, 7, 9)))
def test_canes_of_one_face_can_be_counted(seed: int, rank: int) -> None:
    rng = np.random.default_rng(seed)
    style = replace(random_style(rng), stick_form=ANY_CANE)
    style = replace(style, cane=replace(style.cane, wall=1.0, body=max(style.cane.body, 0.5)))
    face = bamboos(style, rank, rng)
    count, _ = cv2.connectedComponents(np.where((face < 250).any(axis=2), 255, 0).astype(np.uint8))
    assert count - 1 == rank


def test_dots_of_a_set_differ_in_number_alone(rng: Generator) -> None:
    style = random_style(rng)
    share = [float(inked(dots(style, rank, rng)).mean()) for rank in (2, 9)]
    assert share[0] < share[1]


def test_cut_lines_take_paint_away_and_keep_the_outline(rng: Generator) -> None:
    face = blank()
    cv2.circle(face, (144, 192), 90, (0, 0, 120), -1)
    for _ in range(12):
        lines = as_lines(face, rng)
        assert lines.shape == face.shape
        assert inked(lines).sum() < inked(face).sum() * 1.15
        assert inked(lines)[192, 144 + 84 : 144 + 96].any()


def published(colour: tuple[int, int, int]) -> Published:
    """A set whose faces are one bar each, longer from kind to kind."""

    def face(length: int) -> Face:
        drawn = blank()
        cv2.rectangle(drawn, (90, 40), (198, 60 + 7 * length), colour, -1)
        return drawn

    return Published("bars", {tile: face(int(tile)) for tile in ALL_TILES})


def test_a_published_set_reworked_has_all_its_faces_at_a_sheets_size_and_never_twice_the_same(rng: Generator) -> None:
    sheets = [reworked(published((0, 90, 0)), rng) for _ in range(3)]
    for sheet in sheets:
        assert set(sheet.faces) == set(ALL_TILES)
        assert {face.shape for face in (*sheet.faces.values(), *sheet.foreign)} == {(SHEET_H, SHEET_W, 3)}
        assert all(inked(face).any() for face in sheet.faces.values())
    assert len({sheet.faces[Tile.P5].tobytes() for sheet in sheets}) == 3


def test_a_set_borrows_some_faces_and_keeps_the_others(rng: Generator) -> None:
    own = Sheet("own", {tile: np.full((SHEET_H, SHEET_W, 3), 255, np.uint8) for tile in ALL_TILES}, ())
    faces = [lent(own, [published((0, 0, 90))], rng).faces for _ in range(4)]
    borrowed = [face is not own.faces[tile] for one in faces for tile, face in one.items()]
    assert any(borrowed)
    assert not all(borrowed)
    assert lent(own, [], rng).faces == own.faces


def test_art_that_lacks_a_face_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"Man1\.svg"):
        svg_set(tmp_path)


@needs_resvg
def test_a_folder_of_svg_faces_is_a_set_in_its_inks_on_white(tmp_path: Path) -> None:
    drawn = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="30" height="40"><rect x="10" y="10" width="10" height="20" fill="#008000"/></svg>'
    )
    names = [f"{suit}{rank}" for suit in ("Man", "Pin", "Sou") for rank in range(1, 10)]
    for name in (*names, "Ton", "Nan", "Shaa", "Pei", "Chun", "Hatsu", "Haku"):
        (tmp_path / f"{name}.svg").write_text(drawn)
    faces = svg_set(tmp_path).faces
    assert set(faces) == set(ALL_TILES)
    for face in faces.values():
        assert face.shape == (FACE_H, FACE_W, 3)
        assert face[0, 0].tolist() == [255, 255, 255]
        assert face[FACE_H // 2, FACE_W // 2].tolist() == [0, 128, 0]


@pytest.mark.parametrize("turned", [False, True])
def test_a_cut_of_a_whole_tile_keeps_its_middle_whatever_goes_wrong(turned: bool, rng: Generator) -> None:
    scene = np.zeros((SCENE_H, SCENE_W, 3), np.uint8)
    cv2.rectangle(scene, (MARGIN, MARGIN), (MARGIN + SHEET_W, MARGIN + SHEET_H), (255, 255, 255), -1)
    for _ in range(30):
        picture = cut(scene, rng, turned=turned)
        height, width = picture.shape[:2]
        assert picture[height // 3 : 2 * height // 3, width // 3 : 2 * width // 3].min() > 200
        assert (picture > 128).mean() > 0.6


def test_a_tiles_side_is_drawn_beside_its_face_and_never_over_it(rng: Generator) -> None:
    plain = np.full((SHEET_H, SHEET_W, 3), 255, np.uint8)
    for _ in range(15):
        scene = tile_scene(plain, rng, with_margins=True)
        face = scene[MARGIN + 20 : -MARGIN - 20, MARGIN + 20 : -MARGIN - 20]
        assert face.reshape(-1, 3).std(axis=0).max() < 1.0
