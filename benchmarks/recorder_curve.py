"""Curve of the recorder: exact hands, questions and wrong hands against disturbance and camera quality, as JSON and as a picture.

``python -m benchmarks.recorder --curve --json --hands 16 --svg docs/pictures/recorder/curve.svg`` plays the same ``--hands`` hands for each
point. Disturbance multiplies all rates of disturbances, camera quality the share of tiles that are hard to see.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from twinwall.values import frozen

if TYPE_CHECKING:
    from benchmarks.recorder import RecorderFigures

SCALES = (0.0, 1.0, 2.0, 3.0, 5.0)
BLURS = (0.0, 1.0, 10.0, 30.0, 100.0)
GOAL = 0.995
_WIDTH, _HEIGHT, _LEFT, _TOP = 300, 220, 56, 46
_PANEL = _WIDTH + 90
_LINES = (("exact, nothing asked", "#1b7f4b", ""), ("asked", "#b36b00", "6 3"), ("wrong, nothing asked", "#b3202a", "2 3"))


@frozen
class CurvePoint:
    """One point: the factor, and its hands as in ``RecorderFigures.outcomes``."""

    by: float
    outcomes: tuple[int, int, int, int]


def run(options: argparse.Namespace, count: Callable[[argparse.Namespace], RecorderFigures]) -> int:
    """Measure every point, print them, and draw them if a file is named."""
    usual = count(argparse.Namespace(**{**vars(options), "scale": 1.0, "blur": 1.0}))
    printed: dict[str, dict[str, dict[str, object]]] = {}
    drawn: dict[str, list[CurvePoint]] = {}
    for name, values in (("scale", SCALES), ("blur", BLURS)):
        for by in values:
            point = usual if by == 1.0 else count(argparse.Namespace(**{**vars(options), "scale": 1.0, "blur": 1.0, name: by}))
            printed.setdefault(name, {})[f"{by:g}"] = point.document()
            drawn.setdefault(name, []).append(CurvePoint(by, point.outcomes()))
    print(json.dumps({"hands_a_point": options.hands, "first": options.first, "seed": options.seed, "goal": GOAL, **printed}, indent=2))
    if options.svg:
        title = (
            f"{options.hands} hands a point, {options.first} to {options.first + options.hands - 1}; the goal is over 2,000 hands or more"
        )
        Path(options.svg).write_text(picture(drawn["scale"], drawn["blur"], title), encoding="utf-8")
    return 0


def picture(scales: Sequence[CurvePoint], blurs: Sequence[CurvePoint], title: str) -> str:
    """Return both curves side by side as an SVG document."""
    width, height = 2 * _PANEL + 20, _TOP + _HEIGHT + 86
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="{escape(title)}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        f'<text x="{_LEFT}" y="18">Share of hands; {escape(title)}</text>',
        *_panel(scales, 0, "disturbance: people's rates times"),
        *_panel(blurs, _PANEL, "camera: tiles hard to see times"),
        *_legend(height - 14),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _panel(points: Sequence[CurvePoint], right: int, words: str) -> Iterator[str]:
    left = _LEFT + right
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        y = _y(share)
        yield f'<path d="M{left} {y:.1f}h{_WIDTH}" stroke="#d8d8d8"/>'
        yield f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{share:.0%}</text>'
    yield f'<path d="M{left} {_y(GOAL):.1f}h{_WIDTH}" stroke="#1b7f4b" stroke-dasharray="1 4"/>'
    places = [left + _WIDTH * (number + 0.5) / len(points) for number in range(len(points))]
    for x, point in zip(places, points, strict=True):
        yield f'<text x="{x:.1f}" y="{_TOP + _HEIGHT + 18}" text-anchor="middle">{point.by:g}</text>'
    yield f'<text x="{left + _WIDTH / 2:.1f}" y="{_TOP + _HEIGHT + 38}" text-anchor="middle">{escape(words)}</text>'
    for index, (_, colour, dashes) in enumerate(_LINES, 1):
        shares = [_y(point.outcomes[index] / point.outcomes[0]) for point in points]
        way = "L".join(f"{x:.1f} {y:.1f}" for x, y in zip(places, shares, strict=True))
        yield f'<path d="M{way}" fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dashes}"/>'
        yield from (f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>' for x, y in zip(places, shares, strict=True))


def _legend(y: int) -> Iterator[str]:
    x = _LEFT
    for words, colour, dashes in (*_LINES, (f"goal for exact: {GOAL:.1%}", "#1b7f4b", "1 4")):
        yield f'<path d="M{x} {y - 4}h26" stroke="{colour}" stroke-width="2" stroke-dasharray="{dashes}"/>'
        yield f'<text x="{x + 32}" y="{y}">{escape(words)}</text>'
        x += 190


def _y(share: float) -> float:
    return _TOP + _HEIGHT * (1 - share)
