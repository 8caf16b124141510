"""``python -m hardware.boards --out FOLDER``: check the boards and write what a maker and a builder need: Gerbers, drawings, lists.

``--make`` makes the files of ``hardware/boards`` again from ``wiring.toml`` and ``boards.toml`` first, which takes two minutes and KiCad's
libraries (Debian: ``kicad-symbols kicad-footprints``). Gerbers and KiCad's own check need ``kicad``; without it they are left out. Each
fault is a line; with any, nothing is written into the folder and the exit code is 1.
"""

import argparse
import csv
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZIP_DEFLATED, ZipFile

from hardware.boards import drawing, kicad
from hardware.boards.check import board_faults
from hardware.boards.circuit import LAYOUT, Circuit, circuit, places, size
from hardware.boards.drawing import picture
from hardware.boards.layout import board_file
from hardware.boards.schematic import schematic_file
from hardware.boards.sexpr import Node, dump, parse
from hardware.wiring.netlist import Netlist, expand, read

FOLDER = Path(__file__).parent
PICTURES = FOLDER.parent / "pictures"
PYTHON = "/usr/bin/python3"
"""The one that has ``pcbnew``."""
BOARDS = [board for board in LAYOUT if "file" in LAYOUT[board]]
LAID_OUT = [board for board in BOARDS if "size" in LAYOUT[board]]


def files(board: str) -> tuple[Path, Path]:
    """Schematic and board."""
    stem = FOLDER / LAYOUT[board]["file"] / LAYOUT[board]["file"]
    return stem.with_suffix(".kicad_sch"), stem.with_suffix(".kicad_pcb")


@cache
def load(board: str) -> tuple[Node, Node]:
    """Schematic and board as they are in the files; nothing for a board that has no layout."""
    schematic, layout = (parse(file.read_text(encoding="utf-8")) if file.exists() else [] for file in files(board))
    return schematic, layout


def faults(netlist: Netlist, boards: Sequence[str] = BOARDS) -> Iterator[str]:
    """What is wrong with the files of boards."""
    for board in boards:
        yield from (f"{board}: {fault}" for fault in board_faults(netlist, circuit(netlist, board), *load(board)))


def has_kicad() -> bool:
    """Whether KiCad's check and plots can be had."""
    return subprocess.run([PYTHON, "-c", "import pcbnew"], check=False, capture_output=True).returncode == 0


def plot(board: str, folder: Path) -> list[str]:
    """Gerbers and drill file into a folder, by KiCad; returns what its design rules say."""
    subprocess.run([PYTHON, kicad.__file__, str(files(board)[1]), str(folder)], check=True, capture_output=True)
    report = (folder / "drc.txt").read_text(encoding="utf-8")
    counts = [int(number) for number in re.findall(r"Found (\d+) ", report)]
    return report.splitlines() if any(counts) or len(counts) != 3 else []


def make(netlist: Netlist) -> None:
    """Write KiCad's files and the pictures."""
    for board in BOARDS:
        own, (schematic, layout) = circuit(netlist, board), files(board)
        schematic.parent.mkdir(exist_ok=True)
        project = f'{{"meta": {{"filename": "{layout.stem}.kicad_pro", "version": 1}}}}\n'
        layout.with_suffix(".kicad_pro").write_text(project, encoding="utf-8")
        schematic.write_text(dump(schematic_file(own)) + "\n", encoding="utf-8")
        if board in LAID_OUT:
            layout.write_text(dump(board_file(own)) + "\n", encoding="utf-8")
            drawn = picture(parse(layout.read_text(encoding="utf-8")), *size(board))
            (PICTURES / f"board-{LAYOUT[board]['file']}.svg").write_text(drawn, encoding="utf-8")
    load.cache_clear()


def lists(netlist: Netlist, own: Circuit) -> dict[str, str]:
    """A board's parts to order and where each stands: middle of its pads from the board's left corner in front, in mm."""
    parts, refs = netlist.document["parts"], defaultdict[str, list[str]](list)
    for part in own.parts:
        refs[part.kind].append(part.ref)
    bill = [("pieces", "key", "names", "what", "number, or what decides", "else")]
    for kind, names in refs.items():
        of = parts.get(kind, {"is": "ends of wires", "choose": "no part"})
        bill.append((str(len(names)), kind, " ".join(names), of["is"], of.get("number", of.get("choose", "")), of.get("second", "")))
    if own.board not in LAID_OUT:
        return {"bill.csv": _csv(bill)}
    (wide, deep), where = size(own.board), places(own)
    placed = [("Ref", "Val", "Package", "PosX", "PosY", "Rot", "Side")]
    for part in own.parts:
        x, y, turn = where[part.ref]
        package = LAYOUT["parts"][part.kind]["footprint"].partition(":")[2]
        placed.append((part.ref, part.kind, package, f"{x + wide / 2:.3f}", f"{y + deep / 2:.3f}", f"{turn:g}", "top"))
    return {"bill.csv": _csv(bill), "places.csv": _csv(placed)}


def write(netlist: Netlist, board: str, folder: Path) -> list[str]:
    """All that a maker and a builder need, into a folder; returns what KiCad's rules say, and then leaves the Gerbers out."""
    own, schematic = circuit(netlist, board), load(board)[0]
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in lists(netlist, own).items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "schematic.pdf").write_bytes(drawing.pdf(schematic))
    if board not in LAID_OUT:
        return []
    if not has_kicad():
        print(f"no Gerbers: {PYTHON} has no pcbnew")
        return []
    with TemporaryDirectory() as plots:
        said = plot(board, Path(plots))
        if not said:
            with ZipFile(folder / "gerbers.zip", "w", ZIP_DEFLATED) as archive:
                for file in sorted(Path(plots).glob("*-*")):
                    archive.write(file, file.name)
    return said


def main() -> int:
    """Make, check and write from the command line."""
    parser = argparse.ArgumentParser(prog="python -m hardware.boards", description=__doc__)
    parser.add_argument("--out", type=Path, help="the folder for a folder of each board")
    parser.add_argument("--make", action="store_true", help="make KiCad's files and the pictures again")
    arguments = parser.parse_args()
    netlist = expand(read())
    if arguments.make:
        make(netlist)
    found = list(faults(netlist))
    if not found and arguments.out is not None:
        found = [said for board in BOARDS for said in write(netlist, board, arguments.out / LAYOUT[board]["file"])]
    for board in BOARDS:
        own = circuit(netlist, board)
        print(f"{LAYOUT[board]['file']}: {len(own.parts)} parts, {len(own.nets)} nets")
    print("\n".join(found) or "no fault")
    return bool(found)


def _csv(rows: Sequence[Sequence[str]]) -> str:
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


if __name__ == "__main__":
    sys.exit(main())
