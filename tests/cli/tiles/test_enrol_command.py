"""``twinwall tiles enrol``, with files and through the simulated feeder, and reading and measuring by the profile that it writes."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from cli import main
from cli.tiles.enrol import half_blocks, settle
from cli.tiles.readers import gate_readers
from config.reading import dumps
from controller.device_settings import GateCameraSection, SetSection, VisionSection
from simulator.cameras.server import CameraServer, TableScenes
from simulator.feeder_simulator import FeederSimulator
from simulator.mechanics import FaultPlan, MechanicsSettings
from simulator.scene import GateScene
from simulator.tabletop import tile_set
from tests.support.commands import Twinwall
from tests.support.narrowed import of_type
from tests.support.vision.pictures import face, gate_with
from tools.default_settings import TABLE
from twinwall.art.designs import CLASSIC, Flower
from twinwall.game.documents import DocumentError
from twinwall.game.tiles import ALL_TILES, Tile, parse_tiles
from vision.enrol.evaluate import LabelledCrop
from vision.enrol.propose import Proposal, variants
from vision.model.profile import parse_profile
from vision.reading import Candidate, Read

FEW = (Tile.P3, Tile.P6, Tile.P7, Tile.EAST, Tile.RED)
"""Kinds of a set that is spoilt: enrolling takes its time for each."""
SUITS, HONOURS = FEW[:3], FEW[3:]


def named(*kinds: Tile) -> list[str]:
    """The option that names the kinds of a set."""
    return ["--kinds", " ".join(tile.text for tile in kinds)]


def picture(what: Tile | Flower) -> NDArray[np.uint8]:
    return np.ascontiguousarray(face(what, 120, CLASSIC)[:, :, :3])


def write(path: Path, image: NDArray[np.uint8]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(path), image)
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("set")
    for tile in ALL_TILES:
        write(root / tile.text / "one.png", picture(tile))
    return root


@pytest.fixture(scope="module")
def profile(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("profiles") / "green.json"
    assert main(["enrol", "--from", str(folder), "--out", str(path), "--back", "2"]) == 0
    return path


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20261120)


@pytest.fixture
def copied(folder: Path, tmp_path: Path) -> Path:
    """A copy of some kinds of the folder, to spoil."""
    for path in (folder / tile.text / "one.png" for tile in FEW):
        target = tmp_path / "set" / path.relative_to(folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())
    return tmp_path / "set"


def test_a_profile_has_its_sets_name_and_backs(profile: Path) -> None:
    document = json.loads(profile.read_bytes())
    assert (document["set"], document["back"], len(document["kinds"])) == ("green", 2, 34)


def test_a_wrong_tile_and_a_broken_file_are_left_out_and_named(copied: Path, tmp_path: Path, twinwall: Twinwall) -> None:
    write(copied / "6p" / "wrong.png", picture(Tile.P7))
    (copied / "E" / "broken.jpg").write_bytes(b"\xff\xd8\xff\xe0 not much of a picture")
    write(copied / "flower" / "one.png", picture(Flower.PLUM))
    said = twinwall("enrol", "--from", copied, "--out", tmp_path / "p.json", "--json", *named(*FEW))
    answer = json.loads(said.out)
    assert [(one["name"], one["said"], one["likely"]) for one in answer["left_out"]] == [
        ("E/broken.jpg", "E", None),
        ("6p/wrong.png", "6p", "7p"),
    ]
    assert answer["examples"]["6p"] == 1
    assert "6p/wrong.png" in said.err
    assert "E/broken.jpg" in said.err


def test_a_kind_without_an_example_is_a_no_unless_the_set_lacks_it(copied: Path, tmp_path: Path, twinwall: Twinwall) -> None:
    for honour in HONOURS:
        (copied / honour.text / "one.png").unlink()
    out = tmp_path / "p.json"
    assert "no example is left of E C" in twinwall("enrol", "--from", copied, "--out", out, *named(*FEW), code=1).err
    assert not out.exists()
    twinwall("enrol", "--from", copied, "--out", out, *named(*SUITS))
    assert set(parse_profile(out.read_bytes(), "p").kinds) == set(SUITS)


@pytest.mark.nightly
def test_pictures_without_folders_are_named_by_the_count_of_four(tmp_path: Path, rng: np.random.Generator) -> None:
    kinds = (Tile.M1, Tile.P5, Tile.S7, Tile.RED)
    for number, (tile, copy) in enumerate((tile, copy) for copy in range(4) for tile in kinds):
        view = variants(picture(tile), 1, rng)[0]
        write(tmp_path / "flat" / f"{number:03d}.png", np.ascontiguousarray(view[::-1, ::-1]) if copy % 2 else view)
    out = tmp_path / "p.json"
    assert main(["enrol", "--from", str(tmp_path / "flat"), "--out", str(out), "--kinds", "1m 5p 7s C"]) == 0
    assert {tile: len(kind.examples) for tile, kind in parse_profile(out.read_bytes(), "p").kinds.items()} == dict.fromkeys(kinds, 4)


def test_one_kind_enrolled_again_changes_only_itself(profile: Path, copied: Path, tmp_path: Path) -> None:
    out = tmp_path / "again.json"
    out.write_bytes(profile.read_bytes())
    write(copied / "3p" / "two.png", picture(Tile.P3)[2:-1, 1:-2])
    assert main(["enrol", "--from", str(copied), "--out", str(out), "--only", "3p"]) == 0
    before, after = (parse_profile(path.read_bytes(), "p") for path in (profile, out))
    assert len(after.kinds[Tile.P3].examples) == 2
    assert all(np.array_equal(after.kinds[tile].examples, before.kinds[tile].examples) for tile in set(ALL_TILES) - {Tile.P3})


def test_a_picture_is_read_by_the_profile_and_drawn(profile: Path, tmp_path: Path, rng: np.random.Generator) -> None:
    crop = write(tmp_path / "crop.png", picture(Tile.GREEN))
    frame = write(tmp_path / "frame.png", gate_with(face(Tile.P8, 320, CLASSIC), rng))
    drawn = tmp_path / "drawn"
    assert main(["read", str(crop), str(frame), "--profile", str(profile), "--picture", str(drawn)]) == 0
    assert sorted(path.name for path in drawn.iterdir()) == ["001-crop.png", "002-frame.png"]
    plain, marked = (cv2.imread(str(path)) for path in (frame, drawn / "002-frame.png"))
    assert plain is not None
    assert marked is not None
    assert plain.shape == marked.shape
    assert not np.array_equal(plain, marked)


def test_one_picture_is_drawn_into_the_file_that_was_named(tmp_path: Path) -> None:
    crop = write(tmp_path / "crop.png", picture(Flower.PLUM))
    assert main(["read", str(crop), "--picture", str(tmp_path / "out.png")]) == 1
    assert cv2.imread(str(tmp_path / "out.png")) is not None


def test_evaluate_measures_by_the_profile(profile: Path, folder: Path, twinwall: Twinwall) -> None:
    outcome = json.loads(twinwall("evaluate", folder, "--profile", profile, "--json").out)
    assert (outcome["n"], outcome["top1"], outcome["misread_of_accepted"]) == (34, 1.0, 0.0)
    assert outcome["coverage"] >= 0.99


def test_a_damaged_profile_stops_every_command_that_was_given_it(profile: Path, folder: Path, tmp_path: Path, twinwall: Twinwall) -> None:
    damaged = tmp_path / "p.json"
    damaged.write_bytes(profile.read_bytes()[:-40])
    for words in (["read", str(folder / "C" / "one.png")], ["evaluate", str(folder)]):
        assert "damaged" in twinwall(*words, "--profile", damaged, code=2).err


def test_a_table_reads_each_set_by_its_own_profile(profile: Path, rng: np.random.Generator) -> None:
    sets = (SetSection(1, "blue"), SetSection(2, "green", profile=profile))
    readers = gate_readers(VisionSection(), sets, ALL_TILES)
    assert of_type(Read, readers[2].read_picture(gate_with(face(Tile.P8, 320, CLASSIC), rng))).tile is Tile.P8
    assert readers[1] is not readers[2]


@pytest.mark.parametrize(
    ("of_set", "words"), [(SetSection(2, "red"), "of the set 'green', not of 'red'"), (SetSection(1, "green"), "backs 2, not 1")]
)
def test_a_table_refuses_the_profile_of_another_set(profile: Path, of_set: SetSection, words: str) -> None:
    with pytest.raises(DocumentError, match=words):
        gate_readers(VisionSection(), [SetSection(of_set.back, of_set.name, profile=profile)], ALL_TILES)


def test_a_table_refuses_a_profile_that_lacks_what_its_rules_play_with(copied: Path, tmp_path: Path) -> None:
    for honour in HONOURS:
        (copied / honour.text / "one.png").unlink()
    out = tmp_path / "green.json"
    main(["enrol", "--from", str(copied), "--out", str(out), *named(*SUITS)])
    sets = [SetSection(2, "green", profile=out)]
    assert set(gate_readers(VisionSection(), sets, SUITS)) == {2}
    with pytest.raises(DocumentError, match="has no example of E C"):
        gate_readers(VisionSection(), sets, FEW)


KINDS = "1m 5p 7s C"


@pytest.fixture
def settings(tmp_path: Path) -> Iterator[Path]:
    """A table whose drum holds a set of four kinds."""
    tiles = tile_set(1, tiles=[tile for tile in parse_tiles(KINDS) for _ in range(4)])
    feeder = FeederSimulator(MechanicsSettings(speed=40.0), 1, FaultPlan(unread=0.0), tiles=tiles)
    port = feeder.start()
    with CameraServer({"1": TableScenes(lambda: GateScene(feeder.gate_tile()))}) as cameras:
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
    assert main(["enrol", "--from", str(kept), "--out", str(tmp_path / "again.json"), "--kinds", KINDS]) == 0


def test_a_table_without_its_feeder_says_so(tmp_path: Path, twinwall: Twinwall) -> None:
    camera = replace(TABLE.camera, gate=GateCameraSection("v4l2:987"))
    path = tmp_path / "table.toml"
    path.write_text(dumps(replace(TABLE, camera=camera)), encoding="utf-8")
    assert "/dev/video987" in twinwall("enrol", "--table", path, "--out", tmp_path / "p.json", code=2).err


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
