"""Wall audit: judges a built wall (``audit``) as certain, as having positions to read again, as unlikely, or as fouled.

One model has read every position, a second one some of them. Each kind is in the wall four times, so the readings make an assignment of
kinds to positions. This module finds the likeliest assignment, and the probability of each swapped pair; the controller decides what
follows. ``benchmarks.vision.audit`` computes how often a swapped pair passes unseen.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from twinwall.game.tiles import ALL_TILES, Tile
from twinwall.values import frozen
from vision.assignment import cheapest
from vision.reading import Candidate

Costs = NDArray[np.float64]
Look = NDArray[np.float64]
"""One model's probabilities of the 34 kinds for one tile (float64, summing to at most 1; the rest is for things that are no tile). Join
several frames of one model first."""
Looks = Sequence[Mapping[str, Look]]
"""For each position of a wall, each model's look at its tile."""

_KINDS = len(ALL_TILES)
LEAST_PROBABILITY = 1e-6
"""Least probability of a kind in one look: a smudge may look like anything."""
MOST_DOUBT = 1e-3
"""Most expected swapped pairs in a certain wall."""
UNLIKELY_DOUBT = 1.0
"""From this many expected swapped pairs on, the wall is unlikely."""
INDEPENDENCE = 0.5
"""Weight of a second model's look as evidence, 0 to 1: it repeats part of the first one's errors (measured by
``benchmarks.vision.audit``)."""


@frozen
class Certain:
    """The wall is as built; ``doubt`` is the expected number of swapped pairs."""

    doubt: float


@frozen
class ReadAgain:
    """The wall would be certain if these positions (numbers, worst first) were read again and confirmed."""

    positions: tuple[int, ...]
    doubt: float


@frozen
class Unlikely:
    """All looks together favour another wall, but not every tile in question was seen twice. These positions (numbers, worst first) must be
    read again; a wall that stays unlikely must not be played."""

    positions: tuple[int, ...]


@frozen
class Fouled:
    """These positions, read again, do not hold the kinds they were filled as; ``holds`` are the likelier ones."""

    positions: tuple[int, ...]
    holds: tuple[Tile, ...]


Verdict = Certain | ReadAgain | Unlikely | Fouled


def audit(filled_as: Sequence[Tile], looks: Looks, copies: Mapping[Tile, int]) -> Verdict:
    """Judge a wall from the kind that each position was filled as and the looks at its tile. Each kind must occur as often as ``copies``
    says; raises ValueError if the numbers of tiles differ."""
    if sum(copies.values()) != len(filled_as):
        raise ValueError(f"a wall of {len(filled_as)} positions cannot hold {sum(copies.values())} tiles")
    costs = _costs(looks)
    likeliest = assign(costs, [copies.get(tile, 0) for tile in ALL_TILES])
    filled = np.array(filled_as, np.intp)
    moved = np.flatnonzero(likeliest != filled)
    if len(moved):
        if all(len(looks[int(index)]) > 1 for index in moved):
            return Fouled(tuple(int(index) for index in moved), tuple(Tile(int(likeliest[index])) for index in moved))
        return Unlikely(_suspects(looks, filled, moved, copies))
    shares = _swap_odds(costs, filled)
    doubt = float(shares.sum() / 2)
    if doubt <= MOST_DOUBT:
        return Certain(doubt)
    worst = _worst(looks, shares)
    return Unlikely(worst) if doubt >= UNLIKELY_DOUBT else ReadAgain(worst, doubt)


def look_of(candidates: Iterable[Candidate]) -> Look:
    """Return a look (34) from the likeliest kinds of a read or refusal; the rest is spread evenly over the other kinds."""
    named = list(candidates)
    look = np.full(_KINDS, max(1.0 - sum(one.probability for one in named), 0.0) / max(_KINDS - len(named), 1))
    for one in named:
        look[int(one.tile)] = one.probability
    return look


def joined_looks(looks: Iterable[Look]) -> Look:
    """Join several frames of one tile by one model (34 each) by their mean, since they err together."""
    frames = list(looks)
    return frames[0] if len(frames) == 1 else np.asarray(np.mean(np.stack(frames), axis=0))


def _costs(looks: Looks) -> Costs:
    """Return minus the logarithm of each kind's probability by all looks (positions × 34); 0 without looks."""
    costs, by_model = np.zeros((len(looks), _KINDS)), [tuple(of_tile.values()) for of_tile in looks]
    for number in range(max(map(len, by_model), default=0)):
        having = [index for index, of_tile in enumerate(by_model) if len(of_tile) > number]
        shares = np.stack([by_model[index][number] for index in having])
        costs[having] -= np.log(np.maximum(shares, LEAST_PROBABILITY)) * (1.0 if number == 0 else INDEPENDENCE)
    return costs


def assign(costs: Costs, copies: Sequence[int]) -> NDArray[np.intp]:
    """Return the kinds (n) of least total cost (n × kinds) of which each occurs as often as ``copies`` says."""
    kinds = costs.shape[1]
    if len(copies) != kinds or sum(copies) != len(costs):
        raise ValueError(f"{sum(copies)} tiles of {len(copies)} kinds cannot fill {len(costs)} positions that may hold {kinds}")
    own = costs.argmin(axis=1)
    if np.array_equal(np.bincount(own, minlength=kinds), copies) and np.isfinite(costs[np.arange(len(costs)), own]).all():
        return np.asarray(own, np.intp)
    tiles = np.repeat(np.arange(kinds), copies)
    return np.asarray(tiles[cheapest(costs[:, tiles])], np.intp)


def _swap_odds(costs: Costs, filled: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return, for each position (n), the sum of the odds that it is swapped with another: exp(-cost of exchanging their kinds)."""
    dearer = costs[:, filled] - costs[np.arange(len(costs)), filled][:, None]
    odds = np.exp(-np.minimum(dearer + dearer.T, 700.0))
    odds[filled[:, None] == filled[None, :]] = 0.0
    return np.asarray(odds.sum(axis=1))


def _worst(looks: Looks, shares: NDArray[np.float64]) -> tuple[int, ...]:
    """Return the most doubtful positions, at first only those seen once, that together carry all doubt above ``MOST_DOUBT``."""
    order = np.argsort(-shares, kind="stable")
    single = [int(index) for index in order if len(looks[int(index)]) < 2]
    candidates = single or [int(index) for index in order]
    left = np.cumsum(shares[candidates][::-1])[::-1]
    needed = max(2, int((left > MOST_DOUBT).sum()))
    return tuple(candidates[:needed])


def _suspects(looks: Looks, filled: NDArray[np.intp], moved: NDArray[np.intp], copies: Mapping[Tile, int]) -> tuple[int, ...]:
    """Return the positions whose kind does not fit, then all of a kind that occurs too often: any of five copies may be the wrong one."""
    counts = np.bincount(filled, minlength=_KINDS)
    too_many = {int(tile) for tile in ALL_TILES if counts[int(tile)] > copies.get(tile, 0)}
    first = [int(index) for index in moved if len(looks[int(index)]) < 2]
    return tuple(first + [index for index in range(len(looks)) if int(filled[index]) in too_many and index not in first])
