"""Thread of the decoder: turns whole frames of the table camera into mat observations and decodes the hand in play from them.

A frame that comes while another one is being looked at replaces the one that waits, so that what is decoded is never old. No frame is
kept, and observations leave this process for ``KeptObservations`` alone; what it tells the table's queue are discards that lie astray,
melds and hands that lie anywhere, and violations. A hand that is over goes to ``HandReviews``.
"""

import logging
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from typing import Protocol

from controller.adapters.cameras.camera_thread import Post
from controller.adapters.cameras.hand_pictures import HandPictures, RiverPlaces, SuspectPictures
from controller.adapters.cameras.hand_reviews import HandReviews, unprotected
from controller.recorder.at_table.reported_tiles import DoubtedTile, Report
from controller.recorder.at_table.table_decoding import LocatedViolation, TableDecoding
from controller.recorder.signals import GateEdge
from controller.state.keys import KeyPressed
from controller.state.messages import DiscardDecoded, ExposureDecoded, Message
from controller.state.questions import DoubtedPlace, Pictures, SlotQuestion
from controller.state.watches import Awaits, HandToDecode
from firmware_bridge import messages as wire
from firmware_bridge.messages import REAR_GATE
from twinwall.values import frozen
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
        """What a frame shows anywhere on the mat; None where the mat could not be placed."""

    def picture(self, frame: CameraFrame, slot: Slot, showing_mm: tuple[float, float] | None = None) -> bytes | None:
        """A slot and its neighbours as a JPEG file; None where the mat could not be placed, or that spot of it would not be shown."""


WholeFrames = Callable[[NotedFrame | None], None]
"""Hands each whole frame on, some a second, until it is called with None."""


@frozen
class FrameCost:
    """What the frames of a hand have cost this thread, in seconds of processor time: all of them, and the dearest."""

    frames: int = 0
    observed_s: float = 0.0
    decoded_s: float = 0.0
    most_s: float = 0.0

    def and_frame(self, observed_s: float, decoded_s: float) -> "FrameCost":
        """With one frame more."""
        most_s = max(self.most_s, observed_s + decoded_s)
        return FrameCost(self.frames + 1, self.observed_s + observed_s, self.decoded_s + decoded_s, most_s)

    def __str__(self) -> str:
        each = [round(1000 * seconds / max(1, self.frames)) for seconds in (self.observed_s, self.decoded_s)]
        return f"{self.frames} frames were observed in {each[0]} ms and decoded in {each[1]} ms each, at most {1000 * self.most_s:.0f} ms"


