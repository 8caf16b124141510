"""The benchmark of the recorder: what one command prints, and what it keeps of a run that is stopped."""

import argparse
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.recorder import KindFactor, RecorderFigures, counted
from benchmarks.support.parts import Run, RunRecord

pytestmark = pytest.mark.nightly


def figures(record: Path | None = None, scale: float = 0.0, kind: Sequence[KindFactor] = ()) -> RecorderFigures:
    measured = {"first": 0, "hands": 1, "seed": 1, "scale": scale, "kind": kind, "blur": 0.0, "frames_per_s": 4}
    options = argparse.Namespace(**measured, record_only=False, rendered=False, every_frame=False)
    return counted(["mcr-duplicate"], options, Run(1, math.inf, RunRecord(record)))


def test_a_hand_that_differs_in_what_its_record_leaves_open_is_neither_exact_nor_wrong() -> None:
    (hand, *_) = figures().hands
    told = [
        RecorderFigures([replace(hand, exact=exact, open=True, exact_but_for_open=but_for_open, questions=0)]).document()
        for exact, but_for_open in ((True, True), (False, True), (False, False))
    ]
    assert [(each["exact"], each["open"], each["wrong_without_question"]) for each in told] == [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
    assert all(each["left_open_in"] == [hand.name] for each in told)
