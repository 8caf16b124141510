"""Thread of the decoders: it looks at the newest frame only, and while a hand is in play."""

import queue
import threading
import time
from collections.abc import Callable
from dataclasses import replace

import msgspec
import numpy as np
import pytest

from controller.adapters.cameras.decoding_thread import DecodingThread
from controller.recorder.at_table.hand_review import HandReview
from controller.recorder.at_table.reported_tiles import DoubtedTile, Report
from controller.recorder.at_table.table_decoding import LocatedViolation, TableDecoding
from controller.recorder.signals import GateEdge
from controller.state.decoding import HandToDecode
from controller.state.messages import CallDecoded, DiscardDecoded, LastDiscardDecoded, Message, ViolationDecoded
from controller.state.questions import DoubtedPlace, Pictures, SlotQuestion
from controller.state.watches import Awaited, Awaits, Watch, WatchVersion
from firmware_bridge.messages import Drawn, PutBack
from tests.controller.adapters.test_hand_reviews import Doubting, Suspected, doubt, suspicion
from tests.support.controller.game import walls_of
from tests.support.controller.rigs import opened
from tests.support.narrowed import present
from tests.support.patience import PATIENCE_S
from tests.support.wire.brokers import eventually
from twinwall.game.play_events import Claim, TileDiscarded, TileDrawn
from twinwall.game.rules import rule_set
from twinwall.game.tiles import Seat, Tile
from twinwall.wire.events.trouble_events import TableSubject
from twinwall.wire.messages.tile_question import AskedRecord, ShownCall, ShownViolation
from twinwall.wire.shapes.panel import KeyEdge
from vision.cameras.port import CameraFrame
from vision.mat import Area, Mat, Slot
from vision.mat_observation import MatObservation

AWAITED = Watch(Awaited(Awaits.DISCARD, Seat.EAST, 3), (), version=WatchVersion(1, 20, 1, 0))
ASKED = Watch(Awaited(Awaits.LAST_DISCARD, Seat.SOUTH, 7), (), version=WatchVersion(1, 20, 1, 0))
HAND = HandToDecode(opened(walls_of({})), 1, ())


BESIDE = (200.0, 200.0)
"""A spot of the mat that no picture shows."""
CALL = CallDecoded(1, 20, Seat.SOUTH, Claim.PUNG)


class InDoubt(TableDecoding):
    """Cannot tell the kind of a discard that lies by the eighth place of South's river, or at a certain spot."""

    at_mm: tuple[float, float] | None = None

    def see(self, observation: MatObservation) -> Report | None:
        near, kinds = Slot(1, Area.RIVER, 7), (Tile.WHITE, Tile.S8)
        return DoubtedTile(DiscardDecoded(AWAITED, None), Slot(0, Area.RIVER, 3), kinds, near, self.at_mm)


def _nobody(_message: Message) -> None:
    """Nothing is told in these tests."""


FRAME = CameraFrame(np.zeros((2, 2, 3), np.uint8), 0, 0)


class FakeWholeFrames:
    """The camera's thread as far as frames are asked of it."""

    def __init__(self) -> None:
        self.to: Callable[[CameraFrame], None] | None = None

    def whole_frames(self, to: Callable[[CameraFrame], None] | None) -> None:
        self.to = to

    def show(self, number: int) -> None:
        assert self.to is not None
        self.to(replace(FRAME, exposure_end_ns=number * 1_000_000))


class SlowObserver:
    """Looks at a frame for as long as the test wants; ``breaks_at`` is a frame at which it fails."""

    def __init__(self, breaks_at: int | None = None) -> None:
        self.seen: list[int] = []
        self._breaks_at = breaks_at
        self._begun, self._done = threading.Semaphore(0), threading.Semaphore(0)

    def observe(self, frame: CameraFrame, at_ms: int, back: int | None = None) -> MatObservation | None:
        self.seen.append(at_ms)
        self._begun.release()
        assert self._done.acquire(timeout=PATIENCE_S)
        if at_ms == self._breaks_at:
            raise ValueError("this frame cannot be read")
        return MatObservation(at_ms)

    def picture(self, frame: CameraFrame, slot: Slot, showing_mm: tuple[float, float] | None = None) -> bytes | None:
        if showing_mm == BESIDE:
            return None
        return b"\xff\xd8\xff " + str(slot).encode()

    def begun(self) -> None:
        assert self._begun.acquire(timeout=PATIENCE_S)

    def done(self) -> None:
        self._done.release()


