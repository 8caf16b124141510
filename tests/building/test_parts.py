"""Long runs in parts: stopped, continued, added up, and not mixed with figures of other sources."""

import math
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.support.parts import MEASURED, RunRecord, Series, run_parts, sources_digest


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


def test_a_changed_line_in_any_program_makes_other_sources(tmp_path: Path) -> None:
    sources = {place: "module.c" if place.startswith("firmware/") else "module.py" for place in MEASURED}
    programs = [tmp_path / place if place.endswith(".py") else tmp_path / place / source for place, source in sources.items()]
    for program in programs:
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text("STEP = 8\n", encoding="utf-8")
    digests = {sources_digest(tmp_path)}
    for program in programs:
        program.write_text("STEP = 9\n", encoding="utf-8")
        digests.add(sources_digest(tmp_path))
    assert len(digests) == 1 + len(programs)


def test_a_changed_line_in_the_benchmark_itself_makes_other_sources(tmp_path: Path) -> None:
    program = tmp_path / "benchmarks" / "hands.py"
    program.parent.mkdir()
    for place in MEASURED:
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text("", encoding="utf-8")
    program.write_text("STEP = 8\n", encoding="utf-8")
    before = sources_digest(tmp_path, "benchmarks/hands.py")
    program.write_text("STEP = 9\n", encoding="utf-8")
    assert sources_digest(tmp_path, "benchmarks/hands.py") != before
