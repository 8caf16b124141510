"""Gate reader on frames drawn independently of the simulator, of a set that the model was not trained on.

Refused frames: on disk for their owner alone, the oldest removed, and never in an event.
"""

import itertools
import json
from dataclasses import replace
from pathlib import Path
from typing import Literal

import cv2
import numpy as np
import pytest
from numpy.random import Generator

from cli.tiles.readers import with_service
from config.reading import dumps, loads
from controller.device_settings import ServiceSection
from controller.settings import CustodySection, DealsSection, TableSettings
from tests.support.narrowed import of_type
from tests.support.tiers import one_in, pairs
from tests.support.vision.pictures import GATE_H, GATE_W, Picture, empty_gate, face, gate_with, laid
from tools.default_settings import TABLE
from twinwall.art.designs import Flower
from twinwall.game.tiles import ALL_TILES, Tile
from vision.cameras.port import CameraFrame, decode_picture
from vision.gate.gate_reader import GateReader, KeepingReader
from vision.model.crop_view import HALF_TURN_SHAPES
from vision.reading import Read, ReadRefusal, Reason

TILE_PX = 320


def test_every_kind_is_read_upright_and_upside_down(reader: GateReader, rng: Generator) -> None:
    refused = 0
    for tile, turned in pairs(ALL_TILES, (False, True)):
        answer = reader.read(CameraFrame(gate_with(face(tile, TILE_PX), rng, turned=turned), 0, 1))
        if isinstance(answer, ReadRefusal):
            refused += 1
            continue
        assert answer.tile is tile
        assert answer.turned == (turned and tile not in HALF_TURN_SHAPES)
        assert 0.8 < answer.probability <= 1
    assert refused <= 1, "at most one frame in 68 may need a second look"


def test_an_empty_gate_is_empty_in_any_light(reader: GateReader, rng: Generator) -> None:
    for level in (35, 62, 95):
        answer = of_type(ReadRefusal, reader.read(CameraFrame(empty_gate(rng, level), 0, 1)))
        assert answer.reason is Reason.EMPTY


def test_a_dark_frame_is_not_an_empty_gate(reader: GateReader) -> None:
    answer = of_type(ReadRefusal, reader.read(CameraFrame(np.full((GATE_H, GATE_W, 3), 4, np.uint8), 0, 1)))
    assert answer.reason is Reason.DARK


@pytest.mark.parametrize("shown", [*Flower, "back"])
def test_flowers_seasons_and_backs_are_refused(reader: GateReader, rng: Generator, shown: Flower | Literal["back"]) -> None:
    for turned in (False, True):
        assert isinstance(reader.read(CameraFrame(gate_with(face(shown, TILE_PX), rng, turned=turned), 0, 1)), ReadRefusal)


