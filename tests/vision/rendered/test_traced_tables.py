"""Path-traced tables: what is true of one comes back from its folder, and tiles in tinted light are read."""

import json
from pathlib import Path

import pytest

from benchmarks.rendered.__main__ import main
from benchmarks.rendered.folder import free_slots, slot_of, truth_of, write_truth
from benchmarks.rendered.making import told
from benchmarks.rendered.tables import traced_table
from twinwall.art.mat import Mat

MAT = Mat()


def test_the_truth_of_a_table_comes_back_from_its_folder(tmp_path: Path) -> None:
    table = traced_table(2, MAT)
    hidden = [(slot.place, slot.area.value, slot.index, 0.0, 0.5 * (slot.index == 0)) for slot in MAT.all_slots()]
    write_truth(tmp_path, told(table, MAT, [{"file": "0.jpg", "hidden": hidden}]))
    truth = truth_of(tmp_path)
    held = {slot_of(one["slot"]): one["holds"] for one in truth["slots"]}
    assert held == {slot: table.laid[slot].face if slot in table.laid else "empty" for slot in MAT.all_slots()}
    assert free_slots(truth["frames"][0]) == {slot for slot in MAT.all_slots() if slot.index}


def test_tiles_in_light_of_two_colours_are_read(photographs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The study set beside the photographs is no part of the project. Where each tint counted as a thing over the face, 5 of 101 were."""
    folder = photographs.parent / "rendered"
    if not (folder / "tinted").is_dir():
        pytest.skip(f"{folder} holds no table in tinted light")
    assert main(["read", "--folder", str(folder), "--table", "tinted", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["together"]
    assert (told["wrong"], told["sure_misreads"]) == ([], [])
    assert told["tile_right"] > 96
