"""Accuracy with an enrolled set, on photographs: ``.venv/bin/python -m benchmarks.vision.enrolment --photos FOLDER --json``.

FOLDER holds labelled photographs in the form of ``tools.train.crops``; the groups below are those of "Chinese Mahjong Detection" v4
(riichimahjongdetection on Roboflow Universe, CC BY 4.0). Random examples of every kind of each group are enrolled, and the other crops are
read, both ways up. Then a wrong tile is put among the examples, many times. One JSON object.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from tools.train.crops import LabelledBox, LabelsError, cut_boxes, read_labels
from twinwall.game.tiles import ALL_TILES, Tile, parse_tile
from twinwall.values import frozen, frozen_identity
from vision.enrol.enrol import Enrolment, SetName, enrol
from vision.enrol.evaluate import LabelledCrop
from vision.enrol.examples import TileExample, trusted_examples
from vision.model.classifier import Classifier
from vision.model.crop_view import CropView, fit_crop
from vision.model.judge import ProfileJudge
from vision.reading import Read

FLOWER = "flower"
MISLABELLED = {("table-146.jpg", 7): Tile.M9}
"""Wrong labels in the photographs, with the true kinds, as checked one by one."""
CALLED = SetName("benchmark", None, date(2026, 11, 20))


@frozen
class PhotographedSet:
    """Photographs of one set: their names' prefix, their numbers, and how the tiles lie."""

    name: str
    prefix: str
    numbers: frozenset[int]
    says: str

    def has(self, box: LabelledBox) -> bool:
        """Whether a labelled tile belongs to it."""
        return int(Path(box.photo).stem.removeprefix(self.prefix)) in self.numbers


GROUPS = (
    PhotographedSet("tray", "tray-", frozenset({*range(108, 112), *range(173, 177)}), "one set in a tray, from above"),
    PhotographedSet(
        "rail",
        "table-",
        frozenset({*range(18, 28), *range(29, 39), *range(139, 154), *range(177, 197)}),
        "one set standing at a table's edge, seen from above at a slant, partly in shadow, some 38 px wide",
    ),
)


@frozen_identity
class Crops:
    """A group's tiles: samples, and the model's views of each as it is and turned."""

    samples: tuple[LabelledCrop, ...]
    views: tuple[tuple[CropView, CropView], ...]

    @property
    def tiles(self) -> NDArray[np.intp]:
        """The kinds, in order."""
        return np.array([-1 if sample.tile is None else int(sample.tile) for sample in self.samples])


@dataclass(slots=True)
class EnrolmentTally:
    """Counts over draws."""

    looks: int = 0
    first: int = 0
    accepted: int = 0
    misread: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    flowers: int = 0
    flower_looks: int = 0
    failed: int = 0


def load(classifier: Classifier, photos: Path, boxes: Iterable[LabelledBox]) -> Crops:
    """Cut the boxes out and look at them both ways up."""
    samples = tuple(
        LabelledCrop(
            f"{box.photo}#{box.number}",
            None if box.kind == FLOWER else MISLABELLED.get((box.photo, box.number), parse_tile(box.kind)),
            image,
        )
        for box, image in cut_boxes(photos, list(boxes))
    )
    crops = np.stack([fit_crop(sample.image) for sample in samples])
    upright, turned = classifier.look(crops), classifier.look(np.ascontiguousarray(crops[:, ::-1, ::-1]))
    return Crops(samples, tuple(zip(upright, turned, strict=True)))


def drawn(tiles: NDArray[np.intp], examples: int, rng: Generator) -> NDArray[np.intp]:
    """Return the indices of random examples of each kind."""
    return np.concatenate([rng.permutation(np.flatnonzero(tiles == tile))[:examples] for tile in ALL_TILES])


def read_enrolled(classifier: Classifier, crops: Crops, flowers: Crops, examples: int, draws: int) -> dict[str, object]:
    """Enrol some examples of each kind and read all other crops, for several draws of examples."""
    rng, tally = np.random.default_rng(examples), EnrolmentTally()
    for _ in range(draws):
        chosen = drawn(crops.tiles, examples, rng)
        enrolment = enrol(classifier, [crops.samples[index] for index in chosen], ALL_TILES, CALLED, rng)
        _read(enrolment, crops, flowers, frozenset(chosen.tolist()), tally)
    return _figures(tally, draws)


