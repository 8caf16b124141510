"""Scenes travel as JSON without loss, and anything else is refused by name."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.scene import GateScene, LaidTile, TableScene, WindowTile

FACES = st.sampled_from(["1m", "9s", "E", "P", "flower"])
OFFSETS = st.tuples(st.floats(-5, 5), st.floats(-5, 5))
GATE_TILES = st.builds(
    WindowTile,
    face=FACES,
    turned=st.booleans(),
    offset_mm=OFFSETS,
    angle_deg=st.floats(-10, 10),
    obscured=st.booleans(),
    light_seed=st.integers(0, 2**31 - 1),
)
LAID_TILES = st.builds(
    LaidTile,
    face=FACES,
    place=st.integers(0, 3),
    area=st.sampled_from(["river", "meld", "hand", "win"]),
    index=st.integers(0, 23),
    sideways=st.booleans(),
    offset_mm=OFFSETS,
    angle_deg=st.floats(-190, 190),
)


@given(scene=st.builds(GateScene, st.none() | GATE_TILES))
def test_a_gate_scene_that_was_written_is_read_as_it_was(scene: GateScene) -> None:
    assert msgspec.json.decode(msgspec.json.encode(scene), type=GateScene) == scene


@given(scene=st.builds(TableScene, st.integers(0, 10**6), st.lists(LAID_TILES, max_size=5).map(tuple)))
def test_a_table_scene_that_was_written_is_read_as_it_was(scene: TableScene) -> None:
    assert msgspec.json.decode(msgspec.json.encode(scene), type=TableScene) == scene


GATE = {"face": "1m", "turned": False, "offset_mm": [0, 0.5], "angle_deg": 1, "obscured": False, "light_seed": 7}


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"face": 1}, r"\$\.tile\.face"),
        ({"turned": 1}, r"\$\.tile\.turned"),
        ({"offset_mm": [1]}, r"\$\.tile\.offset_mm"),
        ({"offset_mm": [1, "x"]}, r"\$\.tile\.offset_mm\[1\]"),
        ({"angle_deg": True}, r"\$\.tile\.angle_deg"),
        ({"light_seed": 1.5}, r"\$\.tile\.light_seed"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_a_wrong_field_is_named(change: dict[str, object], named: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=named):
        msgspec.json.decode(json.dumps({"tile": {**GATE, **change}}), type=GateScene)


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"tile": 3}', '{"tile": null, "more": 1}', b"\xff"])
def test_what_is_no_gate_scene_is_refused(text: str | bytes) -> None:
    with pytest.raises(msgspec.MsgspecError):
        msgspec.json.decode(text, type=GateScene)


@pytest.mark.parametrize(
    "text", ['{"version": 1}', '{"version": 1, "tiles": {}}', '{"version": "1", "tiles": []}', '{"version": 1, "tiles": [1]}']
)
def test_what_is_no_table_scene_is_refused(text: str) -> None:
    with pytest.raises(msgspec.MsgspecError):
        msgspec.json.decode(text, type=TableScene)
