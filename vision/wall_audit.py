"""Wall audit: weighs a built wall as certain, as positions to read again, as unlikely, or as fouled.

One model has read every position, a second one some of them. Each kind is in the wall four times, so the readings of
a wall are one assignment of kinds to positions; this module finds the likeliest one, and the probability of any
swapped pair. The controller decides what follows. ``benchmarks.vision.swaps`` computes how often a swapped pair passes
unseen.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

import numpy as np
from numpy.typing import NDArray

from twinwall.game.tiles import ALL_TILES, Tile
from twinwall.values import frozen, frozen_identity
from vision.assignment import cheapest
from vision.reading import Candidate

Costs = NDArray[np.float64]
Look = NDArray[np.float64]
"""What one model makes of one tile: the probabilities of the 34 kinds (float64)."""

_KINDS = len(ALL_TILES)
LEAST_PROBABILITY = 1e-6
"""Least probability of a kind in one look: a smudge may look like anything."""
MOST_DOUBT = 1e-3
"""Swapped pairs expected in a wall that is certain."""
LIKELIER_ANOTHER = 1.0
"""Swapped pairs expected in a wall that is likelier another one."""
INDEPENDENCE = 0.5
"""How much a second model's look adds, 0 to 1: it repeats part of the first one's errors, so that its probabilities count as evidence only
by that share (``benchmarks.vision.audit`` measures it)."""


@frozen_identity
class AuditedPosition:
    """One place of a wall: the kind it was filled as, and what each look at its tile gave.

    ``looks`` holds, by model, the probabilities of the 34 kinds (float64, summing to at most 1; what is missing
    was given to what is no tile). Several frames of one model are one look: join them before.
    """

    filled_as: Tile
    looks: Mapping[str, Look] = field(default_factory=dict)


@frozen
class Certain:
    """The wall is what it was built as; ``doubt`` is the expected number of swapped pairs in it."""

    doubt: float


@frozen
class ReadAgain:
    """The wall would be certain if these positions (by number, worst first) were read again and confirmed."""

    positions: tuple[int, ...]
    doubt: float


@frozen
class Unlikely:
    """All looks together speak for another wall than the one built, though not every tile in question was seen twice.

    These positions (by number, worst first) are to be read again; a wall that stays unlikely must not be played.
    """

    positions: tuple[int, ...]


@frozen
class Fouled:
    """These positions, read again, do not hold what they were filled as; ``holds`` is what they likelier hold."""

    positions: tuple[int, ...]
    holds: tuple[Tile, ...]


Verdict = Certain | ReadAgain | Unlikely | Fouled


def audit(wall: Sequence[AuditedPosition], copies: Mapping[Tile, int]) -> Verdict:
    """Weigh a wall of positions in which each kind must stand as often as ``copies`` says; raises ValueError where the numbers differ."""
    if sum(copies.values()) != len(wall):
        raise ValueError(f"a wall of {len(wall)} positions cannot hold {sum(copies.values())} tiles")
    costs = _costs(wall)
    likeliest = assign(costs, [copies.get(tile, 0) for tile in ALL_TILES])
    filled = np.array([int(position.filled_as) for position in wall], np.intp)
    moved = np.flatnonzero(likeliest != filled)
    if len(moved):
        if all(len(wall[int(index)].looks) > 1 for index in moved):
            return Fouled(tuple(int(index) for index in moved), tuple(Tile(int(likeliest[index])) for index in moved))
        return Unlikely(_suspects(wall, filled, moved, copies))
    shares = _swap_odds(costs, filled)
    doubt = float(shares.sum() / 2)
    if doubt <= MOST_DOUBT:
        return Certain(doubt)
    worst = _worst(wall, shares)
    return Unlikely(worst) if doubt >= LIKELIER_ANOTHER else ReadAgain(worst, doubt)


def look_of(candidates: Iterable[Candidate]) -> Look:
    """A look (34) from the likeliest kinds alone, as a read or a refusal keeps them; what they leave is spread evenly over the others."""
    named = list(candidates)
    look = np.full(_KINDS, max(1.0 - sum(one.probability for one in named), 0.0) / max(_KINDS - len(named), 1))
    for one in named:
        look[int(one.tile)] = one.probability
    return look


def joined_looks(looks: Iterable[Look]) -> Look:
    """Several frames of one tile by one model (34 each) as one look: their mean, since they err together."""
    frames = list(looks)
    return frames[0] if len(frames) == 1 else np.asarray(np.mean(np.stack(frames), axis=0))


def _costs(wall: Sequence[AuditedPosition]) -> Costs:
    """Positions × 34: minus the logarithm of how likely a kind is, given all looks; a position without looks tells nothing."""
    costs = np.zeros((len(wall), _KINDS))
    looks = [tuple(position.looks.values()) for position in wall]
    for number in range(max(map(len, looks), default=0)):
        having = [index for index, of_tile in enumerate(looks) if len(of_tile) > number]
        shares = np.stack([looks[index][number] for index in having])
        costs[having] -= np.log(np.maximum(shares, LEAST_PROBABILITY)) * (1.0 if number == 0 else INDEPENDENCE)
    return costs


def assign(costs: Costs, copies: Sequence[int]) -> NDArray[np.intp]:
    """The kinds (n) of least total cost (costs: n × kinds) in which each kind appears as often as ``copies`` says.

    When every position's own cheapest kind already gives the right counts, no search is needed.
    """
    kinds = costs.shape[1]
    if len(copies) != kinds or sum(copies) != len(costs):
        raise ValueError(f"{sum(copies)} tiles of {len(copies)} kinds cannot fill {len(costs)} positions that may hold {kinds}")
    own = costs.argmin(axis=1)
    if np.array_equal(np.bincount(own, minlength=kinds), copies) and np.isfinite(costs[np.arange(len(costs)), own]).all():
        return np.asarray(own, np.intp)
    tiles = np.repeat(np.arange(kinds), copies)
    return np.asarray(tiles[cheapest(costs[:, tiles])], np.intp)


def _swap_odds(costs: Costs, filled: NDArray[np.intp]) -> NDArray[np.float64]:
    """For each position the sum of the odds that it is swapped with another (n): exp of minus what exchanging their kinds would cost."""
    dearer = costs[:, filled] - costs[np.arange(len(costs)), filled][:, None]
    odds = np.exp(-np.minimum(dearer + dearer.T, 700.0))
    odds[filled[:, None] == filled[None, :]] = 0.0
    return np.asarray(odds.sum(axis=1))


def _worst(wall: Sequence[AuditedPosition], shares: NDArray[np.float64]) -> tuple[int, ...]:
    """Positions not yet seen twice, the most doubtful first, as many as carry all doubt but ``MOST_DOUBT``."""
    order = np.argsort(-shares, kind="stable")
    single = [int(index) for index in order if len(wall[int(index)].looks) < 2]
    candidates = single or [int(index) for index in order]
    left = np.cumsum(shares[candidates][::-1])[::-1]
    needed = max(2, int((left > MOST_DOUBT).sum()))
    return tuple(candidates[:needed])


def _suspects(
    wall: Sequence[AuditedPosition], filled: NDArray[np.intp], moved: NDArray[np.intp], copies: Mapping[Tile, int]
) -> tuple[int, ...]:
    """Positions whose kind does not fit, and every position of a kind that stands too often: a fifth copy may be any of the five."""
    counts = np.bincount(filled, minlength=_KINDS)
    too_many = {int(tile) for tile in ALL_TILES if counts[int(tile)] > copies.get(tile, 0)}
    first = [int(index) for index in moved if len(wall[int(index)].looks) < 2]
    return tuple(first + [index for index in range(len(wall)) if int(filled[index]) in too_many and index not in first])
