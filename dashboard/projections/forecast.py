"""Forecasts the end of the session, from how long released hands took and how far each table is.

A hand's cycle is the time from its start to the next start at the same table. The slowest table decides.
Only cycles of released deals count: how long a finished hand took is secret until every table has played the deal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median, stdev

LEAST_CYCLES = 3
"""Fewer say too little to forecast from."""
SPREAD = 1.28
"""Standard deviations on either side that hold about four of five outcomes of a normal distribution."""
LEAST_REST = 0.1
"""What is still to come of a hand that has lasted longer than usual, as a share of a usual one."""


@dataclass(frozen=True, slots=True)
class TablePace:
    """How far a table is: the hand it plays, or ``started`` None and the hand that it will play next."""

    table: str
    hand: int
    started: datetime | None


@dataclass(frozen=True, slots=True)
class Forecast:
    """The expected end of the session with its range, and what the slowest table costs the hall beyond the next one."""

    end: datetime
    earliest: datetime
    latest: datetime
    slowest: str
    costs_s: float
    usual_s: float
    """How long a hand usually takes."""


def forecast(paces: Sequence[TablePace], cycles_s: Sequence[float], hands: int, now: datetime) -> Forecast | None:
    """The forecast; None while too few hands are released, or nothing is left to play."""
    left = [pace for pace in paces if pace.hand <= hands]
    if len(cycles_s) < LEAST_CYCLES or not left:
        return None
    usual_s, spread_s = median(cycles_s), stdev(cycles_s)
    rests = sorted((_rest_s(pace, usual_s, hands, now), pace.table) for pace in left)
    longest_s, slowest = rests[-1]
    width_s = SPREAD * spread_s * (longest_s / usual_s) ** 0.5
    second_s = rests[-2][0] if len(rests) > 1 else longest_s
    return Forecast(
        _after(now, longest_s),
        _after(now, max(0.0, longest_s - width_s)),
        _after(now, longest_s + width_s),
        slowest,
        longest_s - second_s,
        usual_s,
    )


def _rest_s(pace: TablePace, usual_s: float, hands: int, now: datetime) -> float:
    """What is left for a table: the rest of its hand, and the hands after it."""
    if pace.started is None:
        return (hands - pace.hand + 1) * usual_s
    gone_s = (now - pace.started).total_seconds()
    return max(usual_s - gone_s, LEAST_REST * usual_s) + (hands - pace.hand) * usual_s


def _after(now: datetime, seconds: float) -> datetime:
    return now + timedelta(seconds=seconds)
