"""A small vector model: paths, circles and boxes with fill and stroke, and their transforms. A tile face is a tuple of shapes in face units
(60 wide, y down). SVG and pixels are made from the same shapes."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from twinwall.values import frozen

Point = tuple[float, float]
_STEP = re.compile(r"([MLQClqc])([-\d. ]*)")


@frozen
class Style:
    """A shape's paint: colours as ``#rrggbb`` or None; stroke width in face units."""

    fill: str | None = None
    stroke: str | None = None
    width: float = 0.0
    round_ends: bool = True


@frozen
class Affine:
    """x' = a·x + c·y + e, y' = b·x + d·y + f."""

    a: float = 1.0
    b: float = 0.0
    c: float = 0.0
    d: float = 1.0
    e: float = 0.0
    f: float = 0.0

    def __call__(self, point: Point) -> Point:
        x, y = point
        return self.a * x + self.c * y + self.e, self.b * x + self.d * y + self.f

    def __matmul__(self, first: "Affine") -> "Affine":
        """The transform that applies ``first``, then this one."""
        return Affine(
            self.a * first.a + self.c * first.b,
            self.b * first.a + self.d * first.b,
            self.a * first.c + self.c * first.d,
            self.b * first.c + self.d * first.d,
            *self((first.e, first.f)),
        )

    @property
    def scale(self) -> float:
        """The mean magnification, which scales stroke widths and radii."""
        return math.sqrt(abs(self.a * self.d - self.b * self.c))


def move(x: float, y: float) -> Affine:
    return Affine(e=x, f=y)


def turn(degrees: float) -> Affine:
    """Turn about the origin, clockwise as seen (y is down)."""
    cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return Affine(cosine, sine, -sine, cosine)


def grow(x: float, y: float | None = None) -> Affine:
    """Magnify about the origin; a negative factor mirrors."""
    return Affine(a=x, d=x if y is None else y)


Step = tuple[Point, ...]
"""One step of a contour: control points of a quadratic (one) or cubic (two) Bézier curve, then its end."""


@frozen
class Path:
    """Contours filled by the non-zero rule, each a start and its steps; ``closed``: a stroke joins the ends."""

    outline: tuple[tuple[Step, ...], ...]
    style: Style
    closed: bool = True

    def transformed(self, by: Affine) -> "Path":
        """The path after a transform; the stroke scales with it."""
        outline = tuple(tuple(tuple(map(by, step)) for step in contour) for contour in self.outline)
        return Path(outline, _scaled(self.style, by), self.closed)

    def bounds(self) -> tuple[float, float, float, float]:
        points = [point for contour in self.contours(0.5) for point in contour]
        xs, ys = [x for x, _ in points], [y for _, y in points]
        return min(xs), min(ys), max(xs), max(ys)

    def contours(self, points_per_unit: float) -> list[list[Point]]:
        """The contours as polylines, with about one point per pixel on curves."""
        found: list[list[Point]] = []
        for contour in self.outline:
            points: list[Point] = []
            for step in contour:
                points += step if len(step) == 1 else _flatten((points[-1], *step), points_per_unit)
            found.append(points)
        return found


@frozen
class Circle:
    centre: Point
    radius: float
    style: Style

    def transformed(self, by: Affine) -> "Circle":
        """The circle after a transform without shear or unequal stretching."""
        return Circle(by(self.centre), self.radius * by.scale, _scaled(self.style, by))


@frozen
class Box:
    """An upright rectangle with rounded corners."""

    x: float
    y: float
    width: float
    height: float
    radius: float
    style: Style

    def as_path(self) -> Path:
        """The same outline as a path, which can be turned."""
        x, y, w, h = self.x, self.y, self.width, self.height
        r = min(self.radius, w / 2, h / 2)
        k = r * 0.4477
        outline = (
            ((x + r, y),),
            ((x + w - r, y),),
            ((x + w - k, y), (x + w, y + k), (x + w, y + r)),
            ((x + w, y + h - r),),
            ((x + w, y + h - k), (x + w - k, y + h), (x + w - r, y + h)),
            ((x + r, y + h),),
            ((x + k, y + h), (x, y + h - k), (x, y + h - r)),
            ((x, y + r),),
            ((x, y + k), (x + k, y), (x + r, y)),
        )
        return Path((outline,), self.style)

    def transformed(self, by: Affine) -> "Path | Box":
        """The box after a transform: still a box unless turned or mirrored."""
        if by.b or by.c or by.a < 0 or by.d < 0:
            return self.as_path().transformed(by)
        x, y = by((self.x, self.y))
        return Box(x, y, self.width * by.a, self.height * by.d, self.radius * by.scale, _scaled(self.style, by))


Shape = Path | Circle | Box
Drawing = tuple[Shape, ...]


def placed(drawing: Iterable[Shape], by: Affine) -> Drawing:
    return tuple(shape.transformed(by) for shape in drawing)


def stroke(points: Sequence[Point], colour: str, width: float, *, round_ends: bool = True) -> Path:
    return Path((tuple((point,) for point in points),), Style(stroke=colour, width=width, round_ends=round_ends), closed=False)


def path_of(text: str, style: Style) -> Path:
    """Read SVG path data: ``M``, ``L``, ``Q`` and ``C`` with absolute points, ``l``, ``q`` and ``c`` with relative ones."""
    outline: list[list[Step]] = []
    for verb, numbers in _STEP.findall(text):
        values = [float(number) for number in numbers.split()]
        left, top = outline[-1][-1][-1] if verb.islower() else (0.0, 0.0)
        step = tuple((left + x, top + y) for x, y in zip(values[::2], values[1::2], strict=True))
        if verb == "M":
            outline.append([step])
        else:
            outline[-1].append(step)
    return Path(tuple(map(tuple, outline)), style, closed=text.upper().endswith("Z"))


def _scaled(style: Style, by: Affine) -> Style:
    return replace(style, width=style.width * by.scale) if style.width else style


def _flatten(points: tuple[Point, ...], points_per_unit: float) -> list[Point]:
    """A Bézier curve as points after its start, about one per two pixels and at most 24."""
    length = sum(math.dist(a, b) for a, b in pairwise(points))
    pieces = max(2, min(24, math.ceil(length * points_per_unit / 2)))
    return [_bezier(points, index / pieces) for index in range(1, pieces + 1)]


def _bezier(points: tuple[Point, ...], t: float) -> Point:
    while len(points) > 1:
        points = tuple(((1 - t) * ax + t * bx, (1 - t) * ay + t * by) for (ax, ay), (bx, by) in pairwise(points))
    return points[0]
