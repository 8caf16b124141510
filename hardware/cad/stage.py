"""A stage of the machine as solids: checks that hold for each, and the files that a workshop or a printer needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from functools import cache
from itertools import combinations
from pathlib import Path

from build123d import Axis, Compound, ExportDXF, ExportSVG, GeomType, LineType, Part, Pos, Unit, Vector, export_step, export_stl

from hardware.dimensions import nominal
from twinwall.values import frozen

TOUCHING_MM, TOUCHING_MM3 = 0.05, 1.0
"""Parts that touch are nearer, and have less in common."""
BRIDGE_MM2 = 100.0
"""A printer spans so much without support."""
GRAMS_PER_MM3 = 0.00127
_NAME = 4.0
_NAME_STYLE = 'font-family="sans-serif" fill="#05a" text-anchor="middle"'
_STEEPEST = -0.75
"""Of a face's normal upwards: what leans further hangs."""
Point = tuple[float, float, float]


@frozen
class Stage:
    """``solids`` by name, each where it belongs, held by the ``first`` ones; they leave ``around`` free, and but for ``clear`` ones also
    ``sight``, what light crosses from ``seen`` to the lens. Only what is ``moved`` may be in the ``ways`` of tiles, parts and light.
    ``printed`` are those from a printer, as they lie on its bed, ``cut`` plates whose outline is cut; ``wrong`` says what its dimensions do
    not keep, ``figures`` how well. The picture shows ``shown`` besides and leaves ``hidden`` out, from a point towards another one; in a
    second one the parts, only those ``taken`` if any, are ``apart``, by how much of their way from the middle."""

    name: str
    solids: Mapping[str, Part]
    first: tuple[str, ...]
    look: tuple[Point, Point]
    scale: float
    around: Mapping[str, Part] = field(default_factory=dict)
    seen: str = ""
    sight: Part | None = None
    clear: tuple[str, ...] = ("camera",)
    ways: Mapping[str, Part] = field(default_factory=dict)
    moved: tuple[str, ...] = ()
    shown: Mapping[str, Part] = field(default_factory=dict)
    hidden: tuple[str, ...] = ()
    printed: Mapping[str, Part] = field(default_factory=dict)
    cut: Mapping[str, Part] = field(default_factory=dict)
    wrong: tuple[str, ...] = ()
    figures: str = ""
    apart: float = 0.0
    taken: tuple[str, ...] = ()


def faults(stage: Stage) -> Iterator[str]:
    """What is wrong: collisions, what hangs in the air or before the camera, what cannot be printed, and what the stage itself finds."""
    for (one, first), (other, second) in combinations({**stage.solids, **stage.around}.items(), 2):
        common = common_mm3(first, second)
        if common > TOUCHING_MM3:
            yield f"{one} runs {common:.0f} mm³ into {other}"
    yield from (f"{name} is fixed to nothing" for name in sorted(_loose(stage)))
    for name, solid in stage.solids.items():
        if name not in stage.clear and stage.sight is not None and common_mm3(solid, stage.sight) > TOUCHING_MM3:
            yield f"{name} hides a part of {stage.seen}"
        for way, room in stage.ways.items():
            if name not in stage.moved and common_mm3(solid, room) > TOUCHING_MM3:
                yield f"{name} stands in {way}"
    for name, solid in stage.printed.items():
        yield from (f"{name} {why}" for why in _unprintable(solid))
    yield from stage.wrong


