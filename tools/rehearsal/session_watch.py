"""Watches a rehearsed session from its two ends: what tables have written, and what the store has and a viewer sees of it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from http.client import HTTPConnection, HTTPException
from statistics import quantiles
from typing import TypeVar
from urllib.parse import urlsplit

from centre.comparison.centre_comparison import WORLD, CentreComparison
from centre.intake.venue_results import TELLS, VenueResults, read_result
from centre.pages.world_pages import PART, PageAssets, WorldEvent, compared_sentence, world_pages
from centre.store.centre_reading import CentreReader
from centre.store.venue_contents import VenueProgress
from tools.rehearsal.rehearsal_settings import Kill
from tools.rehearsal.report import KilledParts, Progress, RankedDeal
from tools.rehearsal.scripted_venue import ScriptedVenue, centre_programme
from twinwall.event.store.databases.port import PostgresAddress, StoreError
from twinwall.game.deals import StartedPlan
from twinwall.values import frozen
from twinwall.wire.ledger import parse

LANGUAGE = "en"
ANSWER_S = 2.0
"""A viewer waits so long for a page."""


class RankingPage:
    """Asks nginx for the page, over one connection as long as it holds."""

    def __init__(self, url: str, deals: int) -> None:
        """``deals`` is the number of the last one."""
        self._url = urlsplit(url)
        self._sentences = [f"<p>{compared_sentence(LANGUAGE, range(1, count + 1))}</p>" for count in range(deals + 1)]
        self._connection: HTTPConnection | None = None

    def text(self) -> str | None:
        """The page; None where nobody served it."""
        if self._connection is None:
            self._connection = HTTPConnection(self._url.netloc, timeout=ANSWER_S)
        try:
            self._connection.request("GET", self._url.path)
            answer = self._connection.getresponse()
            content = answer.read()
        except (OSError, HTTPException):
            self.close()
            return None
        return content.decode() if answer.status == 200 else None

    def compared(self) -> int | None:
        """How many deals the page compares; None where nobody served it, or where it says something else."""
        text = self.text()
        return None if text is None else next((count for count, said in enumerate(self._sentences) if said in text), None)

    def close(self) -> None:
        """End the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def ledgers_ranking(plan: StartedPlan, venues: Sequence[ScriptedVenue], regions: Mapping[str, str]) -> str:
    """The ranking of all venues as the page has it, computed from the ledgers as they stand at the tables."""
    programme = centre_programme(plan)
    compared = CentreComparison(programme, regions)
    for venue in venues:
        results = VenueResults(programme, {})
        compared.play(venue.name, venue.programme)
        list(results.set_programme(venue.programme))  # tells nothing: no hand is known yet
        for table in venue.tables:
            for line in table.lines:
                event = parse(line)
                if isinstance(event.body, TELLS):
                    for name, n, result in results.take(event):
                        compared.take(venue.name, name, n, read_result(result))
    said = world_pages(WorldEvent(plan.plan.event, regions), compared, WORLD, PageAssets("", ""))
    return next(page.parts[PART] for page in said if page.language == LANGUAGE)


T = TypeVar("T")


@frozen
class StoredCheck:
    """How the stored lines differ from those written, byte by byte."""

    stored: int
    lost: int
    doubled: int


class StoredLines:
    """Reads with a connection of its own, which it makes anew where the database has failed."""

    def __init__(self, address: PostgresAddress, event: str) -> None:
        self._address, self._event = address, event
        self._reader: CentreReader | None = None
        self._counted: dict[str, int] = {}

    def close(self) -> None:
        """End the connection."""
        if self._reader is not None:
            self._reader.close()
            self._reader = None

    def count(self) -> Mapping[str, int]:
        """How many lines are stored of each venue; the last counts where the database does not answer."""
        self._counted = self._read(CentreReader.line_counts, self._counted)
        return self._counted

    def caught_up(self, since: datetime) -> int:
        """Of how many venues no line is missing, by what their tables have said since then."""
        unknown: dict[str, VenueProgress] = {}
        progress = self._read(CentreReader.progress, unknown)
        return sum(not each.missing and each.at is not None and each.at >= since for each in progress.values())

    def _read(self, read: Callable[[CentreReader], T], otherwise: T) -> T:
        """What the store says, or ``otherwise`` where it does not answer."""
        try:
            if self._reader is None:
                self._reader = CentreReader(self._address, self._event)
            return read(self._reader)
        except StoreError:
            self.close()
        return otherwise

    def check(self, venues: Iterable[ScriptedVenue]) -> StoredCheck:
        """Compare every stored line; raises StoreError where the database does not answer."""
        stored = lost = doubled = 0
        with closing(CentreReader(self._address, self._event)) as reader:
            for venue in venues:
                found: dict[str, list[bytes]] = {}
                for journal in reader.journals(venue.name):
                    found.setdefault(journal.table, []).extend(line for line, _ in journal.lines)
                for table in venue.tables:
                    lines = found.get(table.name, [])
                    kept = set(lines)
                    stored += len(kept)
                    doubled += len(lines) - len(kept)
                    lost += len(set(table.lines) - kept)
        return StoredCheck(stored, lost, doubled)


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
