"""Discard times: how long it took from the first frame that shows a discard to its public event, for the log.

Discards that the table's own reader saw in their slots count apart from those that the decoder reported, off them. What a referee
named is counted and not timed. The clock is that by which frames are stamped. The log tells no tile.
"""

import logging
import math
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence

from controller.ledger.journal_events import JournalEvent
from controller.state.messages import Decision, DiscardDecoded, Message, Refused, SlotsSeen
from twinwall.game.play_events import TileDiscarded
from twinwall.values import frozen
from twinwall.wire.events.hand_events import HandClosed

log = logging.getLogger(__name__)

_MS_NS = 1_000_000
_WHERE = {True: "in its slot", False: "off its slot"}
_LINE = "a discard %s: %d ms from the first frame that shows it to its event"
_READ = re.compile(re.escape(_LINE).replace("%s", f"({'|'.join(_WHERE.values())})").replace("%d", r"(\d+)"))


@frozen
class DiscardTime:
    """How long one discard took, and whether it was seen in its slot."""

    in_slot: bool
    ms: int


@frozen
class Spread:
    """How long several discards took: no more than ``p50_ms`` in half the cases, and than ``p95_ms`` in 95 of 100."""

    count: int
    p50_ms: int
    p95_ms: int

    def __str__(self) -> str:
        return f"{self.p50_ms} ms (p50) and {self.p95_ms} ms (p95) of {self.count}"


def spread(times_ms: Sequence[int]) -> Spread | None:
    """Each share as the least of the times that holds for that share of them; None where there is none."""
    ordered = sorted(times_ms)
    if not ordered:
        return None
    p50, p95 = (ordered[math.ceil(share * len(ordered)) - 1] for share in (0.5, 0.95))
    return Spread(len(ordered), p50, p95)


def logged(lines: Iterable[str]) -> Iterator[DiscardTime]:
    """The discards that a table's log tells of."""
    for found in filter(None, map(_READ.search, lines)):
        yield DiscardTime(found[1] == _WHERE[True], int(found[2]))


class DiscardTimes:
    """The discards of one hand after the other, from the table's thread."""

    def __init__(self, now_ns: Callable[[], int] = time.monotonic_ns) -> None:
        """``now_ns`` is the clock of the frames, in nanoseconds."""
        self._now_ns = now_ns
        self._moment: tuple[int, int] | None = None
        """Deal and events of the hand that reader or decoder reported last."""
        self._shown_ns: int | None = None
        """When the first frame was taken that shows what lies there: a second report counts from the first one."""
        self._in_slot: bool | None = None
        """Who saw the discard that is written down and not public yet; None where neither did, or none waits."""
        self._times: list[DiscardTime] = []
        self._untimed = 0

    def decided(self, message: Message, decision: Decision) -> None:
        """What the table made of a message."""
        if not isinstance(message, SlotsSeen | DiscardDecoded) or message.watch.version is None:
            return
        version = message.watch.version
        if self._moment != (version.deal, version.events):
            self._moment, self._shown_ns = (version.deal, version.events), None
        if self._shown_ns is None:
            self._shown_ns = message.shown_ns
        if not isinstance(decision, Refused) and any(isinstance(event, TileDiscarded) for event in decision):
            self._in_slot = isinstance(message, SlotsSeen)

    def published(self, events: Iterable[JournalEvent]) -> None:
        """These stand in the public ledger now; at the end of a hand the log says how long its discards took."""
        for event in events:
            if isinstance(event, TileDiscarded):
                self._note()
            elif isinstance(event, HandClosed):
                log.info("deal %d: from the first frame that shows a discard to its event: %s", event.n, self._sentence())
                self._times, self._untimed = [], 0

    def _note(self) -> None:
        if self._in_slot is None or self._shown_ns is None:
            self._untimed += 1
            return
        took = DiscardTime(self._in_slot, max(0, self._now_ns() - self._shown_ns) // _MS_NS)
        self._times.append(took)
        self._in_slot = None
        log.info(_LINE, _WHERE[took.in_slot], took.ms)

    def _sentence(self) -> str:
        parts = []
        for in_slot, where in ((True, "in their slots"), (False, "off their slots")):
            found = spread([took.ms for took in self._times if took.in_slot is in_slot])
            parts += [] if found is None else [f"{where} {found}"]
        return ", ".join([*parts, f"{self._untimed} not timed"])
