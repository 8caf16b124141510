"""The overhead arm's parts fit, hold together and leave the camera its mat; a spoiled arm is found."""

from pathlib import Path

import pytest

pytest.importorskip("build123d", reason="needs the dependency group hardware: uv sync --group hardware")

from build123d import Pos

from hardware.cad.__main__ import faults, write
from hardware.cad.arm import lengths, parts

PARTS = parts()


def test_the_arm_fits_and_shows_the_whole_mat() -> None:
    assert list(faults(PARTS)) == []


@pytest.mark.parametrize(
    ("part", "moved", "fault"),
    [
        ("post", (0, 0, 5), "post runs "),
        ("gusset", (-30, -30, -10), "gusset is fixed to nothing"),
        ("lamp 1", (0, 0, -900), "lamp 1 hides a part of the mat"),
        ("clamp", (-10, 0, 0), "clamp runs "),
        ("screw", (0, 0, 1), "screw runs "),
    ],
)
def test_a_part_in_the_wrong_place_is_found(part: str, moved: tuple[float, float, float], fault: str) -> None:
    assert any(found.startswith(fault) for found in faults({**PARTS, part: Pos(*moved) * PARTS[part]}))


def test_an_arm_without_its_post_hangs_in_the_air() -> None:
    without = {name: solid for name, solid in PARTS.items() if name not in ("post", "foot")}
    assert {"arm is fixed to nothing", "camera is fixed to nothing"} <= set(faults(without))


def test_every_part_is_written(tmp_path: Path) -> None:
    write(parts(), tmp_path)
    assert {file.name for file in tmp_path.iterdir()} == {
        "overhead-arm.step",
        "overhead-arm.svg",
        *(f"{name.replace(' ', '-')}.stl" for name in PARTS),
    }
    assert all(file.stat().st_size > 400 for file in tmp_path.iterdir())


def test_the_cut_lengths_are_those_of_the_solids() -> None:
    assert pytest.approx(lengths()["post"]) == PARTS["post"].bounding_box().size.Z
    assert PARTS["arm"].volume / PARTS["post"].volume == pytest.approx(lengths()["arm"] / lengths()["post"])
