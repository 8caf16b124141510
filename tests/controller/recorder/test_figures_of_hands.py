"""The benchmark of the recorder: what one command prints, and what it keeps of a run that is stopped."""

import argparse
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.recorder import FAR_OFF, RecorderFigures, counted
from benchmarks.support.disturbance_kinds import KindFactor, kind_factor
from benchmarks.support.parts import Run, RunRecord

pytestmark = pytest.mark.nightly


def figures(record: Path | None = None, scale: float = 0.0, kind: Sequence[KindFactor] = ()) -> RecorderFigures:
    measured = {"first": 0, "hands": 1, "seed": 1, "scale": scale, "kind": kind, "blur": 0.0, "frames_per_s": 4}
    options = argparse.Namespace(**measured, record_only=False, rendered=False, every_frame=False)
    return counted(["mcr-duplicate"], options, Run(1, math.inf, RunRecord(record)))


def test_a_hand_that_nobody_disturbs_is_exact_and_no_discard_waits() -> None:
    document = figures().document()
    assert (document["hands"], document["exact"], document["questions"], document["wrong"]) == (1, 1, 0, [])
    assert document["share_of_discards_later_than_300_ms"] == {}


def test_discards_that_wait_are_counted_by_their_cause() -> None:
    (hand,) = figures(scale=2.0).hands
    assert hand.waits[FAR_OFF] <= sum(hand.waits.values()) == sum(ms > 300 for ms in hand.discards_after_ms)


def test_a_hand_that_is_kept_in_a_file_is_not_decoded_again(tmp_path: Path) -> None:
    file = tmp_path / "hands.jsonl"
    first, again = figures(file).hands, figures(file).hands
    assert first == again
    assert len(file.read_text(encoding="utf-8").splitlines()) == 1


def test_one_kind_can_be_chosen_and_its_hands_are_kept_apart(tmp_path: Path) -> None:
    file = tmp_path / "hands.jsonl"
    figures(file, scale=1.0)
    (hand,) = figures(file, 1.0, [kind_factor("all=0"), kind_factor("discard-loose=50")]).hands
    assert set(hand.disturbances) == {"discard-loose"}
    assert len(file.read_text(encoding="utf-8").splitlines()) == 2


def test_a_hand_that_differs_in_what_its_record_leaves_open_is_neither_exact_nor_wrong() -> None:
    (hand, *_) = figures().hands
    told = [
        RecorderFigures([replace(hand, exact=exact, open=True, exact_but_for_open=but_for_open, questions=0)]).document()
        for exact, but_for_open in ((True, True), (False, True), (False, False))
    ]
    assert [(each["exact"], each["open"], each["wrong_without_question"]) for each in told] == [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
    assert all(each["left_open_in"] == [hand.name] for each in told)
