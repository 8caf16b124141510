"""Contact sheets: every face of every design on one picture each, for looking at.

``python -m tools.tile_sheets OUT`` writes ``OUT/<design>.png`` for the named designs and
``OUT/random-<seed>.png`` for a few mixtures.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image

from tools.varied_designs import random_design
from twinwall.art.designs import DESIGNS, Design
from twinwall.art.faces import Face
from twinwall.art.flowers import Flower
from twinwall.art.raster import raster
from twinwall.game.tiles import ALL_TILES

_FELT = "#1e5a4a"
_GAP = 0.1


def contact_sheet(design: Design, height_px: int = 150, columns: int = 9) -> Image.Image:
    """All 34 faces, the back and the flowers of one design on felt, as an RGB picture."""
    faces: list[Face | Flower] = [*ALL_TILES, "back", *Flower]
    first = raster(design, faces[0], height_px)
    gap = round(height_px * _GAP)
    width, height = first.shape[1] + gap, height_px + gap
    rows = -(-len(faces) // columns)
    sheet = Image.new("RGB", (columns * width + gap, rows * height + gap), _FELT)
    for index, face in enumerate(faces):
        row, column = divmod(index, columns)
        tile = Image.fromarray(raster(design, face, height_px))
        sheet.paste(tile, (gap + column * width, gap + row * height), tile)
    return sheet


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the sheets into a folder, made if needed."""
    parser = argparse.ArgumentParser(prog="python -m tools.tile_sheets", description="Draw contact sheets of every tile design.")
    parser.add_argument("out", type=Path, help="folder for the pictures")
    parser.add_argument("--height", type=int, default=150, metavar="PX", help="height of one tile (default: %(default)s)")
    parser.add_argument(
        "--random", type=int, default=4, metavar="N", help="how many random mixtures to draw as well (default: %(default)s)"
    )
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    for design in DESIGNS.values():
        contact_sheet(design, options.height).save(options.out / f"{design.name}.png")
    for seed in range(options.random):
        contact_sheet(random_design(np.random.default_rng(seed)), options.height).save(options.out / f"random-{seed}.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
