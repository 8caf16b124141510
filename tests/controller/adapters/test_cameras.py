"""Table camera worker: few slots are read while nothing happens, and only what a whole frame has shown is reported."""

import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import pytest

from controller.adapters.cameras.table_camera import (
    HIDDEN_FRAMES_TO_GIVE_UP,
    OBSERVED_EVERY_NS,
    UNPLACED_FRAMES,
    WHOLE_FRAME_NS,
    TableCameraWorker,
)
from controller.state.messages import Message, PartFound, PartLost, SlotsSeen
from controller.state.questions import DoubtedPlace, Pictures
from controller.state.watches import Awaited, Awaits, Watch, WatchVersion
from simulator.cameras.table import TableCamera
from simulator.scene import LaidTile, TableScene
from tests.support.narrowed import of_type
from tests.support.patience import PATIENCE_S
from tests.support.vision.pictures import MatPicture
from twinwall.art.designs import Flower
from twinwall.game.tiles import Seat, Tile, parse_tiles
from twinwall.wire.events.trouble_events import TableSubject
from twinwall.wire.messages.commands import CameraCondition
from twinwall.wire.messages.tile_question import ShownCall
from vision.cameras.port import CameraFrame, Region
from vision.mat import Area, Mat, Slot
from vision.model.classifier import Classifier
from vision.table.table_reader import TableReader

pytestmark = pytest.mark.slow

MAT = Mat()
SLOT = Slot(1, Area.RIVER, 4)
WATCH = Watch(Awaited(Awaits.DISCARD, Seat.SOUTH, 4), (SLOT,))


@dataclass
class PictureCamera:
    """Shows a drawn mat, whole or cut, and from some frame on another one; every frame is ``step_ns`` later than the one before."""

    mat: MatPicture
    cuts: bool = True
    step_ns: int = 1_000_000
    now_ns: int = 0
    asked: list[Region | None] = field(default_factory=list)
    taken_ns: list[int] = field(default_factory=list)
    then: tuple[int, MatPicture] | None = None
    changed: threading.Condition = field(default_factory=threading.Condition)

    def frame_after(self, moment_ns: int, region: Region | None = None) -> CameraFrame:
        self.now_ns = max(moment_ns, self.now_ns) + self.step_ns
        with self.changed:
            self.asked.append(region)
            self.taken_ns.append(self.now_ns)
            self.changed.notify_all()
        if self.then is not None and len(self.asked) > self.then[0]:
            self.mat = self.then[1]
        image = self.mat.picture
        if region is None or not self.cuts:
            return CameraFrame(image, self.now_ns - 1, self.now_ns)
        cut = image[region.top : region.top + region.height, region.left : region.left + region.width]
        return CameraFrame(np.ascontiguousarray(cut), self.now_ns - 1, self.now_ns, region)

    def close(self) -> None:
        pass

    def wait_for(self, count: int) -> None:
        with self.changed:
            assert self.changed.wait_for(lambda: len(self.asked) >= count, PATIENCE_S), f"{len(self.asked)} frames, not {count}"


@pytest.fixture(scope="module")
def classifier() -> Classifier:
    return Classifier()


@contextmanager
def watching(
    camera: PictureCamera,
    classifier: Classifier,
    watch: Watch = WATCH,
    keep: Callable[[Pictures], None] = lambda _pictures: None,
    mat: Mat = MAT,
    *,
    meanwhile: Callable[[], None] = lambda: None,
) -> Iterator[queue.SimpleQueue[Message]]:
    """What a worker tells; ``meanwhile`` is called in its thread at each message."""
    told = queue.SimpleQueue[Message]()

    def post(message: Message) -> None:
        meanwhile()
        told.put(message)

    worker = TableCameraWorker(camera, TableReader(mat, classifier, thickness_mm=0.0), 0.0, post)
    worker.keep = keep
    worker.start()
    worker.watch(watch, 0)
    try:
        yield told
    finally:
        worker.stop()


def read_by(
    camera: PictureCamera, classifier: Classifier, watch: Watch = WATCH, keep: Callable[[Pictures], None] = lambda _pictures: None
) -> Message:
    """What a worker tells first, once it has found its camera."""
    with watching(camera, classifier, watch, keep) as told:
        assert told.get(timeout=PATIENCE_S) == PartFound("table-camera")
        return told.get(timeout=PATIENCE_S)


def mat_with(tile: Tile | None = None) -> MatPicture:
    mat = MatPicture(MAT)
    if tile is not None:
        mat.lay(tile, SLOT)
    return mat


