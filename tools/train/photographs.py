"""Photographed tiles for training: the pictures, corrections of their labels, and what is held back.

``photographs.json`` beside this file is the project's work on others' labels: the design that each picture shows,
pictures and sets held back, corrected labels (or tiles left out that lie askew or are cut off), and tiles that stand
upside down. The pictures are not part of the project; they come from a folder (``--photos``).
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from tools.train.crops import LabelledBox, LabelsError, read_labels
from tools.train.faces.sheets import SHEET_H, SHEET_W
from tools.train.scenes import MARGIN, SCENE_H, SCENE_W, Picture, recoloured
from twinwall.game.tiles import Tile, parse_tile
from twinwall.values import frozen, frozen_identity
from vision.cameras.file_camera import picture_in

NOTES_PATH = Path(__file__).parent / "photographs.json"
_FLOWER = "flower"
_CONTEXT_X, _CONTEXT_Y = MARGIN / SHEET_W, MARGIN / SHEET_H
"""How much around a box is kept, as shares of its width and height."""
_FLAT, _LIGHT = 18.0, 110.0
"""Grey levels: a patch that varies less and is lighter could be a blank tile."""
_STRAYS_EVERY, _STRAYS_SEED = 3, 7
"""Beside every n-th tile a half tile is cut, and elsewhere a ground; the places come from a seed of their own."""


@frozen
class Notes:
    """What is known of the photographs; pictures go by their file names, tiles by their number in a picture's labels."""

    sets: Mapping[str, frozenset[str]]
    never_trained: frozenset[str]
    held: frozenset[str]
    askew: frozenset[str]
    corrections: Mapping[tuple[str, tuple[int, int, int, int]], str | None]
    turned: Mapping[str, frozenset[int]]

    def set_of(self, photo: str) -> str | None:
        """The set that a picture shows; None for a picture that nobody has sorted."""
        return next((name for name, photos in self.sets.items() if photo in photos), None)


@frozen_identity
class Patch:
    """One photographed tile, upright, with what lies around it: h × w × 3 uint8 BGR, larger than the tile as a scene is.

    ``photo`` and ``number`` say where from, ``box`` is the tile as it was labelled (h × w × 3, as it lies).
    """

    photo: str
    number: int
    tile: Tile | None
    turned: bool
    pixels: NDArray[np.uint8]
    box: NDArray[np.uint8]

    def scene(self, rng: Generator) -> Picture:
        """As a scene to cut from: SCENE_H × SCENE_W × 3, sometimes in other colours."""
        shrinks = self.pixels.shape[1] > SCENE_W
        scene = cv2.resize(self.pixels, (SCENE_W, SCENE_H), interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_CUBIC)
        picture = np.asarray(scene, np.uint8)
        return recoloured(picture, rng) if rng.random() < 0.12 else picture


@frozen
class Photographs:
    """The patches of each set, by what they show (None: a flower): those to train on, and those of pictures held back."""

    trained: Mapping[str, dict[Tile | None, list[Patch]]]
    held: Mapping[str, dict[Tile | None, list[Patch]]]
    halves: Sequence[Picture] = ()
    """Scenes cut half a tile beside a tile, from pictures to train on."""
    grounds: Sequence[Picture] = ()
    """Scenes from where no tile is labelled: felt, wood, hands, backs, tiles lying about. None is flat and light."""


