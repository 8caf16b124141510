"""Single pictures: tables in perspective with sets that no finder was trained on, and photographs that were held back.

Every tile of a drawn table is known. Photographs have upright boxes of faces, and some tiles have none, so phantoms are not counted there.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from benchmarks.anytable.matching import TrueTile, matched
from benchmarks.anytable.surfaces import SURFACES, lay_surface, unseen_banks, unseen_set
from tools.train.crops import read_labels
from tools.train.finder.frames import footprint
from tools.train.finder.layouts import random_layout
from tools.train.finder.surroundings import hands, seen, shadows
from tools.train.finder.tabletop import Eye, draw
from tools.train.photographs import corrected, read_notes
from vision.cameras.file_camera import picture_in
from vision.finder.found import LOOKS_IN_TURN, Finder, FoundTile, TileForm
from vision.model.classifier import Classifier
from vision.model.crop_view import CROP_H, CROP_W
from vision.model.judge import GeneralJudge
from vision.reading import Read

FIRST_SEED = 10_000_000
"""Training draws with smaller ones."""
_SIZE_PX = 1280, 720
_FORMS = tuple(TileForm)
_WHOLE, _IN_SIGHT = 0.96, 0.6
"""Share of a face that must be seen to read it, and to find it."""


@dataclass(slots=True)
class StillTally:
    """Counts of tiles found and read in some pictures."""

    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    look_ms: list[float] = field(default_factory=list)

    def to_json(self) -> dict[str, object]:
        """Return counts and shares."""
        counts = self.counts
        return {
            "found_share": round(counts["found"] / max(counts["faces"], 1), 4),
            "accepted_share_of_found": round(counts["accepted"] / max(counts["to_read"], 1), 4),
            **dict(sorted(counts.items())),
            "wrong": self.wrong,
            "look_ms_median": round(float(np.median(self.look_ms)), 1) if self.look_ms else None,
        }


class StillReader:
    """A finder, and the model that reads its tiles."""

    def __init__(self, finder: Callable[[], Finder], classifier: Classifier) -> None:
        """``finder`` makes a new one for each picture, since each is another camera's."""
        self._finder, self._classifier, self._judge = finder, classifier, GeneralJudge(classifier.limits)

    def read(self, image: NDArray[np.uint8], truth: Sequence[TrueTile], tally: StillTally, name: str, *, whole: bool) -> None:
        """Look at one picture; ``whole``: all its tiles are known."""
        finder = self._finder()
        tiles = finder.look(image).tiles
        begun = time.thread_time()
        for _ in range(LOOKS_IN_TURN):  # by now it knows how large tiles are, and looks at them in each of its sizes
            finder.look(image)
        tally.look_ms.append(1000 * (time.thread_time() - begun) / LOOKS_IN_TURN)
        found = matched(tiles, truth)
        faces = len(found.found) + len(found.missed)
        tally.counts.update(pictures=1, faces=faces, found=len(found.found), faces_of_others=found.faces_of_others)
        read = [pair for pair in found.found if pair[0].face is not None]
        tally.counts["to_read"] += len(read)
        extra = [tile for tile in found.phantoms if tile.form is TileForm.FACE or not any(one.boxed for one in truth)] if whole else []
        tally.counts["phantoms"] += len(extra)
        views = self._classifier.look(crops(image, [tile for _, tile in read] + extra))
        for view, true in zip(views, [true for true, _ in read] + [None] * len(extra), strict=True):
            answer = self._judge.decide(view)
            if isinstance(answer, Read):
                right = true is not None and answer.tile.text == true.face
                tally.counts["accepted" if true is not None else "phantoms_accepted"] += 1
                tally.counts["misread"] += true is not None and not right
                tally.wrong += [] if right else [f"{name}: {true.face if true else 'nothing'} read as {answer.tile.text}"]


