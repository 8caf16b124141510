"""Table reader on a drawn mat: markers, occupancy, tiles off their spot, sideways, and votes over frames."""

from dataclasses import replace

import cv2
import numpy as np
import pytest
from numpy.random import Generator
from numpy.typing import NDArray

from tests.support.narrowed import present
from tests.support.tiers import one_in
from tests.support.vision.pictures import MAT_PX_PER_MM, MAT_SIDE_PX, MatPicture
from twinwall.art.mat import Area, Mat, Slot
from twinwall.game.tiles import ALL_TILES, Tile
from vision.cameras.port import CameraFrame, Region
from vision.finder.found import FoundTable
from vision.finder.tile_finder import TileFinder
from vision.model.classifier import Classifier
from vision.model.crop_view import CropView
from vision.reading import Candidate, Read, ReadRefusal, Reason
from vision.table.placement import MatPlacement
from vision.table.slots import Presence
from vision.table.table_reader import SlotReading, SlotVotes, TableReader

MAT = Mat()


def frame(mat_picture: MatPicture) -> CameraFrame:
    return CameraFrame(mat_picture.picture, 0, 1)


@pytest.fixture
def table(classifier: Classifier) -> TableReader:
    return TableReader(MAT, classifier, thickness_mm=0.0)


def test_every_kind_is_read_in_the_rivers_of_all_four_places(table: TableReader, rng: Generator) -> None:
    """Tiles lie a little off and askew, either way round: no misread, and at most one of 36 unsure."""
    picture = MatPicture(MAT)
    slots = [slot for place in range(4) for slot in MAT.slots(place, Area.RIVER)[:9]]
    kinds = [*ALL_TILES, Tile.EAST, Tile.P5]
    for slot, tile in zip(slots, kinds, strict=True):
        offset = (float(rng.uniform(-0.8, 0.8)), float(rng.uniform(-0.8, 0.8)))
        picture.lay(tile, slot, offset, float(rng.uniform(-3, 3)) + 180 * int(rng.integers(2)))
    readings = table.read(frame(picture), slots)
    sure = [(reading, tile) for reading, tile in zip(readings, kinds, strict=True) if reading.reason is None]
    assert [(reading.tile, tile) for reading, tile in sure if reading.tile is not tile] == []
    assert len(sure) >= 35


def test_a_tile_several_millimetres_off_its_spot_is_found(table: TableReader) -> None:
    picture, slots = MatPicture(MAT), [Slot(place, Area.RIVER, 20) for place in (1, 2, 3)]
    for slot, offset in zip(slots, ((7.0, -6.0), (-7.0, 7.0), (0.0, 8.0)), strict=True):
        picture.lay(Tile.M4, slot, offset, 7.0)
    readings = table.read(frame(picture), slots)
    assert [(reading.occupied, reading.tile, reading.reason) for reading in readings] == [(True, Tile.M4, None)] * 3


def test_a_tile_whose_marks_the_light_has_washed_away_is_no_sure_white_dragon(table: TableReader) -> None:
    picture, slot = MatPicture(MAT), Slot(2, Area.RIVER, 8)
    picture.lay(Tile.WHITE, slot)
    (reading,) = table.read(frame(picture), [slot])
    assert (reading.tile, reading.reason) == (Tile.WHITE, None)
    picture.picture[picture.picture.min(axis=2) > 120] = 255
    (reading,) = table.read(frame(picture), [slot])
    assert (reading.occupied, reading.reason) == (True, Reason.GLARE)


def test_what_a_glare_leaves_of_a_tiles_marks_settles_nothing_however_often_it_is_seen(table: TableReader) -> None:
    """Nearly sure of what is left of the marks, each frame would support the other's guess."""
    picture, slot = MatPicture(MAT), Slot(2, Area.RIVER, 8)
    picture.lay(Tile.S1, slot)
    spot = MAT.spot(slot)
    x, y = (round(mm * MAT_PX_PER_MM + MAT_SIDE_PX / 2) for mm in (spot.x_mm, spot.y_mm))
    face_px = picture.picture[y - 29 : y + 29, x - 20 : x + 20]
    face_px[:] = np.rint(255 - 0.065 * (255.0 - face_px))
    (reading,) = table.read(frame(picture), [slot])
    assert (reading.occupied, reading.tile, reading.reason) == (True, Tile.S1, Reason.GLARE)
    assert max(reading.shares.values()) > 0.85
    assert votes_of(reading, reading, reading).settled(reading.slot) is None


