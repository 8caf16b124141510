"""What a fault is called in one language: its sentence by its code, its place by its name.

The event carries code, part, place, number and tiles as fields, and an English sentence. The page words the codes and parts
that it knows in its own language; for others, and for ledgers from before these fields, it shows the table's own text, marked as English.
"""

from dashboard.i18n.words import Words
from twinwall.art.mat import MELD_SLOTS
from twinwall.game.tiles import SEATS, TileRow
from twinwall.wire.events.trouble_events import TableFault, TablePart

_NAMES_TILES = frozenset({"extra-tile", "missing-tiles"})
"""Codes whose text is read with the tiles beside it. An event without them keeps the table's sentence, which names them."""
_REACHED_INTO = frozenset(
    f"feeder-{fault}"
    for fault in ("jam", "double-feed", "shuttle", "sensors-disagree", "well", "lock", "no-tile", "home-open", "home-shut", "driver")
)
"""Codes at which somebody has to reach into the part that is named."""
_ON_THE_MAT = frozenset({TablePart.RIVER, TablePart.MELD, TablePart.HAND, TablePart.WIN, TablePart.SHARED, TablePart.WALL})
"""Parts whose slots are counted from 0 in the event and from 1 on the page."""


def trouble(fault: TableFault, words: Words) -> tuple[str, TileRow, str]:
    """What to do at a fault's place in the language, the tiles that it is about, and where to put a hand; what is not known here is shown
    as the table wrote it."""
    key = f"fault.{fault.code}"
    if key not in words:
        return words.english(fault.sentence), (), ""
    named = fault.code not in _NAMES_TILES or fault.tiles
    return words(key) if named else words.english(fault.sentence), fault.tiles or (), _where_to_reach(fault, words)


def place_name(fault: TableFault, words: Words) -> str:
    """The part of the table in the language; the table's own text for it where the event names no part that is known here."""
    key = f"part.{fault.part}"
    if fault.part is None or key not in words:
        return words.english(fault.where)
    number = fault.number or 0
    counted = number + 1 if fault.part in _ON_THE_MAT else number
    return words(key, place=fault.place, number=counted, group=number // MELD_SLOTS + 1)


def _where_to_reach(fault: TableFault, words: Words) -> str:
    """Where to put a hand: by fault and part, else by the part where that is what staff have to look at, else nothing."""
    number = fault.number or 0
    for key in (f"hand.{fault.code}.{fault.part}", f"hand.{fault.part}"):
        if key in words and (fault.code in _REACHED_INTO or fault.part is TablePart.REJECT_CELL or fault.code in key):
            return words(key, number=number, place=number % len(SEATS))
    return ""