def test_while_nothing_lies_there_the_part_around_the_slot_is_looked_at_and_now_and_then_a_whole_frame(classifier: Classifier) -> None:
    camera = PictureCamera(mat_with(), step_ns=WHOLE_FRAME_NS // 10)
    with watching(camera, classifier):
        camera.wait_for(60)
    whole = [number for number, region in enumerate(camera.asked) if region is None]
    assert whole[0] == 0
    assert len(whole) == pytest.approx(len(camera.asked) / 10, abs=2)


def test_light_and_sharpness_of_the_picture_are_known_after_the_first_frame(classifier: Classifier) -> None:
    camera, told = PictureCamera(mat_with(Tile.P7)), queue.SimpleQueue[Message]()
    worker = TableCameraWorker(camera, TableReader(MAT, classifier, thickness_mm=0.0), 0.0, told.put)
    assert worker.condition(0) == CameraCondition("table-camera")
    worker.start()
    worker.watch(WATCH, 0)
    while not isinstance(told.get(timeout=PATIENCE_S), SlotsSeen):
        pass
    worker.stop()
    found = worker.condition(0)
    assert found.light_percent is not None
    assert found.light_percent % 10 == 0
    assert found.edge_tenths_mm in range(1, 30)


def test_whole_frames_are_handed_on_whether_a_watch_stands_or_not(classifier: Classifier) -> None:
    camera, told, handed = PictureCamera(mat_with()), queue.SimpleQueue[Message](), queue.SimpleQueue[CameraFrame]()
    worker = TableCameraWorker(camera, TableReader(MAT, classifier, thickness_mm=0.0), 0.0, told.put)
    worker.whole_frames(handed.put)
    worker.start()
    try:
        first = handed.get(timeout=PATIENCE_S)
        worker.watch(Watch(Awaited(Awaits.DISCARD, Seat.SOUTH, 4), ()), 0)
        second = handed.get(timeout=PATIENCE_S)
        worker.watch(WATCH, 0)
        third = handed.get(timeout=PATIENCE_S)
    finally:
        worker.stop()
    frames = (first, second, third)
    assert all(frame.region is None for frame in frames)
    assert all(later.exposure_end_ns - frame.exposure_end_ns >= OBSERVED_EVERY_NS for frame, later in pairwise(frames))


def test_only_what_a_whole_frame_has_shown_is_told(classifier: Classifier) -> None:
    camera, asked = PictureCamera(mat_with()), list[list[Region | None]]()
    with watching(camera, classifier, meanwhile=lambda: asked.append(camera.asked[-2:])) as told:
        camera.wait_for(5)
        camera.mat = mat_with(Tile.P7)
        assert told.get(timeout=PATIENCE_S) == PartFound("table-camera")
        assert told.get(timeout=PATIENCE_S) == SlotsSeen(WATCH, {SLOT: Tile.P7})
    before, last = asked[1]
    assert before is not None
    assert last is None


def test_a_camera_that_was_pushed_while_nothing_lay_there_is_found_out_and_the_tile_read(classifier: Classifier) -> None:
    camera = PictureCamera(mat_with(), step_ns=WHOLE_FRAME_NS // 10)
    with watching(camera, classifier) as told:
        camera.wait_for(5)
        pushed = MatPicture(MAT, shift_px=(14.0, -9.0))
        pushed.lay(Tile.S5, SLOT)
        camera.mat = pushed
        told.get(timeout=PATIENCE_S)
        assert told.get(timeout=PATIENCE_S) == SlotsSeen(WATCH, {SLOT: Tile.S5})


def test_a_camera_that_sends_only_whole_pictures_serves_as_well(classifier: Classifier) -> None:
    assert read_by(PictureCamera(mat_with(Tile.EAST), cuts=False), classifier) == SlotsSeen(WATCH, {SLOT: Tile.EAST})


def test_an_arm_over_the_slot_is_waited_for_and_nothing_told(classifier: Classifier) -> None:
    camera = PictureCamera(mat_with(Tile.P7), then=(HIDDEN_FRAMES_TO_GIVE_UP - 5, mat_with(Tile.P7)))
    camera.mat.cover(SLOT)
    assert read_by(camera, classifier) == SlotsSeen(WATCH, {SLOT: Tile.P7})
    assert len(camera.asked) > HIDDEN_FRAMES_TO_GIVE_UP - 5


def test_what_is_seen_names_the_first_frame_that_shows_it(classifier: Classifier) -> None:
    camera = PictureCamera(mat_with(), then=(7, mat_with(Tile.P7)))
    assert of_type(SlotsSeen, read_by(camera, classifier)).shown_ns == camera.taken_ns[7]


@pytest.mark.parametrize("watch", [WATCH, Watch(Awaited(Awaits.KONG, Seat.SOUTH, 4), (Slot(1, Area.MELD, 3), SLOT), any_of=True)])
def test_a_slot_that_stays_hidden_is_told_as_unread_in_the_end(classifier: Classifier, watch: Watch) -> None:
    """A kong whose fourth tile cannot be seen beside those that lie face down would else be accused of not having been laid."""
    camera = PictureCamera(mat_with())
    camera.mat.cover(SLOT)
    assert read_by(camera, classifier, watch) == SlotsSeen(watch, {SLOT: None}, hidden=True)
    assert len(camera.asked) >= HIDDEN_FRAMES_TO_GIVE_UP


def test_a_hidden_place_does_not_say_that_the_last_discard_lies_there(classifier: Classifier) -> None:
    camera = PictureCamera(mat_with(Tile.P7), then=(HIDDEN_FRAMES_TO_GIVE_UP + 5, mat_with(Tile.P7)))
    camera.mat.cover(SLOT)
    watch = Watch(Awaited(Awaits.LAST_DISCARD, Seat.EAST, 0), (SLOT,))
    assert read_by(camera, classifier, watch) == SlotsSeen(watch, {SLOT: Tile.P7})
    assert len(camera.asked) > HIDDEN_FRAMES_TO_GIVE_UP


def test_while_the_last_discard_is_looked_for_its_place_is_kept_as_a_picture_and_of_no_other_watch(classifier: Classifier) -> None:
    kept = queue.SimpleQueue[Pictures]()
    for awaited in (Awaited(Awaits.DISCARD, Seat.EAST, 0), Awaited(Awaits.LAST_DISCARD, Seat.EAST, 0)):
        camera = PictureCamera(mat_with(), step_ns=WHOLE_FRAME_NS)
        watch = Watch(awaited, (SLOT,), version=WatchVersion(4, 2, 1, 0))
        with watching(camera, classifier, watch, kept.put):
            camera.wait_for(3)
            if awaited.kind is Awaits.DISCARD:
                assert kept.empty()
    found = of_type(ShownCall, kept.get(timeout=PATIENCE_S))
    assert (found.n, found.about) == (4, TableSubject.MAT_DIFFERS)
    assert found.picture.startswith(b"\xff\xd8\xff")


def test_with_a_meld_is_told_which_discards_still_wait_and_one_under_an_arm_has_not_been_taken(classifier: Classifier) -> None:
    meld, taken, waits = tuple(Slot(3, Area.MELD, index) for index in range(3)), Slot(0, Area.RIVER, 4), Slot(2, Area.RIVER, 5)
    covered, open_to_view = MatPicture(MAT), MatPicture(MAT)
    for slot in (*meld, waits):
        covered.lay(Tile.RED, slot)
        open_to_view.lay(Tile.RED, slot)
    covered.cover(waits)
    camera = PictureCamera(covered, then=(8, open_to_view))
    watch = Watch(Awaited(Awaits.MELD, Seat.NORTH, 0), meld, also=(taken, waits))
    assert read_by(camera, classifier, watch) == SlotsSeen(watch, {**dict.fromkeys(meld, Tile.RED), waits: None})
    assert len(camera.asked) > 8


def test_another_tables_camera_is_lost_by_name_until_it_sees_its_mat(classifier: Classifier, caplog: pytest.LogCaptureFixture) -> None:
    own, other = MatPicture(MAT), MatPicture(MAT)
    scene = TableScene(1, (LaidTile(Tile.P7.text, SLOT.place, SLOT.area.value, SLOT.index, False, (0.0, 0.0), 0.0),))
    own.picture, other.picture = (TableCamera(seed, Mat(table=name)).render(scene) for seed, name in ((3, "1"), (8, "12")))
    camera = PictureCamera(other)
    with watching(camera, classifier, mat=Mat(table="1")) as told:
        said = told.get(timeout=PATIENCE_S)
        if said == PartFound("table-camera"):  # a frame came before anything was to be looked for
            said = told.get(timeout=PATIENCE_S)
        assert said == PartLost("table-camera", "mat-of:12")
        assert "this is the camera of table 1, and the mat that it sees names table 12" in caplog.text
        camera.wait_for(len(camera.asked) + UNPLACED_FRAMES + 5)
        assert told.empty(), "nothing is read from its frames"
        camera.mat = own
        assert told.get(timeout=PATIENCE_S) == PartFound("table-camera")
        assert told.get(timeout=PATIENCE_S) == SlotsSeen(WATCH, {SLOT: Tile.P7})


def test_of_a_meld_that_cannot_be_read_only_what_nobody_has_answered_is_shown(classifier: Classifier) -> None:
    mat = MatPicture(MAT)
    meld = tuple(Slot(3, Area.MELD, index) for index in range(3))
    for slot in meld:
        mat.lay(Flower.SPRING, slot)
    kept: list[Pictures] = []
    watch = Watch(Awaited(Awaits.MELD, Seat.NORTH, 0), meld, answered=frozenset({meld[1]}), version=WatchVersion(1, 9, 2, 0))
    assert read_by(PictureCamera(mat), classifier, watch, kept.append) == SlotsSeen(watch, dict.fromkeys(meld))
    assert [doubted.question.slot for doubted in kept[:2] if isinstance(doubted, DoubtedPlace)] == [meld[0], meld[2]]


def test_ten_indicators_in_the_middle_are_read_between_the_rivers(classifier: Classifier) -> None:
    mat = MatPicture(MAT)
    tiles = dict(zip(MAT.slots(0, Area.SHARED)[2:], parse_tiles("1m 9m 5p 7s 9s E N C F P"), strict=True))
    for slot, tile in tiles.items():
        mat.lay(tile, slot)
    watch = Watch(Awaited(Awaits.SHARED, Seat.EAST, 10), tuple(tiles))
    assert read_by(PictureCamera(mat), classifier, watch) == SlotsSeen(watch, tiles)
