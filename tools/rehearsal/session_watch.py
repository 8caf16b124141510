"""Watches a rehearsed session from its two ends: what tables have written, and what the store has and a viewer sees of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import quantiles

from tools.rehearsal.rehearsal_settings import Kill
from tools.rehearsal.report import KilledParts, Progress, RankedDeal
from tools.rehearsal.scripted_venue import ScriptedVenue

COUNT_S = 1.0
"""So often the stored lines are counted, or seldomer in a long session."""
MOST_COUNTS = 200


@dataclass(slots=True)
class _Outage:
    kill: Kill
    at_s: float
    written: int
    back_s: float | None = None
    returned_s: float = 0.0
    owed: Mapping[str, int] | None = None
    """How many lines each venue had written when the parts were started again; None before that."""
    caught_up_s: float | None = None


class SessionWatch:
    """All times are seconds since the session began."""

    def __init__(
        self,
        venues: Sequence[ScriptedVenue],
        count: Callable[[], Mapping[str, int]],
        compared: Callable[[], int | None],
        session_s: float,
    ) -> None:
        """``count`` tells how many lines are stored of each venue, ``compared`` how many deals the page compares, or None where nobody
        serves it."""
        self._venues = venues
        self._tables = [table for venue in venues for table in venue.tables]
        self._count, self._compared = count, compared
        self._every_s = max(COUNT_S, session_s / MOST_COUNTS)
        self._progress: list[Progress] = []
        self._finished_s: list[float] = []
        """When the last table had finished each deal, and when a page that compares it was first served."""
        self._shown_s: list[float] = []
        self._outages: list[_Outage] = []

    @property
    def planned(self) -> int:
        """How many lines the tables write."""
        return sum(table.planned for table in self._tables)

    @property
    def written(self) -> int:
        """How many they have written."""
        return sum(len(table.lines) for table in self._tables)

    @property
    def stored(self) -> int:
        """How many lines were stored when they were last counted."""
        return self._progress[-1].stored if self._progress else 0

    @property
    def is_done(self) -> bool:
        """Whether every line is stored, and every finished deal is on the page."""
        return self.stored >= self.planned and len(self._shown_s) == len(self._finished_s)

    def begin_outage(self, kill: Kill, at_s: float) -> None:
        """These parts were killed now."""
        self._outages.append(_Outage(kill, at_s, self.written))

    def end_outage(self, kill: Kill, at_s: float) -> None:
        """These parts were started again now."""
        for outage in self._outages:
            if outage.kill is kill:
                outage.returned_s = at_s
                outage.owed = {venue.name: sum(len(table.lines) for table in venue.tables) for venue in self._venues}

    def look(self, at_s: float) -> None:
        """See how far both ends are."""
        finished = min(table.hands_closed for table in self._tables)
        self._finished_s += [at_s] * (finished - len(self._finished_s))
        compared = self._compared()
        self._shown_s += [at_s] * ((compared or 0) - len(self._shown_s))
        if not self._progress or at_s - self._progress[-1].at_s >= self._every_s:
            counted = self._count()
            self._progress.append(Progress(round(at_s, 1), self.written, sum(counted.values())))
            for outage in self._outages:
                if outage.caught_up_s is None and outage.owed is not None and _covers(counted, outage.owed):
                    outage.caught_up_s = at_s - outage.returned_s
        if compared is None or compared < finished:
            return
        for outage in self._outages:
            if outage.back_s is None and (self.stored > outage.written or self.stored >= self.planned):
                outage.back_s = at_s - outage.at_s

    def killed(self) -> tuple[KilledParts, ...]:
        """What was killed, and what viewers had of it."""
        return tuple(KilledParts(each.kill.names, each.at_s, each.kill.away_s, each.back_s, each.caught_up_s) for each in self._outages)

    def deals(self) -> tuple[RankedDeal, ...]:
        """Each deal with its way to the page."""
        shown = [*self._shown_s, *[None] * (len(self._finished_s) - len(self._shown_s))]
        return tuple(
            RankedDeal(n, at_s, None if seen_s is None else seen_s - at_s)
            for n, (at_s, seen_s) in enumerate(zip(self._finished_s, shown, strict=True), 1)
        )

    def progress(self) -> tuple[Progress, ...]:
        """The counts."""
        return tuple(self._progress)


def _covers(counted: Mapping[str, int], owed: Mapping[str, int]) -> bool:
    return all(counted.get(venue, 0) >= lines for venue, lines in owed.items())


def percentile_95(seconds: Sequence[float]) -> float | None:
    """The time within which 95 of 100 were; None where there is none."""
    return quantiles(seconds, n=20, method="inclusive")[-1] if len(seconds) > 1 else next(iter(seconds), None)
