"""Sends the open question of a table to the server, with what the camera has seen there, again with each heartbeat until it is answered;
likewise the pictures of events whose record is doubted, and of violations and calls of its own that the table has reported, until the
referee has ruled.

Pictures are in memory alone: those of the last doubted places, until a question is settled. They are signed like heads and go to the
server's topic, which no other account of the broker hears.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Mapping

from controller.adapters.violation_pictures import ShownPictures, ViolationKey
from controller.ledger.publisher import Link
from controller.state.questions import DoubtedPlace, DoubtKey, SlotQuestion
from twinwall.game.tiles import Seat, Tile, format_tiles
from twinwall.wire.events.trouble_events import TableSubject
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
        self._question: SlotQuestion | None = None
        self._doubted: dict[SlotQuestion, DoubtedPlace] = {}
        self._of_records: dict[DoubtKey, AskedRecord] = {}
        self._asked_records: frozenset[DoubtKey] = frozenset()
        self._of_violations = ShownPictures(now_s)
        self._of_call: ShownCall | None = None
        self._reported_calls: frozenset[tuple[int, TableSubject]] = frozenset()
        self.link: Link | None = None

    def keep(self, doubted: DoubtedPlace) -> None:
        """The camera cannot tell what lies there; called again while it goes on looking."""
        with self._lock:
            of_hand = doubted.question.n, doubted.question.number
            self._doubted = {asked: kept for asked, kept in self._doubted.items() if (asked.n, asked.number) == of_hand}
            self._doubted[doubted.question] = doubted

    def keep_record(self, pictures: AskedRecord) -> None:
        """The record of this event is doubted; it is shown to no person before ``doubt`` names it."""
        with self._lock:
            self._of_records[pictures.n, pictures.number, None if pictures.seat is None else Seat(pictures.seat)] = pictures
            for oldest in list(self._of_records)[:-MOST_RECORDS]:
                del self._of_records[oldest]

    def doubt(self, doubts: Collection[DoubtKey]) -> None:
        """The referee is asked about these doubts of records now; the pictures of those that he has answered are discarded."""
        with self._lock:
            for settled in self._asked_records - frozenset(doubts):
                self._of_records.pop(settled, None)
            self._asked_records = frozenset(doubts)
        self.beat()

    def keep_violation(self, pictures: ShownViolation) -> None:
        """The decoder has seen this violation; it is shown to no person before ``show_violations`` names it: the table may not tell of
        it."""
        with self._lock:
            self._of_violations.see(pictures)

    def show_violations(self, reported: Collection[ViolationKey]) -> None:
        """The table has reported these violations since the last ruling, each as often as it is named."""
        with self._lock:
            self._of_violations.tell(reported)
        self.beat()

    def keep_call(self, picture: ShownCall) -> None:
        """The place about which the table may call the referee looks like this now; once it has called, the picture stays as it is."""
        with self._lock:
            if self._call_due() is None:
                self._of_call = picture

    def show_calls(self, reported: Collection[tuple[int, TableSubject]]) -> None:
        """The table itself calls the referee about these (deal and subject) now; what he has ruled on is discarded."""
        with self._lock:
            due, self._reported_calls = self._call_due(), frozenset(reported)
            if due is not None and self._call_due() is None:
                self._of_call = None
        self.beat()

    def _call_due(self) -> ShownCall | None:
        """The picture for a call that waits for the referee."""
        kept = self._of_call
        return kept if kept is not None and (kept.n, kept.about) in self._reported_calls else None

    def ask(self, question: SlotQuestion | None) -> None:
        """This question is open now; None: it is settled, and its pictures are discarded."""
        with self._lock:
            self._question = question
            if question is None:
                self._doubted = {}
        self.beat()

    def beat(self) -> None:
        """Send the open question: it may have been lost."""
        with self._lock:
            asked, doubted = self._question, None if self._question is None else self._doubted.get(self._question)
            records = [pictures for of, pictures in self._of_records.items() if of in self._asked_records]
            violations = self._of_violations.due()
            call = self._call_due()
        documents: list[Asked] = [*records, *violations, *(() if call is None else (call,))]
        if asked is not None and doubted is not None:
            documents.append(self._document(asked, doubted))
        if self.link is not None:
            for document in documents:
                self.link.publish(self._topic, write_question(self._signer, self._event, self._table, document))

    def _document(self, asked: SlotQuestion, doubted: DoubtedPlace) -> AskedTile:
        kinds = tuple(tile for tile in doubted.kinds if tile in self._kinds)
        slot = asked.slot
        where = slot.place, _AREAS[slot.area], slot.index
        return AskedTile(asked.n, asked.number, *where, format_tiles(kinds), doubted.after, doubted.before)
