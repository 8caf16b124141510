"""What every scene in Blender has: meshes, lamps and the room around them, a camera, and the path tracer. Only the scenes and this module
need Blender. Its metres: x right, y away from place 0, z up."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import bpy
import cv2
import numpy as np
from mathutils import Matrix, Vector

from benchmarks.rendered.arms import Colour
from benchmarks.rendered.camera import Part, Points
from benchmarks.rendered.looks import Lamp
from benchmarks.rendered.meshes import Mesh
from simulator.cameras.optics import Light, Picture


class Materials:
    """Materials by name; a folder holds their pictures while the scene exists."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def gloss(self, name: str, colour: Colour, roughness: float) -> bpy.types.Material:
        """Return tile plastic of one colour."""
        material, shader = _fresh(name)
        shader.inputs["Base Color"].default_value = (*linear(colour), 1.0)
        shader.inputs["Roughness"].default_value = roughness
        return material

    def face(self, name: str, picture: Picture, roughness: float) -> bpy.types.Material:
        """Return tile plastic with a picture."""
        material, shader = _fresh(name)
        image = self._image(material, name, picture)
        material.node_tree.links.new(image.outputs["Color"], shader.inputs["Base Color"])
        shader.inputs["Roughness"].default_value = roughness
        return material

    def ground(self, name: str, picture: Picture, roughness: float, deep_mm: float) -> bpy.types.Material:
        """Return a tabletop with a picture; its light places are higher than its dark ones."""
        material = self.face(name, picture, roughness)
        nodes, links = material.node_tree.nodes, material.node_tree.links
        shader, bump = nodes["Principled BSDF"], nodes.new("ShaderNodeBump")
        bump.inputs["Distance"].default_value = 0.001 * deep_mm
        links.new(nodes["Image Texture"].outputs["Color"], bump.inputs["Height"])
        links.new(bump.outputs["Normal"], shader.inputs["Normal"])
        shader.inputs["Specular IOR Level"].default_value = 0.15 if roughness > 0.8 else 0.5
        return material

    def cloth(self, picture: Picture, normals: Picture) -> bpy.types.Material:
        """Return the printed mat with its threads."""
        material, shader = _fresh("cloth")
        nodes, links = material.node_tree.nodes, material.node_tree.links
        links.new(self._image(material, "mat", picture).outputs["Color"], shader.inputs["Base Color"])
        leaning = self._image(material, "normals", normals)
        leaning.image.colorspace_settings.name = "Non-Color"
        lean = nodes.new("ShaderNodeNormalMap")
        lean.space = "OBJECT"
        links.new(leaning.outputs["Color"], lean.inputs["Color"])
        links.new(lean.outputs["Normal"], shader.inputs["Normal"])
        shader.inputs["Roughness"].default_value = 0.9
        shader.inputs["Specular IOR Level"].default_value = 0.15
        return material

    def matt(self, name: str, colour: Colour, *, grain: float, roughness: float = 0.7) -> bpy.types.Material:
        """Return wood, skin or a sleeve: one colour with ``grain`` grains a metre."""
        material, shader = _fresh(name)
        place = material.node_tree.nodes.new("ShaderNodeTexCoord").outputs["Object"]
        grains = _noise(material, place, grain)
        shade = _math(material, "ADD", _math(material, "MULTIPLY", grains, 0.3), 0.85)
        tint = material.node_tree.nodes.new("ShaderNodeVectorMath")
        tint.operation = "MULTIPLY"
        tint.inputs[0].default_value = linear(colour)
        material.node_tree.links.new(shade, tint.inputs[1])
        material.node_tree.links.new(tint.outputs[0], shader.inputs["Base Color"])
        shader.inputs["Roughness"].default_value = roughness
        return material

    def _image(self, material: bpy.types.Material, name: str, picture: Picture) -> bpy.types.Node:
        path = self._folder / f"{name}.png"
        cv2.imwrite(str(path), picture)
        node = material.node_tree.nodes.new("ShaderNodeTexImage")
        node.image = bpy.data.images.load(str(path))
        node.extension = "MIRROR"
        return node


def linear(colour: Colour) -> Colour:
    """Convert a colour's levels to light."""
    level = np.array(colour)
    red, green, blue = np.where(level <= 0.04045, level / 12.92, ((level + 0.055) / 1.055) ** 2.4).tolist()
    return red, green, blue


def _fresh(name: str) -> tuple[bpy.types.Material, bpy.types.Node]:
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    return material, material.node_tree.nodes["Principled BSDF"]


def _noise(material: bpy.types.Material, place: bpy.types.NodeSocket, scale: float) -> bpy.types.NodeSocket:
    node = material.node_tree.nodes.new("ShaderNodeTexNoise")
    node.inputs["Scale"].default_value = scale
    node.inputs["Detail"].default_value = 1.0
    material.node_tree.links.new(place, node.inputs["Vector"])
    return node.outputs[0]


def _math(material: bpy.types.Material, how: str, *terms: bpy.types.NodeSocket | float) -> bpy.types.NodeSocket:
    node = material.node_tree.nodes.new("ShaderNodeMath")
    node.operation = how
    for number, term in enumerate(terms):
        if isinstance(term, float):
            node.inputs[number].default_value = term
        else:
            material.node_tree.links.new(term, node.inputs[number])
    return node.outputs[0]


