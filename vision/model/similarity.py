"""Likeness of two tiles: the cosine of their embeddings, lying the same way or half-turned, whichever is greater. A crop is seen both ways
up, so two crops of one tile agree either view for view or crosswise."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Embeddings = NDArray[np.float32]
"""… × 2 × numbers, each view of length 1: the crop as it is, and turned by 180°."""


def unit_views(embeddings: NDArray[np.float32]) -> Embeddings:
    """Scale the network's two embeddings of crops (… × 2 × numbers) to length 1."""
    lengths = np.linalg.norm(embeddings, axis=-1, keepdims=True)
    return np.asarray(embeddings / np.maximum(lengths, 1e-9), np.float32)


def likeness(some: Embeddings, others: Embeddings) -> NDArray[np.float32]:
    """Return cosines (n × m) of n and m crops, the way round in which they agree better."""
    return np.maximum(*ways(some, others))


def ways(some: Embeddings, others: Embeddings) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return cosines (n × m each): of crops lying the same way, and of crops half-turned to one another."""
    same = (some[:, 0] @ others[:, 0].T + some[:, 1] @ others[:, 1].T) / 2
    crosswise = (some[:, 0] @ others[:, 1].T + some[:, 1] @ others[:, 0].T) / 2
    return np.asarray(same, np.float32), np.asarray(crosswise, np.float32)


def together(kinds: Sequence[Embeddings]) -> tuple[Embeddings, NDArray[np.intp]]:
    """Return the examples of all kinds, one after another, and where each kind's begin."""
    return np.concatenate(kinds), np.cumsum([0, *(len(each) for each in kinds[:-1])])


def nearest(look: Embeddings, examples: Embeddings, starts: NDArray[np.intp]) -> NDArray[np.float32]:
    """Return the likeness of one look to each kind's nearest example, of examples from ``together``."""
    return np.asarray(np.maximum.reduceat(likeness(look[None], examples)[0], starts))


def usual_likeness(alike: NDArray[np.float32], kinds: NDArray[np.intp], most_kinds: int) -> NDArray[np.float32]:
    """Return each picture's median likeness to the other pictures of each kind (n × kinds), NaN if there are none. ``alike`` are the
    pictures' likenesses (n × n), ``kinds`` their kinds (n), negative for one that does not count."""
    near = np.full((len(kinds), most_kinds), np.nan, np.float32)
    for kind in np.unique(kinds[kinds >= 0]):
        members = np.flatnonzero(kinds == kind)
        others = alike[:, members].copy()
        others[members, np.arange(len(members))] = np.nan  # a picture is no evidence for itself
        near[:, kind] = others[:, 0] if len(members) == 1 else np.nanmedian(others, axis=1)
    return near
