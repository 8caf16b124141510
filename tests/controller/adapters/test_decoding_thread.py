"""Thread of the decoders: it looks at the newest frame only, and while a hand is in play."""

import queue
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Self

import msgspec
import numpy as np
import pytest

from controller.adapters.cameras.decoding_thread import DecodingThread
from controller.recorder.at_table.followed_hand import HandReview
from controller.recorder.at_table.reported_tiles import DoubtedTile, PicturedPlace, Report
from controller.recorder.at_table.table_decoding import LocatedViolation, TableDecoding
from controller.recorder.signals import GateEdge
from controller.state.messages import CallDecoded, Message, TilesDecoded, ViolationDecoded
from controller.state.questions import DoubtedPlace, Pictures, SlotQuestion
from controller.state.watches import Awaited, Awaits, HandToDecode, Watch, WatchVersion
from firmware_bridge.messages import Drawn, PutBack
from tests.controller.adapters.test_hand_reviews import Doubting, Suspected, doubt, suspicion
from tests.support.controller.game import walls_of
from tests.support.controller.rigs import opened
from tests.support.narrowed import of_type, present
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


NEAR = Slot(1, Area.RIVER, 7)
BESIDE = (200.0, 200.0)
"""A spot of the mat that no picture shows."""
CALL = CallDecoded(1, 20, Seat.SOUTH, Claim.PUNG)
FOUND = TilesDecoded(ASKED, TileDiscarded(Seat.SOUTH, Tile.WHITE))
DOUBTED = TilesDecoded(AWAITED, None, asked=Slot(0, Area.RIVER, 3))


class InDoubt(TableDecoding):
    """Cannot tell the kind of a discard that lies by the eighth place of South's river, or at a certain spot."""

    at_mm: tuple[float, float] | None = None

    def see(self, observation: MatObservation) -> Report | None:
        kinds = (Tile.WHITE, Tile.S8)
        return DoubtedTile(DOUBTED, kinds, PicturedPlace(NEAR, self.at_mm))


class Bench:
    """A decoding thread with its camera, and what it has kept and posted, in that order; it looks at a frame for as long as the test wants.
    ``breaks_at`` is a frame at which it fails."""

    def __init__(self, decoding: type[TableDecoding] = TableDecoding, breaks_at: int | None = None) -> None:
        self.decoding, self._breaks_at = decoding(rule_set("mcr-duplicate")), breaks_at
        self.told = queue.SimpleQueue[Pictures | Message]()
        self.to: Callable[[CameraFrame], None] | None = None
        self.seen: list[int] = []
        self._begun, self._done = threading.Semaphore(0), threading.Semaphore(0)
        self.thread = DecodingThread(self.decoding, self, self.whole_frames, self.told.put)
        self.thread.keep = self.told.put

    def __enter__(self) -> Self:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.thread.stop()

    def whole_frames(self, to: Callable[[CameraFrame], None] | None) -> None:
        self.to = to

    def observe(self, frame: CameraFrame, at_ms: int, back: int | None = None) -> MatObservation | None:
        self.seen.append(at_ms)
        self._begun.release()
        assert self._done.acquire(timeout=PATIENCE_S)
        if at_ms == self._breaks_at:
            raise ValueError("this frame cannot be read")
        return MatObservation(at_ms)

    def picture(self, frame: CameraFrame, slot: Slot, showing_mm: tuple[float, float] | None = None) -> bytes | None:
        return None if showing_mm == BESIDE else picture_of(slot)

    def show(self, number: int) -> None:
        """A frame comes."""
        assert self.to is not None
        self.to(CameraFrame(np.zeros((2, 2, 3), np.uint8), 0, number * 1_000_000))

    def begun(self) -> None:
        """Until it looks at a frame."""
        assert self._begun.acquire(timeout=PATIENCE_S)

    def done(self) -> None:
        self._done.release()

    def look(self, *frames: int, hand: HandToDecode = HAND) -> Self:
        """The hand is followed, and these frames are looked at, each of its millisecond."""
        self.thread.take_record(hand)
        for number in frames:
            self.show(number)
            self.begun()
            self.done()
        return self

    def next(self) -> Pictures | Message:
        """What it has kept or posted next."""
        return self.told.get(timeout=PATIENCE_S)