MM = 0.001
FOCAL_MM = 8.0
"""A machine-vision lens; only its aperture in mm and the picture's angle matter."""
FLAT = np.array([1, -1, 1])
"""From a table's axes, and heights above it, to Blender's."""


class LitRoom:
    """Lamps that light an empty room, and a camera; ``folder`` holds pictures while they are rendered."""

    def __init__(self, lamps: Iterable[Lamp], ambient: float, folder: Path) -> None:
        bpy.ops.wm.read_factory_settings(use_empty=True)
        self.materials, self._light_file = Materials(folder), folder / "light.exr"
        for lamp in lamps:
            _hang(lamp)
        _surround(ambient)
        self._camera = bpy.context.scene.camera = linked("camera", bpy.data.cameras.new("camera"))

    def aim(self, at_mm: Points, axes: Points, focal_px: float, size_px: tuple[int, int]) -> bpy.types.Camera:
        """Place the camera (mm), with its ``axes`` right, down and forward as rows, in a table's axes; return its lens."""
        right, down, forth = axes * FLAT
        self._camera.matrix_world = Matrix.Translation(Vector(at_mm * FLAT * MM)) @ Matrix((right, -down, -forth)).transposed().to_4x4()
        lens = self._camera.data
        lens.sensor_fit, lens.lens = "HORIZONTAL", FOCAL_MM
        lens.sensor_width = lens.sensor_height = size_px[0] / focal_px * FOCAL_MM
        lens.clip_end = 10.0
        render = bpy.context.scene.render
        render.resolution_x, render.resolution_y = size_px
        return lens

    def light(self, samples: int, seed: int, threads: int, part: Part | None = None) -> Light:
        """Return what the camera shows (h × w × 3 float32 BGR), in all of its picture or a part."""
        render = bpy.context.scene.render
        _settings(bpy.context.scene, samples, seed, threads)
        render.use_border = render.use_crop_to_border = part is not None
        if part is not None:
            left, upper, right, lower = part[0] + 0.25, part[1] - 0.25, part[2] + 0.25, part[3] - 0.25  # Blender rounds down
            render.border_min_x, render.border_max_x = left / render.resolution_x, right / render.resolution_x
            render.border_min_y, render.border_max_y = 1 - lower / render.resolution_y, 1 - upper / render.resolution_y
        render.filepath = str(self._light_file)
        bpy.ops.render.render(write_still=True)
        return _read(render.filepath)


def linked(name: str, holds: bpy.types.ID | None) -> bpy.types.Object:
    thing = bpy.data.objects.new(name, holds)
    bpy.context.scene.collection.objects.link(thing)
    return thing


def mesh_of(name: str, shape: Mesh, picture_mm: float | None = None) -> bpy.types.Mesh:
    """Return a mesh in Blender with a picture over its top, as seen from above: over all of it, or ``picture_mm`` wide."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata((shape.points * MM).tolist(), [], shape.polygons)
    mesh.polygons.foreach_set("material_index", shape.paints)
    mesh.polygons.foreach_set("use_smooth", [True] * len(shape.polygons))
    spread = shape.points[:, :2] / (picture_mm or np.ptp(shape.points[:, :2], axis=0)) + 0.5
    corners = np.empty(len(mesh.loops), np.int32)
    mesh.loops.foreach_get("vertex_index", corners)
    mesh.uv_layers.new().uv.foreach_set("vector", spread[corners].astype(np.float32).ravel())
    mesh.normals_split_custom_set_from_vertices(shape.normals.tolist())
    mesh.update()
    return mesh


def square(name: str, half_mm: float, above_mm: float, material: bpy.types.Material, picture_mm: float | None = None) -> None:
    """Lay a square with a material; with ``picture_mm`` its picture has this width and is mirrored at its edges."""
    corners = np.array([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], np.float64) * half_mm
    upwards = np.tile((0.0, 0.0, 1.0), (4, 1))
    thing = linked(name, mesh_of(name, Mesh(corners, upwards, [(0, 1, 2, 3)], [0]), picture_mm))
    thing.location.z = above_mm * MM
    thing.data.materials.append(material)


def _hang(lamp: Lamp) -> None:
    light = bpy.data.lights.new("lamp", "AREA")
    light.shape, light.size, light.size_y = "RECTANGLE", lamp.size_mm[0] * MM, lamp.size_mm[1] * MM
    light.energy, light.color = 60.0 * lamp.power, linear(lamp.colour)
    thing = linked("lamp", light)
    x, y, above = lamp.at_mm
    thing.location = Vector((x, -y, above)) * MM
    thing.rotation_euler = (-thing.location).to_track_quat("-Z", "Y").to_euler()
    thing.visible_camera = False


def _surround(ambient: float) -> None:
    world = bpy.data.worlds.new("room")
    world.use_nodes = True
    background = world.node_tree.nodes["Background"]
    background.inputs["Color"].default_value = (0.9, 0.95, 1.0, 1.0)
    background.inputs["Strength"].default_value = ambient
    bpy.context.scene.world = world


def _settings(scene: bpy.types.Scene, samples: int, seed: int, threads: int) -> None:
    """Cycles on the processor: few samples and a denoiser, more where they are needed."""
    render, cycles = scene.render, scene.cycles
    render.engine = "CYCLES"
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
