"""Tiles that the room draws for the public value, as the tables' cameras have read them: what each table shows, and the value they make.

A reading is kept whether it is complete or not, so that everybody sees how often was read. It is no value: a person looks at the tables,
types what no camera has read, and fixes the start.
"""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from twinwall.game.tiles import TileRow, parse_tiles
from twinwall.game.typed_json import Count, Digest, Text
from twinwall.values import Shape
from twinwall.wire.messages.tile_reading import UnreadRiverSlot, open_tile_reading


class TableTiles(Shape):
    """What one table shows of the ``wanted`` tiles: the kinds in order, one blank between, and what was not read.

    ``trouble`` is why its camera has read nothing: ``camera`` (it has none here), ``plays``, ``silent`` (its program is not heard), or
    ``refused`` with its sentence. ``signed`` is the table's own signed reading as it came, where it has a computer of its own
    (``twinwall.wire.messages.tile_reading``), and ``key`` the identity key under which it was signed.
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
        """The kinds that were read."""
        return parse_tiles(self.tiles)

    @property
    def is_whole(self) -> bool:
        """Whether all wanted tiles were read, and nothing else lies there."""
        return not self.trouble and not self.unread and len(self.kinds) == self.wanted


class TilesRead(Shape, tag_field="step", tag="tiles-read"):
    """The tables' cameras have read the tiles on them, after the commitments of this ``root``."""

    root: Digest
    tables: tuple[TableTiles, ...]

    @property
    def has_seen(self) -> bool:
        """Whether a camera has seen tiles; otherwise the value is as unknown as before."""
        return any(seen.tiles or seen.unread for seen in self.tables)


def contradictions(event: str, drawn: int, readings: Sequence[TilesRead]) -> Iterator[str]:
    """Where the readings for an event with this many ``drawn`` tiles are not what its tables have signed, each in a sentence."""
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
    """As above, for one table; ``orders`` are the numbers of the tables' last orders."""
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
    """How many of the drawn tiles lie on each table in the hall's order; the first ones have one more where they do not divide."""
    each, rest = divmod(drawn, tables)
    return tuple(each + (index < rest) for index in range(tables))


def value_parts(value: str, reading: Sequence[TableTiles]) -> list[tuple[str, str, bool]]:
    """A public value as the parts of the tables that have one, in the hall's order: table, tiles, and whether the last reading of its
    camera has just these."""
    tiles, parts = value.split(), list[tuple[str, str, bool]]()
    for seen in reading:
        own, tiles = " ".join(tiles[: seen.wanted]), tiles[seen.wanted :]
        if seen.wanted:
            parts.append((seen.table, own, own == seen.tiles))
    return parts
