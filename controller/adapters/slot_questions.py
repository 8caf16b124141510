"""Sends the open question of a table to the server, with what the camera has seen there, again with each heartbeat until it is answered;
likewise the pictures of events whose record is doubted, and of violations and calls of its own that the table has reported, until the
referee has ruled.

Pictures are in memory alone: those of the last doubted places, until a question is settled. They are signed like heads and go to the
server's topic, which no other account of the broker hears.
"""

import threading
import time
from collections.abc import Callable, Collection, Mapping

from controller.adapters.violation_pictures import ShownPictures
from controller.ledger.publisher import Link
from controller.state.questions import AskedNow, DoubtedPlace, DoubtKey, Pictures, SlotQuestion
from twinwall.game.tiles import Seat, Tile, format_tiles
from twinwall.wire.messages.signing import Signer
from twinwall.wire.messages.tile_question import Asked, AskedArea, AskedRecord, AskedTile, ShownCall, ShownViolation, write_question
from twinwall.wire.mqtt.topics import Channel, Topic
from vision.mat import Area

_AREAS: Mapping[Area, AskedArea] = {Area.RIVER: "river", Area.MELD: "meld", Area.HAND: "hand", Area.WIN: "win"}

MOST_RECORDS = 8
"""The pictures of this many doubted events are kept."""


class SlotQuestions:
    """The open question and the pictures for it, from two threads: the camera's and the table's."""

    def __init__(
        self, event: str, table: str, kinds: Collection[Tile], signer: Signer | None, now_s: Callable[[], float] = time.monotonic
    ) -> None:
        """``kinds`` are those of the rules; ``signer`` holds the boot signing key, None in an unsigned rehearsal; ``now_s`` is a
        monotonic clock, in seconds."""
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
        """Camera or decoder has seen this; it is shown to no person before ``show`` names it, since the table may not tell of it. Once the
        table has called the referee, the picture of the place stays as it is."""
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
        """This is asked now; the pictures of what is settled are discarded."""
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
        """Send the open question: it may have been lost."""
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
