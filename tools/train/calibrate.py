"""Calibration of the model: fits the temperature, then the least probability that a read needs.

Both are fitted on sets that the judging network was not trained on: drawn sets held back from all networks, and the
photographed set that each network was trained without. A model is surer of sets that it has seen, so fitting on those
would promise too much. The limits are the loosest that satisfy every sample; where there are photographs, drawn
frames, which are poorer than a reader's, must satisfy less.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from twinwall.game.tiles import ALL_TILES
from twinwall.values import frozen, frozen_identity
from vision.model.classifier import joined_logits, kind_probabilities, softmax
from vision.model.crop_view import FOREIGN, LABELS, Limits

_TEMPERATURES = np.geomspace(0.25, 4.0, 33)
_LEVELS = tuple(round(1 - share, 4) for share in np.geomspace(0.5, 0.001, 80).tolist())
_MOST_MISREADS, _MOST_MISREADS_OF_POOR = 0.001, 0.003
_MOST_FALSE_ACCEPTS, _MOST_FALSE_ACCEPTS_OF_POOR = 0.01, 0.015
_MARGIN, _FOREIGN = 0.3, 0.05


@frozen_identity
class CalibrationSample:
    """Answers of networks to frames: joined outputs (n × outputs), and whether both views and all networks named one kind (n).

    ``truth`` (n) is the kind shown, -1 for what is no tile. ``poor`` frames are worse than any that a reader takes
    (too small, washed out, faces that nobody could name): limits must not let many misreads of them pass, but
    photographs decide.
    """

    joined: NDArray[np.float64]
    agreed: NDArray[np.bool_]
    truth: NDArray[np.int64]
    poor: bool = False


@frozen
class LimitsOutcome:
    """What limits give on a sample; shares 0 to 1."""

    top1: float
    coverage: float
    misread_of_accepted: float
    false_accepts: float


@frozen
class Calibration:
    """The fit, and what it gives on the samples it was fitted on."""

    temperature: float
    limits: Limits
    outcomes: Mapping[str, LimitsOutcome]


def kind_of_output() -> NDArray[np.int64]:
    """For each output the kind it stands for, -1 for what is not a tile."""
    kinds = [label.partition("/")[0] for label in LABELS]
    order = [tile.text for tile in ALL_TILES]
    return np.array([order.index(kind) if kind in order else -1 for kind in kinds], np.int64)


def sample(upright: NDArray[np.float32], turned: NDArray[np.float32], truth: NDArray[np.int64], *, poor: bool = False) -> CalibrationSample:
    """From each network's outputs (networks × n × outputs) for frames as they are and turned by 180°."""
    own = joined_logits(upright, turned)
    joined = own.mean(axis=0)
    best = _best(joined)
    opinions = [_best(view) for view in (upright.mean(axis=0), turned.mean(axis=0), *own)]
    return CalibrationSample(joined, np.asarray(np.all([opinion == best for opinion in opinions], axis=0)), truth, poor)


def together(samples: list[CalibrationSample]) -> CalibrationSample:
    """Several samples as one."""
    return CalibrationSample(
        np.concatenate([one.joined for one in samples]),
        np.concatenate([one.agreed for one in samples]),
        np.concatenate([one.truth for one in samples]),
    )


def calibrate(samples: Mapping[str, CalibrationSample]) -> Calibration:
    """Fit on samples by name, each of which counts alike for the temperature and must be satisfied by the limits."""
    losses = [sum(_loss(softmax(one.joined, float(t)), one.truth) for one in samples.values()) for t in _TEMPERATURES]
    temperature = float(_TEMPERATURES[int(np.argmin(losses))])
    judged = {name: _Judged.of(one, temperature) for name, one in samples.items()}
    fits = [Limits(level, _MARGIN, _FOREIGN) for level in _LEVELS]
    limits = next((limits for limits in fits if all(one.satisfied(limits) for one in judged.values())), fits[-1])
    return Calibration(temperature, limits, {name: one.outcome(limits) for name, one in judged.items()})


@frozen_identity
class _Judged:
    """A sample at a temperature: per frame the best kind, its probability and lead, and what goes to no tile."""

    best: NDArray[np.int64]
    probability: NDArray[np.float64]
    lead: NDArray[np.float64]
    foreign: NDArray[np.float64]
    agreed: NDArray[np.bool_]
    truth: NDArray[np.int64]
    poor: bool

    @classmethod
    def of(cls, one: CalibrationSample, temperature: float) -> _Judged:
        outputs = softmax(one.joined, temperature)
        kinds = kind_probabilities(outputs)
        ordered = np.sort(kinds, axis=1)
        foreign = outputs[:, list(FOREIGN.values())].sum(axis=1)
        return cls(kinds.argmax(axis=1), ordered[:, -1], ordered[:, -1] - ordered[:, -2], foreign, one.agreed, one.truth, one.poor)

    def satisfied(self, limits: Limits) -> bool:
        outcome = self.outcome(limits)
        misreads = _MOST_MISREADS_OF_POOR if self.poor else _MOST_MISREADS
        false_accepts = _MOST_FALSE_ACCEPTS_OF_POOR if self.poor else _MOST_FALSE_ACCEPTS
        return outcome.misread_of_accepted <= misreads and outcome.false_accepts <= false_accepts

    def outcome(self, limits: Limits) -> LimitsOutcome:
        accepted = self.agreed & (self.probability >= limits.probability) & (self.lead >= limits.margin) & (self.foreign <= limits.foreign)
        tiles = self.truth >= 0
        right = self.best == self.truth
        return LimitsOutcome(
            top1=_share(right[tiles]),
            coverage=_share(accepted[tiles]),
            misread_of_accepted=_share(~right[tiles & accepted]),
            false_accepts=_share(accepted[~tiles]),
        )


def _best(logits: NDArray[np.float64] | NDArray[np.float32]) -> NDArray[np.int64]:
    """The likeliest kind of each row, both turns together (…)."""
    return np.asarray(kind_probabilities(softmax(logits.astype(np.float64), 1.0)).argmax(axis=-1), np.int64)


def _loss(outputs: NDArray[np.float64], truth: NDArray[np.int64]) -> float:
    """Mean negative log likelihood of the true kind, or of being no tile."""
    kinds = kind_probabilities(outputs)
    foreign = outputs[:, list(FOREIGN.values())].sum(axis=1)
    right = np.where(truth >= 0, kinds[np.arange(len(truth)), np.maximum(truth, 0)], foreign)
    return float(-np.log(np.maximum(right, 1e-12)).mean())


def _share(cases: NDArray[np.bool_]) -> float:
    return float(cases.mean()) if len(cases) else 0.0
