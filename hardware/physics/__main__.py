"""``python -m hardware.physics --trials N --json``: how often a tile comes right on each of its ways through the machine.

Each trial draws a machine and a set of tiles from the tolerances of ``hardware/dimensions.toml`` by its number, so that a trial
can be repeated. Of each way it prints trials, those that came right, the others (jams), the share with its 95 % interval (Wilson),
by which signal the machine sees each, how many it sees where nothing is wrong, the first trials that did not, seconds, and the slowest
tile's where time counts. ``--set`` tries another design, ``--spoil`` each design that is spoiled on purpose. ``--film FILE --way NAME
--trial N`` draws one trial as a strip of pictures (SVG).
"""

import argparse
import json
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from math import sqrt
from pathlib import Path
from random import Random
from types import MappingProxyType

from hardware.dimensions import DrawnSizes, Spread, load
from hardware.physics import diverter, tray, ways
from hardware.physics.film import strip
from hardware.physics.scene import TrialScene, TrialVerdict
from hardware.physics.spoiled import SPOILED
from twinwall.values import frozen

WAYS: dict[str, Callable[[TrialScene], TrialVerdict]] = {
    "release lower": partial(tray.release, upper=False, lowered=True),
    "release upper": partial(tray.release, upper=True, lowered=True),
    "take lower": partial(tray.pick, upper=False),
    "take upper": partial(tray.pick, upper=True),
    "push row": partial(ways.push, rises=False),
    "lift wall": partial(ways.push, rises=True),
    "draw upper": partial(ways.draw, upper=True),
    "draw lower": partial(ways.draw, upper=False),
    "enter window": ways.window,
    "chute": ways.slide,
    "mouth": ways.mouth,
    "diverter lane": diverter.lane,
    "drop lower": partial(tray.release, upper=False, lowered=False),
    "drop upper": partial(tray.release, upper=True, lowered=False),
}
"""The last two are the way that was not chosen: a gripper without a lift."""
GOAL = 0.9995


def main() -> None:
    """Run the model from the command line."""
    parser = argparse.ArgumentParser(prog="python -m hardware.physics", description=__doc__)
    parser.add_argument("--trials", type=int, default=200, help="trials of each way (default 200)")
    parser.add_argument("--first", type=int, default=0, help="number of the first of them (default 0)")
    parser.add_argument("--way", choices=WAYS, action="append", help="only this way; may come several times")
    parser.add_argument(
        "--set", type=other, action="append", default=[], dest="other", metavar="NAME=MM", help="try another dimension, or LEAST..MOST"
    )
    parser.add_argument("--spoil", action="store_true", help="try each way with what spoils it, and count what the machine sees")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--film", type=Path, help="draw one trial of one way into this file instead")
    parser.add_argument("--trial", type=int, default=0, help="the number of that trial (default 0)")
    arguments = parser.parse_args()
    chosen, others = arguments.way or list(WAYS), dict(arguments.other)
    if arguments.film is not None:
        arguments.film.write_text(film(chosen[0], arguments.trial, others), encoding="utf-8")
        return
    if arguments.spoil:
        asked = [(f"{way}, {each}", way, {**others, **dict([other(each)])}) for way in chosen for each in SPOILED[way]]
    else:
        asked = [(way, way, others) for way in chosen]
    trials = range(arguments.first, arguments.first + arguments.trials)
    figures = {name: measure(way, trials, spreads) for name, way, spreads in asked}
    if arguments.json:
        print(json.dumps({"goal": GOAL, "ways": {name: asdict(figure) for name, figure in figures.items()}}, indent=1))
        return
    for name, each in figures.items():
        low, high = each.interval
        slow = "" if each.longest_s is None else f", the slowest in {each.longest_s} s"
        seen = ", ".join(f"{count} by {signal}" for signal, count in each.seen.items())
        jams = f", jams {each.jams}, seen {sum(each.seen.values())} of them ({seen})" if each.jams else ""
        print(f"{name:14} {each.right:5} of {each.trials}  {each.share:.2%} ({low:.2%} to {high:.2%})  {each.seconds} s{slow}{jams}")


def other(text: str) -> tuple[str, Spread]:
    """A dimension that is to differ, such as ``tray.pitch=26.9`` or ``carriage.error=-0.9..0.9``."""
    name, _, sizes = text.partition("=")
    if name not in load():
        raise argparse.ArgumentTypeError(f"{name!r} is no dimension of dimensions.toml")
    least, _, most = sizes.partition("..")
    return name, {"least": float(least), "most": float(most)} if most else {"nominal": float(least)}


@frozen
class WayFigure:
    """What came of the trials of one way."""

    trials: int
    right: int
    jams: int
    seen: Mapping[str, int]
    """How many of the jams by which signal."""
    doubted: int
    """How many of the others are stopped at."""
    unseen: tuple[int, ...]
    share: float
    interval: tuple[float, float]
    failed: tuple[int, ...]
    seconds: float
    longest_s: float | None = None
    """That a tile was on its way, where that counts."""


def measure(name: str, trials: range, others: Mapping[str, Spread] = MappingProxyType({})) -> WayFigure:
    """Make these trials of one way."""
    began_s = time.perf_counter()
    verdicts, longest_s = dict[int, TrialVerdict](), None
    for trial in trials:
        tried = scene(name, trial, others)
        verdicts[trial] = WAYS[name](tried)
        if tried.took_s is not None:
            longest_s = round(max(tried.took_s, longest_s or 0.0), 3)
    failed = [trial for trial, verdict in verdicts.items() if not verdict.right]
    right, seconds = len(trials) - len(failed), round(time.perf_counter() - began_s, 1)
    return WayFigure(
        len(trials),
        right,
        len(failed),
        dict(Counter(seen for trial in failed if (seen := verdicts[trial].seen) is not None)),
        sum(verdict.right and verdict.seen is not None for verdict in verdicts.values()),
        tuple([trial for trial in failed if verdicts[trial].seen is None][:5]),
        round(right / len(trials), 5),
        wilson(right, len(trials)),
        tuple(failed[:5]),
        seconds,
        longest_s,
    )


def scene(name: str, trial: int, others: Mapping[str, Spread] = MappingProxyType({})) -> TrialScene:
    """What a trial begins with; ``others`` are dimensions that differ from the file's."""
    return TrialScene(DrawnSizes(Random(f"{name} {trial}"), {**load(), **others}))


def film(name: str, trial: int, others: Mapping[str, Spread] = MappingProxyType({})) -> str:
    """One trial as a strip of pictures."""
    shown = scene(name, trial, others)
    shown.frames = []
    right = WAYS[name](shown).right
    return strip(shown, f"{name}, trial {trial}: {'right' if right else 'not right'}")


def wilson(right: int, trials: int) -> tuple[float, float]:
    """The 95 % interval of a share, by Wilson."""
    z = 1.96
    share, spread = right / trials, z * z / trials
    middle = (share + spread / 2) / (1 + spread)
    half = z / (1 + spread) * sqrt(share * (1 - share) / trials + spread / (4 * trials))
    return round(middle - half, 5), round(min(middle + half, 1.0), 5)


if __name__ == "__main__":
    main()
