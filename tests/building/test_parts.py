"""Long runs in parts: stopped, continued, added up, and not mixed with figures of other sources."""

import math
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.support.parts import RunRecord, Series, run_parts


@dataclass(frozen=True, slots=True)
class Square:
    """What comes of a seed here."""

    area: int


def square(seed: int) -> Square:
    return Square(seed**2)


SERIES = Series("squares", square, Square, range(1, 26), together=10)


def test_a_run_whose_time_is_over_ends_after_the_part_it_is_at_and_goes_on_from_its_file(tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    first = RunRecord(file, "these")
    run_parts(Series("squares", square, Square, SERIES.seeds[:10], together=10), first, 1, math.inf)
    run_parts(SERIES, first, 1, time.monotonic() - 1)
    assert len(first.sums(SERIES).results) == 10
    again = RunRecord(file, "these")
    run_parts(SERIES, again, 1, math.inf)
    assert again.sums(SERIES).results == [square(seed) for seed in range(1, 26)]
    assert len(file.read_text(encoding="utf-8").splitlines()) == 3


def test_figures_of_other_sources_are_not_added_up(tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    run_parts(SERIES, RunRecord(file, "those"), 1, math.inf)
    assert RunRecord(file, "these").sums(SERIES).results == []
