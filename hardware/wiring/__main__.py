"""``python -m hardware.wiring``: check the feeder's wiring and write its lists and drawings to ``hardware/sheets``.

The net list is compared with ``board.h``, ``BOARD.md``, ``board.c`` and what ``twinwall feeder pins`` shows, and tried by electrical
rules. Each fault is a line; with any, nothing is written and the exit code is 1. ``--csv FILE`` writes a line for every wire.
"""

import argparse
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from hardware.wiring.drawing import pages
from hardware.wiring.firmware import firmware_faults
from hardware.wiring.netlist import Netlist, expand, read
from hardware.wiring.rules import changeover_faults, electrical_faults, pin_faults, source
from hardware.wiring.sheets import bill_table, wire_lines, wire_table

SHEETS = Path(__file__).parents[1] / "sheets"


def sheets(netlist: Netlist) -> dict[str, str]:
    """Every list and drawing by its file's name."""
    return {"wires.md": wire_table(netlist), "bill.md": bill_table(netlist), **pages(netlist)}


def faults(netlist: Netlist) -> Iterator[str]:
    """What each rule says."""
    return chain(electrical_faults(netlist), firmware_faults(netlist), pin_faults(netlist, source()), changeover_faults(netlist))


def main() -> int:
    """Check and write from the command line."""
    parser = argparse.ArgumentParser(prog="python -m hardware.wiring", description=__doc__)
    parser.add_argument("--out", type=Path, default=SHEETS, help="the folder for lists and drawings (default hardware/sheets)")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write every wire into this file as well")
    arguments = parser.parse_args()
    netlist = expand(read())
    if found := list(faults(netlist)):
        print("\n".join(found))
        return 1
    arguments.out.mkdir(parents=True, exist_ok=True)
    for name, text in sheets(netlist).items():
        (arguments.out / name).write_text(text, encoding="utf-8")
    if arguments.csv is not None:
        arguments.csv.write_text(wire_lines(netlist), encoding="utf-8")
    print(f"{len(netlist.cables)} cables, {sum(1 for _ in netlist.wires)} wires, no fault")
    return 0


if __name__ == "__main__":
    sys.exit(main())
