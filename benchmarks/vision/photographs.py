"""Reads of photographs: sets by their part in training, and pictures of no tile. Labels are those of the folder, corrected by
``tools/train/photographs.json``; tiles that lie askew or are cut off are left out. Used by ``benchmarks.vision.gate`` and
``benchmarks.vision.audit``."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tools.train.photographs import Patch, Photographs, read_notes, read_photographs
from tools.train.scenes import MARGIN
from twinwall.game.tiles import Tile
from vision.enrol.evaluate import LabelledCrop

NO_SET = "half tiles and grounds"


def groups(folder: Path) -> dict[str, list[LabelledCrop]]:
    """Return crops by their part in training; raises ``tools.train.crops.LabelsError``."""
    photographs = read_photographs(folder, read_notes())
    found = {
        f"{name}: {'never trained on' if name not in photographs.trained else 'pictures held back'}": list(_crops(patches.values()))
        for name, patches in photographs.held.items()
    }
    found |= {f"{name}: trained on": list(_crops(patches.values())) for name, patches in photographs.trained.items()}
    found[NO_SET] = list(_strays(photographs))
    return found


def unknown_to(folder: Path) -> list[tuple[str, int, list[LabelledCrop]]]:
    """Return each photographed set in training, the number of the network trained without it, and the set's crops."""
    photographs = read_photographs(folder, read_notes())
    return [
        (name, number, list(_crops([*photographs.trained[name].values(), *photographs.held.get(name, {}).values()])))
        for number, name in enumerate(sorted(photographs.trained))
    ]


def _crops(patches: Iterable[list[Patch]]) -> Iterator[LabelledCrop]:
    for kind in patches:
        for patch in kind:
            upright = np.ascontiguousarray(patch.box[::-1, ::-1]) if patch.turned else patch.box
            yield LabelledCrop(f"{patch.photo}#{patch.number}", patch.tile, upright)


def _strays(photographs: Photographs) -> Iterator[LabelledCrop]:
    """Yield half tiles beside tiles, and places without a tile; training has used the pictures, but not these cuts."""
    for index, scene in enumerate((*photographs.halves, *photographs.grounds)):
        inner: NDArray[np.uint8] = np.ascontiguousarray(scene[MARGIN:-MARGIN, MARGIN:-MARGIN])
        yield LabelledCrop(f"stray {index}", None, inner)


def tiles_only(crops: Iterable[LabelledCrop]) -> list[tuple[LabelledCrop, Tile]]:
    """Return the crops that show one of the 34 kinds."""
    return [(crop, crop.tile) for crop in crops if crop.tile is not None]
