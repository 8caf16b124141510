"""A discard far off its slot, before the simulated camera: the slot reader sees none, and the decoder's tells the table of it."""

from collections.abc import Callable

import pytest

from controller.adapters.follower import Adapters, Follower
from controller.recorder.at_table.reported_tiles import DoubtedTile, Report
from controller.recorder.at_table.table_decoding import TableDecoding
from controller.recorder.signals import GateEdge
from controller.state.watches import HandToDecode
from simulator.cameras.table import CAMERA_HEIGHT_MM, TILE_THICKNESS_MM, TableCamera
from simulator.scene import TableScene
from tests.support.controller.game import E, Game, S, walls_of
from tests.support.controller.rigs import MakeRig, set_up
from tests.support.narrowed import present
from tests.support.simulator.strewn_tables import StrewnTile, laid_at
from twinwall.game.play_events import TileDiscarded
from twinwall.game.tiles import Seat, Tile, parse_tile
from vision.cameras.port import CameraFrame
from vision.mat import Area, Mat, Slot
from vision.model.classifier import Classifier
from vision.table.slots import Presence
from vision.table.sweeper import MatSweeper
from vision.table.table_reader import TableGeometry, TableReader

MAT = Mat()
FRAME_MS = 300
PATIENCE_FRAMES = 20
GEOMETRY = TableGeometry(camera_height_mm=CAMERA_HEIGHT_MM, tile_thickness_mm=TILE_THICKNESS_MM)
WALLS = walls_of({E: "123456789p 123s 5s 9m", S: "19m 46s 7s 8s 9s 1p E S W C F 1s"})


class FarOffTable:
    """A table in play whose real camera adapters look at what is laid anywhere on a simulated mat."""

    def __init__(self, make_rig: MakeRig) -> None:
        self.game = Game(make_rig, WALLS, setup=set_up(decodes=True)).take_hands()
        classifier, rig = Classifier(), self.game.rig
        self._camera, self._tiles = TableCamera(5, MAT), list[StrewnTile]()
        self._reader = TableReader(MAT, classifier, GEOMETRY)
        self._sweeper = MatSweeper(MAT, classifier, self._reader.follower, GEOMETRY)
        self._decoding, self._frames = TableDecoding(rig.setup.rules), 0
        rig.follower = Follower(Adapters(rig, rig.show, rig.read, rig.watch, rig.time, rig.time, rig.questions.show, self.follow), rig.post)
        rig.settle()

    def follow(self, hand: HandToDecode | None) -> None:
        """The decoder hears how far the table's record has come."""
        self._decoding.follow(hand)

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
    seen = table.look(lambda: len(table.discards()) == 1, slot)
    assert Presence.TILE not in seen
    assert table.discards() == [TileDiscarded(E, parse_tile("9p"))]
    table.game.close_window()
    table.draw(S)
    slot = table.lay(S, 0, "1m", (0.0, 0.0), 0.0)
    table.look(lambda: len(table.discards()) == 2, slot)
    assert table.discards()[1] == TileDiscarded(S, Tile.M1)
    assert not table.game.rig.state.faults
