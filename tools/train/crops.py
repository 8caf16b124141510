"""Cuts labelled photographs into the folders that ``twinwall tiles evaluate`` reads: ``python -m tools.train.crops PHOTOS OUT``.

``PHOTOS`` holds ``labels.json`` (a list of {file, size, tiles: [{kind, box: [x, y, w, h]}]}, px) beside
the pictures; ``OUT`` receives ``<kind>/<photo>-<number>.jpg``. Boxes are cut as they are, so a tile that
lies askew or on its side stays so; ``--standing`` leaves out boxes that are wider than high.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import cv2
import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from twinwall.game import typed_json
from twinwall.given_files import limited_bytes
from twinwall.values import frozen
from vision.cameras.file_camera import picture_in


class LabelsError(Exception):
    """The photographs or their labels are not what they must be; the message names the file."""


@frozen
class LabelledBox:
    """One tile of a photograph: its kind's name and its box, x, y, width and height in px."""

    photo: str
    number: int
    kind: str
    box: tuple[int, int, int, int]


class _Tile(Struct):
    kind: str
    box: tuple[float, float, float, float]


class _Photo(Struct):
    file: str
    tiles: list[_Tile]


def read_labels(folder: Path, only: str = "") -> list[LabelledBox]:
    """The labelled tiles of a folder, of photographs whose names begin with ``only``; raises LabelsError."""
    path = folder / "labels.json"
    try:
        photos = typed_json.decode(limited_bytes(path), list[_Photo])
        return [
            LabelledBox(photo.file, number, tile.kind, _box(tile.box))
            for photo in photos
            if photo.file.startswith(only)
            for number, tile in enumerate(photo.tiles)
        ]
    except OSError as error:
        raise LabelsError(f"{path} cannot be read: {error.strerror}; give the folder that holds labels.json and the photographs") from None
    except msgspec.MsgspecError as error:
        raise LabelsError(f"{path} does not have the form [{{file, tiles: [{{kind, box: [x, y, w, h]}}]}}]: {error}") from None


def cut_boxes(folder: Path, boxes: Sequence[LabelledBox]) -> Iterator[tuple[LabelledBox, NDArray[np.uint8]]]:
    """Each box with its picture (h × w × 3 BGR), cut at the photograph's edge; raises LabelsError for a photograph that cannot be read."""
    name, image = "", None
    for box in boxes:
        if box.photo != name:
            name, image = box.photo, picture_in(folder / box.photo)
        if image is None:
            raise LabelsError(f"{folder / box.photo} cannot be read as a picture")
        x, y, width, height = box.box
        crop = image[max(y, 0) : y + height, max(x, 0) : x + width]
        if min(crop.shape[:2]) >= 4:
            yield box, np.asarray(crop, dtype=np.uint8)


def write_folders(folder: Path, out: Path, boxes: Sequence[LabelledBox]) -> int:
    """Write the crops to ``out/<kind>/``; answers how many."""
    count = 0
    for box, crop in cut_boxes(folder, boxes):
        target = out / box.kind
        target.mkdir(parents=True, exist_ok=True)
        cv2.imwrite(str(target / f"{Path(box.photo).stem}-{box.number:02d}.jpg"), crop, (cv2.IMWRITE_JPEG_QUALITY, 95))
        count += 1
    return count


def _box(values: Sequence[float]) -> tuple[int, int, int, int]:
    x, y, width, height = map(round, values)
    return x, y, width, height


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; 0 when crops were written, 1 when there were none, 2 when the labels cannot be used."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.train.crops", description="Cut labelled photographs into folders for twinwall tiles evaluate."
    )
    parser.add_argument("photos", type=Path, help="folder with labels.json and the photographs")
    parser.add_argument("out", type=Path, help="folder to write <kind>/*.jpg into")
    parser.add_argument("--only", default="", metavar="PREFIX", help="only photographs whose file names begin so, for example tray-")
    parser.add_argument("--standing", action="store_true", help="leave out boxes wider than high")
    options = parser.parse_args(arguments)
    try:
        boxes = read_labels(options.photos, options.only)
        if options.standing:
            boxes = [box for box in boxes if box.box[2] <= box.box[3]]
        count = write_folders(options.photos, options.out, boxes)
    except LabelsError as error:
        print(error, file=sys.stderr)  # a command's message
        return 2
    print(f"{count} crops in {options.out}")  # a command's answer
    return 0 if count else 1


if __name__ == "__main__":
    sys.exit(main())
