"""Thread of the decoder: turns whole frames of the table camera into mat observations and decodes the hand in play from them.

A new frame replaces the one that waits, so that decoded frames are never old. No frame is stored, and observations leave this process only
for ``KeptObservations``. To the table's queue it reports discards out of place, melds and hands anywhere on the mat, and violations. A
finished hand goes to ``HandReviews``.
"""

import logging
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Mapping
from typing import Protocol

from controller.adapters.cameras.camera_thread import Post
from controller.adapters.cameras.hand_pictures import MOST_SUSPECTS, HandPictures, RiverPlaces, Suspects, picture_of
from controller.adapters.cameras.hand_reviews import HandReviews, unprotected
from controller.recorder.at_table.reported_tiles import DoubtedTile, PicturedPlace
from controller.recorder.at_table.table_decoding import LocatedViolation, TableDecoding
from controller.recorder.signals import GateEdge
from controller.state.messages import KeyPressed, Message
from controller.state.questions import DoubtedPlace, Pictures, SlotQuestion
from controller.state.watches import Awaits, HandToDecode
from firmware_bridge import messages as feeder_messages
from firmware_bridge.messages import REAR_GATE
from twinwall.wire.events.hand_events import RecordDoubt
from twinwall.wire.events.trouble_events import TableSubject
from twinwall.wire.messages.tile_question import AskedRecord, ShownCall, ShownViolation
from twinwall.wire.shapes.panel import KeyEdge
from vision.cameras.port import CameraFrame
from vision.mat import Slot
from vision.mat_observation import MatObservation

log = logging.getLogger(__name__)

_MS_NS = 1_000_000
_STOP_S = 2.0
NotedFrame = Callable[[CameraFrame], None]


class MatObserver(Protocol):
    """Reads whole frames (``vision.table.sweeper``)."""

    def observe(self, frame: CameraFrame, at_ms: int, back: int | None = None) -> MatObservation | None:
        """What a frame shows anywhere on the mat; None if the mat could not be located."""

    def picture(self, frame: CameraFrame, slot: Slot, showing_mm: tuple[float, float] | None = None) -> bytes | None:
        """A slot and its neighbours as a JPEG file; None if the mat could not be located, or if that spot may not be shown."""


WholeFrames = Callable[[NotedFrame | None], None]
"""Passes each whole frame on, several per second, until it is called with None."""