def _read(enrolment: Enrolment, crops: Crops, flowers: Crops, chosen: frozenset[int], tally: EnrolmentTally) -> None:
    if enrolment.profile is None:
        tally.failed += 1
        return
    judge = ProfileJudge(enrolment.profile)
    looks = first = accepted = 0
    for index, (sample, views) in enumerate(zip(crops.samples, crops.views, strict=True)):
        if index in chosen:
            continue
        for view in views:
            answer = judge.decide(view)
            looks += 1
            first += judge.rank(view)[0].tile is sample.tile
            if isinstance(answer, Read):
                accepted += 1
                if answer.tile is not sample.tile and sample.tile is not None:
                    tally.misread[sample.name, sample.tile.text, answer.tile.text] += 1
    tally.looks, tally.first, tally.accepted = tally.looks + looks, tally.first + first, tally.accepted + accepted
    tally.flowers += sum(isinstance(judge.decide(view), Read) for views in flowers.views for view in views)
    tally.flower_looks += 2 * len(flowers.views)


def _figures(tally: EnrolmentTally, draws: int) -> dict[str, object]:
    wrong = sum(tally.misread.values())
    return {
        "draws": draws,
        "no_profile": tally.failed,
        "looks": tally.looks,
        "top1": _share(tally.first, tally.looks),
        "coverage": _share(tally.accepted, tally.looks),
        "misread": wrong,
        "misread_which": [[*which, count] for which, count in tally.misread.most_common(8)],
        "flowers_accepted": {"n": tally.flowers, "of": tally.flower_looks},
    }


def wrong_tiles(crops: Crops, flowers: Crops, examples: int, draws: int) -> dict[str, object]:
    """Put one wrong tile (every fifth time a flower) among right examples of a kind, and count whether it, and it alone, is left out."""
    rng = np.random.default_rng(100 + examples)
    counts: Counter[str] = Counter()
    for number in range(draws):
        chosen = drawn(crops.tiles, examples, rng)
        said = Tile(int(rng.integers(34)))
        wrong = flowers if number % 5 == 4 else crops
        other = int(
            rng.choice(
                np.flatnonzero((wrong.tiles != int(said)) & ~np.isin(np.arange(len(wrong.samples)), chosen if wrong is crops else []))
            )
        )
        given = [TileExample.of(crops.samples[index].name, Tile(int(crops.tiles[index])), crops.views[index][0]) for index in chosen]
        given.append(TileExample.of("wrong", said, wrong.views[other][int(rng.integers(2))]))
        kept, doubts = trusted_examples(given)
        named = next((doubt for doubt in doubts if doubt.name == "wrong"), None)
        counts["left_out"] += named is not None
        counts["named_rightly"] += named is not None and named.likely is wrong.samples[other].tile
        counts["right_ones_left_out"] += len(given) - 1 - sum(index < len(given) - 1 for index in kept)
        counts["right_ones"] += len(given) - 1
    return {"draws": draws, **counts}


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 5) if whole else None


def main() -> int:
    parser = argparse.ArgumentParser(description="Figures of enrolled sets on labelled photographs, as JSON.")
    parser.add_argument("--photos", type=Path, required=True, help="folder with labels.json and the photographs")
    parser.add_argument("--draws", type=int, default=20, help="random draws of examples for each figure")
    parser.add_argument("--json", action="store_true", help="on one line")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    classifier = Classifier()
    try:
        flowers = load(classifier, options.photos, (box for box in read_labels(options.photos, "table-") if box.kind == FLOWER))
        figures: dict[str, object] = {"model": classifier.digest}
        for group in GROUPS:
            boxes = (box for box in read_labels(options.photos, group.prefix) if group.has(box) and box.kind != FLOWER)
            crops = load(classifier, options.photos, boxes)
            figures[group.name] = {
                "what": group.says,
                "crops": len(crops.samples),
                **{f"{count}_examples": read_enrolled(classifier, crops, flowers, count, options.draws) for count in (1, 4)},
                **{f"wrong_tile_with_{count}": wrong_tiles(crops, flowers, count, 5 * options.draws) for count in (1, 2, 4)},
            }
    except LabelsError as error:
        print(error, file=sys.stderr)
        return 2
    print(json.dumps(figures, indent=None if options.json else 1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