def test_a_claimed_tile_that_lies_sideways_in_a_meld_is_read(table: TableReader) -> None:
    picture, slots = MatPicture(MAT), [slot for place in range(4) for slot in MAT.slots(place, Area.MELD)[:3]]
    for slot, turn in zip(slots, (90.0, 0.0, 270.0) * 4, strict=True):
        picture.lay(Tile.SOUTH, slot, (1.0, -1.0), turn)
    assert [reading.tile for reading in table.read(frame(picture), slots)] == [Tile.SOUTH] * 12


def test_presence_alone_tells_empty_from_laid_even_for_a_white_dragon(table: TableReader) -> None:
    picture = MatPicture(MAT)
    laid = [Slot(0, Area.RIVER, 0), Slot(2, Area.HAND, 5), Slot(3, Area.MELD, 4)]
    for slot in laid:
        picture.lay(Tile.WHITE, slot)
    slots = MAT.all_slots()
    answer = table.look(frame(picture), slots)
    assert {slot: there for slot, there in zip(slots, answer, strict=True) if there is not Presence.EMPTY} == dict.fromkeys(
        laid, Presence.TILE
    )


def test_a_neighbour_that_leans_over_does_not_fill_an_empty_slot(table: TableReader) -> None:
    picture, slot = MatPicture(MAT), Slot(0, Area.HAND, 6)
    picture.lay(Tile.S9, Slot(0, Area.HAND, 5), (3.0, 0.0))
    picture.lay(Tile.S9, Slot(0, Area.HAND, 7), (-3.0, 0.0))
    (reading,) = table.read(frame(picture), [slot])
    assert (reading.presence, reading.reason) == (Presence.EMPTY, Reason.EMPTY)


def test_something_that_is_no_tile_hides_its_slot(table: TableReader) -> None:
    picture, slot = MatPicture(MAT), Slot(0, Area.RIVER, 8)
    spot = MAT.spot(slot)
    x, y = (round(value * 1.7 + 640) for value in (spot.x_mm, spot.y_mm))
    picture.picture[y - 70 : y + 300, x - 40 : x + 60] = (120, 150, 205)
    (reading,) = table.read(frame(picture), [slot])
    assert (reading.presence, reading.tile, reading.reason) == (Presence.HIDDEN, None, Reason.COVERED)


def test_the_markers_edges_look_wider_the_less_sharp_a_frame_is(table: TableReader) -> None:
    sharp = MatPicture(MAT).picture
    assert table.edge_mm(CameraFrame(sharp, 0, 1)) is None, "nobody knows yet where the mat lies"
    widths = []
    for blur_px in (0.5, 2.0, 4.0):
        blurred = CameraFrame(np.asarray(cv2.GaussianBlur(sharp, (0, 0), blur_px), np.uint8), 0, 1)
        table.look(blurred, [Slot(0, Area.RIVER, 0)])
        widths.append(table.edge_mm(blurred) or 0.0)
    assert widths == sorted(widths)
    assert widths[0] < 2.0
    assert widths[-1] > 3.0


def test_only_the_slots_asked_for_are_answered_in_the_order_asked(table: TableReader) -> None:
    picture = MatPicture(MAT)
    slots = [Slot(3, Area.RIVER, 2), Slot(0, Area.WIN, 0), Slot(1, Area.HAND, 12)]
    assert [reading.slot for reading in table.read(frame(picture), slots)] == slots
    assert table.read(frame(picture), []) == ()


def test_a_slot_that_the_mat_does_not_have_is_an_error(table: TableReader) -> None:
    with pytest.raises(ValueError, match="no slot"):
        table.read(frame(MatPicture(MAT)), [Slot(0, Area.HAND, 13)])


def part(mat_picture: MatPicture, region: Region) -> CameraFrame:
    """The same picture as a camera sends it that cuts a part out."""
    image = mat_picture.picture[region.top : region.top + region.height, region.left : region.left + region.width]
    return CameraFrame(np.ascontiguousarray(image), 2, 3, region)


