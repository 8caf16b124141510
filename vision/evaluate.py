"""Measures the reader on folders of labelled crops, each tried upright and upside down.

A folder named as a kind holds crops of it; any other folder (``flower``, ``back``, ``empty``…) holds
what is not a tile and must be refused. The form of the outcome is fixed by the project's contracts:
``top1`` is the best kind before acceptance, ``coverage`` the accepted share, over tiles and both turns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from twinwall.game.tiles import NotationError, Tile, parse_tile
from vision.alone import misshapen, unless_blank
from vision.classify import Classifier
from vision.crop import fit_crop
from vision.file_camera import PICTURES, picture_in
from vision.judge import GeneralJudge, Judge
from vision.reading import Read


class CropsError(Exception):
    """A folder of crops that cannot be evaluated; the message names it and says why."""


@dataclass(frozen=True, slots=True, eq=False)
class LabelledCrop:
    """One crop (h × w × 3 uint8 BGR, tight to the tile, upright) and its kind, None for what is not a tile; ``name`` says where from."""

    image: NDArray[np.uint8]
    tile: Tile | None
    name: str


@dataclass(frozen=True, slots=True)
class Look:
    """One crop at one turn: what it is, what came first before acceptance, and what was accepted."""

    name: str
    tile: Tile | None
    turned: bool
    first: Tile
    accepted: Tile | None
    probability: float


def read_folders(folder: Path, unreadable: list[str] | None = None) -> Iterator[LabelledCrop]:
    """The crops under ``folder/<kind>/``; raises CropsError when there is none.

    One that cannot be read is put down in ``unreadable`` by its name where that is given, and else raises too.
    """
    if not folder.is_dir():
        raise CropsError(f"{folder} is not a folder: give one that holds <kind>/*.jpg")
    found = False
    for sub in sorted(path for path in folder.iterdir() if path.is_dir()):
        tile = _kind_of(sub.name)
        for path in sorted(sub.iterdir()):
            if path.suffix.lower() not in PICTURES:
                continue
            found = True
            image = picture_in(path)
            if image is not None:
                yield LabelledCrop(image, tile, f"{sub.name}/{path.name}")
            elif unreadable is None:
                raise CropsError(f"{path} cannot be read as a picture, or is cut short")
            else:
                unreadable.append(f"{sub.name}/{path.name}")
    if not found:
        raise CropsError(f"{folder} holds no crops: expected <kind>/*.jpg, for example 5p/one.jpg")


def look_both_ways(classifier: Classifier, crops: Iterable[LabelledCrop], judge: Judge | None = None) -> list[Look]:
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
            best = by.rank(view)[0]
            looks.append(Look(crop.name, crop.tile, turned, best.tile, answer.tile if isinstance(answer, Read) else None, best.probability))
    return looks


@dataclass(frozen=True, slots=True)
class Outcome:
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
        """The contract's JSON object."""
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


def summarise(looks: Iterable[Look]) -> Outcome:
    """The outcome of all looks; ``n`` counts crops of tiles, and confusions are those before acceptance."""
    all_looks = list(looks)
    tiles = [look for look in all_looks if look.tile is not None]
    foreign = [look for look in all_looks if look.tile is None]
    accepted = [look for look in tiles if look.accepted is not None]
    confusions = Counter((look.tile, look.first) for look in tiles if look.tile is not None and look.first is not look.tile)
    return Outcome(
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


def _kind_of(name: str) -> Tile | None:
    try:
        return parse_tile(name)
    except NotationError:
        return None
