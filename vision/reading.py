"""Answers of a reader: a read with its probability, or a refusal with its reason.

A reader that is not sure refuses; the caller decides what follows (another frame, recirculation, a person).
"""

from dataclasses import field
from enum import StrEnum

from twinwall.game.tiles import Tile
from twinwall.values import frozen


class Reason(StrEnum):
    """Why there is no read."""

    EMPTY = "empty"
    """Nothing lies there."""
    SHAPE = "shape"
    """Something lies there whose outline is not that of one whole tile, or is out of focus."""
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
    """A hand, a sleeve or something else covers it, or it is no whole tile lying flat."""
    DARK = "dark"
    """Too little light to see whether anything lies there: the lamp or the lens."""


class ShapeFault(StrEnum):
    """What is wrong with an outline that is not that of one whole tile, where that is known."""

    BLURRED = "blurred"
    COVERED = "covered"
    ASKEW = "askew"


@frozen
class Candidate:
    """A kind and its calibrated probability, 0 to 1."""

    tile: Tile
    probability: float


@frozen
class Read:
    """One tile, read. ``turned``: its marks stand upside down; False for shapes that are their own half-turn.

    ``others`` are the next likely kinds, ``second`` the likeliest ones by a second model where there is one, for who weighs
    a wall as a whole (``vision.wall_audit``).
    """

    tile: Tile
    probability: float
    turned: bool
    others: tuple[Candidate, ...] = field(default=(), compare=False)
    second: tuple[Candidate, ...] = field(default=(), compare=False)


@frozen
class ReadRefusal:
    """No read: the reason, one sentence of detail, the likeliest kinds where any were looked at, and what is wrong with a shape.

    ``named`` is the table that the mat names, of an OTHER_TABLE refusal.
    """

    reason: Reason
    detail: str
    candidates: tuple[Candidate, ...] = ()
    fault: ShapeFault | None = None
    """Of a SHAPE refusal."""
    named: str = ""
