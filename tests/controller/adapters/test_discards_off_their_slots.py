"""A discard lies where no slot is looked at, or its picture is in doubt: the table before a simulated camera."""

import queue
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from controller.adapters.cameras.table_camera import TableCameraWorker
from controller.adapters.follower import Adapters, Follower
from controller.core.outputs import outputs_of
from controller.recorder.at_table.reported_tiles import DoubtedTile, Report
from controller.recorder.at_table.table_decoding import TableDecoding
from controller.recorder.signals import GateEdge
from controller.state.messages import Message, PartFound, SlotsSeen
from controller.state.watches import HandToDecode
from simulator.cameras.table import CAMERA_HEIGHT_MM, TILE_THICKNESS_MM, TableCamera
from simulator.scene import LaidTile, TableScene
from tests.support.controller.game import E, Game, N, S, walls_of
from tests.support.controller.rigs import MakeRig, set_up
from tests.support.narrowed import present
from tests.support.patience import PATIENCE_S
from tests.support.simulator.strewn_tables import StrewnTile, laid_at
from twinwall.game.play_events import TileDiscarded
from twinwall.game.tiles import ALL_TILES, Seat, Tile, parse_tile, parse_tiles
from twinwall.wire.messages.commands import AnswerTile
from twinwall.wire.messages.tile_question import AskedTile
from twinwall.wire.shapes.panel import Key
from vision.cameras.port import CameraFrame, Region
from vision.mat import Area, Mat, Slot
from vision.model.classifier import Classifier
from vision.table.placement import MatPlacement
from vision.table.slot_places import on_mat
from vision.table.slots import Presence
from vision.table.sweeper import MatSweeper
from vision.table.table_reader import TableReader

MAT = Mat()
FRAME_MS = 300
PATIENCE_FRAMES = 20


WALLS = walls_of({E: "123456789p 123s 5s 9m", S: "19m 46s 7s 8s 9s 1p E S W C F 1s"})


def new_reader(classifier: Classifier) -> TableReader:
    return TableReader(MAT, classifier, MatPlacement(MAT, camera_height_mm=CAMERA_HEIGHT_MM), thickness_mm=TILE_THICKNESS_MM)


class FarOffTable:
    """A table in play whose real camera adapters look at what is laid anywhere on a simulated mat."""

    def __init__(self, make_rig: MakeRig) -> None:
        self.game = Game(make_rig, WALLS, setup=set_up(decodes=True)).take_hands()
        classifier, rig = Classifier(), self.game.rig
        self._camera, self._tiles = TableCamera(5, MAT), list[StrewnTile]()
        self._reader = new_reader(classifier)
        self._sweeper = MatSweeper(MAT, classifier, self._reader.follower)
        self._decoding, self._frames = TableDecoding(rig.setup.rules), 0
        rig.follower = Follower(
            Adapters(rig, rig.show, rig.read, rig.watch, rig.time, rig.time, rig.questions.show, self.take_record), rig.post
        )
        rig.settle()

    def take_record(self, hand: HandToDecode | None) -> None:
        """The decoder hears how far the table's record has come."""
        self._decoding.take_record(hand)

    def draw(self, seat: Seat) -> None:
        self._decoding.hear(GateEdge(self._frames * FRAME_MS + 1, self.game.place(seat)))
        self.game.draw(seat)

    def lay(self, seat: Seat, river: int, face: str, off_mm: tuple[float, float], turned_deg: float) -> Slot:
        """A tile so far off a place of the seat's river; that place."""
        slot = Slot(self.game.place(seat), Area.RIVER, river)
        spot = MAT.spot(slot)
        self._tiles.append(StrewnTile(face, spot.x_mm + off_mm[0], spot.y_mm + off_mm[1], spot.turn_deg + turned_deg))
        return slot

    def look(self, until: Callable[[], bool], slot: Slot) -> set[Presence]:
        """Frames are looked at until something holds; what the slot reader saw in the slot meanwhile."""
        seen = set[Presence]()
        for _ in range(PATIENCE_FRAMES):
            self._frames += 1
            picture = self._camera.render(TableScene(self._frames, tuple(laid_at(tile, MAT) for tile in self._tiles)))
            frame = CameraFrame(picture, self._frames * FRAME_MS * 1_000_000 - 1, self._frames * FRAME_MS * 1_000_000)
            seen.update(self._reader.look(frame, (slot,)))
            observation = present(self._sweeper.observe(frame, self._frames * FRAME_MS))
            self._tell(self._decoding.see(observation))
            self.game.rig.settle()
            if until():
                return seen
        raise AssertionError(f"not within {PATIENCE_FRAMES} frames: {self.game.rig.story()}")

    def discards(self) -> list[TileDiscarded]:
        return self.game.rig.happened(TileDiscarded)

    def _tell(self, found: Report | None) -> None:
        assert not isinstance(found, DoubtedTile), "the tiles of this table are read surely"
        if found is not None:
            self.game.rig.post(found)


