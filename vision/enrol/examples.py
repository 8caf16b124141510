"""Doubtful examples of a set: compares each with the others of its kind, with other kinds, and with the general model.

An example that resembles another kind, or its own too little, is left out; the worst goes first, because it spoils the comparison for
others. None is relabelled: a person or a new picture settles it. A five may have a second, red appearance: it stays if the general model
prefers no other kind and is not sure that there is no tile, since networks take red dots for a flower rather than for other dots.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from twinwall.game.tiles import Tile
from twinwall.values import frozen, frozen_identity
from vision.model.crop_view import CropView
from vision.model.similarity import Embeddings, likeness, unit_views, usual_likeness

_SURE = 0.95
"""Share that the general model must give another kind, or no tile at all, to outweigh a single example."""
FAR = 0.2
"""An example whose likeness to its kind is this much below the set's usual one is not of that kind."""
_WEIGHT = 20.0
"""Weight of a difference in likeness of 1 against the general model's log odds."""
USUAL = 0.9
"""Least usual likeness of two pictures of one tile, so that a few poor pairs do not make every likeness acceptable."""


_FIVES = frozenset({Tile.M5, Tile.P5, Tile.S5})
"""Kinds of which a set may have red copies."""


@frozen_identity
class TileExample:
    """One picture of a tile as the model sees it: ``tile`` is its label, ``kinds`` and ``foreign`` are the general model's shares of the 34
    kinds and of everything that is no tile, ``turned`` is whether the model sees it upside down."""

    name: str
    tile: Tile
    kinds: NDArray[np.float64]
    foreign: float
    turned: bool
    embeddings: Embeddings

    @classmethod
    def of(cls, name: str, tile: Tile, view: CropView) -> TileExample:
        return cls(name, tile, view.kinds, sum(view.foreign.values()), view.turned, unit_views(view.embeddings))


@frozen
class Doubt:
    """A picture that was left out: its label (None: unnamed), its likelier kind (None: unknown), and why."""

    name: str
    tile: Tile | None
    likely: Tile | None
    why: str


def trusted_examples(examples: Sequence[TileExample]) -> tuple[list[int], list[Doubt]]:
    """Return the indices of the trusted examples, in order, and the doubts about the others, most doubtful first."""
    if not examples:
        return [], []
    alike = likeness(*(np.stack([one.embeddings for one in examples]),) * 2)
    kept = np.ones(len(examples), bool)
    doubts: list[Doubt] = []
    while True:
        suspects = _suspects(examples, alike, kept)
        if not suspects:
            return [int(index) for index in np.flatnonzero(kept)], doubts
        worst = max(suspects, key=lambda index: suspects[index][0])
        kept[worst] = False
        doubts.append(suspects[worst][1])


def _suspects(examples: Sequence[TileExample], alike: NDArray[np.float32], kept: NDArray[np.bool_]) -> dict[int, tuple[float, Doubt]]:
    """Return the doubtful examples among those still kept, by index, with how doubtful they are."""
    labels = np.array([int(one.tile) for one in examples])
    near = usual_likeness(alike, np.where(kept, labels, -1), len(Tile))
    own = near[np.arange(len(examples)), labels]
    usual = max(float(np.nanmedian([*own[kept], USUAL])), USUAL)
    found = {}
    for index in np.flatnonzero(kept):
        judged = _judged(examples[int(index)], near[index], usual)
        if judged is not None:
            found[int(index)] = judged
    return found


def _judged(example: TileExample, near: NDArray[np.float32], usual: float) -> tuple[float, Doubt] | None:
    """Return how doubtful one example is, and why; None if it is not. ``near`` is its likeness to the other examples of each kind (34, NaN
    without any), ``usual`` that of the set's examples to their own kinds."""
    own = float(near[example.tile])
    rivals = near.copy()
    rivals[example.tile] = np.nan
    rival = int(np.nanargmax(rivals)) if np.isfinite(rivals).any() else None
    beside = 0.0 if rival is None else float(rivals[rival])
    against = float(np.log((1 - example.kinds[example.tile] + 1e-4) / (example.kinds[example.tile] + 1e-4)))
    same = usual - FAR / 2
    if rival is not None and beside >= same and _belongs_there(example, Tile(rival), beside, own):
        lead = beside - (own if np.isfinite(own) else same)
        return against + _WEIGHT * lead, Doubt(example.name, example.tile, Tile(rival), f"it looks like the examples of {Tile(rival).text}")
    if not np.isfinite(own):
        return _alone(example, near, against)
    is_red_five = example.tile in _FIVES and example.kinds.argmax() == example.tile and example.foreign < _SURE
    if own < usual - FAR and not is_red_five:
        kind = _sure_kind(example)
        likely = None if kind is example.tile else kind
        why = f"it is unlike the other examples of {example.tile.text}"
        if example.tile in _FIVES:
            why += "; if it is the set's red five, the profile refuses red fives of that suit: enrol it again in better light"
        return against + _WEIGHT * (usual - own), Doubt(example.name, example.tile, likely, why)
    return None


def _belongs_there(example: TileExample, rival: Tile, beside: float, own: float) -> bool:
    """Whether an example that resembles another kind as much as its own is of that kind; the general model decides."""
    prefers = bool(example.kinds[rival] > example.kinds[example.tile])
    if not np.isfinite(own):
        return prefers
    return beside > own + FAR / 4 or (prefers and beside > own - FAR / 4)


def _alone(example: TileExample, near: NDArray[np.float32], against: float) -> tuple[float, Doubt] | None:
    """Return the doubt about a kind's only example: only a sure model speaks against it, unless there are examples of the kind it names."""
    if example.foreign >= _SURE:
        return against, Doubt(example.name, example.tile, None, "it looks like no tile of the 34 kinds")
    kind = _sure_kind(example)
    if kind is None or kind is example.tile or np.isfinite(near[kind]):
        return None
    return against, Doubt(example.name, example.tile, kind, f"the general model is sure of {kind.text}")


def _sure_kind(example: TileExample) -> Tile | None:
    best = int(example.kinds.argmax())
    return Tile(best) if example.kinds[best] >= _SURE else None
