"""What a simulated camera would see: the world tells it, the camera renders it.

Faces are a tile's notation, ``flower`` for a foreign tile, or ``back`` for one that lies face down; covers are arms over the mat and things
on it. Scenes travel as JSON between the world's process and the cameras' process; nothing of the controller reads them. Lengths are
millimetres in the axes of the picture (x right, y down), angles degrees counter-clockwise as seen by the camera.
"""

from enum import StrEnum

from twinwall.values import Shape


class CoverKind(StrEnum):
    ARM = "arm"
    """From the edge of ``place`` to the palm, which is the cover's middle."""
    CUP = "cup"
    PHONE = "phone"
    PAPER = "paper"


SIZES_MM = {CoverKind.CUP: (80.0, 80.0), CoverKind.PHONE: (75.0, 152.0), CoverKind.PAPER: (148.0, 210.0)}
"""Width and height of the things; a cup is round."""


class Cover(Shape):
    """One arm or thing: its middle, and how it is turned (a thing) or how far to the right its shoulder is (an arm, mm)."""

    kind: CoverKind
    place: int
    x_mm: float
    y_mm: float
    turn_deg: float = 0.0
    shoulder_mm: float = 0.0


BACK = "back"
FREE = "free"
"""The area of a tile that lies at no slot: its offset counts from the mat's centre."""


class WindowTile(Shape):
    """The tile in a gate's window, face towards the camera."""

    face: str
    turned: bool
    """Upside down (180°)."""
    offset_mm: tuple[float, float]
    angle_deg: float
    obscured: bool
    """A smear or a blink of the lamp makes this frame unreadable; the next showing may be good."""
    light_seed: int


class GateScene(Shape):
    """A gate: empty when ``tile`` is None."""

    tile: WindowTile | None


class LaidTile(Shape):
    """A tile on the mat near a slot (``place``, ``area``, ``index`` as ``twinwall.art.mat.Slot``), or ``free`` as ``place`` sees it."""

    face: str
    place: int
    area: str
    index: int
    sideways: bool
    """Turned by 90° (a claimed tile)."""
    offset_mm: tuple[float, float]
    angle_deg: float
    level: int = 0
    """1 where it lies on the edge of another tile."""


class Between(Shape, omit_defaults=True):
    """What is between camera and tiles at one moment; a camera whose picture is moved shows everything ``moved_mm`` further and
    turned by ``turned_deg``."""

    covers: tuple[Cover, ...] = ()
    light: float = 1.0
    """How many times as bright as usual."""
    side_light: tuple[float, float] = (0.0, 0.0)
    """By what share of the middle's light the right and the lower edge of the picture are brighter; those opposite are as much darker."""
    moved_mm: tuple[float, float] = (0.0, 0.0)
    turned_deg: float = 0.0
    silent: bool = False
    """The camera sends no picture."""


CLEAR = Between()


class TableScene(Shape):
    """Everything that lies on the mat; ``version`` grows with every change."""

    version: int
    tiles: tuple[LaidTile, ...]
    between: Between = CLEAR
