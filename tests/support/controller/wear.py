"""A wall whose reads are recorded for the report of worn tiles."""

from collections.abc import Iterator

from controller.ledger.journal_events import JournalEvent, TileArrived, TileRead
from twinwall.game.tiles import Tile
from twinwall.wire.events.wall_events import DealOpened


def wall(n: int, sureties: dict[Tile, float], *, back: int = 1, doubts: int = 0) -> Iterator[JournalEvent]:
    """One wall's reads: four showings of each kind, with as many doubtful looks before each read of the first kind."""
    yield DealOpened(n, 1, n, "mcr-duplicate", "00", {}, "00")
    number = 0
    for place, (tile, probability) in enumerate(sureties.items()):
        for _ in range(4):
            number += 1
            yield TileArrived(number, back)
            yield from [TileRead(None, 0.0, "unsure")] * (doubts if place == 0 else 0)
            yield TileRead(tile, probability, "")
