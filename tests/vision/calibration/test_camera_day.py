"""Calibration record and self-test of a changed camera, on the simulated gate's empty window."""

import functools
import itertools
import json
import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.cameras.gate import GateCamera
from simulator.cameras.table import TableCamera
from simulator.scene import GateScene, TableScene, WindowTile
from tests.support.narrowed import present
from tests.support.tiers import one_in
from tests.support.vision.cameras import ShownPictures
from tests.support.vision.pictures import MatPicture, noisy
from twinwall.art.mat import Mat
from twinwall.game.documents import DocumentError
from vision.calibration.calibrate import (
    BARE_MAT,
    CARD,
    EMPTY_GATE,
    FRAMES,
    TILE,
    CalibrationRefusedError,
    calibrate_gate,
    calibrate_table,
    examine,
    examine_mat,
    part_around,
)
from vision.calibration.camera_day import CameraDay, EvenCamera, FlatField, measure, parse_camera_day
from vision.cameras.port import Camera, Region
from vision.gate.presence import Outline
from vision.table.mat_name import UNNAMED

Picture = NDArray[np.uint8]
TODAY = date(2026, 11, 20)
LENS = GateCamera(seed=3)
SEEDS = itertools.count()
EMPTY = [LENS.render(GateScene(None)) for _ in range(2 * FRAMES)]
HEIGHT, WIDTH = EMPTY[0].shape[:2]


class Shown(ShownPictures):
    """A camera before which scenes are laid."""

    def __init__(self, scenes: dict[str, Callable[[], Picture]]) -> None:
        super().__init__()
        self._scenes = scenes
        self._now = next(iter(scenes.values()))
        self.named: list[str] = []

    def show(self, scene: str) -> bool:
        self.named.append(scene)
        if scene in self._scenes:
            self._now = self._scenes[scene]
        return scene in self._scenes

    def expose(self) -> Picture:
        return self._now()


def card() -> Picture:
    """A white card in light that falls off to the right, with a sensor's noise."""
    slope = np.linspace(220, 140, WIDTH)[None, :, None]
    return noisy(np.broadcast_to(slope, (HEIGHT, WIDTH, 3)).astype(np.uint8), 1.5, next(SEEDS))


def tile() -> Picture:
    return LENS.render(GateScene(WindowTile("9s", False, (0.0, 0.0), 0.0, False, 1)))


def day_of(frames: list[Picture]) -> CameraDay:
    light, scene = measure(frames)
    return CameraDay("gate", TODAY, WIDTH, HEIGHT, None, None, light, scene, None)


DAY = day_of(EMPTY[:FRAMES])


def found(change: Callable[[Picture], Picture]) -> dict[str, str]:
    """What is bad about frames that something has happened to, and the advice."""
    return {one.what: one.advice for one in examine(DAY, [change(frame) for frame in EMPTY[FRAMES:]]) if not one.good}


