"""Training command: ``python -m tools.train --out FILE --second FILE`` makes the committed weights from faces, with fixed seeds.

Faces come from the project's own designs; fonts (``--fonts``), photographs (``--photos``) and a
folder of SVG faces (``--art``) add sets. Each network of the first file is trained on all photographed sets but one,
so every set is unknown to one of them; the limits are fitted on the answers of that network. Some fonts and mixed
designs are held back for the same reason. The second file holds one network that sees no colour and no light.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np
from numpy.typing import NDArray

from tools.train.calibrate import Calibration, CalibrationSample, calibrate, kind_of_output, sample, together
from tools.train.crops import LabelsError
from tools.train.faces.lettering import Fonts
from tools.train.faces.sheets import Sheet, art_sheet, drawn_sheet
from tools.train.frames import Material
from tools.train.photographs import Photographs, photographs_of
from tools.train.pool import Pool, render_pool
from tools.varied_designs import random_design
from vision.model.crop_view import LABELS, fit_crop

if TYPE_CHECKING:
    from tools.train.members import Order

Frames = NDArray[np.uint8]
Ask = Callable[[Frames], NDArray[np.float32]]
"""Gives each network's outputs (networks × n × outputs) for frames."""

_HELD_FRAMES = 12_000
_OUT_OF_FOCUS_PX = 2.7
"""Blur (standard deviation) of a crop in which people still name most tiles: what is read then must be as right as in a sharp one."""
MEMBERS = 3
"""Networks of the first file: one for each photographed set that is left out."""


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; 0 when the weights were written, 2 when something it needs is missing."""
    options = _parser().parse_args(arguments)
    try:
        from tools.train.members import fonts_in, split, train  # noqa: PLC0415
        from tools.train.network import outputs, save  # noqa: PLC0415  # only training has PyTorch
    except ImportError as error:
        _say(f"training needs PyTorch and onnx ({error}): install the dependency group with uv sync --group train")
        return 2
    begun = time.monotonic()
    orders = _orders(options)
    try:
        photographs = photographs_of(options.photos)
        held_sheets = _held_sheets(split(fonts_in(options.fonts))[1] if options.fonts else None, options.seed)
        with multiprocessing.get_context("spawn").Pool(options.processes) as workers:
            networks = workers.map(train, orders, chunksize=1)
        held = render_pool(Material(held_sheets), _HELD_FRAMES, options.seed, options.processes)
    except (OSError, ValueError, ImportError, LabelsError) as error:
        _say(str(error))
        return 2
    for path, chosen in ((options.out, slice(0, MEMBERS)), (options.second, slice(MEMBERS, None))):
        if path is None:
            continue
        members = networks[chosen]
        asks: list[Ask] = [partial(outputs, [one]) for one in members]
        fitted = _fit(asks, held, photographs if len(members) > 1 else Photographs({}, {}))
        path.parent.mkdir(parents=True, exist_ok=True)
        save(members, path, _notes(orders[chosen], fitted, options))
        _say(f"{path} written after {time.monotonic() - begun:.0f} s: {json.dumps(asdict(fitted))}")
    return 0


def _orders(options: argparse.Namespace) -> list[Order]:
    """The networks of both files, in that order."""
    from tools.train.members import Amounts, Order, Sources  # noqa: PLC0415
    from tools.train.network import EMBEDDING  # noqa: PLC0415

    first = Amounts(options.drawn_sets, options.mixed_sets, options.reworked_sets, options.frames, options.epochs)
    second = Amounts(options.drawn_sets, options.mixed_sets, options.reworked_sets, options.frames * 2 // 3, options.epochs)
    sizes = [len(part) for part in np.array_split(np.arange(EMBEDDING), MEMBERS)]
    sources = Sources(options.fonts, options.photos, options.art)
    orders = [
        Order(f"network {number + 1}", options.seed + 1000 * (number + 1), number, size, False, first, sources)
        for number, size in enumerate(sizes)
    ]
    if options.second is not None:
        orders.append(Order("edges", options.seed + 1500, None, EMBEDDING, True, second, sources))
    return orders


def _fit(asks: Sequence[Ask], held: Pool, photographs: Photographs) -> Calibration:
    """Temperature and limits from drawn frames that no network knows, and from each photographed set, sharp and out of focus, by the
    network that does not know it."""

    def together_on(frames: Frames) -> NDArray[np.float32]:
        return np.concatenate([ask(frames) for ask in asks])

    unknown = list(zip(sorted(photographs.trained), asks, strict=False))
    truth = kind_of_output()[held.labels]
    samples = {"drawn": sample(together_on(held.frames), together_on(_turned(held.frames)), truth, poor=bool(unknown))}
    for look, blur_px in (("photographed", 0.0), ("out of focus", _OUT_OF_FOCUS_PX)) if unknown else ():
        samples[look] = together([_unknown(photographs, name, ask, blur_px) for name, ask in unknown])
    return calibrate(samples)


def _unknown(photographs: Photographs, name: str, ask: Ask, blur_px: float) -> CalibrationSample:
    """What a network makes of the photographed set that it was trained without, blurred by a standard deviation."""
    patches = [(patch, tile) for tile, patches in photographs.trained[name].items() for patch in patches]
    crops = (fit_crop(patch.box) for patch, _ in patches)
    frames = np.stack([np.asarray(cv2.GaussianBlur(crop, (0, 0), blur_px), np.uint8) if blur_px else crop for crop in crops])
    truth = np.array([-1 if tile is None else int(tile) for _, tile in patches], np.int64)
    return sample(ask(frames), ask(_turned(frames)), truth)


def _turned(frames: Frames) -> Frames:
    return np.ascontiguousarray(frames[:, ::-1, ::-1])


def _held_sheets(fonts: Fonts | None, seed: int) -> list[Sheet]:
    """Sets that no network is trained on, to fit temperature and limits."""
    rng = np.random.default_rng([seed, 2])
    sheets = [art_sheet(random_design(rng)) for _ in range(6)]
    if fonts is not None and fonts.characters:
        sheets += [drawn_sheet(fonts, rng, f"held {index}") for index in range(8)]
    return sheets


def _notes(orders: Sequence[Order], fitted: Calibration, options: argparse.Namespace) -> dict[str, str]:
    """What is stored in the file: outputs, temperature, limits, and their sources."""
    training = {
        "seed": options.seed,
        "networks": len(orders),
        **asdict(orders[0].amounts),
        "fonts": bool(options.fonts),
        "svg": bool(options.art),
        "photographs": bool(options.photos),
    }
    return {
        "labels": json.dumps(LABELS),
        "temperature": f"{fitted.temperature:.4f}",
        "limits": fitted.limits.to_json(),
        "training": json.dumps(training, sort_keys=True),
    }


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tools.train", description="Train the tile models on drawn and photographed frames and write them as ONNX."
    )
    parser.add_argument("--out", type=Path, required=True, help="the ONNX file to write")
    parser.add_argument("--second", type=Path, help="the second model's file: one network more, blind to colour and light")
    parser.add_argument("--art", type=Path, help="folder of SVG faces to train on")
    parser.add_argument("--fonts", type=Path, help="folder in which to look for fonts with CJK characters")
    parser.add_argument("--photos", type=Path, help="folder with labels.json and photographs, to train on most of them")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--frames", type=int, default=96_000, help="frames to render for each network; the second model's has two thirds")
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--drawn-sets", type=int, default=288, help="sets drawn with fonts, for each network")
    parser.add_argument("--mixed-sets", type=int, default=80, help="sets mixed from the project's designs, for each network")
    parser.add_argument("--reworked-sets", type=int, default=24, help="sets bent and recoloured from each published one, for each network")
    parser.add_argument("--processes", type=int, default=2, help="networks to train at a time, one thread each")
    return parser


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)  # a command's messages


if __name__ == "__main__":
    sys.exit(main())
