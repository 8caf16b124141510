"""Deals on paper: hand records, and building sheets for tables without cameras.

A record is a released deal with its walls, each table's play, wins and gains; one page for four tables. A river has its tiles in the order
of the discards; a claimed tile stays in place, underlined.

Building sheets have for each seat of a deal a cover and, on its back, the wall. A command at the vault makes their page; no dashboard has
their content. The front is printed densely, so that no tile shows through the folded sheet.
"""

import base64
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from dashboard.access.shown_results import ReleasedDeal
from dashboard.access.viewer_scope import ViewerScope
from dashboard.i18n.words import WIND_CHARACTERS, Values, Words
from dashboard.pages.deals.deal_pieces import GroupColumns, HandColumn, averaged_words, group_columns, left_out_words
from dashboard.prints.paper import paper
from twinwall.art.names import tile_name
from twinwall.event.comparison import Entry, TeamEntry
from twinwall.game.deals import BuildingSheet
from twinwall.game.tiles import Seat
from twinwall.values import frozen

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


def sheets_page(event: str, table: str, sheets: Iterable[BuildingSheet], words: Words) -> str:
    """The page of all sheets of a table, in order: of each the cover, then the wall."""
    loader = FileSystemLoader(TEMPLATES)
    environment = Environment(loader=loader, undefined=StrictUndefined, autoescape=True, trim_blocks=True, lstrip_blocks=True)
    hatch = "data:image/svg+xml;base64," + base64.b64encode(_HATCH.encode()).decode()
    pages = [_page(sheet, words) for sheet in sheets]
    return paper(environment, "building_sheets.html", words, event=event, table=table, pages=pages, hatch=hatch)


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
