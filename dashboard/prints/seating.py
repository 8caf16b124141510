"""What is printed of the seats of a session: slips for its players, and a card for each table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dashboard.access.viewer_scope import ViewerScope
from dashboard.i18n.words import WIND_CHARACTERS, Words
from dashboard.prints.fitted_names import FittedName, fitted_name
from twinwall.event.natural_order import natural
from twinwall.game.tiles import SEATS

NAME_WIDTH_MM, NAME_HEIGHT_MM = 86.0, 16.0
NAME_SIZES = ((2, 17.0), (3, 11.0), (4, 8.0))
"""Lines of a name on a seating slip, and points of its letters."""


@dataclass(frozen=True, slots=True)
class SeatingSlip:
    """Where one player sits in a session, in the first hand's winds."""

    name: FittedName
    table: str
    character: str
    wind: str


@dataclass(frozen=True, slots=True)
class CardPlace:
    """A place of a table by its first wind, and the address that its QR code opens."""

    wind: str
    address: str


@dataclass(frozen=True, slots=True)
class TableCard:
    """A table and its four places, counter-clockwise."""

    table: str
    places: tuple[CardPlace, ...]


def seating_slips(scope: ViewerScope, session: int, words: Words) -> list[SeatingSlip]:
    """A slip for each player of a session, in the order of the names, so that they are handed out at the door."""
    seated = [(player, at.table, seat) for at in scope.players.at_tables(session) for seat, player in zip(SEATS, at.players, strict=True)]
    return [
        SeatingSlip(fitted_name(player, NAME_WIDTH_MM, NAME_HEIGHT_MM, NAME_SIZES), table, WIND_CHARACTERS[seat], words.seat(seat))
        for player, table, seat in sorted(seated, key=lambda each: natural(each[0]))
    ]


def table_cards(scope: ViewerScope, address: Callable[[str, int], str], words: Words) -> list[TableCard]:
    """A card for each table of the event; ``address`` is that of a table's place 0 to 3."""
    return [
        TableCard(table, tuple(CardPlace(words.wind(seat), address(table, place)) for place, seat in enumerate(SEATS)))
        for table in scope.event.tables
    ]
