"""Limits of a profile, fitted on the enrolment alone: halfway between the likeness of the set's own tiles and that of strangers.

Varied views of a picture stand for the same tile at another moment; they are compared with the kind's other examples
where it has any. Strangers are every kind as compared with the others, and pictures of what is no tile.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from twinwall.game.tiles import Tile
from vision.enrol.examples import FAR, USUAL, TileExample
from vision.model.crop_view import CropView
from vision.model.judge import apart, probabilities
from vision.model.profile import EnrolledKind, ProfileLimits
from vision.model.similarity import Embeddings, likeness, unit_views, ways

_LOW, _HIGH = 1.0, 99.9
"""Percentiles at which the likeness of own views ends, and that of strangers begins."""
_AGREEMENT = 0.1
"""The general model agrees when it gives a kind this part of the least that it gave the enrolment's own views."""
_KNOWN = 0.5
"""The general model's share of a kind above which it can tell which way up the kind stands."""
_LEAST_LIKENESS, _LEAST_MARGIN = 0.6, 0.2
"""Least limit that a fit may give, however poor the examples are."""
_SPREADS = np.geomspace(0.01, 0.2, 25)


@dataclass(frozen=True, slots=True, eq=False)
class Views:
    """Several views: embeddings n × 2 × numbers, and the general model's shares of the kinds, n × 34."""

    embeddings: Embeddings
    kinds: NDArray[np.float64]

    @classmethod
    def of(cls, views: Sequence[CropView]) -> Views:
        """What is kept of the network's views; there may be none."""
        if not views:
            return cls(np.empty((0, 2, 0), np.float32), np.empty((0, 34)))
        return cls(unit_views(np.stack([view.embeddings for view in views])), np.stack([view.kinds for view in views]))


def fit(examples: Sequence[TileExample], varied: Sequence[Views], strangers: Views) -> tuple[dict[Tile, EnrolledKind], ProfileLimits]:
    """Kinds and limits from examples that are believed, several views of each, and views of what is no tile."""
    kinds = kinds_of(examples, varied)
    tiles = sorted(kinds)
    by_kind = [kinds[tile].examples for tile in tiles]
    columns, near = _views_by_kind(examples, varied, tiles)
    return kinds, _limits(columns, near, apart(by_kind), _strange(strangers, by_kind))


def kinds_of(examples: Sequence[TileExample], varied: Sequence[Views]) -> dict[Tile, EnrolledKind]:
    """Each kind's examples, all lying the same way, and the least share by which the general model agrees with them."""
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
    """Each view's own kind (index into ``tiles``), and its likeness to every kind (views × kinds).

    A view's own picture does not count where the kind has others that look like it: a red five may be alone among the fives.
    """
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
    """Limits from views: their kinds, likeness to every kind, how far kinds stand apart; and strangers' likeness to the nearest kind."""
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
    """Likeness of views of what is no tile to the nearest example."""
    if not len(strangers.embeddings):
        return np.empty(0, np.float32)
    return np.asarray(likeness(strangers.embeddings, np.concatenate(by_kind)).max(axis=1))


def _aligned(examples: Sequence[TileExample]) -> Embeddings:
    """A kind's examples (n × 2 × numbers), lying as the one that the general model knows best, and that one upright if it can tell."""
    best = max(examples, key=lambda example: float(example.kinds[example.tile]))
    reference = _flipped(best) if best.turned and best.kinds[best.tile] > _KNOWN else best
    same, crosswise = ways(np.stack([example.embeddings for example in examples]), reference.embeddings[None])
    turned = crosswise[:, 0] > same[:, 0]
    return np.stack([_flipped(example).embeddings if flip else example.embeddings for example, flip in zip(examples, turned, strict=True)])


def _flipped(example: TileExample) -> TileExample:
    return replace(example, embeddings=example.embeddings[::-1], turned=not example.turned)
