"""Faces drawn from descriptions and faces that others drew: canes, roundels, cut lines, published sets, and how they are cut."""

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
from tools.train.faces.marks import ANY_CANE, FACE_H, FACE_W, Face, blank, random_style
from tools.train.faces.published import Published, lent, reworked, svg_set
from tools.train.faces.sheets import SHEET_H, SHEET_W, Sheet
from tools.train.faces.sticks import bamboos
from tools.train.scenes import MARGIN, SCENE_H, SCENE_W
from tools.train.shots import cut
from twinwall.game.tiles import ALL_TILES, Tile

needs_resvg = pytest.mark.skipif(importlib.util.find_spec("resvg_py") is None, reason="only the training group draws SVG")
seeds = st.integers(0, 2**32 - 1)


def inked(face: Face) -> NDArray[np.bool_]:
    return np.asarray((face < 200).any(axis=2))


@settings(max_examples=examples(25))
@given(seeds, st.sampled_from((2, 3, 4, 5, 6, 7, 9)))
def test_canes_of_one_face_can_be_counted(seed: int, rank: int) -> None:
    rng = np.random.default_rng(seed)
    style = replace(random_style(rng), stick_form=ANY_CANE)
    style = replace(style, cane=replace(style.cane, wall=1.0, body=max(style.cane.body, 0.5)))
    face = bamboos(style, rank, rng)
    count, _ = cv2.connectedComponents(np.where((face < 250).any(axis=2), 255, 0).astype(np.uint8))
    assert count - 1 == rank


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
