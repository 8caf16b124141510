"""Fits how sure the reader may be: a temperature, then the least probability that a read needs.

Both come from frames of sets that the network was not trained on. A model is surer of sets like those
it has seen, so fitting on those would promise too much.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twinwall.game.tiles import ALL_TILES
from vision.accept import Limits
from vision.classes import FOREIGN, LABELS
from vision.classify import joined_logits, kind_probabilities, softmax

_TEMPERATURES = np.geomspace(0.25, 4.0, 49)
_LEVELS = tuple(round(1 - share, 4) for share in np.geomspace(0.2, 0.001, 80).tolist())
_MOST_MISREADS = 0.001
_MOST_FALSE_ACCEPTS = 0.02
_MARGIN, _FOREIGN = 0.5, 0.05


@dataclass(frozen=True, slots=True)
class Calibration:
    """The fit and what it gives on the frames it was fitted on."""

    temperature: float
    limits: Limits
    top1: float
    coverage: float
    misread_of_accepted: float
    false_accepts: float


def kind_of_output() -> NDArray[np.int64]:
    """For each output the kind it stands for, -1 for what is not a tile."""
    kinds = [label.partition("/")[0] for label in LABELS]
    order = [tile.text for tile in ALL_TILES]
    return np.array([order.index(kind) if kind in order else -1 for kind in kinds], np.int64)


def calibrate(logits: NDArray[np.float32], logits_turned: NDArray[np.float32], labels: NDArray[np.int64]) -> Calibration:
    """Fit on the outputs (n × outputs) of held-out frames as they are and turned by 180°, and on what they should light (n)."""
    joined = joined_logits(logits, logits_turned)
    truth = kind_of_output()[labels]
    losses = [_loss(softmax(joined, float(temperature)), truth) for temperature in _TEMPERATURES]
    temperature = float(_TEMPERATURES[int(np.argmin(losses))])
    outputs = softmax(joined, temperature)
    alone = [kind_probabilities(softmax(view.astype(np.float64), temperature)).argmax(1) for view in (logits, logits_turned)]
    agreed = alone[0] == alone[1]
    outcomes = [_outcome(outputs, agreed, truth, Limits(level, _MARGIN, _FOREIGN), temperature) for level in _LEVELS]
    for outcome in outcomes:
        if outcome.misread_of_accepted <= _MOST_MISREADS and outcome.false_accepts <= _MOST_FALSE_ACCEPTS:
            return outcome
    return outcomes[-1]


def _loss(outputs: NDArray[np.float64], truth: NDArray[np.int64]) -> float:
    """Mean negative log likelihood of the true kind, or of being no tile."""
    kinds = kind_probabilities(outputs)
    foreign = outputs[:, list(FOREIGN.values())].sum(1)
    right = np.where(truth >= 0, kinds[np.arange(len(truth)), np.maximum(truth, 0)], foreign)
    return float(-np.log(np.maximum(right, 1e-12)).mean())


def _outcome(
    outputs: NDArray[np.float64], agreed: NDArray[np.bool_], truth: NDArray[np.int64], limits: Limits, temperature: float
) -> Calibration:
    kinds = kind_probabilities(outputs)
    best = kinds.argmax(1)
    ordered = np.sort(kinds, axis=1)
    foreign = outputs[:, list(FOREIGN.values())].sum(1)
    accepted = (
        agreed & (ordered[:, -1] >= limits.probability) & (ordered[:, -1] - ordered[:, -2] >= limits.margin) & (foreign <= limits.foreign)
    )
    tiles = truth >= 0
    right = best == truth
    return Calibration(
        temperature,
        limits,
        top1=_share(right[tiles]),
        coverage=_share(accepted[tiles]),
        misread_of_accepted=_share(~right[tiles & accepted]),
        false_accepts=_share(accepted[~tiles]),
    )


def _share(cases: NDArray[np.bool_]) -> float:
    return float(cases.mean()) if len(cases) else 0.0