def test_of_the_frames_that_come_while_one_is_looked_at_the_newest_alone_is_decoded() -> None:
    camera, observer = FakeWholeFrames(), SlowObserver()
    thread = DecodingThread(TableDecoding(rule_set("mcr-duplicate")), observer, camera, _nobody)
    thread.start()
    thread.follow(HAND)
    camera.show(1)
    observer.begun()
    for number in (2, 3, 4):
        camera.show(number)
    observer.done()
    observer.begun()
    observer.done()
    thread.stop()
    assert observer.seen == [1, 4]


def test_frames_are_asked_for_while_a_hand_is_in_play() -> None:
    camera = FakeWholeFrames()
    thread = DecodingThread(TableDecoding(rule_set("mcr-duplicate")), SlowObserver(), camera, _nobody)
    thread.start()
    assert camera.to is None
    thread.follow(HAND)
    assert camera.to is not None
    thread.follow(None)
    assert camera.to is None
    thread.stop()


def test_a_failure_ends_the_decoding_of_the_hand_and_not_the_thread() -> None:
    camera, observer = FakeWholeFrames(), SlowObserver(breaks_at=1)
    thread = DecodingThread(TableDecoding(rule_set("mcr-duplicate")), observer, camera, _nobody)
    thread.start()
    thread.follow(HAND)
    camera.show(1)
    observer.begun()
    observer.done()
    thread.follow(HandToDecode(opened(walls_of({}), n=2), 2, ()))
    camera.show(2)
    observer.begun()
    observer.done()
    thread.stop()
    assert observer.seen == [1, 2]


class Noting(TableDecoding):
    """Notes when it is said that the record had come so far."""

    said_ms: tuple[int | None, ...] = ()

    def follow(self, hand: HandToDecode | None, now_ms: int | None = None) -> HandReview | None:
        self.said_ms += (now_ms,)
        return super().follow(hand, now_ms)


def test_the_record_counts_from_when_it_came_and_not_from_when_the_frame_before_was_looked_at() -> None:
    camera, observer, decoding = FakeWholeFrames(), SlowObserver(), Noting(rule_set("mcr-duplicate"))
    thread = DecodingThread(decoding, observer, camera, _nobody)
    thread.start()
    thread.follow(HAND)
    camera.show(1)
    observer.begun()
    from_ms = time.monotonic_ns() // 1_000_000
    thread.follow(replace(HAND, events=(TileDrawn(Seat.EAST),)))
    to_ms = time.monotonic_ns() // 1_000_000
    camera.show(2)
    observer.done()
    observer.begun()
    observer.done()
    thread.stop()
    said_ms = present(decoding.said_ms[1])
    assert from_ms <= said_ms <= to_ms


class Over(TableDecoding):
    """Has each hand that is over compared with its deal, of which nothing was seen; ``ended`` are the deals of those that were."""

    ended: tuple[int, ...] = ()

    def follow(self, hand: HandToDecode | None, now_ms: int | None = None) -> HandReview | None:
        return None if hand is None or not hand.closed else HandReview(rule_set("mcr-duplicate"), Mat(), hand, ())

    def compared(self, n: int) -> None:
        self.ended += (n,)


@pytest.mark.slow
def test_a_hand_that_is_over_is_compared_with_its_deal_and_the_log_does_not_tell_the_outcome(caplog: pytest.LogCaptureFixture) -> None:
    decoding = Over(rule_set("mcr-duplicate"))
    thread = DecodingThread(decoding, SlowObserver(), FakeWholeFrames(), _nobody)
    with caplog.at_level("DEBUG", "controller"):
        thread.start()
        thread.follow(replace(HAND, closed=True))
        eventually(lambda: decoding.ended == (1,), "it is compared, and what was kept of it is not needed any more")
        thread.stop()
    assert caplog.text == ""


class Hearing(TableDecoding):
    """Notes the edges and keys of which it is told."""

    def __init__(self) -> None:
        super().__init__(rule_set("mcr-duplicate"))
        self.edges = queue.SimpleQueue[GateEdge | KeyEdge]()

    def hear(self, signal: GateEdge | KeyEdge) -> None:
        self.edges.put(signal)


