"""Time of a wall if the machine is slower or faster than assumed, as JSON and as a picture.

``python -m benchmarks.wall_time --svg docs/pictures/wall-time.svg`` builds walls of 136 in simulated time like ``benchmarks.feeder``, with
other periods of the reading gate, a drum that gives fewer tiles, and other shares of unreadable showings. The picture adds sellers' figures
of automatic tables, and the time in which a hand is played.
"""

import argparse
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from statistics import mean

from simulator.mechanics import FaultPlan, MechanicsSettings
from tests.support.building.deals import table_that_builds

ASSUMED = MechanicsSettings()
GATES_S = (0.4, 0.6, 0.9, 1.2, 1.5)
DRUMS = {0.5: "#b3202a", 1.0: "#b36b00", 3.0: "#1f5fa8"}
"""Most tiles a second from the drum, and colours."""
UNREADS = (0.0, 0.05)
Point = tuple[float, float, float]
"""Period of the gate in seconds, most tiles a second from the drum, share of unreadable showings."""
ASSUMPTION = "assumed: full drum 136 tiles a second, 1 % unread"
USUAL: Point = (ASSUMED.gate_period_s, ASSUMED.catches_per_s, 0.01)
LINES = ((450, "a hand is played: 7.5 min", "#1b7f4b"), (120, "automatic table, one mouth: about 2 min", "#555555"))
FOUR_MOUTHS_S = (18, 35)
"""Sellers' figures, like that of one mouth: www.estarad.cn/g83562671.html and m.jianglaiwuyou.cn/g87596401.html."""
NOTES = ("Bands: 0 to 5 % of showings cannot be read.", "Times of automatic tables are sellers' own, of unread tiles in no order.")
_LEFT, _TOP, _WIDTH, _HEIGHT = 60, 40, 560, 400
_MOST_S = 480


def wall_s(point: Point, seed: int) -> float:
    """Return seconds of one wall built without help; raises AssertionError if it is wrong or never ends."""
    gate_s, drum, unread = point
    machine = replace(ASSUMED, gate_period_s=gate_s, catches_per_s=drum)
    bench = table_that_builds(seed, faults=FaultPlan(unread=unread), machine=machine, lines_together=1)
    bench.build(3600.0)
    assert not bench.wrong_positions(), (point, seed)
    return bench.took_s


def picture(walls: Mapping[Point, float]) -> str:
    """Return the seconds of a wall over the gate's period as an SVG document, with a band for each drum from none to most unread."""
    what = "Simulated time of a wall of 136 tiles. No machine has been built or measured."
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_LEFT + _WIDTH + 20} {_TOP + _HEIGHT + 140}" role="img" '
        f'aria-label="{what}" font-family="sans-serif" font-size="12"><rect width="100%" height="100%" fill="#ffffff"/>',
        f'<text x="{_LEFT}" y="20" font-size="14">{what}</text>',
        *_frame(),
    ]
    for number, (drum, colour) in enumerate(DRUMS.items()):
        least, most = ([f"{_x(gate_s)} {_y(walls[gate_s, drum, unread])}" for gate_s in GATES_S] for unread in UNREADS)
        row = _TOP + _HEIGHT + 58 + 18 * number
        parts += [
            f'<path d="M{"L".join([*least, *reversed(most)])}Z" fill="{colour}" fill-opacity="0.3" stroke="{colour}"/>',
            f'<rect x="{_LEFT}" y="{row - 10}" width="26" height="11" fill="{colour}" fill-opacity="0.3" stroke="{colour}"/>',
            f'<text x="{_LEFT + 34}" y="{row}">tiles a second from the drum, at most: {drum:g}</text>',
        ]
    for number, note in enumerate(NOTES):
        parts.append(f'<text x="{_LEFT}" y="{_TOP + _HEIGHT + 58 + 18 * (len(DRUMS) + number)}">{note}</text>')
    x, y = _x(USUAL[0]), _y(walls[USUAL])
    parts += [f'<circle cx="{x}" cy="{y}" r="4"/>', f'<text x="{x + 8}" y="{y + 13}">{ASSUMPTION}: {walls[USUAL]:.0f} s</text>', "</svg>"]
    return "\n".join(parts) + "\n"


def _frame() -> Iterator[str]:
    for seconds in range(0, _MOST_S + 1, 60):
        yield f'<path d="M{_LEFT} {_y(seconds)}h{_WIDTH}" stroke="#e2e2e2"/>'
        yield f'<text x="{_LEFT - 8}" y="{_y(seconds) + 4}" text-anchor="end">{seconds} s</text>'
    for gate_s in GATES_S:
        yield f'<text x="{_x(gate_s)}" y="{_TOP + _HEIGHT + 18}" text-anchor="middle">{gate_s:g} s</text>'
    yield f'<text x="{_LEFT + _WIDTH}" y="{_TOP + _HEIGHT + 36}" text-anchor="end">cycle of the reading gate, with its stop</text>'
    for seconds, words, colour in LINES:
        yield f'<path d="M{_LEFT} {_y(seconds)}h{_WIDTH}" stroke="{colour}" stroke-width="2" stroke-dasharray="6 4"/>'
        yield f'<text x="{_LEFT + _WIDTH}" y="{_y(seconds) - 6}" text-anchor="end" fill="{colour}">{words}</text>'
    least, most = FOUR_MOUTHS_S
    yield f'<path d="M{_LEFT} {_y(most)}h{_WIDTH}V{_y(least)}h{-_WIDTH}Z" fill="#dddddd"/>'
    yield (
        f'<text x="{_LEFT + _WIDTH - 6}" y="{_y(least) - 2}" text-anchor="end" fill="#555555">'
        f"automatic table, four mouths: {least} to {most} s</text>"
    )


def _x(gate_s: float) -> float:
    least, most = GATES_S[0], GATES_S[-1]
    return round(_LEFT + 16 + (_WIDTH - 32) * (gate_s - least) / (most - least), 1)


def _y(seconds: float) -> float:
    return round(_TOP + _HEIGHT * (1 - seconds / _MOST_S), 1)


def main() -> None:
    """Build the walls of every point, print them, and draw them if a file is named."""
    parser = argparse.ArgumentParser(description="how long a wall takes if the machine is slower or faster than assumed")
    parser.add_argument("--builds", type=int, default=4, help="walls of each point (default 4)")
    parser.add_argument("--svg", type=Path, metavar="FILE", help="draw them too")
    options = parser.parse_args()
    points = [USUAL, *((gate_s, drum, unread) for gate_s in GATES_S for drum in DRUMS for unread in UNREADS)]
    walls = {point: mean(wall_s(point, seed) for seed in range(1, options.builds + 1)) for point in points}
    names = ("gate_period_s", "drum_at_most_per_s", "unread", "wall_s")
    figures = [dict(zip(names, (*point, round(seconds, 1)), strict=True)) for point, seconds in walls.items()]
    print(json.dumps({"builds_a_point": options.builds, "points": figures}))
    if options.svg:
        options.svg.write_text(picture(walls), encoding="utf-8")


if __name__ == "__main__":
    main()
