"""The text of a fault in one language: its sentence by its code, its place by its name.

The event has code, part, place, number and tiles as fields, and an English sentence. The page translates the codes and parts that it knows.
For others, and for ledgers from before these fields, it shows the table's own text, marked as English.
"""

from dashboard.i18n.words import Words
from twinwall.art.mat import MELD_SLOTS
from twinwall.game.tiles import SEATS, TileRow
from twinwall.wire.events.trouble_events import TableFault, TablePart

_NAMES_TILES = frozenset({"extra-tile", "missing-tiles"})
"""Codes with a text that needs the tiles beside it. Without tiles the table's sentence, which names them, is shown."""
_REACHED_INTO = frozenset(
    f"feeder-{fault}"
    for fault in ("jam", "double-feed", "shuttle", "sensors-disagree", "well", "lock", "no-tile", "home-open", "home-shut", "driver")
)
"""Codes of faults for which a person must reach into the named part."""
_ON_THE_MAT = frozenset({TablePart.RIVER, TablePart.MELD, TablePart.HAND, TablePart.WIN, TablePart.SHARED, TablePart.WALL})
"""Parts with slots that the event counts from 0 and the page from 1."""


def trouble(fault: TableFault, words: Words) -> tuple[str, TileRow, str]:
    """What to do at a fault's place in the language, its tiles, and where to reach; unknown faults as the table wrote them."""
    key = f"fault.{fault.code}"
    if key not in words:
        return words.english(fault.sentence), (), ""
    named = fault.code not in _NAMES_TILES or fault.tiles
    return words(key) if named else words.english(fault.sentence), fault.tiles or (), _where_to_reach(fault, words)


def place_name(fault: TableFault, words: Words) -> str:
    """The part of the table in the language; the table's own text if the event names no known part."""
    key = f"part.{fault.part}"
    if fault.part is None or key not in words:
        return words.english(fault.where)
    number = fault.number or 0
    counted = number + 1 if fault.part in _ON_THE_MAT else number
    return words(key, place=fault.place, number=counted, group=number // MELD_SLOTS + 1)


def _where_to_reach(fault: TableFault, words: Words) -> str:
    """Where to reach: by fault and part, or by the part if staff must look at it, else empty."""
    number = fault.number or 0
    for key in (f"hand.{fault.code}.{fault.part}", f"hand.{fault.part}"):
        if key in words and (fault.code in _REACHED_INTO or fault.part is TablePart.REJECT_CELL or fault.code in key):
            return words(key, number=number, place=number % len(SEATS))
    return ""
