"""Draws what ``python -m benchmarks.centre --json`` measured: ``python -m benchmarks.centre.ranking_plots REPORT.json… --svg FILE``.

Three plots: processor time of the ranking from nothing and the memory, by tables, with a straight line through the first size; and
nginx's processor time for 1,000 viewers and a change, by viewers. Several reports are read as one, for parts that were run alone.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

import msgspec

_WIDTH, _HEIGHT, _LEFT, _TOP = 230, 180, 62, 46
_PANEL = _WIDTH + 90
_GREEN, _BLUE, _GREY = "#1b7f4b", "#1f5fa8", "#d8d8d8"


class FieldSize(msgspec.Struct, frozen=True):
    """The ranking of so many tables: seconds of processor time from nothing, and MiB."""

    tables: int
    mib: float
    from_nothing_s: float


class RankingFigures(msgspec.Struct, frozen=True):
    """As ``benchmarks.centre.ranking`` prints them, without what is not drawn."""

    deals: int
    memory: tuple[FieldSize, ...]


class ViewerRun(msgspec.Struct, frozen=True):
    """So many viewers, and what nginx took for 1,000 of them and a change."""

    viewers: int
    nginx_ms_a_change_and_1000_viewers: float


class StreamFigures(msgspec.Struct, frozen=True):
    """As ``benchmarks.centre.streams`` prints them, without what is not drawn."""

    runs: tuple[ViewerRun, ...]


class CentreFigures(msgspec.Struct, frozen=True):
    """A report; a part that was not run is None."""

    ranking: RankingFigures | None = None
    streams: StreamFigures | None = None


@dataclass(frozen=True, slots=True)
class _Plot:
    """One plot: what goes up by what along; ``proportional`` draws the straight line through the first point too."""

    up: str
    along: str
    points: Sequence[tuple[float, float]]
    proportional: bool


def main() -> None:
    """Read the reports, draw them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("reports", type=Path, nargs="+", metavar="REPORT.json")
    parser.add_argument("--svg", type=Path, required=True)
    arguments = parser.parse_args()
    figures = [msgspec.json.decode(report.read_bytes(), type=CentreFigures) for report in arguments.reports]
    ranking = next((each.ranking for each in figures if each.ranking is not None), None)
    streams = next((each.streams for each in figures if each.streams is not None), None)
    arguments.svg.write_text(picture(CentreFigures(ranking, streams)), encoding="utf-8")


def picture(figures: CentreFigures) -> str:
    """The plots of the parts that were run, as an SVG document."""
    plots = list(_plots(figures))
    title = "What a centre takes, in processor time and memory"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {len(plots) * _PANEL} {_TOP + _HEIGHT + 66}" role="img" '
        f'aria-label="{title}" font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="#ffffff"/>',
        *(line for number, plot in enumerate(plots) for line in _panel(number * _PANEL + _LEFT, plot)),
        f'<text x="{_LEFT}" y="{_TOP + _HEIGHT + 56}" fill="{_BLUE}">dashed: in proportion to the first point</text>',
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _plots(figures: CentreFigures) -> Iterator[_Plot]:
    if figures.ranking is not None:
        sizes, along = figures.ranking.memory, f"tables, {figures.ranking.deals} deals each"
        yield _Plot("s for all rankings from nothing", along, [(each.tables, each.from_nothing_s) for each in sizes], proportional=True)
        yield _Plot("MiB", along, [(each.tables, each.mib) for each in sizes], proportional=True)
    if figures.streams is not None:
        runs = [(each.viewers, each.nginx_ms_a_change_and_1000_viewers) for each in figures.streams.runs]
        yield _Plot("nginx: ms a change and 1,000 viewers", "viewers", runs, proportional=False)


def _panel(left: float, plot: _Plot) -> Iterator[str]:
    furthest = max(along for along, _ in plot.points)
    first_along, first_up = plot.points[0]
    straight = first_up * furthest / first_along if plot.proportional else 0.0
    most = max([straight, *(up for _, up in plot.points)]) * 1.1

    def place(along: float, up: float) -> str:
        return f"{left + _WIDTH * along / furthest:.1f} {_TOP + _HEIGHT * (1 - up / most):.1f}"

    for share in (0.0, 0.5, 1.0):
        y = _TOP + _HEIGHT * (1 - share)
        yield f'<path d="M{left} {y:.1f}h{_WIDTH}" stroke="{_GREY}"/>'
        yield f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{share * most:,.{0 if most >= 20 else 1}f}</text>'
    yield f'<text x="{left}" y="{_TOP - 14}">{escape(plot.up)}</text>'
    yield f'<text x="{left + _WIDTH / 2:.1f}" y="{_TOP + _HEIGHT + 36}" text-anchor="middle">{escape(plot.along)}</text>'
    if plot.proportional:
        yield f'<path d="M{place(0, 0)}L{place(furthest, straight)}" stroke="{_BLUE}" stroke-dasharray="4 3"/>'
    way = "L".join(place(*point) for point in plot.points)
    yield f'<path d="M{way}" fill="none" stroke="{_GREEN}" stroke-width="2"/>'
    for along, up in plot.points:
        x, height = place(along, up).split()
        yield f'<circle cx="{x}" cy="{height}" r="3.5" fill="{_GREEN}"/>'
        if along in (furthest, first_along) or along >= furthest / 4:
            yield f'<text x="{x}" y="{_TOP + _HEIGHT + 18}" text-anchor="middle">{along:,.0f}</text>'


if __name__ == "__main__":
    main()
