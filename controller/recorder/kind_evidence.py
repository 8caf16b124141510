"""Kind evidence: the log-likelihood of each kind from the camera's looks at one tile.

Frames of one tile are not independent looks: under a steady reflection they err alike (docs/explanation/table-reader.md). So the mean of
their logarithms counts as the number of sure frames, at most ``MOST_LOOKS``; without a sure frame as one. A share of all tiles is misread
in every look, which bounds the evidence against a kind. Kinds outside the set in play, if that is given, are impossible.
"""

import math
from collections.abc import Mapping
from functools import cache, cached_property

import numpy as np

from twinwall.game.tiles import ALL_TILES, Tile

MOST_LOOKS = 5.0
"""Most independent looks that the frames of one tile count as."""
MOST_FRAMES = 24
"""Most frames of one tile that count."""
SYSTEMATIC = 3e-4
"""Share of tiles that all frames misread alike although two were sure (2 of 7,693 sure looks on path-traced tables were wrong; a second
sure look hardly helps)."""
CONFUSED = 3e-3
"""Share of tiles with fewer than two sure frames whose kind is the frames' second or later choice."""
ANSWERED = 16.0
"""What a person's answer adds to the log-odds of a kind: more than frames can, less than certainty."""
IMPOSSIBLE = 1000.0
"""Evidence against a kind outside the set in play: no path can afford it."""
_FLOOR = 2e-5
"""Least share of a kind in one frame; logarithms are averaged, so one bad frame must not outvote two good ones."""


class KindEvidence:
    """The looks at one tile so far."""

    def __init__(self, kinds: frozenset[Tile] | None = None) -> None:
        """``kinds``: the possible kinds; None: all. Looks have shares of these alone (``TrackList.see``)."""
        self.frames = self.sure = 0
        self.kinds = kinds
        self._sum = np.zeros(len(ALL_TILES))
        self._answer: Tile | None = None

    def look(self, shares: Mapping[Tile, float], *, sure: bool) -> bool:
        """Add one frame; False if it does not count: a washed-out face without shares, or a frame beyond the number that can count."""
        if not shares or self.sure >= MOST_LOOKS or (self.frames >= MOST_FRAMES and not sure):
            return False
        row = np.full(len(ALL_TILES), _FLOOR)
        for tile, share in shares.items():
            row[tile] += share
        self._sum += np.log(row)
        self.frames += 1
        self.sure += sure
        self._forget()
        return True

    def answer(self, tile: Tile | None) -> None:
        """A person who looked at the pictures names the kind; None withdraws the answer."""
        self._answer = tile
        self._forget()

    def _forget(self) -> None:
        for known in ("logs", "likeliest"):
            self.__dict__.pop(known, None)

    @property
    def margin(self) -> float:
        """Log-odds of the likeliest kind to the next one."""
        first, second = sorted(self.logs, reverse=True)[:2]
        return first - second

    @cached_property
    def likeliest(self) -> Tile:
        """The first of ``by_camera``."""
        return ALL_TILES[int(self._sum.argmax())]

    def by_camera(self) -> tuple[Tile, ...]:
        """Return all kinds, the likeliest first, by the frames alone."""
        return tuple(sorted(ALL_TILES, key=lambda tile: -float(self._sum[tile])))

    @cached_property
    def logs(self) -> list[float]:
        """The log-likelihood of each kind, indexed by kind; about 0 for the likeliest."""
        logs = np.zeros(len(ALL_TILES))
        if self.frames:
            looks = min(1.0 + self.sure, MOST_LOOKS) if self.sure else 1.0
            mean = self._sum * (min(looks, self.frames) / self.frames)
            shares = np.exp(mean - mean.max())
            shares /= shares.sum()
            confused = np.sqrt(shares)
            doubt = 0.0 if self.sure >= 2 else CONFUSED
            logs = np.log((1 - doubt - SYSTEMATIC) * shares + doubt * confused / confused.sum() + SYSTEMATIC / len(ALL_TILES))
            logs -= logs.max()
        if self.kinds is not None:
            logs[_all_but(self.kinds)] = -IMPOSSIBLE
        if self._answer is not None:
            others = np.full(len(ALL_TILES), -ANSWERED)
            others[self._answer] = 0.0
            logs = logs + others
            logs -= logs.max()  # so an answer makes no path cheaper on which the tile has no meaning
        return [float(log) for log in logs]


@cache
def _all_but(kinds: frozenset[Tile]) -> list[Tile]:
    return [kind for kind in ALL_TILES if kind not in kinds]


def most_against() -> float:
    """Return the most evidence of frames against a kind, in nats."""
    return math.log((1 - SYSTEMATIC) * len(ALL_TILES) / SYSTEMATIC)
