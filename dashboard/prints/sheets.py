"""Deals on paper: hand records, and building sheets for tables without cameras.

A record is a released deal with its walls, each table's play, wins and gains; one page for four tables. A river has its tiles in the order
of the discards; a claimed tile stays in place, underlined.

Building sheets have for each seat of a deal a cover and, on its back, the wall. A command at the vault makes their page; no dashboard has
their content. The front is printed densely, so that no tile shows through the folded sheet.

The standings on paper: of the event, and of each group of each session, without held-back sessions.

A row's gains are one text with tabs, because WeasyPrint takes as long for a cell as for a line. A part wider than its tab would continue at
the next stop, so deals without room side by side are on several lines.

The verification sheet: the start code as words and as a QR code, the commitments, the check of each deal, and the ends of the tables'
ledgers, so that the keeper of the paper is a witness of the lines up to there.
"""

import base64
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from unicodedata import east_asian_width

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from dashboard.access.shown_results import ReleasedDeal
from dashboard.access.viewer_scope import ViewerScope
from dashboard.i18n.words import WIND_CHARACTERS, Values, Words, brief
from dashboard.pages.deals.deal_pieces import GroupColumns, HandColumn, averaged_words, group_columns, left_out_words
from dashboard.prints.paper import paper
from twinwall.art.names import tile_name
from twinwall.event.comparison import Entry, TeamEntry
from twinwall.event.hands import HandSummary
from twinwall.event.natural_order import natural
from twinwall.event.points import Points, RankedGroup
from twinwall.event.results import EntrantKind
from twinwall.game.deals import BuildingSheet
from twinwall.game.deals.start import StartedPlan
from twinwall.game.tiles import Seat
from twinwall.values import frozen
from twinwall.wire.events.hand_events import HandClosed
from twinwall.wire.ledger import LedgerPosition

TABLES_ON_A_PAGE = 4


@frozen
class DealSheet:
    """A page: the deal, up to four tables of one group, and on the group's first page its comparison; None for no tables."""

    deal: ReleasedDeal
    hand: str
    group: GroupColumns | None
    named: bool
    """Whether the group is named, because there are several."""
    plays: Sequence[HandColumn]
    imps: Mapping[tuple[str, Seat], int]
    """By table and seat what a player won, after penalties."""
    first: bool
    teams: tuple[TeamEntry, ...]
    notes: tuple[str, ...]


def deal_sheets(deals: Iterable[ReleasedDeal], words: Words) -> Iterator[DealSheet]:
    return (sheet for found in deals for sheet in _sheets(found, words))


def deals_page(environment: Environment, scope: ViewerScope, numbers: Sequence[int], words: Words) -> str | None:
    """The pages of these deals as one text for paper; None if none of them is released."""
    sheets = list(deal_sheets((found for n in numbers if (found := scope.results.deal(n)) is not None), words))
    if not sheets:
        return None
    return paper(environment, "deals.html", words, sheets=sheets, event=scope.event_name)


def _sheets(found: ReleasedDeal, words: Words) -> Iterator[DealSheet]:
    groups, hand, notes = group_columns(found, words), words.hand(found.hand), tuple(_notes(found, words))
    if not groups:
        yield DealSheet(found, hand, None, False, (), {}, True, (), notes)
    for group in groups:
        entries = () if group.compared is None else group.compared.entries
        imps = {(entry.table, entry.seat): entry.imp - entry.penalty for entry in entries if isinstance(entry, Entry)}
        teams = tuple(entry for entry in entries if isinstance(entry, TeamEntry))
        for start in range(0, len(group.columns), TABLES_ON_A_PAGE):
            plays = group.columns[start : start + TABLES_ON_A_PAGE]
            yield DealSheet(found, hand, group, len(groups) > 1, plays, imps, start == 0, teams, notes)


def _notes(found: ReleasedDeal, words: Words) -> Iterator[str]:
    if found.held:
        yield words("standings.held", number=found.session)
    yield from (left_out_words(out, found.groups, words) for out in found.left_out)
    yield from (averaged_words(out, words) for out in found.averaged)
    if found.differing:
        yield words("deal.differs", tables=", ".join(found.differing))


TEMPLATES = Path(__file__).parent.parent / "templates"
_HATCH = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="12" height="12" viewBox="0 0 12 12"><rect width="12" height="12" fill="#777"/>'
    '<path d="M0 0L12 12M12 0L0 12M0 6H12M6 0V12" stroke="#000" stroke-width="1.6"/></svg>'
)


