"""Least squares: the numbers of least error near given ones, by damped steps (Levenberg–Marquardt)."""

from collections.abc import Callable

import numpy as np

from vision.table.lens import Points

_ROUNDS, _STILL = 30, 1e-7
_DELTA = 1e-5


def least_squares(errors: Callable[[Points], Points], start: Points, known: int) -> Points:
    """Return the numbers near ``start`` of least error; ``errors`` are in multiples of their standard errors. Outliers weigh little, but
    for the last ``known`` errors."""
    now, damping, off = start, 1e-2, errors(start)
    least = cost_of(off, known)
    for _ in range(_ROUNDS):
        slopes = np.stack([(errors(now + step) - off) / _DELTA for step in _DELTA * np.eye(len(now))], axis=1)
        weights = np.append(1 / (1 + off[:-known] ** 2 / 4), np.ones(known))
        normal = slopes.T @ (slopes * weights[:, None])
        step = -np.linalg.solve(normal + damping * np.diag(np.diag(normal)), slopes.T @ (off * weights))
        then = errors(now + step)
        cost = cost_of(then, known)
        damping = damping / 5 if cost < least else damping * 10
        now, off, least = (now + step, then, cost) if cost < least else (now, off, least)
        if np.abs(step).max() < _STILL:
            break
    return now


def cost_of(errors: Points, known: int) -> float:
    """Return what errors cost together; infinite if one is no number."""
    squares = errors**2 / 4
    cost = float(np.log1p(squares[:-known]).sum() + squares[-known:].sum())
    return cost if np.isfinite(cost) else np.inf
