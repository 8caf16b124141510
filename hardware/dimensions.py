"""Dimensions: reads ``dimensions.toml`` and draws one machine with one set of tiles from its tolerances."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from random import Random

_FILE = Path(__file__).with_name("dimensions.toml")

Spread = Mapping[str, float]


@cache
def load() -> dict[str, Spread]:
    """Every dimension by its name, such as ``tray.pitch``; raises ValueError for one that is no dimension."""
    parts = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    found = {f"{part}.{name}": spread for part, named in parts.items() for name, spread in named.items()}
    for name, spread in found.items():
        if set(spread) not in ({"nominal"}, {"nominal", "plus_minus"}, {"least", "most"}):
            raise ValueError(f"{name} has {sorted(spread)}; a dimension has nominal, nominal and plus_minus, or least and most")
    return found


def nominal(name: str) -> float:
    """What a dimension is meant to be, the middle of a uniform one."""
    spread = load()[name]
    return spread["nominal"] if "nominal" in spread else (spread["least"] + spread["most"]) / 2


def most(name: str) -> float:
    """The greatest that a dimension may be."""
    spread = load()[name]
    return spread["most"] if "most" in spread else spread["nominal"] + spread.get("plus_minus", 0.0)


def least(name: str) -> float:
    """The least that it may be."""
    return 2 * nominal(name) - most(name)


def largest_tile() -> tuple[float, float, float]:
    """Width, length and thickness of the largest tile, in mm."""
    wide, long, thick = (most(f"tile.{name}") + most("tile.spread") for name in ("width", "length", "thickness"))
    return wide, long, thick


class DrawnSizes:
    """One draw from the tolerances; a dimension of the machine or the set is drawn once, ``each`` draws again."""

    def __init__(self, chance: Random, spreads: Mapping[str, Spread]) -> None:
        self.chance = chance
        self._spreads = spreads
        self._drawn: dict[str, float] = {}

    def __call__(self, name: str) -> float:
        """A dimension of this machine, or of this set."""
        if name not in self._drawn:
            self._drawn[name] = self.each(name)
        return self._drawn[name]

    def each(self, name: str) -> float:
        """A dimension of one more tile, or of one more motion."""
        spread = self._spreads[name]
        if "least" in spread:
            return self.chance.uniform(spread["least"], spread["most"])
        limit = spread.get("plus_minus", 0.0)
        drawn = self.chance.gauss(0.0, limit / 2) if limit else 0.0
        return spread["nominal"] + min(max(drawn, -limit), limit)
