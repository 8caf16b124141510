"""Crop view: the network's answer to one crop seen both ways up, as calibrated probabilities, and whether it is a read, by probability,
margin, both views and all networks.

Gate, mat and photographs use the same decision. Its limits were fitted on designs that the network was not trained on; the model file holds
them.
"""

import json
from dataclasses import asdict

import numpy as np
from numpy.typing import NDArray

from twinwall.game.tiles import Tile
from twinwall.values import frozen
from vision.model.classes import Foreign
from vision.reading import Candidate, Read, ReadRefusal, Reason


@frozen
class CropView:
    """The network's answer to one crop seen both ways up. ``kinds`` are the probabilities of the 34 kinds in canonical order (float64);
    with ``foreign`` they sum to 1. ``first`` and ``second`` are the best kinds of each view alone, ``members`` those of each network alone
    over both views; ``embeddings`` describe each view before the decision (2 × numbers, float32, the crop as it is and turned)."""

    kinds: NDArray[np.float64]
    foreign: dict[Foreign, float]
    turned: bool
    first: Tile
    second: Tile
    embeddings: NDArray[np.float32]
    members: tuple[Tile, ...] = ()

    def best(self, count: int = 3) -> tuple[Candidate, ...]:
        """Return the likeliest kinds, best first."""
        order = np.argsort(-self.kinds, kind="stable")[:count]
        return tuple(Candidate(Tile(int(index)), float(self.kinds[index])) for index in order)


@frozen
class Limits:
    """A read needs at least ``probability``, this ``margin`` over the next kind, and at most ``foreign`` for everything that is no tile."""

    probability: float
    margin: float
    foreign: float

    def to_json(self) -> str:
        return json.dumps(asdict(self), sort_keys=True)


def decide(view: CropView, limits: Limits) -> Read | ReadRefusal:
    """Return a read, or the reason why there is none."""
    candidates = view.best()
    best, second = candidates[0], candidates[1]
    foreign = sum(view.foreign.values())
    if foreign > max(limits.foreign, best.probability):
        likeliest = max(view.foreign, key=lambda one: view.foreign[one])
        return ReadRefusal(Reason.NOT_A_TILE, f"this looks like {_FOREIGN_WORDS[likeliest]} ({view.foreign[likeliest]:.0%})", candidates)
    if view.first is not view.second:
        return ReadRefusal(Reason.UNSURE, f"one way up it looks like {view.first.text}, the other way like {view.second.text}", candidates)
    if any(kind is not best.tile for kind in view.members):
        opinions = ", ".join(sorted({kind.text for kind in view.members}))
        return ReadRefusal(Reason.UNSURE, f"the networks do not agree: {opinions}", candidates)
    if best.probability < limits.probability or best.probability - second.probability < limits.margin or foreign > limits.foreign:
        return ReadRefusal(
            Reason.UNSURE,
            f"not sure enough: {best.tile.text} at {best.probability:.1%}, {second.tile.text} at {second.probability:.1%}",
            candidates,
        )
    return Read(best.tile, best.probability, view.turned, candidates[1:])


_FOREIGN_WORDS = {"flower": "a flower or another foreign face", "back": "a tile's back", "part": "part of a tile", "nothing": "no tile"}