@pytest.mark.slow
def test_play_goes_on_when_discards_lie_where_no_slot_is_looked_at(make_rig: MakeRig) -> None:
    """East lays its first discard over the second place of its river; the second one then lies beside that, and neither in its slot."""
    table = FarOffTable(make_rig)
    table.draw(E)
    slot = table.lay(E, 0, "9p", (30.0, 12.0), 20.0)
    assert Presence.TILE not in table.look(lambda: len(table.discards()) == 1, slot)
    assert table.discards() == [TileDiscarded(E, parse_tile("9p"))]
    table.game.close_window()
    table.draw(S)
    slot = table.lay(S, 0, "1m", (0.0, 0.0), 0.0)
    table.look(lambda: len(table.discards()) == 2, slot)
    assert table.discards()[1] == TileDiscarded(S, Tile.M1)
    assert not table.game.rig.state.faults


SLOT = Slot(0, Area.RIVER, 0)
PLAIN_WALLS = walls_of({E: "123456789p 123s 5s"})
_INNER = 0.86
"""The part of a tile's face that is smeared: its rim stays, so that a tile is found there."""


@dataclass
class SmearedCamera:
    """The simulated camera over a table, in whose pictures the face of one tile is smeared."""

    smeared: Slot = SLOT
    camera: TableCamera = field(default_factory=lambda: TableCamera(5, MAT))
    laid: tuple[LaidTile, ...] = ()
    now_ns: int = 0
    frames: int = 0
    changed: threading.Condition = field(default_factory=threading.Condition)

    def frame_after(self, moment_ns: int, region: Region | None = None) -> CameraFrame:
        self.now_ns = max(moment_ns, self.now_ns) + 40_000_000
        with self.changed:
            picture = self.camera.render(TableScene(1, self.laid))
            if self.laid:
                self._smear(picture)
            self.frames += 1
            self.changed.notify_all()
        return CameraFrame(picture, self.now_ns - 1, self.now_ns)

    def close(self) -> None:
        pass

    def lay(self, faces: Mapping[Slot, str], *, pushed: bool = False) -> None:
        """Tiles are laid; where the camera was ``pushed``, it hangs elsewhere from now on."""
        with self.changed:
            if pushed:
                self.camera = TableCamera(6, MAT)
            self.laid = tuple(
                LaidTile(face, slot.place, slot.area.value, slot.index, sideways=False, offset_mm=(0.0, 0.0), angle_deg=0.0)
                for slot, face in faces.items()
            )

    def wait_for(self, frames: int) -> None:
        with self.changed:
            assert self.changed.wait_for(lambda: self.frames >= frames, PATIENCE_S), f"{self.frames} frames, not {frames}"

    def _smear(self, picture: NDArray[np.uint8]) -> None:
        half = np.array([MAT.tile_width_mm, MAT.tile_height_mm]) / 2 * _INNER
        corners = on_mat(MAT.spot(self.smeared), np.array([(-1.0, -1.0), (1.0, 1.0)]) * half)
        (left, top), (right, bottom) = np.sort(self.camera.view.project(corners, TILE_THICKNESS_MM), axis=0).round().astype(int)
        picture[top:bottom, left:right] = cv2.GaussianBlur(picture[top:bottom, left:right], (0, 0), 12.0)


