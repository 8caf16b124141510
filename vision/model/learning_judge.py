"""Learning judge: reads a set that was not enrolled, and learns its faces on the way (``vision.model.set_faces``)."""

import numpy as np
from numpy.typing import NDArray

from twinwall.game.tiles import Tile
from vision.model.crop_view import CropView
from vision.model.judge import Judge
from vision.model.set_faces import ALIKE, MOST, SURE, SetFaces, likeness_nats
from vision.model.similarity import Embeddings, likeness, unit_views
from vision.reading import Candidate, Read, ReadRefusal, Reason

_AGREEMENT = 0.3
"""Least share that the general model alone must give to a kind that is read by its likeness."""


class LearningJudge:
    """The general judge, and what it has learnt of the set's faces."""

    knows_the_set = False

    def __init__(self, general: Judge) -> None:
        """``general`` reads what is in no doubt."""
        self._general, self._faces = general, SetFaces()
        self._examples: dict[Tile, Embeddings] = {}
        self._is_new = False
        """Whether something was seen of which nothing has been learnt yet."""

    @property
    def learnt(self) -> dict[Tile, Embeddings]:
        """The faces of each kind that has been learnt."""
        if self._is_new:
            self._examples, self._is_new = self._faces.named(), False
        return self._examples

    def rank(self, view: CropView, most: int = 3) -> tuple[Candidate, ...]:
        """By the general model, and by likeness where a kind has been learnt."""
        shares = self._shares(view)
        return tuple(Candidate(Tile(int(index)), float(shares[index])) for index in np.argsort(-shares, kind="stable")[:most])

    def decide(self, view: CropView) -> Read | ReadRefusal:
        """By the general model unless a face is like another kind that has been learnt, or by likeness to such a kind."""
        answer, (best, *others) = self._general.decide(view), self.rank(view)
        like = self._near(best.tile, unit_views(view.embeddings)) > ALIKE
        if isinstance(answer, Read):
            if like and answer.tile is not best.tile:
                return ReadRefusal(Reason.UNSURE, f"read as {answer.tile.text}, but like this set's {best.tile.text}", (best, *others))
            return answer
        agrees = best.probability >= SURE and view.kinds[best.tile] >= _AGREEMENT
        return (
            Read(best.tile, best.probability, view.turned, tuple(others)) if answer.reason is Reason.UNSURE and like and agrees else answer
        )

    def learn(self, view: CropView, x_mm: float, y_mm: float) -> None:
        """Learn from a look at a whole tile that lies here."""
        self._is_new |= self._faces.see(unit_views(view.embeddings), view.kinds, x_mm, y_mm)

    def _shares(self, view: CropView) -> NDArray[np.float64]:
        """Shares of the 34 kinds; those of a face and of what is none stay as the general model has them."""
        looks, nats = unit_views(view.embeddings), np.zeros(len(view.kinds))
        for kind in self.learnt:
            nats[kind] = likeness_nats(self._near(kind, looks), MOST)
        shares = view.kinds * np.exp(nats)
        return np.asarray(shares * (view.kinds.sum() / shares.sum()), np.float64)

    def _near(self, kind: Tile, looks: Embeddings) -> float:
        """How like a look is to a kind that has been learnt; 0 for another one."""
        examples = self.learnt.get(kind)
        return 0.0 if examples is None else float(likeness(looks[None], examples).max())
