"""The order to a joined table to read the drawn tiles on it, and the table's reading. The server signs the order: event, root of its
commitments, rising number. The table signs the reading under its identity key and repeats the order, so that a reading for another order is
recognised. Both use the hall's topics, because a waiting table knows no event. ``controller.adapters.hall_member`` decides when a table
reads, ``dashboard.assignments`` uses the reading."""

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
"""Slots of the four rivers; a kind needs at most two characters and a blank."""


class UnreadRiverSlot(Shape):
    """An unread slot of a river: its place (1 to 4), its number in the river (row by row from the player's left), and why. ``covered``:
    something is over it, or a tile is face down or beside its slot."""

    place: Annotated[int, Meta(ge=1, le=4)]
    number: Annotated[int, Meta(ge=1, le=_MOST_SLOTS // 4)]
    why: Literal["covered", "light", "unsure"]


class TileOrder(Shape, tag_field="format", tag="twinwall-tile-order-1"):
    """Read the tiles drawn for this event's public value; ``root`` is the commitments' root, ``number`` rises."""

    event: Text
    root: Digest
    number: Annotated[int, Meta(ge=1, le=2**53 - 1)]


class TileReading(Shape, tag_field="format", tag="twinwall-tile-reading-1"):
    """What the table's camera read for an order: the kinds in order, separated by blanks, and unread slots. ``refused``: why nothing was
    read."""

    order: TileOrder
    tiles: Annotated[str, Meta(max_length=3 * _MOST_SLOTS)] = ""
    unread: Annotated[tuple[UnreadRiverSlot, ...], Meta(max_length=_MOST_SLOTS)] = ()
    refused: Annotated[str, Meta(max_length=LONGEST_REFUSAL)] = ""


def open_tile_order(payload: bytes, table: str, server_key: bytes) -> TileOrder:
    """Read an order to this table, signed by the server; raises DocumentError."""
    with Reading(f"an order to table {table} to read tiles is refused"):
        return open_document(payload, TileOrder, {SERVER_USER: server_key}, table=table)


def write_tile_reading(identity: Signer, reading: TileReading) -> bytes:
    """Write a reading; a long refusal is cut."""
    return sign_document(identity, replace(reading, refused=reading.refused[:LONGEST_REFUSAL]), table=identity.by)


def open_tile_reading(payload: bytes, table: str, identity_key: bytes) -> TileReading:
    """Read a reading signed under this identity key; raises DocumentError."""
    with Reading(f"a reading of the tiles on table {table} is refused"):
        return open_document(payload, TileReading, {table: identity_key}, table=table)
