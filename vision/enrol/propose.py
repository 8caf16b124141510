"""Proposal: names the tiles of a whole set without labels. Model and likeness propose, and no kind gets more than four pictures, which
tells an unknown face from the known one that it resembles. ``Proposal.sure`` is false for pictures that a person must settle."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from twinwall.game.tiles import COPIES, Tile
from twinwall.values import frozen
from vision.assignment import cheapest
from vision.model.crop_view import CropView
from vision.model.judge import probabilities
from vision.model.similarity import likeness, unit_views, usual_likeness
from vision.reading import Candidate

_ROUNDS = 4
_SPREAD = 0.05
"""Weight of likeness beside the model's shares; lower than in a fitted profile, because labels still change."""
_SURE = 0.97
_ALONE = 0.7
"""Likeness assumed for a kind without another picture."""


@frozen
class Proposal:
    """One picture's proposed kind, its likeliest kinds by model and likeness together, and whether no person needs to check it."""

    tile: Tile
    candidates: tuple[Candidate, ...]
    sure: bool


def propose(views: Sequence[CropView], kinds: Iterable[Tile]) -> list[Proposal]:
    """Return a proposal for each view of a set of these kinds; raises ValueError for more pictures than the set has tiles."""
    tiles = np.array(sorted(set(kinds)), np.intp)
    if len(views) > COPIES * len(tiles):
        raise ValueError(f"{len(views)} pictures are more than the {COPIES * len(tiles)} tiles of a set of {len(tiles)} kinds")
    if not views:
        return []
    shares = np.stack([view.kinds for view in views])[:, tiles] + 1e-3
    embeddings = unit_views(np.stack([view.embeddings for view in views]))
    alike = likeness(embeddings, embeddings)
    joint = shares / shares.sum(axis=1, keepdims=True)
    given = _assigned(joint)
    for _ in range(_ROUNDS):
        joint = shares * probabilities(np.nan_to_num(usual_likeness(alike, given, len(tiles)), nan=_ALONE), _SPREAD)
        joint /= joint.sum(axis=1, keepdims=True)
        before, given = given, _assigned(joint)
        if np.array_equal(before, given):
            break
    return [_proposal(joint[index], tiles, int(given[index]), view) for index, view in enumerate(views)]


def _assigned(joint: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the likeliest kinds (n), at most four of each, from shares (n × kinds)."""
    return cheapest(np.repeat(-np.log(joint + 1e-12), COPIES, axis=1)) // COPIES


def _proposal(joint: NDArray[np.float64], tiles: NDArray[np.intp], given: int, view: CropView) -> Proposal:
    order = np.argsort(-joint, kind="stable")[:3]
    candidates = tuple(Candidate(Tile(int(tiles[index])), float(joint[index])) for index in order)
    is_tile = sum(view.foreign.values()) < 0.5
    return Proposal(Tile(int(tiles[given])), candidates, bool(is_tile and order[0] == given and joint[given] >= _SURE))