@pytest.mark.parametrize("area", one_in(2, Area))
def test_a_part_of_the_picture_reads_like_the_whole(table: TableReader, area: Area, rng: Generator) -> None:
    picture = MatPicture(MAT)
    slots, seen = MAT.all_slots(area)[::5], 0
    for slot in slots[::2]:
        picture.lay(Tile(int(rng.integers(34))), slot, (float(rng.uniform(-3, 3)), float(rng.uniform(-3, 3))), float(rng.uniform(-4, 4)))
    for slot in slots:
        (whole,) = table.read(frame(picture), [slot])
        region = present(table.region([slot]))
        assert region.width * region.height < picture.picture.shape[0] * picture.picture.shape[1] / 2
        (alone,) = table.read(part(picture, region), [slot])
        if Presence.HIDDEN not in (alone.presence, whole.presence):
            seen += 1
            assert (alone.tile, alone.occupied, alone.reason) == (whole.tile, whole.occupied, whole.reason)
    assert seen >= 0.9 * len(slots)


def test_a_slot_is_read_alone_as_with_all_the_others(table: TableReader, rng: Generator) -> None:
    picture, slots = MatPicture(MAT), MAT.all_slots(Area.RIVER)
    for slot in slots[::3]:
        picture.lay(Tile(int(rng.integers(34))), slot, (float(rng.uniform(-3, 3)), float(rng.uniform(-3, 3))), float(rng.uniform(-4, 4)))
    together = {reading.slot: reading for reading in table.read(frame(picture), slots)}
    for slot in slots[::7]:
        (alone,) = table.read(frame(picture), [slot])
        assert (alone.tile, alone.presence, alone.reason) == (together[slot].tile, together[slot].presence, together[slot].reason)


def test_the_finder_does_not_look_where_slots_are_plainly_bare_or_hold_what_they_held(table: TableReader, looks: list[int]) -> None:
    picture = MatPicture(MAT)
    assert table.look(frame(picture), [SLOT]) == (Presence.EMPTY,)
    assert looks == []
    picture.lay(Tile.M5, SLOT)
    others = [Slot(0, Area.RIVER, index) for index in (5, 6)]
    seen = [table.read(CameraFrame(picture.picture, at_ns, at_ns + 1), [SLOT, *others])[0].tile for at_ns in range(1, 5)]
    assert (seen, len(looks)) == ([Tile.M5] * 4, 1)


def test_the_finder_looks_once_at_what_stays_as_it_is(table: TableReader, looks: list[int]) -> None:
    picture = MatPicture(MAT)
    table.read(frame(picture), [SLOT])
    region = present(table.region([SLOT]))
    middle = [round(value * 1.7 + 640) for value in (MAT.spot(SLOT).x_mm, MAT.spot(SLOT).y_mm)]
    cv2.circle(picture.picture, middle, 12, (60, 90, 150), -1)
    for exposed_ns in (2, 3, 4):
        shown = replace(part(picture, region), exposure_end_ns=exposed_ns)
        assert [reading.presence for reading in table.read(shown, [SLOT])] == [Presence.HIDDEN]
    assert len(looks) == 1
    assert looks[0] < picture.picture.size / 2
    picture.lay(Tile.M5, SLOT)
    (reading,) = table.read(replace(part(picture, region), exposure_end_ns=5), [SLOT])
    assert reading.tile is Tile.M5


def test_two_parts_of_one_frame_are_each_looked_at(table: TableReader) -> None:
    picture, slots = MatPicture(MAT), (SLOT, Slot(2, Area.RIVER, 4))
    for slot in slots:
        picture.lay(Tile.M5, slot)
    shown = frame(picture)
    assert [table.look(shown, [slot]) for slot in slots] == 2 * [(Presence.TILE,)]


def test_which_part_to_look_at_is_unknown_until_a_whole_picture_showed_the_mat(table: TableReader) -> None:
    assert table.region([SLOT]) is None
    assert table.read(part(MatPicture(MAT), Region(400, 400, 400, 400)), [SLOT]) == ()
    assert table.trouble is not None
    table.read(frame(MatPicture(MAT)), [SLOT])
    assert table.region([SLOT]) is not None
    table.read(frame(MatPicture(MAT, covered_markers=(1, 2, 3))), [SLOT])
    assert table.region([SLOT]) is None


def test_without_markers_nothing_is_said_and_the_missing_ones_are_named(table: TableReader) -> None:
    picture, slot = MatPicture(MAT, covered_markers=(1, 3)), Slot(0, Area.RIVER, 0)
    assert table.read(frame(picture), [slot]) == ()
    assert table.look(frame(picture), [slot]) == ()
    assert table.trouble is not None
    assert table.trouble.reason is Reason.MARKERS
    assert "1, 3" in table.trouble.detail
    table.read(frame(MatPicture(MAT)), [slot])
    assert table.trouble is None


