"""What a simulated camera would see: the world tells it, the camera renders it.

Faces are a tile's notation, ``flower`` for a foreign tile, or ``back`` for one that lies face down. Scenes travel as JSON between
the world's process and the cameras' process; nothing of the controller reads them. Lengths are millimetres in the axes of the
picture (x right, y down), angles degrees counter-clockwise as seen by the camera.
"""

from __future__ import annotations

from msgspec import Struct

BACK = "back"


class WindowTile(Struct, frozen=True, forbid_unknown_fields=True):
    """The tile in a gate's window, face towards the camera."""

    face: str
    turned: bool
    """Upside down (180°)."""
    offset_mm: tuple[float, float]
    angle_deg: float
    obscured: bool
    """A smear or a blink of the lamp makes this frame unreadable; the next showing may be good."""
    light_seed: int


class GateScene(Struct, frozen=True, forbid_unknown_fields=True):
    """A gate: empty when ``tile`` is None."""

    tile: WindowTile | None


class LaidTile(Struct, frozen=True, forbid_unknown_fields=True):
    """A tile on the mat near a slot (``place``, ``area``, ``index`` as ``twinwall.art.mat.Slot``)."""

    face: str
    place: int
    area: str
    index: int
    sideways: bool
    """Turned by 90° (a claimed tile)."""
    offset_mm: tuple[float, float]
    angle_deg: float


class TableScene(Struct, frozen=True, forbid_unknown_fields=True):
    """Everything that lies on the mat; ``version`` grows with every change."""

    version: int
    tiles: tuple[LaidTile, ...]
