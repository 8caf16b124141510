"""Draws the dots, 1p to 9p: where each dot lies, what colour it has and how one dot is drawn.

Layouts are those of every set: 3p and the upper three of 7p on a diagonal that falls to the right,
so that a face is known by shape alone, without its colours.
"""

from __future__ import annotations

from twinwall.art.designs import Design, DotStyle, WheelStyle
from twinwall.art.shapes import Circle, Drawing, Point, Shape, Style, around, grow, move, petal, placed, polygon, turn

Dot = tuple[float, float, str]
"""Place in the inner field (−1 to 1 each way) and colour: r, g, b."""

_LAYOUTS: dict[int, tuple[float, tuple[Dot, ...]]] = {
    2: (0.365, ((0, -0.55, "b"), (0, 0.55, "g"))),
    3: (0.285, ((-0.6, -0.68, "b"), (0, 0, "r"), (0.6, 0.68, "g"))),
    4: (0.315, ((-0.54, -0.56, "b"), (0.54, -0.56, "g"), (-0.54, 0.56, "g"), (0.54, 0.56, "b"))),
    5: (0.285, ((-0.6, -0.66, "b"), (0.6, -0.66, "g"), (0, 0, "r"), (-0.6, 0.66, "g"), (0.6, 0.66, "b"))),
    6: (0.285, ((-0.5, -0.7, "g"), (0.5, -0.7, "g"), (-0.5, 0, "r"), (0.5, 0, "r"), (-0.5, 0.7, "r"), (0.5, 0.7, "r"))),
    7: (
        0.225,
        (
            (-0.66, -0.77, "g"),
            (0, -0.54, "g"),
            (0.66, -0.31, "g"),
            (-0.44, 0.21, "r"),
            (0.44, 0.21, "r"),
            (-0.44, 0.76, "r"),
            (0.44, 0.76, "r"),
        ),
    ),
    8: (0.235, tuple((x, y, "b") for y in (-0.765, -0.255, 0.255, 0.765) for x in (-0.46, 0.46))),
    9: (0.222, tuple((x, y, colour) for y, colour in ((-0.7, "b"), (0, "r"), (0.7, "g")) for x in (-0.7, 0, 0.7))),
}
_SIX_APART = ((-0.46, -0.74, "g"), (0.46, -0.74, "g"), (-0.46, 0.12, "r"), (0.46, 0.12, "r"), (-0.46, 0.72, "r"), (0.46, 0.72, "r"))

_SEVEN_PACKED = (
    *((x, y, "g") for x, y in ((-0.62, -0.76), (0, -0.52), (0.62, -0.28))),
    *((x, y, "r") for y in (0.26, 0.74) for x in (-0.34, 0.34)),
)


def draw_dots(design: Design, rank: int) -> Drawing:
    """The dots of 1p to 9p around the origin, in face units."""
    half_width, half_height = 30 - design.margin_x, design.face_height / 2 - design.margin_y
    if rank == 1:
        return placed(_wheel(design), grow(min(half_width, half_height) * min(design.dot_size, 1.02)))
    radius, layout = _LAYOUTS[rank]
    if rank == 6 and design.six_apart:
        radius, layout = 0.27, _SIX_APART
    if rank == 7 and design.seven_packed:
        radius, layout = 0.236, _SEVEN_PACKED
    if rank == 9 and design.nine_by_columns:
        layout = tuple((x, y, "brg"[round(x / 0.7) + 1]) for x, y, _ in layout)
    style = design.small_dots if rank >= 7 else design.dots
    size = radius * min(half_height, half_width * 1.39) * design.dot_size
    drawing: list[Shape] = []
    for x, y, key in layout:
        drawing.extend(placed(_dot(design, style, _colour(design, key)), move(x * half_width, y * half_height) @ grow(size)))
    return tuple(drawing)


def _colour(design: Design, key: str) -> str:
    cool = (design.palette.green, design.palette.blue)
    return design.palette.red if key == "r" else cool[(key == "b") ^ design.swap_cool]