def stained(frame: Picture) -> Picture:
    mask = np.ones((HEIGHT, WIDTH), np.float32)
    cv2.circle(mask, (WIDTH // 3, HEIGHT // 3), 60, 0.6, -1)
    return np.asarray(frame * cv2.GaussianBlur(mask, (0, 0), 12)[..., None], np.uint8)


@pytest.mark.parametrize("moved_px", [0, 2], ids=["unchanged", "moved by a hair's breadth"])
def test_a_camera_that_has_hardly_changed_is_good(moved_px: int) -> None:
    assert found(lambda frame: np.roll(frame, (moved_px, moved_px), (0, 1))) == {}


@pytest.mark.parametrize(
    ("change", "what", "advice"),
    [
        (lambda frame: cv2.GaussianBlur(frame, (0, 0), 1.5), "focus", "clean the lens"),
        (lambda frame: (frame * 0.6).astype(np.uint8), "exposure", "lamp"),
        (lambda frame: np.clip(frame * 1.6, 0, 255).astype(np.uint8), "exposure", "other light"),
        (lambda frame: noisy(frame, 7, next(SEEDS)), "noise", "more light"),
        (stained, "lens", "clean the lens and the window"),
        (lambda frame: np.roll(frame, (8, 14), (0, 1)), "place", "calibrate it again"),
        (lambda frame: frame[::2, ::2].copy(), "size", "calibrate it again"),
    ],
)
def test_each_change_is_told_apart_and_says_what_to_do(change: Callable[[Picture], Picture], what: str, advice: str) -> None:
    bad = found(change)
    assert set(bad) == {what}
    assert advice in bad[what]


def test_the_gates_day_knows_its_light_its_flat_field_and_its_part() -> None:
    camera = Shown({EMPTY_GATE: iter(EMPTY * 2).__next__, CARD: card, TILE: tile})
    day = calibrate_gate(camera, camera.show, TODAY)
    assert camera.named == [EMPTY_GATE, CARD, TILE]
    assert day.flat_field is not None
    after = parse_camera_day(day.to_json(), "test", "gate")
    assert (after.made, after.light, after.region) == (TODAY, day.light, day.region)
    assert np.abs(after.scene - day.scene).max() <= 0.5
    assert all(finding.good for finding in examine(after, EMPTY[FRAMES:]))


@pytest.mark.parametrize(
    ("scenes", "words"),
    [
        ({EMPTY_GATE: tile}, "the gate is not empty"),
        ({EMPTY_GATE: iter(EMPTY * 4).__next__, CARD: EMPTY[0].copy}, "card"),
        ({EMPTY_GATE: iter(EMPTY * 4).__next__, TILE: EMPTY[0].copy}, "no tile is seen"),
    ],
)
def test_a_scene_that_is_not_what_was_asked_for_is_refused(scenes: dict[str, Callable[[], Picture]], words: str) -> None:
    camera = Shown(scenes)
    with pytest.raises(CalibrationRefusedError, match=words):
        calibrate_gate(camera, camera.show, TODAY)


Json = dict[str, object]
GATE = replace(DAY, region=Region(10, 20, 300, 200), flat_field=FlatField(np.full((12, 16), 128, np.uint8)))


@functools.cache
def table_day() -> CameraDay:
    camera, notes = Shown({BARE_MAT: moved_mat()}), list[str]()
    day = calibrate_table(camera, Mat(), 1600.0, camera.show, TODAY, note=notes.append)
    assert notes == [], "no number can be printed of a table without a name"
    return day


def moved_mat(shift_px: tuple[float, float] = (0.0, 0.0), covered: tuple[int, ...] = ()) -> Callable[[], Picture]:
    """A bare mat."""
    return frames_of(MatPicture(Mat(), shift_px=shift_px, covered_markers=covered).picture)


def frames_of(still: Picture) -> Callable[[], Picture]:
    """Frames of something at rest, each with other noise than the last."""
    return itertools.cycle([noisy(still, 1.0, next(SEEDS)) for _ in range(4)]).__next__


@pytest.mark.parametrize("which", ["gate", "table"])
def test_a_calibration_of_this_format_is_read_and_written_again_to_the_byte(which: str) -> None:
    text = (Path(__file__).parent / "golden" / f"{which}.json").read_text()
    day = parse_camera_day(text, "golden", which)
    assert day.to_json() == text
    assert (day.region is None, day.flat_field is None, day.mat is None) == (
        (False, False, True) if which == "gate" else (True, True, False)
    )


@pytest.mark.parametrize("text", ["", "[]", '{"format": "twinwall-camera-9"}', DAY.to_json()[:-30], "\x00", '{"format": 1, "format": 2}'])
def test_a_file_that_is_no_calibration_says_what_to_do(text: str) -> None:
    with pytest.raises(DocumentError, match="twinwall tiles calibrate --camera gate"):
        parse_camera_day(text, "day.json", "gate")


NO_NUMBERS: tuple[object, ...] = (math.nan, math.inf, -1e12, 1e12, True, [], {})


def spoilt(document: Json) -> Iterator[Json]:
    """The document with one thing wrong in it, for everything that can be: a key too few or too many, and values that are none."""
    yield {**document, "more": 1}
    for key, value in document.items():
        yield {name: kept for name, kept in document.items() if name != key}
        if isinstance(value, dict):
            yield from ({**document, key: inner} for inner in spoilt(value))
        elif isinstance(value, list):
            yield from ({**document, key: inner} for inner in (value[1:], [*value[1:], "1"], [*value[1:], math.inf], "x"))
        elif value is not None:
            yield from ({**document, key: wrong} for wrong in one_in(3, NO_NUMBERS))
            yield {**document, key: 7 if isinstance(value, str) else str(value)}


@pytest.mark.parametrize("which", ["gate", "table"])
def test_a_calibration_with_anything_wrong_in_it_is_refused_by_name(which: str) -> None:
    document = json.loads((GATE if which == "gate" else table_day()).to_json())
    parse_camera_day(json.dumps(document), "day.json", which)
    passed: list[Json] = []
    for wrong in spoilt(document):
        try:
            parse_camera_day(json.dumps(wrong), "day.json", which)
            passed.append(wrong)
        except DocumentError as error:
            assert "day.json" in str(error)  # each of a few hundred
    assert passed == []


def test_a_part_beyond_the_picture_and_a_mat_of_another_picture_are_refused() -> None:
    beyond = json.loads(replace(DAY, region=Region(WIDTH - 10, 0, 20, 20)).to_json())
    with pytest.raises(DocumentError, match="'region' must lie in the picture"):
        parse_camera_day(json.dumps(beyond), "day.json", "gate")
    with pytest.raises(DocumentError, match="another size"):
        parse_camera_day(replace(table_day(), width_px=640).to_json(), "day.json", "table")


def bad_of_mat(scene: Callable[[], Picture]) -> dict[str, str]:
    then = present(table_day().mat)
    return {one.what: one.advice for one in examine_mat(then, [scene() for _ in range(3)], Mat()) if not one.good}


def test_a_mat_that_was_pushed_is_told_in_millimetres_and_one_that_is_not_seen_by_its_markers() -> None:
    assert bad_of_mat(moved_mat()) == {}
    pushed = bad_of_mat(moved_mat((10.0, 0.0)))
    assert list(pushed) == ["mat"]
    assert "6 mm off" in pushed["mat"]
    assert "uncover them" in bad_of_mat(moved_mat(covered=(0, 1)))["mat"]


def test_the_calibration_of_the_other_camera_is_refused() -> None:
    with pytest.raises(DocumentError, match="it is of the gate camera"):
        parse_camera_day(DAY.to_json(), "day.json", "table")


def test_a_flat_field_makes_a_card_even_and_comes_back_from_its_text() -> None:
    flat = FlatField.from_text(FlatField.of_card([card() for _ in range(4)]).to_text())
    before, after = card().mean(axis=(0, 2)), flat.even(card()).mean(axis=(0, 2))
    assert np.ptp(before) > 60
    assert np.ptp(after) < 6


@pytest.mark.parametrize("level", [20, 254])
def test_a_card_too_dark_or_too_light_is_no_card(level: int) -> None:
    with pytest.raises(ValueError, match="grey levels"):
        FlatField.of_card([np.full((60, 80, 3), level, np.uint8)])


def test_a_calibrated_camera_gives_the_part_that_matters() -> None:
    camera: Camera = EvenCamera(Shown({EMPTY_GATE: EMPTY[0].copy}), None, Region(40, 30, 100, 80))
    frame = camera.frame_after(0)
    assert np.array_equal(frame.image, EMPTY[0][30:110, 40:140])
    assert frame.region is None


def test_a_small_tile_in_a_wide_picture_gives_a_part_around_it_and_a_large_one_the_whole() -> None:
    assert part_around(Outline((700, 300), (60, 80), 0.0, 0.9), 1280, 720) == Region(612, 212, 176, 176)
    assert part_around(Outline((320, 240), (240, 330), 0.0, 0.9), 640, 480) is None
    corner = part_around(Outline((20, 30), (60, 80), 0.0, 0.9), 1280, 720)
    assert corner == Region(0, 0, 108, 118)


@functools.cache
def named_mat(table: str) -> Shown:
    picture = TableCamera(3, Mat(table=table)).render(TableScene(1, ()))
    return Shown({BARE_MAT: frames_of(picture)})


@pytest.mark.parametrize(
    ("own", "printed", "said"), [("1", "1", []), ("1", "", [UNNAMED]), *one_in(3, [("A1", "", []), ("", "", []), ("01", "", [])])]
)
def test_a_calibration_says_that_a_mat_does_not_name_its_table(own: str, printed: str, said: list[str]) -> None:
    notes: list[str] = []
    camera = named_mat(printed)
    calibrate_table(camera, Mat(table=own), 1600.0, camera.show, TODAY, note=notes.append)
    assert notes == said


def test_no_camera_is_calibrated_above_another_tables_mat() -> None:
    camera = named_mat("12")
    with pytest.raises(CalibrationRefusedError, match=r"camera of table 1, .* names table 12"):
        calibrate_table(camera, Mat(table="1"), 1600.0, camera.show, TODAY)
