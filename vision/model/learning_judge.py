"""Learning judge: reads a set that was not enrolled, and learns its faces from what the general model has read surely.

Looks at tiles of one kind in one recording are alike (``vision.model.similarity``): of 1,322 on two drawn tables 99 % had a likeness of
0.89 or more to another tile of their kind and 0.86 or less to every other kind, where the general model was in doubt as well.
"""

from __future__ import annotations

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
"""Most nats that likeness tells for or against a kind: of 1,322 looks one was as unlike its own kind, and none as like another."""
_SURE, _AGREEMENT = 0.98, 0.02
"""Least share of a kind that is read by its likeness, and the least that the general model alone must give it."""
_EXAMPLES = 8
"""Most examples of a kind; later ones take the place of the first."""


class LearningJudge:
    """The general judge, and the examples of each kind that it has read surely twice."""

    knows_the_set = False

    def __init__(self, general: Judge) -> None:
        """``general`` reads surely what is learnt."""
        self._general = general
        self._read: dict[Tile, list[Embeddings]] = {}
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
        """By the general model unless another kind is likelier then, or by likeness to a kind that has been learnt."""
        answer, (best, *others) = self._general.decide(view), self.rank(view)
        if isinstance(answer, Read):
            if answer.tile is not best.tile:
                return ReadRefusal(Reason.UNSURE, f"read as {answer.tile.text}, but like this set's {best.tile.text}", (best, *others))
            self._learn(answer.tile, unit_views(view.embeddings))
            return answer
        known = best.tile in self._examples and best.probability >= _SURE and view.kinds[best.tile] >= _AGREEMENT
        if answer.reason is Reason.UNSURE and known and self._near(best.tile, unit_views(view.embeddings)) > _ALIKE:
            return Read(best.tile, best.probability, view.turned, tuple(others))
        return answer

    def _shares(self, view: CropView) -> NDArray[np.float64]:
        """Shares of the 34 kinds; those of a face and of what is none stay as the general model has them."""
        looks, nats = unit_views(view.embeddings), np.zeros(len(view.kinds))
        for kind in self._examples:
            nats[kind] = np.clip((self._near(kind, looks) - _ALIKE) / _SPREAD, -_MOST, _MOST)
        shares = view.kinds * np.exp(nats)
        return np.asarray(shares * (view.kinds.sum() / shares.sum()), np.float64)

    def _near(self, kind: Tile, looks: Embeddings) -> float:
        return float(likeness(looks[None], np.stack(self._examples[kind])).max())

    def _learn(self, kind: Tile, looks: Embeddings) -> None:
        """A kind is learnt from a look that is like one before, so that no single misread teaches a wrong face."""
        before = self._read.setdefault(kind, [])
        if before and likeness(looks[None], np.stack(before)).max() > _ALIKE:
            self._examples[kind] = [*self._examples.get(kind, ()), looks][-_EXAMPLES:]
        before[:] = [*before, looks][-_EXAMPLES:]
