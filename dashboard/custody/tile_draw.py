"""Asks the hall's tables for the drawn tiles on them, for the public value: each table's share, in the hall's order. Cameras of tables that
run on this computer are read here. A table with its own computer gets an order, and signs what it has read. A table that has no camera,
plays or is silent reads nothing; a person types its tiles."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Semaphore

from dashboard.assignments import HallTable, HallTables, TilesUnreadError
from dashboard.custody.deal_making import DealMaking
from dashboard.readiness.local_servers import LocalServerError, TableReadiness
from twinwall.event.deal_state import DealProblem, MadeDeals, RefusedStep
from twinwall.event.drawn_tiles import TableTiles, shares
from twinwall.game.deals import tiles_drawn
from twinwall.game.tiles import NotationError, parse_tiles
from twinwall.values import frozen
from twinwall.wire.messages.assignment import HallStage, TableKind

_AT_ONCE = 4
"""Tables of this computer that read at the same time: a reading mostly waits for frames."""
_WITH_CAMERA = (TableKind.FEEDER, TableKind.GUIDED)


@frozen
class TileDraw:
    """The tables on which tiles are drawn.

    Attributes:
        tables: the tables of the event, in the hall's order.
        cameras: the server of the tables that this computer reads; None without such tables.
        may_show_hands: whether a hand may be on one of these, so that nothing is read.
        joined: the tables that have joined the hall; None if nothing is assigned.
    """

    tables: Callable[[], Sequence[str]] = tuple
    cameras: TableReadiness | None = None
    may_show_hands: Callable[[str], bool] = lambda _table: True
    joined: HallTables | None = None

    def shares(self, drawn: int) -> tuple[tuple[str, int], ...]:
        """Each table with the number of drawn tiles on it."""
        tables = self.tables()
        return tuple(zip(tables, shares(drawn, len(tables)), strict=True)) if tables else ()

    @property
    def has_cameras(self) -> bool:
        """Whether any table can be asked."""
        return self.cameras is not None or bool(self._heard())

    def read(self, deals: DealMaking, by: str) -> RefusedStep | None:
        """Let every table with a share read its tiles. Raises StoreError."""
        if not self.tables():
            return RefusedStep(DealProblem.NO_TABLES, "this event has no table yet: choose its tables first")
        down = ""
        try:
            here = frozenset(self.tables()).intersection(() if self.cameras is None else self.cameras.tables())
        except LocalServerError as refused:
            here, down = frozenset(), str(refused)
        if not here and not self._heard():
            return RefusedStep(DealProblem.NO_CAMERA, down or "no table of this event has a camera that is asked here: type the tiles")

        def look_everywhere(made: MadeDeals) -> tuple[TableTiles, ...]:
            wanted = self.shares(tiles_drawn(made.plan.public))
            turn = Semaphore(_AT_ONCE)

            def look(share: tuple[str, int]) -> TableTiles:
                if self.cameras is None or share[0] not in here:
                    return self._look_there(made, down, *share)
                with turn:
                    return self._look_here(self.cameras, *share)

            with ThreadPoolExecutor(max(1, len(wanted))) as threads:
                return tuple(threads.map(look, wanted))

        return deals.read_tiles(look_everywhere, by)

    def _heard(self) -> Mapping[str, HallTable]:
        """The event's joined tables with a camera that are not silent, by name."""
        heard = () if self.joined is None else self.joined.all_tables()
        mine = frozenset(self.tables())
        return {each.name: each for each in heard if each.name in mine and not each.silent and each.heartbeat.kind in _WITH_CAMERA}

    def _look_there(self, made: MadeDeals, down: str, table: str, wanted: int) -> TableTiles:
        """What a table with its own computer reads; ``down`` says why those of this computer are not asked."""
        if not wanted:
            return TableTiles(table, 0)
        kinds = {each.name: each.heartbeat.kind for each in (() if self.joined is None else self.joined.all_tables())}
        if down and table not in kinds:
            return TableTiles(table, wanted, trouble="refused", sentence=down)
        if self.joined is None or kinds.get(table, TableKind.FEEDER) not in _WITH_CAMERA:
            return TableTiles(table, wanted, trouble="camera")
        heard = self._heard().get(table)
        if heard is None:
            return TableTiles(table, wanted, trouble="silent")
        if heard.heartbeat.stage is HallStage.PLAYING:
            return TableTiles(table, wanted, trouble="plays")
        return _ordered(self.joined, made, table, wanted)

    def _look_here(self, cameras: TableReadiness, table: str, wanted: int) -> TableTiles:
        if not wanted:
            return TableTiles(table, 0)
        if self.may_show_hands(table):
            return TableTiles(table, wanted, trouble="plays")
        try:
            seen = cameras.read_rivers(table)
        except LocalServerError as refused:
            return TableTiles(table, wanted, trouble="refused", sentence=str(refused))
        return TableTiles(table, wanted, " ".join(seen.tiles), seen.unread)


def _ordered(joined: HallTables, made: MadeDeals, table: str, wanted: int) -> TableTiles:
    """What a table with its own computer has read and signed."""
    try:
        signed = joined.read_tiles(table, made.plan.event, made.commitments.root.hex())
        reading = signed.reading
        tiles = " ".join(tile.text for tile in parse_tiles(reading.tiles))
    except (TilesUnreadError, NotationError) as error:
        return TableTiles(table, wanted, trouble="refused", sentence=str(error))
    trouble = "refused" if reading.refused else ""
    return TableTiles(table, wanted, tiles, reading.unread, trouble, reading.refused, signed.signed, signed.key)
