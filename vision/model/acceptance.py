"""Acceptance: decides whether the network's answer is a read, by probability, margin, both views and all networks.

The gate, the mat and photographs use the same decision. The limits are fitted on designs that the network was not
trained on, and stand in the model file.
"""

import json
from dataclasses import asdict

from twinwall.values import frozen
from vision.model.crop_view import CropView
from vision.reading import Read, ReadRefusal, Reason


@frozen
class Limits:
    """What a read needs: at least ``probability``, ``margin`` over the next kind, at most ``foreign`` for all that is no tile."""

    probability: float
    margin: float
    foreign: float

    def to_json(self) -> str:
        """As one JSON object, for the model file."""
        return json.dumps(asdict(self), sort_keys=True)


def decide(view: CropView, limits: Limits) -> Read | ReadRefusal:
    """A read, or the reason why there is none."""
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
