"""Learning judge: reads a set that was not enrolled, and learns its faces on the way. It groups the looks of one recording by likeness, and
finds the kind of each group.

Looks at one kind in one recording are alike (``vision.model.similarity``): of 1,322 on two drawn tables 99 % had a likeness of at least
0.89 to another tile of their kind and at most 0.86 to every other kind, even if the general model was in doubt. So a group is one kind, and
hardly one that is surely another group's: a doubtful face is one of the kinds left. The shares are those of sum-product messages between
groups and kinds (Huang and Jebara, 2009, "Approximating the permanent").
"""

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from twinwall.game.tiles import Tile
from twinwall.values import frozen
from vision.model.crop_view import CropView
from vision.model.judge import Judge
from vision.model.similarity import Embeddings, likeness, nearest, together, unit_views
from vision.reading import Candidate, Read, ReadRefusal, Reason

ALIKE, _SPREAD = 0.87, 0.03
"""Likeness that speaks neither for nor against a kind, and the difference from it that is worth a nat."""
MOST = 6.0
"""Most nats against a kind by likeness: one of the 1,322 looks was as unlike its own kind."""
_SECOND = 3.5
"""A second face of a kind, such as a red five, is less likely by this many nats."""
SURE = 0.98
"""Least share of a kind that is named."""
_GROUPS, _KEPT = 100, 8
"""Most groups, beyond which the first of the smallest ones is replaced, and most tiles kept of each."""
_COUNTED = 3
"""Most tiles of a group that count as evidence, since the model errs alike for similar tiles."""
_APART_MM = 20.0
"""Tiles whose middles are nearer may be one."""
_LOOKS = 4
"""Later looks at one tile say nothing new."""
_LEAST = 1e-4
"""Least share of a kind."""
_ROUNDS = 40


@frozen
class _Face:
    """A tile at a place: its last look, the mean logarithms of the model's shares (34 kinds, and none of them), and the number of looks."""

    x_mm: float
    y_mm: float
    looks: Embeddings
    logs: NDArray[np.float64]
    count: int = 1


class SetFaces:
    """The groups of one set."""

    def __init__(self) -> None:
        self._groups: list[list[_Face]] = []

    def see(self, looks: Embeddings, shares: NDArray[np.float64], x_mm: float, y_mm: float) -> bool:
        """Add a look at a tile at a place, with the model's shares of the kinds (34). Return whether it may say something new."""
        face = _Face(x_mm, y_mm, looks, np.log(np.maximum((*shares, 1 - shares.sum()), _LEAST)))
        near = [_near(looks, group) for group in self._groups]
        if max(near, default=0.0) <= ALIKE:
            if len(self._groups) == _GROUPS:
                del self._groups[min(range(_GROUPS), key=lambda number: len(self._groups[number]))]
            self._groups.append([face])
            return True
        group = self._groups[int(np.argmax(near))]
        again = next((each for each in group if math.hypot(each.x_mm - x_mm, each.y_mm - y_mm) < _APART_MM), None)
        if again is not None:
            group[:] = [each for each in group if each is not again]
            count = again.count + 1
            face = _Face(x_mm, y_mm, looks, again.logs + (face.logs - again.logs) / count, count)
        group.append(face)
        del group[:-_KEPT]
        return face.count <= _LOOKS

    def named(self) -> dict[Tile, Embeddings]:
        """Return the faces of each kind that a group surely is, but not of the white dragon: a face washed out by light looks like one."""
        named = dict[Tile, Embeddings]()
        for kind, share, group in self._shared_out():
            if share >= SURE and kind is not Tile.WHITE:
                named[kind] = np.stack([face.looks for face in group])
        return named

    def _shared_out(self) -> Iterator[tuple[Tile, float, list[_Face]]]:
        """Yield each group with its likeliest kind and that kind's share."""
        clear, rest = dict[Tile, list[_Face]](), list[list[_Face]]()
        for group in sorted(self._groups, key=len, reverse=True):  # a tile that was misread is of the smaller group
            kind, share = _likeliest(_shares(group)[:-1])
            if share < SURE:
                rest.append(group)
            else:
                clear.setdefault(kind, group)
        groups = [*clear.values(), *rest]
        shares = np.array([_shares(group) for group in groups]).reshape(-1, len(Tile) + 1)
        own, again = shares[:, :-1], shares[:, -1:].copy()
        for row, group in enumerate(rest, len(clear)):
            may_be = [(own[row, kind], other) for kind, other in clear.items() if own[row, kind] > _LEAST**2]
            again[row] += sum(share * math.exp(likeness_nats(_between(group, other), _SECOND)) for share, other in may_be)
        free = np.ones_like(own)
        for _ in range(_ROUNDS):
            may = own * free
            wants = own / np.maximum(may.sum(axis=1, keepdims=True) - may + again, _LEAST**2)
            free = np.sqrt(free / (1 + wants.sum(axis=0) - wants))
        may = own * free / ((own * free).sum(axis=1, keepdims=True) + again)
        for group, each in zip(groups, may, strict=True):
            yield *_likeliest(each), group