def test_an_edge_has_the_number_under_which_the_feeder_tells_of_it() -> None:
    decoding, posted = Hearing(), queue.SimpleQueue[Message]()
    thread = DecodingThread(decoding, SlowObserver(), FakeWholeFrames(), _nobody)
    post = thread.listening(posted.put)
    post(Drawn(2, 41))
    post(PutBack(2, 42))
    thread.start()
    thread.follow(HAND)
    edges = [decoding.edges.get(timeout=PATIENCE_S) for _ in range(2)]
    thread.stop()
    assert [msgspec.structs.replace(edge, at_ms=0) for edge in edges] == [GateEdge(0, 2, event=41), GateEdge(0, 2, back=True, event=42)]
    assert [posted.get(timeout=PATIENCE_S) for _ in range(2)] == [Drawn(2, 41), PutBack(2, 42)]


def one_frame_seen(decoding: TableDecoding, observer: SlowObserver, told: queue.SimpleQueue[Pictures | Message]) -> DecodingThread:
    """A thread that has looked at one frame of a hand; what it keeps and posts goes to ``told``."""
    camera = FakeWholeFrames()
    thread = DecodingThread(decoding, observer, camera, told.put)
    thread.keep = told.put
    thread.start()
    thread.follow(HAND)
    camera.show(1)
    observer.begun()
    observer.done()
    return thread


def test_of_a_discard_in_doubt_the_place_where_it_lies_is_kept_before_the_table_hears_of_it() -> None:
    observer, told = SlowObserver(), queue.SimpleQueue[Pictures | Message]()
    thread = one_frame_seen(InDoubt(rule_set("mcr-duplicate")), observer, told)
    first, second = (told.get(timeout=PATIENCE_S) for _ in range(2))
    thread.stop()
    question = SlotQuestion(1, 20, Slot(0, Area.RIVER, 3))
    assert first == DoubtedPlace(question, (Tile.WHITE, Tile.S8), b"", observer.picture(FRAME, Slot(1, Area.RIVER, 7)) or b"")
    assert second == DiscardDecoded(AWAITED, None)


class InDoubtLater(InDoubt):
    """Cannot tell it at the second frame, one second after the first; it came to lie there ``lain_ms`` before."""

    frames, lain_ms = 0, 200

    def see(self, observation: MatObservation) -> Report | None:
        self.frames += 1
        found = super().see(observation)
        return replace(found, lain_ms=self.lain_ms) if isinstance(found, DoubtedTile) and self.frames == 2 else None

    def next_places(self) -> tuple[Slot, ...]:
        return (Slot(1, Area.RIVER, 7),)


def two_frames_seen(thread: DecodingThread, camera: FakeWholeFrames, observer: SlowObserver) -> None:
    """The hand is followed, and two frames are looked at that were taken a second apart."""
    thread.start()
    thread.follow(HAND)
    for at_ms in (1, 1001):
        camera.show(at_ms)
        observer.begun()
        observer.done()


@pytest.mark.parametrize("lain_ms", [200, 800], ids=["laid after the first frame", "laid hardly after it"])
def test_of_a_discard_off_its_slot_the_place_where_it_lies_is_shown_from_before_as_well(lain_ms: int) -> None:
    decoding, camera, observer = InDoubtLater(rule_set("mcr-duplicate")), FakeWholeFrames(), SlowObserver()
    decoding.lain_ms = lain_ms
    told = queue.SimpleQueue[Pictures | Message]()
    thread = DecodingThread(decoding, observer, camera, told.put)
    thread.keep = told.put
    two_frames_seen(thread, camera, observer)
    doubted = told.get(timeout=PATIENCE_S)
    thread.stop()
    picture = observer.picture(FRAME, Slot(1, Area.RIVER, 7))
    assert isinstance(doubted, DoubtedPlace)
    assert (doubted.before, doubted.after) == (picture if lain_ms == 200 else b"", picture)


def test_of_a_tile_that_the_picture_would_not_show_no_picture_is_kept() -> None:
    decoding, told = InDoubt(rule_set("mcr-duplicate")), queue.SimpleQueue[Pictures | Message]()
    decoding.at_mm = BESIDE
    thread = one_frame_seen(decoding, SlowObserver(), told)
    assert told.get(timeout=PATIENCE_S) == DiscardDecoded(AWAITED, None)
    thread.stop()


