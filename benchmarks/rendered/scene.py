"""A table in Blender: builds it from the drawn table, renders it with Cycles, and tells the shapes of the arms as rendered.

Only this module and ``materials`` need Blender. Its metres: x right, y away from place 0, z up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import bpy
import numpy as np
from mathutils import Matrix, Vector
from numpy.typing import NDArray

from benchmarks.rendered.arms import TracedArm, hand, sleeve
from benchmarks.rendered.camera import OverheadCamera, Points
from benchmarks.rendered.faces import ivory
from benchmarks.rendered.looks import Lamp, TracedLook
from benchmarks.rendered.materials import Materials, linear
from benchmarks.rendered.meshes import Mesh, RoundedTile, capsules_mesh, tile_mesh
from simulator.cameras.optics import FOREIGN, Light, Picture
from simulator.cameras.table import TILE_THICKNESS_MM
from simulator.scene import BACK, LaidTile
from twinwall.art.mat import Mat, Slot

_MM = 0.001
_EDGE_MM = 2.0
_TABLE_BELOW_MM = 1.5
_FOCAL_MM = 8.0
"""A machine-vision lens; only its aperture in mm and the picture's angle matter."""
_FLAT = np.array([1, -1, 1])
"""From the mat's axes, heights above it, to Blender's."""
Shape = tuple[Points, NDArray[np.int32]]


class TracedScene:
    """One table with its lamps; ``cloth`` is the mat's picture and its normals, ``folder`` holds pictures while it is rendered."""

    def __init__(self, mat: Mat, look: TracedLook, cloth: tuple[Picture, Picture], faces: Mapping[str, Picture], folder: Path) -> None:
        bpy.ops.wm.read_factory_settings(use_empty=True)
        self._mat, self._look, self._folder = mat, look, folder
        self._materials = Materials(folder)
        self._faces = {name: self._materials.face(name, picture, look.finish.roughness) for name, picture in faces.items()}
        self._tile = _mesh("tile", tile_mesh(_shape(mat, look)))
        self._paint_tile()
        self._lay_mat(*cloth)
        for lamp in look.lamps:
            _hang(lamp)
        _surround(look.ambient)
        bpy.context.scene.camera = _linked("camera", bpy.data.cameras.new("camera"))

    def lay(self, laid: Mapping[Slot, LaidTile]) -> None:
        """Put tiles on the mat."""
        for number, (slot, tile) in enumerate(laid.items()):
            spot = self._mat.spot(slot)
            thing = _linked("laid", self._tile)
            turn = Matrix.Rotation(np.deg2rad(spot.turn_deg + tile.angle_deg + 90.0 * tile.sideways), 4, "Z")
            over = Matrix.Rotation(np.pi if tile.face == BACK else 0.0, 4, "Y")
            at = Vector((spot.x_mm + tile.offset_mm[0], -spot.y_mm - tile.offset_mm[1], TILE_THICKNESS_MM / 2)) * _MM
            thing.matrix_world = Matrix.Translation(at) @ turn @ over
            thing.material_slots[0].link = "OBJECT"
            thing.material_slots[0].material = self._face_of(tile, number)

    def reach(self, arms: Sequence[TracedArm]) -> list[Shape]:
        """Put these arms over the table in place of others; answers what is rendered of them (mm, triangles)."""
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
        """What a straight lens shows: float32 of shape (2 × ``rendered_half_px``, likewise, 3), blue, green, red."""
        _aim(camera)
        scene = bpy.context.scene
        _settings(scene, 2 * camera.rendered_half_px(), samples, seed, threads)
        scene.render.filepath = str(self._folder / "light.exr")
        bpy.ops.render.render(write_still=True)
        return _read(scene.render.filepath)

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
        cloth, wood = _square("mat", half, 0.0), _square("table", wide, -_TABLE_BELOW_MM)
        cloth.data.materials.append(self._materials.cloth(picture, normals))
        wood.data.materials.append(self._materials.matt("wood", self._look.weave.table, grain=14.0, roughness=0.5))


def _shape(mat: Mat, look: TracedLook) -> RoundedTile:
    return RoundedTile(mat.tile_width_mm, mat.tile_height_mm, TILE_THICKNESS_MM, _EDGE_MM, look.finish.tiles.back_share)


def _linked(name: str, holds: bpy.types.ID | None) -> bpy.types.Object:
    thing = bpy.data.objects.new(name, holds)
    bpy.context.scene.collection.objects.link(thing)
    return thing


