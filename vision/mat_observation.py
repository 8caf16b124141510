"""Mat observation: every tile that one frame shows on the mat, and the squares where it shows nothing.

The table reader answers for slots, but people also lay tiles beside them. So an observation has no slots: the recorder's decoder
(``controller.recorder``) explains places and kinds by moves.
"""

from collections.abc import Mapping
from dataclasses import field

from twinwall.game.tiles import Tile
from twinwall.values import frozen

COVER_MM = 20.0
"""Side of the squares in which covering is observed; square (i, j) has its centre at (i, j) times this."""


@frozen
class ObservedTile:
    """One flat and whole tile in one frame.

    ``x_mm`` and ``y_mm`` are the middle of its upper face, from the mat's centre in the mat's axes (``Mat.spot``). ``angle_deg`` (0 ≤ a <
    180) is the angle of its long side, anticlockwise from the mat's y axis. ``shares`` are the camera's probabilities of kinds, summing to
    at most 1; empty for a back, and for a face washed out by light. ``sure``: the reader would name the likeliest kind from this frame
    alone.
    """

    x_mm: float
    y_mm: float
    angle_deg: float
    face_up: bool = True
    shares: Mapping[Tile, float] = field(default_factory=dict)
    sure: bool = False


@frozen
class MatObservation:
    """One frame: the time of its capture (ms on the table's clock), its tiles, and the covered squares (``COVER_MM``). The cloth is bare
    wherever nothing covers it and no tile is reported."""

    at_ms: int
    tiles: tuple[ObservedTile, ...] = ()
    covered: frozenset[tuple[int, int]] = frozenset()
