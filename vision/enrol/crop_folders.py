"""Folders of labelled crops: reads them by kind, and names files that do not count.

A folder named as a kind holds crops of it; any other one (``flower``, ``back``, ``empty``…) holds things that are no tile. Files that only
look labelled (a folder ``e`` for East, pictures one folder too deep) are named, because a figure depends on what was measured.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from twinwall.game.documents import DocumentError
from twinwall.game.tiles import ALL_TILES, NotationError, Tile, parse_tile
from twinwall.values import frozen_identity
from vision.cameras.file_camera import picture_files, picture_in
from vision.cameras.pictures import MOST_PX

_EXPECTED = "expected <kind>/*.jpg, for example 5p/one.jpg"
_MOST_NAMED = 8
"""More files than this are only counted in a message."""
_NEARLY = {tile.text.lower(): tile for tile in ALL_TILES} | {
    "east": Tile.EAST,
    "south": Tile.SOUTH,
    "west": Tile.WEST,
    "north": Tile.NORTH,
    "red": Tile.RED,
    "green": Tile.GREEN,
    "white": Tile.WHITE,
}
"""Other spellings of kinds: small letters and words."""


@frozen_identity
class LabelledCrop:
    """A picture tight to one tile (h × w × 3 uint8 BGR, upright or upside down), its kind (None: no tile), and its file."""

    name: str
    tile: Tile | None
    image: NDArray[np.uint8]


def kind_named(name: str) -> Tile | None:
    """Return the kind in a folder of this name; None for things that are no tile."""
    try:
        return parse_tile(name)
    except NotationError:
        return None


def read_folders(folder: Path, unreadable: list[str] | None = None) -> Iterator[LabelledCrop]:
    """Yield the crops under ``folder/<kind>/``; raises DocumentError if there are none. Unreadable files are added to ``unreadable`` by
    name; without that list, a DocumentError at the end names them."""
    if not folder.is_dir():
        raise DocumentError(f"{folder} is not a folder: give one that holds <kind>/*.jpg")
    found, broken = False, [] if unreadable is None else unreadable
    for sub in _subfolders(folder):
        for path in picture_files(sub):
            found = True
            image = picture_in(path)
            if image is None:
                broken.append(f"{sub.name}/{path.name}")
            else:
                yield LabelledCrop(f"{sub.name}/{path.name}", kind_named(sub.name), image)
    if not found:
        raise DocumentError("; ".join((f"{folder} holds no crops: {_EXPECTED}", *remarks(folder))))
    if broken and unreadable is None:
        raise DocumentError(f"{folder} holds {_named(broken)}: {NO_PICTURE}; take out or replace these files")


NO_PICTURE = f"no whole picture in JPEG, PNG, WebP or BMP form, or one of more than {MOST_PX // 1_000_000} million pixels"
"""Why a file is left out."""


def remarks(folder: Path) -> list[str]:
    """Return a sentence for each thing in a folder of crops that seems to count and does not."""
    if not folder.is_dir():
        return []
    said = []
    subfolders = _subfolders(folder)
    for sub in subfolders:
        meant = _NEARLY.get(sub.name.lower())
        if kind_named(sub.name) is None and meant is not None:
            said.append(f"the folder {sub.name} counts as no tile: rename it to {meant.text} if its pictures show that kind")
    if loose := len(picture_files(folder)):
        said.append(f"what lies in {folder} itself ({loose} of pictures) is not looked at: put it into folders of kinds")
    deeper = [inner for sub in subfolders for inner in _subfolders(sub) if picture_files(inner)]
    said += [
        f"the pictures in {inner.relative_to(folder)} are not looked at: folders of kinds hold pictures, no folders" for inner in deeper
    ]
    return said if len(said) <= _MOST_NAMED else [*said[:_MOST_NAMED], f"and {len(said) - _MOST_NAMED} more such remarks"]


def _subfolders(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith("."))


def _named(names: list[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more
