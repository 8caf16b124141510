"""Makes a set's profile from pictures of its tiles: what cannot be believed is left out and named, limits are fitted on the rest.

Pictures come from folders (``read_samples``) or from a gate; which are doubtful is for
``vision.examples``, the limits for ``vision.fit``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from twinwall.game.tiles import Tile
from vision.classify import Classifier
from vision.crop import CROP_H, CROP_W, fit_crop
from vision.examples import Doubt, Example, sort_out
from vision.fit import Looks, fit
from vision.profile import Profile
from vision.variants import variants

VARIANTS = 8
"""Varied views of each example."""


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """A picture tight to one tile (h × w × 3 uint8 BGR, upright or upside down), its kind (None: no tile), and where it came from."""

    name: str
    tile: Tile | None
    image: NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
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


def enrol(classifier: Classifier, samples: Iterable[Sample], kinds: Iterable[Tile], called: SetName, rng: Generator) -> Enrolment:
    """Enrol a set that has these kinds; samples of what is no tile only sharpen the limits."""
    tiles: list[Sample] = []
    foreign: list[Sample] = []
    for sample in samples:
        (foreign if sample.tile is None else tiles).append(sample)
    views = classifier.look(_stack(tiles))
    examples = [Example.of(sample.name, sample.tile, view) for sample, view in zip(tiles, views, strict=True) if sample.tile is not None]
    kept, doubts = sort_out(examples)
    missing = tuple(sorted(set(kinds) - {examples[index].tile for index in kept}))
    if missing:
        return Enrolment(None, tuple(doubts), missing)
    varied = [Looks.of(classifier.look(variants(tiles[index].image, VARIANTS, rng))) for index in kept]
    strangers = Looks.of(classifier.look(_stack(foreign)))
    enrolled, limits = fit([examples[index] for index in kept], varied, strangers)
    profile = Profile(called.name, called.back, called.made, classifier.digest, limits, enrolled)
    return Enrolment(profile, tuple(doubts), ())


def _stack(samples: Sequence[Sample]) -> NDArray[np.uint8]:
    return np.stack([fit_crop(sample.image) for sample in samples]) if samples else np.empty((0, CROP_H, CROP_W, 3), np.uint8)
