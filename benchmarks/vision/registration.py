"""Accuracy of tile registration on real photographs: ``python -m benchmarks.vision.registration --photos FOLDER --json``.

It takes the labelled tiles of the table photographs whose boxes are tight (tiles along the picture's axes), moves
each start by up to 15 % of the tile's width and 10°, registers the tile as the table reader does, and prints the
error, and the classifier's answer for the label's box, for the moved start, and for the pose found.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from twinwall.game.tiles import Tile, parse_tile
from vision.model.classifier import Classifier
from vision.model.crop import CROP_H, CROP_W
from vision.table.light import Light, logarithms
from vision.table.registration import Around, Pose, Registrar
from vision.table.white import coarse_patch, sampled, warped, whiteness_of

WIDTH_MM, HEIGHT_MM = 26.0, 36.0
MOST_OFF, MOST_ASKEW_DEG = 0.15, 10.0
ALIKE = 0.08
"""Boxes whose sides differ by less from the picture's usual ones are tight to a tile that lies straight."""
LEAST_TILES = 4
LEAST_WIDTH_PX = 28


@dataclass(frozen=True, slots=True, eq=False)
class Photograph:
    """A picture and its tight boxes (n × 4: x, y, width, height) with their kinds."""

    image: NDArray[np.uint8]
    boxes: NDArray[np.float64]
    kinds: tuple[Tile, ...]


def photographs(folder: Path) -> list[Photograph]:
    """The table photographs with at least a few tight boxes that stand upright or upside down."""
    found = []
    for entry in json.loads((folder / "labels.json").read_text(encoding="utf-8")):
        tiles = [tile for tile in entry["tiles"] if tile["kind"] != "flower"]
        boxes = np.array([tile["box"] for tile in tiles], np.float64).reshape(-1, 4)
        if not entry["file"].startswith("table") or len(boxes) < LEAST_TILES:
            continue
        usual = np.median(boxes[:, 2:], axis=0)
        tight = (np.abs(boxes[:, 2:] / usual - 1) < ALIKE).all(axis=1)
        if tight.mean() < 0.8 or usual[0] < LEAST_WIDTH_PX or usual[1] < 1.15 * usual[0] or _overlap(boxes[tight]) > 0.05:
            continue
        image = np.asarray(cv2.imread(str(folder / entry["file"])), np.uint8)
        kinds = tuple(parse_tile(tile["kind"]) for tile, kept in zip(tiles, tight.tolist(), strict=True) if kept)
        found.append(Photograph(image, boxes[tight], kinds))
    return found


def _overlap(boxes: NDArray[np.float64]) -> float:
    """The most that any box shares with another, of its area: boxes around slanting tiles overlap."""
    low, high = boxes[:, None, :2], boxes[:, None, :2] + boxes[:, None, 2:]
    shared = np.clip(np.minimum(high, high.transpose(1, 0, 2)) - np.maximum(low, low.transpose(1, 0, 2)), 0, None).prod(axis=2)
    np.fill_diagonal(shared, 0)
    return float((shared / boxes[:, 2:].prod(axis=1)[:, None]).max())


def light_of(photograph: Photograph) -> tuple[Light, NDArray[np.float32]]:
    """The ground between the tiles and the tiles' white, one of each for the whole picture."""
    outside = np.ones(photograph.image.shape[:2], np.bool_)
    inside = []
    for x, y, width, height in photograph.boxes.round().astype(int).tolist():
        outside[max(y - 4, 0) : y + height + 4, max(x - 4, 0) : x + width + 4] = False
        inside.append(photograph.image[max(y, 0) : y + height, max(x, 0) : x + width].reshape(-1, 3))
    ground = np.median(logarithms(photograph.image[outside]), axis=0)
    white = np.percentile(logarithms(np.concatenate(inside)), 75, axis=0)
    return Light(ground[None, None], np.asarray(white - ground, np.float32), 1.0), np.asarray(ground, np.float32)


