"""Turns drawings into pixels with Pillow for cameras, training and contact sheets: supersampled, deterministic, cached. The face fills the
picture; its rounded corners are in the alpha channel."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from twinwall.art.designs import Design, Flower
from twinwall.art.faces import FACE_WIDTH, Face, draw_face
from twinwall.art.shapes import Box, Circle, Drawing, Path, Point, Style

Pixels = NDArray[np.uint8]
"""Height × width × 4: red, green, blue, alpha."""
_SMALL_PX = 160


def raster(design: Design, face: Face | Flower, height_px: int) -> Pixels:
    """A face, flower tile or back as a read-only uint8 array (height_px, width, 4), RGBA; the design gives the width. Raises ValueError for
    a height below 8."""
    if height_px < 8:
        raise ValueError(f"a tile of {height_px} px cannot be drawn: ask for 8 px or more")
    return _remembered(design, face, height_px)


@lru_cache(maxsize=4096)
def _remembered(design: Design, face: Face | Flower, height_px: int) -> Pixels:
    pixels = paint(draw_face(design, face), design, face, height_px)
    pixels.setflags(write=False)
    return pixels


def paint(drawing: Drawing, design: Design, face: Face | Flower, height_px: int) -> Pixels:
    """Draw without cache; see ``raster``."""
    finer = 4 if height_px <= _SMALL_PX else 3
    width_px = round(height_px * FACE_WIDTH / design.face_height)
    size = (width_px * finer, height_px * finer)
    ground = design.palette.back if face == "back" else design.palette.face
    canvas = _Canvas(Image.new("RGB", size, ground), height_px * finer / design.face_height)
    for shape in drawing:
        canvas.draw(shape)
    outline = Image.new("L", size, 0)
    radius = design.corner_radius * canvas.scale
    ImageDraw.Draw(outline).rounded_rectangle((0, 0, size[0] - 1, size[1] - 1), radius, fill=255)
    return np.dstack((np.asarray(canvas.image.reduce(finer)), np.asarray(outline.reduce(finer))))


class _Canvas:
    """Paints shapes in face units on a Pillow image with ``scale`` pixels per unit."""

    def __init__(self, image: Image.Image, scale: float) -> None:
        self.image = image
        self.scale = scale
        self._pen = ImageDraw.Draw(image)

    def draw(self, shape: Path | Circle | Box) -> None:
        match shape:
            case Circle(centre, radius, style):
                self._circle(centre, radius, style)
            case Box():
                self._box(shape)
            case Path():
                self._path(shape)

    def _at(self, point: Point) -> Point:
        return point[0] * self.scale - 0.5, point[1] * self.scale - 0.5

    def _circle(self, centre: Point, radius: float, style: Style) -> None:
        x, y = self._at(centre)
        if style.fill is not None:
            r = radius * self.scale
            self._pen.ellipse((x - r, y - r, x + r, y + r), fill=style.fill)
        if style.stroke is not None:
            r = (radius + style.width / 2) * self.scale
            self._pen.ellipse((x - r, y - r, x + r, y + r), outline=style.stroke, width=max(1, round(style.width * self.scale)))

    def _box(self, box: Box) -> None:
        style = box.style
        half = style.width / 2 if style.stroke else 0.0
        left, top = self._at((box.x - half, box.y - half))
        right, bottom = self._at((box.x + box.width + half, box.y + box.height + half))
        self._pen.rounded_rectangle(
            (round(left), round(top), round(right), round(bottom)),
            (box.radius + half) * self.scale,
            fill=style.fill,
            outline=style.stroke,
            width=max(1, round(style.width * self.scale)) if style.stroke else 0,
        )

    def _path(self, path: Path) -> None:
        contours = [[self._at(point) for point in contour] for contour in path.contours(self.scale)]
        if path.style.fill is not None:
            if len(contours) == 1:
                self._pen.polygon(contours[0], fill=path.style.fill)
            else:
                self._compound(contours, path.style.fill)
        if path.style.stroke is not None:
            for contour in contours:
                self._stroke([*contour, contour[0]] if path.closed else contour, path.style, path.style.stroke)

    def _stroke(self, points: list[Point], style: Style, colour: str) -> None:
        width = max(1, round(style.width * self.scale))
        self._pen.line(points, fill=colour, width=width, joint="curve")
        if style.round_ends and width > 2:
            r = width / 2
            for x, y in (points[0], points[-1]):
                self._pen.ellipse((x - r, y - r, x + r, y + r), fill=colour)

    def _compound(self, contours: list[list[Point]], colour: str) -> None:
        """Fill several contours by the non-zero rule: each adds its winding where it covers."""
        left, top = (int(min(point[axis] for contour in contours for point in contour)) - 1 for axis in (0, 1))
        right, bottom = (int(max(point[axis] for contour in contours for point in contour)) + 2 for axis in (0, 1))
        winding = np.zeros((bottom - top, right - left), np.int8)
        for contour in contours:
            cover = Image.new("1", (right - left, bottom - top))
            ImageDraw.Draw(cover).polygon([(x - left, y - top) for x, y in contour], fill=1)
            winding += np.where(np.asarray(cover), np.int8(1 if _area(contour) > 0 else -1), np.int8(0))
        self.image.paste(colour, (left, top), Image.fromarray((winding != 0).astype(np.uint8) * 255))


def _area(contour: list[Point]) -> float:
    """Twice the signed area of a polygon."""
    return sum(ax * by - bx * ay for (ax, ay), (bx, by) in zip(contour, [*contour[1:], contour[0]], strict=True))
