"""Draws the bamboos 2s to 9s: places and colours of sticks, and one stick. 8s is an M above a W; the bird of 1s is in ``drawings.svg``."""

import math

from twinwall.art.designs import Design
from twinwall.art.drawings import drawn
from twinwall.art.shapes import Affine, Box, Circle, Drawing, Shape, Style, grow, move, placed, stroke, turn

Stick = tuple[float, float, str]
"""Middle in the inner field (−1 to 1 each way) and colour: r, g, b."""

_LAYOUTS: dict[int, tuple[float, tuple[Stick, ...]]] = {
    2: (0.86, ((0, -0.5, "g"), (0, 0.5, "b"))),
    3: (0.86, ((0, -0.5, "b"), (-0.5, 0.5, "g"), (0.5, 0.5, "g"))),
    4: (0.86, ((-0.5, -0.5, "b"), (0.5, -0.5, "g"), (-0.5, 0.5, "g"), (0.5, 0.5, "b"))),
    5: (0.8, ((-0.68, -0.51, "g"), (0.68, -0.51, "b"), (0, 0, "r"), (-0.68, 0.51, "b"), (0.68, 0.51, "g"))),
    6: (0.86, tuple((x, y, colour) for y, colour in ((-0.5, "g"), (0.5, "b")) for x in (-0.64, 0, 0.64))),
    7: (0.6, ((0, -0.69, "r"), *((x, y, "b" if x == 0 else "g") for y in (0.0, 0.69) for x in (-0.64, 0, 0.64)))),
    9: (0.61, tuple((x, y, "grb"[round(x / 0.66) + 1]) for y in (-0.69, 0, 0.69) for x in (-0.66, 0, 0.66))),
}


def draw_sticks(design: Design, rank: int) -> Drawing:
    """The sticks of 2s to 9s around the origin, in face units."""
    half_width, half_height = design.half_field
    width = 8.0 * design.stick_width
    if rank == 8:
        return _eight(design, width * 0.78, half_width, half_height)
    length, layout = _LAYOUTS[rank]
    if rank == 9 and design.nine_sticks_by_rows:
        layout = tuple((x, y, "grb"[round(y / 0.69) + 1]) for x, y, _ in layout)
    drawing: list[Shape] = []
    for x, y, key in layout:
        place = move(x * half_width, y * half_height)
        drawing.extend(placed(_stick(design, design.paint(key), width, length * half_height * design.stick_length), place))
    return tuple(drawing)


def _eight(design: Design, width: float, half_width: float, half_height: float) -> Drawing:
    """M above W: outer sticks upright, inner pair leaning together below (M) and above (W)."""
    length = 0.84 * half_height * design.stick_length
    outer = half_width - width * 0.55
    near, far = width * 0.54, outer - width * 1.22
    inner = (near + far) / 2
    lean = math.degrees(math.atan2(far - near, length - width))
    slanted = length / math.cos(math.radians(lean)) * 0.94
    upper, lower = design.paint("g"), design.paint("b")
    drawing: list[Shape] = []
    for y, colour, sign in ((-0.5, upper, -1), (0.5, lower, 1)):
        at = y * half_height
        for side in (-1, 1):
            drawing.extend(placed(_stick(design, colour, width, length), move(side * outer, at)))
            slant: Affine = move(side * inner, at) @ turn(-side * sign * lean)
            drawing.extend(placed(_stick(design, colour, width, slanted), slant))
    return tuple(drawing)


def _stick(design: Design, colour: str, width: float, length: float) -> Drawing:
    face = design.palette.face
    full, bare = Style(fill=colour), Style(fill=face)
    half, top, halves = width / 2, length / 2, (-length / 4, length / 4)
    match design.sticks:
        case "noded":
            pen = width * 0.27
            body = Box(-half * 0.62, -top + pen / 2, width * 0.62, length - pen, 0.3, Style(fill=face, stroke=colour, width=pen))
            bars = tuple(stroke(((-half, y), (half, y)), colour, pen * 1.05) for y in (-top + pen / 2, 0.0, top - pen / 2))
            return (body, *bars)
        case "bone":
            joint = drawn("stick-bone", {"currentColor": colour, "white": face})
            return tuple(shape for y in halves for shape in placed(joint, move(0, y) @ grow(width, top)))
        case "cane":
            gap = width * 0.09
            pieces = (
                Box(-half * 0.78, -top, width * 0.78, top - gap, half * 0.5, full),
                Box(-half * 0.78, gap, width * 0.78, top - gap, half * 0.5, full),
            )
            shine = tuple(stroke(((-half * 0.22, y - top * 0.25), (-half * 0.22, y + top * 0.25)), face, width * 0.13) for y in halves)
            return (*pieces, *shine)
        case "striped":
            lines = tuple(stroke(((-half, y * top), (half, y * top)), face, width * 0.14, round_ends=False) for y in (-0.55, 0.0, 0.55))
            return (Box(-half * 0.85, -top, width * 0.85, length, half * 0.6, full), *lines)
        case "capsule":
            pen = width * 0.22
            shell = Box(-half * 0.75, -top + pen / 2, width * 0.75, length - pen, half, Style(fill=face, stroke=colour, width=pen))
            return (
                shell,
                stroke(((0, -top * 0.62), (0, -top * 0.14)), colour, pen),
                stroke(((0, top * 0.14), (0, top * 0.62)), colour, pen),
                stroke(((-half, 0), (half, 0)), colour, pen),
            )
        case "knobbed":
            pen, edge = width * 0.5, width * 0.2
            knobs = tuple(Box(-half, y - edge, width, width * 0.4, edge, full) for y in (-top + edge, 0.0, top - edge))
            rod = stroke(((0, -top + pen / 2), (0, top - pen / 2)), colour, pen, round_ends=False)
            dots = tuple(Circle((0, y), width * 0.11, bare) for y in halves)
            return (rod, *knobs, *dots)
