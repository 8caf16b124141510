"""``python -m hardware.cad --out FOLDER``: check all stages, or ``--only`` one of these modules; write each as STEP, its parts as STL or
DXF, and a picture.

It needs the dependency group ``hardware``. Faults are printed, a line each: parts that run into each other or into what stands there,
hang in the air, hide something from the camera, stand in a tile's way or cannot be printed, and light or picture that a tile does not
get. With any, nothing is written and the exit code is 1.
"""

import argparse
import sys
from pathlib import Path

from hardware.cad import arm, chains, diverter, drive, gate, mouth, panel, returnlane, shuttle, wall
from hardware.cad.stage import faults, print_list, write

_DESIGNS = {
    design.__name__.rpartition(".")[2]: design for design in (arm, gate, panel, diverter, mouth, returnlane, shuttle, wall, drive, chains)
}


def main() -> int:
    """Check and write from the command line."""
    parser = argparse.ArgumentParser(prog="python -m hardware.cad", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="the folder for a folder of each stage")
    parser.add_argument("--only", choices=_DESIGNS, help="a module of this package")
    arguments = parser.parse_args()
    stages = [design.stage() for name, design in _DESIGNS.items() if arguments.only in (None, name)]
    found = [fault for stage in stages for fault in faults(stage)]
    if found:
        print("\n".join(found))
        return 1
    for stage in stages:
        write(stage, arguments.out / stage.name)
        print(f"{stage.name}: {len(stage.solids)} parts, no fault; {print_list(stage.printed)}; {stage.figures}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
