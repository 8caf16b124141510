"""Figures of tables without a mat: ``python -m benchmarks.anytable --json --folder FOLDER``, or ``stills`` and ``videos`` alone.

``make --out FOLDER --hands N --first M`` draws hands as videos, with the truth beside each; ``videos --folder FOLDER`` records them as a
user does. ``stills --pictures N`` counts tiles in drawn pictures, and in the photographs of TWINWALL_DATA that were held back. Seeds of
hands, tables and pictures start at 10,000,000; training uses smaller ones.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import cv2
import numpy as np
from numpy.typing import NDArray

from benchmarks.anytable.recorded import VARIANTS
from benchmarks.anytable.stills import FIRST_SEED, StillReader, StillTally, drawn_stills, held_photographs
from benchmarks.anytable.traced import in_blender
from benchmarks.anytable.video import DrawnView, TableFilm, write
from benchmarks.rendered.making import BlenderMissingError
from benchmarks.vision.table_reader import on_one_thread
from simulator.disturbances.kinds import Disturbances
from tests.support.recorder.played_hands import played
from tools.train.frames import smeared
from twinwall.game.rules import rule_set_names
from vision.finder.tile_finder import WEIGHTS, TileFinder
from vision.model.classifier import Classifier

_WHOLE = frozenset({"tray"})
"""Sets of photographs in which every face has its box."""
_SMEARED_DEG = 0.0, 45.0, 90.0


def main() -> int:
    """Make or measure; return 1 if a tile was misread, or a hand recorded wrong without a question."""
    parser = _parser()
    options = parser.parse_args()
    if options.command == "make":
        return _make(options)
    if options.command != "stills" and options.folder is None:
        parser.error("videos need --folder: a folder that make has filled")
    on_one_thread("benchmarks.anytable")
    cv2.setNumThreads(1)
    outcome: dict[str, object] = {}
    wrong = False
    if options.command != "videos":
        tallies = _stills(options)
        outcome["stills"] = {name: tally.to_json() for name, tally in sorted(tallies.items())}
        wrong |= any(tally.wrong for tally in tallies.values())
    if options.command != "stills":
        from benchmarks.anytable.recorded import document, recorded  # noqa: PLC0415  # single pictures need no recorder

        videos = sorted(options.folder.glob("*.avi"))[options.first : options.first + options.hands if options.hands else None]
        reader, films = Classifier(), []
        for video in videos:
            films.append(recorded(video, reader, TileFinder(options.weights), options.variant))
            print(films[-1], file=sys.stderr, flush=True)
        outcome["videos"] = document(films)
        wrong |= any(not (one.alone.all_right or one.alone.questions) for one in films)
    json.dump(outcome, sys.stdout, ensure_ascii=False, indent=1)
    print()
    return int(wrong)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.anytable", description="Figures of tables without a mat, as JSON.")
    parser.add_argument("command", nargs="?", choices=("all", "stills", "videos", "make"), default="all")
    parser.add_argument("--json", action="store_true", help="print one JSON document; always so")
    parser.add_argument("--weights", type=Path, default=WEIGHTS, metavar="FILE", help="the finder's network")
    parser.add_argument(
        "--pictures", type=int, default=80, metavar="N", help="number of drawn pictures, in addition to the photographs (80)"
    )
    parser.add_argument(
        "--smear", type=float, default=0.0, metavar="PX", help="take the photographs with a moving camera: drawn out, in three directions"
    )
    parser.add_argument("--soft", type=float, default=0.0, metavar="PX", help="take them out of focus: blurred by this standard deviation")
    parser.add_argument("--gain", type=float, default=1.0, help="take them with so many times the light")
    parser.add_argument("--folder", type=Path, help="folder of videos that make has drawn")
    parser.add_argument("--variant", choices=VARIANTS, default="as filmed", help="changes the videos' pictures; phantoms then mean nothing")
    parser.add_argument("--out", type=Path, help="with make: the folder of the videos")
    parser.add_argument("--hands", type=int, default=0, help="number of hands (with make: 8; else all of the folder)")
    parser.add_argument("--first", type=int, default=0, help="the first hand's number (0)")
    parser.add_argument("--frames-per-s", type=int, default=4, help="with make: the videos' frame rate (4)")
    parser.add_argument("--scale", type=float, default=1.0, help="with make: multiplies the rate of every disturbance")
    parser.add_argument("--traced", action="store_true", help="with make: path-traced tables; needs Blender: uv sync --group render")
    return parser


def _make(options: argparse.Namespace) -> int:
    if options.out is None:
        print("make needs --out FOLDER", file=sys.stderr)
        return 2
    options.out.mkdir(parents=True, exist_ok=True)
    cv2.setNumThreads(1)
    names = list(rule_set_names())
    with TemporaryDirectory() as kept:
        try:
            view = in_blender(Path(kept)) if options.traced else DrawnView
        except BlenderMissingError as error:
            print(error, file=sys.stderr)
            return 2
        for number in range(options.first, options.first + (options.hands or 8)):
            rules, hand, begun = names[number % len(names)], FIRST_SEED + number, time.process_time()
            film = TableFilm(played(rules, hand), hand, Disturbances(hand, options.scale), view)
            count = write(film, options.out / f"hand-{number:04}.avi", options.frames_per_s, {"rules": rules, "number": hand})
            took = f"{count} frames, {time.process_time() - begun:.0f} s of processor time"
            print(f"hand-{number:04}.avi: {rules}, {film.surface}, {film.tile_set} set, {took}", flush=True)
    return 0


def _stills(options: argparse.Namespace) -> dict[str, StillTally]:
    reader, tallies = StillReader(lambda: TileFinder(options.weights), Classifier()), dict[str, StillTally]()
    for name, where, image, truth in drawn_stills(options.pictures, FIRST_SEED + options.first):
        reader.read(image, truth, tallies.setdefault(f"drawn, {name} set", StillTally()), where, whole=True)
    folder = os.environ.get("TWINWALL_DATA")
    for name, photo, image, truth in held_photographs(Path(folder) / "photos") if folder else ():
        for shown in _taken(image, options):
            reader.read(shown, truth, tallies.setdefault(f"photographs, {name}", StillTally()), photo, whole=name in _WHOLE)
    return tallies


def _taken(image: NDArray[np.uint8], options: argparse.Namespace) -> Iterator[NDArray[np.uint8]]:
    """A photograph as a camera that moves, is out of focus, or takes too much light shows it; smeared in each direction."""
    light = np.clip(image * np.float32(options.gain), 0, 255)
    light = cv2.GaussianBlur(light, (0, 0), options.soft) if options.soft else light
    for angle_deg in _SMEARED_DEG if options.smear else (0.0,):
        yield (smeared(light, options.smear, angle_deg) if options.smear else light).astype(np.uint8)


if __name__ == "__main__":
    sys.exit(main())
