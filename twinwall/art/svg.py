"""Writes tiles as SVG: a row of tiles, or one sprite of symbols for pages. A tile is its face over a visible edge of 4 units, so a classic
tile's view box is 0 0 60 84. Without styles, scripts and references, a symbol works under a strict content security policy, in an ``<img>``
and on paper."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from xml.sax.saxutils import quoteattr

from twinwall.art.designs import CLASSIC, Design
from twinwall.art.faces import FACE_WIDTH, Face, draw_face
from twinwall.art.shapes import Box, Circle, Drawing, Path, Shape, Style
from twinwall.game.tiles import ALL_TILES, Tile

EDGE_HEIGHT = 4.0
_GAP = 20.0
_FINEST = 100
"""Coordinates are in hundredths of a unit: less than a tenth of a pixel on a 600 px tile."""


@lru_cache(maxsize=8)
def sprite(design: Design = CLASSIC) -> str:
    """All 34 faces and the back as ``<symbol id="t-5p">`` … ``<symbol id="t-back">``, for ``<use>`` on pages."""
    return f'<svg xmlns="http://www.w3.org/2000/svg">{_symbols(design, (*ALL_TILES, "back"))}</svg>'


def row(groups: Sequence[Sequence[Face]], label: str, design: Design = CLASSIC) -> str:
    """One SVG document of tiles side by side with a gap between groups: a hand with its melds."""
    height, left = design.face_height + EDGE_HEIGHT, 0.0
    uses = []
    for group in groups:
        for face in group:
            uses.append(f'<use href="#{symbol_id(face)}" x="{_plain(left)}" width="{_plain(FACE_WIDTH)}" height="{_plain(height)}"/>')
            left += FACE_WIDTH
        left += _GAP
    box = f'viewBox="0 0 {_plain(left - _GAP)} {_plain(height)}" role="img" aria-label={quoteattr(label)}'
    faces = dict.fromkeys(face for group in groups for face in group)
    return f'<svg xmlns="http://www.w3.org/2000/svg" {box}>{_symbols(design, faces)}{"".join(uses)}</svg>'


def _symbols(design: Design, faces: Iterable[Face]) -> str:
    box = f"0 0 {_plain(FACE_WIDTH)} {_plain(design.face_height + EDGE_HEIGHT)}"
    return "".join(f'<symbol viewBox="{box}" id="{symbol_id(face)}">{_tile(design, face)}</symbol>' for face in faces)


def symbol_id(face: Face) -> str:
    """The id of a face's symbol in the sprite: ``t-`` and its notation, or ``t-back``."""
    return f"t-{face.text if isinstance(face, Tile) else face}"


@lru_cache(maxsize=256)
def _tile(design: Design, face: Face) -> str:
    """The tile's body and face; cached because pages repeat faces."""
    paints = design.palette
    ground, edge = (paints.back, paints.face) if face == "back" else (paints.face, paints.edge)
    height, radius = design.face_height, design.corner_radius
    body = (
        Box(0, EDGE_HEIGHT, FACE_WIDTH, height, radius, Style(fill=edge)),
        Box(0.5, 0.5, FACE_WIDTH - 1, height - 1, radius - 0.5, Style(fill=ground, stroke=paints.line, width=1)),
    )
    return "".join(_elements((*body, *draw_face(design, face))))


def _elements(drawing: Drawing) -> Iterator[str]:
    """The drawing in order; neighbouring circles or lines of one style become one path."""
    for (kind, style), shapes in groupby(drawing, key=_manner):
        alike = list(shapes)
        if kind in {"ring", "line"}:
            yield f'<path d="{"".join(_outline(shape) for shape in alike)}"{_paint(style, line=kind == "line")}/>'
        else:
            yield from (_element(shape) for shape in alike)


def _manner(shape: Shape) -> tuple[str, Style]:
    """What neighbours must share to become one path."""
    match shape:
        case Circle():
            return "ring", shape.style
        case Path() if not shape.closed:
            return "line", shape.style
        case _:
            return "area", shape.style


def _element(shape: Shape) -> str:
    if isinstance(shape, Box):
        at = f'x="{_plain(shape.x)}" y="{_plain(shape.y)}" ' if shape.x or shape.y else ""
        return f'<rect {at}width="{_plain(shape.width)}" height="{_plain(shape.height)}" rx="{_plain(shape.radius)}"{_paint(shape.style)}/>'
    return f'<path d="{_outline(shape)}"{_paint(shape.style)}/>'


def _paint(style: Style, *, line: bool = False) -> str:
    fill = "" if style.fill == "#000000" else f' fill="{style.fill or "none"}"'
    if style.stroke is None:
        return fill
    ends = ' stroke-linecap="round"' if line and style.round_ends else ""
    joints = ' stroke-linejoin="round"' if line or style.fill else ""
    return f'{fill} stroke="{style.stroke}" stroke-width="{_plain(style.width)}"{ends}{joints}'


def _outline(shape: Shape) -> str:
    """A shape's contours as path data, in relative steps between rounded points."""
    match shape:
        case Circle((x, y), radius, _):
            r, across = _plain(radius), _plain(2 * radius)
            return f"M{_numbers((round((x - radius) * _FINEST), round(y * _FINEST)))}a{r} {r} 0 1 0 {across} 0a{r} {r} 0 1 0-{across} 0z"
        case Box():
            return _outline(shape.as_path())
        case Path():
            return _path_data(shape)


def _path_data(path: Path) -> str:
    parts: list[str] = []
    for contour in path.outline:
        at, letter = (0, 0), "M"
        for step in contour:
            points = [(round(point[0] * _FINEST), round(point[1] * _FINEST)) for point in step]
            parts.append((letter or "lqc"[len(step) - 1]) + _numbers([value for x, y in points for value in (x - at[0], y - at[1])]))
            at, letter = points[-1], ""
        parts.append("z" if path.closed else "")
    return "".join(parts)


def _numbers(values: Sequence[int] | Iterable[int]) -> str:
    """Hundredths as decimals, as short as path data allows."""
    return " ".join(_plain(value / _FINEST) for value in values).replace(" -", "-")


def _plain(value: float) -> str:
    """A number with at most two decimals and no needless zero."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    if text in {"-0", ""}:
        return "0"
    return text.removeprefix("0") if text.startswith("0.") else text.replace("-0.", "-.", 1)
