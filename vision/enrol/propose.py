"""Proposal: names the tiles of a whole set without labels (``propose``). Model and likeness propose, and no kind gets more than four
pictures, which tells an unknown face from the known one that it resembles. ``Proposal.sure`` is false for pictures that a person must
settle.

An enrolment with one example a kind fits its limits on varied views. They vary as much as a gate permits: a crop within ±5 %, an ageing
lamp, a lens slightly out of focus.
"""

from collections.abc import Iterable, Sequence

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from twinwall.game.tiles import COPIES, Tile
from twinwall.values import frozen
from vision.assignment import cheapest
from vision.model.crop_view import CROP_H, CROP_W, CropView, fit_crop
from vision.model.judge import probabilities
from vision.model.similarity import likeness, unit_views, usual_likeness
from vision.reading import Candidate

_OFF = 0.05
"""How far a corner of the crop may be off, as a share of its side."""


def variants(image: NDArray[np.uint8], count: int, rng: Generator) -> NDArray[np.uint8]:
    """Return ``count`` crops (count × CROP_H × CROP_W × 3 uint8 BGR) of a picture tight to a tile (h × w × 3 BGR, any size)."""
    return np.stack([_seen(_shifted(image, rng), rng) for _ in range(count)])


def _shifted(image: NDArray[np.uint8], rng: Generator) -> NDArray[np.uint8]:
    """Cut the picture with its corners a little off; its edge is repeated outside."""
    height, width = image.shape[:2]
    corners = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32) - 0.5
    off = (rng.uniform(-_OFF, _OFF, (4, 2)) * (width, height)).astype(np.float32)
    transform = cv2.getPerspectiveTransform((corners + off).astype(np.float32), corners)
    moved = cv2.warpPerspective(image, transform, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return fit_crop(np.asarray(moved, np.uint8))


def _seen(crop: NDArray[np.uint8], rng: Generator) -> NDArray[np.uint8]:
    """Return the crop as another lamp, lens and sensor would show it."""
    blur = float(rng.uniform(0.0, 0.9))
    soft = cv2.GaussianBlur(crop, (0, 0), blur) if blur > 0.2 else crop
    light = rng.uniform(0.75, 1.15) * rng.uniform(0.94, 1.06, 3)
    across, down = np.linspace(-1, 1, CROP_W)[None, :, None], np.linspace(-1, 1, CROP_H)[:, None, None]
    slope = 1 + rng.uniform(-0.1, 0.1) * across + rng.uniform(-0.1, 0.1) * down
    noise = rng.normal(0, rng.uniform(0.5, 4.0), crop.shape)
    return np.clip(soft * light * slope + noise, 0, 255).astype(np.uint8)


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
