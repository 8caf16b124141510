"""The page of the figures says what the data has, in short cells, and by commands that exist."""

from itertools import chain
from pathlib import Path

from benchmarks.figures import PAGE, figures, page

TOP = Path(__file__).parents[2]
MOST_WORDS = 25
FIGURES = list(chain.from_iterable(figures().values()))


def test_the_page_says_what_the_data_has() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run python -m benchmarks.figures"


def test_each_figure_is_on_the_page_once() -> None:
    assert len({figure.what for figure in FIGURES}) == len(FIGURES)


def test_a_cell_is_short_and_its_benchmark_exists() -> None:
    for figure in FIGURES:
        cells = (figure.what, figure.command, figure.value, figure.goal)
        assert [cell for cell in cells if len(cell.split()) > MOST_WORDS or "|" in cell] == []
        program, _, rest = figure.command.partition(" -m ")
        if program == "python":
            module = TOP.joinpath(*rest.split()[0].split("."))
            assert module.is_dir() or module.with_suffix(".py").is_file(), figure
