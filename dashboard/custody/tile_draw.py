"""Asks the hall's tables which drawn tiles lie on them, for the public value: each table's own share, in the hall's order.

A table that is not on this computer, or that plays, reads nothing; a person types its tiles.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from dashboard.readiness.local_server import LocalServerError
from dashboard.readiness.table_readiness import TableReadiness
from twinwall.event.custody.deal_state import DealProblem, RefusedStep
from twinwall.event.custody.drawn_tiles import TableTiles, shares

_AT_ONCE = 4
"""Tables that read together: most of a reading is waiting for frames."""


class TileReadings(Protocol):
    """The deals, as far as tiles are read for them (``dashboard.custody.deal_making``)."""

    def read_tiles(self, look: Callable[[int], tuple[TableTiles, ...]], by: str) -> RefusedStep | None:
        """Keep what ``look`` finds of so many tiles; why not, and then it was not asked or has no effect. Raises StoreError."""
        ...


@dataclass(frozen=True, slots=True)
class TileDraw:
    """The tables on which tiles are drawn.

    Attributes:
        tables: the tables of the event, in the hall's order.
        cameras: the server of those that read; None where the hall has none.
        may_show_hands: whether a hand may lie at a table, so that nothing is read there.
    """

    tables: Callable[[], Sequence[str]] = tuple
    cameras: TableReadiness | None = None
    may_show_hands: Callable[[str], bool] = lambda _table: True

    def shares(self, drawn: int) -> tuple[tuple[str, int], ...]:
        """Each table with how many of the drawn tiles lie on it."""
        tables = self.tables()
        return tuple(zip(tables, shares(drawn, len(tables)), strict=True)) if tables else ()

    def read(self, deals: TileReadings, by: str) -> RefusedStep | None:
        """Let every table with a share read what lies on it. Raises StoreError."""
        if not self.tables():
            return RefusedStep(DealProblem.NO_TABLES, "this event has no table yet: choose its tables first")
        try:
            have_cameras = frozenset(self.tables()).intersection(() if self.cameras is None else self.cameras.tables())
        except LocalServerError as refused:
            return RefusedStep(DealProblem.NO_CAMERA, str(refused))
        if self.cameras is None or not have_cameras:
            return RefusedStep(DealProblem.NO_CAMERA, "no table of this event has a camera that is asked here: type the tiles")
        look = partial(self._look, self.cameras, have_cameras)

        def look_everywhere(drawn: int) -> tuple[TableTiles, ...]:
            with ThreadPoolExecutor(_AT_ONCE) as threads:
                return tuple(threads.map(look, *zip(*self.shares(drawn), strict=True)))

        return deals.read_tiles(look_everywhere, by)

    def _look(self, cameras: TableReadiness, have_cameras: frozenset[str], table: str, wanted: int) -> TableTiles:
        if not wanted:
            return TableTiles(table, 0)
        if table not in have_cameras:
            return TableTiles(table, wanted, trouble="camera")
        if self.may_show_hands(table):
            return TableTiles(table, wanted, trouble="plays")
        try:
            seen = cameras.read_rivers(table)
        except LocalServerError as refused:
            return TableTiles(table, wanted, trouble="refused", sentence=str(refused))
        return TableTiles(table, wanted, " ".join(seen.tiles), seen.unread)
