"""Enrolment: makes a tile set's profile from pictures. Doubtful pictures are left out and named; limits are fitted on the others.

``examples`` says which pictures are doubtful, ``fit`` fits the limits, ``propose`` names the tiles of a set without labels. Pictures come
from folders by kind, or without labels and are named by the model.

A picture that cannot be used (unreadable, no tile on it, no kind on which the model, likeness and the count of four agree) is left out with
its name and the reason. No kind is guessed.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from twinwall.game.tiles import ALL_TILES, Tile
from twinwall.values import frozen
from vision.cameras.file_camera import picture_files, picture_in
from vision.enrol.crop_folders import NO_PICTURE, CropsError, LabelledCrop, kind_named, read_folders, remarks
from vision.enrol.examples import Doubt, TileExample, sort_out
from vision.enrol.fit import Views, fit, kinds_of
from vision.enrol.propose import Proposal, propose
from vision.gate.gate_reader import GateReader
from vision.model.classifier import Classifier
from vision.model.crop import CROP_H, CROP_W, fit_crop
from vision.model.profile import EnrolledKind, Profile
from vision.model.variants import variants
from vision.reading import ReadRefusal

VARIANTS = 8
"""Varied views of each example."""


@frozen
class SetName:
    """What a profile says of its set: what people call it, its backs' number or None, and the day of the enrolment."""

    name: str
    back: int | None
    made: date


@dataclass(frozen=True, slots=True, eq=False)
class Enrolment:
    """What came of it: the profile (None where a kind has no example left), what was left out, and the kinds without an example."""

    profile: Profile | None
    left_out: tuple[Doubt, ...]
    missing: tuple[Tile, ...]


def varied_views(classifier: Classifier, image: NDArray[np.uint8], rng: Generator) -> Views:
    """Varied views of a picture (h × w × 3 uint8 BGR), tight to one tile: nearly all of the time that an enrolment takes."""
    return Views.of(classifier.look(variants(image, VARIANTS, rng)))


def enrol(
    classifier: Classifier,
    samples: Iterable[LabelledCrop],
    kinds: Iterable[Tile],
    called: SetName,
    rng: Generator,
    *,
    seen: Mapping[str, Views] | None = None,
) -> Enrolment:
    """Enrol a set that has these kinds; samples of what is no tile only sharpen the limits.

    ``seen`` has ``varied_views`` that were made before, by the pictures' names; ``rng`` makes the others.

    Raises ValueError for a sample of a kind that the set is said not to have.
    """
    tiles: list[LabelledCrop] = []
    foreign: list[LabelledCrop] = []
    of_set = frozenset(kinds)
    for sample in samples:
        if sample.tile is not None and sample.tile not in of_set:
            raise ValueError(f"{sample.name} is an example of {sample.tile.text}, which the set is said not to have")
        (foreign if sample.tile is None else tiles).append(sample)
    examples = _examples(classifier, tiles)
    kept, doubts = sort_out(examples)
    missing = tuple(sorted(of_set - {examples[index].tile for index in kept}))
    if missing:
        return Enrolment(None, tuple(doubts), missing)
    made = seen or {}
    varied = [made[name] if (name := tiles[index].name) in made else varied_views(classifier, tiles[index].image, rng) for index in kept]
    strangers = Views.of(classifier.look(_stack(foreign)))
    enrolled, limits = fit([examples[index] for index in kept], varied, strangers)
    profile = Profile(called.name, called.back, called.made, classifier.digest, limits, enrolled)
    return Enrolment(profile, tuple(doubts), ())


def enrol_again(
    classifier: Classifier, profile: Profile, samples: Iterable[LabelledCrop], kinds: Iterable[Tile], rng: Generator
) -> Enrolment:
    """The profile with these kinds enrolled again; its other kinds and its limits stay, and samples of them count for nothing.

    The new examples must stand up to those of the other kinds. Raises ValueError for a kind that the profile does not have.
    """
    renewed = frozenset(kinds)
    if strange := sorted(renewed - set(profile.kinds)):
        raise ValueError(f"the set {profile.name!r} has no {' '.join(tile.text for tile in strange)}: enrol the whole set")
    pictures = [sample for sample in samples if sample.tile in renewed]
    fresh = _examples(classifier, pictures)
    standing = [one for tile, kind in profile.kinds.items() if tile not in renewed for one in _standing(tile, kind)]
    kept, doubts = sort_out([*fresh, *standing])
    places = [index for index in kept if index < len(fresh)]
    named = tuple(doubt for doubt in doubts if doubt.tile in renewed)
    missing = tuple(sorted(renewed - {fresh[index].tile for index in places}))
    if missing:
        return Enrolment(None, named, missing)
    varied = [varied_views(classifier, pictures[index].image, rng) for index in places]
    kinds = {**profile.kinds, **kinds_of([fresh[index] for index in places], varied)}
    return Enrolment(replace(profile, kinds=kinds), named, ())


def _examples(classifier: Classifier, samples: Sequence[LabelledCrop]) -> list[TileExample]:
    """What the classifier sees on these pictures of tiles."""
    views = classifier.look(_stack(samples))
    return [TileExample.of(sample.name, sample.tile, view) for sample, view in zip(samples, views, strict=True) if sample.tile is not None]


def _standing(tile: Tile, kind: EnrolledKind) -> list[TileExample]:
    """A profile's examples of one kind, which need no further check."""
    shares = np.zeros(len(ALL_TILES))
    shares[tile] = 1.0
    return [TileExample(f"{tile.text} of the profile", tile, shares, 0.0, False, example) for example in kind.examples]


def _stack(samples: Sequence[LabelledCrop]) -> NDArray[np.uint8]:
    return np.stack([fit_crop(sample.image) for sample in samples]) if samples else np.empty((0, CROP_H, CROP_W, 3), np.uint8)


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