def picture_of(slot: Slot) -> bytes:
    return b"\xff\xd8\xff " + str(slot).encode()


def test_of_the_frames_that_come_while_one_is_looked_at_the_newest_alone_is_decoded() -> None:
    with Bench() as bench:
        bench.look()
        bench.show(1)
        bench.begun()
        for number in (2, 3, 4):
            bench.show(number)
        bench.done()
        bench.begun()
        bench.done()
    assert bench.seen == [1, 4]


def test_frames_are_asked_for_while_a_hand_is_in_play() -> None:
    with Bench() as bench:
        asked = [bench.to is not None]
        for hand in (HAND, None):
            bench.thread.take_record(hand)
            asked.append(bench.to is not None)
    assert asked == [False, True, False]


def test_a_failure_ends_the_decoding_of_the_hand_and_not_the_thread() -> None:
    with Bench(breaks_at=1) as bench:
        bench.look(1).look(2, hand=HandToDecode(opened(walls_of({}), n=2), 2, ()))
    assert bench.seen == [1, 2]


class Noting(TableDecoding):
    """Notes when it is said that the record had come so far."""

    said_ms: tuple[int | None, ...] = ()

    def take_record(self, hand: HandToDecode | None, now_ms: int | None = None) -> HandReview | None:
        self.said_ms += (now_ms,)
        return super().take_record(hand, now_ms)


def test_the_record_counts_from_when_it_came_and_not_from_when_the_frame_before_was_looked_at() -> None:
    with Bench(Noting) as bench:
        bench.look()
        bench.show(1)
        bench.begun()
        from_ms = time.monotonic_ns() // 1_000_000
        bench.thread.take_record(replace(HAND, events=(TileDrawn(Seat.EAST),)))
        to_ms = time.monotonic_ns() // 1_000_000
        bench.show(2)
        bench.done()
        bench.begun()
        bench.done()
    assert from_ms <= present(of_type(Noting, bench.decoding).said_ms[1]) <= to_ms


class Over(TableDecoding):
    """Has each hand that is over compared with its deal, of which nothing was seen; ``ended`` are the deals of those that were."""

    ended: tuple[int, ...] = ()

    def take_record(self, hand: HandToDecode | None, now_ms: int | None = None) -> HandReview | None:
        return None if hand is None or not hand.closed else HandReview(rule_set("mcr-duplicate"), Mat(), hand, ())

    def compared(self, n: int) -> None:
        self.ended += (n,)


