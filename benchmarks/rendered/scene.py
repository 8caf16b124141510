"""A table in Blender: builds it from the drawn table, renders it with Cycles, and returns the arms' shapes as rendered. ``blender`` holds
the parts shared with tables without a mat, and the axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import bpy
import numpy as np
from mathutils import Matrix, Vector
from numpy.typing import NDArray

from benchmarks.rendered.arms import TracedArm, hand, sleeve
from benchmarks.rendered.blender import FLAT, FOCAL_MM, MM, LitRoom, linked, mesh_of, square
from benchmarks.rendered.camera import OverheadCamera, Points
from benchmarks.rendered.faces import ivory
from benchmarks.rendered.looks import TracedLook
from benchmarks.rendered.meshes import RoundedTile, capsules_mesh, tile_mesh
from simulator.cameras.optics import FOREIGN, Light, Picture
from simulator.cameras.table import TILE_THICKNESS_MM
from simulator.scene import BACK, LaidTile
from twinwall.art.mat import Mat, Slot

_EDGE_MM = 2.0
_TABLE_BELOW_MM = 1.5
Shape = tuple[Points, NDArray[np.int32]]


class TracedScene:
    """One table with its lamps; ``cloth`` is the mat's picture and its normals, ``folder`` holds pictures while they are rendered."""

    def __init__(self, mat: Mat, look: TracedLook, cloth: tuple[Picture, Picture], faces: Mapping[str, Picture], folder: Path) -> None:
        self._mat, self._look, self._room = mat, look, LitRoom(look.lamps, look.ambient, folder)
        self._materials = self._room.materials
        self._faces = {name: self._materials.face(name, picture, look.finish.roughness) for name, picture in faces.items()}
        self._tile = mesh_of("tile", tile_mesh(_shape(mat, look)))
        self._paint_tile()
        self._lay_mat(*cloth)

    def lay(self, laid: Mapping[Slot, LaidTile]) -> None:
        """Put tiles on the mat."""
        for number, (slot, tile) in enumerate(laid.items()):
            spot = self._mat.spot(slot)
            thing = linked("laid", self._tile)
            turn = Matrix.Rotation(np.deg2rad(spot.turn_deg + tile.angle_deg + 90.0 * tile.sideways), 4, "Z")
            over = Matrix.Rotation(np.pi if tile.face == BACK else 0.0, 4, "Y")
            at = Vector((spot.x_mm + tile.offset_mm[0], -spot.y_mm - tile.offset_mm[1], TILE_THICKNESS_MM / 2)) * MM
            thing.matrix_world = Matrix.Translation(at) @ turn @ over
            thing.material_slots[0].link = "OBJECT"
            thing.material_slots[0].material = self._face_of(tile, number)

    def reach(self, arms: Sequence[TracedArm]) -> list[Shape]:
        """Put these arms over the table in place of others; return their rendered shapes (mm, triangles)."""
        for thing in [one for one in bpy.data.objects if one.name.startswith("arm")]:
            bpy.data.objects.remove(thing)
        things = []
        for arm in arms:
            skin = self._materials.matt("skin", arm.skin, grain=180.0, roughness=0.5)
            cloth = self._materials.matt("sleeve", arm.sleeve, grain=700.0, roughness=0.9)
            things.append(_grown("arm hand", capsules_mesh(hand(arm)), skin, voxel_mm=2.6))
            things.append(_grown("arm sleeve", sleeve(arm), cloth))
        bpy.context.view_layer.update()
        return [_shape_of(thing) for thing in things]

    def light(self, camera: OverheadCamera, samples: int, seed: int, threads: int) -> Light:
        """Return what a straight lens shows (2 × ``rendered_half_px`` square, float32 BGR)."""
        side_px, (x, y) = 2 * camera.rendered_half_px(), camera.eye_mm
        lens = self._room.aim(np.array((x, y, camera.height_mm)), camera.axes * (1, 1, -1), camera.focal_px, (side_px, side_px))
        lens.dof.use_dof, lens.dof.focus_distance = True, camera.focus_mm * MM
        lens.dof.aperture_fstop = FOCAL_MM / camera.aperture_mm
        return self._room.light(samples, seed, threads)

    def _face_of(self, tile: LaidTile, number: int) -> bpy.types.Material:
        flowers = [name for name in self._faces if name.startswith(FOREIGN)]
        name = flowers[number % len(flowers)] if tile.face == FOREIGN else next(iter(self._faces)) if tile.face == BACK else tile.face
        return self._faces[name]

    def _paint_tile(self) -> None:
        finish = self._look.finish
        blue, green, red = ivory(finish)
        self._tile.materials.append(next(iter(self._faces.values())))
        self._tile.materials.append(self._materials.gloss("ivory", (red / 255, green / 255, blue / 255), finish.roughness))
        blue, green, red = finish.tiles.back
        self._tile.materials.append(self._materials.gloss("back", (red / 255, green / 255, blue / 255), finish.roughness))

    def _lay_mat(self, picture: Picture, normals: Picture) -> None:
        half, wide = self._mat.half_side_mm, 1400.0
        square("mat", half, 0.0, self._materials.cloth(picture, normals))
        square("table", wide, -_TABLE_BELOW_MM, self._materials.matt("wood", self._look.weave.table, grain=14.0, roughness=0.5))


def _shape(mat: Mat, look: TracedLook) -> RoundedTile:
    return RoundedTile(mat.tile_width_mm, mat.tile_height_mm, TILE_THICKNESS_MM, _EDGE_MM, look.finish.tiles.back_share)


def _grown(
    name: str, surface: tuple[Points, list[tuple[int, ...]]], material: bpy.types.Material, voxel_mm: float | None = None
) -> bpy.types.Object:
    """Return a smooth object in the mat's axes; with ``voxel_mm`` its overlapping parts are merged."""
    points, polygons = surface
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata((points * FLAT * MM).tolist(), [], [polygon[::-1] for polygon in polygons])
    thing = linked(name, mesh)
    if voxel_mm is not None:
        remesh = thing.modifiers.new("remesh", "REMESH")
        remesh.mode, remesh.voxel_size, remesh.use_smooth_shade = "VOXEL", voxel_mm * MM, True
        smooth = thing.modifiers.new("smooth", "SMOOTH")
        smooth.iterations = 8
    else:
        mesh.polygons.foreach_set("use_smooth", [True] * len(polygons))
    mesh.materials.append(material)
    return thing


def _shape_of(thing: bpy.types.Object) -> Shape:
    """Return an object as rendered: points in mm (x, y, above the mat) and triangles."""
    seen = thing.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
    seen.calc_loop_triangles()
    points, triangles = np.empty(3 * len(seen.vertices), np.float32), np.empty(3 * len(seen.loop_triangles), np.int32)
    seen.vertices.foreach_get("co", points)
    seen.loop_triangles.foreach_get("vertices", triangles)
    return points.reshape(-1, 3).astype(np.float64) / MM * FLAT, triangles.reshape(-1, 3)