def test_covered_markers_are_tolerated_for_a_limited_number_of_frames(classifier: Classifier) -> None:
    table = TableReader(MAT, classifier, MatPlacement(MAT, most_blind_frames=3), thickness_mm=0.0)
    slot = Slot(0, Area.RIVER, 0)
    assert table.look(frame(MatPicture(MAT)), [slot]) == (Presence.EMPTY,)
    answers = [table.look(frame(MatPicture(MAT, covered_markers=(0, 1))), [slot]) for _ in range(4)]
    assert answers == [(Presence.EMPTY,)] * 3 + [()]


def test_a_camera_that_was_pushed_is_noticed_at_once(table: TableReader) -> None:
    slot = Slot(2, Area.RIVER, 5)
    table.read(frame(MatPicture(MAT)), [slot])
    pushed = MatPicture(MAT, shift_px=(14.0, -9.0))
    pushed.lay(Tile.P3, slot)
    (reading,) = table.read(frame(pushed), [slot])
    assert (reading.tile, reading.reason) == (Tile.P3, None)


def test_a_camera_pushed_while_markers_are_covered_is_not_trusted(table: TableReader) -> None:
    slot = Slot(2, Area.RIVER, 5)
    table.read(frame(MatPicture(MAT)), [slot])
    assert table.read(frame(MatPicture(MAT, covered_markers=(2,), shift_px=(14.0, -9.0))), [slot]) == ()


SLOT = Slot(0, Area.RIVER, 3)


def seen(tile: Tile, probability: float, *, other: Tile = Tile.S9, reason: Reason | None = None) -> SlotReading:
    return SlotReading(SLOT, Presence.TILE, reason, {tile: probability, other: 1 - probability})


EMPTY = SlotReading(SLOT, Presence.EMPTY, Reason.EMPTY)
HIDDEN = SlotReading(SLOT, Presence.HIDDEN, Reason.COVERED)


SURE, UNSURE_M7 = seen(Tile.P6, 0.99), seen(Tile.M7, 0.9, other=Tile.M8, reason=Reason.UNSURE)
AS_6P = seen(Tile.P6, 0.93, other=Tile.P5, reason=Reason.UNSURE)
"""Under a lamp's reflection 5p looked like 6p in all frames, at 0.86 to 0.93, and 2m like 1m."""
VOTES: dict[str, tuple[list[SlotReading], Tile | None]] = {
    "one frame is no vote": ([seen(Tile.P6, 0.999)], None),
    "nor is none": ([], None),
    "likely by both, first in one": ([seen(Tile.P6, 0.999), seen(Tile.P7, 0.52, other=Tile.P6, reason=Reason.UNSURE)], None),
    "two that agree settle": ([seen(Tile.P6, 0.95), seen(Tile.P6, 0.96)], Tile.P6),
    "two that contradict each other do not": ([seen(Tile.P6, 0.97, other=Tile.P7), seen(Tile.P7, 0.97, other=Tile.P6)], None),
    "a single wrong one is outvoted": ([seen(Tile.P6, 0.98), seen(Tile.P7, 0.9, other=Tile.P6), *2 * [seen(Tile.P6, 0.98)]], Tile.P6),
    "under steady glare frames err alike": ([seen(Tile.M7, 0.7, other=Tile.M8, reason=Reason.UNSURE)] * 40, None),
    "and lose all marks": ([seen(Tile.WHITE, 0.99, reason=Reason.GLARE)] * 40, None),
    "nearly sure ones settle together": ([seen(Tile.WHITE, 0.88, reason=Reason.UNSURE)] * 3, Tile.WHITE),
    "refused without the faces of the set": ([AS_6P] * 4, Tile.P6),
    "refused by them": ([replace(AS_6P, knows_the_set=True)] * 4, None),
    "a sure and an unsure one that agree": ([seen(Tile.M7, 0.9, reason=Reason.UNSURE), seen(Tile.M7, 0.98)], Tile.M7),
    "one sure of another supports no refused kind": ([*[UNSURE_M7] * 6, seen(Tile.M8, 0.98, other=Tile.M7)], None),
    "what lay there before the slot was empty": ([SURE, SURE, EMPTY, seen(Tile.M1, 0.99)], None),
    "an arm takes no vote away": ([SURE, HIDDEN, HIDDEN, SURE], Tile.P6),
}


