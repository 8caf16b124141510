"""Draws of disturbances: whether one happens on an occasion, and its sizes, from a seed alone.

Every draw belongs to a kind and an occasion, never to what was drawn before. So one kind can be switched off or
scaled without any other happening differently, and a process that starts again draws the same.
"""

import hashlib
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import field
from typing import TypeVar

from simulator.disturbances.kinds import RATES, Disturbance
from twinwall.values import frozen

MOST_SCALE = 5.0
_SPAN = 2**64

Choice = TypeVar("Choice")


class Numbers:
    """Random numbers that belong to one name."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._drawn = 0

    def share(self) -> float:
        """From 0 to 1, without 1."""
        self._drawn += 1
        drawn = hashlib.blake2b(f"{self._name} {self._drawn}".encode(), digest_size=8).digest()
        return int.from_bytes(drawn, "big") / _SPAN

    def between(self, low: float, high: float) -> float:
        """Evenly from ``low`` to ``high``."""
        return low + (high - low) * self.share()

    def milliseconds(self, low_s: float, high_s: float) -> int:
        """A time in whole milliseconds, between seconds."""
        return round(1000 * self.between(low_s, high_s))

    def one_of(self, choices: Sequence[Choice]) -> Choice:
        """One of them; raises IndexError where there is none."""
        return choices[int(self.share() * len(choices))]

    def sign(self) -> int:
        """−1 or 1."""
        return 1 if self.share() < 0.5 else -1

    def shuffled(self, values: Sequence[Choice]) -> list[Choice]:
        return [value for _, value in sorted(((self.share(), number), value) for number, value in enumerate(values))]


@frozen
class Disturbances:
    """How much people disturb: ``scale`` (0 to 5) multiplies every rate, ``scales`` those of single kinds once more; 0 switches off.

    Raises ValueError for a scale that is out of range.
    """

    seed: int
    scale: float = 1.0
    scales: Mapping[Disturbance, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not 0 <= self.scale <= MOST_SCALE:
            raise ValueError(f"disturbances cannot be scaled by {self.scale}: give a number from 0 to {MOST_SCALE:g}")
        for kind, scale in self.scales.items():
            if scale < 0:
                raise ValueError(f"{kind} cannot be scaled by {scale}: give 0, which switches it off, or more")

    def expected(self, kind: Disturbance) -> float:
        """How many of a kind are expected on one of its occasions."""
        return RATES[kind].on_each_occasion * self.scale * self.scales.get(kind, 1.0)

    def happens(self, kind: Disturbance, occasion: str) -> bool:
        """Whether it happens; ``occasion`` names one occasion of one hand."""
        expected = self.expected(kind)
        return expected > 0 and self.numbers(kind, f"{occasion}?").share() < expected

    def count(self, kind: Disturbance, occasion: str) -> int:
        """How often it happens where it can happen several times on one occasion (Poisson's distribution)."""
        expected = self.expected(kind)
        if not expected:
            return 0
        left, count, chance = self.numbers(kind, f"{occasion}?").share(), 0, math.exp(-expected)
        while left >= chance > 0:
            left -= chance
            count += 1
            chance *= expected / count
        return count

    def numbers(self, kind: Disturbance, occasion: str) -> Numbers:
        """Numbers for the sizes of a disturbance."""
        return Numbers(f"{self.seed} {kind} {occasion}")


def only(seed: int, kinds: Collection[Disturbance]) -> Disturbances:
    """People who disturb in these ways on every occasion, or once on average if it can happen several times on one, and in no others."""
    return Disturbances(seed, scales={kind: 1 / RATES[kind].on_each_occasion if kind in kinds else 0.0 for kind in Disturbance})


NONE = Disturbances(0, scale=0.0)
"""There are no disturbances."""