def write(stage: Stage, folder: Path) -> None:
    """Write the whole as STEP, each part as STL, what is cut as DXF, and a picture."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, solid in (stage.printed or stage.solids).items():
        export_stl(solid, folder / f"{name.replace(' ', '-')}.stl")
    for name, solid in stage.cut.items():
        outline = ExportDXF(unit=Unit.MM)
        face = solid.faces().sort_by(Axis.Z)[-1]
        outline.add_shape(Pos(0, 0, -face.center().Z) * face)
        outline.write(str(folder / f"{name.replace(' ', '-')}.dxf"))
    export_step(Compound(children=[*stage.solids.values()]), folder / f"{stage.name}.step")
    picture(stage, folder / f"{stage.name}.svg")
    if stage.apart:
        exploded(stage, folder / f"{stage.name}-parts.svg")


def picture(stage: Stage, file: Path) -> None:
    """Draw it with what stands around it."""
    drawn = {**stage.solids, **stage.around, **stage.shown}
    _draw([part for name, part in drawn.items() if name not in stage.hidden], stage, file, "")


def exploded(stage: Stage, file: Path) -> None:
    """Draw its parts apart, each moved away from their middle and named."""
    origin, towards = (Vector(*point) for point in stage.look)
    drawn = {name: solid for name, solid in stage.solids.items() if name in (stage.taken or stage.solids.keys() - {*stage.hidden})}
    middle = Compound(children=[*drawn.values()]).bounding_box().center()
    away = (origin - towards).normalized()
    right = Vector(0, 0, 1).cross(away).normalized()
    moved, names = [], dict[tuple[float, float], str]()
    high = _NAME / stage.scale
    for name, solid in drawn.items():
        at = solid.bounding_box().center()
        by = (at - middle) * stage.apart
        moved.append(Pos(*by) * solid)
        x, y = (at + by - origin).dot(right), -(at + by - origin).dot(away.cross(right))
        while any(abs(x - other_x) < 8 * high and abs(y - other_y) < high for other_x, other_y in names):
            y += high / 4
        names[x, y] = f'<text x="{x:.1f}" y="{y:.1f}" font-size="{high:g}" {_NAME_STYLE}>{name}</text>\n'
    _draw(moved, stage, file, "".join(names.values()))


def _draw(parts: Sequence[Part], stage: Stage, file: Path, more: str) -> None:
    origin, towards = stage.look
    visible, _ = Compound(children=[*parts]).project_to_viewport(origin, look_at=towards)
    drawing = ExportSVG(unit=Unit.MM, scale=stage.scale, margin=15 if more else 5)
    drawing.add_layer("visible", line_weight=0.3, line_type=LineType.CONTINUOUS)
    drawing.add_shape(visible, layer="visible")
    drawing.write(file)
    text = file.read_text(encoding="utf-8").replace("<svg ", '<svg style="background:#fff" ', 1)
    file.write_text(text.replace("</svg>", f"{more}</svg>"), encoding="utf-8")


def print_list(printed: Mapping[str, Part]) -> str:
    """Each part's size on the bed and, of PETG that fills it, its mass."""
    sizes = {name: " × ".join(f"{size:.0f}" for size in solid.bounding_box().size) for name, solid in printed.items()}
    return ", ".join(f"{name} {size} mm {printed[name].volume * GRAMS_PER_MM3:.0f} g" for name, size in sizes.items())


def common_mm3(one: Part, other: Part) -> float:
    """What two solids have in common."""
    if _apart(one, other):
        return 0.0
    common = one.intersect(other)
    if common is None:
        return 0.0
    return float(sum(solid.volume for solid in common.solids()))


def _loose(stage: Stage) -> set[str]:
    """Parts that do not hang together with any of the first."""
    solids = stage.solids
    loose, reached = set(solids) - {*stage.first}, [*stage.first]
    for name in reached:
        touched = {other for other in loose if name in solids and _touch(solids[name], solids[other])}
        loose -= touched
        reached += sorted(touched)
    return loose


def _touch(one: Part, other: Part) -> bool:
    return not _apart(one, other) and bool(one.distance_to(other) < TOUCHING_MM)


def _apart(one: Part, other: Part) -> bool:
    """Whether the boxes around two solids are apart: most are, and it is quick to see."""
    (low, high), (lower, higher) = _corners(one), _corners(other)
    return any(a - d > TOUCHING_MM or c - b > TOUCHING_MM for a, b, c, d in zip(low, high, lower, higher, strict=True))


@cache
def _corners(solid: Part) -> tuple[Point, Point]:
    box = solid.bounding_box()
    return tuple(box.min), tuple(box.max)


def _unprintable(solid: Part) -> Iterator[str]:
    """Why a part is none for the printer: larger than its bed, without a face to stand on, or with faces in the air."""
    box = solid.bounding_box()
    bed = [nominal(f"printer.{axis}") for axis in ("wide", "deep", "high")]
    if any(size > most for size, most in zip(box.size, bed, strict=True)):
        yield f"is {box.size.X:.0f} × {box.size.Y:.0f} × {box.size.Z:.0f} mm, the printer's bed {bed[0]:.0f} × {bed[1]:.0f} × {bed[2]:.0f}"
    down = [face for face in solid.faces().filter_by(GeomType.PLANE) if face.normal_at().Z < _STEEPEST]
    stands = [face for face in down if face.center().Z < box.min.Z + TOUCHING_MM]
    if sum(face.area for face in stands) < BRIDGE_MM2:
        yield "does not stand flat on the bed"
    hangs = sum(face.area for face in down) - sum(face.area for face in stands)
    if hangs > BRIDGE_MM2:
        yield f"has {hangs:.0f} mm² in the air while it is printed"
