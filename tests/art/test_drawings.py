"""Tiles as drawings: SVG and rasters, complete and told apart by form; designs that come again from their seed; outlines cut from fonts."""

import itertools
import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path as FilePath

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.support.tiers import one_in
from tools import cut_glyphs
from tools.cut_glyphs import FITTED_HEIGHT, SOURCES, write_set
from tools.varied_designs import DESIGNS, HELD_BACK, TRAINING_FLOWERS, TRAINING_GLYPHS, random_design
from twinwall.art import glyphset
from twinwall.art.designs import CLASSIC, HOUSE, SIMULATOR_DESIGN, SIMULATOR_FLOWERS, Design, Flower
from twinwall.art.faces import Face, draw_face, written
from twinwall.art.glyphset import GLYPH_FOLDER
from twinwall.art.names import LANGUAGES, tile_name
from twinwall.art.raster import paint, raster
from twinwall.art.shapes import Box, Circle, Path, Shape
from twinwall.art.svg import row, sprite, symbol_id
from twinwall.game.tiles import ALL_TILES, Tile

FACES: tuple[Face, ...] = (*ALL_TILES, "back")
SVG = "{http://www.w3.org/2000/svg}"


def test_the_sprite_holds_every_face_and_the_back_once_in_the_pages_view_box() -> None:
    symbols = ET.fromstring(sprite()).findall(f"{SVG}symbol")
    assert [symbol.get("id") for symbol in symbols] == [symbol_id(face) for face in FACES]
    assert {symbol.get("viewBox") for symbol in symbols} == {"0 0 60 84"}
    assert symbol_id(Tile.P5) == "t-5p" and symbol_id(Tile.GREEN) == "t-F" and symbol_id("back") == "t-back"


def test_the_sprite_stays_within_its_share_of_a_page() -> None:
    assert len(sprite().encode()) <= 60_000


@pytest.mark.parametrize("design", DESIGNS.values(), ids=list(DESIGNS))
def test_every_tile_is_well_formed_and_needs_nothing_outside_itself(design: Design) -> None:
    text = sprite(design)
    ET.fromstring(text)
    assert not re.search(r"style|href|class|script|url\(|nan|inf|\de-", text)


def test_drawings_are_written_in_the_model_order_so_that_later_shapes_cover_earlier_ones() -> None:
    symbols = {symbol.get("id"): symbol for symbol in ET.fromstring(sprite()).findall(f"{SVG}symbol")}
    widths = [float(rect.get("stroke-width", "0")) for rect in symbols[symbol_id(Tile.WHITE)].findall(f"{SVG}rect")]
    assert widths == [0, 1, 4.2, 1.9]


def test_a_row_is_an_image_of_its_name() -> None:
    labelled = ET.fromstring(row([[Tile.EAST]], 'East "wind"'))
    assert (labelled.get("role"), labelled.get("aria-label")) == ("img", 'East "wind"')


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_face_has_its_own_name_in_every_language(language: str) -> None:
    spoken = next(known for known in LANGUAGES if known == language)
    names = [tile_name(face, spoken) for face in FACES]
    assert all(names)
    assert len(set(names)) == len(FACES)


def test_names_are_those_that_players_use() -> None:
    assert tile_name(Tile.P5, "en") == "5 of dots"
    assert tile_name(Tile.S1, "ja") == "一索"
    assert tile_name(Tile.GREEN, "zh-Hans") == "发财"


NAMED = pytest.mark.parametrize("design", one_in(3, DESIGNS.values()), ids=one_in(3, DESIGNS))


def grey(design: Design, tile: Face) -> NDArray[np.float64]:
    return np.asarray(raster(design, tile, 84)[:, :, :3].mean(axis=2), np.float64)


@NAMED
def test_every_face_has_the_designs_proportions_and_opaque_middle(design: Design) -> None:
    for face in FACES:
        pixels = raster(design, face, 84)
        assert pixels.dtype == np.uint8
        assert pixels.shape == (84, round(84 * 60 / design.face_height), 4)
        assert pixels[42, 30, 3] == 255
        assert pixels[0, 0, 3] < 128


@NAMED
def test_faces_are_told_apart_without_colour(design: Design) -> None:
    for one, other in itertools.combinations(ALL_TILES, 2):
        assert np.abs(grey(design, one) - grey(design, other)).mean() > 4.0, (one, other)


@NAMED
def test_drawings_stay_inside_the_face(design: Design) -> None:
    for tile in ALL_TILES:
        for shape in draw_face(design, tile):
            left, top, right, bottom = reach(shape)
            assert left >= 1.0 and top >= 1.0, (tile, shape)
            assert right <= 59.0 and bottom <= design.face_height - 1.0, (tile, shape)


@NAMED
def test_faces_are_centred(design: Design) -> None:
    for tile in ALL_TILES:
        ink = np.abs(grey(design, tile) - grey(design, tile)[6, 20]) > 40
        rows, columns = np.nonzero(ink)
        height, width = ink.shape
        assert abs((columns.min() + columns.max()) / 2 - (width - 1) / 2) <= 3.2, tile
        if tile not in {Tile.M1}:
            assert abs((rows.min() + rows.max()) / 2 - (height - 1) / 2) <= 5.0, tile


def test_three_dots_and_the_upper_dots_of_seven_fall_to_the_right() -> None:
    for design in DESIGNS.values():
        three = ~bright(design, Tile.P3)
        assert three[8:28, 6:24].any() and not three[8:28, 40:56].any()
        seven = ~bright(design, Tile.P7)
        assert seven[9:20, 6:20].any() and not seven[9:20, 44:56].any()


