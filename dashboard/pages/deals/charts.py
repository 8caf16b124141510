"""The geometry of charts: the seats' scores at several tables, and gains by deal. Templates draw them.

Every chart's numbers are also in a table of the same page.
"""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from dashboard.i18n.words import Values, exact
from twinwall.game.tiles import SEATS, Seat
from twinwall.values import frozen

WIDTH, LEFT, RIGHT, LANE, TOP, STEP = 460.0, 48.0, 64.0, 46.0, 12.0, 20
RADIUS = 9.0


@frozen
class SeatLane:
    """One seat: its height, the mean (``datum``) as a position and as text, and for each table a dot with its position (x, y) and name.

    Scores that would cover each other are one above the other.
    """

    seat: Seat
    y: float
    datum_x: float
    datum: str
    dots: tuple[tuple[float, float, str], ...]


@frozen
class SeatChart:
    """Each seat's scores at the tables of a group."""

    width: float
    height: float
    lanes: tuple[SeatLane, ...]
    ticks: tuple[tuple[float, int], ...]
    """The lines of the scale below: position and value."""


def seat_chart(tables: Mapping[str, Mapping[Seat, int]], datum: Mapping[Seat, Fraction]) -> SeatChart:
    """Four lanes with numbered dots and their means; ``tables`` are the scores that count."""
    scores = [(seat, table, of_table[seat]) for table, of_table in tables.items() for seat in SEATS]
    low = min((score for _, _, score in scores), default=0) // STEP * STEP
    high = -(-max((score for _, _, score in scores), default=0) // STEP) * STEP
    span = max(high - low, STEP)

    def x(value: Fraction | int) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * float((value - low) / Fraction(span)), 1)

    lanes, top = [], TOP
    for seat in SEATS:
        levels = _levels([(x(score), table) for of_seat, table, score in scores if of_seat is seat])
        top += 2 * RADIUS * max((level for _, _, level in levels), default=0)
        y = top + LANE / 2
        dots = tuple((at, y - 2 * RADIUS * level + RADIUS * 0.5, table) for at, table, level in levels)
        lanes.append(SeatLane(seat, y, x(datum[seat]), exact(datum[seat], plus=True), dots))
        top += LANE
    step = STEP * max(1, round(span / STEP / 6))
    ticks = tuple((x(value), value) for value in range(low, low + span + 1, step))
    return SeatChart(WIDTH, top + 22, tuple(lanes), ticks)


def _levels(places: Sequence[tuple[float, str]]) -> list[tuple[float, str, int]]:
    """Each dot with the lowest level on which it covers no other."""
    found: list[tuple[float, str, int]] = []
    for at, table in sorted(places):
        taken = {level for other, _, level in found if abs(other - at) < 2 * RADIUS}
        found.append((at, table, next(level for level in range(len(places)) if level not in taken)))
    return found


SWING_STEP, SWING_WIDTH, SWING_MIDDLE = 26.0, 20.0, 27.0


def swing_chart(gains: Iterable[Fraction], most: Fraction, deals: int) -> Values:
    """An entrant's deals side by side: bars up for gains and down for losses.

    Args:
        gains: of each deal, in order.
        most: the gain of a full bar, the largest of all entrants, so that rows can be compared.
        deals: the number of places kept free.
    """
    unit = (SWING_MIDDLE - 2) / float(most)
    swings = []
    for index, gain in enumerate(gains):
        height = max(abs(float(gain)) * unit, 1.0)
        top = SWING_MIDDLE - height if gain > 0 else SWING_MIDDLE if gain < 0 else SWING_MIDDLE - 0.5
        swings.append({"x": 2 + index * SWING_STEP, "y": round(top, 1), "height": round(height, 1), "gain": gain})
    width = 4 + max(deals, 1) * SWING_STEP
    return {"width": width, "height": 2 * SWING_MIDDLE, "middle": SWING_MIDDLE, "bar": SWING_WIDTH, "swings": swings}
