"""Enrolment: makes a tile set's profile from pictures (``enrol``), sorted into folders by kind, or unlabelled and named by the model.

Unusable pictures are left out and named with the reason: unreadable, without a tile, doubtful (``examples``), or without a kind on which
the model, likeness and the count of four agree (``propose``). No kind is guessed.

The profile's limits come from the enrolment alone: halfway between the likeness of the set's own tiles and that of strangers, which are the
other kinds and pictures of no tile. Varied views of a picture stand for its tile at another moment; they are compared with other examples
of the kind, if there are any.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from twinwall.game.documents import DocumentError
from twinwall.game.tiles import ALL_TILES, Tile
from twinwall.values import frozen, frozen_identity
from vision.cameras.file_camera import picture_files, picture_in
from vision.enrol.evaluate import NO_PICTURE, LabelledCrop, kind_named, read_folders, remarks
from vision.enrol.examples import FAR, USUAL, Doubt, TileExample, trusted_examples
from vision.enrol.propose import Proposal, propose, variants
from vision.gate.gate_reader import GateReader
from vision.model.classifier import Classifier
from vision.model.crop_view import CROP_H, CROP_W, CropView, fit_crop
from vision.model.judge import apart, probabilities
from vision.model.profile import EnrolledKind, Profile, ProfileLimits
from vision.model.similarity import Embeddings, likeness, unit_views, ways
from vision.reading import ReadRefusal

_LOW, _HIGH = 1.0, 99.9
"""Percentiles at which the likeness of own views ends, and that of strangers begins."""
_AGREEMENT = 0.1
"""The general model agrees with a kind if it gives it this part of the least share among the enrolment's own views."""
_KNOWN = 0.5
"""Above this share of a kind the general model can tell which way up it is."""
_LEAST_LIKENESS, _LEAST_MARGIN = 0.6, 0.2
"""Least limits, however poor the examples are."""
_SPREADS = np.geomspace(0.01, 0.2, 25)


@frozen_identity
class Views:
    """Several views: embeddings n × 2 × numbers, and the general model's shares of the kinds, n × 34."""

    embeddings: Embeddings
    kinds: NDArray[np.float64]

    @classmethod
    def of(cls, views: Sequence[CropView]) -> Views:
        """Keep these parts of the network's views, which may be none."""
        if not views:
            return cls(np.empty((0, 2, 0), np.float32), np.empty((0, 34)))
        return cls(unit_views(np.stack([view.embeddings for view in views])), np.stack([view.kinds for view in views]))


def fit(examples: Sequence[TileExample], varied: Sequence[Views], strangers: Views) -> tuple[dict[Tile, EnrolledKind], ProfileLimits]:
    """Return kinds and limits from trusted examples, several views of each, and views of things that are no tile."""
    kinds = kinds_of(examples, varied)
    tiles = sorted(kinds)
    by_kind = [kinds[tile].examples for tile in tiles]
    columns, near = _views_by_kind(examples, varied, tiles)
    return kinds, _limits(columns, near, apart(by_kind), _strange(strangers, by_kind))


def kinds_of(examples: Sequence[TileExample], varied: Sequence[Views]) -> dict[Tile, EnrolledKind]:
    """Return each kind's examples, all the same way up, and the least share with which the general model agrees."""
    return {
        tile: _kind(tile, [(example, looks) for example, looks in zip(examples, varied, strict=True) if example.tile is tile])
        for tile in sorted({example.tile for example in examples})
    }


def _kind(tile: Tile, pictures: Sequence[tuple[TileExample, Views]]) -> EnrolledKind:
    least = min(float(share) for example, looks in pictures for share in (example.kinds[tile], *looks.kinds[:, tile]))
    return EnrolledKind(_aligned([example for example, _ in pictures]), _AGREEMENT * least)


def _views_by_kind(
    examples: Sequence[TileExample], varied: Sequence[Views], tiles: Sequence[Tile]
) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
    """Return each view's kind (index into ``tiles``), and its likeness to every kind (views × kinds). A view's own picture does not count
    if the kind has others like it; a red five may be the only one."""
    order = sorted(range(len(examples)), key=lambda index: examples[index].tile)
    kinds = np.array([tiles.index(examples[index].tile) for index in order])
    counts = np.bincount(kinds, minlength=len(tiles))
    pictures = np.stack([examples[index].embeddings for index in order])
    alike = likeness(np.concatenate([varied[index].embeddings for index in order]), pictures)
    sources = np.repeat(np.arange(len(order)), [len(varied[index].embeddings) for index in order])
    fellows = (kinds[:, None] == kinds) & ~np.eye(len(order), dtype=bool) & (likeness(pictures, pictures) >= USUAL - FAR)
    itself = (sources[:, None] == np.arange(len(order))) & fellows.any(axis=1)[sources, None]
    starts = np.concatenate(([0], np.cumsum(counts)[:-1]))
    near = np.maximum.reduceat(np.where(itself, np.float32(-1), alike), starts, axis=1)
    return kinds[sources], near


