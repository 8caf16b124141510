"""The command: ``python -m benchmarks.rendered read --folder FOLDER --json`` (FOLDER: the study set in TWINWALL_DATA, unless told)."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Sequence
from pathlib import Path

import cv2

from benchmarks.rendered.folder import FolderError
from benchmarks.rendered.reading import read_folder
from benchmarks.vision.table_reader import on_one_thread


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; 1 where a vote was wrong, 2 where a folder cannot be used."""
    options = _parser().parse_args(arguments)
    try:
        return _read(options)
    except FolderError as error:
        print(error, file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rendered", description="Path-traced tables.")
    commands = parser.add_subparsers(dest="command", required=True)
    read = commands.add_parser("read", help="figures of the overhead reader on the tables of a folder, as JSON")
    read.add_argument("--folder", type=Path, help="a folder of tables (default: rendered/ in TWINWALL_DATA)")
    read.add_argument("--enrolled", action="store_true", help="by a profile of each set that has a folder close-DESIGN")
    read.add_argument("--table", action="append", metavar="NAME", default=[], help="only this table (may be repeated)")
    read.add_argument("--json", action="store_true", help="as one JSON document (the default; for the sake of its fellows)")
    return parser


def _read(options: argparse.Namespace) -> int:
    cv2.setNumThreads(1)
    together, by_table = read_folder(_folder(options.folder), options.table, by_profile=options.enrolled)
    outcome = {
        "enrolled": options.enrolled,
        "machine": {"python": platform.python_version(), "machine": platform.machine(), "cores": os.cpu_count()},
        "together": together.to_json(),
        "by_table": {name: tally.to_json() for name, tally in by_table.items()},
    }
    print(json.dumps(outcome, ensure_ascii=False, indent=1))
    return 1 if together.slots.wrong else 0


def _folder(told: Path | None) -> Path:
    if told is not None:
        return told
    if not os.environ.get("TWINWALL_DATA"):
        raise FolderError("name the folder of the tables: --folder FOLDER, or TWINWALL_DATA for the study set in its rendered/")
    return Path(os.environ["TWINWALL_DATA"]) / "rendered"


if __name__ == "__main__":
    on_one_thread("benchmarks.rendered")
    sys.exit(main())
