"""What a simulated camera would see: the world tells it, the camera renders it.

Faces are a tile's notation, ``flower`` for a foreign tile, or ``back`` for one that lies face down. These records travel as JSON
between the world's process and the cameras' process; nothing of the controller reads them.
"""

from __future__ import annotations

from dataclasses import dataclass

BACK = "back"


@dataclass(frozen=True, slots=True)
class WindowTile:
    """The tile in the gate's window, face towards the camera."""

    face: str
    turned: bool
    """Upside down (180°)."""
    offset_mm: tuple[float, float]
    angle_deg: float
    obscured: bool
    """A smear or a blink of the lamp makes this frame unreadable; the next showing may be good."""
    light_seed: int


@dataclass(frozen=True, slots=True)
class GateScene:
    """The gate: empty when ``tile`` is None."""

    tile: WindowTile | None


@dataclass(frozen=True, slots=True)
class LaidTile:
    """A tile on the mat near a slot (``place``, ``area``, ``index`` as ``twinwall.art.mat.Slot``)."""

    face: str
    place: int
    area: str
    index: int
    sideways: bool
    """Turned by 90° (a claimed tile)."""
    offset_mm: tuple[float, float]
    angle_deg: float


@dataclass(frozen=True, slots=True)
class TableScene:
    """Everything that lies on the mat; ``version`` grows with every change."""

    version: int
    tiles: tuple[LaidTile, ...]