def test_a_tile_half_covered_by_a_finger_is_refused(reader: GateReader, rng: Generator) -> None:
    for tile in one_in(6, ALL_TILES):
        picture = gate_with(face(tile, TILE_PX), rng)
        cv2.ellipse(picture, (GATE_W // 2 + 60, GATE_H), (95, 260), 0, 0, 360, (120, 150, 205), -1)
        assert isinstance(reader.read(CameraFrame(picture, 0, 1)), ReadRefusal)


def test_a_tile_only_half_in_the_window_is_refused(reader: GateReader, rng: Generator) -> None:
    for tile in one_in(6, ALL_TILES):
        picture = laid(empty_gate(rng), face(tile, TILE_PX), (GATE_W / 2, GATE_H - 60), 0.0)
        assert isinstance(reader.read(CameraFrame(picture, 0, 1)), ReadRefusal)


def test_a_frame_smeared_beyond_reading_is_refused_and_not_taken_for_a_white_dragon(reader: GateReader, rng: Generator) -> None:
    for tile in one_in(6, ALL_TILES):
        smeared = cv2.blur(cv2.blur(gate_with(face(tile, TILE_PX), rng), (130, 5)), (5, 110))
        assert isinstance(reader.read(CameraFrame(np.asarray(smeared, np.uint8), 0, 1)), ReadRefusal)


def test_a_window_washed_out_by_the_lamp_is_refused(reader: GateReader, rng: Generator) -> None:
    for tile in (Tile.WHITE, Tile.P1, Tile.M1):
        picture = gate_with(face(tile, TILE_PX), rng).astype(np.float32)
        washed = np.clip(cv2.GaussianBlur(picture, (0, 0), 14) * 0.3 + 190, 0, 255).astype(np.uint8)
        assert isinstance(reader.read(CameraFrame(washed, 0, 1)), ReadRefusal)


def test_a_cracked_lens_costs_looks_and_no_wrong_kind(reader: GateReader, rng: Generator) -> None:
    read = 0
    for tile in ALL_TILES[::6]:
        answer = reader.read(CameraFrame(cracked(gate_with(face(tile, TILE_PX), rng), rng), 0, 1))
        assert isinstance(answer, ReadRefusal) or answer.tile is tile
        read += isinstance(answer, Read)
    whole = sum(isinstance(reader.read(CameraFrame(gate_with(face(tile, TILE_PX), rng), 0, 1)), Read) for tile in ALL_TILES[::6])
    assert 0 < read < whole, "the cracks go through some tiles"


def cracked(picture: Picture, rng: Generator) -> Picture:
    """A picture through a lens with a star of cracks somewhere over the tile: bright, blurred lines, with pieces between them moved."""
    height, width = picture.shape[:2]
    middle = np.array([width / 2, height / 2]) + rng.uniform(-60, 60, 2)
    seen = picture.astype(np.float32)
    for angle in rng.uniform(0, 2 * np.pi, 6):
        end = middle + 600 * np.array([np.cos(angle), np.sin(angle)])
        piece, line = np.zeros((height, width), np.uint8), np.zeros((height, width), np.float32)
        beside = middle + 600 * np.array([np.cos(angle + 0.3), np.sin(angle + 0.3)])
        cv2.fillConvexPoly(piece, np.array([middle, end, beside]).astype(np.int32), 1)
        seen[piece == 1] = np.roll(seen, tuple(rng.integers(-6, 7, 2)), (0, 1))[piece == 1]
        cv2.line(line, tuple(map(int, middle)), tuple(map(int, end)), 1.0, 7)
        seen += 150 * cv2.GaussianBlur(line, (0, 0), 2)[:, :, None]
    return np.clip(seen, 0, 255).astype(np.uint8)


def test_a_refusal_names_the_likeliest_kinds_in_order(reader: GateReader, rng: Generator) -> None:
    covered = gate_with(face(Tile.P6, TILE_PX), rng)
    crop = reader.locate(covered)
    assert not isinstance(crop, ReadRefusal)
    crop[20:44] = 128
    answer = of_type(ReadRefusal, reader.read_crop(crop))
    probabilities = [candidate.probability for candidate in answer.candidates]
    assert len(probabilities) == 3
    assert probabilities == sorted(probabilities, reverse=True)


def test_the_crop_of_a_gate_frame_is_tight_to_the_tile_within_five_per_cent(reader: GateReader, rng: Generator) -> None:
    """Found again from a tile whose rim is painted: 4 px of 231 wide and 320 high."""
    for _ in range(8):
        sprite = face(Tile.WHITE, TILE_PX).copy()
        sprite[12:-12, 12:-12, :3] = (40, 40, 200)
        crop = reader.locate(gate_with(sprite, rng))
        assert not isinstance(crop, ReadRefusal)
        red = crop[:, :, 2].astype(int) - crop[:, :, 1] > 60
        columns, rows = np.flatnonzero(red[24:40].mean(axis=0) > 0.5), np.flatnonzero(red[:, 18:30].mean(axis=1) > 0.5)
        margins = np.array([columns[0] / 48, 1 - (columns[-1] + 1) / 48, rows[0] / 64, 1 - (rows[-1] + 1) / 64])
        expected = np.array([12 / sprite.shape[1]] * 2 + [12 / TILE_PX] * 2)
        assert np.abs(margins - expected).max() <= 0.05


def test_a_crop_that_lies_on_its_side_is_refused_with_what_to_do(reader: GateReader) -> None:
    answer = of_type(ReadRefusal, reader.read_crop(np.full((60, 90, 3), 200, np.uint8)))
    assert "turn it" in answer.detail


def test_gate_and_crop_are_decided_by_the_same_code(reader: GateReader, rng: Generator) -> None:
    for tile in one_in(8, ALL_TILES):
        picture = gate_with(face(tile, TILE_PX), rng)
        crop = reader.locate(picture)
        assert not isinstance(crop, ReadRefusal)
        whole, cut = reader.read_picture(picture), reader.read_crop(crop)
        assert isinstance(whole, Read) == isinstance(cut, Read)
        assert whole == cut


def keeps(reader: GateReader, folder: Path, most: int = 10) -> KeepingReader:
    numbers = itertools.count()
    return KeepingReader(reader, folder, most, lambda: f"{next(numbers):04d}")


def test_a_refused_frame_is_kept_with_its_reason_and_a_read_one_is_not(
    reader: GateReader, rng: np.random.Generator, tmp_path: Path
) -> None:
    folder = tmp_path / "service"
    keeping = keeps(reader, folder)
    flower = gate_with(face(Flower.PLUM, 320), rng)
    for picture in (gate_with(face(Tile.P5, 320), rng), empty_gate(rng), flower):
        assert keeping.read(CameraFrame(picture, 0, 1)) == reader.read(CameraFrame(picture, 0, 1))
    (written,) = folder.glob("*.png")
    assert decode_picture(written.read_bytes(), "kept").tobytes() == flower.tobytes()
    assert json.loads(written.with_suffix(".json").read_text())["reason"] in set(Reason)
    assert all(path.stat().st_mode & 0o077 == 0 for path in (folder, *folder.iterdir()))


def test_the_oldest_make_room(reader: GateReader, tmp_path: Path) -> None:
    frames = keeps(reader, tmp_path, most=3)
    for level in range(5):
        frames.keep(CameraFrame(np.full((8, 8, 3), level, np.uint8), 0, 1), ReadRefusal(Reason.UNSURE, "worn"))
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"000{n}.{end}" for n in (2, 3, 4) for end in ("json", "png")]


def test_nothing_is_kept_unless_it_is_asked_for(reader: GateReader, tmp_path: Path) -> None:
    for off in (ServiceSection(), ServiceSection(switch=True), ServiceSection(keep_refused=tmp_path)):
        assert with_service({1: reader}, off) == {1: reader}
    assert isinstance(with_service({1: reader}, ServiceSection(switch=True, keep_refused=tmp_path))[1], KeepingReader)


def test_in_an_event_the_switch_cannot_be_on(tmp_path: Path) -> None:
    event = CustodySection(identity=Path("/etc/twinwall/table.key"), vault_keys=("server " + "0" * 64,))
    deals = DealsSection(TABLE.deals.plan, TABLE.deals.start)
    with pytest.raises(ValueError, match="that is an event"):
        replace(TABLE, deals=deals, custody=event, service=ServiceSection(switch=True, keep_refused=tmp_path))
    assert (
        loads(
            dumps(replace(TABLE, service=ServiceSection(switch=True, keep_refused=tmp_path))), TableSettings, tmp_path / "t.toml"
        ).service.keep_refused
        == tmp_path
    )


def test_a_full_disk_does_not_stop_the_reading(reader: GateReader, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    frames = keeps(reader, tmp_path / "service")
    (tmp_path / "service").rmdir()
    frames.keep(CameraFrame(np.zeros((8, 8, 3), np.uint8), 0, 1), ReadRefusal(Reason.UNSURE, "worn"))
    assert "could not be kept" in caplog.text
