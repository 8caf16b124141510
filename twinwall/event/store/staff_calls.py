"""What tables' events tell the hall: staff calls, and how far each table is with its deals.

A call says why a table needs a person, who answered, and when it ended. Calls reveal no play of an unreleased deal, only that the referee
was called, a part of the table failed, a deal was refused, or the record of a released deal is in doubt.

How much of a deal's progress is public while other tables still play: the end of a hand is secret until every table of the group has played
it, and so are the next hand's start and the wall after the next. Everybody sees a table that is ahead as still playing, with the next wall
at most ready.
"""

from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import datetime
from enum import Enum

from twinwall.event.store.store_contents import Acknowledgement
from twinwall.game.tiles import Seat
from twinwall.values import frozen
from twinwall.wire.events.hand_events import HandClosed, HandStarted, RecordAnswered, RecordQuestioned
from twinwall.wire.events.seat_events import ClockPaused, ClockResumed
from twinwall.wire.events.trouble_events import FaultCleared, RefereeCalled, TableFault
from twinwall.wire.events.wall_events import DealOpened, DealRefused, SheetsDue, WallRaised, WallReady
from twinwall.wire.ledger import PublicEvent
from twinwall.wire.messages.ruling import Ruling

VIOLATION = "violation"
"""The word of a call about a record in which a seat may have broken a rule."""


class CallKind(Enum):
    """What a table asks for."""

    REFEREE = "referee"
    """A seat or the table called; over when the referee has ruled on that hand, or the next hand begins."""
    DEAL = "deal"
    """The next deal was refused; over when one is opened."""
    FAULT = "fault"
    """A part of the table needs a person; over when the table says so."""
    RECORD = "record"
    """The decoder doubts the record of a released deal's hand, or whether a seat broke a rule; over when the referee has answered."""


@frozen
class Call:
    """One call, identified by its line in the ledger. ``word``: the fault's code, why the deal was refused, or ``violation`` if one is in
    doubt; otherwise empty. ``seat``: the one that called the referee or may have broken a rule; None if the table called or an event is in
    doubt. ``doubted``: the deal, and the number of the event in its hand's record that is in doubt, or before which a rule was broken.
    ``acknowledged``: who answered first, and when. ``over``: when its cause was gone; None while it lasts."""

    table: str
    journal: str
    seq: int
    at: datetime
    kind: CallKind
    word: str = ""
    seat: Seat | None = None
    doubted: tuple[int, int] | None = None
    acknowledged: Acknowledgement | None = None
    over: datetime | None = None

    @property
    def is_open(self) -> bool:
        return self.over is None


class TableCalls:
    """The calls of one table, event by event."""

    def __init__(self) -> None:
        self._calls: list[Call] = []
        self._journal = ""
        self._n = 0
        """The last deal with walls raised or sheets due: from then on a seat may call."""

    def take(self, event: PublicEvent) -> None:
        if event.journal != self._journal:  # the controller was replaced: the new one calls again for what still lasts
            self._journal = event.journal
            self._end(CallKind, event.at)
        self._follow(event)

    def acknowledge(self, acknowledgement: Acknowledgement) -> bool:
        """Note who answers a call; False if there is no such call. The first answer counts."""
        for index, call in enumerate(self._calls):
            if (call.journal, call.seq) == (acknowledgement.journal, acknowledgement.seq):
                if call.acknowledged is None:
                    self._calls[index] = replace(call, acknowledged=acknowledgement)
                return True
        return False

    def calls(self) -> tuple[Call, ...]:
        return tuple(self._calls)

    def _follow(self, event: PublicEvent) -> None:
        match event.body:
            case RefereeCalled(seat):
                self._begin(event, CallKind.REFEREE, seat=seat)
            case TableFault(code):
                self._end([CallKind.FAULT], event.at, code)
                self._begin(event, CallKind.FAULT, code)
            case FaultCleared(code):
                self._end([CallKind.FAULT], event.at, code)
            case DealRefused(reason=reason):
                self._end([CallKind.DEAL], event.at)
                self._begin(event, CallKind.DEAL, reason)
            case DealOpened():
                self._end([CallKind.DEAL], event.at)
            case RecordQuestioned(n, number, seat=seat):
                self._begin(event, CallKind.RECORD, "" if seat is None else VIOLATION, seat=seat, doubted=(n, number))
            case RecordAnswered(n, number, seat=seat):
                self._answer(event.at, (CallKind.RECORD, (n, number), seat))
            case Ruling(n=self._n):
                self._end([CallKind.REFEREE], event.at)
            case WallRaised(n) | SheetsDue(n):
                self._n = n
                self._end([CallKind.REFEREE], event.at)

    def _begin(
        self, event: PublicEvent, kind: CallKind, word: str = "", *, seat: Seat | None = None, doubted: tuple[int, int] | None = None
    ) -> None:
        self._calls.append(Call(event.table, event.journal, event.seq, event.at, kind, word, seat, doubted))

    def _end(self, kinds: Iterable[CallKind], at: datetime, word: str | None = None) -> None:
        ended = set(kinds)
        for index, call in enumerate(self._calls):
            if call.over is None and call.kind in ended and word in (None, call.word):
                self._calls[index] = replace(call, over=at)

    def _answer(self, at: datetime, answered: tuple[CallKind, tuple[int, int], Seat | None]) -> None:
        """End the call about a doubted record that the referee has answered."""
        for index, call in enumerate(self._calls):
            if call.over is None and (call.kind, call.doubted, call.seat) == answered:
                self._calls[index] = replace(call, over=at)


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
