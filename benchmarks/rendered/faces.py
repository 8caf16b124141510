"""Faces of the tiles on a path-traced table: pictures of the simulator's design, or cut from photographs. The weights have seen neither:
only photographs of sets that were never trained on are used (``tools/train/photographs.json``, ``never_trained``)."""

from pathlib import Path

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from benchmarks.rendered.looks import Finish
from benchmarks.rendered.tables import TracedTable
from simulator.cameras.optics import FOREIGN, Picture, face_sprite
from tools.train.crops import LabelsError
from tools.train.photographs import Patch, read_notes, read_photographs
from twinwall.art.designs import SIMULATOR_FLOWERS
from twinwall.game.tiles import ALL_TILES, Tile

FACE_WIDTH_PX, FACE_HEIGHT_PX = 260, 360
_RIM = 0.045
"""Share of a labelled box at each side that shows the tile's rounded edge; it is left blank,"""
_FADE = 0.02
"""and over this share of the width the marks fade in."""


def face_pictures(finish: Finish, rng: Generator, photos: Path | None) -> dict[str, Picture]:
    """Return each kind's face (FACE_HEIGHT_PX × FACE_WIDTH_PX BGR), and flowers as ``flower-0`` and so on. Raises LabelsError if
    photographs are wanted and missing in ``photos``."""
    if not finish.photographed:
        return _drawn(finish)
    if photos is None:
        raise LabelsError("faces are to be cut from photographs: name the folder that holds labels.json and the pictures")
    examples = unseen_examples(photos)
    return {tile.text: _cut(found[int(rng.integers(len(found)))]) for tile, found in examples.items()}


def faces_of(table: TracedTable, photos: Path | None) -> dict[str, Picture]:
    """Return the faces of a table's set, the same each time; raises LabelsError as ``face_pictures``."""
    return face_pictures(table.look.finish, table.generator(), photos)


def unseen_examples(photos: Path) -> dict[Tile, list[Patch]]:
    """Return each kind's photographed tiles of sets that were never trained on; raises LabelsError if a kind has none."""
    notes = read_notes()
    held = read_photographs(photos, notes).held
    found: dict[Tile, list[Patch]] = {}
    for name in sorted(notes.never_trained & held.keys()):
        for tile, patches in held[name].items():
            if tile is not None:
                found.setdefault(tile, []).extend(patches)
    missing = [tile.text for tile in ALL_TILES if tile not in found]
    if missing:
        raise LabelsError(f"{photos} has no photograph, of a set never trained on, of {' '.join(missing)}")
    return found


def _drawn(finish: Finish) -> dict[str, Picture]:
    faces = {tile.text: (tile.text, 0) for tile in ALL_TILES}
    faces |= {f"{FOREIGN}-{variant}": (FOREIGN, variant) for variant in range(len(SIMULATOR_FLOWERS))}
    pictures = {}
    for name, (face, variant) in faces.items():
        sprite = face_sprite(face, FACE_HEIGHT_PX, variant, finish.tiles.design, finish.tiles.back)
        cover = sprite[:, :, 3:].astype(np.float32) / 255
        paper = np.array(ivory(finish), np.float32)
        whole = sprite[:, :, :3] * cover + paper * (1 - cover)
        pictures[name] = _sized(np.rint(whole).astype(np.uint8))
    return pictures


def ivory(finish: Finish) -> tuple[int, int, int]:
    """Return the colour of faces and of the sides next to them (BGR)."""
    face = finish.tiles.design.palette.face
    return int(face[5:7], 16), int(face[3:5], 16), int(face[1:3], 16)


def _cut(patch: Patch) -> Picture:
    """Return a photographed face without its edges, with its marks in place, and with its ground as light at the rim as elsewhere."""
    face = _sized(np.ascontiguousarray(patch.box[::-1, ::-1]) if patch.turned else patch.box).astype(np.float32)
    paper = np.percentile(face.reshape(-1, 3), 75, axis=0)
    inside = _inside()[:, :, None]
    return np.clip(np.rint(face * inside + paper * (1 - inside)), 0, 255).astype(np.uint8)


def _inside() -> NDArray[np.float32]:
    """Return 1 inside a face, falling to 0 at its rim."""
    y, x = np.mgrid[0:FACE_HEIGHT_PX, 0:FACE_WIDTH_PX].astype(np.float32)
    across = np.minimum(x, FACE_WIDTH_PX - 1 - x) / FACE_WIDTH_PX
    down = np.minimum(y, FACE_HEIGHT_PX - 1 - y) / FACE_HEIGHT_PX
    return np.asarray(np.clip((np.minimum(across, down) - _RIM) / _FADE, 0, 1), np.float32)


def _sized(picture: Picture) -> Picture:
    shrinks = picture.shape[1] > FACE_WIDTH_PX
    how = cv2.INTER_AREA if shrinks else cv2.INTER_CUBIC
    return np.asarray(cv2.resize(picture, (FACE_WIDTH_PX, FACE_HEIGHT_PX), interpolation=how), np.uint8)
