"""A station's cameras: whether a tile is in the frame, and which places of the walls are taken. The camera above the frame replaces a foot
switch. It can be opened only once, so the station has it and passes its frames to the controller (``screen_server``). The station reads no
tile and stores no frame. It tells the builder whether a tile could be read at all, by light, focus and outline alone. Decides whether a
tile was put where the screen said, by the places that a camera above the walls sees taken or free over time. One place that should be free
but has been taken for ``settle_s`` has a misplaced tile. Several at once are a hand above the mat, which is not reported. A place that was
taken when its proper state was unknown is ignored until it has been seen free."""

import logging
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tableside.station.confirmed_places import Four
from tableside.station.tasks import Unread
from twinwall.values import frozen
from vision.cameras.port import Camera, CameraFault, CameraFrame, CameraLostError, Region
from vision.gate.presence import Outline, find_thing
from vision.gate.rectify import find_tile
from vision.reading import ReadRefusal, Reason
from vision.table.building_mat import BuildingMatCamera, Position, SeenPositions

log = logging.getLogger(__name__)
_STILL_SHARE = 0.02
"""A tile is at rest when its middle has moved by less than this share of the picture's width."""
_LASTING_LOOKS = 10
"""Looks in a row, a second or two, after which an obstacle to seeing a tile is reported."""
_RETRY_S = 0.5
TURN_S = 1.5
"""How long a caller waits for others; less than the patience of HTTP camera clients."""


class SharedCamera:
    """A camera for several threads, one exposure at a time."""

    def __init__(self, camera: Camera) -> None:
        self._camera = camera
        self._lock = threading.Lock()
        self.lost = False
        """Whether its last frame did not come."""

    def frame_after(self, moment_ns: int, region: Region | None = None, turn_s: float = -1.0) -> CameraFrame:
        """As ``Camera.frame_after``. An impatient caller gives ``turn_s``: if others have the camera for longer, raises CameraLostError
        without taking a frame."""
        if not self._lock.acquire(timeout=turn_s):
            raise CameraLostError("the camera is slow, and others wait for its frames", CameraFault.SILENT)
        try:
            frame = self._camera.frame_after(moment_ns, region)
            self.lost = False
            return frame
        except CameraLostError:
            self.lost = True
            raise
        finally:
            self._lock.release()

    def close(self) -> None:
        """Give the device back."""
        with self._lock:
            self._camera.close()


@dataclass(slots=True)
class Stillness:
    """Compares two frames in a row; ``take`` returns True for a tile that has come to rest, False for an empty frame."""

    trouble: Unread | None = None
    """Why the last frame shows no tile clearly; None if it does, or if there is none."""
    _last: Outline | None = None

    def take(self, frame: CameraFrame) -> bool | None:
        """The result of a frame, None if it is undecided: a hand, a moving tile, glare."""
        found = find_thing(frame.image)
        before, self._last = self._last, found if isinstance(found, Outline) else None
        self.trouble = fault_of(found) if isinstance(found, ReadRefusal) else None
        if isinstance(found, ReadRefusal):
            return False if found.reason is Reason.EMPTY else None
        if before is None:
            return None
        moved = max(abs(now - then) for now, then in zip(found.centre, before.centre, strict=True))
        return True if moved < _STILL_SHARE * frame.image.shape[1] else None


class CameraWorker:
    """A thread that looks repeatedly, with a pause before each look, until it is stopped."""

    def __init__(self, name: str, interval_s: float, look: Callable[[], bool]) -> None:
        """``look`` returns whether the camera gave something usable; if not, a longer pause follows."""
        self._interval_s, self._look = interval_s, look
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stopping.wait(self._interval_s):
            if not self._look():
                self._stopping.wait(_RETRY_S)


class FrameWatcher(CameraWorker):
    """Watches the frame and reports when a tile has come to rest in it, and when it is empty. While the tile is read it leaves the camera
    to the reader as long as frames come, because each frame that it took would delay the reading."""

    def __init__(
        self,
        camera: SharedCamera,
        interval_s: float,
        tell: Callable[[bool, Unread | None], None],
        sees: Callable[[bool], None],
        *,
        is_read: Callable[[], bool] = lambda: False,
        troubled: Callable[[Unread | None], None] = lambda _why: None,
    ) -> None:
        """All are called from the watcher's thread: ``tell`` when the answer has changed, with what keeps the tile from being read
        (``unreadable``); ``sees`` when the camera is lost or found; ``troubled`` with what has kept it from seeing any tile for some looks,
        or None afterwards. ``is_read`` returns whether the tile in the frame is being read."""
        super().__init__("frame watcher", interval_s, self._look_once)
        self._camera, self._tell, self._sees, self._is_read = camera, tell, sees, is_read
        self._stillness = Stillness()
        self._occupied = self._lost = False
        self._troubled = troubled
        self._reported: Unread | None = None
        self._trouble: Unread | None = None
        self._looks = 0
        """The obstacle in the last looks, and the number of these in a row."""

    def _look_once(self) -> bool:
        if self._is_read() and not self._camera.lost:
            return True
        try:
            frame = self._camera.frame_after(time.monotonic_ns())
            seen = self._stillness.take(frame)
        except CameraLostError as error:
            if not self._lost:
                log.warning("%s", error)
                self._sees(False)
            self._lost = True
            return False
        if self._lost:
            self._lost = False
            self._sees(True)
        self._judge(self._stillness.trouble)
        if seen is not None and seen is not self._occupied:
            self._occupied = seen
            self._tell(seen, unreadable(frame) if seen else None)
        return True

    def _judge(self, trouble: Unread | None) -> None:
        """Report an obstacle that lasts (a passing hand does not), and its end."""
        self._trouble, self._looks = trouble, self._looks + 1 if trouble == self._trouble else 1
        reported = trouble if self._looks >= _LASTING_LOOKS or trouble is None else self._reported
        if reported != self._reported:
            self._reported = reported
            self._troubled(reported)