def _limits(
    columns: NDArray[np.intp], near: NDArray[np.float32], standing: NDArray[np.float32], strange: NDArray[np.float32]
) -> ProfileLimits:
    """Fit limits to views: their kinds, likeness to every kind, distances of kinds; and strangers' likeness to the nearest kind."""
    rows = np.arange(len(columns))
    own = near[rows, columns]
    own_end = float(np.percentile(own, _LOW))
    spread = min(_SPREADS, key=lambda each: float(-np.log(probabilities(near, each)[rows, columns] + 1e-12).mean()))
    if near.shape[1] == 1:
        begin = float(np.max(strange, initial=0.0))
        return ProfileLimits(max((own_end + begin) / 2, _LEAST_LIKENESS), _LEAST_MARGIN, float(spread))
    others = near.copy()
    others[rows, columns] = -1
    rivals = others.argmax(axis=1)
    begin = max(float(np.percentile(others.max(axis=1), _HIGH)), float(np.max(strange, initial=0.0)))
    leads = (own - others.max(axis=1)) / standing[columns, rivals]
    halfway = (own_end + begin) / 2, float(np.percentile(leads, _LOW)) / 2
    return ProfileLimits(max(halfway[0], _LEAST_LIKENESS), max(halfway[1], _LEAST_MARGIN), float(spread))


def _strange(strangers: Views, by_kind: Sequence[Embeddings]) -> NDArray[np.float32]:
    """Return the likeness of views of no tile to their nearest examples."""
    if not len(strangers.embeddings):
        return np.empty(0, np.float32)
    return np.asarray(likeness(strangers.embeddings, np.concatenate(by_kind)).max(axis=1))


def _aligned(examples: Sequence[TileExample]) -> Embeddings:
    """Turn a kind's examples (n × 2 × numbers) to the way of the one that the general model knows best; upright, if it can tell."""
    best = max(examples, key=lambda example: float(example.kinds[example.tile]))
    reference = _flipped(best) if best.turned and best.kinds[best.tile] > _KNOWN else best
    same, crosswise = ways(np.stack([example.embeddings for example in examples]), reference.embeddings[None])
    turned = crosswise[:, 0] > same[:, 0]
    return np.stack([_flipped(example).embeddings if flip else example.embeddings for example, flip in zip(examples, turned, strict=True)])


def _flipped(example: TileExample) -> TileExample:
    return replace(example, embeddings=example.embeddings[::-1], turned=not example.turned)


VARIANTS = 8
"""Varied views of each example."""


@frozen
class SetName:
    """A profile's facts of its set: its name, the number of its backs or None, and the day of the enrolment."""

    name: str
    back: int | None
    made: date


@frozen_identity
class Enrolment:
    """The result: the profile (None if a kind has no example left), the pictures left out, and the kinds without an example."""

    profile: Profile | None
    left_out: tuple[Doubt, ...]
    missing: tuple[Tile, ...]


def varied_views(classifier: Classifier, image: NDArray[np.uint8], rng: Generator) -> Views:
    """Return varied views of a picture (h × w × 3 uint8 BGR) tight to one tile; they take nearly all of an enrolment's time."""
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
    """Enrol a set of these kinds; samples that are no tile only sharpen the limits. ``seen`` holds ``varied_views`` made before, by the
    pictures' names; ``rng`` makes the others. Raises ValueError for a sample of a kind that the set does not have."""
    tiles: list[LabelledCrop] = []
    foreign: list[LabelledCrop] = []
    of_set = frozenset(kinds)
    for sample in samples:
        if sample.tile is not None and sample.tile not in of_set:
            raise ValueError(f"{sample.name} is an example of {sample.tile.text}, which the set does not have")
        (foreign if sample.tile is None else tiles).append(sample)
    examples = _examples(classifier, tiles)
    kept, doubts = trusted_examples(examples)
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
    """Enrol these kinds of a profile again; its other kinds, against which the new examples are checked, and its limits stay. Raises
    ValueError for a kind that the profile does not have."""
    renewed = frozenset(kinds)
    if strange := sorted(renewed - set(profile.kinds)):
        raise ValueError(f"the set {profile.name!r} has no {' '.join(tile.text for tile in strange)}: enrol the whole set")
    pictures = [sample for sample in samples if sample.tile in renewed]
    fresh = _examples(classifier, pictures)
    standing = [one for tile, kind in profile.kinds.items() if tile not in renewed for one in _standing(tile, kind)]
    kept, doubts = trusted_examples([*fresh, *standing])
    places = [index for index in kept if index < len(fresh)]
    named = tuple(doubt for doubt in doubts if doubt.tile in renewed)
    missing = tuple(sorted(renewed - {fresh[index].tile for index in places}))
    if missing:
        return Enrolment(None, named, missing)
    varied = [varied_views(classifier, pictures[index].image, rng) for index in places]
    kinds = {**profile.kinds, **kinds_of([fresh[index] for index in places], varied)}
    return Enrolment(replace(profile, kinds=kinds), named, ())


