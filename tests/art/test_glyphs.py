"""Glyph outlines cut from fonts: one scale, read back as cut, and a missing one refused by name."""

from pathlib import Path as FilePath

import pytest

from tools import cut_glyphs
from tools.cut_glyphs import FITTED_HEIGHT, SOURCES, main, write_set
from tools.training_designs import DESIGNS, TRAINING_FLOWERS
from twinwall.art import glyphset
from twinwall.art.designs import CLASSIC, Design
from twinwall.art.faces import written
from twinwall.art.flowers import SIMULATOR_FLOWERS, Flower
from twinwall.art.raster import raster

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


def test_a_missing_font_is_one_sentence_that_names_file_and_package(tmp_path: FilePath, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--fonts", str(tmp_path), "--out", str(tmp_path)]) == 2
    message = capsys.readouterr().err
    assert "NotoSerifCJK-Bold.ttc" in message and "apt-get install fonts-noto-cjk" in message


def test_a_file_of_another_format_is_refused(tmp_path: FilePath) -> None:
    (tmp_path / "other.json").write_text('{"format": "something", "glyphs": {}}', encoding="utf-8")
    with pytest.raises(ValueError, match=r"other\.json is 'something'"):
        glyphset.read_set(tmp_path / "other.json")


def test_an_unknown_set_or_character_is_named() -> None:
    with pytest.raises(KeyError, match="no-such-set"):
        glyphset.glyph("no-such-set", "東")
    with pytest.raises(KeyError, match="龍"):
        glyphset.glyph("serif", "龍")


def test_one_and_three_keep_their_relative_heights() -> None:
    heights = [bounds[3] - bounds[1] for bounds in (written(CLASSIC, "serif", numeral, 30.0, "#000000").bounds() for numeral in "一三")]
    assert heights[0] < heights[1] / 2


def test_the_simulators_foreign_tiles_are_other_flowers_than_those_for_training() -> None:
    assert not set(TRAINING_FLOWERS) & set(SIMULATOR_FLOWERS)
    assert {*TRAINING_FLOWERS, *SIMULATOR_FLOWERS} == set(Flower)


@pytest.mark.parametrize("design", DESIGNS.values(), ids=list(DESIGNS))
def test_flowers_differ_from_each_other(design: Design) -> None:

    pictures = {raster(design, flower, 60).tobytes() for flower in Flower}
    assert len(pictures) == 8
