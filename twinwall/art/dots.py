"""Draws the dots, 1p to 9p: where each dot lies and what colour it has; how one dot is drawn is in ``drawings.svg``.

Layouts are those of every set: 3p and the upper three of 7p on a diagonal that falls to the right,
so that a face is known by shape alone, without its colours.
"""

from twinwall.art.designs import Design
from twinwall.art.drawings import drawn
from twinwall.art.shapes import Drawing, Shape, grow, move, placed

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
    paints = design.palette.named | {"blue": design.paint("b"), "green": design.paint("g")}
    if rank == 1:
        return placed(drawn(f"wheel-{design.wheel}", paints), grow(min(half_width, half_height) * min(design.dot_size, 1.02)))
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
        dot = drawn(f"dot-{style}", paints | {"currentColor": design.paint(key)})
        drawing.extend(placed(dot, move(x * half_width, y * half_height) @ grow(size)))
    return tuple(drawing)
