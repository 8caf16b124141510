"""``python -m hardware.cad --out FOLDER``: check the overhead arm and write it as STEP, its parts as STL, with a picture as SVG.

It needs the dependency group ``hardware``. Faults are printed, a line each: parts that run into each other or into the table, or hang
in the air, a part that hides something of the mat, a mat that is not in the picture. With any, nothing is written and the exit code
is 1.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from itertools import combinations
from math import atan2, degrees
from pathlib import Path

from build123d import Compound, ExportSVG, LineType, Part, Unit, export_step, export_stl

from hardware.cad.arm import lengths, mat, parts, table, view_of_mat
from hardware.dimensions import most, nominal

TOUCHING_MM, TOUCHING_MM3 = 0.05, 1.0
"""Parts that touch are nearer, and have less in common."""


def faults(solids: Mapping[str, Part]) -> Iterator[str]:
    """What is wrong with the arm: collisions, a hidden mat, a mat that is not in the picture."""
    for (one, first), (other, second) in combinations({**solids, "table": table()}.items(), 2):
        common = _common_mm3(first, second)
        if common > TOUCHING_MM3:
            yield f"{one} runs {common:.0f} mm³ into {other}"
    yield from (f"{name} is fixed to nothing" for name in sorted(_loose(solids)))
    view = view_of_mat()
    for name, solid in solids.items():
        if name != "camera" and _common_mm3(solid, view) > TOUCHING_MM3:
            yield f"{name} hides a part of the mat"
    for axis, angle in (("wide", "arm.view_wide_deg"), ("high", "arm.view_high_deg")):
        if mat_deg() > nominal(angle) / 2:
            yield f"the mat needs {mat_deg():.1f}° from the middle, the picture has {nominal(angle) / 2:.1f}° ({axis})"


def mat_deg() -> float:
    """How far from the picture's middle the mat's edge may be seen, with the camera at its worst."""
    reach = nominal("tray.mat") / 2 + most("arm.off")
    return degrees(atan2(reach, nominal("arm.camera_height"))) + most("arm.tilt_deg")


def write(solids: Mapping[str, Part], folder: Path) -> None:
    """Write the whole arm as STEP, each part as STL, and a picture of it."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, solid in solids.items():
        export_stl(solid, folder / f"{name.replace(' ', '-')}.stl")
    export_step(Compound(children=[*solids.values()]), folder / "overhead-arm.step")
    picture(solids, folder / "overhead-arm.svg")


def picture(solids: Mapping[str, Part], file: Path) -> None:
    """Draw the arm on its table, seen from above a corner."""
    shown = Compound(children=[*solids.values(), table(), mat()])
    visible, _ = shown.project_to_viewport((3000.0, -2600.0, 2300.0), look_at=(150.0, 150.0, 750.0))
    drawing = ExportSVG(unit=Unit.MM, scale=0.25, margin=5)
    drawing.add_layer("visible", line_weight=0.3, line_type=LineType.CONTINUOUS)
    drawing.add_shape(visible, layer="visible")
    drawing.write(file)
    file.write_text(file.read_text(encoding="utf-8").replace("<svg ", '<svg style="background:#fff" ', 1), encoding="utf-8")


def _loose(solids: Mapping[str, Part]) -> set[str]:
    """Parts that do not hang together with the clamp."""
    loose, reached = set(solids) - {"clamp"}, ["clamp"]
    for name in reached:
        touched = {other for other in loose if name in solids and solids[name].distance_to(solids[other]) < TOUCHING_MM}
        loose -= touched
        reached += sorted(touched)
    return loose


def _common_mm3(one: Part, other: Part) -> float:
    common = one.intersect(other)
    if common is None:
        return 0.0
    return float(sum(solid.volume for solid in common.solids()))


def main() -> int:
    """Check and write from the command line."""
    parser = argparse.ArgumentParser(prog="python -m hardware.cad", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="the folder for STEP, STL and the picture")
    arguments = parser.parse_args()
    solids = parts()
    found = list(faults(solids))
    if found:
        print("\n".join(found))
        return 1
    write(solids, arguments.out)
    cut = ", ".join(f"{name} {length:.1f} mm" for name, length in lengths().items())
    print(f"{len(solids)} parts, no fault; of the profile: {cut}; the mat's edge is at most {mat_deg():.1f}° from the picture's middle")
    return 0


if __name__ == "__main__":
    sys.exit(main())
