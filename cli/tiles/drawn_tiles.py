"""The tiles that are drawn for an event's public value, as a table with a computer of its own reads them from its mat."""

import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager

from cli.tiles.cameras import open_table_camera
from cli.tiles.readers import table_reader
from controller.settings import TableSettings
from tableside.readiness.camera_checks import MatUnseenError, read_rivers
from tableside.station.camera_worker import SharedCamera
from twinwall.game.tiles import ALL_TILES
from twinwall.wire.messages.tile_reading import TileOrder, TileReading, UnreadRiverSlot
from vision.cameras.port import Camera, CameraLostError


class DrawnTilesReader:
    """Reads the drawn tiles on the mat: through the camera of the table that plays where one has it, else through one of its own."""

    def __init__(self, settings: TableSettings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._lent: SharedCamera | None = None

    @contextmanager
    def lending(self, camera: Camera) -> Iterator[Camera]:
        """The camera for players, and for readings meanwhile; a reading that is under way keeps it until it has ended."""
        with self._lock:
            shared = self._lent = SharedCamera(camera)
        try:
            yield shared
        finally:
            with self._lock:
                self._lent = None

    def read(self, order: TileOrder) -> TileReading:
        """What lies in the rivers, over several frames; a sentence where nothing can be read."""
        with self._lock, ExitStack() as stack:
            try:
                camera = self._lent or stack.enter_context(closing(open_table_camera(self._settings.camera)))
                seen = read_rivers(camera, table_reader(self._settings, ALL_TILES), self._settings.sets.first.back)
            except (CameraLostError, MatUnseenError, OSError, ValueError) as error:
                return TileReading(order, refused=str(error))
        unread = tuple(UnreadRiverSlot(slot.place, slot.number, slot.why) for slot in seen.unread)
        return TileReading(order, " ".join(seen.tiles), unread)
