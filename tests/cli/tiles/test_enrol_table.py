"""``twinwall tiles enrol --table``: a small set through the simulated feeder, past the simulated gate camera, the questions to a person."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from cli import main
from cli.tiles.enrol_table import half_blocks, settle
from config.writing import dumps
from controller.device_settings import GateCameraSection
from simulator.cameras.server import CameraServer, TableScenes
from simulator.feeder_simulator import FeederSimulator
from simulator.mechanics import FaultPlan, MechanicsSettings
from simulator.physical_tiles import tile_set
from simulator.scene import GateScene, TableScene
from tests.support.vision.pictures import face
from tools.default_settings import TABLE
from twinwall.game.tiles import Tile, parse_tiles
from vision.enrol.crop_folders import LabelledCrop
from vision.enrol.propose import Proposal
from vision.model.profile import parse_profile
from vision.reading import Candidate

KINDS = "1m 5p 7s C"


@dataclass(frozen=True)
class Seen:
    """What the cameras see of a feeder: the tile in its gate, and an empty mat."""

    feeder: FeederSimulator

    def gate(self) -> GateScene:
        return GateScene(self.feeder.gate_tile())

    def table(self) -> TableScene:
        return TableScene(0, ())


@pytest.fixture
def settings(tmp_path: Path) -> Iterator[Path]:
    """A table whose drum holds a set of four kinds."""
    tiles = tile_set(1, tiles=[tile for tile in parse_tiles(KINDS) for _ in range(4)])
    feeder = FeederSimulator(MechanicsSettings(speed=40.0), 1, FaultPlan(unread=0.0), tiles=tiles)
    port = feeder.start()
    with CameraServer({"1": TableScenes(Seen(feeder), Seen(feeder))}) as cameras:
        camera = replace(TABLE.camera, gate=GateCameraSection(f"{cameras.url}/1/gate.jpg"))
        path = tmp_path / "table.toml"
        path.write_text(dumps(replace(TABLE, camera=camera, feeder=replace(TABLE.feeder, port=port))), encoding="utf-8")
        yield path
    feeder.stop()


@pytest.mark.nightly
def test_a_set_is_fed_once_and_its_profile_bears_the_tables_names(
    settings: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, kept = tmp_path / "blue.json", tmp_path / "kept"
    assert main(["enrol", "--table", str(settings), "--out", str(out), "--kinds", KINDS, "--keep", str(kept)]) == 0
    profile = parse_profile(out.read_bytes(), "p")
    assert (profile.name, profile.back) == ("blue", 1)
    assert {tile.text: len(kind.examples) for tile, kind in profile.kinds.items()} == dict.fromkeys(KINDS.split(), 4)
    assert "16 of 16 tiles" in capsys.readouterr().err
    assert sum(1 for _ in kept.glob("*/*.png")) == 16
    assert all(path.stat().st_mode & 0o077 == 0 for path in kept.glob("*/*.png"))
    again = tmp_path / "again.json"
    assert main(["enrol", "--from", str(kept), "--out", str(again), "--kinds", KINDS]) == 0


def test_a_table_without_its_feeder_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    camera = replace(TABLE.camera, gate=GateCameraSection("v4l2:987"))
    path = tmp_path / "table.toml"
    path.write_text(dumps(replace(TABLE, camera=camera)), encoding="utf-8")
    assert main(["enrol", "--table", str(path), "--out", str(tmp_path / "p.json")]) == 2
    assert "/dev/video987" in capsys.readouterr().err


def questions(count: int) -> list[tuple[LabelledCrop, Proposal]]:
    picture = np.ascontiguousarray(face(Tile.P6, 128)[:, :, :3])
    proposal = Proposal(Tile.P6, (Candidate(Tile.P6, 0.6), Candidate(Tile.P7, 0.3), Candidate(Tile.S1, 0.05)), sure=False)
    return [(LabelledCrop(f"tile {number}", None, picture), proposal) for number in range(count)]


def test_a_person_answers_by_number_by_kind_or_not_at_all() -> None:
    typed = iter(["2", " 9s ", "-", "", "7x", "4", "E"])
    said: list[str] = []
    assert settle(questions(5), lambda _: next(typed), said.append) == [Tile.P7, Tile.S9, None, None, Tile.EAST]
    assert sum("none of these" in line for line in said) == 2


def test_the_end_of_the_input_leaves_out_what_remains() -> None:
    typed = iter(["1"])

    def ask(question: str) -> str:
        try:
            return next(typed)
        except StopIteration:
            raise EOFError from None

    assert settle(questions(3), ask, lambda _: None) == [Tile.P6, None, None]


def test_a_picture_in_the_terminal_has_the_tiles_form() -> None:
    lines = half_blocks(questions(1)[0][0].image).splitlines()
    assert len(lines) == 16
    assert all(line.count("▀") == 24 for line in lines)