def unreadable(frame: CameraFrame) -> Unread | None:
    """What keeps the tile at rest in the picture from being read. It uses and reveals no kind: doubt about the kind is not reported."""
    found = find_tile(frame.image)
    return fault_of(found) if isinstance(found, ReadRefusal) else None


def fault_of(refusal: ReadRefusal) -> Unread | None:
    """A refusal in the screen's terms; None if it is not about light, focus or outline."""
    if refusal.reason in (Reason.DARK, Reason.GLARE):
        return Unread(refusal.reason.value)
    return None if refusal.fault is None else Unread(refusal.fault.value)


class WallsWatcher(CameraWorker):
    """Watches the walls from above and reports what it sees, None while it sees no mat."""

    def __init__(
        self, camera: Camera, occupancy: BuildingMatCamera, interval_s: float, tell: Callable[[SeenPositions | None], None]
    ) -> None:
        """``tell`` is called from the watcher's thread after each look."""
        super().__init__("walls watcher", interval_s, self._look_once)
        self._camera, self._occupancy, self._tell = camera, occupancy, tell
        self._said = ""

    def _look_once(self) -> bool:
        try:
            looked = self._occupancy.look(self._camera.frame_after(time.monotonic_ns()))
            trouble = looked.detail if isinstance(looked, ReadRefusal) else ""
        except CameraLostError as error:
            looked, trouble = None, str(error)
        if trouble and trouble != self._said:
            log.warning("the walls are not watched: %s", trouble)
        self._said = trouble
        self._tell(looked if isinstance(looked, SeenPositions) else None)
        return not trouble


@frozen
class Misplaced:
    """A tile at ``lies`` that belongs to ``belongs``; None if it belongs to no wall, or that is unknown."""

    lies: Position
    belongs: Position | None


class WallWatch:
    """Takes frame after frame; ``misplaced`` is the present report."""

    def __init__(self, settle_s: float = 0.5) -> None:
        """A place counts as taken after ``settle_s``."""
        self._settle_s = settle_s
        self._left_alone: frozenset[Position] | None = None
        """Taken places to ignore; None before the first frame."""
        self._strange: frozenset[Position] = frozenset()
        self._since_s = 0.0
        self.misplaced: Misplaced | None = None

    def look(self, seen: SeenPositions, confirmed: Four, due: Iterable[Position], now_s: float, *, known: bool) -> Misplaced | None:
        """Take a frame; returns ``misplaced``. ``confirmed`` are the tiles in the walls as people have confirmed, ``due`` the places that a
        tile should come to, the longest due first. With ``known`` False the proper state is unknown: walls are lifted or emptied."""
        belongs = frozenset((seat, place) for seat, mask in enumerate(confirmed) for place in range(mask.bit_length()) if mask >> place & 1)
        places = tuple(due)
        strange = seen.taken - belongs
        if self._left_alone is None or not known:
            self._left_alone = strange
        self._left_alone -= seen.free
        strange = strange - self._left_alone - _reached(places, seen.free)
        if strange != self._strange:
            self._strange, self._since_s = strange, now_s
        if self.misplaced is not None and self.misplaced.lies not in strange:
            self.misplaced = None
        if len(strange) == 1 and now_s - self._since_s >= self._settle_s:
            (lies,) = strange
            self.misplaced = Misplaced(lies, next((place for place in places if place in seen.free), None))
        return self.misplaced

    def leave_alone(self) -> None:
        """Withdraw the report, because a person says that it is wrong."""
        if self.misplaced is not None:
            self._left_alone = (self._left_alone or frozenset()) | {self.misplaced.lies}
            self.misplaced = None

    def blind(self) -> None:
        """The camera sees nothing now; start again with the next view."""
        self.misplaced, self._strange, self._left_alone = None, frozenset(), None


def _reached(due: tuple[Position, ...], free: frozenset[Position]) -> frozenset[Position]:
    """The due places that may have a tile by now: while one is empty, a tile at a later one is the earlier one's."""
    first_free = next((number for number, place in enumerate(due) if place in free), len(due))
    return frozenset(due[: first_free + 1])
