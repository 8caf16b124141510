"""The geometry of charts: the seats' scores at several tables, and gains by deal. Templates draw them. Every chart's numbers are also in a
table of the same page."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from dashboard.i18n.words import Values, exact
from twinwall.game.tiles import SEATS, Seat

WIDTH, LEFT, RIGHT, LANE, TOP, STEP = 460.0, 48.0, 64.0, 46.0, 12.0, 20
RADIUS = 9.0


def seat_chart(tables: Mapping[str, Mapping[Seat, int]], datum: Mapping[Seat, Fraction]) -> Values:
    """Each seat's lane with the scores that count at a group's ``tables``: its height (y), its mean (``datum``) as position and text, and a
    dot with position (x, y) and name for each table; dots that would cover each other are one above the other. ``ticks`` are position and
    value of the lines below."""
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
        lanes.append({"seat": seat, "y": y, "datum_x": x(datum[seat]), "datum": exact(datum[seat], plus=True), "dots": dots})
        top += LANE
    step = STEP * max(1, round(span / STEP / 6))
    ticks = [(x(value), value) for value in range(low, low + span + 1, step)]
    return {"width": WIDTH, "height": top + 22, "lanes": lanes, "ticks": ticks}


def _levels(places: Sequence[tuple[float, str]]) -> list[tuple[float, str, int]]:
    """Each dot with the lowest level on which it covers no other."""
    found: list[tuple[float, str, int]] = []
    for at, table in sorted(places):
        taken = {level for other, _, level in found if abs(other - at) < 2 * RADIUS}
        found.append((at, table, next(level for level in range(len(places)) if level not in taken)))
    return found


SWING_STEP, SWING_WIDTH, SWING_MIDDLE = 26.0, 20.0, 27.0


def swing_chart(gains: Iterable[Fraction], most: Fraction, deals: int) -> Values:
    """An entrant's deals side by side: bars up for gains and down for losses. ``gains``: of each deal, in order. ``most``: the gain of a
    full bar, the largest of all entrants, so that rows can be compared. ``deals``: the number of places kept free."""
    unit = (SWING_MIDDLE - 2) / float(most)
    swings = []
    for index, gain in enumerate(gains):
        height = max(abs(float(gain)) * unit, 1.0)
        top = SWING_MIDDLE - height if gain > 0 else SWING_MIDDLE if gain < 0 else SWING_MIDDLE - 0.5
        swings.append({"x": 2 + index * SWING_STEP, "y": round(top, 1), "height": round(height, 1), "gain": gain})
    width = 4 + max(deals, 1) * SWING_STEP
    return {"width": width, "height": 2 * SWING_MIDDLE, "middle": SWING_MIDDLE, "bar": SWING_WIDTH, "swings": swings}
