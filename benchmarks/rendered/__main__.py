"""The commands of path-traced tables.

``python -m benchmarks.rendered make --out FOLDER --tables N --first M`` renders tables (Blender: ``uv sync --group render``); ``python -m
benchmarks.rendered read --folder FOLDER --json`` reads them, or the study set in TWINWALL_DATA; ``python -m benchmarks.rendered place
--folder FOLDER --json`` measures how well the mat is placed on them.
"""

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import cv2

from benchmarks.rendered.folder import FolderError
from benchmarks.rendered.making import BlenderMissingError, RenderEffort, make
from benchmarks.rendered.reading import errors_of, read_folder
from benchmarks.rendered.tables import FRAMES, traced_table
from benchmarks.vision.table_reader import on_one_thread
from tools.train.crops import LabelsError
from twinwall.art.mat import Mat


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return 1 if a vote was wrong, 2 if something that it needs is missing."""
    options = _parser().parse_args(arguments)
    try:
        return {"make": _make, "read": _read, "place": _place}[options.command](options)
    except (BlenderMissingError, FolderError, LabelsError) as error:
        print(error, file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rendered", description="Path-traced tables.")
    commands = parser.add_subparsers(dest="command", required=True)
    make_tables = commands.add_parser("make", help="render tables, a folder each; needs Blender: uv sync --group render")
    make_tables.add_argument("--out", type=Path, required=True, help="the folder for them")
    make_tables.add_argument("--tables", type=int, default=1, help="how many")
    make_tables.add_argument("--first", type=int, default=1, help="the first one's number; kinds and faces take turns")
    make_tables.add_argument("--frames", type=int, default=FRAMES, help="frames a table")
    make_tables.add_argument("--photos", type=Path, help="labels.json and photographs, for faces (default: photos/ in TWINWALL_DATA)")
    make_tables.add_argument("--samples", type=int, default=4, help="most samples a pixel")
    make_tables.add_argument("--threads", type=int, default=1)
    read = commands.add_parser("read", help="figures of the overhead reader on the tables of a folder, as JSON")
    read.add_argument("--folder", type=Path, help="a folder of tables (default: rendered/ in TWINWALL_DATA)")
    read.add_argument("--enrolled", action="store_true", help="with a profile of each set: from close-DESIGN, or from gate frames")
    read.add_argument("--table", action="append", metavar="NAME", default=[], help="only this table (may be repeated)")
    read.add_argument("--json", action="store_true", help="print one JSON document; always so")
    place = commands.add_parser("place", help="errors of slots' places in px, on tables of our own, as JSON")
    place.add_argument("--folder", type=Path, required=True, help="a folder of tables made by make")
    place.add_argument("--json", action="store_true", help="print one JSON document; always so")
    return parser


def _make(options: argparse.Namespace) -> int:
    mat, photos = Mat(), options.photos or _photos()
    for number in range(options.first, options.first + options.tables):
        begun = time.process_time()
        folder = make(
            traced_table(number, mat, frames=options.frames), mat, options.out, photos, RenderEffort(options.samples, options.threads)
        )
        print(f"{folder}: {(time.process_time() - begun) / options.frames:.0f} s of processor time a frame", file=sys.stderr)
    return 0


def _read(options: argparse.Namespace) -> int:
    cv2.setNumThreads(1)
    together, by_table = read_folder(_folder(options.folder), options.table, by_profile=options.enrolled, photos=_photos())
    outcome = {
        "enrolled": options.enrolled,
        "machine": {"python": platform.python_version(), "machine": platform.machine(), "cores": os.cpu_count()},
        "together": together.to_json(),
        "by_table": {name: tally.to_json() for name, tally in by_table.items()},
    }
    print(json.dumps(outcome, ensure_ascii=False, indent=1))
    return 1 if together.slots.wrong else 0


def _place(options: argparse.Namespace) -> int:
    print(json.dumps(errors_of(options.folder), indent=1))
    return 0


def _photos() -> Path | None:
    return Path(os.environ["TWINWALL_DATA"]) / "photos" if os.environ.get("TWINWALL_DATA") else None


def _folder(given: Path | None) -> Path:
    if given is not None:
        return given
    if not os.environ.get("TWINWALL_DATA"):
        raise FolderError("name the folder of the tables: --folder FOLDER, or TWINWALL_DATA for the study set in its rendered/")
    return Path(os.environ["TWINWALL_DATA"]) / "rendered"


if __name__ == "__main__":
    on_one_thread("benchmarks.rendered")
    sys.exit(main())
