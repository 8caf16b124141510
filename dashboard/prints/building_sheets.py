"""Building sheets for tables without cameras: for each seat of a deal a cover and, on its back, the wall.

The page is made where the vault is, by a command there; no dashboard has what it is made of. The front is printed dense behind the wall, so
that no tile shows through the folded sheet.
"""

import base64
from collections.abc import Iterable
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from dashboard.i18n.words import WIND_CHARACTERS, Words
from dashboard.prints.paper import paper
from twinwall.art.names import tile_name
from twinwall.game.deals import BuildingSheet
from twinwall.game.tiles import TileRow

TEMPLATES = Path(__file__).parent.parent / "templates"
_HATCH = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="12" height="12" viewBox="0 0 12 12"><rect width="12" height="12" fill="#777"/>'
    '<path d="M0 0L12 12M12 0L0 12M0 6H12M6 0V12" stroke="#000" stroke-width="1.6"/></svg>'
)


def sheets_page(event: str, table: str, sheets: Iterable[BuildingSheet], words: Words) -> str:
    """The page of all sheets of a table, in their order: of each the cover, then the wall."""
    loader = FileSystemLoader(TEMPLATES)
    environment = Environment(loader=loader, undefined=StrictUndefined, autoescape=True, trim_blocks=True, lstrip_blocks=True)
    hatch = "data:image/svg+xml;base64," + base64.b64encode(_HATCH.encode()).decode()
    pages = [_page(sheet, words) for sheet in sheets]
    return paper(environment, "building_sheets.html", words, event=event, table=table, pages=pages, hatch=hatch)


def _page(sheet: BuildingSheet, words: Words) -> dict[str, object]:
    """A sheet with its words; tiles that belong together stand under a heading, named in words in their order."""
    named = (("sheets.hand", sheet.hand), ("sheets.draws", sheet.draws), ("sheets.shared", sheet.shared))
    parts = [{"heading": words(key), "tiles": tiles, "said": _said(tiles, words)} for key, tiles in named if tiles]
    shown = {"hand": words.hand(sheet.hand_number), "seat": words.seat(sheet.seat), "wind": WIND_CHARACTERS[sheet.seat]}
    return {"sheet": sheet, "parts": parts, **shown}


def _said(tiles: TileRow, words: Words) -> str:
    return " · ".join(f"{number} {tile_name(tile, words.language)}" for number, tile in enumerate(tiles, 1))
