"""Discard times: from the first frame that shows a discard to its public event, for the log.

Discards seen in their slots by the table's own reader count apart from those that the decoder reported off them. Discards named by a
referee are counted, not timed. The clock is that of the frames. The log names no tile.
"""

import logging
import math
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

from controller.ledger.journal_events import JournalEvent
from controller.state.messages import Decision, Message, Refused, SlotsSeen, TilesDecoded
from twinwall.game.play_events import TileDiscarded
from twinwall.values import frozen
from twinwall.wire.events.hand_events import HandClosed

log = logging.getLogger(__name__)

_MS_NS = 1_000_000
_WHERE = {True: "in its slot", False: "off its slot"}
_LINE = "a discard %s: %d ms from the first frame that shows it to its event"
_READ = re.compile(re.escape(_LINE).replace("%s", f"({'|'.join(_WHERE.values())})").replace("%d", r"(\d+)"))


DiscardTime: TypeAlias = tuple[bool, int]
"""Whether a discard was seen in its slot, and its time in milliseconds."""


@frozen
class Spread:
    """Times of several discards: half of them within ``p50_ms``, 95 of 100 within ``p95_ms``."""

    count: int
    p50_ms: int
    p95_ms: int

    def __str__(self) -> str:
        return f"{self.p50_ms} ms (p50) and {self.p95_ms} ms (p95) of {self.count}"


def spread(times_ms: Sequence[int]) -> Spread | None:
    """Return the spread, with each percentile one of the times; None without any."""
    ordered = sorted(times_ms)
    if not ordered:
        return None
    p50, p95 = (ordered[math.ceil(share * len(ordered)) - 1] for share in (0.5, 0.95))
    return Spread(len(ordered), p50, p95)


def logged(lines: Iterable[str]) -> Iterator[DiscardTime]:
    for found in filter(None, map(_READ.search, lines)):
        yield found[1] == _WHERE[True], int(found[2])


class DiscardTimes:
    """Times of the discards of successive hands, for the table's thread."""

    def __init__(self, now_ns: Callable[[], int] = time.monotonic_ns) -> None:
        """``now_ns``: clock of the frames, in nanoseconds."""
        self._now_ns = now_ns
        self._moment: tuple[int, int] | None = None
        """Deal and number of events at the last report of reader or decoder."""
        self._shown_ns: int | None = None
        """Time of the first frame that shows the tile; a second report counts from it too."""
        self._in_slot: bool | None = None
        """Whether the reader saw the journalled discard that is not public yet; None: neither reader nor decoder did, or there is none."""
        self._times: list[DiscardTime] = []
        self._untimed = 0

    def decided(self, message: Message, decision: Decision) -> None:
        if not isinstance(message, SlotsSeen | TilesDecoded) or message.watch.version is None:
            return
        version = message.watch.version
        if self._moment != (version.deal, version.events):
            self._moment, self._shown_ns = (version.deal, version.events), None
        if self._shown_ns is None:
            self._shown_ns = message.shown_ns
        if not isinstance(decision, Refused) and any(isinstance(event, TileDiscarded) for event in decision):
            self._in_slot = isinstance(message, SlotsSeen)

    def published(self, events: Iterable[JournalEvent]) -> None:
        """These events are public now; at the end of a hand, log how long its discards took."""
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
        in_slot, ms = self._in_slot, max(0, self._now_ns() - self._shown_ns) // _MS_NS
        self._times.append((in_slot, ms))
        self._in_slot = None
        log.info(_LINE, _WHERE[in_slot], ms)

    def _sentence(self) -> str:
        parts = []
        for in_slot, where in ((True, "in their slots"), (False, "off their slots")):
            found = spread([ms for seen, ms in self._times if seen is in_slot])
            parts += [] if found is None else [f"{where} {found}"]
        return ", ".join([*parts, f"{self._untimed} not timed"])
