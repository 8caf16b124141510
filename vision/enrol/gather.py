"""Pictures of a set for its enrolment: from folders by kind, or without labels and named by the model.

A picture that cannot be used (unreadable, no tile on it, no kind on which the model, likeness and the count of four
agree) is left out with its name and the reason. No kind is guessed.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from twinwall.game.tiles import Tile
from vision.cameras.file_camera import picture_files, picture_in
from vision.enrol.crop_folders import NO_PICTURE, CropsError, LabelledCrop, kind_named, read_folders, remarks
from vision.enrol.examples import Doubt
from vision.enrol.propose import Proposal, propose
from vision.gate.gate_reader import GateReader
from vision.model.classifier import Classifier
from vision.model.crop import fit_crop
from vision.reading import ReadRefusal

Gathered = tuple[tuple[LabelledCrop, ...], tuple[Doubt, ...]]
"""Samples to enrol, and what was left out already."""


def gather(folder: Path, kinds: Iterable[Tile], classifier: Classifier) -> Gathered:
    """The pictures under ``folder/<kind>/``, or, where there is no such folder, those in ``folder`` itself; raises CropsError."""
    return _labelled(folder) if has_kinds(folder) else _unlabelled(folder, kinds, classifier)


def has_kinds(folder: Path) -> bool:
    """Whether a folder holds folders named as kinds, so that nothing else in it is looked at."""
    return folder.is_dir() and any(path.is_dir() and kind_named(path.name) is not None for path in folder.iterdir())


def name_them(pictures: Sequence[LabelledCrop], kinds: Iterable[Tile], classifier: Classifier) -> list[Proposal]:
    """A proposal for each picture; raises CropsError for more pictures than such a set has tiles."""
    crops = [fit_crop(picture.image) for picture in pictures]
    try:
        return propose(classifier.look(np.stack(crops)) if crops else [], kinds)
    except ValueError as error:
        raise CropsError(str(error)) from None


def _labelled(folder: Path) -> Gathered:
    unreadable: list[str] = []
    samples = tuple(read_folders(folder, unreadable))
    return samples, tuple(Doubt(name, kind_named(name.partition("/")[0]), None, _NO_PICTURE) for name in unreadable)


def _unlabelled(folder: Path, kinds: Iterable[Tile], classifier: Classifier) -> Gathered:
    if not folder.is_dir():
        raise CropsError(f"{folder} is not a folder: give one that holds <kind>/*.jpg, or the set's pictures themselves")
    pictures, left_out = [], []
    for path in picture_files(folder):
        found = _tile_on(path, GateReader(classifier))
        if isinstance(found, str):
            left_out.append(Doubt(path.name, None, None, found))
        else:
            pictures.append(LabelledCrop(path.name, None, found))
    if not pictures and not left_out:
        lacking = f"{folder} holds no pictures: expected <kind>/*.jpg, for example 5p/one.jpg, or the pictures of a whole set"
        raise CropsError("; ".join((lacking, *remarks(folder))))
    samples = []
    for picture, proposal in zip(pictures, name_them(pictures, kinds, classifier), strict=True):
        if proposal.sure:
            samples.append(LabelledCrop(picture.name, proposal.tile, picture.image))
        else:
            left_out.append(Doubt(picture.name, None, proposal.candidates[0].tile, "its kind is not certain"))
    return tuple(samples), tuple(left_out)


def _tile_on(path: Path, reader: GateReader) -> NDArray[np.uint8] | str:
    """The tile on a picture: a crop as it is, from a gate's frame its cut-out; or why there is none."""
    picture = picture_in(path)
    if picture is None:
        return _NO_PICTURE
    found = picture if picture.shape[0] >= picture.shape[1] else reader.locate(picture)
    return f"no tile is found on it: {found.detail}" if isinstance(found, ReadRefusal) else found


_NO_PICTURE = f"it is {NO_PICTURE}"
