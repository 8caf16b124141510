"""Tile sets that the finder was not trained on: the simulator's own design, and the published one in TWINWALL_DATA. The classifier knows
the published set (``vision/model/weights/CARD.md``), so its accepted reads say less."""

import os
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.random import Generator

from tools.train.faces.published import svg_set
from tools.train.finder.faces import FaceBank, make_bank
from tools.train.finder.tabletop import DrawnSet, Picture
from twinwall.art.designs import SIMULATOR_DESIGN
from twinwall.art.raster import raster
from twinwall.game.tiles import ALL_TILES, Tile

_FACE_PX = 192


@cache
def unseen_banks() -> Mapping[str, FaceBank]:
    """Return a bank of one set each, by the set's name."""
    own = [np.ascontiguousarray(raster(SIMULATOR_DESIGN, tile, _FACE_PX)[..., 2::-1]) for tile in ALL_TILES]
    banks = {"simulator": make_bank([own], [])}
    folder = Path(os.environ.get("TWINWALL_DATA", "")) / "art"
    if (folder / "Regular").is_dir() and find_spec("resvg_py"):
        published = svg_set(folder)
        banks["published"] = make_bank([[published.faces[tile] for tile in ALL_TILES]], [])
    return banks


def unseen_set(name: str, rng: Generator) -> tuple[DrawnSet, dict[str, Picture]]:
    """Return a set with random colours of bodies and backs, and its faces by notation."""
    tile_set, faces = unseen_banks()[name].random_set(rng)
    by_kind: dict[Tile, Picture] = dict(zip(ALL_TILES, faces[-len(ALL_TILES) :], strict=True))
    return tile_set, {tile.text: face for tile, face in by_kind.items()}
