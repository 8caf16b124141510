"""Training frames: crops as a reader would cut them, and the output class of each.

Every frame is CROP_H × CROP_W × 3 uint8 BGR. Most show a drawn face in a drawn scene; where photographs are given, a
share shows a photographed tile, cut and lit anew. Some show what is no whole tile.
"""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.random import Generator

from tools.train.faces.birds import on_a_twig
from tools.train.faces.sheets import SHEET_H, SHEET_W, Sheet
from tools.train.photographs import Patch
from tools.train.scenes import SCENE_H, SCENE_W, Matrix, Picture, back_scene, cover, ground, tile_scene
from twinwall.game.tiles import ALL_TILES, Tile
from twinwall.values import frozen
from vision.model.crop_view import FOREIGN, TURNED, Foreign, fit_crop

WHOLE = (0.0, 0.0, 1.0, 1.0)
_WITH_SIDE_SHARE, _ASKEW_SHARE = 0.15, 0.1
"""How often a whole tile is cut with one of its sides, and how often as an upright box around a tile that lies askew."""
_SIDES = (((2, 3), 1, 1), ((0, 1), 1, -1), ((1, 2), 0, 1), ((0, 3), 0, -1))
"""Which corners of a cut move along which axis and where to, to take in the lower, upper, right or left side."""


def cut(
    scene: Picture, rng: Generator, *, turned: bool, region: tuple[float, float, float, float] = WHOLE, quarter: bool = False
) -> Picture:
    """Cut the tile as a reader would, a little wrong, at a camera's size; a whole tile now and then with its side, or askew in its box.

    ``region`` is left, top, right and bottom as shares of the tile: half of it, say, or half of it and half of what lies beside it.
    ``quarter`` cuts the tile lying.
    """
    left, top, right, bottom = region
    corners = np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float32)
    spread = 0.075 if rng.random() < 0.8 else 0.11
    inward = np.array([rng.uniform(-spread, spread) for _ in range(4)], np.float32)
    corners[:, 0] += np.array([inward[0], -inward[1], -inward[1], inward[0]])
    corners[:, 1] += np.array([inward[2], inward[2], -inward[3], -inward[3]])
    corners += rng.normal(0, 0.018, (4, 2)).astype(np.float32)
    angle = np.deg2rad(rng.normal(0, 2.5))
    if region == WHOLE:
        if rng.random() < _WITH_SIDE_SHARE:
            corners += _beyond_one_side(rng)
        elif rng.random() < _ASKEW_SHARE:
            angle = np.deg2rad(rng.uniform(-9, 9))
            corners = (corners - 0.5) * _boxed(float(abs(angle))) + np.float32(0.5)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]], np.float32)
    if rng.random() < 0.3:
        turn = turn @ np.array([[1, rng.uniform(-0.13, 0.13)], [0, 1]], np.float32)  # seen aslant: sides lean, ends stay level
    source = (corners - 0.5) * (SHEET_W, SHEET_H) @ turn.T + (SCENE_W / 2, SCENE_H / 2)
    if quarter:
        source = np.roll(source, 1, axis=0)
    if turned:
        source = np.roll(source, 2, axis=0)
    width = int(np.clip(rng.lognormal(np.log(46), 0.32), 22, 96))
    height = int(width * (rng.uniform(1.2, 1.5) if rng.random() < 0.6 else rng.uniform(0.85, 2.3)))
    target = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    blur = 0.42 * SHEET_W / width
    softened = cv2.GaussianBlur(scene, (0, 0), blur) if blur > 0.5 else scene
    transform = cv2.getPerspectiveTransform(source.astype(np.float32), target)
    return np.asarray(
        cv2.warpPerspective(softened, transform, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), dtype=np.uint8
    )


def _beyond_one_side(rng: Generator) -> Matrix:
    """What moves a cut's corners (4 × 2, shares of the tile) beyond one side, mostly a lower or upper one."""
    corners, axis, outward = _SIDES[int(rng.choice(4, p=(0.4, 0.4, 0.1, 0.1)))]
    moved = np.zeros((4, 2), np.float32)
    moved[list(corners), axis] = outward * rng.uniform(0.05, 0.18)
    return moved


def _boxed(angle: float) -> Matrix:
    """How much wider and higher an upright box around the whole of a tile is when the tile lies askew by an angle in radians."""
    aspect = SHEET_H / SHEET_W
    wide, high = np.cos(angle) + aspect * np.sin(angle), np.cos(angle) + np.sin(angle) / aspect
    return np.array((wide, high), np.float32)