def bright(design: Design, tile: Tile) -> NDArray[np.bool_]:
    picture = grey(DESIGNS["classic"] if design.corner_index else design, tile)
    return np.asarray(picture > picture[6, 20] - 40, np.bool_)


def test_the_same_face_is_painted_the_same_every_time_and_kept() -> None:
    again = paint(draw_face(HOUSE, Tile.S1), HOUSE, Tile.S1, 90)
    assert np.array_equal(raster(HOUSE, Tile.S1, 90), again)
    assert raster(HOUSE, Tile.S1, 90) is raster(HOUSE, Tile.S1, 90)


def test_a_kept_raster_cannot_be_spoilt_by_its_user() -> None:
    with pytest.raises(ValueError, match="read-only"):
        raster(CLASSIC, Tile.EAST, 84)[0, 0, 0] = 1


def test_a_tile_too_small_to_draw_is_refused() -> None:
    with pytest.raises(ValueError, match="7 px"):
        raster(CLASSIC, Tile.EAST, 7)


def reach(shape: Shape) -> tuple[float, float, float, float]:
    half = shape.style.width / 2 if shape.style.stroke else 0.0
    match shape:
        case Circle((x, y), radius, _):
            return x - radius - half, y - radius - half, x + radius + half, y + radius + half
        case Box(x, y, width, height, _, _):
            return x - half, y - half, x + width + half, y + height + half
        case Path():
            left, top, right, bottom = shape.bounds()
            return left - half, top - half, right + half, bottom + half


PARTS = ("characters", "numerals", "dots", "small_dots", "wheel", "sticks", "bird", "white")


def parts_of(design: Design) -> frozenset[str]:
    """The named parts of a design that can be held back: glyph sets and every drawn style but the back's."""
    return frozenset(getattr(design, part) for part in PARTS)


@given(seed=st.integers(0, 2**63))
def test_a_random_design_never_shows_a_part_of_the_simulators_set(seed: int) -> None:
    design = random_design(np.random.default_rng(seed))
    assert not parts_of(design) & HELD_BACK
    assert parts_of(SIMULATOR_DESIGN) <= HELD_BACK


@pytest.mark.parametrize("design", DESIGNS.values(), ids=list(DESIGNS))
def test_every_named_design_is_found_under_its_own_name(design: Design) -> None:
    assert DESIGNS[design.name] is design


def test_every_glyph_file_names_its_licence_and_only_free_ones_are_shipped() -> None:
    files = sorted(GLYPH_FOLDER.glob("*.json"))
    assert {file.stem for file in files} == {*TRAINING_GLYPHS, SIMULATOR_DESIGN.characters}
    for file in files:
        document = json.loads(file.read_text(encoding="utf-8"))
        assert document["licence"] in {"SIL Open Font License 1.1", "public domain"}
        assert document["copyright"]


_CONTOUR = [
    ("M", ((100.0, 100.0),)),
    ("L", ((100.0, 550.0),)),
    ("Q", ((325.0, 700.0), (550.0, 550.0))),
    ("C", ((600.0, 400.0), (600.0, 200.0), (550.0, 100.0))),
]


@pytest.mark.parametrize("source", SOURCES, ids=[source.name for source in SOURCES])
def test_every_set_has_its_characters_and_its_winds_at_the_common_size(source: cut_glyphs.GlyphFont) -> None:
    heights = []
    for character in source.characters:
        left, top, right, bottom = glyphset.extent(source.name, character)
        assert right - left > 100 and -900 < top < bottom < 900, character
        if character in "東南西北":
            heights.append(bottom - top)
    assert 0.9 * FITTED_HEIGHT <= sum(sorted(heights)[1:3]) / 2 <= FITTED_HEIGHT + 2


def test_what_was_cut_is_read_back_scaled_and_around_the_origin(tmp_path: FilePath) -> None:
    file = write_set(tmp_path, SOURCES[0], {wind: [_CONTOUR] for wind in "東南西北"})
    (steps,) = glyphset.read_set(file)["東"].outline
    scale = 900 / 600
    middle_x, middle_y = 350.0, 400.0
    assert [len(step) for step in steps] == [1, 1, 2, 3]
    for step, (_, points) in zip(steps, _CONTOUR, strict=True):
        x, y = points[-1]
        assert step[-1] == (round((x - middle_x) * scale), round((middle_y - y) * scale))


def test_a_file_of_another_format_is_refused(tmp_path: FilePath) -> None:
    (tmp_path / "other.json").write_text('{"format": "something", "glyphs": {}}', encoding="utf-8")
    with pytest.raises(ValueError, match=r"other\.json is 'something'"):
        glyphset.read_set(tmp_path / "other.json")


def test_one_and_three_keep_their_relative_heights() -> None:
    heights = [bounds[3] - bounds[1] for bounds in (written(CLASSIC, "serif", numeral, 30.0, "#000000").bounds() for numeral in "一三")]
    assert heights[0] < heights[1] / 2


def test_the_simulators_foreign_tiles_are_other_flowers_than_those_for_training() -> None:
    assert not set(TRAINING_FLOWERS) & set(SIMULATOR_FLOWERS)
    assert {*TRAINING_FLOWERS, *SIMULATOR_FLOWERS} == set(Flower)
