"""Blender materials of a path-traced table: cloth with a weave, glossy tiles, wood, skin and sleeves."""

from __future__ import annotations

from pathlib import Path

import bpy
import cv2
import numpy as np

from benchmarks.rendered.arms import Colour
from simulator.cameras.optics import Picture


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