class Calling(TableDecoding):
    """Is certain of a call in the first frame."""

    def call(self) -> CallDecoded | None:
        return CALL


def test_a_call_without_a_key_is_told_to_the_table() -> None:
    told = queue.SimpleQueue[Pictures | Message]()
    thread = one_frame_seen(Calling(rule_set("mcr-duplicate")), SlowObserver(), told)
    assert told.get(timeout=PATIENCE_S) == CALL
    thread.stop()


class Finding(TableDecoding):
    """Finds the last discard in the first frame."""

    def last_discard(self) -> LastDiscardDecoded | None:
        return LastDiscardDecoded(ASKED)


def test_a_last_discard_that_is_found_after_a_start_is_told_to_the_table() -> None:
    told = queue.SimpleQueue[Pictures | Message]()
    thread = one_frame_seen(Finding(rule_set("mcr-duplicate")), SlowObserver(), told)
    assert told.get(timeout=PATIENCE_S) == LastDiscardDecoded(ASKED)
    thread.stop()


@pytest.mark.parametrize("watch", [ASKED, replace(ASKED, slots=(Slot(1, Area.RIVER, 7),))], ids=["no slot", "a slot"])
def test_the_place_of_the_last_discard_is_kept_while_no_slot_of_it_is_looked_at(watch: Watch) -> None:
    """Where the table's own reader looks at its slot, that keeps the picture."""
    camera, observer, kept = FakeWholeFrames(), SlowObserver(), queue.SimpleQueue[Pictures]()
    thread = DecodingThread(TableDecoding(rule_set("mcr-duplicate")), observer, camera, _nobody)
    thread.keep = kept.put
    thread.start()
    thread.follow(replace(HAND, last_discard=watch))
    camera.show(1)
    observer.begun()
    observer.done()
    thread.stop()
    place = observer.picture(FRAME, Slot(HAND.deal.place(Seat.SOUTH), Area.RIVER, 7)) or b""
    assert [kept.get() for _ in range(kept.qsize())] == [ShownCall(1, TableSubject.MAT_DIFFERS, place)] * (not watch.slots)


class Accusing(TableDecoding):
    """Is certain of two violations: tiles that lie in the river of South, where a picture shows them or not, and a second draw."""

    at_mm: tuple[float, float] | None = (0.0, 0.0)

    def violations(self) -> tuple[LocatedViolation, ...]:
        return LocatedViolation(TWICE, Slot(1, Area.RIVER, 7), self.at_mm), LocatedViolation(DREW_TWICE)


TWICE = ViolationDecoded(1, Seat.SOUTH, "discarded-twice", "a seat discards one tile a turn")
DREW_TWICE = ViolationDecoded(1, Seat.SOUTH, "drew-twice", "a seat draws one tile a turn")


def accused(decoding: Accusing) -> tuple[list[Pictures | Message], SlowObserver]:
    """What is kept and told of a frame, in that order, by a thread that decodes so."""
    observer, camera, told = SlowObserver(), FakeWholeFrames(), queue.SimpleQueue[Pictures | Message]()
    thread = DecodingThread(decoding, observer, camera, told.put)
    thread.keep = told.put
    thread.start()
    thread.follow(HAND)
    camera.show(1)
    observer.begun()
    observer.done()
    found = [told.get(timeout=PATIENCE_S)]
    while found[-1] != DREW_TWICE:
        found.append(told.get(timeout=PATIENCE_S))
    thread.stop()
    return found, observer


def test_of_a_violation_the_place_of_its_tile_is_kept_before_the_table_hears_of_it_and_of_a_draw_there_is_none() -> None:
    found, observer = accused(Accusing(rule_set("mcr-duplicate")))
    picture = observer.picture(FRAME, Slot(1, Area.RIVER, 7)) or b""
    assert found == [ShownViolation(1, "S", "discarded-twice", after=picture), TWICE, DREW_TWICE]


class AccusingLater(Accusing):
    """Is certain of them at the second frame, one second after the first; the place was the next one of South's river before."""

    frames = 0

    def see(self, observation: MatObservation) -> Report | None:
        self.frames += 1
        return None

    def next_places(self) -> tuple[Slot, ...]:
        return (Slot(1, Area.RIVER, 7),)

    def violations(self) -> tuple[LocatedViolation, ...]:
        seen = super().violations() if self.frames == 2 else ()
        return tuple(replace(each, lain_ms=200) for each in seen)