def read_notes(path: Path = NOTES_PATH) -> Notes:
    """The notes on the photographs; raises LabelsError."""
    try:
        fields = json.loads(path.read_text(encoding="utf-8"))
        return Notes(
            sets={name: frozenset(photos) for name, photos in fields["sets"].items()},
            never_trained=frozenset(fields["never_trained"]),
            held=frozenset(fields["held"]),
            askew=frozenset(fields["askew"]),
            corrections={(one["file"], _four(one["box"])): one["kind"] for one in fields["corrections"]},
            turned={photo: frozenset(numbers) for photo, numbers in fields["turned"].items()},
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise LabelsError(f"{path} cannot be used: {error!r}") from None


def corrected(boxes: Sequence[LabelledBox], notes: Notes) -> Iterator[tuple[LabelledBox, str]]:
    """The boxes that show a whole tile straight, each with its true kind's name."""
    for box in boxes:
        kind = notes.corrections.get((box.photo, box.box), box.kind)
        if kind is not None and box.photo not in notes.askew:
            yield box, kind


def read_photographs(folder: Path, notes: Notes) -> Photographs:
    """All patches of a folder with labels.json; raises LabelsError for one that cannot be used."""
    trained: dict[str, dict[Tile | None, list[Patch]]] = {}
    held: dict[str, dict[Tile | None, list[Patch]]] = {}
    rng = np.random.default_rng(_STRAYS_SEED)
    halves: list[Picture] = []
    grounds: list[Picture] = []
    boxes = read_labels(folder)
    name, picture = "", None
    for box, kind in corrected(boxes, notes):
        shown = notes.set_of(box.photo)
        if shown is None:
            continue
        if box.photo != name:
            name, picture = box.photo, picture_in(folder / box.photo)
        if picture is None:
            raise LabelsError(f"{folder / box.photo} cannot be read as a picture")
        part = held if box.photo in notes.held or shown in notes.never_trained else trained
        if part is trained and box.number % _STRAYS_EVERY == 0:
            there = np.array([other.box for other in boxes if other.photo == box.photo])
            halves.append(_beside(np.asarray(picture, np.uint8), box, rng))
            grounds += _elsewhere(np.asarray(picture, np.uint8), box, there, rng)
        tile = None if kind == _FLOWER else parse_tile(kind)
        patch = _patch(np.asarray(picture, np.uint8), box, tile, turned=box.number in notes.turned.get(box.photo, ()))
        part.setdefault(shown, {}).setdefault(tile, []).append(patch)
    return Photographs(trained, held, halves, grounds)


def photographs_of(folder: Path | None) -> Photographs:
    """The photographs of a folder by the committed notes; none without a folder. Raises LabelsError."""
    return read_photographs(folder, read_notes()) if folder else Photographs({}, {})


def known_sets(photographs: Photographs, left_out: int | None) -> list[dict[Tile | None, list[Patch]]]:
    """The sets to train a network on: all but the one of that number in the order of their names, or all."""
    return [photographs.trained[name] for number, name in enumerate(sorted(photographs.trained)) if number != left_out]


def _patch(picture: NDArray[np.uint8], box: LabelledBox, tile: Tile | None, *, turned: bool) -> Patch:
    x, y, width, height = box.box
    region = _with_context(picture, box.box)
    upright = region[::-1, ::-1] if turned else region
    tight = picture[max(y, 0) : y + height, max(x, 0) : x + width]
    return Patch(box.photo, box.number, tile, turned, np.ascontiguousarray(upright), np.ascontiguousarray(tight))


def _with_context(picture: NDArray[np.uint8], box: tuple[int, int, int, int]) -> NDArray[np.uint8]:
    """A box with as much around it as a scene has around its tile; beyond the picture its rim goes on."""
    x, y, width, height = box
    wide, high = round(width * _CONTEXT_X), round(height * _CONTEXT_Y)
    reach = max(wide, high)
    framed = cv2.copyMakeBorder(picture, reach, reach, reach, reach, cv2.BORDER_REPLICATE)
    region = framed[max(y - high + reach, 0) : y + height + high + reach, max(x - wide + reach, 0) : x + width + wide + reach]
    return np.asarray(region, np.uint8)


def _scene_of(picture: NDArray[np.uint8], box: tuple[int, int, int, int]) -> Picture:
    return np.asarray(cv2.resize(_with_context(picture, box), (SCENE_W, SCENE_H), interpolation=cv2.INTER_LINEAR), np.uint8)


def _beside(picture: NDArray[np.uint8], box: LabelledBox, rng: Generator) -> Picture:
    """The scene half a tile, more or less, to one side of a tile."""
    x, y, width, height = box.box
    along = float(rng.choice((-1.0, 1.0)) * rng.uniform(0.35, 0.6))
    if rng.random() < 0.5:
        x = int(np.clip(x + along * width, 0, picture.shape[1] - width))
    else:
        y = int(np.clip(y + along * height, 0, picture.shape[0] - height))
    return _scene_of(picture, (x, y, width, height))


def _elsewhere(picture: NDArray[np.uint8], box: LabelledBox, there: NDArray[np.int_], rng: Generator) -> list[Picture]:
    """A scene of a tile's size that touches none of the labelled boxes (n × 4), where a few tries find one with anything to see."""
    width, height = (int(side * rng.uniform(0.7, 1.6)) for side in box.box[2:])
    for _ in range(8):
        x = int(rng.integers(0, max(picture.shape[1] - width, 1)))
        y = int(rng.integers(0, max(picture.shape[0] - height, 1)))
        apart = (there[:, 0] > x + width) | (there[:, 0] + there[:, 2] < x) | (there[:, 1] > y + height) | (there[:, 1] + there[:, 3] < y)
        inner = picture[y : y + height, x : x + width]
        if apart.all() and (inner.std() > _FLAT or inner.mean() < _LIGHT):
            return [_scene_of(picture, (x, y, width, height))]
    return []


def _four(values: Sequence[int]) -> tuple[int, int, int, int]:
    x, y, width, height = (int(value) for value in values)
    return x, y, width, height
