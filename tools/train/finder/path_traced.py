"""Renders training pictures of the finder: ``python -m tools.train.finder.path_traced --out FOLDER --bank FILE --count N``.

It needs ``uv sync --group render``. Tiles have rounded edges, touch without a line between them, and throw soft shadows, which drawn
frames lack. Each picture (``NUMBER.png``) has its labels beside it (``NUMBER.npy``, rows as ``frames.LABEL_FIELDS``); hands and what a
camera does to a picture are added as it is used. Pictures that are there are left, so that a run goes on where it was stopped.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.random import Generator

from benchmarks.anytable.traced import HomeLook
from benchmarks.rendered.looks import gain_of, levels, room_lamps
from benchmarks.rendered.making import BlenderMissingError, blender_wanted
from tools.train.finder.faces import FaceBank
from tools.train.finder.frames import SIDE_PX, keep_traced, random_eye
from tools.train.finder.layouts import random_layout
from tools.train.finder.surroundings import surface
from tools.train.finder.tabletop import Label, Picture, draw

_SAMPLES = 3
"""Of each pixel, before noise is taken out: enough to find tiles by."""


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; 0 when all pictures are there."""
    options = _parser().parse_args(arguments)
    if not options.bank.is_file():
        print(f"{options.bank} is not there: python -m tools.train.finder makes one beside its --out file", file=sys.stderr)
        return 2
    options.out.mkdir(parents=True, exist_ok=True)
    bank = FaceBank.load(options.bank)
    with tempfile.TemporaryDirectory() as kept:
        for number in range(options.first, options.first + options.count):
            path = options.out / f"{number:06d}.npy"
            if path.is_file():
                continue
            try:
                keep_traced(path, *_rendered(bank, np.random.default_rng([options.seed, number]), Path(kept)))
            except BlenderMissingError as error:
                print(error, file=sys.stderr)
                return 2
    return 0


def _rendered(bank: FaceBank, rng: Generator, folder: Path) -> tuple[Picture, list[Label]]:
    """A picture (SIDE_PX square) of a random tabletop, and its labels; ``folder`` holds pictures meanwhile."""
    with blender_wanted():
        from benchmarks.anytable.home_scene import HomeScene  # noqa: PLC0415  # only rendering has Blender

    tile_set, faces = bank.random_set(rng)
    tiles = random_layout(tile_set, faces, rng)
    eye = random_eye(tiles, rng, SIDE_PX)
    ambient, roughness, deep_mm, gloss, exposure = rng.uniform((0.1, 0.2, 0.0, 0.1, 0.45), (0.7, 1.0, 0.5, 0.45, 0.85)).tolist()
    look = HomeLook(tuple(room_lamps(rng)), ambient, roughness, deep_mm, gloss, exposure)
    scene = HomeScene(look, tile_set, (surface(rng, tile_set.body), None), folder, size_px=(SIDE_PX, SIDE_PX), samples=_SAMPLES)
    scene.lay([], tiles)
    light = scene.light(eye, None)
    labels, _ = draw(np.zeros((SIDE_PX, SIDE_PX, 3), np.uint8), tiles, tile_set, eye, np.array((0.0, 0.0, 1.0)))
    return levels(np.asarray(light * np.float32(gain_of(light, exposure)), np.float32)), labels


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tools.train.finder.path_traced", description="Render training pictures of the finder.")
    parser.add_argument("--out", type=Path, required=True, help="folder of the pictures")
    parser.add_argument("--bank", type=Path, required=True, help="file of faces, as the training makes it")
    parser.add_argument("--count", type=int, default=600)
    parser.add_argument("--first", type=int, default=0, help="number of the first picture")
    parser.add_argument("--seed", type=int, default=1)
    return parser


if __name__ == "__main__":
    sys.exit(main())
