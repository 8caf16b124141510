"""Codes of seats: who has scanned the card on a table may see that table's score on the phone and confirm it.

A code stands in the QR code of the card's seat. It is made of the server's secret, so that it cannot be made from the address of a
seat; it belongs to one event. A browser holds one seat at a time, the one that it scanned last.
"""

import base64
import hashlib
import hmac
from collections.abc import Callable

from flask import session

from twinwall.values import frozen

SEAT = "seat"
"""What the cookie, which the server signs, holds of it: event, table and place."""
_SAYS = "says"
"""Who its person says to be: event, table and player."""
_BYTES = 8
SeatCode = Callable[[str, int], str]
"""The code of a table's place."""


@frozen
class SeatHolder:
    """A browser that has shown the code of this seat."""

    table: str
    place: int


def seat_code(secret: bytes, event: str, table: str, place: int) -> str:
    """The code of a seat: 13 letters and digits."""
    named = "\0".join(("seat", event, table, str(place))).encode()
    return base64.b32encode(hmac.digest(secret, named, hashlib.sha256)[:_BYTES]).decode().rstrip("=").lower()


def hold_seat(event: str, holder: SeatHolder) -> None:
    """Remember in this browser's cookie that it has shown the code of a seat; who sits there is said again."""
    session[SEAT] = [event, holder.table, holder.place]
    session.pop(_SAYS, None)


def held_seat(event: str, table: str, place: int) -> SeatHolder | None:
    """This seat, where this browser has shown its code at this event; None where it has not."""
    return SeatHolder(table, place) if session.get(SEAT) == [event, table, place] else None


def say_player(event: str, holder: SeatHolder, player: str) -> None:
    """Remember in this browser's cookie who its person says to be."""
    session[_SAYS] = [event, holder.table, player]


def said_player(event: str, holder: SeatHolder) -> str:
    """Who the person of this browser says to be; empty where nothing was said since it showed its code."""
    said = session.get(_SAYS)
    return str(said[2]) if isinstance(said, list) and said[:2] == [event, holder.table] else ""
