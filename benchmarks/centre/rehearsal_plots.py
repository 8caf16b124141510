"""Draws a rehearsal's result: ``python -m benchmarks.centre.rehearsal_plots REPORT.json --svg docs/pictures/centre/rehearsal.svg``.

REPORT.json is the output of ``python -m tools.rehearsal --json``. The picture shows the lines written and stored, with the times of killed
parts, and the delay of each deal on the page of all venues. The cost of each part, per line and per table, is printed as Markdown.
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

import msgspec

from tools.rehearsal.report import RehearsalReport

GOAL_S = 5.0
"""A deal must be on the page this long after its last result."""
_WIDTH, _HEIGHT, _LEFT, _TOP = 360, 220, 70, 46
_PANEL = _WIDTH + 100
_GREEN, _BLUE, _RED, _GREY = "#1b7f4b", "#1f5fa8", "#b3202a", "#d8d8d8"


def main() -> None:
    """Read the report, draw it if a file is named, and print the costs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("report", type=Path)
    parser.add_argument("--svg", type=Path)
    arguments = parser.parse_args()
    report = msgspec.json.decode(arguments.report.read_bytes(), type=RehearsalReport)
    if arguments.svg is not None:
        arguments.svg.write_text(picture(report), encoding="utf-8")
    print("\n".join(costs(report)))


def costs(report: RehearsalReport) -> Iterator[str]:
    """Yield a table of each part's cost during the session, per line, and per table and hand."""
    hands = report.tables * report.hands
    yield "| part | programs | ms a line | ms a table and hand | MiB a program |"
    yield "|---|---|---|---|---|"
    for each in report.costs:
        ms = 1000 * each.processor_s
        yield f"| {each.part} | {each.programs} | {ms / report.lines:.2f} | {ms / hands:.1f} | {each.memory_mib / each.programs:.0f} |"


def picture(report: RehearsalReport) -> str:
    """Return both plots as an SVG document."""
    title = f"{report.venues} venues, {report.tables} tables, {report.hands} hands, {report.lines} lines in {report.session_s:.0f} s"
    width, height = 2 * _PANEL, _TOP + _HEIGHT + 62
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="{escape(title)}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        f'<text x="{_LEFT}" y="18">{escape(title)}; what was killed is red while it was away</text>',
        *_lines_panel(report),
        *_deals_panel(report),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _lines_panel(report: RehearsalReport) -> Iterator[str]:
    last_s = max([report.session_s, *(each.at_s for each in report.progress)])
    yield from _frame(0, report.lines, "lines", "seconds of the session")
    for killed in report.killed:
        x, wide = _x(0, killed.at_s / last_s), max(1.0, _WIDTH * killed.away_s / last_s)
        yield f'<rect x="{x:.1f}" y="{_TOP}" width="{wide:.1f}" height="{_HEIGHT}" fill="{_RED}" opacity="0.25"/>'
        turned = f'transform="translate({x + 3:.1f} {_TOP + 6}) rotate(90)" font-size="9"'
        yield f"<text {turned}>{escape('+'.join(killed.parts))}</text>"
    for colour, counts in ((_BLUE, [each.written for each in report.progress]), (_GREEN, [each.stored for each in report.progress])):
        points = [(each.at_s / last_s, count / report.lines) for each, count in zip(report.progress, counts, strict=True)]
        yield _way(0, points, colour)
    yield from _ends(0, f"{last_s:.0f}")
    yield from _legend(0, (("written", _BLUE), ("stored", _GREEN)))


def _deals_panel(report: RehearsalReport) -> Iterator[str]:
    shown = [each for each in report.deals if each.shown_after_s is not None]
    most_s = max([2 * GOAL_S, *(each.shown_after_s or 0.0 for each in shown)])
    yield from _frame(_PANEL, most_s, "seconds until a deal is on the page", "deal")
    wide = _WIDTH / max(1, len(report.deals))
    for each in shown:
        high = _HEIGHT * (each.shown_after_s or 0.0) / most_s
        left = _x(_PANEL, 0.0) + wide * (each.n - 1)
        yield f'<rect x="{left + 2:.1f}" y="{_TOP + _HEIGHT - high:.1f}" width="{wide - 4:.1f}" height="{high:.1f}" fill="{_GREEN}"/>'
    goal = _y(GOAL_S / most_s)
    yield f'<path d="M{_x(_PANEL, 0.0)} {goal:.1f}h{_WIDTH}" stroke="{_BLUE}" stroke-dasharray="4 3"/>'
    yield from _ends(_PANEL, str(len(report.deals)), first="1")
    yield from _legend(_PANEL, ((f"goal: {GOAL_S:g} s for 95 of 100", _BLUE),))


def _frame(right: int, most: float, up: str, along: str) -> Iterator[str]:
    for share in (0.0, 0.5, 1.0):
        yield f'<path d="M{_x(right, 0.0)} {_y(share):.1f}h{_WIDTH}" stroke="{_GREY}"/>'
        yield f'<text x="{_x(right, 0.0) - 8}" y="{_y(share) + 4:.1f}" text-anchor="end">{share * most:,.0f}</text>'
    yield f'<text x="{_x(right, 0.0)}" y="{_TOP - 10}">{escape(up)}</text>'
    yield f'<text x="{_x(right, 0.5):.1f}" y="{_TOP + _HEIGHT + 18}" text-anchor="middle">{escape(along)}</text>'


def _ends(right: int, last: str, first: str = "0") -> Iterator[str]:
    for share, words in ((0.0, first), (1.0, last)):
        yield f'<text x="{_x(right, share):.1f}" y="{_TOP + _HEIGHT + 18}" text-anchor="middle">{words}</text>'


def _legend(right: int, entries: Sequence[tuple[str, str]]) -> Iterator[str]:
    for number, (words, colour) in enumerate(entries):
        x, y = _x(right, 0.0) + 100 * number, _TOP + _HEIGHT + 44
        yield f'<path d="M{x} {y - 4}h20" stroke="{colour}" stroke-width="2"/><text x="{x + 26}" y="{y}">{escape(words)}</text>'


def _way(right: int, points: Sequence[tuple[float, float]], colour: str) -> str:
    places = "L".join(f"{_x(right, along):.1f} {_y(up):.1f}" for along, up in points)
    return f'<path d="M{places}" fill="none" stroke="{colour}" stroke-width="2"/>' if points else ""


def _x(right: int, share: float) -> float:
    return _LEFT + right + _WIDTH * share


def _y(share: float) -> float:
    return _TOP + _HEIGHT * (1 - share)


if __name__ == "__main__":
    main()
