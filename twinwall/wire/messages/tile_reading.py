"""Order to a table that has joined a hall to read the drawn tiles on it, and the table's reading.

The server signs the order for a table: the event, the root of its commitments, and a number that rises. The table signs the reading
under its identity key, and repeats the order in it, so a reading of another event, of other commitments or of an earlier order is known.
Both travel on the hall's topics, since a table that waits knows no event. When a table reads is decided in
``controller.adapters.hall_member``, what is made of its reading in ``dashboard.assignments``.
"""

from typing import Annotated, Literal

from msgspec import Meta
from msgspec.structs import replace

from twinwall.game.documents import Reading
from twinwall.game.typed_json import Digest, Text
from twinwall.values import Shape
from twinwall.wire.messages.signing import Signer, open_document, sign_document
from twinwall.wire.mqtt.access import SERVER_USER

LONGEST_REFUSAL = 1000
_MOST_SLOTS = 96
"""Slots of the four rivers; two characters and a blank are the most that a kind needs."""


class UnreadRiverSlot(Shape):
    """A slot of a river that was not read: its place (1 to 4), its number in the river, row by row from its player's left, and why.

    ``covered``: something lies over it, or a tile face down or beside its slot.
    """

    place: Annotated[int, Meta(ge=1, le=4)]
    number: Annotated[int, Meta(ge=1, le=_MOST_SLOTS // 4)]
    why: Literal["covered", "light", "unsure"]


class TileOrder(Shape, tag_field="format", tag="twinwall-tile-order-1"):
    """Read the tiles drawn for the public value of this event, whose commitments have this ``root``; ``number`` rises."""

    event: Text
    root: Digest
    number: Annotated[int, Meta(ge=1, le=2**53 - 1)]


class TileReading(Shape, tag_field="format", tag="twinwall-tile-reading-1"):
    """What the table's camera has read for an order: the kinds in their order, one blank between, and what was not read.

    ``refused`` says why nothing was read.
    """

    order: TileOrder
    tiles: Annotated[str, Meta(max_length=3 * _MOST_SLOTS)] = ""
    unread: Annotated[tuple[UnreadRiverSlot, ...], Meta(max_length=_MOST_SLOTS)] = ()
    refused: Annotated[str, Meta(max_length=LONGEST_REFUSAL)] = ""


def open_tile_order(payload: bytes, table: str, server_key: bytes) -> TileOrder:
    """Read an order to this table that the server has signed; raises DocumentError."""
    with Reading(f"an order to table {table} to read tiles is refused"):
        return open_document(payload, TileOrder, {SERVER_USER: server_key}, table=table)


def write_tile_reading(identity: Signer, reading: TileReading) -> bytes:
    """The reading as it travels; a longer refusal is cut."""
    return sign_document(identity, replace(reading, refused=reading.refused[:LONGEST_REFUSAL]), table=identity.by)


def open_tile_reading(payload: bytes, table: str, identity_key: bytes) -> TileReading:
    """Read what the table with this identity key has signed; raises DocumentError."""
    with Reading(f"a reading of the tiles on table {table} is refused"):
        return open_document(payload, TileReading, {table: identity_key}, table=table)
