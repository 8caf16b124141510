"""Tiles that the room draws for the public value, as the tables' cameras have read them: what each table shows, and the value they make.

A reading is kept whether it is complete or not, so that everybody sees how often was read. It is no value: a person looks at the tables,
types what no camera has read, and fixes the start.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta, Struct

from twinwall.game.tiles import Tile, parse_tiles
from twinwall.wire.canonical_json import Count, Digest, Text


class UnreadRiverSlot(Struct, frozen=True, forbid_unknown_fields=True):
    """A slot of a river that was not read: its place (1 to 4), its number in the river, row by row from its player's left, and why.

    ``why`` is ``covered`` (something lies over it, or a tile face down or beside its slot), ``light``, or ``unsure``.
    """

    place: Annotated[int, Meta(ge=1, le=4)]
    number: Annotated[int, Meta(ge=1)]
    why: Text


class TableTiles(Struct, frozen=True, forbid_unknown_fields=True):
    """What one table shows of the ``wanted`` tiles: the kinds in order, one blank between, and what was not read.

    ``trouble`` is why its camera has read nothing: ``camera`` (it has none here), ``plays``, or ``refused`` with its sentence.
    """

    table: Text
    wanted: Count
    tiles: str = ""
    unread: tuple[UnreadRiverSlot, ...] = ()
    trouble: str = ""
    sentence: str = ""

    @property
    def kinds(self) -> tuple[Tile, ...]:
        """The kinds that were read."""
        return parse_tiles(self.tiles)

    @property
    def is_whole(self) -> bool:
        """Whether all wanted tiles were read, and nothing else lies there."""
        return not self.trouble and not self.unread and len(self.kinds) == self.wanted


class TilesRead(Struct, frozen=True, forbid_unknown_fields=True, tag_field="step", tag="tiles-read"):
    """The tables' cameras have read the tiles on them, after the commitments of this ``root``."""

    root: Digest
    tables: tuple[TableTiles, ...]

    @property
    def has_seen(self) -> bool:
        """Whether a camera has seen tiles; otherwise nobody knows more of the value than before."""
        return any(seen.tiles or seen.unread for seen in self.tables)


@dataclass(frozen=True, slots=True)
class ValuePart:
    """A table's part of a public value; ``was_read``: the last reading of its camera has just these tiles."""

    table: str
    tiles: str
    was_read: bool


def shares(drawn: int, tables: int) -> tuple[int, ...]:
    """How many of the drawn tiles lie on each table in the hall's order; the first ones have one more where they do not divide."""
    each, rest = divmod(drawn, tables)
    return tuple(each + (index < rest) for index in range(tables))


def value_parts(value: str, reading: Sequence[TableTiles]) -> tuple[ValuePart, ...]:
    """A public value as the parts of the tables that have one, in the hall's order."""
    tiles, parts = value.split(), []
    for seen in reading:
        own, tiles = " ".join(tiles[: seen.wanted]), tiles[seen.wanted :]
        if seen.wanted:
            parts.append(ValuePart(seen.table, own, own == seen.tiles))
    return tuple(parts)
