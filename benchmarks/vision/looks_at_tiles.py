"""Looks at tiles, counted: results of single looks and whole poses, repeated results, and errors of poses."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from tests.support.simulator.mat_observations import LyingTile
from twinwall.art.mat import Spot
from vision.mat_observation import ObservedTile

_LEAST_LOOKS = 4
"""Looks of a pose from which its error is computed."""
_SAME_MM = 10.0
"""A phantom this close to one of the previous frame is the same."""
_MOST_NAMED = 60
_MOST_HIDDEN = 0.5


class Outcome(StrEnum):
    """What one look says of a tile that is there."""

    RIGHT = "sure and right"
    WRONG = "sure and wrong"
    UNSURE = "unsure, the right kind first"
    CONFUSED = "unsure, another kind first"
    WASHED_OUT = "washed out"
    BACK = "a back told as a back"
    FACE_SEEN_AS_BACK = "a face told as a back"
    BACK_SEEN_AS_FACE = "a back told as a face"
    COVERED = "missed, its place covered"
    BARE = "missed, its place bare"


_AS_IT_IS = (Outcome.RIGHT, Outcome.BACK)
_MISSED = {Outcome.COVERED, Outcome.BARE}
_NOT_NAMED = (*_AS_IT_IS, Outcome.UNSURE)


class _Pose(NamedTuple):
    hand: str
    tile: int
    lies: Spot
    face_down: bool


@dataclass(slots=True)
class _PoseLooks:
    """All free looks at one pose, in order."""

    face: str
    outcomes: list[Outcome] = field(default_factory=list)
    off: list[tuple[float, float, float]] = field(default_factory=list)
    """Errors of the looks that found it: x and y in mm, degrees."""

    @property
    def usual(self) -> Outcome:
        """The most frequent result."""
        return Counter(self.outcomes).most_common(1)[0][0]


class LookTally:
    """All looks of some hands; those at tiles hidden by more than ``most_hidden`` are counted apart. A pose counts with at least
    ``least_looks`` looks."""

    def __init__(self, most_hidden: float, least_looks: int = _LEAST_LOOKS) -> None:
        self.counts: Counter[str] = Counter()
        self._least_looks = least_looks
        self._most_hidden = most_hidden
        self._hand = ""
        self._poses: dict[_Pose, _PoseLooks] = {}
        self._partly: Counter[str] = Counter()
        self._unsure_shares: list[float] = []
        self._kinds: Counter[str] = Counter()
        self._phantoms_named: list[str] = []
        self._phantoms: list[tuple[float, float]] = []

    def hand(self, name: str) -> None:
        """Begin another hand."""
        self._hand, self._phantoms = name, []
        self.counts["hands"] += 1

    def look(self, tile: LyingTile, outcome: Outcome, one: ObservedTile | None, hidden: float) -> None:
        """Count one look at a tile with this hidden share."""
        if hidden > self._most_hidden:
            self._partly[f"{'half or more' if hidden >= _MOST_HIDDEN else 'less than half'} hidden: {outcome}"] += 1
            return
        looks = self._poses.setdefault(_Pose(self._hand, tile.tile.id, tile.pose, tile.face_down), _PoseLooks(tile.tile.face))
        looks.outcomes.append(outcome)
        if one is not None:
            turn = (one.angle_deg - tile.pose.turn_deg + 90.0) % 180.0 - 90.0
            looks.off.append((one.x_mm - tile.pose.x_mm, one.y_mm - tile.pose.y_mm, turn))
            if one.shares and outcome is not Outcome.RIGHT:
                first = max(one.shares, key=lambda kind: one.shares[kind])
                self._unsure_shares.append(one.shares[first])
                if outcome in (Outcome.WRONG, Outcome.CONFUSED):
                    self._kinds[f"{tile.tile.face} as {first.text}"] += 1

    def phantoms(self, at_ms: int, tiles: Iterable[ObservedTile]) -> None:
        """Count tiles that a frame reports where there are none."""
        before, self._phantoms = self._phantoms, [(one.x_mm, one.y_mm) for one in tiles]
        for x_mm, y_mm in self._phantoms:
            again = any(math.hypot(x_mm - old[0], y_mm - old[1]) < _SAME_MM for old in before)
            self.counts["phantoms_seen_again" if again else "phantoms"] += 1
            if not again:
                self._phantoms_named.append(f"{self._hand}: nothing lies at {x_mm:.0f}, {y_mm:.0f} mm, {at_ms} ms")

    def to_json(self) -> dict[str, object]:
        """Return counts and shares."""
        looks = Counter(outcome for pose in self._poses.values() for outcome in pose.outcomes)
        lain = [pose for pose in self._poses.values() if len(pose.outcomes) >= self._least_looks]
        return {
            **dict(sorted(self.counts.items())),
            "looks": sum(looks.values()),
            "share_of_looks": _shares(looks),
            "poses": len(lain),
            "share_of_poses": _shares(Counter(pose.usual for pose in lain)),
            "poses_never_found": sum(set(pose.outcomes) <= _MISSED for pose in lain),
            "again_in_the_next_look": {outcome: _again(lain, outcome) for outcome in sorted(looks) if outcome not in _AS_IT_IS},
            "off": _off(lain),
            "first_share_where_unsure": _quantiles(self._unsure_shares),
            "kinds_taken_for_others": dict(self._kinds.most_common(_MOST_NAMED)),
            "partly_hidden": dict(sorted(self._partly.items())),
            "named": [*self._phantoms_named, *self._strange()][:_MOST_NAMED],
        }

    def _strange(self) -> Iterator[str]:
        """Yield the poses with looks that are neither right nor a doubt about the right kind."""
        for pose, looks in self._poses.items():
            for outcome, times in Counter(looks.outcomes).items():
                if outcome not in _NOT_NAMED:
                    where = f"{pose.lies.x_mm:.0f}, {pose.lies.y_mm:.0f} mm"
                    yield f"{pose.hand}: {looks.face} at {where}: {times} of {len(looks.outcomes)} looks {outcome}"


def _shares(counts: Counter[Outcome]) -> dict[str, float]:
    whole = sum(counts.values())
    return {outcome: round(count / whole, 5) for outcome, count in counts.most_common()}


def _again(poses: Iterable[_PoseLooks], outcome: Outcome) -> float | None:
    """Return how often a pose's next look says the same; None if there are no next looks."""
    pairs = [(one, other) for pose in poses for one, other in zip(pose.outcomes, pose.outcomes[1:], strict=False) if one is outcome]
    return round(sum(other is outcome for _, other in pairs) / len(pairs), 3) if pairs else None


def _off(poses: Iterable[_PoseLooks]) -> dict[str, object]:
    """Return errors of looks: a pose's mean is the steady part, the rest changes from frame to frame."""
    found = [np.array(pose.off) for pose in poses if len(pose.off) >= _LEAST_LOOKS]
    if not found:
        return {}
    means = np.array([one.mean(axis=0) for one in found])
    rests = np.concatenate([one - one.mean(axis=0) for one in found])
    return {
        "steady_mm": _quantiles(np.hypot(means[:, 0], means[:, 1]).tolist()),
        "steady_deg": _quantiles(np.abs(means[:, 2]).tolist()),
        "changing_mm": _quantiles(np.hypot(rests[:, 0], rests[:, 1]).tolist()),
        "changing_deg": _quantiles(np.abs(rests[:, 2]).tolist()),
    }


def _quantiles(values: Sequence[float]) -> dict[str, float]:
    return {f"p{percent}": round(float(np.percentile(values, percent)), 3) for percent in (5, 50, 95, 99)} if values else {}
