"""Sends the table's open question, with pictures, to the server at each heartbeat until it is answered; likewise pictures of doubted
events, and of reported violations and the table's own calls, until the referee has ruled.

Pictures are only in memory: those of the last doubted places, until a question is settled. They are signed like heads and go to the
server's topic, which no other account of the broker hears.

The decoder sees a violation, and the table reports it or not. A picture belongs to the reported violation of that seat and kind within
``UNREPORTED_S``. If a seat commits the same violation again, the picture of the last one is shown, or none.
"""

import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping

from controller.ledger.publisher import Link
from controller.state.questions import AskedNow, DoubtedPlace, DoubtKey, Pictures, SlotQuestion
from twinwall.game.tiles import Seat, Tile, format_tiles
from twinwall.wire.messages.signing import Signer
from twinwall.wire.messages.tile_question import Asked, AskedArea, AskedRecord, AskedTile, ShownCall, ShownViolation, write_question
from twinwall.wire.mqtt.topics import Channel, Topic
from vision.mat import Area

MOST_VIOLATIONS = 4
"""Most reported violations with pictures, and most unreported ones."""
UNREPORTED_S = 10.0
"""Pictures of a violation that the table has not reported within this time are discarded: a later report is about another one."""

ViolationKey = tuple[int, Seat, str]
"""A violation: its deal, its seat and its stable word."""


class ShownPictures:
    """Decides which pictures the referee may see; for one thread at a time."""

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        self._now_s = now_s
        self._reported: Counter[ViolationKey] = Counter()
        """How often each was reported since the last ruling."""
        self._told_s: dict[ViolationKey, float] = {}
        """When each was last reported."""
        self._untold: dict[ViolationKey, tuple[float, ShownViolation]] = {}
        """What the decoder has seen recently, with the time, without a report by the table."""
        self._shown: dict[ViolationKey, ShownViolation] = {}

    def see(self, pictures: ShownViolation) -> None:
        """Add pictures of a violation by the decoder; the table may report it before, after, or never."""
        key = pictures.n, Seat(pictures.seat), pictures.what
        told_s = self._told_s.get(key)
        if key not in self._shown and told_s is not None and self._is_recent(told_s):
            self._show(key, pictures)
        else:
            self._untold.pop(key, None)
            self._untold[key] = self._now_s(), pictures
            for oldest in list(self._untold)[:-MOST_VIOLATIONS]:
                del self._untold[oldest]

    def tell(self, reported: Collection[ViolationKey]) -> None:
        """Set all violations since the last ruling, each as often as it was reported. If one occurs less often than before, the referee has
        ruled or the next hand is at the table: older pictures are discarded."""
        self._forget()
        before, self._reported = self._reported, Counter(reported)
        if before - self._reported:
            self._untold = {key: seen for key, seen in self._untold.items() if key in self._reported}
        for key in self._reported - before:
            self._told_s[key] = self._now_s()
            self._shown.pop(key, None)
            if key in self._untold:
                self._show(key, self._untold.pop(key)[1])
        self._told_s = {key: at_s for key, at_s in self._told_s.items() if key in self._reported}
        self._shown = {key: pictures for key, pictures in self._shown.items() if key in self._reported}

    def due(self) -> tuple[ShownViolation, ...]:
        self._forget()
        return tuple(self._shown.values())

    def _is_recent(self, at_s: float) -> bool:
        return at_s >= self._now_s() - UNREPORTED_S

    def _forget(self) -> None:
        self._untold = {key: seen for key, seen in self._untold.items() if self._is_recent(seen[0])}

    def _show(self, key: ViolationKey, pictures: ShownViolation) -> None:
        self._shown[key] = pictures
        for oldest in list(self._shown)[:-MOST_VIOLATIONS]:
            del self._shown[oldest]


_AREAS: Mapping[Area, AskedArea] = {Area.RIVER: "river", Area.MELD: "meld", Area.HAND: "hand", Area.WIN: "win"}

MOST_RECORDS = 8
"""Most doubted events with pictures."""


class SlotQuestions:
    """The open question and its pictures; used by the camera's and the table's threads."""

    def __init__(
        self, event: str, table: str, kinds: Collection[Tile], signer: Signer | None, now_s: Callable[[], float] = time.monotonic
    ) -> None:
        """``kinds`` are those of the rules; ``signer`` has the boot signing key, None in an unsigned rehearsal; ``now_s`` is a monotonic
        clock, in seconds."""
        self._event, self._table, self._kinds, self._signer = event, table, frozenset(kinds), signer
        self._topic = str(Topic(event, table, Channel.QUESTION))
        self._lock = threading.Lock()
        self._asked = AskedNow()
        self._doubted: dict[SlotQuestion, DoubtedPlace] = {}
        self._of_records: dict[DoubtKey, AskedRecord] = {}
        self._of_violations = ShownPictures(now_s)
        self._of_call: ShownCall | None = None
        self.link: Link | None = None

    def keep(self, pictures: Pictures) -> None:
        """Store pictures from camera or decoder; no person sees them before ``show`` names them, because the table may not report it. Once
        the table has called the referee, the picture of the place does not change."""
        with self._lock:
            match pictures:
                case DoubtedPlace(question):
                    of_hand = question.n, question.number
                    self._doubted = {asked: kept for asked, kept in self._doubted.items() if (asked.n, asked.number) == of_hand}
                    self._doubted[question] = pictures
                case AskedRecord(n, number, seat=seat):
                    self._of_records[n, number, None if seat is None else Seat(seat)] = pictures
                    for oldest in list(self._of_records)[:-MOST_RECORDS]:
                        del self._of_records[oldest]
                case ShownViolation():
                    self._of_violations.see(pictures)
                case ShownCall() if self._call_due() is None:
                    self._of_call = pictures
                case ShownCall():
                    pass

    def show(self, asked: AskedNow) -> None:
        """Set what is asked now; pictures of settled questions are discarded."""
        with self._lock:
            before, due, self._asked = self._asked, self._call_due(), asked
            for settled in set(before.records) - set(asked.records):
                self._of_records.pop(settled, None)
            if asked.violations != before.violations:
                self._of_violations.tell(asked.violations)
            if due is not None and self._call_due() is None:
                self._of_call = None
            if asked.question is None and before.question is not None:
                self._doubted = {}
        self.beat()

    def _call_due(self) -> ShownCall | None:
        """The picture for a call that waits for the referee."""
        kept = self._of_call
        return kept if kept is not None and (kept.n, kept.about) in self._asked.calls else None

    def beat(self) -> None:
        """Send the open question again, because it may have been lost."""
        with self._lock:
            asked, call = self._asked, self._call_due()
            doubted = None if asked.question is None else self._doubted.get(asked.question)
            records = [pictures for of, pictures in self._of_records.items() if of in asked.records]
            documents: list[Asked] = [*records, *self._of_violations.due(), *(() if call is None else (call,))]
        if doubted is not None:
            documents.append(self._document(doubted))
        if self.link is not None:
            for document in documents:
                self.link.publish(self._topic, write_question(self._signer, self._event, self._table, document))

    def _document(self, doubted: DoubtedPlace) -> AskedTile:
        kinds = tuple(tile for tile in doubted.kinds if tile in self._kinds)
        asked, slot = doubted.question, doubted.question.slot
        where = slot.place, _AREAS[slot.area], slot.index
        return AskedTile(asked.n, asked.number, *where, format_tiles(kinds), doubted.after, doubted.before)
