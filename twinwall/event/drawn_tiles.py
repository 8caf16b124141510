"""Tiles drawn in the room for the public value, as the tables' cameras read them: each table's tiles, and the resulting value.

Incomplete readings are stored too, so that everybody sees how often tiles were read. A reading is not yet the value: a person looks at the
tables, types what no camera has read, and fixes the start.
"""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from twinwall.game.tiles import TileRow, parse_tiles
from twinwall.game.typed_json import Count, Digest, Text
from twinwall.values import Shape
from twinwall.wire.messages.tile_reading import UnreadRiverSlot, open_tile_reading


class TableTiles(Shape):
    """What one table shows of the ``wanted`` tiles: the kinds in order, separated by blanks, and the unread places.

    - trouble: why its camera has read nothing: ``camera`` (it has none here), ``plays``, ``silent`` (its program does not answer), or
      ``refused`` with its ``sentence``.
    - signed: the signed reading of a table with its own computer (``twinwall.wire.messages.tile_reading``), as received.
    - key: the identity key that signed it.
    """

    table: Text
    wanted: Count
    tiles: str = ""
    unread: tuple[UnreadRiverSlot, ...] = ()
    trouble: str = ""
    sentence: str = ""
    signed: str = ""
    key: str = ""

    @property
    def kinds(self) -> TileRow:
        return parse_tiles(self.tiles)

    @property
    def is_whole(self) -> bool:
        """Whether all wanted tiles, and no others, were read."""
        return not self.trouble and not self.unread and len(self.kinds) == self.wanted


class TilesRead(Shape, tag_field="step", tag="tiles-read"):
    """The tables' cameras have read the tiles, after the commitments of this ``root``."""

    root: Digest
    tables: tuple[TableTiles, ...]

    @property
    def has_seen(self) -> bool:
        """Whether a camera has seen tiles; otherwise the value is still unknown."""
        return any(seen.tiles or seen.unread for seen in self.tables)


def contradictions(event: str, drawn: int, readings: Sequence[TilesRead]) -> Iterator[str]:
    """Yield a sentence for each reading that its table has not signed so; ``drawn`` is the number of drawn tiles in the event."""
    orders = dict[str, int]()
    for count, reading in enumerate(readings, 1):
        if tuple(seen.wanted for seen in reading.tables) != shares(drawn, len(reading.tables)):
            yield f"reading {count} of the drawn tiles wants other shares of the tables than {drawn} tiles give"
        for seen in reading.tables:
            if seen.signed:
                yield from _contradictions(event, reading.root, seen, orders)
            elif seen.table in orders and (seen.tiles or seen.unread):
                yield f"reading {count} of the drawn tiles has no signature of table {seen.table}, which had signed before"


def _contradictions(event: str, root: str, seen: TableTiles, orders: dict[str, int]) -> Iterator[str]:
    """The contradictions of one table; ``orders`` are the numbers of the tables' last orders."""
    try:
        reading = open_tile_reading(seen.signed.encode(), seen.table, bytes.fromhex(seen.key))
        signed = " ".join(tile.text for tile in parse_tiles(reading.tiles))
    except ValueError as error:
        yield str(error)
        return
    trouble = "refused" if reading.refused else ""
    kept = replace(seen, tiles=signed, unread=reading.unread, trouble=trouble, sentence=reading.refused)
    if (event, root, seen) != (reading.order.event, reading.order.root, kept):
        yield f"the drawn tiles of table {seen.table} are not kept as the table has signed them"
    if reading.order.number <= orders.get(seen.table, 0):
        yield f"the drawn tiles of table {seen.table} are kept twice or out of order: order {reading.order.number} is not a later one"
    orders[seen.table] = max(reading.order.number, orders.get(seen.table, 0))


def shares(drawn: int, tables: int) -> tuple[int, ...]:
    """The number of drawn tiles on each table, in the hall's order; the first ones have one more if the division has a remainder."""
    each, rest = divmod(drawn, tables)
    return tuple(each + (index < rest) for index in range(tables))


def value_parts(value: str, reading: Sequence[TableTiles]) -> list[tuple[str, str, bool]]:
    """The parts of a public value by table, in the hall's order: table, tiles, and whether its camera's last reading equals them."""
    tiles, parts = value.split(), list[tuple[str, str, bool]]()
    for seen in reading:
        own, tiles = " ".join(tiles[: seen.wanted]), tiles[seen.wanted :]
        if seen.wanted:
            parts.append((seen.table, own, own == seen.tiles))
    return parts
