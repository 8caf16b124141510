"""What is printed of the seats of a session: slips for its players, and a card for each table."""

from __future__ import annotations

from collections.abc import Callable

from dashboard.access.viewer_scope import ViewerScope
from dashboard.i18n.words import WIND_CHARACTERS, Words
from dashboard.prints.fitted_names import fitted_name
from twinwall.event.natural_order import natural
from twinwall.game.tiles import SEATS

NAME_WIDTH_MM, NAME_HEIGHT_MM = 86.0, 16.0
NAME_SIZES = ((2, 17.0), (3, 11.0), (4, 8.0))
"""Lines of a name on a seating slip, and points of its letters."""


def seating_slips(scope: ViewerScope, session: int, words: Words) -> list[dict[str, object]]:
    """A slip for each player of a session with the first hand's wind, in the order of the names: they are handed out at the door."""
    tables = scope.players.at_tables(session)
    seated = [(player, table, seat) for table, players in tables.items() for seat, player in zip(SEATS, players, strict=True)]
    return [
        {
            "name": fitted_name(player, NAME_WIDTH_MM, NAME_HEIGHT_MM, NAME_SIZES),
            "table": table,
            "character": WIND_CHARACTERS[seat],
            "wind": words.seat(seat),
        }
        for player, table, seat in sorted(seated, key=lambda each: natural(each[0]))
    ]


def table_cards(scope: ViewerScope, address: Callable[[str, int], str], words: Words) -> dict[str, tuple[tuple[str, str], ...]]:
    """A card for each table of the event: its places by their first winds, each with the address that its QR code opens."""
    return {table: tuple((words.wind(seat), address(table, place)) for place, seat in enumerate(SEATS)) for table in scope.event.tables}
