"""``python -m vision.train --out FILE``: from faces to committed weights, one command, fixed seeds.

Faces come from the project's own designs; fonts (``--fonts``), photographs (``--photos``) and a folder of
SVG faces (``--art``) add sets where they are given. Each member is trained on all photographed sets but
one, so that every set is unknown to one of them: what that one makes of it is an honest sample of what
new sets bring, and limits are fitted on it. The SVG set and some fonts are held back for the same end.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from twinwall.art.designs import TRAINING_DESIGNS
from twinwall.art.variation import random_design
from twinwall.game.tiles import Tile
from vision.classes import LABELS
from vision.crop import fit_crop
from vision.crops import LabelsError
from vision.train.calibrate import Sample, calibrate, kind_of_output, sample, together
from vision.train.frames import Material
from vision.train.lettering import Fonts, find_fonts
from vision.train.photographs import Patch, Photographs, read_notes, read_photographs
from vision.train.pool import render_pool
from vision.train.sheets import Sheet, art_sheet, drawn_sheet, svg_sheets, symbol_sheets

Frames = NDArray[np.uint8]
_HELD_FONTS = ("cwkai", "bsmi00lp", "notosanscjk-medium")
"""Fonts that only the calibration sees."""
MEMBERS = 3
"""Networks that speak together, as many as there are photographed sets to leave out."""


@dataclass(frozen=True, slots=True)
class Amounts:
    """How much to draw and to train."""

    drawn_sets: int
    mixed_sets: int
    frames: int
    held_frames: int
    epochs: int


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; 0 when the weights were written, 2 when something it needs is missing."""
    options = _parser().parse_args(arguments)
    amounts = Amounts(options.drawn_sets, options.mixed_sets, options.frames, 12_000, options.epochs)
    try:
        import torch  # noqa: PLC0415  # only training has PyTorch

        from vision.train.export import save  # noqa: PLC0415
        from vision.train.network import EMBEDDING, Schedule, fit, make_network, outputs  # noqa: PLC0415
    except ImportError as error:
        _say(f"training needs PyTorch and onnx ({error}): install the dependency group with uv sync --group train")
        return 2
    started = time.monotonic()

    def say(text: str) -> None:
        _say(f"{text}, after {time.monotonic() - started:.0f} s")

    torch.set_num_threads(options.processes)
    count = 1 if options.edges else MEMBERS
    try:
        fonts = find_fonts(options.fonts) if options.fonts else Fonts((), (), ())
        photographs = read_photographs(options.photos, read_notes()) if options.photos else Photographs({}, {})
        held = render_pool(Material(_held_sheets(fonts, options.art, options.seed)), amounts.held_frames, options.seed, options.processes)
        members = []
        for member in range(count):
            seed = options.seed + 1000 * (member + 1) + (500 if options.edges else 0)
            sheets = _training_sheets(fonts, amounts, seed)
            known = _known(photographs, None if options.edges else member)
            pool = render_pool(Material(sheets, known, photographs.halves, photographs.grounds), amounts.frames, seed, options.processes)
            say(f"member {member + 1} of {count}: {len(pool.labels)} frames of {len(sheets)} drawn and {len(known)} photographed sets")
            torch.manual_seed(seed)
            size = len(np.array_split(np.arange(EMBEDDING), count)[member])
            members.append(make_network(size, edges_only=options.edges))
            fit(members[-1], pool, Schedule(amounts.epochs), seed=seed, say=say)
    except (OSError, ValueError, ImportError, LabelsError) as error:
        _say(str(error))
        return 2
    samples = {"drawn": sample(outputs(members, held.frames), outputs(members, _turned(held.frames)), kind_of_output()[held.labels])}
    unknown = _unknown(photographs, count, lambda member, frames: outputs(members[member : member + 1], frames))
    if unknown:
        samples["photographed"] = together(unknown)
    fitted = calibrate(samples)
    training = {
        "seed": options.seed,
        "members": count,
        **asdict(amounts),
        "fonts": len(fonts.characters),
        "svg": bool(options.art),
        "photographed": sum(len(patches) for known in photographs.trained.values() for patches in known.values()),
    }
    notes = {
        "labels": json.dumps(LABELS),
        "temperature": f"{fitted.temperature:.4f}",
        "limits": fitted.limits.to_json(),
        "training": json.dumps(training, sort_keys=True),
    }
    options.out.parent.mkdir(parents=True, exist_ok=True)
    save(members, options.out, notes)
    say(f"{options.out} written; on sets held back: {json.dumps(asdict(fitted))}")
    return 0


