"""Draws each tile's face in a design (``draw_face``), in face units from the top left corner. Characters are a numeral above 萬, honours
one large character, the white dragon a frame; bamboos are sticks by place and colour (8s is an M above a W), and ``drawings.svg`` has dots
and the bird of 1s. The layouts of dots are those of every set; 3p and the upper three of 7p are on a diagonal that falls to the right. A
face is recognisable by shape alone, without colours."""

import math
from dataclasses import replace
from typing import Literal

from twinwall.art.designs import Design, Flower, draw_flower
from twinwall.art.drawings import drawn
from twinwall.art.glyphset import extent, glyph
from twinwall.art.shapes import Affine, Box, Circle, Drawing, Path, Shape, Style, grow, move, placed, stroke, turn
from twinwall.game.tiles import Suit, Tile

Stick = tuple[float, float, str]
"""Middle in the inner field (−1 to 1 each way) and colour: r, g, b."""

_STICKS: dict[int, tuple[float, tuple[Stick, ...]]] = {
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
    length, layout = _STICKS[rank]
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
    half_width, half_height = design.half_field
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


FACE_WIDTH = 60.0
Face = Tile | Literal["back"]
"""What a tile of the game shows."""

_NUMERALS = "一二三四五六七八九"
_GLYPH_HEIGHT = 900.0
_BESIDE_INDEX = 0.82
"""Scale of a drawing beside a corner index."""
_HONOURS = {Tile.EAST: "東", Tile.SOUTH: "南", Tile.WEST: "西", Tile.NORTH: "北", Tile.RED: "中"}


def draw_face(design: Design, face: Face | Flower) -> Drawing:
    """The drawing of a face, a flower tile or the back, without the tile's outline."""
    if face == "back":
        return _back(design)
    middle = move(FACE_WIDTH / 2, design.face_height / 2)
    if isinstance(face, Flower):
        return placed(draw_flower(design, face), middle)
    if design.corner_index:
        return (*placed(_suited(design, face), middle @ grow(_BESIDE_INDEX)), *_index(design, face))
    return placed(_suited(design, face), middle)


def _suited(design: Design, tile: Tile) -> Drawing:
    """A tile's drawing around the origin."""
    match tile.suit:
        case Suit.CHARACTERS:
            return _character(design, tile.rank)
        case Suit.DOTS:
            return draw_dots(design, tile.rank)
        case Suit.BAMBOOS if tile.rank == 1:
            return _bird(design)
        case Suit.BAMBOOS:
            return draw_sticks(design, tile.rank)
        case Suit.HONOURS:
            return _honour(design, tile)


def _bird(design: Design) -> Drawing:
    half_width, half_height = design.half_field
    size = min(half_width / 23.5, half_height / 33.5) * design.bird_size
    return placed(drawn(f"bird-{design.bird}", design.palette.named), grow(-size if design.bird_mirrored else size, size))


def written(design: Design, glyph_set: str, character: str, height: float, colour: str) -> Path:
    """A character around the origin; ``height`` is that of the set's winds, so 一 stays flat."""
    scale = height / _GLYPH_HEIGHT
    outline = glyph(glyph_set, character).transformed(grow(scale))
    if design.weight <= 0:
        return replace(outline, style=Style(fill=colour))
    return replace(outline, style=Style(fill=colour, stroke=colour, width=design.weight))


def _fitted(design: Design, character: str, width: float, height: float, colour: str) -> Drawing:
    """A character centred by its outline, as large as fits the box."""
    left, top, right, bottom = extent(design.characters, character)
    scale = min(width / (right - left), height / (bottom - top))
    shape = written(design, design.characters, character, scale * _GLYPH_HEIGHT, colour)
    return placed((shape,), move(-(left + right) / 2 * scale, -(top + bottom) / 2 * scale))


def _character(design: Design, rank: int) -> Drawing:
    character = design.five if rank == 5 else _NUMERALS[rank - 1]
    field = design.face_height - 2 * design.margin_y
    shrink = min(1.0, field / (design.numeral_size + design.ten_thousand_size))
    numeral_size, wan_size = design.numeral_size * shrink, design.ten_thousand_size * shrink
    spare = (field - numeral_size - wan_size) * 0.15
    numeral = written(design, design.numerals, character, numeral_size, design.palette.ink)
    wan = _fitted(design, design.ten_thousand, 44.0, wan_size, design.palette.red)
    return (*placed((numeral,), move(0, numeral_size / 2 + spare - field / 2)), *placed(wan, move(0, field / 2 - spare - wan_size / 2)))


def _honour(design: Design, tile: Tile) -> Drawing:
    paints, size = design.palette, design.honour_size
    match tile:
        case Tile.WHITE:
            return _white(design)
        case Tile.GREEN:
            return _fitted(design, design.green_dragon, 46.0, size, paints.green)
        case Tile.RED:
            return _fitted(design, "中", 44.0, size * 1.1, paints.red)
        case _:
            return _fitted(design, _HONOURS[tile], 46.0, size, paints.ink)


def _white(design: Design) -> Drawing:
    """The white dragon's mark around the origin."""
    blue, line = design.palette.blue, design.white_line
    half_width, half_height = 30 - design.margin_x - 2, design.face_height / 2 - design.margin_y - 2

    def frame(inset: float, width: float, radius: float) -> Box:
        x, y = half_width - inset, half_height - inset
        return Box(-x, -y, 2 * x, 2 * y, radius, Style(stroke=blue, width=width))

    match design.white:
        case "double":
            return (frame(0, 4.2 * line, 3.0), frame(7.2, 1.9 * line, 0.6))
        case "thin":
            return (frame(1.5, 2.0 * line, 2.0),)
        case "corners":
            return tuple(
                stroke(((x, y - sy * 14), (x, y), (x - sx * 11, y)), blue, 3.0 * line)
                for sx, x in ((-1, 2 - half_width), (1, half_width - 2))
                for sy, y in ((-1, 2 - half_height), (1, half_height - 2))
            )
        case "dashed":
            return (frame(4.2, 1.2 * line, 1.0), *_dashes(half_width, half_height, blue, 3.0 * line))
        case "blank":
            return ()
        case "keyed":
            return (frame(1.0, 2.6 * line, 0.0), *_keys(half_width - 5.6, half_height - 5.6, blue, 1.9 * line))


def _dashes(half_width: float, half_height: float, colour: str, width: float) -> Drawing:
    """Short thick bars along a frame."""
    across = [x * half_width * 0.36 for x in (-2, -1, 0, 1, 2)]
    down = [y * half_height * 0.27 for y in (-3, -2, -1, 0, 1, 2, 3)]
    bars = [stroke(((x - 2.4, y), (x + 2.4, y)), colour, width, round_ends=False) for x in across for y in (-half_height, half_height)]
    bars += [stroke(((x, y - 2.4), (x, y + 2.4)), colour, width, round_ends=False) for y in down for x in (-half_width, half_width)]
    return tuple(bars)


def _keys(x: float, y: float, colour: str, width: float) -> Drawing:
    """A meander in each corner of a frame."""
    key = (stroke(((0, 11.0), (0, 0), (9.0, 0), (9.0, 6.5), (4.5, 6.5), (4.5, 11.0)), colour, width),)
    return tuple(shape for sx in (-1, 1) for sy in (-1, 1) for shape in placed(key, move(sx * x, sy * y) @ grow(-sx, -sy)))


def _index(design: Design, tile: Tile) -> Drawing:
    """The Arabic index, a digit or an honour's letter, in the upper left corner and upside down in the lower right."""
    text = tile.text if tile.is_honour else str(tile.rank)
    sign = written(replace(design, weight=0.0), "sans", text, 12.0, design.palette.ink)
    left, top, _, _ = sign.bounds()
    corner = move(-25.5 - left, 4.0 - design.face_height / 2 - top)
    middle = move(FACE_WIDTH / 2, design.face_height / 2)
    return (*placed((sign,), middle @ corner), *placed((sign,), middle @ turn(180) @ corner))


def _back(design: Design) -> Drawing:
    """The back's pattern from the top left corner."""
    paints, height = design.palette, design.face_height
    match design.back:
        case "frame":
            return (Box(9, 10, FACE_WIDTH - 18, height - 20, 2.0, Style(stroke=paints.back_line, width=1.6)),)
        case "lattice":
            return _lattice(paints.back_line, height)
        case "plain":
            return ()


def _lattice(colour: str, height: float) -> Drawing:
    """Crossed diagonals in a thin frame."""
    left, right, top, bottom = 8.0, FACE_WIDTH - 8.0, 9.0, height - 9.0
    lines: list[Path | Box] = [Box(left, top, right - left, bottom - top, 2.0, Style(stroke=colour, width=1.6))]
    columns, rows = 4, 6
    step_x, step_y = (right - left) / columns, (bottom - top) / rows
    for row in range(rows):
        for column in range(columns):
            x, y = left + column * step_x, top + row * step_y
            ends = ((x, y), (x + step_x, y + step_y)) if (row + column) % 2 == 0 else ((x, y + step_y), (x + step_x, y))
            lines.append(stroke(ends, colour, 1.1))
    return tuple(lines)