def _mesh(name: str, shape: Mesh) -> bpy.types.Mesh:
    """A mesh in Blender whose first paint's picture lies over its top, as seen from above."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata((shape.points * _MM).tolist(), [], shape.polygons)
    mesh.polygons.foreach_set("material_index", shape.paints)
    mesh.polygons.foreach_set("use_smooth", [True] * len(shape.polygons))
    spread = shape.points[:, :2] / np.ptp(shape.points[:, :2], axis=0) + 0.5
    corners = np.empty(len(mesh.loops), np.int32)
    mesh.loops.foreach_get("vertex_index", corners)
    mesh.uv_layers.new().uv.foreach_set("vector", spread[corners].astype(np.float32).ravel())
    mesh.normals_split_custom_set_from_vertices(shape.normals.tolist())
    mesh.update()
    return mesh


def _square(name: str, half_mm: float, above_mm: float) -> bpy.types.Object:
    corners = np.array([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], np.float64) * half_mm
    upwards = np.tile((0.0, 0.0, 1.0), (4, 1))
    thing = _linked(name, _mesh(name, Mesh(corners, upwards, [(0, 1, 2, 3)], [0])))
    thing.location.z = above_mm * _MM
    return thing


def _grown(
    name: str, surface: tuple[Points, list[tuple[int, ...]]], material: bpy.types.Material, voxel_mm: float | None = None
) -> bpy.types.Object:
    """A smooth thing in the mat's axes; with ``voxel_mm`` its overlapping parts grow together."""
    points, polygons = surface
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata((points * _FLAT * _MM).tolist(), [], [polygon[::-1] for polygon in polygons])
    thing = _linked(name, mesh)
    if voxel_mm is not None:
        remesh = thing.modifiers.new("remesh", "REMESH")
        remesh.mode, remesh.voxel_size, remesh.use_smooth_shade = "VOXEL", voxel_mm * _MM, True
        smooth = thing.modifiers.new("smooth", "SMOOTH")
        smooth.iterations = 8
    else:
        mesh.polygons.foreach_set("use_smooth", [True] * len(polygons))
    mesh.materials.append(material)
    return thing


def _shape_of(thing: bpy.types.Object) -> Shape:
    """A thing as it is rendered: points in mm (x, y, above the mat) and triangles."""
    seen = thing.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
    seen.calc_loop_triangles()
    points, triangles = np.empty(3 * len(seen.vertices), np.float32), np.empty(3 * len(seen.loop_triangles), np.int32)
    seen.vertices.foreach_get("co", points)
    seen.loop_triangles.foreach_get("vertices", triangles)
    return points.reshape(-1, 3).astype(np.float64) / _MM * _FLAT, triangles.reshape(-1, 3)


def _hang(lamp: Lamp) -> None:
    light = bpy.data.lights.new("lamp", "AREA")
    light.shape, light.size, light.size_y = "RECTANGLE", lamp.size_mm[0] * _MM, lamp.size_mm[1] * _MM
    light.energy, light.color = 60.0 * lamp.power, linear(lamp.colour)
    thing = _linked("lamp", light)
    x, y, above = lamp.at_mm
    thing.location = Vector((x, -y, above)) * _MM
    thing.rotation_euler = (-thing.location).to_track_quat("-Z", "Y").to_euler()
    thing.visible_camera = False


def _surround(ambient: float) -> None:
    world = bpy.data.worlds.new("room")
    world.use_nodes = True
    background = world.node_tree.nodes["Background"]
    background.inputs["Color"].default_value = (0.9, 0.95, 1.0, 1.0)
    background.inputs["Strength"].default_value = ambient
    bpy.context.scene.world = world


def _aim(camera: OverheadCamera) -> None:
    """Hang Blender's camera where the drawn one hangs."""
    thing, side_px = bpy.context.scene.camera, 2 * camera.rendered_half_px()
    right, down, forth = camera.axes * (1, -1, -1)
    x, y = camera.eye_mm
    thing.matrix_world = Matrix.Translation(Vector((x, -y, camera.height_mm)) * _MM) @ Matrix((right, -down, -forth)).transposed().to_4x4()
    lens = thing.data
    lens.sensor_fit, lens.lens = "HORIZONTAL", _FOCAL_MM
    lens.sensor_width = lens.sensor_height = side_px / camera.focal_px * _FOCAL_MM
    lens.dof.use_dof, lens.dof.focus_distance = True, camera.focus_mm * _MM
    lens.dof.aperture_fstop = _FOCAL_MM / camera.aperture_mm
    lens.clip_end = 10.0


def _settings(scene: bpy.types.Scene, side_px: int, samples: int, seed: int, threads: int) -> None:
    """Cycles on the processor: few samples and a denoiser, more where they are needed."""
    render, cycles = scene.render, scene.cycles
    render.engine = "CYCLES"
    render.resolution_x = render.resolution_y = side_px
    render.resolution_percentage, render.use_persistent_data = 100, True
    render.threads_mode, render.threads = "FIXED", threads
    render.image_settings.file_format, render.image_settings.color_depth = "OPEN_EXR", "32"
    cycles.device, cycles.seed, cycles.samples = "CPU", seed, samples
    cycles.use_adaptive_sampling, cycles.adaptive_threshold, cycles.adaptive_min_samples = True, 0.1, 4
    cycles.use_denoising, cycles.denoiser, cycles.denoising_quality, cycles.denoising_prefilter = True, "OPENIMAGEDENOISE", "FAST", "FAST"
    cycles.max_bounces, cycles.diffuse_bounces, cycles.glossy_bounces = 4, 2, 2
    cycles.caustics_reflective = cycles.caustics_refractive = False
    cycles.sample_clamp_indirect = 4.0
    cycles.use_light_tree = False


def _read(path: str) -> Light:
    image = bpy.data.images.load(path, check_existing=False)
    width, height = image.size
    pixels = np.empty(width * height * 4, np.float32)
    image.pixels.foreach_get(pixels)
    bpy.data.images.remove(image)
    return np.ascontiguousarray(pixels.reshape(height, width, 4)[::-1, :, 2::-1])
