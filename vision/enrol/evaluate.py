"""Evaluation: measures the reader on folders of labelled crops, each upright and upside down.

Things that are no tile must be refused. The result's form is fixed: ``top1`` is the share of right best kinds before acceptance,
``coverage`` the accepted share, over tiles and both turns.

It reads the folders by kind, and names files that do not count. A folder named as a kind holds crops of it; any other one (``flower``,
``back``, ``empty``…) holds things that are no tile. Files that only look labelled (a folder ``e`` for East, pictures one folder too deep)
are named, because a figure depends on what was measured.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from twinwall.game.documents import DocumentError
from twinwall.game.tiles import ALL_TILES, NotationError, Tile, parse_tile
from twinwall.values import frozen, frozen_identity
from vision.cameras.file_camera import picture_files, picture_in
from vision.cameras.port import MOST_PX
from vision.model.bare_crop import misshapen, unless_blank
from vision.model.classifier import Classifier
from vision.model.crop_view import fit_crop
from vision.model.judge import GeneralJudge, Judge
from vision.reading import Read

_EXPECTED = "expected <kind>/*.jpg, for example 5p/one.jpg"
_MOST_NAMED = 8
"""More files than this are only counted in a message."""
_NEARLY = {word.lower(): tile for tile in ALL_TILES for word in (tile.text, tile.name)}
"""Other spellings of kinds: small letters, words, and numbers that stand last."""


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


@frozen
class EvaluatedView:
    """One crop at one turn: its kind, the likeliest kind before acceptance, and the accepted one."""

    tile: Tile | None
    turned: bool
    first: Tile
    accepted: Tile | None


def look_both_ways(classifier: Classifier, crops: Iterable[LabelledCrop], judge: Judge | None = None) -> list[EvaluatedView]:
    """Read every crop as it is and turned by 180°, each as one frame, by the model alone or by a profile's judge."""
    looks = []
    by = judge or GeneralJudge(classifier.limits)
    for crop in crops:
        for turned in (False, True):
            image = np.ascontiguousarray(crop.image[::-1, ::-1]) if turned else crop.image
            fitted = fit_crop(image)
            view = classifier.look(fitted[None])[0]
            answer = misshapen(image) or by.decide(view)
            if not by.knows_the_set:
                answer = unless_blank(fitted, answer)
            accepted = answer.tile if isinstance(answer, Read) else None
            looks.append(EvaluatedView(crop.tile, turned, by.rank(view)[0].tile, accepted))
    return looks


@frozen
class Evaluation:
    """The figures of an evaluation; shares 0 to 1, None for a share of nothing."""

    n: int
    top1: float | None
    upright_top1: float | None
    turned_top1: float | None
    coverage: float | None
    misread_of_accepted: float | None
    false_accepts: int
    false_accepts_of: int
    confusions: tuple[tuple[Tile, Tile, int], ...]

    def to_json(self) -> dict[str, object]:
        return {
            "n": self.n,
            "top1": self.top1,
            "upright": {"top1": self.upright_top1},
            "turned": {"top1": self.turned_top1},
            "coverage": self.coverage,
            "misread_of_accepted": self.misread_of_accepted,
            "false_accepts": {"n": self.false_accepts, "of": self.false_accepts_of},
            "confusions": [[true.text, read.text, count] for true, read, count in self.confusions],
        }


def summarise(looks: Iterable[EvaluatedView]) -> Evaluation:
    """Sum up all looks; ``n`` counts crops of tiles, and confusions are those before acceptance."""
    all_looks = list(looks)
    tiles = [look for look in all_looks if look.tile is not None]
    foreign = [look for look in all_looks if look.tile is None]
    accepted = [look for look in tiles if look.accepted is not None]
    confusions = Counter((look.tile, look.first) for look in tiles if look.tile is not None and look.first is not look.tile)
    return Evaluation(
        n=sum(not look.turned for look in tiles),
        top1=_share(look.first is look.tile for look in tiles),
        upright_top1=_share(look.first is look.tile for look in tiles if not look.turned),
        turned_top1=_share(look.first is look.tile for look in tiles if look.turned),
        coverage=_share(look.accepted is not None for look in tiles),
        misread_of_accepted=_share(look.accepted is not look.tile for look in accepted),
        false_accepts=sum(look.accepted is not None for look in foreign),
        false_accepts_of=len(foreign),
        confusions=tuple((true, read, count) for (true, read), count in sorted(confusions.items(), key=lambda item: (-item[1], item[0]))),
    )


def _share(cases: Iterable[bool]) -> float | None:
    counted = list(cases)
    return sum(counted) / len(counted) if counted else None
