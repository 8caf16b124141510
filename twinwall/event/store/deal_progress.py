"""Progress of each deal at each table, and how much of it is public while other tables still play.

The end of a hand is secret until every table of the group has played it, and so are the next hand's start and the wall after the next.
Everybody sees a table that is ahead as still playing, with the next wall at most ready.
"""

from collections.abc import Collection
from datetime import datetime
from enum import Enum

from twinwall.values import frozen
from twinwall.wire.events.hand_events import HandClosed, HandStarted
from twinwall.wire.events.seat_events import ClockPaused, ClockResumed
from twinwall.wire.events.wall_events import DealOpened, SheetsDue, WallReady
from twinwall.wire.ledger import PublicEvent


class DealProgress(Enum):
    """How far a table is with a deal; no more may be known before its release."""

    TO_COME = "to-come"
    BUILDING = "building"
    READY = "ready"
    """The wall is built; the hand has not begun."""
    PLAYING = "playing"
    FINISHED = "finished"


@frozen
class DealAtTable:
    """How far a table is with a deal, and since when (None before it begins)."""

    table: str
    progress: DealProgress
    since: datetime | None


class TableProgress:
    """The deals of one table, event by event."""

    def __init__(self, table: str) -> None:
        self.table = table
        self.paused = False
        """Whether the table has reported a paused clock."""
        self._moments: dict[int, dict[DealProgress, datetime]] = {}

    def take(self, event: PublicEvent) -> None:
        """Add the table's next event. A deal that a replacing controller opens again begins again."""
        match event.body:
            case ClockPaused() | ClockResumed() as clock:
                self.paused = isinstance(clock, ClockPaused)
            case DealOpened(n=n) | SheetsDue(n=n):
                self._reach(n, DealProgress.BUILDING, event.at)
            case WallReady(n=n):
                self._reach(n, DealProgress.READY, event.at)
            case HandStarted(n=n):
                self._reach(n, DealProgress.PLAYING, event.at)
            case HandClosed(n=n):
                self._reach(n, DealProgress.FINISHED, event.at)

    def _reach(self, n: int, progress: DealProgress, at: datetime) -> None:
        if not self.has_finished(n):
            kept = {} if progress is DealProgress.BUILDING else self._moments.get(n, {})
            self._moments[n] = {**kept, progress: at}

    @property
    def deals(self) -> tuple[int, ...]:
        return tuple(sorted(self._moments))

    def has_finished(self, n: int) -> bool:
        return DealProgress.FINISHED in self._moments.get(n, {})

    def at(self, n: int, at_most: DealProgress = DealProgress.FINISHED) -> DealAtTable:
        """How far the table is with a deal, at most ``at_most``."""
        moments = self._moments.get(n, {})
        reached = [progress for progress in _ORDER[: _ORDER.index(at_most) + 1] if progress in moments]
        last = reached[-1] if reached else DealProgress.TO_COME
        return DealAtTable(self.table, last, moments.get(last))

    def shown(self, n: int, done: Collection[int]) -> DealAtTable:
        """The public progress with a deal; ``done`` are the deals that every table of the group has finished.

        A table plays deals in the order in which it opens them.
        """
        opened = list(self._moments)
        secret = next((place for place, deal in enumerate(opened) if self.has_finished(deal) and deal not in done), None)
        if secret is None or n not in opened[secret:]:
            return self.at(n)
        if n == opened[secret]:
            return self.at(n, DealProgress.PLAYING)
        return self.at(n, DealProgress.READY if n == opened[secret + 1] else DealProgress.TO_COME)


_ORDER = tuple(DealProgress)
