"""A published face set: a folder of SVG faces.

It is drawn after the sets of a maker, in a tradition (knotted bamboos, running script, a peacock) that code and fonts
do not reach. ``reworked`` varies it: bent, and in other inks. ``lent`` gives a drawn set some of its faces.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from tools.train.faces.marks import FACE_H, FACE_W, Face
from tools.train.faces.sheets import Sheet, bent, sized
from twinwall.game.tiles import ALL_TILES, Suit, Tile
from twinwall.values import frozen_identity

_SVG_NAMES = {"m": "Man", "p": "Pin", "s": "Sou"}
_SVG_HONOURS = {"E": "Ton", "S": "Nan", "W": "Shaa", "N": "Pei", "C": "Chun", "F": "Hatsu", "P": "Haku"}

_LENT_TOGETHER = (
    (Tile.GREEN,),
    (Tile.S1,),
    (Tile.EAST, Tile.SOUTH, Tile.WEST, Tile.NORTH),
    tuple(Tile(Tile.S1 + rank) for rank in range(1, 9)),
    tuple(Tile(Tile.P1 + rank) for rank in range(9)),
)
"""Faces that a set may have from another, by what one hand would draw together."""
_LENT_SHARE = 0.15


@frozen_identity
class Published:
    """One set as its maker drew it, each face FACE_H × FACE_W × 3 uint8 BGR on white."""

    name: str
    faces: Mapping[Tile, Face]


def svg_set(folder: Path) -> Published:
    """The set of SVG faces in a folder; raises FileNotFoundError when it lacks one, ImportError without resvg-py."""
    folder = folder / "Regular" if (folder / "Regular").is_dir() else folder

    def face(tile: Tile) -> Face:
        name = _SVG_HONOURS[tile.text] if tile.suit is Suit.HONOURS else f"{_SVG_NAMES[tile.suit]}{tile.rank}"
        path = folder / f"{name}.svg"
        if not path.is_file():
            raise FileNotFoundError(f"{path} is missing: an art folder holds {name}.svg among the others")
        return _on_white(_drawn(path, FACE_W))

    return Published(f"svg {folder.parent.name}", {tile: face(tile) for tile in ALL_TILES})


def reworked(published: Published, rng: Generator) -> Sheet:
    """The set as another maker would cut it: faces a little bent, inks thinner or thicker, often of other colours."""
    weight = int(rng.integers(-1, 2))
    turn, strength = (int(rng.integers(-12, 13)), float(rng.uniform(0.4, 1.1))) if rng.random() < 0.6 else (0, 1.0)
    dark = float(rng.uniform(0.45, 1.0))

    def face(picture: Face, tile: Tile) -> Face:
        out = bent(_weighted(picture, weight), tile, rng)
        hsv = cv2.cvtColor(out, cv2.COLOR_BGR2HSV).astype(np.float32)
        paint = hsv[..., 1] / 255
        hsv[..., 0] = (hsv[..., 0] + turn) % 180
        hsv[..., 1] *= strength
        hsv[..., 2] *= 1 - (1 - dark) * paint
        return np.asarray(cv2.cvtColor(np.clip(hsv, 0, 255).astype(np.uint8), cv2.COLOR_HSV2BGR), np.uint8)

    return Sheet(published.name, {tile: sized(face(picture, tile)) for tile, picture in published.faces.items()}, ())


def lent(sheet: Sheet, others: Sequence[Published], rng: Generator) -> Sheet:
    """The set, here and there with faces of one of the others in place of its own."""
    faces = dict(sheet.faces)
    for together in _LENT_TOGETHER:
        if others and rng.random() < _LENT_SHARE:
            other = others[int(rng.integers(len(others)))]
            faces |= reworked(Published(other.name, {tile: other.faces[tile] for tile in together}), rng).faces
    return replace(sheet, faces=faces)


def _drawn(path: Path, width: int) -> NDArray[np.uint8]:
    """An SVG file as BGRA pixels; raises ValueError for one that cannot be drawn, ImportError without resvg-py."""
    from resvg_py import svg_to_bytes  # noqa: PLC0415  # only for training

    png = np.frombuffer(bytes(svg_to_bytes(svg_path=str(path), width=width)), np.uint8)
    picture = cv2.imdecode(png, cv2.IMREAD_UNCHANGED)
    if picture is None or picture.ndim != 3:
        raise ValueError(f"{path} cannot be drawn")
    return np.asarray(picture, np.uint8)


def _on_white(picture: NDArray[np.uint8]) -> Face:
    """BGRA pixels as ink on a white face."""
    scaled = cv2.resize(picture, (FACE_W, FACE_H), interpolation=cv2.INTER_AREA).astype(np.float32)
    alpha = scaled[..., 3:] / 255
    return np.asarray(255 * (1 - alpha) + scaled[..., :3] * alpha, np.float32).astype(np.uint8)


def _weighted(face: Face, weight: int) -> Face:
    """Strokes thicker (weight > 0) or thinner (< 0)."""
    if weight == 0:
        return face
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (3, 3))
    return np.asarray(cv2.erode(face, kernel) if weight > 0 else cv2.dilate(face, kernel), np.uint8)
