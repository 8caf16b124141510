"""Errors of the two models together, and swapped pairs left after re-reads: ``.venv/bin/python -m benchmarks.vision.audit --json``.

Frames are rendered as in training, of designs drawn from another seed, poor ones included; ``--photos`` adds photographs that were never
trained on. The confusions give the number of swapped pairs a wall, and how many are left after re-reads. One JSON object. The count of four
per kind finds every single misread. Two that cancel (an *a* read as *b*, and a *b* read as *a* in the same wall) pass it.
"""

import argparse
import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from benchmarks.vision.photographs import groups, tiles_only
from tools.train.calibrate import kind_of_output
from tools.train.faces.sheets import art_sheet
from tools.train.frames import Material
from tools.train.pool import render_pool
from tools.varied_designs import random_design
from twinwall.game.tiles import ALL_TILES, COPIES, Tile
from twinwall.values import frozen
from vision.model.classifier import MODEL_PATH, SECOND_MODEL_PATH, Classifier
from vision.model.crop_view import decide, fit_crop
from vision.reading import Read


def survival(there: float, here: float, *, positions: int, re_read: int) -> float:
    """Return the chance that one swapped pair passes the re-reads, if the second model repeats its two misreads with these probabilities (0
    to 1)."""
    both = re_read * (re_read - 1) / (positions * (positions - 1))
    neither = (positions - re_read) * (positions - re_read - 1) / (positions * (positions - 1))
    return neither + (1.0 - both - neither) * (there + here) / 2 + both * there * here


def most_swaps(misread: float, *, kinds: int = 34) -> float:
    """Return the most swapped pairs per wall that a misread rate over all kinds allows, as if it fell on one pair of kinds.

    With rate e over ``kinds`` kinds that pair has e · kinds / 2 each, so (4 · e · kinds / 2)² pairs are expected.
    """
    return (COPIES * misread * kinds / 2) ** 2


def misread_bound(misreads: int, reads: int, *, confidence: float = 0.95) -> float:
    """Return the upper limit of the true misread rate at ``confidence``, after ``misreads`` in ``reads`` independent reads: Clopper and
    Pearson's (Biometrika 26, 1934), found by halving; without misreads it is near 3 / reads."""
    if not 0 <= misreads <= reads or reads < 1:
        raise ValueError(f"{misreads} misreads of {reads} reads make no rate")
    low, high = misreads / reads, 1.0
    if misreads == reads:
        return 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _at_most(misreads, reads, middle) > 1 - confidence else (low, middle)
    return high


def _at_most(count: int, of: int, rate: float) -> float:
    """Return the chance of at most ``count`` in ``of`` trials at a rate between 0 and 1."""
    term = of * math.log1p(-rate)
    total = math.exp(term)
    for k in range(1, count + 1):
        term += math.log((of - k + 1) / k) + math.log(rate) - math.log1p(-rate)
        total += math.exp(term)
    return total


SEED = 77
DESIGNS = 8
POSITIONS = 136
RE_READS = (0, 20, 40, 68, 136)


@frozen
class Pair:
    """Both models' likeliest kinds of one tile, and whether the first model's was accepted."""

    tile: Tile
    first: Tile
    second: Tile
    accepted: bool


def look(first: Classifier, second: Classifier, crops: NDArray[np.uint8], tiles: Sequence[Tile]) -> list[Pair]:
    """Run both models on crops (n × CROP_H × CROP_W × 3 uint8 BGR)."""
    pairs = []
    for start in range(0, len(crops), 128):
        batch = crops[start : start + 128]
        for tile, one, other in zip(tiles[start : start + 128], first.look(batch), second.look(batch), strict=True):
            pairs.append(Pair(tile, one.best(1)[0].tile, other.best(1)[0].tile, isinstance(decide(one, first.limits), Read)))
    return pairs


def rendered(count: int) -> tuple[NDArray[np.uint8], list[Tile]]:
    """Return frames of designs that no model was trained on, and their kinds."""
    rng = np.random.default_rng(SEED)
    pool = render_pool(Material([art_sheet(random_design(rng)) for _ in range(DESIGNS)]), count, SEED, 1)
    kinds = kind_of_output()[pool.labels]
    return pool.frames[kinds >= 0], [Tile(int(kind)) for kind in kinds[kinds >= 0]]


def photographed(folder: Path) -> tuple[NDArray[np.uint8], list[Tile]]:
    """Return crops never trained on, both ways up."""
    crops = [one for name, group in groups(folder).items() if "trained on" not in name or "never" in name for one in tiles_only(group)]
    upright = np.stack([fit_crop(crop.image) for crop, _ in crops])
    return np.concatenate((upright, upright[:, ::-1, ::-1])), [tile for _, tile in crops] * 2


def figures(pairs: Sequence[Pair]) -> dict[str, object]:
    """Return the errors of each model and of both, and their consequences for walls."""
    wrong_first = np.array([pair.first is not pair.tile for pair in pairs])
    wrong_second = np.array([pair.second is not pair.tile for pair in pairs])
    alike = np.array([pair.first is pair.second for pair in pairs])
    repeated = int((wrong_first & alike).sum())
    accepted = [pair for pair in pairs if pair.accepted]
    misread = sum(pair.first is not pair.tile for pair in accepted)
    bound = misread_bound(misread, max(len(accepted), 1))
    worst = most_swaps(bound)
    repeat_bound = misread_bound(repeated, max(int(wrong_first.sum()), 1))
    survives = {str(count): survival(repeat_bound, repeat_bound, positions=POSITIONS, re_read=count) for count in RE_READS}
    return {
        "tiles": len(pairs),
        "first_wrong": int(wrong_first.sum()),
        "second_wrong": int(wrong_second.sum()),
        "both_wrong": int((wrong_first & wrong_second).sum()),
        "both_wrong_alike": repeated,
        "error_correlation": _correlation(wrong_first, wrong_second),
        "repeated_share_at_most_95": round(repeat_bound, 3),
        "accepted": len(accepted),
        "accepted_misread": misread,
        "accepted_misread_at_most_95": round(bound, 6),
        "swapped_pairs_per_wall_at_most": round(worst, 7),
        "re_reads": {
            count: {
                "a_pair_survives_at_most": round(chance, 4),
                "left_per_wall_at_most": round(worst * chance, 8),
            }
            for count, chance in survives.items()
        },
    }


def _correlation(one: NDArray[np.bool_], other: NDArray[np.bool_]) -> float | None:
    """Return Pearson's correlation of two yes-or-no series; None if one never changes."""
    if one.all() or other.all() or not one.any() or not other.any():
        return None
    return round(float(np.corrcoef(one, other)[0, 1]), 3)


def main() -> int:
    parser = argparse.ArgumentParser(description="How the two models' errors go together, and what that means for a wall, as JSON.")
    parser.add_argument("--frames", type=int, default=12_000, help="rendered frames")
    parser.add_argument("--photos", type=Path, help="folder with labels.json and the photographs")
    parser.add_argument("--json", action="store_true", help="print one JSON object; always so")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    first, second = Classifier(MODEL_PATH), Classifier(SECOND_MODEL_PATH)
    found: dict[str, object] = {"kinds": len(ALL_TILES), "rendered": figures(look(first, second, *rendered(options.frames)))}
    if options.photos:
        found["photographs_never_trained_on"] = figures(look(first, second, *photographed(options.photos)))
    print(json.dumps(found, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
