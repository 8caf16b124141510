"""Disturbances: how people and light disturb a hand, each with its rate per occasion, to be switched, scaled and counted.

Rates are those assumed per hand in players.md of the design, divided by the occasions of a hand (55 discards, 3 calls and melds).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

_DISCARDS, _CALLS = 55, 3

RATES: Mapping[str, float] = {
    "discard more than 10 mm off": 6 / _DISCARDS,
    "discard more than 30 mm off": 1 / _DISCARDS,
    "wrong row or column": 0.5 / _DISCARDS,
    "askew": 3 / _DISCARDS,
    "overlapping": 0.3 / _DISCARDS,
    "face down at first": 0.05 / _DISCARDS,
    "on another's river": 0.02 / _DISCARDS,
    "river pushed": 0.3 / _DISCARDS,
    "by voice": 0.3,
    "wrong key": 0.02,
    "call taken back": 0.05 * _CALLS / _DISCARDS,
    "taken late": 0.1,
    "wrong river and put back": 0.01,
    "meld far off": 0.3,
    "drawn and put back": 0.02 / _DISCARDS,
    "two drawn": 0.01 / _DISCARDS,
    "dropped face up": 0.03 / _DISCARDS,
    "arm": 15 / _DISCARDS,
    "arm for long": 0.2 / _DISCARDS,
    "cup": 0.05 / _DISCARDS,
    "light step": 0.1 / _DISCARDS,
    "camera bumped": 0.02 / _DISCARDS,
    "camera silent": 0.02 / _DISCARDS,
    "shown unsorted": 0.5,
    "shown in two rows": 0.1,
    "winning tile not apart": 0.3,
}


@dataclass
class Disturbances:
    """Which of them happen; ``counts`` says how often each has."""

    rng: np.random.Generator
    scale: float = 1.0
    off: frozenset[str] = frozenset()
    counts: Counter[str] = field(default_factory=Counter)

    def happens(self, name: str) -> bool:
        """Whether it happens on this occasion."""
        happens = name not in self.off and float(self.rng.random()) < min(0.9, RATES[name] * self.scale)
        self.counts[name] += happens
        return happens


@dataclass
class OnlyThese(Disturbances):
    """Disturbances of which the named ones happen on every occasion, and no others."""

    names: frozenset[str] = frozenset()

    def happens(self, name: str) -> bool:
        self.counts[name] += name in self.names
        return name in self.names


def only(*names: str, seed: int = 1) -> OnlyThese:
    """These disturbances whenever they can happen; raises ValueError for a name that there is not."""
    unknown = set(names) - set(RATES)
    if unknown:
        raise ValueError(f"there are no disturbances {sorted(unknown)}: see RATES")
    return OnlyThese(np.random.default_rng(seed), names=frozenset(names))
