"""Kind evidence: what the camera's looks at one lying tile say together of its kind, as log-likelihoods.

Frames of one tile are not independent looks: under a steady reflection they err alike (docs/explanation/table-reader.md). So the
mean of their logarithms counts as few looks as there were sure frames, at most ``MOST_LOOKS``, and without a sure frame as one.
A share of all tiles is misread however often they are looked at; it bounds what the camera can say against a kind.
Where the kinds of the set in play are given, a tile is of none besides.
"""

import math
from collections.abc import Mapping
from functools import cache, cached_property

import numpy as np

from twinwall.game.tiles import ALL_TILES, Tile

MOST_LOOKS = 5.0
"""Most independent looks that the frames of one tile count as."""
MOST_FRAMES = 24
"""After this many frames further ones of the same tile say nothing new."""
SYSTEMATIC = 3e-4
"""Share of tiles that all frames misread alike although two of them were sure (2 of 7,693 sure looks were wrong on path-traced
tables; a second sure look does not make it much less)."""
CONFUSED = 3e-3
"""Of tiles with fewer than two sure frames, the share that is one of the kinds that the frames put second or later."""
ANSWERED = 16.0
"""What a person's answer adds to the log-odds of a kind: more than frames can, less than certainty."""
IMPOSSIBLE = 1000.0
"""What is said against a kind that the set in play does not have: no path holds it, whatever else it explains."""
_FLOOR = 2e-5
"""Least share of a kind in one frame; as logarithms are averaged, one bad frame does not outvote two good ones."""


class KindEvidence:
    """The looks at one tile so far."""

    def __init__(self, kinds: frozenset[Tile] | None = None) -> None:
        """``kinds``: those of which the tile may be; None: all. Its looks have shares of these alone (``TrackList.see``)."""
        self.frames = self.sure = 0
        self.kinds = kinds
        self._sum = np.zeros(len(ALL_TILES))
        self._answer: Tile | None = None

    def look(self, shares: Mapping[Tile, float], *, sure: bool) -> bool:
        """Add one frame; whether it was counted. A washed-out face has no shares and says nothing, nor does one more frame of a tile of
        which as many are sure as can count."""
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
        """Somebody who looked at the pictures says what it is; None: what was said counts no more."""
        self._answer = tile
        self._forget()

    def _forget(self) -> None:
        """Work out again what is asked next."""
        for known in ("logs", "likeliest"):
            self.__dict__.pop(known, None)

    @property
    def margin(self) -> float:
        """How certain the likeliest kind is against the next one."""
        first, second = sorted(self.logs, reverse=True)[:2]
        return first - second

    @cached_property
    def likeliest(self) -> Tile:
        """The first of ``by_camera``."""
        return ALL_TILES[int(self._sum.argmax())]

    def by_camera(self) -> tuple[Tile, ...]:
        """All kinds, the likeliest first, by the frames alone."""
        return tuple(sorted(ALL_TILES, key=lambda tile: -float(self._sum[tile])))

    @cached_property
    def logs(self) -> list[float]:
        """The log-likelihood of each kind, by kind; that of the likeliest is about 0."""
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
            logs -= logs.max()  # a path on which the tile has no meaning costs no less for what the answer is believed against
        return [float(log) for log in logs]


@cache
def _all_but(kinds: frozenset[Tile]) -> list[Tile]:
    return [kind for kind in ALL_TILES if kind not in kinds]


def most_against() -> float:
    """The most that frames can say against a kind, in nats."""
    return math.log((1 - SYSTEMATIC) * len(ALL_TILES) / SYSTEMATIC)