def _unknown(photographs: Photographs, count: int, ask: Callable[[int, Frames], NDArray[np.float32]]) -> list[Sample]:
    """What each of ``count`` members makes of the photographed set that it was trained without; ``ask`` gives a member's outputs."""
    samples = []
    for member, name in enumerate(sorted(photographs.trained)[:count] if count > 1 else ()):
        patches = [(patch, tile) for tile, patches in photographs.trained[name].items() for patch in patches]
        frames = np.stack([fit_crop(patch.box) for patch, _ in patches])
        truth = np.array([-1 if tile is None else int(tile) for _, tile in patches], np.int64)
        samples.append(sample(ask(member, frames), ask(member, _turned(frames)), truth))
    return samples


def _known(photographs: Photographs, member: int | None) -> list[dict[Tile | None, list[Patch]]]:
    """The photographed sets that a member is trained on: all but one, or for no member in particular all of them."""
    names = sorted(photographs.trained)
    unknown = None if member is None or len(names) < 2 else names[member % len(names)]
    return [photographs.trained[name] for name in names if name != unknown]


def _training_sheets(fonts: Fonts, amounts: Amounts, seed: int) -> list[Sheet]:
    """The sets that one member is trained on."""
    rng = np.random.default_rng([seed, 1])
    kept, _ = _split(fonts)
    sheets = [art_sheet(design) for design in TRAINING_DESIGNS for _ in range(2)]
    sheets += [art_sheet(random_design(rng)) for _ in range(amounts.mixed_sets)]
    if fonts.characters:
        sheets += [drawn_sheet(kept, rng, f"drawn {index}") for index in range(amounts.drawn_sets)]
        sheets += [*symbol_sheets(kept, rng), *symbol_sheets(kept, rng)]
    return sheets


def _held_sheets(fonts: Fonts, art: Path | None, seed: int) -> list[Sheet]:
    """Sets that no member sees, to fit temperature and limits on."""
    rng = np.random.default_rng([seed, 2])
    _, held_back = _split(fonts)
    sheets = [art_sheet(random_design(rng)) for _ in range(6)]
    if fonts.characters:
        sheets += [drawn_sheet(held_back, rng, f"held {index}") for index in range(8)]
    return sheets + (svg_sheets(art) * 3 if art is not None else [])


def _split(fonts: Fonts) -> tuple[Fonts, Fonts]:
    """Fonts to train on and those to hold back."""
    held = tuple(hand for hand in fonts.characters if hand.path.name.lower().startswith(_HELD_FONTS))
    kept = tuple(hand for hand in fonts.characters if hand not in held)
    return Fonts(kept, fonts.latin, fonts.faces), Fonts(held or kept, fonts.latin, ())


def _turned(frames: Frames) -> Frames:
    return np.ascontiguousarray(frames[:, ::-1, ::-1])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m vision.train", description="Train the tile model on rendered frames and write it as ONNX."
    )
    parser.add_argument("--out", type=Path, required=True, help="the ONNX file to write")
    parser.add_argument("--art", type=Path, help="folder of SVG faces, held back to fit the limits")
    parser.add_argument("--fonts", type=Path, help="folder in which to look for fonts with CJK characters")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--photos", type=Path, help="folder with labels.json and photographs, to train on most of them")
    parser.add_argument("--edges", action="store_true", help="train the second model: one network, blind to colour and light")
    parser.add_argument("--frames", type=int, default=75_000, help="frames to render for each member")
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--drawn-sets", type=int, default=260, help="sets drawn with fonts, for each member")
    parser.add_argument("--mixed-sets", type=int, default=90, help="sets mixed from the project's designs, for each member")
    parser.add_argument("--processes", type=int, default=2, help="processes to render and threads to train with")
    return parser


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)  # noqa: T201  # a command's messages


if __name__ == "__main__":
    sys.exit(main())
