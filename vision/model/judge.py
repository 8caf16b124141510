"""Judge: accepts or refuses a tile's kind (``decide``) from a view of it, by the general model alone or by an enrolled set's profile.

A read by a profile needs likeness to the kind's examples, a lead over the next kind, and the general model's agreement.

Several frames of one tile must all name one kind. Errors of one camera's frames depend on each other, so agreement does not multiply
probabilities: the least probable frame counts. An unusable frame (glare, a hand, dark) does not contradict; one that read another kind
does.
"""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from twinwall.game.tiles import Tile
from twinwall.values import frozen
from vision.model.crop_view import HALF_TURN_SHAPES, CropView, Limits, decide
from vision.model.profile import Profile
from vision.model.similarity import Embeddings, likeness, nearest, together, unit_views, ways
from vision.reading import Candidate, Read, ReadRefusal, Reason

_LEAST_APART = 0.05
"""Least distance between two kinds: without it, noise would separate kinds whose examples look the same."""


class Judge(Protocol):
    """Turns a view into candidates and into a decision."""

    @property
    def knows_the_set(self) -> bool:
        """Whether it knows this set's own faces, so that a blank white dragon can be read."""
        ...

    def rank(self, view: CropView, most: int = 3) -> tuple[Candidate, ...]:
        """Return at most ``most`` of the likeliest kinds, best first."""
        ...

    def decide(self, view: CropView) -> Read | ReadRefusal:
        """Return a read, or the reason why there is none."""
        ...


@frozen
class GeneralJudge:
    """The model alone, for a set that it has never seen; the model file holds ``limits``."""

    knows_the_set = False

    limits: Limits

    def rank(self, view: CropView, most: int = 3) -> tuple[Candidate, ...]:
        return view.best(most)

    def decide(self, view: CropView) -> Read | ReadRefusal:
        """Decide by probability and margin (``vision.model.crop_view``)."""
        return decide(view, self.limits)


class ProfileJudge:
    """An enrolled set: the nearest examples decide, and the general model must not contradict."""

    knows_the_set = True

    def __init__(self, profile: Profile) -> None:
        """Only the profile's kinds can be read."""
        self._profile = profile
        self._tiles = tuple(sorted(profile.kinds))
        examples = [profile.kinds[tile].examples for tile in self._tiles]
        self._examples = together(examples)
        self._apart = apart(examples)

    def rank(self, view: CropView, most: int = 3) -> tuple[Candidate, ...]:
        return self._candidates(self._likenesses(view), most)

    def decide(self, view: CropView) -> Read | ReadRefusal:
        """Decide by likeness, lead and the general model's agreement."""
        limits = self._profile.limits
        near = self._likenesses(view)
        candidates = self._candidates(near)
        best = candidates[0]
        first, second = np.argsort(-near, kind="stable")[:2] if len(near) > 1 else (0, 0)
        if near[first] < limits.likeness:
            reason = Reason.NOT_A_TILE if sum(view.foreign.values()) > 0.5 else Reason.UNSURE
            return ReadRefusal(
                reason,
                f"unlike every tile of the set {self._profile.name!r}, {best.tile.text} is the nearest ({near[first]:.2f})",
                candidates,
            )
        if len(near) > 1 and near[first] - near[second] < limits.margin * self._apart[first, second]:
            return ReadRefusal(Reason.UNSURE, f"between {best.tile.text} and {candidates[1].tile.text} of this set", candidates)
        if view.kinds[best.tile] < self._profile.kinds[best.tile].agreement:
            return ReadRefusal(Reason.UNSURE, f"like this set's {best.tile.text}, but {_general_words(view)}", candidates)
        return Read(best.tile, best.probability, self._turned(view, best.tile), candidates[1:])

    def _likenesses(self, view: CropView) -> NDArray[np.float32]:
        return nearest(unit_views(view.embeddings), *self._examples)

    def _candidates(self, near: NDArray[np.float32], most: int = 3) -> tuple[Candidate, ...]:
        shares = probabilities(near, self._profile.limits.spread)
        return tuple(Candidate(self._tiles[index], float(shares[index])) for index in np.argsort(-near, kind="stable")[:most])

    def _turned(self, view: CropView, tile: Tile) -> bool:
        if tile in HALF_TURN_SHAPES:
            return False
        same, crosswise = ways(unit_views(view.embeddings[None]), self._profile.kinds[tile].examples)
        return bool(crosswise.max() > same.max())


@frozen
class OverheadJudge:
    """An enrolled set seen from above, in other light than at a gate.

    If the profile is unsure, the general model's sure read counts, provided that it is the profile's likeliest kind. It does not count for
    a white dragon: a face washed out by light looks like one.
    """

    knows_the_set = True

    enrolled: Judge
    general: Judge

    def rank(self, view: CropView, most: int = 3) -> tuple[Candidate, ...]:
        return self.enrolled.rank(view, most)

    def decide(self, view: CropView) -> Read | ReadRefusal:
        """Decide by the profile, or by both."""
        answer = self.enrolled.decide(view)
        if not isinstance(answer, ReadRefusal) or answer.reason is not Reason.UNSURE:
            return answer
        likeliest, general = self.enrolled.rank(view, 1)[0].tile, self.general.decide(view)
        agree = isinstance(general, Read) and general.tile is likeliest and likeliest is not Tile.WHITE
        return general if agree else answer


def probabilities(near: NDArray[np.float32], spread: float) -> NDArray[np.float64]:
    """Return shares (… × kinds) from likenesses to kinds: the larger ``spread``, the less a lead is worth."""
    powers = np.exp((near.astype(np.float64) - near.max(axis=-1, keepdims=True)) / spread)
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


def apart(examples: list[Embeddings]) -> NDArray[np.float32]:
    """Return the distances of kinds (kinds × kinds): 1 less the greatest likeness between an example of one and one of the other."""
    everything, starts = together(examples)
    by_rows = np.maximum.reduceat(likeness(everything, everything), starts, axis=0)
    return np.asarray(np.maximum(1 - np.maximum.reduceat(by_rows, starts, axis=1), _LEAST_APART), np.float32)


def _general_words(view: CropView) -> str:
    best = view.best(1)[0]
    foreign = sum(view.foreign.values())
    return "the general model sees no tile" if foreign > best.probability else f"the general model sees {best.tile.text}"


def agreed(answers: Sequence[Read | ReadRefusal], *, least: int = 2) -> Read | ReadRefusal:
    """Return the read that at least ``least`` answers give and none contradicts, or a refusal; raises ValueError without answers. An unsure
    frame contradicts if it puts another kind first."""
    if not answers:
        raise ValueError("no frame was read: agreement needs answers")
    reads = [answer for answer in answers if isinstance(answer, Read)]
    refusals = [answer for answer in answers if isinstance(answer, ReadRefusal)]
    if not reads:
        return refusals[-1]
    kinds = {read.tile for read in reads}
    likeliest = {refusal.candidates[0].tile for refusal in refusals if refusal.candidates and refusal.reason is Reason.UNSURE}
    if len(kinds | likeliest) > 1:
        names = ", ".join(sorted(tile.text for tile in kinds | likeliest))
        return ReadRefusal(Reason.UNSURE, f"the frames do not agree: {names}")
    if len(reads) < least:
        return refusals[-1] if refusals else ReadRefusal(Reason.UNSURE, f"{len(reads)} of {least} frames that must agree")
    return min(reads, key=lambda read: read.probability)