def found_again(
    photograph: Photograph, registrar: Registrar, rng: Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64], list[Pose | None]]:
    """Each tile's plane as forgotten (mm to px), where it truly lies there (x, y in mm, degrees), and the pose found or None."""
    light, ground = light_of(photograph)
    planes, truths = [], []
    for x, y, width, height in photograph.boxes.tolist():
        scale = np.diag((width / WIDTH_MM, height / HEIGHT_MM))
        off = rng.uniform(-MOST_OFF, MOST_OFF, 2) * WIDTH_MM
        askew = np.deg2rad(rng.uniform(-MOST_ASKEW_DEG, MOST_ASKEW_DEG))
        turn = np.array([(np.cos(askew), np.sin(askew)), (-np.sin(askew), np.cos(askew))])
        plane = np.eye(3)
        plane[:2, :2] = scale @ turn
        plane[:2, 2] = (x + width / 2 - 0.5, y + height / 2 - 0.5) - scale @ turn @ off
        planes.append(plane)
        truths.append((*off, -np.rad2deg(askew)))
    stack = np.stack(planes)
    grounds = np.repeat(ground[None], len(stack), axis=0)

    def look(numbers: NDArray[np.intp], points: NDArray[np.float64]) -> NDArray[np.float32]:
        return whiteness_of(light, sampled(photograph.image, stack[numbers], points), grounds[numbers][:, None])

    around = Around(
        patches=lambda numbers: np.stack([coarse_patch(light, photograph.image, stack[number], ground) for number in numbers]),
        flanks_mm=np.zeros((len(stack), 2)),
        may_lie_sideways=np.zeros(len(stack), np.bool_),
        owned=lambda _, middles: np.hypot(middles[:, 0], middles[:, 1]) < WIDTH_MM / 2,
        look=look,
    )
    return stack, np.array(truths), registrar.find(around)


def crop(photograph: Photograph, plane: NDArray[np.float64], x_mm: float, y_mm: float, angle_deg: float) -> NDArray[np.uint8]:
    """The tile at a pose of a plane, as the network takes it."""
    angle = np.deg2rad(angle_deg)
    across, down = WIDTH_MM / CROP_W, HEIGHT_MM / CROP_H
    to_tile = np.array([(across, 0, (across - WIDTH_MM) / 2), (0, down, (down - HEIGHT_MM) / 2), (0, 0, 1)])
    lying = np.array([(np.cos(angle), np.sin(angle), x_mm), (-np.sin(angle), np.cos(angle), y_mm), (0, 0, 1)])
    return warped(photograph.image, plane @ lying @ to_tile, (CROP_W, CROP_H))


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Registration on photographs, as JSON.")
    parser.add_argument("--photos", type=Path, required=True, metavar="FOLDER", help="labelled photographs: labels.json and the pictures")
    parser.add_argument("--json", action="store_true", help="as one JSON document (the default; for the sake of its fellows)")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    classifier, registrar, rng = Classifier(), Registrar(WIDTH_MM, HEIGHT_MM), np.random.default_rng(1)
    pictures = photographs(options.photos)
    errors, right = [], {"box": 0, "forgotten": 0, "found": 0, "found_of_found": 0}
    tiles = found = 0
    for picture in pictures:
        planes, truths, poses = found_again(picture, registrar, rng)
        for kind, plane, truth, pose in zip(picture.kinds, planes, truths, poses, strict=True):
            tiles += 1
            forgotten = (0.0, 0.0, 0.0)
            ways = {"box": tuple(truth), "forgotten": forgotten, "found": (pose.x_mm, pose.y_mm, pose.angle_deg) if pose else forgotten}
            views = classifier.look(np.stack([crop(picture, plane, *way) for way in ways.values()]))
            for name, view in zip(ways, views, strict=True):
                right[name] += view.best(1)[0].tile is kind
            if pose is not None:
                found += 1
                right["found_of_found"] += views[2].best(1)[0].tile is kind
                errors.append((abs(pose.x_mm - truth[0]) / WIDTH_MM, abs(pose.y_mm - truth[1]) / HEIGHT_MM, abs(pose.angle_deg - truth[2])))
    off = np.array(errors).reshape(-1, 3)
    figures = {
        "photographs": len(pictures),
        "tiles": tiles,
        "found": found,
        "within_5_percent": round(float((off[:, :2].max(axis=1) <= 0.05).mean()), 4),
        "error_of_width": {"p50": round(float(np.median(off[:, 0])), 4), "p95": round(float(np.percentile(off[:, 0], 95)), 4)},
        "error_of_height": {"p50": round(float(np.median(off[:, 1])), 4), "p95": round(float(np.percentile(off[:, 1], 95)), 4)},
        "error_deg": {"p50": round(float(np.median(off[:, 2])), 2), "p95": round(float(np.percentile(off[:, 2], 95)), 2)},
        "top1": {name: round(count / (found if name == "found_of_found" else tiles), 4) for name, count in right.items()},
    }
    print(json.dumps(figures, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
