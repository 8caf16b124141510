"""The page of all venues as a viewer of a rehearsal gets it, and the ranking that the tables' own ledgers give."""

from collections.abc import Mapping, Sequence
from http.client import HTTPConnection, HTTPException
from urllib.parse import urlsplit

from centre.comparison.centre_comparison import WORLD, CentreComparison
from centre.intake.venue_results import TELLS, VenueResults, read_result
from centre.pages.world_pages import PART, PageAssets, WorldEvent, compared_sentence, world_pages
from tools.rehearsal.scripted_venue import ScriptedVenue, centre_programme
from twinwall.game.deals import StartedPlan
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
        list(results.follow(venue.programme))  # tells nothing: no hand is known yet
        for table in venue.tables:
            for line in table.lines:
                event = parse(line)
                if isinstance(event.body, TELLS):
                    for name, n, result in results.take(event):
                        compared.take(venue.name, name, n, read_result(result))
    said = world_pages(WorldEvent(plan.plan.event, regions), compared, WORLD, PageAssets("", ""))
    return next(page.parts[PART] for page in said if page.language == LANGUAGE)
