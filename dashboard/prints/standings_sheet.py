"""The standings on paper: of the event, and of each group of each session, without sessions that are held back.

What each deal brought is one text a line, whose parts are parted by tabs: WeasyPrint takes as long for a cell as for a line.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dashboard.access.shown_results import StandingsTable
from dashboard.access.viewer_scope import ViewerScope
from dashboard.i18n.exact_numbers import brief
from dashboard.i18n.words import Words
from dashboard.pages.deals.standings_pieces import EventRank, event_ranks
from twinwall.event.points import Points, RankedGroup
from twinwall.event.results import EntrantKind

FIGURE_SPACE = "\u2007"
"""As wide as a digit."""


@dataclass(frozen=True, slots=True)
class SheetRow:
    """An entrant's line: rank, name, total, and what each deal brought, blank where the entrant did not play it."""

    rank: int
    entrant: str
    total: str
    gains: str


@dataclass(frozen=True, slots=True)
class SheetGroup:
    """One group of a session with its deals, each by the name of its hand; each deal has the same width."""

    session: int
    name: str
    deals: int
    hands: str
    rows: tuple[SheetRow, ...]


@dataclass(frozen=True, slots=True)
class StandingsSheet:
    """What the print says; ``whole`` is empty where there is one session, or one was asked for."""

    found: StandingsTable
    whole: tuple[EventRank, ...]
    groups: tuple[SheetGroup, ...]
    plus: bool
    """Whether points have a sign: rank points have none."""
    several: bool
    """Whether some session has several groups."""

    @property
    def column(self) -> str:
        """The key of what entrants are."""
        return "team" if self.found.kind is EntrantKind.TEAM else "player"

    @property
    def empty(self) -> bool:
        """Whether nothing is there to print."""
        return not self.groups and not self.whole


def standings_sheet(scope: ViewerScope, session: int | None, words: Words) -> StandingsSheet:
    """The standings of the event with all its sessions, or of one session."""
    found = scope.results.standings(session)
    sessions = [number for number in found.sessions if session in (None, number) and number not in found.hidden]
    hands = {name.n: words.hand(name.hand) for n in scope.released() if (name := scope.progress.deal_name(n)) is not None}
    plus = found.points is not Points.RANK
    groups = [_group(group, hands, plus) for number in sessions for group in scope.results.standings(number).groups]
    whole = () if found.whole is None else event_ranks(found.whole)
    named = [(group.session, group.name) for group in groups]
    several = len({number for number, _ in named}) < len(named)
    return StandingsSheet(found, whole, tuple(groups), plus, several)


def _group(group: RankedGroup, hands: Mapping[int, str], plus: bool) -> SheetGroup:
    won = {(n, gain.entrant): brief(gain.points, plus) for n, gains in group.deals for gain in gains}
    widest = max(map(len, won.values()), default=0)
    rows = tuple(
        SheetRow(
            standing.rank,
            standing.entrant,
            brief(standing.total, plus),
            "\t".join(won.get((n, standing.entrant), "").rjust(widest, FIGURE_SPACE) for n, _ in group.deals),
        )
        for standing in group.ranking
    )
    names = "\t".join(hands.get(n, str(n)).rjust(widest, FIGURE_SPACE) for n, _ in group.deals)
    return SheetGroup(group.session, group.name, len(group.deals), names, rows)
