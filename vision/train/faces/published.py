"""Published face sets: a folder of SVG faces, and the pages of KDE's tile sets.

They are drawn after sets that makers sell, in traditions (the knotted bamboos, running script and peacocks of
Japanese sets) that code and fonts do not reach. ``reworked`` varies a set: bent, and in other inks. ``lent`` gives a
drawn set some faces of another.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from twinwall.game.tiles import ALL_TILES, Suit, Tile
from vision.train.faces.marks import FACE_H, FACE_W, Face
from vision.train.faces.sheets import Sheet, bent, sized

_SVG_NAMES = {"m": "Man", "p": "Pin", "s": "Sou"}
_SVG_HONOURS = {"E": "Ton", "S": "Nan", "W": "Shaa", "N": "Pei", "C": "Chun", "F": "Hatsu", "P": "Haku"}

_PAGES = ("default.svgz", "traditional.svgz")
"""KDE's tile sets after Japanese and American ones; its others are of no maker's form."""
_PAGE_WIDTH, _PAGE_TOP, _CELL_W, _CELL_H = 768, 116, 69, 89
"""Width of a page, where its faces begin, and the size of a face, in the page's units."""
_CELLS: tuple[tuple[Tile | None, ...], ...] = (
    tuple(Tile(Tile.M1 + rank) for rank in range(9)),
    tuple(Tile(Tile.S1 + rank) for rank in range(9)),
    tuple(Tile(Tile.P1 + rank) for rank in range(9)),
    (None, None, None, None, Tile.NORTH, Tile.SOUTH, Tile.EAST, Tile.WEST),
    (Tile.WHITE, Tile.GREEN, Tile.RED, None, None, None, None),
)
"""What lies where on a page; None for a flower or season."""
_SCALE = 4
_BACKGROUND = 0.2
"""How much of a page's paint is no ink: the cells' faint ground and its doubled rims."""
_LENT_TOGETHER = (
    (Tile.GREEN,),
    (Tile.S1,),
    (Tile.EAST, Tile.SOUTH, Tile.WEST, Tile.NORTH),
    tuple(Tile(Tile.S1 + rank) for rank in range(1, 9)),
    tuple(Tile(Tile.P1 + rank) for rank in range(9)),
)
"""Faces that a set may have from another, by what one hand would draw together."""
_LENT_SHARE = 0.15


@dataclass(frozen=True, slots=True, eq=False)
class Published:
    """One set as its maker drew it, each face FACE_H × FACE_W × 3 uint8 BGR on white; ``foreign`` are its flowers and seasons."""

    name: str
    faces: Mapping[Tile, Face]
    foreign: tuple[Face, ...]


def svg_set(folder: Path) -> Published:
    """The set of SVG faces in a folder; raises FileNotFoundError when it lacks one, ImportError without resvg-py."""
    folder = folder / "Regular" if (folder / "Regular").is_dir() else folder

    def face(tile: Tile) -> Face:
        name = _SVG_HONOURS[tile.text] if tile.suit is Suit.HONOURS else f"{_SVG_NAMES[tile.suit]}{tile.rank}"
        path = folder / f"{name}.svg"
        if not path.is_file():
            raise FileNotFoundError(f"{path} is missing: an art folder holds {name}.svg among the others")
        return _on_white(_drawn(path, FACE_W), 0.0)

    return Published(f"svg {folder.parent.name}", {tile: face(tile) for tile in ALL_TILES}, ())


def kde_sets(folder: Path) -> Iterator[Published]:
    """The tile sets of KDE's games that lie anywhere in a folder, with their flowers and seasons; none where there are none."""
    for path in sorted(path for name in _PAGES for path in folder.rglob(f"kmahjongglib/tilesets/{name}")):
        page = _drawn(path, _PAGE_WIDTH * _SCALE)
        faces: dict[Tile, Face] = {}
        foreign: list[Face] = []
        for row, tiles in enumerate(_CELLS):
            for column, tile in enumerate(tiles):
                left, top = column * _CELL_W * _SCALE, (_PAGE_TOP + row * _CELL_H) * _SCALE
                face = _on_white(page[top : top + _CELL_H * _SCALE, left : left + _CELL_W * _SCALE], _BACKGROUND)
                if tile is None:
                    foreign.append(face)
                else:
                    faces[tile] = face
        yield Published(f"kde {path.stem}", faces, tuple(foreign))


def published_sets(art: Path | None, packages: Path | None) -> list[Published]:
    """All of them, from a folder of SVG faces and a folder of unpacked packages."""
    return ([svg_set(art)] if art else []) + (list(kde_sets(packages)) if packages else [])


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

    return Sheet(
        published.name,
        {tile: sized(face(picture, tile)) for tile, picture in published.faces.items()},
        tuple(sized(face(picture, Tile.S1)) for picture in published.foreign),
    )


def lent(sheet: Sheet, others: Sequence[Published], rng: Generator) -> Sheet:
    """The set, here and there with faces of one of the others in place of its own."""
    faces = dict(sheet.faces)
    for together in _LENT_TOGETHER:
        if others and rng.random() < _LENT_SHARE:
            other = others[int(rng.integers(len(others)))]
            faces |= reworked(Published(other.name, {tile: other.faces[tile] for tile in together}, ()), rng).faces
    return replace(sheet, faces=faces)


def _drawn(path: Path, width: int) -> NDArray[np.uint8]:
    """An SVG file as BGRA pixels; raises ValueError for one that cannot be drawn, ImportError without resvg-py."""
    from resvg_py import svg_to_bytes  # noqa: PLC0415  # only for training

    png = np.frombuffer(bytes(svg_to_bytes(svg_path=str(path), width=width)), np.uint8)
    picture = cv2.imdecode(png, cv2.IMREAD_UNCHANGED)
    if picture is None or picture.ndim != 3:
        raise ValueError(f"{path} cannot be drawn")
    return np.asarray(picture, np.uint8)


def _on_white(picture: NDArray[np.uint8], ground: float) -> Face:
    """BGRA pixels as ink on a white face; paint fainter than ``ground`` is none."""
    scaled = cv2.resize(picture, (FACE_W, FACE_H), interpolation=cv2.INTER_AREA).astype(np.float32)
    alpha = np.clip((scaled[..., 3:] / 255 - ground) / (1 - ground), 0, 1)
    return np.asarray(255 * (1 - alpha) + scaled[..., :3] * alpha, np.float32).astype(np.uint8)


def _weighted(face: Face, weight: int) -> Face:
    """Strokes thicker (weight > 0) or thinner (< 0)."""
    if weight == 0:
        return face
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (3, 3))
    return np.asarray(cv2.erode(face, kernel) if weight > 0 else cv2.dilate(face, kernel), np.uint8)