def _dot(design: Design, style: DotStyle, colour: str) -> Drawing:
    """One dot of radius 1 around the origin."""
    face = design.palette.face
    full, bare = Style(fill=colour), Style(fill=face)
    match style:
        case DotStyle.BEADS:
            beads = around(6, lambda: [Circle((0, -0.5), 0.13, full)])
            return (_ring(colour, 0.86, 0.24), *beads, Circle((0, 0), 0.24, full))
        case DotStyle.TARGET:
            return (_ring(colour, 0.87, 0.24), Circle((0, 0), 0.36, full))
        case DotStyle.ROSETTE:
            notches = around(12, lambda: [petal(0.46, 0.16, bare)], start_deg=15)
            outer = around(12, lambda: [Circle((0, -0.88), 0.13, full)])
            return (
                Circle((0, 0), 0.9, full),
                *outer,
                *notches,
                Circle((0, 0), 0.3, full),
                _ring(face, 0.68, 0.09),
                Circle((0, 0), 0.12, bare),
            )
        case DotStyle.DAISY:
            return (*around(8, lambda: [petal(1.0, 0.62, full)]), Circle((0, 0), 0.36, bare), Circle((0, 0), 0.24, full))
        case DotStyle.COIN:
            square: list[Point] = [(-0.27, -0.27), (0.27, -0.27), (0.27, 0.27), (-0.27, 0.27)]
            return (Circle((0, 0), 1, full), _ring(face, 0.74, 0.09), polygon(square, bare))
        case DotStyle.GEAR:
            teeth = around(10, lambda: [Circle((0, -0.86), 0.16, full)])
            return (*teeth, Circle((0, 0), 0.86, full), Circle((0, 0), 0.56, bare), Circle((0, 0), 0.34, full))
        case DotStyle.SUNWHEEL:
            rays = around(8, lambda: [polygon([(-0.09, -0.72), (0.09, -0.72), (0.05, -0.4), (-0.05, -0.4)], full)])
            return (_ring(colour, 0.9, 0.18), *rays, _ring(colour, 0.3, 0.17))


def _ring(colour: str, radius: float, width: float) -> Circle:
    return Circle((0, 0), radius, Style(stroke=colour, width=width))


def _wheel(design: Design) -> Drawing:
    """The large dot of 1p, of radius 1 around the origin."""
    paints = design.palette
    red, face = Style(fill=paints.red), Style(fill=paints.face)
    cool, other = Style(fill=_colour(design, "b")), Style(fill=_colour(design, "g"))
    hub = (Circle((0, 0), 0.3, face), _ring(paints.red, 0.24, 0.08), Circle((0, 0), 0.1, red))
    match design.wheel:
        case WheelStyle.PETALS:
            greens = around(4, lambda: [petal(0.8, 0.34, other)])
            crosses = around(4, lambda: [petal(0.8, 0.34, red)], start_deg=45)
            return (
                _ring(_fill(cool), 0.91, 0.16),
                *greens,
                *crosses,
                Circle((0, 0), 0.32, face),
                _ring(paints.red, 0.25, 0.09),
                Circle((0, 0), 0.11, red),
            )
        case WheelStyle.CHRYSANTHEMUM:
            outer = around(16, lambda: [Circle((0, -0.84), 0.15, cool)])
            slits = around(16, lambda: [petal(0.36, 0.13, face).transformed(move(0, -0.46))])
            core = around(5, lambda: [petal(0.3, 0.22, red)])
            return (*outer, Circle((0, 0), 0.85, cool), *slits, Circle((0, 0), 0.42, face), _ring(_fill(cool), 0.37, 0.05), *core)
        case WheelStyle.RINGS:
            beads = around(12, lambda: [Circle((0, -0.66), 0.085, red)])
            return (_ring(_fill(cool), 0.92, 0.13), *beads, _ring(_fill(other), 0.4, 0.12), *placed(hub, grow(0.9)))
        case WheelStyle.FLOWER:
            back = around(8, lambda: [petal(1.0, 0.42, cool)])
            front = around(8, lambda: [petal(0.72, 0.3, other)], start_deg=22.5)
            return (*back, *front, Circle((0, 0), 0.34, face), *hub)
        case WheelStyle.SUN:
            rays = around(16, lambda: [polygon([(-0.055, -0.76), (0.055, -0.76), (0.035, -0.52), (-0.035, -0.52)], cool)])
            core = placed(around(8, lambda: [petal(0.34, 0.17, red)]), turn(22.5))
            return (_ring(_fill(cool), 0.91, 0.14), *rays, _ring(_fill(other), 0.44, 0.09), *core)


def _fill(style: Style) -> str:
    assert style.fill is not None
    return style.fill