class Eye:
    """The real adapter of the camera, whose messages the test hands on to the table in its own thread."""

    def __init__(self, game: Game, smeared: Slot = SLOT) -> None:
        self.camera = SmearedCamera(smeared)
        self._told = queue.SimpleQueue[Message]()
        reader = new_reader(Classifier())
        self.worker = TableCameraWorker(self.camera, reader, 0.0, self._told.put)
        self.worker.keep = game.rig.questions.keep
        self._game = game

    def watch(self) -> None:
        self.worker.watch(self._game.rig.eye.watching, 0)

    def next_look(self) -> SlotsSeen:
        """What it told of the watched place, which the table has heard when this returns."""
        while True:
            message = self._told.get(timeout=PATIENCE_S)
            self._game.rig.tell(message)
            if isinstance(message, SlotsSeen):
                return message

    def wait_for_the_bare_mat(self) -> None:
        """Some frames are looked at in which nothing lies there yet."""
        assert self._told.get(timeout=PATIENCE_S) == PartFound("table-camera")
        self.camera.wait_for(8)


def middle(picture: bytes) -> NDArray[np.float32]:
    """The part of a referee's picture in which the tile itself lies: the first of a river has neighbours at its right and below."""
    image = cv2.imdecode(np.frombuffer(picture, np.uint8), cv2.IMREAD_COLOR)
    return np.asarray(image, np.float32)[12:90, 12:66]


def asked_about(game: Game, smeared: Slot, laid: Mapping[Slot, str], *, pushed: bool = False) -> AskedTile:
    """What the table asks first when these tiles are laid, of which one is smeared, after somebody has ``pushed`` the camera."""
    eye = Eye(game, smeared)
    eye.worker.start()
    try:
        eye.watch()
        eye.wait_for_the_bare_mat()
        eye.camera.lay(laid, pushed=pushed)
        assert eye.next_look().tiles[smeared] is None
    finally:
        eye.worker.stop()
    return game.rig.sent_to_server(AskedTile)[0]


@pytest.fixture
def drawn(make_rig: MakeRig) -> Game:
    game = Game(make_rig, PLAIN_WALLS).take_hands().draw(E)
    assert game.place(E) == SLOT.place
    return game


def test_a_smeared_discard_is_asked_about_with_the_cameras_own_pictures_and_the_answer_is_played(drawn: Game) -> None:
    """Cloth before, something white after; every kind is offered, and a picture takes a fraction of what the broker lets through."""
    rig, asked = drawn.rig, asked_about(drawn, SLOT, {SLOT: "5s"})
    assert middle(asked.after).mean() > middle(asked.before).mean() + 40
    assert set(asked.tiles) == set(ALL_TILES)
    assert max(len(asked.before), len(asked.after)) < 24 << 10
    question = present(outputs_of(rig.setup, rig.state).asked.question)
    rig.tell(AnswerTile(question.n, question.number, question.where, "5s", "Ota"))
    assert rig.happened(TileDiscarded) == [TileDiscarded(E, Tile.S5)]
    assert not rig.fault_codes()


@pytest.mark.nightly
def test_a_frame_from_before_the_camera_was_pushed_is_not_shown(drawn: Game) -> None:
    """What of it is the river is not known any more, and what else might be seen in it neither."""
    asked = asked_about(drawn, SLOT, {SLOT: "5s"}, pushed=True)
    assert asked.before == b""
    assert asked.after


def test_a_smeared_tile_of_a_shown_hand_is_asked_about_without_a_picture_from_before(make_rig: MakeRig) -> None:
    """The tiles that lie in the row of a hand before it is shown are nobody's to see."""
    hand = "123m 456m 789m 46s CC"
    game = Game(make_rig, walls_of({E: "123456789p 123s 5s", N: hand})).take_hands()
    game.draw(E).discard(E, "5s").press(N, Key.WIN).close_window()
    smeared = Slot(game.place(N), Area.HAND, 4)
    laid = {Slot(game.place(N), Area.HAND, index): tile.text for index, tile in enumerate(parse_tiles(hand))}
    asked = asked_about(game, smeared, laid)
    assert (asked.area, asked.before) == ("hand", b"")
    assert middle(asked.after).mean() > 100