def templates() -> Environment:
    """All templates, without an application."""
    loader = FileSystemLoader(TEMPLATES)
    return Environment(loader=loader, undefined=StrictUndefined, autoescape=True, trim_blocks=True, lstrip_blocks=True)


def sheets_page(event: str, table: str, sheets: Iterable[BuildingSheet], words: Words) -> str:
    """The page of all sheets of a table, in order: of each the cover, then the wall."""
    hatch = "data:image/svg+xml;base64," + base64.b64encode(_HATCH.encode()).decode()
    pages = [_page(sheet, words) for sheet in sheets]
    return paper(templates(), "building_sheets.html", words, event=event, table=table, pages=pages, hatch=hatch)


def _page(sheet: BuildingSheet, words: Words) -> Values:
    """A sheet with its texts; tiles that belong together are under a heading, with their names in order."""
    named = (("sheets.hand", sheet.hand), ("sheets.draws", sheet.draws), ("sheets.shared", sheet.shared))
    parts = [
        {
            "heading": words(key),
            "tiles": tiles,
            "said": " · ".join(f"{number} {tile_name(tile, words.language)}" for number, tile in enumerate(tiles, 1)),
        }
        for key, tiles in named
        if tiles
    ]
    shown = {"hand": words.hand(sheet.hand_number), "seat": words.seat(sheet.seat), "wind": WIND_CHARACTERS[sheet.seat]}
    return {"sheet": sheet, "parts": parts, **shown}


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
    """A group of a session with its deals by the names of their ``hands``, each ``tab_mm`` wide; ``plus``: whether points have a sign. A
    row is an entrant's rank, total, and gain in each deal, blank if the entrant did not play it."""
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
    free = [widest - halves(part) for part in parts]
    padded = [FIGURE_SPACE * (left // 2) + POINT_SPACE * (left % 2) + part for left, part in zip(free, parts, strict=True)]
    return "\n".join("\t".join(padded[first : first + beside]) for first in range(0, len(padded), max(1, beside)))


def halves(text: str) -> int:
    """The width of a figure or a hand's name, in halves of a digit."""
    return sum(1 if each == "." else 3 if each == "W" or east_asian_width(each) in "WF" else 2 for each in text)


ROW_OF_CODE = 4
"""Groups of the start code in a line."""
ID_SHOWN = 8
"""Characters of a journal's id, enough to distinguish the journals of a table."""


def verification_sheet(started: StartedPlan, scope: ViewerScope) -> dict[str, object]:
    """The sheet of an event with plan and start; digests are hex in groups of eight. A deal is beside its check, which is empty until its
    slip is released. A ledger is a table and the end of its ledger at the close of its last released hand, as the other tables have noted
    it. A table with a replaced controller has one for each journal, by the beginning of its id."""
    groups = started.start.words.split("-")
    rows = tuple("-".join(groups[first : first + ROW_OF_CODE]) for first in range(0, len(groups), ROW_OF_CODE))
    released = list(scope.results.deals())
    checks = {deal.n: _grouped(deal.opening.deal.check) for deal in released}
    ledgers = ledger_marks(hand for deal in released for hand in deal.hands)
    deals = tuple((deal, checks.get(deal.n, "")) for deal in started.plan.deals)
    start = started.start
    digests = {"plan": _grouped(start.plan), "root": _grouped(start.root)}
    return {"words": start.words, "rows": rows, "public": start.public, "deals": deals, "ledgers": ledgers, **digests}


def ledger_marks(hands: Iterable[HandSummary]) -> tuple[tuple[str, LedgerPosition], ...]:
    """A mark for each journal of each table; tables in natural order, journals in the order in which they began."""
    last: dict[tuple[str, str], LedgerPosition] = {}
    for hand in hands:
        for event in hand.events:
            key = event.table, event.journal
            if isinstance(event.body, HandClosed) and (key not in last or last[key].seq < event.seq):
                last[key] = event.position
    marks = sorted(last.items(), key=lambda mark: natural(mark[0][0]))
    return tuple(
        (table, LedgerPosition(journal[:ID_SHOWN], position.seq, _grouped(bytes.fromhex(position.digest))))
        for (table, journal), position in marks
    )


def _grouped(digest: bytes) -> str:
    text = digest.hex()
    return " ".join(text[at : at + 8] for at in range(0, len(text), 8))
