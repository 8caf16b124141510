"""Training frames: crops as a reader would cut them, and the output class of each.

Every frame is CROP_H × CROP_W × 3 uint8 BGR. Most show a drawn face in a drawn scene; where photographs are given, a
share shows a photographed tile, cut and lit anew. Some show what is no whole tile.
"""

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from tools.train.faces.birds import on_a_twig
from tools.train.faces.sheets import SHEET_H, SHEET_W, Sheet
from tools.train.photographs import Patch
from tools.train.scenes import SCENE_H, SCENE_W, Picture, back_scene, cover, ground, tile_scene
from tools.train.shots import cut, seen, seen_again
from twinwall.game.tiles import ALL_TILES, Tile
from twinwall.values import frozen
from vision.model.classes import FOREIGN, Foreign, label_of

_FOREIGN_SHARE = {Foreign.FLOWER: 0.06, Foreign.BACK: 0.03, Foreign.PART: 0.07, Foreign.NOTHING: 0.04}
_HARD = (
    Tile.S1,
    Tile.S1,
    Tile.S1,
    Tile.P1,
    Tile.S4,
    Tile.EAST,
    Tile.SOUTH,
    Tile.WEST,
    Tile.WEST,
    Tile.NORTH,
    Tile.NORTH,
    Tile.GREEN,
    Tile.GREEN,
    Tile.WHITE,
)
_OFTEN = (*ALL_TILES, *_HARD)
"""Kinds by how often they are shown: those whose faces differ most from set to set more than once."""
_WHOLE_IN_HALVES = frozenset({Tile.P2, Tile.P4, Tile.S4})
"""Kinds of which a half, stretched, is the face of another kind: nobody could tell them apart."""
_TWIG_SHARE = 0.3
"""Of the drawn birds."""
_PHOTOGRAPH_SHARE = 0.35
"""Of all frames, where there are photographs."""


@frozen
class Material:
    """What frames are made of: sheets of faces, and for each photographed set its patches by what they show (None: a flower).

    ``halves`` and ``grounds`` are photographed scenes of half tiles and of no tile.
    """

    sheets: Sequence[Sheet]
    photographed: Sequence[dict[Tile | None, list[Patch]]] = ()
    halves: Sequence[Picture] = ()
    grounds: Sequence[Picture] = ()


def random_frame(material: Material, rng: Generator) -> tuple[Picture, int]:
    """One frame and the output it should light."""
    draw = float(rng.random())
    for foreign, share in _FOREIGN_SHARE.items():
        if draw < share:
            return _foreign_frame(foreign, material, rng), FOREIGN[foreign]
        draw -= share
    turned = bool(rng.random() < 0.5)
    scene, tile, real = _random_tile(material, rng)
    if rng.random() < 0.06:
        cover(scene, rng, 0.02, 0.1)
    return _taken(cut(scene, rng, turned=turned), rng, real=real), label_of(tile, turned=turned)


def _taken(picture: Picture, rng: Generator, *, real: bool) -> Picture:
    return seen_again(picture, rng) if real and rng.random() < 0.5 else seen(picture, rng)


def _random_tile(material: Material, rng: Generator) -> tuple[Picture, Tile, bool]:
    """A scene with a tile upright, its kind, and whether it was photographed."""
    tile = _OFTEN[int(rng.integers(len(_OFTEN)))]
    if material.photographed and rng.random() < _PHOTOGRAPH_SHARE:
        known = material.photographed[int(rng.integers(len(material.photographed)))]
        if tile in known:
            return _chosen(known[tile], rng).scene(rng), tile, True
    sheet = material.sheets[int(rng.integers(len(material.sheets)))]
    face = sheet.faces[tile]
    if tile is Tile.S1 and rng.random() < _TWIG_SHARE:
        face = on_a_twig(face, rng)
    return tile_scene(face, rng, with_margins=sheet.with_margins), tile, False


def _one_of(scenes: Sequence[Picture], rng: Generator) -> Picture:
    return scenes[int(rng.integers(len(scenes)))]


def _chosen(patches: Sequence[Patch], rng: Generator) -> Patch:
    return patches[int(rng.integers(len(patches)))]


def _foreign_frame(foreign: Foreign, material: Material, rng: Generator) -> Picture:
    turned = bool(rng.random() < 0.5)
    real = False
    match foreign:
        case Foreign.FLOWER:
            scene, real = _flower(material, rng)
        case Foreign.BACK:
            scene = back_scene(rng)
        case Foreign.PART:
            return _part(material, rng, turned=turned)
        case Foreign.NOTHING:
            real = bool(material.grounds) and rng.random() < 0.5
            scene = _one_of(material.grounds, rng) if real else ground(rng, SCENE_W, SCENE_H)
    return _taken(cut(scene, rng, turned=turned), rng, real=real)


def _flower(material: Material, rng: Generator) -> tuple[Picture, bool]:
    """A scene with a flower, a season or another face that is none of the 34, and whether it was photographed."""
    flowers = [known[None] for known in material.photographed if None in known]
    if flowers and rng.random() < _PHOTOGRAPH_SHARE:
        return _chosen(flowers[int(rng.integers(len(flowers)))], rng).scene(rng), True
    sheet = material.sheets[int(rng.integers(len(material.sheets)))]
    with_flowers = sheet if sheet.foreign else next((one for one in material.sheets if one.foreign), sheet)
    faces = with_flowers.foreign or (ground(rng, SHEET_W, SHEET_H),)
    return tile_scene(faces[int(rng.integers(len(faces)))], rng, with_margins=sheet.with_margins), False


def _part(material: Material, rng: Generator, *, turned: bool) -> Picture:
    """Half of a tile, two halves, a tile lying across, or a tile largely covered; never of a white dragon, which has no halves."""
    if material.halves and rng.random() < 0.25:
        return _taken(cut(_one_of(material.halves, rng), rng, turned=turned), rng, real=True)
    scene, tile, real = _random_tile(material, rng)
    while tile is Tile.WHITE:
        scene, tile, real = _random_tile(material, rng)
    form = rng.random()
    if form < 0.3:
        along, aslant = float(rng.choice((-1.0, 1.0)) * rng.uniform(0.32, 0.75)), float(rng.uniform(-0.1, 0.1))
        x, y = (along, aslant) if rng.random() < 0.5 else (aslant, along)
        picture = cut(scene, rng, turned=turned, region=(x, y, 1 + x, 1 + y))
    elif form < 0.5 and tile not in _WHOLE_IN_HALVES:
        share = float(rng.uniform(0.42, 0.6))
        regions = ((0.0, 0.0, share, 1.0), (1 - share, 0.0, 1.0, 1.0), (0.0, 0.0, 1.0, share), (0.0, 1 - share, 1.0, 1.0))
        picture = cut(scene, rng, turned=turned, region=regions[int(rng.integers(4))])
    elif form < 0.7:
        picture = cut(scene, rng, turned=turned, quarter=True)
    else:
        cover(scene, rng, 0.35, 0.8)
        picture = cut(scene, rng, turned=turned)
    return _taken(np.ascontiguousarray(picture), rng, real=real)
