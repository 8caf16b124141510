"""The standings on paper: of the event, and of each group of each session, without held-back sessions.

A row's gains are one text with tabs, because WeasyPrint takes as long for a cell as for a line. A part wider than its tab would continue at
the next stop, so deals without room side by side are on several lines.
"""

from collections.abc import Mapping, Sequence
from unicodedata import east_asian_width

from dashboard.access.viewer_scope import ViewerScope
from dashboard.i18n.words import Values, Words, brief
from twinwall.event.points import Points, RankedGroup
from twinwall.event.results import EntrantKind

FIGURE_SPACE, POINT_SPACE = "\u2007", "\u2008"
"""As wide as a digit, and as a point (half as wide) in the prints' fonts."""
HALF_MM, GAP_MM, DEALS_MM = 0.91, 1.0, 121.0
"""Half a digit in ``prints.css``'s size, in DejaVu Sans with the widest digits; the least space between two figures; the column's width."""


def standings_sheet(scope: ViewerScope, session: int | None, words: Words) -> Values:
    """The standings of the event with all its sessions, or of one session. ``plus``: whether points have a sign, unlike rank points;
    ``several``: whether a session has several groups; ``column``: the kind of entrants; ``empty``: nothing to print."""
    found = scope.results.standings(session)
    sessions = [number for number in found.sessions if session in (None, number) and number not in found.hidden]
    hands = {name.n: words.hand(name.hand) for name in scope.progress.released_deals()}
    plus = found.points is not Points.RANK
    groups = [group for number in sessions for group in scope.results.standings(number).groups]
    several = len({group.session for group in groups}) < len(groups)
    column, shown = "team" if found.kind is EntrantKind.TEAM else "player", [sheet_group(group, hands, plus) for group in groups]
    return {
        "found": found,
        "groups": shown,
        "plus": plus,
        "several": several,
        "column": column,
        "empty": not groups and found.whole is None,
    }


def sheet_group(group: RankedGroup, hands: Mapping[int, str], plus: bool) -> Values:
    """A group of a session with its deals by the names of their ``hands``, each ``tab_mm`` wide; ``plus``: whether points have a sign.

    A row is an entrant's rank, total, and gain in each deal, blank if the entrant did not play it.
    """
    deals = [n for n, _ in group.deals]
    won = {(n, gain.entrant): brief(gain.points, plus) for n, gains in group.deals for gain in gains}
    names = {n: hands.get(n, str(n)) for n in deals}
    widest = max(map(halves, [*won.values(), *names.values()]), default=0)
    beside = max(1, int(DEALS_MM / (widest * HALF_MM + GAP_MM)))
    beside = -(-len(deals) // max(1, -(-len(deals) // beside)))
    rows = tuple(
        (standing, brief(standing.total, plus), _lines([won.get((n, standing.entrant), "") for n in deals], widest, beside))
        for standing in group.ranking
    )
    heading = _lines([names[n] for n in deals], widest, beside)
    return {"session": group.session, "name": group.name, "tab_mm": DEALS_MM / max(1, beside), "hands": heading, "rows": rows}


def _lines(parts: Sequence[str], widest: int, beside: int) -> str:
    """The parts aligned at their right edges, ``beside`` on each line."""
    padded = [_space(widest - halves(part)) + part for part in parts]
    return "\n".join("\t".join(padded[first : first + beside]) for first in range(0, len(padded), max(1, beside)))


def halves(text: str) -> int:
    """The width of a figure or a hand's name, in halves of a digit."""
    return sum(1 if each == "." else 3 if each == "W" or east_asian_width(each) in "WF" else 2 for each in text)


def _space(halves: int) -> str:
    return FIGURE_SPACE * (halves // 2) + POINT_SPACE * (halves % 2)
