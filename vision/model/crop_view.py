"""The network's answer to one crop seen both ways up, as calibrated probabilities."""

import numpy as np
from numpy.typing import NDArray

from twinwall.game.tiles import Tile
from twinwall.values import frozen
from vision.model.classes import Foreign
from vision.reading import Candidate


@frozen
class CropView:
    """What the network makes of one crop seen both ways up.

    ``kinds`` holds a probability for each of the 34 kinds in canonical order (float64); together with
    ``foreign`` it sums to 1. ``first`` and ``second`` are the best kinds of the two views alone, ``members``
    those of the networks alone, each over both views; ``embeddings`` what they make of each view before they
    decide: 2 × numbers, float32, the crop as it is and turned.
    """

    kinds: NDArray[np.float64]
    foreign: dict[Foreign, float]
    turned: bool
    first: Tile
    second: Tile
    embeddings: NDArray[np.float32]
    members: tuple[Tile, ...] = ()

    def best(self, count: int = 3) -> tuple[Candidate, ...]:
        """The likeliest kinds, best first."""
        order = np.argsort(-self.kinds, kind="stable")[:count]
        return tuple(Candidate(Tile(int(index)), float(self.kinds[index])) for index in order)
