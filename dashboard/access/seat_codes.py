"""Codes of seats (``seat_code``): a person who has scanned the card on a table may see that table's score on the phone and confirm it. The
card's QR code has the code of its seat. The code depends on the server's secret, so it cannot be guessed from the seat's address, and
belongs to one event. A browser has one seat at a time, the last one scanned."""

import base64
import hashlib
import hmac
from collections.abc import Callable

from flask import session

SEAT = "seat"
"""In the signed cookie: event, table and place."""
_SAYS = "says"
"""In the signed cookie: event, table and player whom the person has named."""
_BYTES = 8
SeatCode = Callable[[str, int], str]
"""Returns the code of a table's place."""


def seat_code(secret: bytes, event: str, table: str, place: int) -> str:
    """The code of a seat: 13 letters and digits."""
    named = "\0".join(("seat", event, table, str(place))).encode()
    return base64.b32encode(hmac.digest(secret, named, hashlib.sha256)[:_BYTES]).decode().rstrip("=").lower()


def hold_seat(event: str, table: str, place: int) -> None:
    """Store in this browser's cookie that it has shown the code of a seat; the person must name the player again."""
    session[SEAT] = [event, table, place]
    session.pop(_SAYS, None)


def holds_seat(event: str, table: str, place: int) -> bool:
    """Whether this browser has shown the code of this seat at this event."""
    return bool(session.get(SEAT) == [event, table, place])


def say_player(event: str, table: str, player: str) -> None:
    """Store in this browser's cookie which player its person is."""
    session[_SAYS] = [event, table, player]


def stated_player(event: str, table: str) -> str:
    """The player whom this browser's person has named since showing the code, or empty."""
    stated = session.get(_SAYS)
    return str(stated[2]) if isinstance(stated, list) and stated[:2] == [event, table] else ""