class DecodingThread(threading.Thread):
    """Decodes the hands of one table."""

    def __init__(
        self,
        decoding: TableDecoding,
        observer: MatObserver,
        whole_frames: WholeFrames,
        post: Post,
        protect: Callable[[], object] = unprotected,
    ) -> None:
        """``protect`` is what a process that is given a hand and its deal does first."""
        super().__init__(name="decoding", daemon=True)
        self._decoding, self._observer, self._whole_frames, self._post = decoding, observer, whole_frames, post
        self._changed = threading.Condition()
        self._frame: CameraFrame | None = None
        self._hands: list[tuple[HandToDecode | None, int]] = []
        """How far the record has come, and when this was heard, in milliseconds of the frames' clock: the frame that is looked at
        meanwhile may be older."""
        self._signals: list[GateEdge | KeyEdge] = []
        self.keep: Callable[[Pictures], None] = lambda _pictures: None
        """Takes what was seen of a tile in doubt, of an event whose record is doubted, of a violation, and of the place of the last discard
        while the decoder alone looks for that."""
        self._cost = FrameCost()
        self._wants_frames = self._stopped = False
        self._pictures = HandPictures(observer.picture, decoding.lies_at)
        self._rivers = RiverPlaces(observer.picture, decoding.mat)
        self._next: tuple[Slot, ...] = ()
        """The next place of each river."""
        self._suspects = SuspectPictures()
        self._reviewed: dict[int, tuple[Mapping[int, AskedRecord], SuspectPictures]] = {}
        """The pictures of the hands that are being compared with their deals, by deal: of their events, and of what may be violations."""
        self._reviews = HandReviews(self._doubt, protect, self._compared)

    def start(self) -> None:
        """Begin to work."""
        super().start()
        self._reviews.start()

    def stop(self) -> None:
        """End after the frame being looked at; a decoder that takes longer is left alone, since nothing of it is kept."""
        self._whole_frames(None)
        with self._changed:
            self._stopped = True
            self._changed.notify()
        self.join(_STOP_S)
        self._reviews.stop()

    def follow(self, hand: HandToDecode | None) -> None:
        """The table's record has come so far; None: no hand is to be decoded."""
        wants_frames = hand is not None and not hand.closed
        if wants_frames is not self._wants_frames:
            self._wants_frames = wants_frames
            self._whole_frames(self._show if wants_frames else None)
        with self._changed:
            self._hands.append((hand, time.monotonic_ns() // _MS_NS))
            self._changed.notify()

    def listening(self, post: Post) -> Post:
        """What feeder and keys post their messages with: they are heard here on their way to the table's queue."""

        def heard(message: Message) -> None:
            self._hear(message)
            post(message)

        return heard

    def _hear(self, message: Message) -> None:
        """What gates and keys tell is joined with the frames; from any thread."""
        now_ms = time.monotonic_ns() // _MS_NS
        with self._changed:
            match message:
                case KeyPressed(place, key):
                    self._signals.append(KeyEdge(now_ms, place, key))
                case wire.Drawn(seat=gate, number=event) if gate < REAR_GATE:
                    self._signals.append(GateEdge(now_ms, gate, event=event))
                case wire.PutBack(seat=gate, number=event) if gate < REAR_GATE:
                    self._signals.append(GateEdge(now_ms, gate, back=True, event=event))

    def _tell(self, found: Report | None, frame: CameraFrame | None = None) -> None:
        """Tell the table; of a tile in doubt the referee is shown where it lies, by the frame that was seen last."""
        match found:
            case DoubtedTile(report):
                if frame is not None:
                    self._keep_doubted(found, frame)
                self._post(report)
            case DiscardDecoded() | ExposureDecoded():
                self._post(found)
            case None:
                pass

    def _keep_doubted(self, found: DoubtedTile, frame: CameraFrame) -> None:
        version, picture = found.report.watch.version, self._observer.picture(frame, found.near, found.at_mm)
        if picture is not None and version is not None:
            before = self._rivers.before(found.near, frame.exposure_end_ns // _MS_NS - found.lain_ms)
            self.keep(DoubtedPlace(SlotQuestion(version.deal, version.events, found.asked), found.kinds, before, picture))

    def _keep_last_discard(self, hand: HandToDecode, frame: CameraFrame) -> None:
        """A picture of the place where the last discard is looked for, where the table's own reader looks at no slot."""
        watch = hand.last_discard
        if watch is None or watch.slots or watch.awaited.kind is not Awaits.LAST_DISCARD:
            return
        picture = self._observer.picture(frame, watch.in_river(hand.deal))
        if picture is not None:
            self.keep(ShownCall(hand.deal.n, TableSubject.MAT_DIFFERS, picture))

    def _accuse(self, seen: LocatedViolation, frame: CameraFrame) -> None:
        """Tell the table of a violation; the referee is shown its place now, where that is one of which pictures may be shown."""
        pictures = self._pictures_of(seen, frame)
        if pictures is not None:
            self.keep(pictures)
        self._post(seen.report)

    def _pictures_of(self, seen: LocatedViolation, frame: CameraFrame) -> ShownViolation | None:
        """The place of a violation now and from before; None where none may be shown."""
        picture = None if seen.near is None else self._observer.picture(frame, seen.near, seen.at_mm)
        if seen.near is None or picture is None:
            return None
        before = self._rivers.before(seen.near, frame.exposure_end_ns // _MS_NS - seen.lain_ms)
        return ShownViolation(seen.report.n, seen.report.seat.value, seen.report.what, after=picture, before=before)

    def _show(self, frame: CameraFrame) -> None:
        with self._changed:
            self._frame = frame
            self._changed.notify()

    def run(self) -> None:
        """Decode what has come, until the end."""
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
                self._decoding.follow(None)

    def _doubt(self, message: Message) -> None:
        """A hand's record is doubted: its pictures are kept before the table hears of it."""
        if isinstance(message, RecordDoubt) and message.n in self._reviewed:
            of_events, suspects = self._reviewed[message.n]
            pictures = of_events.get(message.number) if message.seat is None else suspects.of(message)
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
            self._tell(self._decoding.see(observation), frame)
            for report in (self._decoding.call(), self._decoding.last_discard()):
                if report is not None:
                    self._post(report)
            for violation in self._decoding.violations():
                self._accuse(violation, frame)
        self._keep_last_discard(hand, frame)
        for suspect in self._decoding.suspicions():  # it may turn out to be a violation when the hand is over
            pictures = self._pictures_of(suspect, frame)
            if pictures is not None:
                self._suspects.see(len(hand.events), pictures)
        self._pictures.see(frame, hand)
        self._rivers.see(frame, frame.exposure_end_ns // _MS_NS, self._next)
        self._cost = self._cost.and_frame(observed_s - began_s, time.thread_time() - observed_s)

    def _follow(self, hand: HandToDecode | None, heard_ms: int) -> None:
        """The record has come so far; at the end of a hand the log says what its frames have cost, and its review begins."""
        known, suspects = self._decoding.hand, self._suspects
        review = self._decoding.follow(hand, heard_ms)
        self._next = self._decoding.next_places()
        if known is None or self._decoding.hand is None or self._decoding.hand.deal.n != known.deal.n:
            self._rivers, self._suspects = RiverPlaces(self._observer.picture, self._decoding.mat), SuspectPictures()
        else:
            for slot in self._decoding.changed_places(len(known.events)):
                self._rivers.changed(slot)
        if self._decoding.hand is None and self._cost.frames:
            log.info("%s", self._cost)
            self._cost = FrameCost()
        if review is not None:
            self._reviewed[review.hand.deal.n] = self._pictures.of(review.hand.deal.n), suspects
            self._reviews.begin(review)
