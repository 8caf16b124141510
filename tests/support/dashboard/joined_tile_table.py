"""A table with a computer of its own as the hall's server orders it to read drawn tiles: both ends, and what travels between them."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from controller.adapters.hall_member import HallMember, no_camera
from controller.ledger.assignment_folder import AssignmentFolder
from dashboard.assignments import HallTables
from tests.support.wire.assignments import HALL_SERVER, IDENTITY
from twinwall.wire.messages.assignment import TableKind
from twinwall.wire.messages.signing import Counter, Signer
from twinwall.wire.messages.tile_reading import TileOrder, TileReading
from twinwall.wire.mqtt.topics import HallChannel, HallTopic

NOW = datetime(2026, 11, 20, 10, 0, tzinfo=UTC)


class JoinedTileTable:
    """A table whose mat shows ``tiles``; ``on_way`` sees each reading before the server does, which gets what it returns."""

    def __init__(
        self, hall: HallTables, folder: Path, name: str = "1", *, tiles: str | None = "", kind: TableKind = TableKind.FEEDER
    ) -> None:
        """Without ``tiles`` the table has no camera."""
        self.hall, self.folder, self.name, self.tiles = hall, folder, name, tiles
        self.identity = IDENTITY if name == IDENTITY.by else Signer(name, bytes([len(name)]) * 31 + name.encode()[:1])
        self.kind = kind
        self.orders: list[bytes] = []
        self.readings: list[bytes] = []
        self.looked = 0
        self.looking: Callable[[], object] = lambda: None
        """Called while its camera is looked through; may raise."""
        self.on_way: Callable[[bytes], bytes] = lambda payload: payload
        self.restart()

    def restart(self) -> None:
        """The table's program begins, over its folder."""
        self.member = HallMember(
            self.identity,
            HALL_SERVER.public,
            "0.9.0",
            lambda: (),
            AssignmentFolder(self.folder, self.name, HALL_SERVER.public),
            now=lambda: NOW,
            kind=self.kind,
            read_tiles=no_camera if self.tiles is None else self._read,
        )
        self.member._link = self

    def order(self, payload: bytes) -> None:
        self.orders.append(payload)
        self.member.message(self._topic(HallChannel.TILE_ORDER), payload)

    def publish(self, topic: str, payload: bytes) -> int | None:
        """What the table says arrives at the server."""
        if topic == self._topic(HallChannel.TILES):
            self.readings.append(payload)
            payload = self.on_way(payload)
        self.hall.hear(topic, payload)
        return 1

    def _topic(self, channel: HallChannel) -> str:
        return str(HallTopic(self.name, channel))

    def _read(self, order: TileOrder) -> TileReading:
        self.looked += 1
        self.looking()
        return TileReading(order, self.tiles or "")


class TileHall:
    """The server's end with its tables; ``off`` are those to which nothing is brought."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.now_s = folder, 0.0
        self.off: set[str] = set()
        counter = Counter(lambda: 1000, folder / "counter")
        self.tables = HallTables(HALL_SERVER, counter, folder / "assignments", lambda: NOW, lambda: self.now_s)
        self.tables.publish = self._publish
        self.joined: dict[str, JoinedTileTable] = {}

    def join(self, name: str = "1", *, tiles: str | None = "", kind: TableKind = TableKind.FEEDER) -> JoinedTileTable:
        table = self.joined[name] = JoinedTileTable(self.tables, self.folder / f"table-{name}", name, tiles=tiles, kind=kind)
        table.member.beat()
        return table

    def _publish(self, topic: str, payload: bytes) -> int | None:
        for name, table in self.joined.items():
            if name not in self.off and topic == str(HallTopic(name, HallChannel.TILE_ORDER)):
                table.order(payload)
        return 1
