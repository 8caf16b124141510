"""Tile designs: the simulator's set stays out of training; random designs are varied and reproducible."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.training_designs import DESIGNS, TRAINING_DESIGNS
from tools.varied_designs import HELD_BACK, TRAINING_GLYPHS, random_design
from twinwall.art.designs import SIMULATOR_DESIGN, Design
from twinwall.art.glyphset import GLYPH_FOLDER

PARTS = ("characters", "numerals", "dots", "small_dots", "wheel", "sticks", "bird", "white")


def parts_of(design: Design) -> frozenset[str]:
    """The named parts of a design that can be held back: glyph sets and every drawn style but the back's."""
    return frozenset(getattr(design, part) for part in PARTS)


def test_there_are_four_training_designs_that_share_no_drawn_part_with_the_simulator() -> None:
    assert len(TRAINING_DESIGNS) >= 4
    assert SIMULATOR_DESIGN not in TRAINING_DESIGNS
    for design in TRAINING_DESIGNS:
        assert not parts_of(design) & parts_of(SIMULATOR_DESIGN), design.name


@pytest.mark.parametrize("part", ["dots", "wheel", "sticks", "bird", "white", "characters"])
def test_the_training_designs_differ_from_each_other_in_every_kind_of_drawing(part: str) -> None:
    assert len({str(getattr(design, part)) for design in TRAINING_DESIGNS}) == len(TRAINING_DESIGNS)


@given(seed=st.integers(0, 2**63))
def test_a_random_design_never_shows_a_part_of_the_simulators_set(seed: int) -> None:
    design = random_design(np.random.default_rng(seed))
    assert not parts_of(design) & HELD_BACK
    assert parts_of(SIMULATOR_DESIGN) <= HELD_BACK


@given(seed=st.integers(0, 2**63))
def test_the_same_seed_gives_the_same_design_and_the_next_draw_another(seed: int) -> None:
    rng = np.random.default_rng(seed)
    first = random_design(rng)
    assert first == random_design(np.random.default_rng(seed))
    assert first != random_design(rng)


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