def crops(image: NDArray[np.uint8], tiles: Sequence[FoundTile]) -> NDArray[np.uint8]:
    """Cut the tiles out for the model (n × CROP_H × CROP_W × 3)."""
    corners = np.array([(0, 0), (CROP_W, 0), (CROP_W, CROP_H), (0, CROP_H)], np.float32) - 0.5
    cut = np.zeros((len(tiles), CROP_H, CROP_W, 3), np.uint8)
    for number, tile in enumerate(tiles):
        matrix = cv2.getPerspectiveTransform(tile.outline_px().astype(np.float32) - 0.5, corners)
        shrinks = tile.width_px > 1.4 * CROP_W
        source = cv2.GaussianBlur(image, (0, 0), 0.4 * tile.width_px / CROP_W) if shrinks else image
        cut[number] = cv2.warpPerspective(source, matrix, (CROP_W, CROP_H), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return cut


def drawn_stills(count: int, first: int = FIRST_SEED) -> Iterator[tuple[str, str, NDArray[np.uint8], list[TrueTile]]]:
    """Yield ``count`` tables: the set, a name, the picture, and its tiles."""
    for seed in range(first, first + count):
        rng = np.random.default_rng([seed, 1])
        sets = sorted(unseen_banks())
        name, surface = sets[seed % len(sets)], list(SURFACES)[seed // len(sets) % len(SURFACES)]
        image, truth = _drawn(name, surface, rng)
        yield name, f"{surface} {seed}", image, truth


def _drawn(set_name: str, surface: str, rng: Generator) -> tuple[NDArray[np.uint8], list[TrueTile]]:
    tile_set, faces = unseen_set(set_name, rng)
    tiles = [tile for tile in random_layout(tile_set, list(faces.values()), rng) if max(abs(tile.x_mm), abs(tile.y_mm)) < 420]
    notation = {id(picture): text for text, picture in faces.items()}
    width_px, focal = float(np.exp(rng.uniform(np.log(18), np.log(48)))), float(rng.uniform(700, 1500))
    aim = (float(np.median([tile.x_mm for tile in tiles])), float(np.median([tile.y_mm for tile in tiles]))) if tiles else (0.0, 0.0)
    middle = _SIZE_PX[0] / 2, _SIZE_PX[1] / 2
    eye = Eye.looking_at(aim, (rng.uniform(0, 38), rng.uniform(0, 360), rng.normal(0, 3)), focal, focal * 26 / width_px, middle)
    image = lay_surface(surface, rng, eye, _SIZE_PX)
    shadows(image, [footprint(tile, tile_set.height_mm, eye) for tile in tiles if tile.z_mm == 0], rng, width_px)
    light = np.array((*rng.normal(0, 0.5, 2), 1.0))
    labels, numbers = draw(image, tiles, tile_set, eye, light / np.linalg.norm(light))
    covering = np.zeros(image.shape[:2], np.uint8)
    if rng.random() < 0.3:
        hands(image, rng, covering, width_px)
    truth = []
    numbers[covering > 0] = 0
    for one in labels:
        inside = np.zeros(image.shape[:2], np.uint8)
        cv2.fillConvexPoly(inside, np.rint(one.quad).astype(np.int32), 1)
        shown = numbers[inside > 0]
        number = int(np.bincount(shown).argmax()) if len(shown) else 0
        if number:
            share = float((shown == number).mean())
            face = notation.get(id(tiles[number - 1].picture)) if share > _WHOLE else None
            truth.append(TrueTile(one.quad, _FORMS[one.form], face, one.doubtful or share < _IN_SIGHT))
        elif len(shown):
            truth.append(TrueTile(one.quad, _FORMS[one.form], None, True))
    return seen(image, rng), truth


def held_photographs(folder: Path) -> Iterator[tuple[str, str, NDArray[np.uint8], list[TrueTile]]]:
    """Yield the photographs of a folder that were never trained on; tiles cut off are doubtful, and those askew are not read."""
    notes, boxes = read_notes(), read_labels(folder)
    kinds = {(box.photo, box.number): kind for box, kind in corrected(boxes, notes)}
    away = {photo for name in notes.never_trained for photo in notes.sets[name]} | notes.held
    for photo in sorted(away):
        image, shown = picture_in(folder / photo), notes.set_of(photo)
        if image is not None and shown is not None:
            truth = []
            for box in (box for box in boxes if box.photo == photo):
                x, y, width, height = box.box
                outline = np.array([(x, y), (x + width, y), (x + width, y + height), (x, y + height)], np.float64)
                kind = kinds.get((photo, box.number))
                doubtful = kind is None and photo not in notes.askew
                truth.append(TrueTile(outline, TileForm.FACE, None if kind == "flower" else kind, doubtful, boxed=True))
            yield shown, photo, np.asarray(image, np.uint8), truth