def _examples(classifier: Classifier, samples: Sequence[LabelledCrop]) -> list[TileExample]:
    views = classifier.look(_stack(samples))
    return [TileExample.of(sample.name, sample.tile, view) for sample, view in zip(samples, views, strict=True) if sample.tile is not None]


def _standing(tile: Tile, kind: EnrolledKind) -> list[TileExample]:
    """Return a profile's examples of one kind, which need no further check."""
    shares = np.zeros(len(ALL_TILES))
    shares[tile] = 1.0
    return [TileExample(f"{tile.text} of the profile", tile, shares, 0.0, False, example) for example in kind.examples]


def _stack(samples: Sequence[LabelledCrop]) -> NDArray[np.uint8]:
    return np.stack([fit_crop(sample.image) for sample in samples]) if samples else np.empty((0, CROP_H, CROP_W, 3), np.uint8)


Gathered = tuple[tuple[LabelledCrop, ...], tuple[Doubt, ...]]
"""Samples to enrol, and pictures already left out."""


def gather(folder: Path, kinds: Iterable[Tile], classifier: Classifier) -> Gathered:
    """Return the pictures under ``folder/<kind>/`` or, without such folders, those in ``folder`` itself; raises DocumentError."""
    return _labelled(folder) if has_kinds(folder) else _unlabelled(folder, kinds, classifier)


def has_kinds(folder: Path) -> bool:
    """Whether a folder holds folders named as kinds; nothing else in it is then looked at."""
    return folder.is_dir() and any(path.is_dir() and kind_named(path.name) is not None for path in folder.iterdir())


Doubtful = Sequence[tuple[LabelledCrop, Proposal]]
"""Pictures of which the reader is not sure."""


def name_pictures(
    pictures: Sequence[LabelledCrop],
    kinds: Iterable[Tile],
    classifier: Classifier,
    settle: Callable[[Doubtful], Sequence[Tile | None]],
) -> Gathered:
    """Label pictures with the kinds of which the reader is sure, and that ``settle`` gives to the doubtful ones; None, or no
    answer, leaves a picture out. Raises ValueError for more pictures than the set has tiles."""
    pairs = list(zip(pictures, propose(classifier.look(_stack(pictures)), kinds), strict=True))
    settled = iter(settle([pair for pair in pairs if not pair[1].sure]))
    samples, left_out = [], []
    for picture, proposal in pairs:
        tile = proposal.tile if proposal.sure else next(settled, None)
        if tile is None:
            left_out.append(Doubt(picture.name, None, proposal.candidates[0].tile, "its kind is not certain"))
        else:
            samples.append(replace(picture, tile=tile))
    return tuple(samples), tuple(left_out)


def _labelled(folder: Path) -> Gathered:
    unreadable: list[str] = []
    samples = tuple(read_folders(folder, unreadable))
    return samples, tuple(Doubt(name, kind_named(name.partition("/")[0]), None, _NO_PICTURE) for name in unreadable)


def _unlabelled(folder: Path, kinds: Iterable[Tile], classifier: Classifier) -> Gathered:
    if not folder.is_dir():
        raise DocumentError(f"{folder} is not a folder: give one that holds <kind>/*.jpg, or the set's pictures themselves")
    pictures, left_out = [], []
    for path in picture_files(folder):
        found = _tile_on(path, GateReader(classifier))
        if isinstance(found, str):
            left_out.append(Doubt(path.name, None, None, found))
        else:
            pictures.append(LabelledCrop(path.name, None, found))
    if not pictures and not left_out:
        lacking = f"{folder} holds no pictures: expected <kind>/*.jpg, for example 5p/one.jpg, or the pictures of a whole set"
        raise DocumentError("; ".join((lacking, *remarks(folder))))
    samples, doubtful = name_pictures(pictures, kinds, classifier, lambda _: ())
    return samples, (*left_out, *doubtful)


def _tile_on(path: Path, reader: GateReader) -> NDArray[np.uint8] | str:
    """Return the tile on a picture (a crop as it is, a gate's frame cut out), or why there is none."""
    picture = picture_in(path)
    if picture is None:
        return _NO_PICTURE
    found = picture if picture.shape[0] >= picture.shape[1] else reader.locate(picture)
    return f"no tile is found on it: {found.detail}" if isinstance(found, ReadRefusal) else found


_NO_PICTURE = f"it is {NO_PICTURE}"
