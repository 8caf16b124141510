"""Learning judge: reads a set that was not enrolled, and learns its faces from what the general model has read surely.

Looks at tiles of one kind in one recording are alike (``vision.model.similarity``): of 1,322 on two drawn tables 99 % had a likeness of
0.89 or more to another tile of their kind and 0.86 or less to every other kind, where the general model was in doubt as well.
"""

import math

import numpy as np
from numpy.typing import NDArray

from twinwall.game.tiles import Tile
from vision.model.crop_view import CropView
from vision.model.judge import Judge
from vision.model.similarity import Embeddings, likeness, unit_views
from vision.reading import Candidate, Read, ReadRefusal, Reason

_ALIKE, _SPREAD = 0.87, 0.03
"""Likeness that tells neither for nor against a kind, and how much more or less of it is worth a nat."""
_MOST = 6.0
"""Most nats that likeness tells against a kind: one of the 1,322 looks was as unlike its own."""
_SURE, _AGREEMENT = 0.98, 0.3
"""Least share of a kind that is read by its likeness, and the least that the general model alone must give it."""
_SAME, _EXAMPLES = 0.97, 8
"""An example that is as like another one teaches nothing new; most examples of a kind, of which later ones take the place of the first."""
_APART_MM = 20.0
"""Tiles whose middles are nearer may be one."""


class LearningJudge:
    """The general judge, and the examples of each kind of which it has read two tiles surely."""

    knows_the_set = False

    def __init__(self, general: Judge) -> None:
        """``general`` reads surely what is learnt."""
        self._general = general
        self._read: dict[Tile, list[tuple[float, float, Embeddings]]] = {}
        self._examples: dict[Tile, list[Embeddings]] = {}

    @property
    def learnt(self) -> frozenset[Tile]:
        """The kinds that have been learnt."""
        return frozenset(self._examples)

    def rank(self, view: CropView, most: int = 3) -> tuple[Candidate, ...]:
        """By the general model, and by likeness where a kind has been learnt."""
        shares = self._shares(view)
        return tuple(Candidate(Tile(int(index)), float(shares[index])) for index in np.argsort(-shares, kind="stable")[:most])

    def decide(self, view: CropView) -> Read | ReadRefusal:
        """By the general model unless a face is like another kind that has been learnt, or by likeness to such a kind. No white dragon is
        read so: a face whose marks the light has washed away looks like one."""
        answer, (best, *others) = self._general.decide(view), self.rank(view)
        like = best.tile in self._examples and self._near(best.tile, unit_views(view.embeddings)) > _ALIKE
        if isinstance(answer, Read):
            if like and answer.tile is not best.tile:
                return ReadRefusal(Reason.UNSURE, f"read as {answer.tile.text}, but like this set's {best.tile.text}", (best, *others))
            return answer
        agrees = best.probability >= _SURE and view.kinds[best.tile] >= _AGREEMENT and best.tile is not Tile.WHITE
        return (
            Read(best.tile, best.probability, view.turned, tuple(others)) if answer.reason is Reason.UNSURE and like and agrees else answer
        )

    def learn(self, kind: Tile, view: CropView, x_mm: float, y_mm: float) -> None:
        """A tile that lies here has been read surely as this kind. It is an example where a tile elsewhere was read as the same kind and
        looks alike, so that no single tile that is misread teaches a wrong face."""
        looks = unit_views(view.embeddings)
        others = [each for each in self._read.get(kind, ()) if math.hypot(each[0] - x_mm, each[1] - y_mm) > _APART_MM]
        known = self._examples.get(kind, [])
        alike = bool(others) and likeness(looks[None], np.stack([each for *_, each in others])).max() > _ALIKE
        if alike and (not known or self._near(kind, looks) < _SAME):
            self._examples[kind] = [*known, looks][-_EXAMPLES:]
        self._read[kind] = [*others, (x_mm, y_mm, looks)][-_EXAMPLES:]

    def _shares(self, view: CropView) -> NDArray[np.float64]:
        """Shares of the 34 kinds; those of a face and of what is none stay as the general model has them."""
        looks, nats = unit_views(view.embeddings), np.zeros(len(view.kinds))
        for kind in self._examples:
            nats[kind] = max((self._near(kind, looks) - _ALIKE) / _SPREAD, -_MOST)
        shares = view.kinds * np.exp(nats)
        return np.asarray(shares * (view.kinds.sum() / shares.sum()), np.float64)

    def _near(self, kind: Tile, looks: Embeddings) -> float:
        return float(likeness(looks[None], np.stack(self._examples[kind])).max())
