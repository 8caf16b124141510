"""Forecasts the end of the session (``forecast``) from the duration of released hands and the tables' progress. A hand's cycle is the time
from its start to the next start at the same table. The slowest table decides. Tables of a group wait for each other, so a deal's cycles
tell little more than one of them: the deal's mean cycle is one observation. Only cycles of released deals count, because the duration of a
finished hand is secret until every table has played the deal."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from math import hypot, sqrt
from statistics import NormalDist, fmean, stdev

from twinwall.values import frozen

LEAST_DEALS = 3
"""Fewer deals are not enough for a forecast."""
LOW, HIGH = 0.1, 0.9
"""The range contains the end in four of five cases."""
LEAST_REST = 0.1
"""Least rest of a hand that has lasted longer than usual, as a share of a usual one."""
_NORMAL = NormalDist()


TablePace = tuple[str, int, datetime | None]
"""How far a table is: its name, and the hand in play with its start, or the next hand with None."""


@frozen
class Forecast:
    """The expected end of the session with its range, and how much the slowest table costs the hall, compared with the next slowest."""

    end: datetime
    earliest: datetime
    latest: datetime
    slowest: str
    costs_s: float
    usual_s: float
    """The usual duration of a hand."""


def forecast(paces: Sequence[TablePace], cycles_s: Sequence[Sequence[float]], hands: int, now: datetime) -> Forecast | None:
    """The forecast; None while too few hands are released, or nothing is left to play. The end is that of the slowest of k tables with h
    hands to play. It varies with the deals, whose mean and spread are known from n of them (Student's t for a sum of h further ones,
    variance s²(h + h²/n)), and with each table by itself (the maximum of k normal sums, variance s²h). ``paces``: how far each table is.
    ``cycles_s``: seconds; the cycles of each released deal, at least one per deal. ``hands``: of the session. ``now``: the time of the
    forecast."""
    left = [(table, hand, started) for table, hand, started in paces if hand <= hands]
    deals = [fmean(cycles) for cycles in cycles_s]
    if len(deals) < LEAST_DEALS or not left:
        return None
    usual_s = fmean(deals)
    rests = sorted((_rest_s(hand, started, usual_s, hands, now), table) for table, hand, started in left)
    longest_s, slowest = rests[-1]
    to_play = longest_s / usual_s
    of_deals_s = _student(HIGH, len(deals) - 1) * stdev(deals) * sqrt(to_play + to_play**2 / len(deals))
    of_table_s = _spread_within(cycles_s) * sqrt(to_play)
    second_s = rests[-2][0] if len(rests) > 1 else longest_s
    return Forecast(
        _after(now, longest_s + of_table_s * _of_slowest(0.5, len(left))),
        _after(now, max(0.0, longest_s - hypot(of_deals_s, of_table_s * min(0.0, _of_slowest(LOW, len(left)))))),
        _after(now, longest_s + hypot(of_deals_s, of_table_s * _of_slowest(HIGH, len(left)))),
        slowest,
        longest_s - second_s,
        usual_s,
    )


def _rest_s(hand: int, started: datetime | None, usual_s: float, hands: int, now: datetime) -> float:
    """A table's remaining time: the rest of its hand, and the hands after it."""
    if started is None:
        return (hands - hand + 1) * usual_s
    gone_s = (now - started).total_seconds()
    return max(usual_s - gone_s, LEAST_REST * usual_s) + (hands - hand) * usual_s


def _spread_within(cycles_s: Sequence[Sequence[float]]) -> float:
    """The standard deviation of cycles around the mean of their deal; 0 for a single table."""
    differences = [cycle - fmean(cycles) for cycles in cycles_s for cycle in cycles]
    free = len(differences) - len(cycles_s)
    return hypot(*differences) / sqrt(free) if free else 0.0


def _of_slowest(share: float, tables: int) -> float:
    """The quantile of the largest of a number of standard normal values."""
    return _NORMAL.inv_cdf(share ** (1 / tables))


def _student(share: float, freedom: int) -> float:
    """The quantile of Student's t, by the first terms of its Cornish-Fisher expansion (within 3 % from two degrees of freedom)."""
    z = _NORMAL.inv_cdf(share)
    return z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)


def _after(now: datetime, seconds: float) -> datetime:
    return now + timedelta(seconds=seconds)
