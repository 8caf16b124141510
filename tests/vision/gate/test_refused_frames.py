"""Refused frames: on disk for their owner alone, the oldest removed, and never in an event."""

import itertools
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cli.tiles.readers import with_service
from config.reading import loads
from config.writing import dumps
from controller.device_settings import ServiceSection
from controller.settings import CustodySection, DealsSection, TableSettings
from tests.support.vision.pictures import empty_gate, face, gate_with
from tools.default_settings import TABLE
from twinwall.art.flowers import Flower
from twinwall.game.tiles import Tile
from vision.cameras.pictures import decode_picture
from vision.cameras.port import CameraFrame
from vision.gate.gate_reader import GateReader
from vision.gate.refused_frames import KeepingReader
from vision.reading import ReadRefusal, Reason


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