def seen(picture: Picture, rng: Generator) -> Picture:
    """What the camera makes of it: light, shadow, glare, focus, noise, compression, then the network's size."""
    height, width = picture.shape[:2]
    image = picture.astype(np.float32) * _light(rng, height, width)
    if rng.random() < 0.12:
        _glare(image, rng)
    image *= rng.uniform(0.86, 1.14, 3).astype(np.float32)
    contrast, lift = rng.uniform(0.65, 1.25), rng.uniform(-12, 25)
    image = (image - 128) * contrast + 128 + lift
    image = 255 * np.power(np.clip(image / 255, 0, 1), rng.uniform(0.65, 1.5))
    if rng.random() < 0.04:
        image = np.clip(image * rng.uniform(1.5, 5), 0, 255)  # far too much light
    focus = rng.random()
    if focus < 0.39:
        image = _soft(image, float(rng.uniform(0.3, 1.3) * width / 48))
    elif focus < 0.53:
        image = smeared(image, float(rng.uniform(1, 0.3 * width)), float(rng.uniform(0, 180)))
    elif focus < 0.55:
        image = _soft(image, float(rng.uniform(1.3, 4) * width / 48))
    elif focus < 0.57:
        image = _coarse(image, int(rng.integers(6, 17)), rng)
    elif focus < 0.7:
        image += (image - _soft(image, 1.0)) * rng.uniform(0.3, 1.5)
    image += rng.normal(0, rng.uniform(0, 9), image.shape)
    out = np.clip(image, 0, 255).astype(np.uint8)
    if rng.random() < 0.6:
        out = _compressed(out, int(rng.integers(35, 96)))
    if rng.random() < 0.1:
        out = np.repeat(out.mean(axis=2, keepdims=True).astype(np.uint8), 3, axis=2)
    return fit_crop(out)


def seen_again(picture: Picture, rng: Generator) -> Picture:
    """A photograph as another day would show it: slightly other light and colour, sometimes compression."""
    height, width = picture.shape[:2]
    image = picture.astype(np.float32) * _light(rng, height, width) * rng.uniform(0.85, 1.15, 3).astype(np.float32)
    image = 255 * np.power(np.clip(image / 255, 0, 1), rng.uniform(0.7, 1.35))
    out = np.clip(image + rng.normal(0, rng.uniform(0, 4), image.shape), 0, 255).astype(np.uint8)
    return fit_crop(_compressed(out, int(rng.integers(50, 96))) if rng.random() < 0.3 else out)


def _compressed(picture: Picture, quality: int) -> Picture:
    """A picture through JPEG and back."""
    file = cv2.imencode(".jpg", picture, (cv2.IMWRITE_JPEG_QUALITY, quality))[1]
    return np.asarray(cv2.imdecode(file, cv2.IMREAD_COLOR), dtype=np.uint8)


def _light(rng: Generator, height: int, width: int) -> Matrix:
    """A gain for each pixel: a slope, and sometimes a shadow's edge; h × w × 1 float32."""
    slope = rng.normal(0, 0.13, 2)
    y, x = np.linspace(-1, 1, height), np.linspace(-1, 1, width)
    gain = rng.uniform(0.6, 1.1) * (1 + np.add.outer(y * slope[0], x * slope[1]))
    if rng.random() < 0.15:
        direction = rng.uniform(0, 2 * np.pi)
        distance = np.add.outer(y * np.sin(direction), x * np.cos(direction)) - rng.uniform(-0.7, 0.7)
        gain *= 1 - rng.uniform(0.15, 0.55) / (1 + np.exp(-distance * rng.uniform(4, 30)))
    return np.asarray(gain[..., None], np.float32)


def _glare(image: Matrix, rng: Generator) -> None:
    """Add a soft spot or band of light to a picture, in place."""
    height, width = image.shape[:2]
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    direction = rng.uniform(0, np.pi)
    u = (x - rng.uniform(0, width)) * np.cos(direction) + (y - rng.uniform(0, height)) * np.sin(direction)
    reach = rng.uniform(0.08, 0.35) * width
    v = u * 0 if rng.random() < 0.4 else (y - rng.uniform(0, height)) * np.cos(direction)
    image += (rng.uniform(30, 170) * np.exp(-(u**2 + v**2) / (2 * reach**2)))[..., None]


def smeared(image: Matrix, length_px: float, angle_deg: float) -> Matrix:
    """A picture whose camera moved while it was taken: each point is drawn out into a line of a length (px) and an angle (deg)."""
    reach = int(np.ceil(length_px / 2)) + 1
    line = np.zeros((2 * reach + 1, 2 * reach + 1), np.float32)
    line[reach] = np.clip(length_px / 2 + 0.5 - np.abs(np.arange(-reach, reach + 1)), 0, 1)
    turned = cv2.warpAffine(line, cv2.getRotationMatrix2D((reach, reach), angle_deg, 1), line.shape)
    return np.asarray(cv2.filter2D(image, -1, turned / turned.sum(), borderType=cv2.BORDER_REPLICATE), np.float32)


def _soft(image: Matrix, sigma_px: float) -> Matrix:
    return np.asarray(cv2.GaussianBlur(image, (0, 0), sigma_px), np.float32)


def _coarse(image: Matrix, width_px: int, rng: Generator) -> Matrix:
    """A picture as a camera too far away sees it, or a film that keeps little: so wide, then as large as before."""
    height, width = image.shape[:2]
    few = cv2.resize(image, (width_px, max(1, width_px * height // width)), interpolation=cv2.INTER_AREA)
    way = cv2.INTER_NEAREST if rng.random() < 0.5 else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(few, (width, height), interpolation=way), np.float32)


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
    return _taken(cut(scene, rng, turned=turned), rng, real=real), TURNED[tile] if turned else int(tile)


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
