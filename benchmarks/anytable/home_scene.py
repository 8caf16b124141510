"""A table without a mat in Blender: its ground, the floor, and the tiles now on it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import bpy
import numpy as np
from mathutils import Matrix, Vector

from benchmarks.anytable.surfaces import FLOOR_MM, REACH_MM, SIDE
from benchmarks.anytable.traced import HomeLook
from benchmarks.anytable.video import SIZE_PX
from benchmarks.rendered.blender import FLAT, MM, LitRoom, linked, mesh_of, square
from benchmarks.rendered.camera import Part
from benchmarks.rendered.meshes import RoundedTile, tile_mesh
from simulator.cameras.optics import Light
from tools.train.finder.tabletop import FACE_BAND, DrawnSet, Eye, Picture, Tile3D, box_of

_WIDE_MM = 4000.0
_SEED = 1
_LEAST_EDGE_MM = 1.0


class HomeScene:
    """One table with its lamps.

    ``ground`` is a picture of the table from above, 1.5 m square, and one of the floor around it (None: the table has no edge). ``size_px``
    is the size of the camera's picture, ``samples`` the number a pixel, ``folder`` holds pictures while they are rendered.
    """

    def __init__(
        self,
        look: HomeLook,
        tile_set: DrawnSet,
        ground: tuple[Picture, Picture | None],
        folder: Path,
        *,
        size_px: tuple[int, int] = SIZE_PX,
        samples: int = 10,
    ) -> None:
        self._room, self._set, self._gloss = LitRoom(look.lamps, look.ambient, folder), tile_set, look.gloss
        self._size_px, self._samples = size_px, samples
        size, back = (tile_set.width_mm, tile_set.height_mm, tile_set.thickness_mm), 1 - FACE_BAND
        edge_mm = max(0.7 * tile_set.rounding * tile_set.width_mm, _LEAST_EDGE_MM)
        self._tile, materials = mesh_of("tile", tile_mesh(RoundedTile(*size, edge_mm, back))), self._room.materials
        self._faces: dict[int, bpy.types.Material] = {}
        blue, green, red = (tile_set.body * 0.86 / 255).tolist()
        for paint in (
            self._face(tile_set.back_picture),
            materials.gloss("body", (red, green, blue), look.gloss),
            self._face(tile_set.back_picture),
        ):
            self._tile.materials.append(paint)
        top, floor = ground
        cover = materials.ground("top", top, look.roughness, look.deep_mm)
        square("table", REACH_MM if floor is not None else _WIDE_MM, 0.0, cover, SIDE)
        if floor is not None:
            square("floor", _WIDE_MM, FLOOR_MM, materials.face("floor", floor, 0.5), SIDE)
        self._laid: dict[int, bpy.types.Object] = {}

    def lay(self, gone: Sequence[Tile3D], come: Sequence[Tile3D]) -> None:
        """Take laid tiles away, and lay others."""
        free = [self._laid.pop(id(tile)) for tile in gone]
        for tile in come:
            thing = free.pop() if free else linked("tile", self._tile)
            middle, halves = box_of(tile, self._set)
            right, down, forth = (halves / np.linalg.norm(halves, axis=1, keepdims=True)) * FLAT
            thing.matrix_world = Matrix.Translation(Vector(middle * FLAT * MM)) @ Matrix((right, -down, forth)).transposed().to_4x4()
            thing.material_slots[0].link = "OBJECT"
            thing.material_slots[0].material = self._face(tile.picture)
            self._laid[id(tile)] = thing
        for thing in free:
            bpy.data.objects.remove(thing)

    def light(self, eye: Eye, part: Part | None) -> Light:
        """Return what the camera shows, all of it or a part. Its pixels count from their middles, Blender's from their edges."""
        width, height = self._size_px
        lens = self._room.aim(eye.at_mm, np.stack((eye.right, eye.down, eye.ahead)), eye.focal_px, self._size_px)
        lens.shift_x = (width / 2 - 0.5 - eye.middle_px[0]) / width
        lens.shift_y = (eye.middle_px[1] - height / 2 + 0.5) / width
        return self._room.light(self._samples, _SEED, 1, part)

    def _face(self, picture: Picture) -> bpy.types.Material:
        key = id(picture)
        if key not in self._faces:
            self._faces[key] = self._room.materials.face(f"face {len(self._faces)}", picture, self._gloss)
        return self._faces[key]
