"""Staff calls: why a table needs a person, who answered, and when it ended.

They reveal no play of an unreleased deal, only that the referee was called, a part of the table failed, a deal was refused, or the record
of a released deal is in doubt.
"""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from enum import Enum

from twinwall.event.store.store_contents import Acknowledgement
from twinwall.game.tiles import Seat
from twinwall.values import frozen
from twinwall.wire.events.hand_events import RecordAnswered, RecordQuestioned
from twinwall.wire.events.trouble_events import FaultCleared, RefereeCalled, TableFault
from twinwall.wire.events.wall_events import DealOpened, DealRefused, SheetsDue, WallRaised
from twinwall.wire.ledger import PublicEvent
from twinwall.wire.messages.ruling import Ruling

VIOLATION = "violation"
"""The word of a call about a record in which a seat may have broken a rule."""


class CallKind(Enum):
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
    """One call, identified by its line in the ledger.

    Attributes:
        word: the fault's code, why the deal was refused, or ``violation`` if one is in doubt; otherwise empty.
        seat: the seat that called the referee or may have broken a rule; None if the table called or an event is in doubt.
        doubted: the deal, and the number of the event in its hand's record that is in doubt, or before which a rule was broken.
        acknowledged: who answered first, and when.
        over: when its cause was gone; None while it lasts.
    """

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