def votes_of(*frames: SlotReading) -> SlotVotes:
    votes = SlotVotes()
    votes.add(frames)
    return votes


@pytest.mark.parametrize("case", VOTES)
def test_frames_settle_what_lies_in_a_slot(case: str) -> None:
    frames, settled = VOTES[case]
    assert votes_of(*frames).settled(SLOT) is settled


def test_a_slot_is_emptied_once_two_frames_that_saw_it_agree() -> None:
    assert not votes_of(EMPTY).emptied(SLOT)
    assert not votes_of(seen(Tile.P6, 0.99), HIDDEN, HIDDEN).emptied(SLOT)
    assert not votes_of(EMPTY, seen(Tile.P6, 0.99), EMPTY).emptied(SLOT)
    assert votes_of(seen(Tile.P6, 0.99), EMPTY, HIDDEN, EMPTY).emptied(SLOT)


def test_votes_are_kept_slot_by_slot() -> None:
    votes = SlotVotes()
    assert votes.settled(SLOT) is None
    for _ in range(2):
        votes.add([seen(Tile.RED, 0.98)])
    assert votes.settled(SLOT) is Tile.RED
    assert votes.settled(Slot(1, Area.RIVER, 3)) is None


def test_a_picture_without_a_mat_is_not_a_table(table: TableReader, rng: Generator) -> None:
    noise = rng.integers(0, 255, (400, 600, 3)).astype(np.uint8)
    assert table.read(CameraFrame(noise, 0, 1), [SLOT]) == ()


class OfOneMind:
    """A set of which every tile is the same."""

    knows_the_set = True

    def __init__(self, tile: Tile) -> None:
        self._tile = tile

    def rank(self, view: CropView, most: int = 3) -> tuple[Candidate, ...]:
        return (Candidate(self._tile, 0.999),)

    def decide(self, view: CropView) -> Read | ReadRefusal:
        return Read(self._tile, 0.999, False)


def test_tiles_are_judged_by_the_set_that_lies_there_and_by_the_model_alone_where_it_is_not_enrolled(classifier: Classifier) -> None:
    judges = {1: OfOneMind(Tile.M1), 2: OfOneMind(Tile.RED)}
    reader = TableReader(MAT, classifier, judges=judges, thickness_mm=0.0)
    picture, slot = MatPicture(MAT), Slot(2, Area.RIVER, 3)
    picture.lay(Tile.P6, slot)
    read = [reader.read(frame(picture), [slot], back)[0].tile for back in (1, 2, 3, None)]
    assert read == [Tile.M1, Tile.RED, Tile.P6, Tile.P6]


def test_faces_in_doubt_are_read_by_other_tiles_of_their_set_though_it_is_not_enrolled() -> None:
    picture, slots, doubting = MatPicture(MAT), MAT.slots(2, Area.RIVER)[:3], Classifier(least_probability=1.0)
    for slot in slots:
        picture.lay(Tile.P8, slot)
    of_one_set, of_any = (TableReader(MAT, doubting, thickness_mm=0.0).read(frame(picture), slots, back) for back in (1, None))
    assert [(reading.tile, reading.reason) for reading in of_one_set] == [(Tile.P8, None)] * 3
    assert [reading.reason for reading in of_any] == [Reason.UNSURE] * 3


def test_a_face_of_which_the_finder_has_two_halves_is_read_where_it_lies(classifier: Classifier, monkeypatch: pytest.MonkeyPatch) -> None:
    picture, slot, at = MatPicture(MAT), Slot(2, Area.RIVER, 3), TileFinder.at
    picture.lay(Tile.P6, slot)

    def halves(finder: TileFinder, image: NDArray[np.uint8], scale: float, least_score: float) -> FoundTable:
        table = at(finder, image, scale, least_score)
        across = {tile: tile.outline_px()[3] - tile.outline_px()[0] for tile in table.tiles}
        parts = ((tile, way * across[tile] / 4) for tile in table.tiles for way in (-1, 1))
        pieces = [replace(tile, x_px=tile.x_px + x, y_px=tile.y_px + y, height_px=tile.height_px / 2) for tile, (x, y) in parts]
        return replace(table, tiles=tuple(pieces))

    monkeypatch.setattr(TileFinder, "at", halves)
    (reading,) = TableReader(MAT, classifier, thickness_mm=0.0).read(frame(picture), [slot])
    assert (reading.tile, reading.reason) == (Tile.P6, None)
