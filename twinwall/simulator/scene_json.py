"""Scenes as JSON, both ways and strictly: what the world answers and what the cameras read.

Gate: ``{"tile": null}`` or ``{"tile": {"face", "turned", "offset_mm": [x, y], "angle_deg",
"obscured", "light_seed"}}``. Table: ``{"version", "tiles": [{"face", "place", "area", "index",
"sideways", "offset_mm", "angle_deg"}]}``. Lengths are millimetres in the axes of the picture (x
right, y down), angles degrees counter-clockwise as seen by the camera.
"""

from __future__ import annotations

import json
from dataclasses import fields
from typing import TypeGuard

from twinwall.simulator.scene import GateScene, LaidTile, TableScene, WindowTile

_GATE_TILE_KEYS = tuple(field.name for field in fields(WindowTile))
_LAID_TILE_KEYS = tuple(field.name for field in fields(LaidTile))


class SceneError(ValueError):
    """Text that is not a scene; the message names the part."""


def write_scene(scene: GateScene | TableScene) -> str:
    """A scene as JSON text."""
    return json.dumps(_plain(scene), separators=(",", ":"))


def _plain(scene: GateScene | TableScene) -> dict[str, object]:
    if isinstance(scene, GateScene):
        return {"tile": scene.tile and {name: getattr(scene.tile, name) for name in _GATE_TILE_KEYS}}
    return {"version": scene.version, "tiles": [{name: getattr(tile, name) for name in _LAID_TILE_KEYS} for tile in scene.tiles]}


def read_gate_scene(text: str | bytes) -> GateScene:
    """Read what the gate's camera would see; raises SceneError naming what is wrong."""
    tile = _document(text, "the gate scene", ("tile",))["tile"]
    if tile is None:
        return GateScene(None)
    fields = _fields(tile, "tile", _GATE_TILE_KEYS)
    return GateScene(
        WindowTile(
            face=_text(fields["face"], "tile.face"),
            turned=_truth(fields["turned"], "tile.turned"),
            offset_mm=_pair(fields["offset_mm"], "tile.offset_mm"),
            angle_deg=_number(fields["angle_deg"], "tile.angle_deg"),
            obscured=_truth(fields["obscured"], "tile.obscured"),
            light_seed=_whole(fields["light_seed"], "tile.light_seed"),
        )
    )


def read_table_scene(text: str | bytes) -> TableScene:
    """Read what the camera over the table would see; raises SceneError naming what is wrong."""
    document = _document(text, "the table scene", ("version", "tiles"))
    tiles = document["tiles"]
    if not isinstance(tiles, list):
        raise SceneError(f"tiles is {tiles!r}, not a list")
    return TableScene(_whole(document["version"], "version"), tuple(_laid(tile, f"tiles[{index}]") for index, tile in enumerate(tiles)))


def _laid(value: object, name: str) -> LaidTile:
    fields = _fields(value, name, _LAID_TILE_KEYS)
    return LaidTile(
        face=_text(fields["face"], f"{name}.face"),
        place=_whole(fields["place"], f"{name}.place"),
        area=_text(fields["area"], f"{name}.area"),
        index=_whole(fields["index"], f"{name}.index"),
        sideways=_truth(fields["sideways"], f"{name}.sideways"),
        offset_mm=_pair(fields["offset_mm"], f"{name}.offset_mm"),
        angle_deg=_number(fields["angle_deg"], f"{name}.angle_deg"),
    )


def _document(text: str | bytes, name: str, keys: tuple[str, ...]) -> dict[str, object]:
    try:
        value: object = json.loads(text)
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise SceneError(f"{name} is not JSON: {error}") from None
    return _fields(value, name, keys)


def _fields(value: object, name: str, keys: tuple[str, ...]) -> dict[str, object]:
    if not isinstance(value, dict):
        raise SceneError(f"{name} is {value!r}, not an object")
    if set(value) != set(keys):
        raise SceneError(f"{name} has the keys {sorted(map(str, value))}, not {sorted(keys)}")
    return value


def _text(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise SceneError(f"{name} is {value!r}, not text")
    return value


def _truth(value: object, name: str) -> bool:
    if not isinstance(value, bool):
        raise SceneError(f"{name} is {value!r}, not true or false")
    return value


def _whole(value: object, name: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise SceneError(f"{name} is {value!r}, not a whole number")
    return value


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _number(value: object, name: str) -> float:
    if not _is_number(value):
        raise SceneError(f"{name} is {value!r}, not a number")
    return float(value)


def _pair(value: object, name: str) -> tuple[float, float]:
    if not (isinstance(value, list) and len(value) == 2):
        raise SceneError(f"{name} is {value!r}, not two numbers")
    return _number(value[0], f"{name}[0]"), _number(value[1], f"{name}[1]")