class DecodingThread(threading.Thread):
    def __init__(
        self,
        decoding: TableDecoding,
        observer: MatObserver,
        whole_frames: WholeFrames,
        post: Post,
        protect: Callable[[], object] = unprotected,
    ) -> None:
        """``protect`` is called first in a process that gets a hand and its deal."""
        super().__init__(name="decoding", daemon=True)
        self._decoding, self._observer, self._whole_frames, self._post = decoding, observer, whole_frames, post
        self._changed = threading.Condition()
        self._frame: CameraFrame | None = None
        self._hands: list[tuple[HandToDecode | None, int]] = []
        """How far the record is, and when this was heard, in milliseconds of the frames' clock: the frame in work may be older."""
        self._signals: list[GateEdge | KeyEdge] = []
        self.keep: Callable[[Pictures], None] = lambda _pictures: None
        """Takes pictures of a tile in doubt, of an event in a doubted record, of a violation, and of the last discard's place while only
        the decoder looks for that."""
        self._frames, self._costs_s, self._most_s = 0, (0.0, 0.0), 0.0
        """Frames of the hand, and their processor time in this thread: observed and decoded in all, and the most of one."""
        self._wants_frames = self._stopped = False
        self._pictures = HandPictures(observer.picture, decoding.lies_at)
        self._rivers = RiverPlaces(observer.picture, decoding.mat)
        self._next: tuple[Slot, ...] = ()
        """The next place of each river."""
        self._suspects = deque[tuple[int, ShownViolation]](maxlen=MOST_SUSPECTS)
        self._reviewed: dict[int, tuple[Mapping[int, AskedRecord], Suspects]] = {}
        """By deal, the pictures of hands that are being compared with their deals: of events, and of possible violations."""
        self._reviews = HandReviews(self._doubt, protect, self._compared)

    def start(self) -> None:
        super().start()
        self._reviews.start()

    def stop(self) -> None:
        """End after the frame being looked at; a slower decoder is abandoned, since nothing of it is stored."""
        self._whole_frames(None)
        with self._changed:
            self._stopped = True
            self._changed.notify()
        self.join(_STOP_S)
        self._reviews.stop()

    def take_record(self, hand: HandToDecode | None) -> None:
        """Set how far the table's record is; None: no hand to decode."""
        wants_frames = hand is not None and not hand.closed
        if wants_frames is not self._wants_frames:
            self._wants_frames = wants_frames
            self._whole_frames(self._show if wants_frames else None)
        with self._changed:
            self._hands.append((hand, time.monotonic_ns() // _MS_NS))
            self._changed.notify()

    def listening(self, post: Post) -> Post:
        """Wrap ``post`` for feeder and keys, so that their messages are heard here on the way to the table's queue."""

        def heard(message: Message) -> None:
            self._hear(message)
            post(message)

        return heard

    def _hear(self, message: Message) -> None:
        """Join messages of gates and keys with the frames; from any thread."""
        now_ms = time.monotonic_ns() // _MS_NS
        with self._changed:
            match message:
                case KeyPressed(place, key):
                    self._signals.append(KeyEdge(now_ms, place, key))
                case feeder_messages.Drawn(seat=gate, number=event) if gate < REAR_GATE:
                    self._signals.append(GateEdge(now_ms, gate, event=event))
                case feeder_messages.PutBack(seat=gate, number=event) if gate < REAR_GATE:
                    self._signals.append(GateEdge(now_ms, gate, back=True, event=event))

    def _keep_doubted(self, found: DoubtedTile, frame: CameraFrame) -> None:
        version, asked, shown = found.report.watch.version, found.report.asked, self._shown(found.place, frame)
        if shown is not None and version is not None and asked is not None:
            self.keep(DoubtedPlace(SlotQuestion(version.deal, version.events, asked), found.kinds, *shown))

    def _keep_last_discard(self, hand: HandToDecode, frame: CameraFrame) -> None:
        """Keep a picture of the place where the last discard is looked for, if the table's own reader looks at no slot."""
        watch = hand.last_discard
        if watch is None or watch.slots or watch.awaited.kind is not Awaits.LAST_DISCARD:
            return
        picture = self._observer.picture(frame, watch.in_river(hand.deal))
        if picture is not None:
            self.keep(ShownCall(hand.deal.n, TableSubject.MAT_DIFFERS, picture))

    def _accuse(self, seen: LocatedViolation, frame: CameraFrame) -> None:
        """Report a violation to the table; its place now is kept for the referee if it may be shown."""
        pictures = self._pictures_of(seen, frame)
        if pictures is not None:
            self.keep(pictures)
        self._post(seen.report)

    def _pictures_of(self, seen: LocatedViolation, frame: CameraFrame) -> ShownViolation | None:
        """The place of a violation now and before; None if it may not be shown."""
        shown = None if seen.place is None else self._shown(seen.place, frame)
        if shown is None:
            return None
        before, after = shown
        return ShownViolation(seen.report.n, seen.report.seat.value, seen.report.what, after=after, before=before)

    def _shown(self, place: PicturedPlace, frame: CameraFrame) -> tuple[bytes, bytes] | None:
        """Pictures of a place before its tile was laid and now; None if it may not be shown."""
        after = self._observer.picture(frame, place.near, place.at_mm)
        return None if after is None else (self._rivers.before(place.near, frame.exposure_end_ns // _MS_NS - place.lain_ms), after)

    def _show(self, frame: CameraFrame) -> None:
        with self._changed:
            self._frame = frame
            self._changed.notify()

    def run(self) -> None:
        while not self._stopped:
            with self._changed:
                self._changed.wait_for(lambda: self._stopped or self._hands or self._frame is not None)
                hands, self._hands = self._hands, []
                signals, self._signals = self._signals, []
                frame, self._frame = self._frame, None
            try:
                self._work(hands, signals, frame)
            except Exception as error:
                where = "".join(traceback.format_tb(error.__traceback__))
                log.error("the hand in play is not decoded any more (%s)\n%s", type(error).__name__, where)
                self._decoding.take_record(None)

    def _doubt(self, message: Message) -> None:
        """Report a doubted record; its pictures are kept before the table hears of it."""
        if isinstance(message, RecordDoubt) and message.n in self._reviewed:
            of_events, suspects = self._reviewed[message.n]
            pictures = of_events.get(message.number) if message.seat is None else picture_of(message, suspects)
            if pictures is not None:
                self.keep(pictures)
        self._post(message)

    def _compared(self, n: int) -> None:
        self._reviewed.pop(n, None)
        self._decoding.compared(n)

    def _work(self, hands: list[tuple[HandToDecode | None, int]], signals: list[GateEdge | KeyEdge], frame: CameraFrame | None) -> None:
        for hand, heard_ms in hands:
            self._follow(hand, heard_ms)
        for signal in signals:
            self._decoding.hear(signal)
        hand = self._decoding.hand
        if frame is None or hand is None:
            return
        began_s = time.thread_time()
        observation = self._observer.observe(frame, frame.exposure_end_ns // _MS_NS, hand.back)
        observed_s = time.thread_time()
        if observation is not None:
            found = self._decoding.see(observation)
            if isinstance(found, DoubtedTile):
                self._keep_doubted(found, frame)
                found = found.report
            for report in (found, self._decoding.call(), self._decoding.last_discard()):
                if report is not None:
                    self._post(report)
            for violation in self._decoding.violations():
                self._accuse(violation, frame)
        self._keep_last_discard(hand, frame)
        for suspect in self._decoding.suspicions():  # it may turn out to be a violation when the hand is over
            pictures = self._pictures_of(suspect, frame)
            if pictures is not None:
                self._suspects.append((len(hand.events), pictures))
        self._pictures.see(frame, hand)
        self._rivers.see(frame, frame.exposure_end_ns // _MS_NS, self._next)
        cost_s, decoded_s = time.thread_time() - began_s, time.thread_time() - observed_s
        self._frames, self._most_s = self._frames + 1, max(self._most_s, cost_s)
        self._costs_s = (self._costs_s[0] + cost_s - decoded_s, self._costs_s[1] + decoded_s)

    def _follow(self, hand: HandToDecode | None, heard_ms: int) -> None:
        """Take over how far the record is; at the end of a hand log the cost of its frames and begin its review."""
        known, suspects = self._decoding.hand, self._suspects
        review = self._decoding.take_record(hand, heard_ms)
        self._next = self._decoding.next_places()
        if known is None or self._decoding.hand is None or self._decoding.hand.deal.n != known.deal.n:
            self._rivers, self._suspects = RiverPlaces(self._observer.picture, self._decoding.mat), deque(maxlen=MOST_SUSPECTS)
        else:
            for slot in self._decoding.changed_places(len(known.events)):
                self._rivers.changed(slot)
        if self._decoding.hand is None and self._frames:
            each = [round(1000 * total_s / self._frames) for total_s in self._costs_s]
            most = 1000 * self._most_s
            log.info("%d frames were observed in %d ms and decoded in %d ms each, at most %.0f ms", self._frames, *each, most)
            self._frames, self._costs_s, self._most_s = 0, (0.0, 0.0), 0.0
        if review is not None:
            self._reviewed[review.hand.deal.n] = self._pictures.of(review.hand.deal.n), suspects
            self._reviews.begin(review)