@pytest.mark.slow
def test_a_hand_that_is_over_is_compared_with_its_deal_and_the_log_does_not_tell_the_outcome(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("DEBUG", "controller"), Bench(Over) as bench:
        decoding = of_type(Over, bench.decoding)
        bench.thread.take_record(replace(HAND, closed=True))
        eventually(lambda: decoding.ended == (1,), "it is compared, and what was kept of it is not needed any more")
    assert caplog.text == ""


class Hearing(TableDecoding):
    """Notes the edges and keys of which it is told."""

    edges = queue.SimpleQueue[GateEdge | KeyEdge]()

    def hear(self, signal: GateEdge | KeyEdge) -> None:
        self.edges.put(signal)


def test_an_edge_has_the_number_under_which_the_feeder_tells_of_it() -> None:
    bench, posted = Bench(Hearing), queue.SimpleQueue[Message]()
    post = bench.thread.listening(posted.put)
    post(Drawn(2, 41))
    post(PutBack(2, 42))
    with bench:
        bench.look()
        edges = [Hearing.edges.get(timeout=PATIENCE_S) for _ in range(2)]
    assert [msgspec.structs.replace(edge, at_ms=0) for edge in edges] == [GateEdge(0, 2, event=41), GateEdge(0, 2, back=True, event=42)]
    assert [posted.get(timeout=PATIENCE_S) for _ in range(2)] == [Drawn(2, 41), PutBack(2, 42)]


def test_of_a_discard_in_doubt_the_place_where_it_lies_is_kept_before_the_table_hears_of_it() -> None:
    with Bench(InDoubt) as bench:
        first, second = (bench.look(1).next(), bench.next())
    assert first == DoubtedPlace(SlotQuestion(1, 20, Slot(0, Area.RIVER, 3)), (Tile.WHITE, Tile.S8), b"", picture_of(NEAR))
    assert second == DOUBTED


class InDoubtLater(InDoubt):
    """Cannot tell it at the second frame, one second after the first; it came to lie there ``lain_ms`` before."""

    frames, lain_ms = 0, 200

    def see(self, observation: MatObservation) -> Report | None:
        self.frames += 1
        found = super().see(observation)
        return (
            replace(found, place=PicturedPlace(NEAR, lain_ms=self.lain_ms)) if isinstance(found, DoubtedTile) and self.frames == 2 else None
        )

    def next_places(self) -> tuple[Slot, ...]:
        return (NEAR,)


@pytest.mark.parametrize("lain_ms", [200, 800], ids=["laid after the first frame", "laid hardly after it"])
def test_of_a_discard_off_its_slot_the_place_where_it_lies_is_shown_from_before_as_well(lain_ms: int) -> None:
    with Bench(InDoubtLater) as bench:
        of_type(InDoubtLater, bench.decoding).lain_ms = lain_ms
        doubted = of_type(DoubtedPlace, bench.look(1, 1001).next())
    assert (doubted.before, doubted.after) == (picture_of(NEAR) if lain_ms == 200 else b"", picture_of(NEAR))


def test_of_a_tile_that_the_picture_would_not_show_no_picture_is_kept() -> None:
    with Bench(InDoubt) as bench:
        of_type(InDoubt, bench.decoding).at_mm = BESIDE
        assert bench.look(1).next() == DOUBTED


class Certain(TableDecoding):
    """Is certain of a call and finds the last discard in the first frame."""

    def call(self) -> CallDecoded | None:
        return CALL

    def last_discard(self) -> TilesDecoded | None:
        return FOUND


def test_a_call_without_a_key_and_a_last_discard_that_is_found_after_a_start_are_told_to_the_table() -> None:
    with Bench(Certain) as bench:
        assert [bench.look(1).next(), bench.next()] == [CALL, FOUND]


@pytest.mark.parametrize("watch", [ASKED, replace(ASKED, slots=(Slot(1, Area.RIVER, 7),))], ids=["no slot", "a slot"])
def test_the_place_of_the_last_discard_is_kept_while_no_slot_of_it_is_looked_at(watch: Watch) -> None:
    """Where the table's own reader looks at its slot, that keeps the picture."""
    with Bench() as bench:
        bench.look(1, hand=replace(HAND, last_discard=watch))
    kept = [bench.next() for _ in range(bench.told.qsize())]
    place = picture_of(Slot(HAND.deal.place(Seat.SOUTH), Area.RIVER, 7))
    assert kept == [ShownCall(1, TableSubject.MAT_DIFFERS, place)] * (not watch.slots)


class Accusing(TableDecoding):
    """Is certain of two violations: tiles that lie in the river of South, where a picture shows them or not, and a second draw."""

    at_mm: tuple[float, float] | None = (0.0, 0.0)

    def violations(self) -> tuple[LocatedViolation, ...]:
        return LocatedViolation(TWICE, PicturedPlace(NEAR, self.at_mm)), LocatedViolation(DREW_TWICE)


TWICE = ViolationDecoded(1, Seat.SOUTH, "discarded-twice", "a seat discards one tile a turn")
DREW_TWICE = ViolationDecoded(1, Seat.SOUTH, "drew-twice", "a seat draws one tile a turn")


@pytest.mark.parametrize("at_mm", [(0.0, 0.0), BESIDE], ids=["a picture shows the tile", "no picture would show it"])
def test_the_place_of_a_violations_tile_is_kept_before_the_table_hears_of_it_and_none_of_a_draw(at_mm: tuple[float, float]) -> None:
    with Bench(Accusing) as bench:
        of_type(Accusing, bench.decoding).at_mm = at_mm
        found = [bench.look(1).next()]
        while found[-1] != DREW_TWICE:
            found.append(bench.next())
    shown = [ShownViolation(1, "S", "discarded-twice", after=picture_of(NEAR))]
    assert found == [*shown[: at_mm != BESIDE], TWICE, DREW_TWICE]


class AccusingLater(TableDecoding):
    """Is certain of one at the second frame, one second after the first; the place was the next one of South's river before."""

    frames = 0

    def see(self, observation: MatObservation) -> Report | None:
        self.frames += 1
        return None

    def next_places(self) -> tuple[Slot, ...]:
        return (NEAR,)

    def violations(self) -> tuple[LocatedViolation, ...]:
        return (LocatedViolation(TWICE, PicturedPlace(NEAR, lain_ms=200)),) if self.frames == 2 else ()


def test_the_place_of_a_violation_is_shown_from_before_where_it_was_the_next_of_its_river() -> None:
    with Bench(AccusingLater) as bench:
        assert of_type(ShownViolation, bench.look(1, 1001).next()).before == picture_of(NEAR)


class Doubted(Over):
    """Has a hand compared whose record is doubted from its third event on, a discard of East."""

    hand = replace(HAND, awaited=AWAITED, events=(TileDrawn(Seat.EAST), TileDrawn(Seat.EAST)))

    def take_record(self, hand: HandToDecode | None, now_ms: int | None = None) -> HandReview | None:
        self.hand = hand or self.hand
        return None if hand is None or not hand.closed else Doubting(rule_set("mcr-duplicate"), Mat(), hand, ())

    @property
    def follows(self) -> bool:
        return True


@pytest.mark.slow
def test_pictures_of_an_event_whose_record_is_doubted_are_kept_before_the_table_hears_of_it() -> None:
    laid = replace(HAND, events=(TileDrawn(Seat.EAST), TileDrawn(Seat.EAST), TileDiscarded(Seat.EAST, Tile.S5)))
    with Bench(Doubted) as bench:
        bench.look(0, hand=Doubted.hand).look(1, hand=laid).look(hand=replace(laid, closed=True))
        first, second = of_type(AskedRecord, bench.next()), bench.next()
    assert (first.n, first.number) == (1, 3)
    assert first.before == first.after == picture_of(Slot(0, Area.RIVER, 3))
    assert second == doubt(1)


class Suspecting(Over):
    """Suspects in the first frame that West has laid a tile open, and asks about it when the hand is over."""

    hand = replace(HAND, events=(TileDrawn(Seat.EAST), TileDrawn(Seat.EAST)))

    def take_record(self, hand: HandToDecode | None, now_ms: int | None = None) -> HandReview | None:
        return None if hand is None or not hand.closed else Suspected(rule_set("mcr-duplicate"), Mat(), hand, ())

    @property
    def follows(self) -> bool:
        return True

    def suspicions(self) -> tuple[LocatedViolation, ...]:
        told = ViolationDecoded(1, Seat.WEST, "exposed-tiles", "rule")
        return LocatedViolation(told, PicturedPlace(NEAR, (0.0, 0.0))), LocatedViolation(replace(told, what="drew-twice"))


@pytest.mark.slow
def test_pictures_of_what_may_be_a_violation_go_with_the_question_about_it_and_the_table_is_told_nothing_before() -> None:
    with Bench(Suspecting) as bench:
        bench.look(1, hand=Suspecting.hand).look(hand=replace(Suspecting.hand, closed=True))
        first, second = bench.next(), bench.next()
    assert first == AskedRecord(1, 3, after=picture_of(NEAR), seat="W")
    assert second == suspicion(1)