def likeness_nats(near: NDArray[np.float32], most: float) -> NDArray[np.float32]:
    """Return what likenesses to a kind are worth for it, in nats; at least ``-most``."""
    return np.asarray(np.maximum((near - ALIKE) / _SPREAD, -most), np.float32)


def _shares(group: list[_Face]) -> NDArray[np.float64]:
    """Return the shares of the kinds, and of none (35), by the model's shares for all tiles of a group."""
    logs = min(len(group), _COUNTED) * np.mean([face.logs for face in group], axis=0)
    shares = np.exp(logs - logs.max())
    return np.asarray(shares / shares.sum(), np.float64)


def _likeliest(shares: NDArray[np.float64]) -> tuple[Tile, float]:
    kind = int(shares.argmax())
    return Tile(kind), float(shares[kind])


def _near(looks: Embeddings, group: list[_Face]) -> float:
    return float(likeness(looks[None], np.stack([face.looks for face in group])).mean())


def _between(one: list[_Face], other: list[_Face]) -> NDArray[np.float32]:
    return np.asarray(likeness(*(np.stack([face.looks for face in group]) for group in (one, other))).mean())


_AGREEMENT = 0.3
"""Least share that the general model must give to a kind read by its likeness."""


class LearningJudge:
    """The general judge, and the faces that it has learnt of the set."""

    knows_the_set = False

    def __init__(self, general: Judge) -> None:
        """``general`` reads faces that are in no doubt."""
        self._general, self._faces = general, SetFaces()
        self._examples: dict[Tile, Embeddings] = {}
        self._together = np.empty(0, np.float32), np.empty(0, np.intp)
        """The examples as ``similarity.nearest`` takes them."""
        self._is_new = False
        """Whether looks were added since the faces were last named."""

    @property
    def learnt(self) -> dict[Tile, Embeddings]:
        """The faces of each kind that was learnt."""
        if self._is_new:
            self._examples, self._is_new = self._faces.named(), False
            if self._examples:
                self._together = together(list(self._examples.values()))
        return self._examples

    def rank(self, view: CropView, most: int = 3) -> tuple[Candidate, ...]:
        """Order by the general model and by likeness to learnt kinds; a kind that was not learnt does not come before a sure read."""
        near = self._near(view)
        ranked, answer = _ranked(view, near, most), self._general.decide(view)
        is_other = isinstance(answer, Read) and answer.tile is not ranked[0].tile
        return self._general.rank(view, most) if is_other and near[ranked[0].tile] <= ALIKE else ranked

    def decide(self, view: CropView) -> Read | ReadRefusal:
        """Read by the general model, unless a face is like another, learnt kind; if the model is unsure, by likeness to a learnt kind."""
        near = self._near(view)
        answer, (best, *others) = self._general.decide(view), _ranked(view, near, 3)
        like = near[best.tile] > ALIKE
        if isinstance(answer, Read):
            if like and answer.tile is not best.tile:
                return ReadRefusal(Reason.UNSURE, f"read as {answer.tile.text}, but like this set's {best.tile.text}", (best, *others))
            return answer
        agrees = best.probability >= SURE and view.kinds[best.tile] >= _AGREEMENT
        return (
            Read(best.tile, best.probability, view.turned, tuple(others)) if answer.reason is Reason.UNSURE and like and agrees else answer
        )

    def learn(self, view: CropView, x_mm: float, y_mm: float) -> None:
        """Learn from a look at a whole tile at this place."""
        self._is_new |= self._faces.see(unit_views(view.embeddings), view.kinds, x_mm, y_mm)

    def _near(self, view: CropView) -> NDArray[np.float32]:
        near = np.full(len(Tile), ALIKE, np.float32)
        if learnt := self.learnt:
            near[list(learnt)] = nearest(unit_views(view.embeddings), *self._together)
        return near


def _ranked(view: CropView, near: NDArray[np.float32], most: int) -> tuple[Candidate, ...]:
    """Return the likeliest kinds by the general model and by likeness to them; the model's share of no face stays."""
    shares = view.kinds * np.exp(likeness_nats(near, MOST))
    shares *= view.kinds.sum() / shares.sum()
    return tuple(Candidate(Tile(int(index)), float(shares[index])) for index in np.argsort(-shares, kind="stable")[:most])