def test_the_place_of_a_violation_is_shown_from_before_where_it_was_the_next_of_its_river() -> None:
    observer, camera, told = SlowObserver(), FakeWholeFrames(), queue.SimpleQueue[Pictures | Message]()
    thread = DecodingThread(AccusingLater(rule_set("mcr-duplicate")), observer, camera, told.put)
    thread.keep = told.put
    two_frames_seen(thread, camera, observer)
    pictures = told.get(timeout=PATIENCE_S)
    thread.stop()
    assert isinstance(pictures, ShownViolation)
    assert pictures.before == observer.picture(FRAME, Slot(1, Area.RIVER, 7))


def test_of_a_violation_whose_tile_no_picture_would_show_none_is_kept() -> None:
    decoding = Accusing(rule_set("mcr-duplicate"))
    decoding.at_mm = BESIDE
    assert accused(decoding)[0] == [TWICE, DREW_TWICE]


class Doubted(Over):
    """Has a hand compared whose record is doubted from its third event on, a discard of East."""

    hand = replace(HAND, awaited=AWAITED, events=(TileDrawn(Seat.EAST), TileDrawn(Seat.EAST)))

    def follow(self, hand: HandToDecode | None, now_ms: int | None = None) -> HandReview | None:
        self.hand = hand or self.hand
        return None if hand is None or not hand.closed else Doubting(rule_set("mcr-duplicate"), Mat(), hand, ())

    @property
    def follows(self) -> bool:
        return True


@pytest.mark.slow
def test_pictures_of_an_event_whose_record_is_doubted_are_kept_before_the_table_hears_of_it() -> None:
    camera, observer, told = FakeWholeFrames(), SlowObserver(), queue.SimpleQueue[Pictures | Message]()
    thread = DecodingThread(Doubted(rule_set("mcr-duplicate")), observer, camera, told.put)
    thread.keep = told.put
    thread.start()
    laid = replace(HAND, events=(TileDrawn(Seat.EAST), TileDrawn(Seat.EAST), TileDiscarded(Seat.EAST, Tile.S5)))
    for number, hand in enumerate((Doubted.hand, laid)):
        thread.follow(hand)
        camera.show(number)
        observer.begun()
        observer.done()
    thread.follow(replace(laid, closed=True))
    first, second = (told.get(timeout=PATIENCE_S) for _ in range(2))
    thread.stop()
    assert isinstance(first, AskedRecord)
    assert (first.n, first.number) == (1, 3)
    assert first.before == first.after == observer.picture(FRAME, Slot(0, Area.RIVER, 3))
    assert second == doubt(1)


class Suspecting(Over):
    """Suspects in the first frame that West has laid a tile open, and asks about it when the hand is over."""

    hand = replace(HAND, events=(TileDrawn(Seat.EAST), TileDrawn(Seat.EAST)))

    def follow(self, hand: HandToDecode | None, now_ms: int | None = None) -> HandReview | None:
        return None if hand is None or not hand.closed else Suspected(rule_set("mcr-duplicate"), Mat(), hand, ())

    @property
    def follows(self) -> bool:
        return True

    def suspicions(self) -> tuple[LocatedViolation, ...]:
        told = ViolationDecoded(1, Seat.WEST, "exposed-tiles", "rule")
        return LocatedViolation(told, Slot(1, Area.RIVER, 7), (0.0, 0.0)), LocatedViolation(replace(told, what="drew-twice"))


@pytest.mark.slow
def test_pictures_of_what_may_be_a_violation_go_with_the_question_about_it_and_the_table_is_told_nothing_before() -> None:
    camera, observer, told = FakeWholeFrames(), SlowObserver(), queue.SimpleQueue[Pictures | Message]()
    thread = DecodingThread(Suspecting(rule_set("mcr-duplicate")), observer, camera, told.put)
    thread.keep = told.put
    thread.start()
    thread.follow(Suspecting.hand)
    camera.show(1)
    observer.begun()
    observer.done()
    thread.follow(replace(Suspecting.hand, closed=True))
    first, second = (told.get(timeout=PATIENCE_S) for _ in range(2))
    thread.stop()
    assert first == AskedRecord(1, 3, after=observer.picture(FRAME, Slot(1, Area.RIVER, 7)) or b"", seat="W")
    assert second == suspicion(1)
