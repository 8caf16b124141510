"""Answers of a reader: a read with its probability, or a refusal with its reason, after which the caller decides what follows."""

from collections.abc import Iterable
from dataclasses import field
from enum import StrEnum

from twinwall.game.tiles import Tile
from twinwall.values import frozen

_LEAST_SHARE = 1e-4


class Reason(StrEnum):
    """Why there is no read."""

    EMPTY = "empty"
    """Nothing is there."""
    SHAPE = "shape"
    """The outline of the thing there is not that of one whole tile, or is out of focus."""
    UNSURE = "unsure"
    """A tile, but no kind is certain enough."""
    NOT_A_TILE = "not-a-tile"
    """A back, a flower, half a tile, a hand."""
    GLARE = "glare"
    """Light has washed the marks away."""
    MARKERS = "markers"
    """The mat's markers cannot be seen, so the places of its slots are unknown."""
    OTHER_TABLE = "other-table"
    """The mat names another table than the camera's."""
    COVERED = "covered"
    """Something covers the tile, or there is no whole tile lying flat."""
    DARK = "dark"
    """Too little light to see whether anything is there: the lamp or the lens."""


class ShapeFault(StrEnum):
    """What is wrong with an outline, if known."""

    BLURRED = "blurred"
    COVERED = "covered"
    ASKEW = "askew"


@frozen
class Candidate:
    """A kind and its calibrated probability, 0 to 1."""

    tile: Tile
    probability: float


def shares_of(candidates: Iterable[Candidate]) -> dict[Tile, float]:
    """Return the probabilities of kinds, without negligible ones."""
    return {one.tile: one.probability for one in candidates if one.probability >= _LEAST_SHARE}


@frozen
class Read:
    """One tile, read. ``turned``: its marks are upside down; False for shapes that are their own half-turn.

    ``others`` are the next likely kinds, ``second`` those of a second model, if there is one, for ``vision.wall_audit``.
    """

    tile: Tile
    probability: float
    turned: bool
    others: tuple[Candidate, ...] = field(default=(), compare=False)
    second: tuple[Candidate, ...] = field(default=(), compare=False)


@frozen
class ReadRefusal:
    """No read: the reason, a sentence of detail, the likeliest kinds if a tile was looked at; ``named`` is the table of an OTHER_TABLE
    refusal."""

    reason: Reason
    detail: str
    candidates: tuple[Candidate, ...] = ()
    fault: ShapeFault | None = None
    named: str = ""
