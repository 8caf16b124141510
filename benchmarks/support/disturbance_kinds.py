"""Kinds of disturbance on a benchmark's command line: ``--kind NAME=FACTOR``, repeatable; later ones override earlier ones."""

import argparse
import math
from collections.abc import Iterable

from simulator.disturbances.kinds import Disturbance

ALL = "all"
KindFactor = tuple[str, float]


def kind_factor(text: str) -> KindFactor:
    """Parse ``NAME=FACTOR``; NAME is a kind, or ``all``. Raises ArgumentTypeError, which names the kinds."""
    name, _, number = text.partition("=")
    if name != ALL and name not in set(Disturbance):
        raise argparse.ArgumentTypeError(f"there is no kind {name!r}: give {ALL} or one of {', '.join(Disturbance)}")
    try:
        factor = float(number)
    except ValueError:
        factor = math.nan
    if not 0 <= factor < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} has no factor: give NAME=FACTOR with a number of 0, which switches off, or more")
    return name, factor


def scales_of(chosen: Iterable[KindFactor]) -> dict[Disturbance, float]:
    """Return the factors of the rates of single kinds."""
    scales: dict[Disturbance, float] = {}
    for name, factor in chosen:
        scales |= dict.fromkeys(Disturbance, factor) if name == ALL else {Disturbance(name): factor}
    return {kind: scales[kind] for kind in Disturbance if scales.get(kind, 1.0) != 1.0}
