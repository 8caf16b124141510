"""Camera Module 3 as a solid, what it is screwed to, and what it sees; lengths in mm, its lens looks down."""

from __future__ import annotations

from math import atan2, degrees, radians, tan

from build123d import Box, Cylinder, Part, Pos, Rectangle, loft

from hardware.dimensions import most, nominal

BOARD, LENS = (25.0, 24.0, 1.1), 6.5
"""Its board, and from there to the front of its lens."""
HOLES, LENS_ROW = ((-10.5, 0.0), (10.5, 0.0), (-10.5, -12.5), (10.5, -12.5)), 9.5
"""Its holes from the lens, which is between two of them, and how far that is from the edge at y with the cable's socket."""
STANDOFF = 6.0
AXES = ("wide", "high")


def camera(low: float) -> Part:
    """The camera with the front of its lens at this height."""
    board = Pos(0, LENS_ROW - BOARD[1] / 2, low + LENS + BOARD[2] / 2) * Box(*BOARD)
    return board + Pos(0, 0, low + LENS / 2) * Box(8.5, 8.5, LENS)


def mount(low: float) -> float:
    """The underside of what a camera with its lens at this height is screwed to."""
    return low + LENS + BOARD[2] + STANDOFF


def with_standoffs(plate: Part, underside: float, thick: float) -> Part:
    """A plate with four posts below it, and holes for M2 through both."""
    for x, y in HOLES:
        plate += Pos(x, y, underside - STANDOFF / 2) * Cylinder(2.5, STANDOFF)
        plate -= Pos(x, y, underside + (thick - STANDOFF) / 2) * Cylinder(1.1, thick + STANDOFF)
    return plate


def sight(wide: float, high: float, at: float, low: float) -> Part:
    """What light crosses from a rectangle at one height to the lens at another one."""
    return loft([Pos(0, 0, at) * Rectangle(wide, high), Pos(0, 0, low) * Rectangle(1, 1)])


def picture_mm(distance: float, axis: str, more_deg: float = 0.0) -> float:
    """How much of a plane at this distance is in the picture, along one of its ``AXES``."""
    return 2 * distance * tan(radians(nominal(f"camera.view_{axis}_deg") / 2 + more_deg))


def edge_deg(half: float, distance: float, stage: str) -> float:
    """How far from the picture's middle the edge of what a stage's camera has to see may be, with the camera at its worst."""
    return degrees(atan2(half + most(f"{stage}.off"), distance)) + most(f"{stage}.tilt_deg")


def outside(seen: str, halves: tuple[float, float], distance: float, stage: str) -> tuple[str, ...]:
    """Along which axes it is not all in the picture."""
    needs = [
        (axis, edge_deg(half, distance, stage), nominal(f"camera.view_{axis}_deg") / 2) for axis, half in zip(AXES, halves, strict=True)
    ]
    return tuple(f"{seen} needs {deg:.1f}° from the middle, the picture has {has:.1f}° ({axis})" for axis, deg, has in needs if deg > has)
